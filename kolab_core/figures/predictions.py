"""What models answer where the truth is known: labels, and ratings on average."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from kolab_core.figures.cards import Card, check_card, interval_words, read_series
from kolab_core.figures.style import (
    LABEL_COLORS,
    LINES,
    figure_of,
    open_axes,
    plain_text,
    stack_bars,
)
from kolab_core.scores.parsing import RATINGS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_mean_predictions", "plot_predicted_labels"]

_HARD = ("modify", "reject")


def plot_predicted_labels(
    card: Card, ax: Axes | None = None, *, context_steps: int | None = None
) -> Figure:
    """The labels that models give where the truth is modify, and where it is reject.

    Args:
        card: Parsed JSON of an adoption config.
        ax: Where to draw; by default a new figure.
        context_steps: In `step_n` the number of steps before; None takes the largest there is.

    Raises:
        ValueError: It is no card, or has no predicted labels.
    """
    found = [s for s in read_series(card) if "share_adopt_given_modify" in s.scores]
    if context_steps is None:
        context_steps = max((s.context_steps or 0 for s in found), default=0) or None
    found = [s for s in found if s.context_steps == context_steps]
    if not found:
        raise ValueError("card: found no predicted labels; expected scores of an adoption config.")
    has_models = len({s.model for s in found}) > 1
    rows = []
    for true in _HARD:
        for series in found:
            name = f"{series.model}, {series.setting}" if has_models else series.setting
            shares = {
                label: series.scores.get(f"share_{label}_given_{true}") or 0.0
                for label in LABEL_COLORS
            }
            number = series.scores[f"support_{true}"]
            rows.append((f"{true}: {plain_text(name)} (n = {number})", shares))
    ax = open_axes(ax, width=7.4, height=1.3 + 0.28 * max(4, len(rows)))
    what = f"predicted label (%), by true label; {check_card(card)}"
    if context_steps:
        what += f", {context_steps} steps before"
    stack_bars(ax, rows, colors=LABEL_COLORS, label=what)
    ax.axhline(len(found) - 0.5, color="black", linewidth=0.8)
    return figure_of(ax)


def plot_mean_predictions(card: Card, ax: Axes | None = None) -> Figure:
    """The mean rating that models give for each true rating, with its interval.

    Args:
        card: Parsed JSON of a rating config.
        ax: Where to draw; by default a new figure.

    Raises:
        ValueError: It is no card, or has no mean predictions.
    """
    found = [s for s in read_series(card) if "mean_prediction_1" in s.scores]
    if not found:
        raise ValueError("card: found no mean predictions; expected scores of a rating config.")
    ax = open_axes(ax, width=7.0, height=4.4)
    ax.plot([1, 5], [1, 5], color="grey", linestyle=(0, (1, 2)), linewidth=1, label="as rated")
    has_models = len({s.model for s in found}) > 1
    for index, series in enumerate(found):
        line = LINES[index % len(LINES)]
        name = f"{series.model}, {series.setting}" if has_models else series.setting
        parts = [
            [_number(series.scores.get(f"mean_prediction_{r}{end}")) for r in RATINGS]
            for end in ("", "_low", "_high")
        ]
        mean, low, high = (np.array(part) for part in parts)
        ax.errorbar(
            np.array(RATINGS) + 0.04 * (index - (len(found) - 1) / 2),
            mean,
            yerr=[np.nan_to_num(mean - low).clip(min=0), np.nan_to_num(high - mean).clip(min=0)],
            color=line.color,
            marker=line.marker,
            linestyle=line.style,
            markersize=5,
            linewidth=1.3,
            elinewidth=0.9,
            capsize=2,
            label=f"{plain_text(name)} (n = {series.scores['n']})",
        )
    ax.set_xticks(RATINGS)
    ax.set_yticks(RATINGS)
    ax.set_ylim(0.8, 5.2)
    ax.set_xlabel(f"true rating (1 to 5), {check_card(card)}")
    ax.set_ylabel(f"mean predicted rating (1 to 5), {interval_words(card)}")
    ax.grid(alpha=0.3)
    ax.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure_of(ax)


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else math.nan
