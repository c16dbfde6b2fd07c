"""What people answered, and which tools their plans name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kolab_core.figures.style import MAIN_COLOR, figure_of, open_axes, plain_text
from kolab_core.stats.results import ItemAnswers, ToolCount

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_answers", "plot_tools"]


def plot_answers(
    items: Sequence[ItemAnswers], ax: Axes | None = None, *, highest: int, unit: str
) -> Figure:
    """Mean and standard deviation of each statement or question.

    Args:
        items: Such as `Stats.statements` or `Stats.questions`; those without answers are left out.
        ax: Where to draw; by default a new figure.
        highest: The scale's upper end; its lower one is 1.
        unit: What n counts, such as "steps".
    """
    asked = [item for item in items if item.answers.num]
    ax = open_axes(ax, width=6.0, height=1.0 + 0.24 * max(4, len(asked)))
    ax.errorbar(
        [item.answers.mean for item in asked],
        range(len(asked)),
        xerr=[item.answers.sd if item.answers.num > 1 else 0.0 for item in asked],
        fmt="o",
        color=MAIN_COLOR,
        ecolor="#7F9FC4",
        elinewidth=2,
        markersize=5,
    )
    names = [
        f"{plain_text(item.name.replace('_', ' '))} (n = {item.answers.num})" for item in asked
    ]
    ax.set_yticks(range(len(asked)), names)
    ax.set_ylim(max(1, len(asked)) - 0.5, -0.5)
    ax.set_xlim(0.5, highest + 0.5)
    ax.set_xticks(range(1, highest + 1))
    ax.set_xlabel(f"answer (1 to {highest}): mean ± SD; n {unit}")
    ax.grid(axis="x", alpha=0.3)
    return figure_of(ax)


def plot_tools(
    tools: Sequence[ToolCount], ax: Axes | None = None, *, num_steps: int, most: int = 30
) -> Figure:
    """The programs that plans name most, AI tools hatched.

    Args:
        tools: Such as `Stats.tools`, the most used first.
        ax: Where to draw; by default a new figure.
        num_steps: The planned steps in all.
        most: How many to draw.
    """
    shown = tools[:most]
    ax = open_axes(ax, width=6.4, height=1.2 + 0.22 * max(4, len(shown)))
    from matplotlib.patches import Patch

    looks: dict[bool, dict[str, Any]] = {
        True: {"facecolor": "#DDAA33", "edgecolor": "black", "hatch": "////"},
        False: {"facecolor": MAIN_COLOR, "edgecolor": "black"},
    }
    for place, tool in enumerate(shown):
        ax.barh(place, tool.steps, height=0.75, linewidth=0.5, **looks[tool.is_ai])
        ax.text(tool.steps, place, f" {tool.steps}", va="center", fontsize=8)
    ax.set_yticks(range(len(shown)), [plain_text(tool.name, most=30) for tool in shown])
    ax.set_ylim(max(1, len(shown)) - 0.5, -0.5)
    ax.margins(x=0.08)
    ax.locator_params(axis="x", integer=True)
    ax.set_xlabel(f"steps whose plan names it (of {num_steps})")
    num_ai = sum(tool.is_ai for tool in tools)
    left = f"; the {len(shown)} most named" if len(shown) < len(tools) else ""
    ax.set_title(f"{len(tools) - num_ai} programs, {num_ai} AI tools{left}", fontsize=10)
    names = {True: "AI tool", False: "other software"}
    handles = [Patch(label=names[kind], **looks[kind]) for kind in (True, False)]
    ax.legend(handles=handles, frameon=False, loc="lower right")
    return figure_of(ax)
