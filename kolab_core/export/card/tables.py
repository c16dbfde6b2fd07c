"""The card's statistics: how many rows, which labels and ratings, how long the clips."""

from __future__ import annotations

from collections.abc import Mapping

from kolab_core.export.card.statistics import PUBLISHED, ConfigStatistics, Published
from kolab_core.release import LABELS
from kolab_core.reports.tables import render_table

__all__ = ["render_statistics"]

_NONE = "–"
_RATINGS = ("1", "2", "3", "4", "5")
_RANGES = ("1-3",)


def render_statistics(counted: Mapping[str, ConfigStatistics]) -> str:
    """Four tables: rows; shares of labels; shares of ratings; lengths of the clips."""
    parts = [
        ("Rows", _render_rows(counted)),
        ("Labels, percent of the rows", _render_shares(counted, LABELS, ())),
        ("Ratings, percent of the rows", _render_shares(counted, _RATINGS, _RANGES)),
        (
            "Clips: the summed length of a row's intervals, in minutes (SD with n − 1); hours "
            "count what several rows show each time",
            _render_lengths(counted),
        ),
    ]
    return "\n\n".join(f"{title}:\n\n{table}" for title, table in parts)


def _render_rows(counted: Mapping[str, ConfigStatistics]) -> str:
    heads = ["config", "rows", "paper", "sessions", "participants", "with recording", "with chat"]
    lines = [
        (
            f"`{config}`",
            found.num_rows,
            _whole(_published(config).num_rows),
            _whole(found.num_sessions),
            found.num_participants,
            _whole(found.num_with_video),
            _whole(found.num_with_chat),
        )
        for config, found in counted.items()
    ]
    return render_table(heads, lines, style="md")


def _render_shares(
    counted: Mapping[str, ConfigStatistics], answers: tuple[str, ...], ranges: tuple[str, ...]
) -> str:
    columns = (*answers, *ranges)
    lines = []
    for config, found in counted.items():
        if set(found.answers) != set(answers):
            continue
        lines.append((f"`{config}`", *(_percent(found.share(name)) for name in columns)))
        shares = _published(config).shares
        if shares:
            lines.append(("– in the paper", *(_percent(shares.get(name)) for name in columns)))
    return render_table(["config", *columns], lines, style="md")


def _render_lengths(counted: Mapping[str, ConfigStatistics]) -> str:
    lines = []
    for config, found in counted.items():
        if found.num_sessions is None:
            continue
        lengths = (found.mean_minutes, found.sd_minutes, found.max_minutes)
        lines.append((f"`{config}`", f"{found.hours:.2f}", *map(_minutes, lengths)))
        published = _published(config).minutes
        if published:
            lines.append(("– in the paper", _NONE, *map(_minutes, published)))
    return render_table(["config", "hours", "mean", "SD", "longest"], lines, style="md")


def _published(config: str) -> Published:
    return PUBLISHED.get(config, Published())


def _whole(number: int | None) -> str:
    return _NONE if number is None else str(number)


def _percent(share: float | None) -> str:
    return _NONE if share is None else f"{share:.1f}"


def _minutes(length: float | None) -> str:
    return _NONE if length is None else f"{length:.2f}" if length < 1 else f"{length:.1f}"
