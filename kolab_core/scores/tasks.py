"""A task is what can be scored: how its columns are read and what counts of them give."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from kolab_core.scores.text import as_text, check_whole, column_values, text_column

__all__ = ["INVALID_RULES", "Rows", "Task", "listed", "read_groups", "read_rows"]

INVALID_RULES = ("wrong", "drop", "error")


@dataclass(frozen=True)
class Task:
    """One kind of answer: three labels, or five ratings.

    Attributes:
        kind: `adoption` or `rating`.
        values: What a reference can be; a code is a position in it, and `len(values)` is the code
            of an invalid prediction.
        read_references: From texts to codes; raises ValueError for a row that holds none.
        read_predictions: From texts (and whether to round) to codes.
        answer_rule: What a valid prediction is, in words.
        scores: From counts of shape [..., true, predicted] to each score, shape [...]. The last
            axis has one column more than the true one if invalid predictions are counted.
        report: What a result holds besides the scores, from counts of one evaluation; its `notes`
            say which scores are NaN or 0 and why.
        why_no_interval: A sentence if no score of these counts can have an interval, else None.
    """

    kind: Literal["adoption", "rating"]
    values: tuple[str, ...] | tuple[int, ...]
    read_references: Callable[[Sequence[str]], NDArray[np.intp]]
    read_predictions: Callable[[Sequence[str], bool], NDArray[np.intp]]
    answer_rule: str
    scores: Callable[[NDArray[np.float64]], dict[str, NDArray[np.float64]]]
    report: Callable[[NDArray[np.float64]], dict[str, Any]]
    why_no_interval: Callable[[NDArray[np.float64]], str | None]


@dataclass(frozen=True)
class Rows:
    """Codes of the rows to score; with `drop`, those whose predictions are all valid.

    Attributes:
        references: One code a row.
        predictions: One array of codes for each set of predictions.
        wrong: For each set, which of the given rows have an invalid prediction.
        kept: Which of the given rows these are.
        table_shape: How many codes references and predictions have; those of predictions include
            the invalid one if invalid predictions are among the rows to score.
        notes: What to know of the invalid predictions.
    """

    references: NDArray[np.intp]
    predictions: tuple[NDArray[np.intp], ...]
    wrong: tuple[NDArray[np.bool_], ...]
    kept: NDArray[np.intp]
    table_shape: tuple[int, int]
    notes: list[str]

    @property
    def num_given(self) -> int:
        """How many rows there were before any was dropped."""
        return len(self.wrong[0])

    def pick(self, column: Sequence[str] | None) -> list[str] | None:
        """The values of a column for these rows."""
        return None if column is None else [column[row] for row in self.kept]


def read_rows(
    task: Task,
    predictions: dict[str, object],
    references: object,
    *,
    invalid: str = "wrong",
    round: bool = False,
) -> Rows:
    """Read and check predictions (one or more sets, by name) and references.

    Raises:
        ValueError: No row, columns of different length, a reference that is none, a fractional
            number as a rating without `round`, an invalid prediction with `invalid="error"`, or an
            unknown rule.
        TypeError: Something is no column.
    """
    if invalid not in INVALID_RULES:
        raise ValueError(f"invalid: found {invalid!r}; expected 'wrong', 'drop' or 'error'.")
    truth = text_column("references", references)
    given = {name: column_values(name, column) for name, column in predictions.items()}
    if task.kind == "rating" and not round:
        for name, values in given.items():
            check_whole(name, values)
    answers = {name: [as_text(value) for value in values] for name, values in given.items()}
    for name, texts in answers.items():
        if len(texts) != len(truth):
            raise ValueError(
                f"{name}: found {len(texts)} values; expected one for each of "
                f"{len(truth)} references."
            )
    if not truth:
        raise ValueError("references: found 0 rows; expected at least 1.")
    codes = task.read_references(truth)
    read = {name: task.read_predictions(texts, round) for name, texts in answers.items()}
    wrong = {name: values == len(task.values) for name, values in read.items()}
    if invalid == "error":
        _check_valid(task, answers, wrong)
    keep = np.ones(len(truth), dtype=bool)
    if invalid == "drop":
        keep = ~np.any(list(wrong.values()), axis=0)
    return Rows(
        references=codes[keep],
        predictions=tuple(values[keep] for values in read.values()),
        wrong=tuple(wrong.values()),
        kept=np.flatnonzero(keep),
        table_shape=(len(task.values), len(task.values) + (invalid == "wrong")),
        notes=[] if round else list(_note_fractions(task, answers, wrong)),
    )


def read_groups(name: str, column: object | None, *, num_rows: int) -> list[str] | None:
    """A column that holds one id a row (a participant, a run), as texts; None stays None.

    Raises:
        ValueError: Not one a row, or a row without an id.
        TypeError: Not a column.
    """
    if column is None:
        return None
    ids = text_column(name, column)
    if len(ids) != num_rows:
        raise ValueError(
            f"{name}: found {len(ids)} values; expected one for each of {num_rows} rows."
        )
    for row, text in enumerate(ids):
        if text in ("", "nan", "<NA>"):
            raise ValueError(f"{name}[{row}]: found no id; expected one in each row.")
    return ids


def _note_fractions(
    task: Task, answers: dict[str, list[str]], wrong: dict[str, NDArray[np.bool_]]
) -> Iterator[str]:
    for name, texts in answers.items():
        refused = [texts[row] for row in np.flatnonzero(wrong[name])]
        rounded = task.read_predictions(refused, True)
        if number := int((rounded < len(task.values)).sum()):
            yield f"{name}: {number} invalid for a fraction; round=True rounds it."


def _check_valid(
    task: Task, answers: dict[str, list[str]], wrong: dict[str, NDArray[np.bool_]]
) -> None:
    for name, rows in wrong.items():
        for row in np.flatnonzero(rows)[:1]:
            text = answers[name][row]
            raise ValueError(
                f"{name}[{row}]: found {text[:80]!r}; expected {task.answer_rule} "
                f"({rows.sum()} such rows). invalid='wrong' or 'drop' scores the others."
            )


def listed(values: Iterable[object], *, last: str = "and") -> str:
    """Values as people list them: `a, b and c`."""
    *head, tail = [str(value) for value in values]
    return f"{', '.join(head)} {last} {tail}" if head else tail
