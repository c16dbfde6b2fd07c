"""The whole export: tables and recordings, with the card and `croissant.json` made from them."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from kolab_core.export.card import write_card
from kolab_core.export.croissant import write_croissant
from kolab_core.export.layout import HubTarget
from kolab_core.export.write import Exported, export_release

__all__ = ["export_hub"]


def export_hub(
    root: str | Path,
    target: HubTarget,
    out: str | Path,
    *,
    gated: bool = False,
    copy: bool = False,
    is_sample: bool = False,
) -> Exported:
    """Write the release at `root` as a folder that is ready for the Hub; see `export_release`.

    Args:
        root: The release's folder.
        target: The repository and tag it is made for.
        out: The folder to make; an earlier export there is replaced, anything else refused.
        gated: Prepare the page that asks for a request before access.
        copy: Copy recordings even where a link would do.
        is_sample: Whether the release is the synthetic sample; the card says so.

    Returns:
        What is in the export, in its final place.

    Raises:
        ReleaseError: The release has errors.
        ExportError: `out` is there and is no export, or the card's template is off.
    """
    written: list[Exported] = []

    def write_documents(exported: Exported) -> None:
        write_croissant(exported, write_card(exported, gated=gated))
        written.append(exported)

    export_release(root, target, out, write_card=write_documents, copy=copy, is_sample=is_sample)
    return dataclasses.replace(written[0], folder=Path(out))
