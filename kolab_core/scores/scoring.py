"""Rows to a result: what every score shares, whatever its task."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kolab_core.scores.bootstrap import Clusters, Resampling, cluster_counts, cluster_intervals
from kolab_core.scores.runs import summarise_runs
from kolab_core.scores.tasks import Task, read_groups, read_rows

__all__ = ["UNGROUPED_NOTE", "participant_counts", "score_task"]

UNGROUPED_NOTE = (
    "no groups given: rows are resampled one by one, as if each were of another participant."
)


def score_task(
    task: Task,
    predictions: object,
    references: object,
    *,
    invalid: str = "wrong",
    round: bool = False,
    confidence: float | None = None,
    groups: object | None = None,
    method: str = "expanded",
    rounds: int = 10_000,
    rng: np.random.Generator | int | None = None,
    runs: object | None = None,
    ddof: int = 1,
) -> dict[str, Any]:
    """Score one set of predictions; see `adoption_scores` and `rating_scores` for what it gives.

    Args:
        task: What the rows hold.
        predictions: One answer a row.
        references: One true value a row.
        invalid: `wrong`, `drop` or `error`.
        round: Whether fractional ratings are rounded.
        confidence: The share of the intervals; None for none.
        groups: One participant id a row; None makes each row its own.
        method: `expanded`, `percentile` or `bca`.
        rounds: Bootstrap rounds.
        rng: A generator, a seed, or None for seed 0.
        runs: One run id a row; None for a single run.
        ddof: For the standard deviation over runs.

    Raises:
        ValueError: Something is out of its range or does not fit the rest; the message says what.
        TypeError: Something is of the wrong type.
    """
    resampling = Resampling(confidence=confidence, method=method, rounds=rounds, rng=rng)
    rows = read_rows(task, {"predictions": predictions}, references, invalid=invalid, round=round)
    run_of = read_groups("runs", runs, num_rows=rows.num_given)
    group_of = rows.pick(read_groups("groups", groups, num_rows=rows.num_given))
    names = sorted(set(run_of)) if run_of else [""]
    run_index = {name: index for index, name in enumerate(names)}
    run_codes = np.array([run_index[name] for name in run_of or [""] * rows.num_given])
    shape = (len(names), *rows.table_shape)
    cells = np.ravel_multi_index(
        (run_codes[rows.kept], rows.references, rows.predictions[0]), shape
    )
    counts = np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape).astype(np.float64)
    wrong = np.bincount(run_codes[rows.wrong[0]], minlength=len(names))
    results = [
        _score_counts(task, table, num_invalid=int(num))
        for table, num in zip(counts, wrong, strict=True)
    ]
    result = summarise_runs(results, names=names, ddof=ddof) if run_of else results[0]
    if group_of is not None:
        result["n_groups"] = len(set(group_of))
    if confidence is not None:
        clusters = cluster_counts(cells, num_cells=int(np.prod(shape)), groups=group_of)
        _add_intervals(task, result, counts=counts, clusters=clusters, resampling=resampling)
        if group_of is None:
            result["notes"].append(UNGROUPED_NOTE)
    result["notes"] = result.pop("notes") + rows.notes
    return result


def participant_counts(
    task: Task,
    predictions: object,
    references: object,
    *,
    groups: object,
    runs: object | None = None,
    invalid: str = "wrong",
    round: bool = False,
) -> tuple[list[str], NDArray[np.intp]]:
    """What every score of the rows is a function of.

    Args:
        task: What the rows hold.
        predictions: One answer a row.
        references: One true value a row.
        groups: One participant id a row.
        runs: One run id a row; None for a single run.
        invalid: `wrong`, `drop` or `error`.
        round: Whether fractional ratings are rounded.

    Returns:
        The participants, sorted, and how often each combination of true and predicted value occurs
        in each run: shape [participants, runs, true, predicted].

    Raises:
        ValueError: As `score_task`.
        TypeError: As `score_task`.
    """
    rows = read_rows(task, {"predictions": predictions}, references, invalid=invalid, round=round)
    people = rows.pick(read_groups("groups", groups, num_rows=rows.num_given)) or []
    run_of = rows.pick(read_groups("runs", runs, num_rows=rows.num_given)) or [""] * len(people)
    names, person = np.unique(people, return_inverse=True)
    run_names, run = np.unique(run_of, return_inverse=True)
    shape = (len(names), len(run_names), *rows.table_shape)
    cells = np.ravel_multi_index((person, run, rows.references, rows.predictions[0]), shape)
    return names.tolist(), np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape)


def _score_counts(task: Task, counts: NDArray[np.float64], *, num_invalid: int) -> dict[str, Any]:
    """The result of one run."""
    scores = {name: float(value) for name, value in task.scores(counts).items()}
    num_rows = int(counts.sum())
    result: dict[str, Any] = scores | task.report(counts)
    notes = result.pop("notes")
    if not num_rows:
        # Zero is scikit-learn's word for a class without rows; of nothing at all there is no score.
        result |= dict.fromkeys(scores, float("nan"))
        notes = ["no row is left: every prediction is invalid and was dropped."]
    return result | {"n": num_rows, "n_invalid": num_invalid, "notes": notes}


def _add_intervals(
    task: Task,
    result: dict[str, Any],
    *,
    counts: NDArray[np.float64],
    clusters: Clusters,
    resampling: Resampling,
) -> None:
    def statistic(flat: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        scores = task.scores(flat.reshape(-1, *counts.shape))
        return {name: values.mean(axis=1) for name, values in scores.items()}

    reason = task.why_no_interval(counts.sum(axis=0))
    if reason or not counts.any():
        names = statistic(counts.reshape(1, -1))
        result |= {f"{name}_{end}": float("nan") for name in names for end in ("low", "high")}
        result["notes"] += [reason] if reason and counts.any() else []
        return
    intervals = cluster_intervals(statistic, clusters, resampling=resampling)
    for name in intervals.low:
        result[f"{name}_low"] = intervals.low[name]
        result[f"{name}_high"] = intervals.high[name]
    result["notes"].extend(intervals.notes)
