"""What all figures share: axes, colours that grey print and the colour-blind can tell, texts."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "LABEL_COLORS",
    "LINES",
    "MAIN_COLOR",
    "RATING_COLORS",
    "Line",
    "figure_of",
    "need_matplotlib",
    "open_axes",
    "plain_text",
    "stack_bars",
    "text_color",
]

MAIN_COLOR = "#004488"
# Paul Tol's "high contrast": as greys they are dark, middle and light, too.
LABEL_COLORS = {"adopt": "#004488", "modify": "#DDAA33", "reject": "#BB5566", "invalid": "#DDDDDD"}
# Five steps of cividis, which looks the same to nearly everybody; the darker, the higher.
RATING_COLORS = {1: "#FDE737", 2: "#C3B369", 3: "#8E8878", 4: "#575C6D", 5: "#00224E"}


@dataclass(frozen=True)
class Line:
    """How a series is drawn: told apart by colour, by marker and by dash."""

    color: str
    marker: str
    style: str


_LINE_COLORS = ("#004488", "#BB5566", "#DDAA33", "#000000")
_LINE_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_LINE_STYLES = ("-", "--", ":", "-.")
LINES = tuple(
    Line(_LINE_COLORS[i % 4], _LINE_MARKERS[i % 7], _LINE_STYLES[i % 4]) for i in range(28)
)


def need_matplotlib() -> None:
    """See that figures can be drawn.

    Raises:
        ModuleNotFoundError: matplotlib is not installed (extra `plot`).
    """
    if importlib.util.find_spec("matplotlib") is None:
        raise ModuleNotFoundError(
            "matplotlib: not installed; a figure needs it. Run `pip install 'kolab[plot]'`."
        )


def open_axes(ax: Axes | None, *, width: float = 6.4, height: float = 4.0) -> Any:
    """The axes to draw on: those given, or new ones of that size in inches.

    Raises:
        ModuleNotFoundError: matplotlib is not installed (extra `plot`).
    """
    need_matplotlib()
    if ax is None:
        from matplotlib.figure import Figure

        ax = Figure(figsize=(width, height), layout="constrained").add_subplot()
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def figure_of(ax: Axes) -> Figure:
    """The figure that axes stand in."""
    figure: Any = ax.figure
    found: Figure = figure
    return found


def plain_text(text: object, *, most: int = 44) -> str:
    """A text of a release as a figure can hold it: one line, not too long, no formula."""
    line = " ".join(str(text).split())
    short = line if len(line) <= most else line[: most - 1] + "…"
    # A dollar sign would start a formula.
    return short.replace("$", r"\$")


def text_color(color: str) -> str:
    """Black or white, whichever can be read on a colour `#RRGGBB`."""
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return "black" if 0.299 * red + 0.587 * green + 0.114 * blue > 140 else "white"


def stack_bars(
    ax: Any,
    rows: Sequence[tuple[str, Mapping[Any, float]]],
    *,
    colors: Mapping[Any, str],
    label: str,
) -> None:
    """One horizontal bar a row, the first on top, made of shares that add up to 1.

    Args:
        ax: Where to draw.
        rows: A name, and part → share; `nan` draws nothing.
        colors: Part → colour, in the order of the bar.
        label: Of the axis of shares.
    """
    for place, (_, shares) in enumerate(rows):
        left = 0.0
        for part, color in colors.items():
            width = 100 * shares.get(part, 0.0)
            if not width > 0:
                continue
            ax.barh(place, width, left=left, color=color, edgecolor="white", height=0.78)
            if width >= 5:
                ax.text(
                    left + width / 2,
                    place,
                    f"{width:.0f}",
                    ha="center",
                    va="center",
                    fontsize=8,
                    color=text_color(color),
                )
            left += width
    ax.set_yticks(range(len(rows)), [name for name, _ in rows])
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.set_xlim(0, 100)
    ax.set_xlabel(label)
    _add_legend(ax, colors)


def _add_legend(ax: Any, colors: Mapping[Any, str]) -> None:
    from matplotlib.patches import Patch

    ax.legend(
        handles=[
            Patch(facecolor=color, edgecolor="grey", label=str(name))
            for name, color in colors.items()
        ],
        loc="lower left",
        bbox_to_anchor=(0, 1.0),
        ncols=len(colors),
        frameon=False,
        fontsize=9,
        handlelength=1.2,
        columnspacing=1.2,
    )
