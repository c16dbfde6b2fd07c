"""What the tables of an export hold, counted from their files, beside what the paper states."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from kolab_core.export.layout import data_file
from kolab_core.release import LABELS
from kolab_core.rows.experiments import EXPERIMENTS

__all__ = ["PUBLISHED", "ConfigStatistics", "Published", "read_statistics"]


@dataclass(frozen=True)
class Published:
    """What the paper states of one config; None where it states nothing.

    Attributes:
        num_rows: Rows.
        shares: Percent of each label or rating, or of a range of ratings.
        minutes: Mean, standard deviation and largest length of a clip.
    """

    num_rows: int | None = None
    shares: Mapping[str, float] | None = None
    minutes: tuple[float, float, float] | None = None


PUBLISHED = {
    # "Prediction clips" in the paper; that these are the recognition's is the only reading left.
    "adoption_recognition": Published(692, {"reject": 13.0}, (8.8, 11.7, 72.0)),
    "adoption_forecast": Published(
        692, {"adopt": 65.9, "modify": 19.1, "reject": 15.0}, (14.0, 13.7, 73.0)
    ),
    "step_n": Published(342),  # 114 targets with 1, 2 and 3 steps of context
    "workflow_level": Published(114),
    "collab_rating": Published(shares={"1-3": 15.3, "4": 29.7, "5": 54.9}),
    "output_quality": Published(shares={"4": 31.0, "5": 53.5}),
    "sessions": Published(100),
    "surveys": Published(50),
}


@dataclass(frozen=True)
class ConfigStatistics:
    """Counts of one config.

    Attributes:
        num_rows: Rows.
        num_sessions: Sessions that have a row; None in `surveys`.
        num_participants: Participants who have a row.
        num_with_video: Rows that have a recording; None in `surveys`.
        num_with_chat: Rows that have a turn of the chat; None in `surveys`.
        answers: Rows of each label or rating, those without any row too; empty without answers.
        minutes: The length of each row's clip.
    """

    num_rows: int
    num_sessions: int | None
    num_participants: int
    num_with_video: int | None
    num_with_chat: int | None
    answers: Mapping[str, int]
    minutes: Sequence[float]

    @property
    def hours(self) -> float:
        """All clips together; what several rows show counts each time."""
        return sum(self.minutes) / 60

    @property
    def mean_minutes(self) -> float | None:
        """Mean length of a clip; None without rows."""
        return statistics.fmean(self.minutes) if self.minutes else None

    @property
    def sd_minutes(self) -> float | None:
        """Standard deviation of the lengths, with n - 1; None with fewer than two rows."""
        return statistics.stdev(self.minutes) if len(self.minutes) > 1 else None

    @property
    def max_minutes(self) -> float | None:
        """The longest clip; None without rows."""
        return max(self.minutes, default=None)

    def share(self, answer: str) -> float | None:
        """Percent of the rows with this label or rating, or a range of ratings such as `1-3`."""
        total = sum(self.answers.values())
        first, _, last = answer.partition("-")
        among = [str(n) for n in range(int(first), int(last) + 1)] if last else [answer]
        return 100 * sum(self.answers[name] for name in among) / total if total else None


def read_statistics(folder: Path, configs: Iterable[str]) -> dict[str, ConfigStatistics]:
    """Count the rows of these configs in an export's files."""
    return {config: _read_config(folder / data_file(config), config) for config in configs}


def _read_config(path: Path, config: str) -> ConfigStatistics:
    wanted = ["session_id", "participant_id", "has_video", "has_chat", "label", "rating"]
    wanted.append("video_intervals" if config == "sessions" else "video")
    names = [name for name in wanted if name in pq.read_schema(path).names]
    columns: dict[str, list[Any]] = pq.read_table(path, columns=names).to_pydict()
    sessions = columns.get("session_id")
    return ConfigStatistics(
        num_rows=len(columns["participant_id"]),
        num_sessions=None if sessions is None else len(set(sessions)),
        num_participants=len(set(columns["participant_id"])),
        num_with_video=None if sessions is None else sum(columns["has_video"]),
        num_with_chat=None if sessions is None else sum(columns["has_chat"]),
        answers=_count_answers(columns) if config in EXPERIMENTS else {},
        minutes=_read_minutes(columns),
    )


def _count_answers(columns: Mapping[str, list[Any]]) -> dict[str, int]:
    if "label" in columns:
        counts = Counter(LABELS[code] for code in columns["label"])
        return {label: counts[label] for label in LABELS}
    ratings = Counter(str(rating) for rating in columns["rating"])
    return {str(rating): ratings[str(rating)] for rating in range(1, 6)}


def _read_minutes(columns: Mapping[str, list[Any]]) -> tuple[float, ...]:
    windows = columns.get("video_intervals")
    if windows is None:
        windows = [cell["intervals"] for cell in columns.get("video", [])]
    return tuple(sum(part["end"] - part["start"] for part in window) / 60 for window in windows)
