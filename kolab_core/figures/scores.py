"""Scores of models: as context grows, by modality, and what a modality changes for each class."""

from __future__ import annotations

import math
from collections.abc import Sequence, Sized
from typing import TYPE_CHECKING, Any

import numpy as np

from kolab_core.figures.cards import Card, Series, check_card, interval_words, read_series
from kolab_core.figures.style import (
    LABEL_COLORS,
    LINES,
    figure_of,
    open_axes,
    plain_text,
    text_color,
)
from kolab_core.release import LABELS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_class_changes", "plot_context_curve", "plot_modalities"]

_WHOLE = 4  # where the whole workflow stands behind 1, 2 and 3 steps
_SCORES = {
    "macro_f1": "macro F1",
    "f1_adopt": "F1 adopt",
    "f1_modify": "F1 modify",
    "f1_reject": "F1 reject",
    "mae": "MAE ↓",
    "exact_accuracy": "exact",
    "within_1_accuracy": "within 1",
    "spearman_rho": "ρ",
}


def plot_context_curve(
    cards: Sequence[Card], ax: Axes | None = None, *, score: str = "macro_f1"
) -> Figure:
    """A score as context grows, with its interval; a line for each model and setting.

    Args:
        cards: Of `step_n`, and if there is one of `workflow_level`; parsed JSON. Where no card has
            more than one model, all are taken to be of the same.
        ax: Where to draw; by default a new figure.
        score: Which score; from 0 to 1.

    Raises:
        ValueError: A card is no card, or of another config, or none has scores.
    """
    lines = _context_lines(cards)
    ax = open_axes(ax, width=7.0, height=4.4)
    for index, (name, points) in enumerate(lines.items()):
        shift = 0.04 * (index - (len(lines) - 1) / 2)
        _draw_line(ax, points, index=index, shift=shift, name=plain_text(name), score=score)
    baselines = [s.baseline[score] for p in lines.values() for s in p.values() if s.baseline]
    if baselines:
        ax.axhline(baselines[0], color="grey", linewidth=1, linestyle=(0, (1, 2)))
        ax.text(0.62, baselines[0], "constant answer", fontsize=8, color="#444444", va="bottom")
    places = sorted({place for points in lines.values() for place in points})
    names = {_WHOLE: "all, from\nthe start"}
    ax.set_xticks(places, [names.get(place, str(place)) for place in places])
    ax.set_xlim(0.6, max(places) + 0.4)
    ax.set_xlabel("planned steps shown before the last one")
    ax.set_ylabel(f"{_SCORES.get(score, score)} (0 to 1), {interval_words(cards[0])}")
    ax.grid(axis="y", alpha=0.3)
    ax.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure_of(ax)


def plot_modalities(
    card: Card, ax: Axes | None = None, *, context_steps: int | None = None
) -> Figure:
    """A table of scores, a row for each model and setting, shaded from each column's worst to best.

    Args:
        card: Parsed JSON of any config.
        ax: Where to draw; by default a new figure.
        context_steps: In `step_n` the number of steps before; None takes the largest there is.

    Raises:
        ValueError: It is no card, or has no scores.
    """
    rows = _choose(card, context_steps)
    columns = [name for name in _SCORES if name in rows[0].scores]
    values = np.array([[_number(row.scores.get(name)) for name in columns] for row in rows])
    ax = open_axes(ax, width=1.8 + 1.0 * len(columns) + 1.4, height=1.2 + 0.36 * max(3, len(rows)))
    shades = np.column_stack([_shade(v, name) for v, name in zip(values.T, columns, strict=True)])
    image = ax.imshow(shades, cmap="cividis", vmin=0, vmax=1, aspect="auto")
    for (row, column), value in np.ndenumerate(values):
        red, green, blue = (round(255 * part) for part in image.to_rgba(shades[row, column])[:3])
        ax.text(
            column,
            row,
            "" if math.isnan(value) else f"{value:.2f}",
            ha="center",
            va="center",
            fontsize=9,
            color=text_color(f"#{red:02x}{green:02x}{blue:02x}"),
        )
    ax.set_xticks(range(len(columns)), [_SCORES[name] for name in columns])
    ax.xaxis.tick_top()
    ax.set_yticks(range(len(rows)), [_name_row(row, rows) for row in rows])
    ax.set_xlabel(f"{_config_words(card, rows)}; shade: from the column's worst (dark) to its best")
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    return figure_of(ax)


def plot_class_changes(
    card: Card,
    ax: Axes | None = None,
    *,
    base: str | None = None,
    context_steps: int | None = None,
) -> Figure:
    """How the F1 of each class differs between settings and one of them.

    Args:
        card: Parsed JSON of an adoption config; of several models the first is drawn.
        ax: Where to draw; by default a new figure.
        base: The setting that others are compared with; None takes the card's first.
        context_steps: In `step_n` the number of steps before; None takes the largest there is.

    Raises:
        ValueError: It is no card, has no F1, or lacks the base or anything to compare with it.
    """
    rows = _choose(card, context_steps)
    rows = [row for row in rows if row.model == rows[0].model and "f1_adopt" in row.scores]
    settings = {row.setting: row for row in rows}
    _need(rows, "card")
    base = rows[0].setting if base is None else base
    if base not in settings or len(settings) < 2:
        raise ValueError(
            f"base: found {base!r} among {', '.join(settings)}; expected one of two or more."
        )
    others = [row for row in rows if row.setting != base]
    ax = open_axes(ax, width=7.0, height=3.8)
    for index, label in enumerate(LABELS):
        start = _number(settings[base].scores[f"f1_{label}"])
        ax.bar(
            np.arange(len(others)) + 0.26 * (index - 1),
            [_number(row.scores[f"f1_{label}"]) - start for row in others],
            width=0.26,
            color=LABEL_COLORS[label],
            edgecolor="black",
            linewidth=0.5,
            label=label,
        )
    ax.axhline(0, color="black", linewidth=0.8)
    names = [row.setting.replace("-", "\n") + f"\nn = {row.scores['n']}" for row in others]
    ax.set_xticks(range(len(others)), names, fontsize=8)
    ax.set_ylabel(f"F1 less that of {base}\n(n = {settings[base].scores['n']})")
    ax.set_xlabel(_config_words(card, rows))
    ax.legend(frameon=False, ncols=3, loc="lower left", bbox_to_anchor=(0, 1.0))
    ax.grid(axis="y", alpha=0.3)
    return figure_of(ax)


def _context_lines(cards: Sequence[Card]) -> dict[str, dict[int, Series]]:
    """A line's name → place on the axis → scores."""
    for card in cards:
        config = check_card(card)
        if config not in ("step_n", "workflow_level"):
            raise ValueError(
                f"cards: found one of {config}; expected step_n, and workflow_level beside it."
            )
    found = [read_series(card) for card in cards]
    has_models = any(len({series.model for series in own}) > 1 for own in found)
    lines: dict[str, dict[int, Series]] = {}
    for series in (series for own in found for series in own):
        name = f"{series.model}, {series.setting}" if has_models else series.setting
        lines.setdefault(name, {})[series.context_steps or _WHOLE] = series
    _need(lines, "cards")
    return lines


def _draw_line(
    ax: Any, points: dict[int, Series], *, index: int, shift: float, name: str, score: str
) -> None:
    line = LINES[index % len(LINES)]
    places = sorted(points)
    means = [_number(points[place].scores.get(score)) for place in places]
    low = [_number(points[p].scores.get(f"{score}_low")) for p in places]
    high = [_number(points[p].scores.get(f"{score}_high")) for p in places]
    below = np.nan_to_num(np.subtract(means, low)).clip(min=0)
    above = np.nan_to_num(np.subtract(high, means)).clip(min=0)
    sizes = sorted({points[place].scores["n"] for place in places})
    number = str(sizes[0]) if len(sizes) == 1 else f"{sizes[0]}–{sizes[-1]}"
    ax.errorbar(
        [place + shift for place in places],
        means,
        yerr=[below, above],
        color=line.color,
        marker=line.marker,
        linestyle=line.style,
        markersize=5,
        linewidth=1.4,
        elinewidth=0.9,
        capsize=2,
        label=f"{name} (n = {number})",
    )


def _choose(card: Card, context_steps: int | None) -> list[Series]:
    """The card's series, in `step_n` of one number of steps."""
    found = read_series(card)
    if context_steps is None:
        context_steps = max((s.context_steps or 0 for s in found), default=0) or None
    chosen = [s for s in found if s.context_steps == context_steps]
    _need(chosen, "card")
    return chosen


def _need(found: Sized, argument: str) -> None:
    if not found:
        raise ValueError(f"{argument}: found no scores to draw; expected a setting that has rows.")


def _shade(values: Any, name: str) -> Any:
    """0 for the worst of a column to 1 for the best; a half where all are equal or unknown."""
    better = -values if name == "mae" else values
    known = better[~np.isnan(better)]
    if not len(known) or known.min() == known.max():
        return np.full(len(values), 0.5)
    return np.nan_to_num((better - known.min()) / (known.max() - known.min()), nan=0.5)


def _name_row(row: Series, rows: Sequence[Series]) -> str:
    has_models = len({other.model for other in rows}) > 1
    name = f"{row.model}, {row.setting}" if has_models else row.setting
    return f"{plain_text(name)} (n = {row.scores['n']})"


def _config_words(card: Card, rows: Sequence[Series]) -> str:
    steps = rows[0].context_steps
    return check_card(card) + (f", {steps} steps before" if steps else "")


def _number(value: Any) -> float:
    """A score of a card, where null stands for `nan`."""
    return math.nan if value is None else float(value)
