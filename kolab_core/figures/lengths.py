"""How long clips are, and how long steps took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kolab_core.figures.style import LINES, MAIN_COLOR, figure_of, open_axes, plain_text
from kolab_core.stats.tally import StepTime

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_clip_lengths", "plot_time_estimates", "plot_time_spent"]

_MINUTE_MS = 60_000


def plot_clip_lengths(minutes: Mapping[str, Sequence[float]], ax: Axes | None = None) -> Figure:
    """The lengths of clips: a box a config, on a logarithmic axis.

    The box holds the middle half, its line is the median, the whiskers end at the 5th and the 95th
    percentile, the points lie beyond, the diamond is the mean.

    Args:
        minutes: Name → the lengths in minutes; those that are 0 are left out, and so are names
            without any.
        ax: Where to draw; by default a new figure.
    """
    kept = {name: [v for v in values if v > 0] for name, values in minutes.items()}
    kept = {name: values for name, values in kept.items() if values}
    ax = open_axes(ax, width=7.0, height=1.2 + 0.36 * max(3, len(kept)))
    ax.boxplot(
        list(kept.values()),
        positions=range(len(kept)),
        widths=0.6,
        whis=(5, 95),
        showmeans=True,
        patch_artist=True,
        manage_ticks=False,
        boxprops={"facecolor": "#C7D5E6", "edgecolor": MAIN_COLOR},
        medianprops={"color": MAIN_COLOR, "linewidth": 1.8},
        meanprops={"marker": "D", "markerfacecolor": "#BB5566", "markeredgecolor": "black"},
        flierprops={"marker": ".", "markersize": 3, "markeredgecolor": "#555555"},
        **_horizontal(),
    )
    ax.set_yticks(
        range(len(kept)), [f"{plain_text(name)} (n = {len(v)})" for name, v in kept.items()]
    )
    ax.set_ylim(len(kept) - 0.5, -0.5)
    ax.set_xscale("log")
    _plain_minutes(ax.xaxis)
    ax.set_xlabel(
        "length of a clip (minutes, logarithmic)\n"
        "box: quartiles; whiskers: 5 % and 95 %; diamond: mean"
    )
    ax.grid(axis="x", alpha=0.3)
    return figure_of(ax)


def plot_time_spent(times: Sequence[StepTime], ax: Axes | None = None) -> Figure:
    """The share of steps that took at most so long, a line for each number of session.

    Args:
        times: Such as `Tally.times`.
        ax: Where to draw; by default a new figure.
    """
    ax = open_axes(ax)
    for line, number in zip(LINES, sorted({time.session for time in times}), strict=False):
        minutes = np.sort([t.spent / _MINUTE_MS for t in times if t.session == number])
        shares = 100 * np.arange(1, len(minutes) + 1) / len(minutes)
        ax.step(
            np.concatenate([minutes[:1], minutes]),
            np.concatenate([[0], shares]),
            where="post",
            color=line.color,
            linestyle=line.style,
            label=f"session {number} (n = {len(minutes)}, mean {minutes.mean():.1f} min)",
        )
    ax.set_xlabel("time spent on a step (minutes)")
    ax.set_ylabel("steps that took at most so long (%)")
    ax.set_ylim(0, 100)
    ax.set_xlim(left=0)
    ax.grid(alpha=0.3)
    if times:
        ax.legend(frameon=False, loc="lower right")
    return figure_of(ax)


def plot_time_estimates(times: Sequence[StepTime], ax: Axes | None = None) -> Figure:
    """The time spent on each step against the time estimated, on logarithmic axes.

    Args:
        times: Such as `Tally.times`; those without an estimate, or with one of 0, are left out.
        ax: Where to draw; by default a new figure.
    """
    ax = open_axes(ax, width=5.0, height=4.6)
    pairs = [(t.estimated, t.spent, t.session) for t in times if t.estimated]
    for line, number in zip(LINES, sorted({pair[2] for pair in pairs}), strict=False):
        own = np.array([pair[:2] for pair in pairs if pair[2] == number]) / _MINUTE_MS
        ax.scatter(
            own[:, 0],
            own[:, 1],
            s=16,
            color=line.color,
            marker=line.marker,
            alpha=0.6,
            linewidths=0,
            label=f"session {number} (n = {len(own)})",
        )
    if pairs:
        values = np.array([pair[:2] for pair in pairs]) / _MINUTE_MS
        ends = [values.min() / 1.3, values.max() * 1.3]
        ax.plot(ends, ends, color="grey", linestyle="--", linewidth=1, label="as estimated")
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.set_xlim(*ends)
        ax.set_ylim(*ends)
        _plain_minutes(ax.xaxis)
        _plain_minutes(ax.yaxis)
        ax.legend(frameon=False, loc="upper left")
    ax.set_xlabel("time estimated for a step (minutes, logarithmic)")
    ax.set_ylabel("time spent on it (minutes, logarithmic)")
    ax.grid(alpha=0.3)
    return figure_of(ax)


def _plain_minutes(axis: Any) -> None:
    """Minutes as 0.5, 1, 2, 5, 10, … instead of powers of ten."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    axis.set_major_locator(LogLocator(base=10, subs=(1.0, 2.0, 5.0), numticks=30))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _horizontal() -> dict[str, Any]:
    """The words that lay a box plot down: `vert` before matplotlib 3.10, where it is deprecated."""
    import matplotlib as mpl

    release = tuple(int(part) for part in mpl.__version__.split(".")[:2])
    return {"orientation": "horizontal"} if release >= (3, 10) else {"vert": False}
