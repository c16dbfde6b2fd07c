"""A figure as files, each whole or not at all."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kolab_core.files import write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["FIGURE_FORMATS", "save_figure"]

FIGURE_FORMATS = ("pdf", "svg", "png")
# The same figure gives the same bytes: no date, and names in SVG that do not depend on chance.
_DATELESS = {"pdf": {"CreationDate": None}, "svg": {"Date": None}, "png": {}}
_LOOK: Any = {"svg.hashsalt": "kolab", "pdf.fonttype": 42}


def save_figure(
    figure: Figure, folder: str | Path, name: str, *, formats: Sequence[str] = FIGURE_FORMATS
) -> list[Path]:
    """Write `<name>.pdf`, `.svg` and `.png` (200 dots an inch) to a folder that is there.

    Letters that the font lacks are drawn as boxes.

    Raises:
        ValueError: Another format.
        OSError: A file cannot be written.
    """
    import matplotlib as mpl

    written = []
    for kind in formats:
        if kind not in FIGURE_FORMATS:
            raise ValueError(f"formats: found {kind!r}; expected {', '.join(FIGURE_FORMATS)}.")
        path = Path(folder) / f"{name}.{kind}"
        with (
            write_whole(path) as temporary,
            mpl.rc_context(_LOOK),
            warnings.catch_warnings(),
        ):
            warnings.filterwarnings("ignore", message="Glyph .* missing from")
            figure.savefig(temporary, format=kind, dpi=200, metadata=_DATELESS[kind])
        written.append(path)
    return written
