"""Predictions meet the rows they answer: by id, run and setting; and what does not fit is named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kolab_core.release import Release
from kolab_core.scorecard.predictions import MODALITY_SETTINGS, Prediction, needed_inputs

__all__ = ["Column", "Joined", "Target", "join_predictions", "read_targets"]


@dataclass(frozen=True)
class Target:
    """A row of an experiment, as far as scoring needs it.

    Attributes:
        id: The row's id.
        answer: The true class id (0 adopt, 1 modify, 2 reject) or rating.
        participant_id: Whom the intervals resample.
        has_video: Whether there is a recording to show.
        has_chat: Whether there is a chat to show.
        context_steps: In `step_n` the number of preceding steps; else None.
    """

    id: str
    answer: int
    participant_id: str
    has_video: bool
    has_chat: bool
    context_steps: int | None

    @property
    def question(self) -> str:
        """The id without the context that was shown: the same for the three rows of a target."""
        return self.id.removesuffix(f"/context-{self.context_steps}")

    def has_inputs(self, modalities: str | None) -> bool:
        """Whether a setting can be shown this row at all (a graph is always there)."""
        there = {"video": self.has_video, "graph": True, "chat": self.has_chat}
        return all(there[name] for name in needed_inputs(modalities))


@dataclass(frozen=True)
class Column:
    """One setting of a table: what the model saw, and in `step_n` how much of it.

    Attributes:
        modalities: One of `MODALITY_SETTINGS`; None where the predictions do not say.
        context_steps: 1, 2 or 3 in `step_n`, else None.
    """

    modalities: str | None
    context_steps: int | None

    @property
    def label(self) -> str:
        """The column's head."""
        name = self.modalities or "all rows"
        if self.context_steps is None:
            return name
        return f"{name}, {self.context_steps} step{'s' if self.context_steps > 1 else ''}"

    @property
    def order(self) -> tuple[int, int]:
        """Where the column stands: as in the paper's tables, one without a setting first."""
        settings = [None, *MODALITY_SETTINGS]
        return settings.index(self.modalities), self.context_steps or 0

    def rows_of(self, targets: Iterable[Target]) -> list[Target]:
        """The rows that this setting can be asked."""
        return [
            target
            for target in targets
            if target.context_steps == self.context_steps and target.has_inputs(self.modalities)
        ]


@dataclass(frozen=True)
class Joined:
    """One file's predictions by column and run, and what does not fit.

    Attributes:
        answers: Column → run → row id → answer. Only rows that the column has.
        missing: Column → run → the column's rows without an answer, in their order.
        unknown: Ids that the config does not have → on how many lines.
        duplicates: `<id>` of a row answered again in the same run and setting → how often more
            (the first answer counts).
        unavailable: Column → ids of rows answered though they lack an input of the setting.
    """

    answers: Mapping[Column, Mapping[int, Mapping[str, object]]]
    missing: Mapping[Column, Mapping[int, tuple[str, ...]]]
    unknown: Mapping[str, int]
    duplicates: Mapping[str, int]
    unavailable: Mapping[Column, tuple[str, ...]]


def read_targets(release: Release, config: str) -> list[Target]:
    """A target for each row of an experiment, in order.

    Raises:
        ReleaseError: A session has errors.
    """
    from kolab_core.rows.experiments import session_rows

    targets = []
    for session_id in release.session_ids:
        for row in session_rows(release, session_id, config):
            answer = row["rating"] if "rating" in row else row["label"]
            targets.append(
                Target(
                    id=row["id"],
                    answer=answer,
                    participant_id=row["participant_id"],
                    has_video=row["has_video"],
                    has_chat=row["has_chat"],
                    context_steps=row.get("context_steps"),
                )
            )
    return targets


def join_predictions(predictions: Sequence[Prediction], targets: Sequence[Target]) -> Joined:
    """One file's predictions by column and run, and the ids that do not fit the config's rows."""
    known = {target.id: target for target in targets}
    answers: dict[Column, dict[int, dict[str, object]]] = {}
    unknown: Counter[str] = Counter()
    duplicates: Counter[str] = Counter()
    unavailable: dict[Column, dict[str, None]] = {}
    for line in predictions:
        target = known.get(line.id)
        if target is None:
            unknown[line.id] += 1
            continue
        column = Column(line.modalities, target.context_steps)
        runs = answers.setdefault(column, {})
        if not target.has_inputs(line.modalities):
            unavailable.setdefault(column, {})[line.id] = None
            continue
        given = runs.setdefault(line.run, {})
        if line.id in given:
            duplicates[line.id] += 1
        else:
            given[line.id] = line.answer
    ordered = sorted(answers, key=lambda column: column.order)
    missing = {}
    for column in ordered:
        rows = column.rows_of(targets)
        missing[column] = {
            run: tuple(target.id for target in rows if target.id not in given)
            for run, given in sorted(answers[column].items())
        }
    return Joined(
        answers={column: dict(sorted(answers[column].items())) for column in ordered},
        missing=missing,
        unknown=unknown,
        duplicates=duplicates,
        unavailable={column: tuple(ids) for column, ids in unavailable.items()},
    )
