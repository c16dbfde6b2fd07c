"""Shares of labels and ratings, and both ratings jointly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kolab_core.figures.style import (
    LABEL_COLORS,
    RATING_COLORS,
    figure_of,
    open_axes,
    plain_text,
    stack_bars,
)
from kolab_core.reports.tables import format_cell
from kolab_core.stats.results import JointRatings, LabelCounts, RatingCounts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_joint_ratings", "plot_labels", "plot_ratings"]

_KINDS = {"collaboration": "collaboration", "output_quality": "output quality"}


def plot_labels(groups: Sequence[LabelCounts], ax: Axes | None = None) -> Figure:
    """What became of AI outputs, a bar a group with the number of its responses behind its name.

    Args:
        groups: Such as those of `Stats.labels`: all, and each sector.
        ax: Where to draw; by default a new figure.
    """
    ax = open_axes(ax, width=7.0, height=1.2 + 0.3 * max(3, len(groups)))
    rows = [(f"{plain_text(g.name)} (n = {sum(g.counts.values())})", g.shares) for g in groups]
    colors = {label: color for label, color in LABEL_COLORS.items() if label != "invalid"}
    stack_bars(ax, rows, colors=colors, label="share of responses (%)")
    return figure_of(ax)


def plot_ratings(ratings: Sequence[RatingCounts], ax: Axes | None = None) -> Figure:
    """How steps were rated, a bar for each kind of rating and each number of session.

    Args:
        ratings: Such as `Stats.ratings`.
        ax: Where to draw; by default a new figure.
    """
    ax = open_axes(ax, width=7.0, height=1.2 + 0.34 * max(3, len(ratings)))
    rows = []
    for found in ratings:
        session = "all" if found.session is None else f"session {found.session}"
        number = sum(found.counts.values())
        name = f"{_KINDS[found.kind]}, {session} (n = {number})"
        rows.append((name, found.shares))
    stack_bars(ax, rows, colors=RATING_COLORS, label="share of rated steps (%), by rating 1 to 5")
    return figure_of(ax)


def plot_joint_ratings(joint: JointRatings, ax: Axes | None = None) -> Figure:
    """How many steps have each pair of ratings, with Spearman's rho.

    Args:
        joint: Such as `Stats.joint`.
        ax: Where to draw; by default a new figure.
    """
    ax = open_axes(ax, width=4.8, height=4.2)
    counts = np.array(joint.counts)
    image = ax.imshow(counts, cmap="Blues", origin="lower", vmin=0, vmax=max(1, counts.max()))
    for (row, column), count in np.ndenumerate(counts):
        color = "white" if count > 0.6 * counts.max() else "black"
        ax.text(column, row, str(count), ha="center", va="center", fontsize=9, color=color)
    ax.set_xticks(range(5), ["1", "2", "3", "4", "5"])
    ax.set_yticks(range(5), ["1", "2", "3", "4", "5"])
    ax.set_xlabel("collaboration (rating 1 to 5)")
    ax.set_ylabel("output quality (rating 1 to 5)")
    ax.set_title(
        f"n = {joint.num} steps, Spearman's ρ = {format_cell(joint.rho, digits=2)}", fontsize=10
    )
    ax.figure.colorbar(image, ax=ax, label="steps", shrink=0.85)
    return figure_of(ax)
