"""How good the probabilities are that a model gives, or that its answers of several runs make."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kolab_core.scores.bootstrap import Clusters, Resampling, cluster_intervals
from kolab_core.scores.extra import divide
from kolab_core.scores.kinds import find_task
from kolab_core.scores.scoring import UNGROUPED_NOTE
from kolab_core.scores.tasks import Task, read_groups
from kolab_core.scores.text import as_text, column_values, text_column

__all__ = ["answer_shares", "probability_scores"]

_BINS = 10
_SUM_TOLERANCE = 1e-3
_SHOWN = 80


def probability_scores(
    probabilities: object,
    references: object,
    *,
    kind: str | None = None,
    confidence: float | None = None,
    groups: object | None = None,
    method: str = "expanded",
    rounds: int = 10_000,
    rng: np.random.Generator | int | None = None,
) -> dict[str, Any]:
    """Score probabilities of the three labels, or of the five ratings.

    Args:
        probabilities: One row of them a row: shape [n, 3] in the order adopt, modify, reject, or
            [n, 5] of the ratings 1 to 5; or a mapping from label or rating to probability, or its
            JSON. What a mapping leaves out has none. They sum to 1, to within 0.001.
        references: One true label or rating a row.
        kind: `adoption` or `rating`, or a config's name; None looks at the references.
        confidence: The share of the intervals, like 0.95; None for none.
        groups: One participant id a row; whole participants are resampled. None resamples rows.
        method: `expanded`, `percentile` or `bca`.
        rounds: Bootstrap rounds.
        rng: A generator, or a seed for one; None is seed 0.

    Returns:
        `log_loss` (natural; a probability of 0 counts as 2.2e-16, as scikit-learn's), `brier_score`
        in [0, 2] (summed over the values), `calibration_error` in [0, 1] (of the likeliest value,
        over ten equal bins; Guo et al. 2017, arXiv 1706.04599, equation 3); lower is better. `n`
        rows, with `groups` `n_groups`, with `confidence` `<score>_low` and `<score>_high`, `notes`.

    Raises:
        ValueError: No row, lengths that differ, a row that holds no probabilities (it is named).
        TypeError: An input is no column.

    Examples:
        >>> result = probability_scores([[0.8, 0.1, 0.1], {"modify": 1}], ["adopt", "modify"])
        >>> round(result["brier_score"], 3), round(result["calibration_error"], 3)
        (0.03, 0.1)
    """
    resampling = Resampling(confidence=confidence, method=method, rounds=rounds, rng=rng)
    truth = text_column("references", references)
    if not truth:
        raise ValueError("references: found 0 rows; expected at least 1.")
    task = find_task(kind, truth)
    true = task.read_references(truth)
    given = _read_probabilities(task, probabilities)
    if len(given) != len(true):
        raise ValueError(
            f"probabilities: found {len(given)} rows; expected one for each of {len(true)} "
            "references."
        )
    group_of = read_groups("groups", groups, num_rows=len(true))
    sums = _row_sums(given, true)
    point = {name: float(value[0]) for name, value in _from_sums(sums.sum(axis=0)[None]).items()}
    result: dict[str, Any] = point | {"n": len(true)}
    notes: list[str] = []
    if group_of is not None:
        result["n_groups"] = len(set(group_of))
    if confidence is not None:
        clusters = _cluster(sums, group_of)
        intervals = cluster_intervals(_from_sums, clusters, resampling=resampling)
        result |= {f"{name}_low": end for name, end in intervals.low.items()}
        result |= {f"{name}_high": end for name, end in intervals.high.items()}
        notes = intervals.notes + ([UNGROUPED_NOTE] if group_of is None else [])
    return result | {"notes": notes}


def answer_shares(
    answers: Mapping[Any, object], *, kind: str
) -> tuple[list[Any], NDArray[np.float64]]:
    """Probabilities from the answers of several runs or epochs: the share of each value.

    Args:
        answers: Instance id → its answers, as the model wrote them. Invalid ones are left out; an
            instance without a valid one gets equal shares.
        kind: `adoption` or `rating`, or a config's name.

    Returns:
        The ids, and the shares, shape [ids, 3] or [ids, 5], for `probability_scores`.

    Examples:
        >>> answer_shares({"a": ["ADOPT", "adopt", "MODIFY", "?"]}, kind="adoption")[1].round(3)
        array([[0.667, 0.333, 0.   ]])
    """
    task = find_task(kind, ())
    num = len(task.values)
    counts = np.zeros((len(answers), num))
    for row, (key, given) in enumerate(answers.items()):
        codes = task.read_predictions(text_column(str(key), given), False)
        counts[row] = np.bincount(codes[codes < num], minlength=num)
    counts[counts.sum(axis=1) == 0] = 1
    return list(answers), counts / counts.sum(axis=1, keepdims=True)


def _read_probabilities(task: Task, column: object) -> NDArray[np.float64]:
    """Shape [rows, values]."""
    rows = list(column) if getattr(column, "ndim", 1) == 2 else column_values("rows", column)  # type: ignore[call-overload]
    found = [_read_row(task, index, row) for index, row in enumerate(rows)]
    return np.array(found).reshape(-1, len(task.values))


def _read_row(task: Task, index: int, row: object) -> list[float]:
    expected = f"{len(task.values)} probabilities that sum to 1, of {_listed(task)}"
    problem = ValueError(
        f"probabilities[{index}]: found {as_text(row)!r:.{_SHOWN}}; expected {expected}."
    )
    if isinstance(row, str):
        try:
            row = json.loads(row)
        except (ValueError, RecursionError):
            raise problem from None
    try:
        if isinstance(row, Mapping):
            codes = task.read_references([str(key) for key in row])
            values = [0.0] * len(task.values)
            for code, value in zip(codes, row.values(), strict=True):
                values[code] += float(value)
        else:
            values = [float(value) for value in row]  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        raise problem from None
    total = sum(values)
    if len(values) != len(task.values) or not all(value >= 0 for value in values):
        raise problem
    if not abs(total - 1) <= _SUM_TOLERANCE:
        raise problem
    return [value / total for value in values]


def _listed(task: Task) -> str:
    return ", ".join(str(value) for value in task.values)


def _row_sums(given: NDArray[np.float64], true: NDArray[np.intp]) -> NDArray[np.float64]:
    """What the scores sum over the rows: log loss, squares; n, hits and confidence by bin."""
    rows = np.arange(len(true))
    least = np.finfo(np.float64).eps
    loss = -np.log(np.clip(given[rows, true], least, 1 - least))
    squares = ((given - np.eye(given.shape[1])[true]) ** 2).sum(axis=1)
    top = given.argmax(axis=1)
    confidence = given[rows, top]
    # Bins are closed above, as Guo's: a confidence of 0.3 is in the third.
    bins = np.clip(np.ceil(confidence * _BINS - 1e-9).astype(int) - 1, 0, _BINS - 1)
    by_bin = np.zeros((len(true), 3, _BINS))
    by_bin[rows, 0, bins] = 1
    by_bin[rows, 1, bins] = top == true
    by_bin[rows, 2, bins] = confidence
    return np.column_stack([loss, squares, by_bin.reshape(len(true), -1)])


def _from_sums(sums: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    num, hits, confidence = np.moveaxis(sums[:, 2:].reshape(-1, 3, _BINS), 1, 0)
    total = num.sum(axis=-1)
    return {
        "log_loss": divide(sums[:, 0], total, empty=np.nan),
        "brier_score": divide(sums[:, 1], total, empty=np.nan),
        "calibration_error": divide(np.abs(hits - confidence).sum(axis=-1), total, empty=np.nan),
    }


def _cluster(sums: NDArray[np.float64], groups: list[str] | None) -> Clusters:
    """The sums of each participant, added in an order of the rows' values, not of the input."""
    _, codes = np.unique(groups or np.arange(len(sums)), return_inverse=True)
    order = np.lexsort((*sums.T, codes))
    by_group = np.zeros((codes.max() + 1, sums.shape[1]))
    np.add.at(by_group, codes[order], sums[order])
    distinct, times = np.unique(by_group, axis=0, return_counts=True)
    sizes = distinct[:, 2 : 2 + _BINS].sum(axis=1)
    return Clusters(distinct, times.astype(np.int64), sizes)
