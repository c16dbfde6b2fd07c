"""A model's answers beside the rows that they are for."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kolab_core.scorecard import Prediction, read_predictions
from kolab_core.scores.kinds import parse

__all__ = ["Answers", "match_answers"]


@dataclass(frozen=True)
class Answers:
    """The answers of one file.

    Attributes:
        config: The experiment that they are for.
        lines: By row id, in the order of the file.
        num_unknown: Lines whose id that experiment does not have.
    """

    config: str
    lines: Mapping[str, Sequence[Prediction]]
    num_unknown: int

    def of(self, row_id: str) -> list[dict[str, Any]]:
        """A row's answers: as written, as the scores read them (null: invalid), and their run."""
        return [
            {
                "text": "" if line.answer is None else str(line.answer),
                "read": parse(line.answer, self.config),
                "run": line.run,
                "modalities": line.modalities,
            }
            for line in self.lines.get(row_id, ())
        ]


def match_answers(path: str | Path, ids: Mapping[str, Collection[str]]) -> Answers:
    """Read a file of predictions and find the experiment that it answers.

    Args:
        path: As `kolab score` takes it.
        ids: The row ids of the experiments that come into question; of several that have equally
            many of the file's ids, the first is taken.

    Raises:
        PredictionsError: The file cannot be used.
    """
    predictions = read_predictions(path)
    known = {config: set(names) for config, names in ids.items()}
    counts = {
        config: sum(line.id in names for line in predictions) for config, names in known.items()
    }
    config = max(counts, key=lambda name: counts[name])
    lines: dict[str, list[Prediction]] = {}
    for line in predictions:
        if line.id in known[config]:
            lines.setdefault(line.id, []).append(line)
    return Answers(config, lines, len(predictions) - counts[config])
