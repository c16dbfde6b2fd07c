"""Two measures of sessions or people against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kolab_core.dynamics.relations import RelationPairs
from kolab_core.figures.style import MAIN_COLOR, figure_of, open_axes
from kolab_core.reports.tables import format_cell

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_relation"]

_BURSTINESS = "burstiness B (−1 regular, 1 bursts)"
_LEAD_IN = "solo lead-in (share of a step, 0 to 1)"
_LABELS = {
    "burstiness, session 1 ~ session 2": (f"{_BURSTINESS}, session 1", f"{_BURSTINESS}, session 2"),
    "burstiness ~ solo lead-in": (_BURSTINESS, _LEAD_IN),
    "solo lead-in ~ clear plan (Q33)": (_LEAD_IN, "clear plan (Q33, 1 to 10)"),
    "topology ~ collaboration rating": (
        "topology W (branching nodes per edge, 0 to 0.5)",
        "mean collaboration rating (1 to 5)",
    ),
}


def plot_relation(relation: RelationPairs, ax: Axes | None = None) -> Figure:
    """A point a pair, with Spearman's rho and the paper's.

    Args:
        relation: Such as one of `kolab.dynamics.relation_pairs`.
        ax: Where to draw; by default a new figure.
    """
    ax = open_axes(ax, width=4.6, height=4.0)
    ax.scatter(relation.x, relation.y, s=22, color=MAIN_COLOR, alpha=0.65, linewidths=0)
    x_label, y_label = _LABELS.get(relation.name, (relation.name, ""))
    ax.set_xlabel(x_label)
    ax.set_ylabel(y_label)
    people = len(set(relation.participants))
    rho = format_cell(relation.rho, digits=2)
    ax.set_title(
        f"n = {len(relation.x)} pairs of {people} people, Spearman's ρ = {rho} "
        f"(paper {relation.published_rho:.2f})",
        fontsize=9,
    )
    ax.grid(alpha=0.3)
    return figure_of(ax)
