"""Two sets of answers to the same questions: is the change in their scores real?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from kolab_core.scores.bootstrap import (
    Clusters,
    Resampling,
    Statistic,
    cluster_counts,
    cluster_intervals,
    make_generator,
)
from kolab_core.scores.kinds import find_task
from kolab_core.scores.permutation import TOLERANCE, swap_p
from kolab_core.scores.scoring import UNGROUPED_NOTE
from kolab_core.scores.tasks import Task, listed, read_groups, read_rows
from kolab_core.scores.text import text_column

__all__ = ["DEFAULT_SCORES", "POWER", "compare_predictions"]

Counts = NDArray[np.float64]

POWER = 0.8
DEFAULT_SCORES = {"adoption": ("macro_f1",), "rating": ("mae", "spearman_rho")}


def compare_predictions(
    predictions1: object,
    predictions2: object,
    references: object,
    *,
    kind: str | None = None,
    scores: Sequence[str] | None = None,
    invalid: str = "wrong",
    round: bool = False,
    confidence: float = 0.95,
    groups: object | None = None,
    method: str = "expanded",
    rounds: int = 10_000,
    rng: np.random.Generator | int | None = None,
    runs: object | None = None,
) -> dict[str, Any]:
    """Compare two sets of predictions for the same rows, resampling participants.

    The permutation test swaps the two predictions in all rows of a participant, for a random half
    of the participants a round, or for every subset of them if there are no more subsets than
    `rounds`; p is the share of changes at least as large as the observed one either way (with the
    observed one counted in, where subsets are drawn). The bootstrap draws whole participants with
    replacement; its p is twice the smaller share of rounds on either side of no change.

    Args:
        predictions1: One answer a row: the first model, or the smaller context.
        predictions2: One answer a row: the second.
        references: One true label or rating a row.
        kind: `adoption` or `rating`, or a config's name; None looks at the references.
        scores: Which scores to compare, any that `adoption_scores` or `rating_scores` gives; by
            default `macro_f1`, or `mae` and `spearman_rho`.
        invalid: `wrong`, `drop` (rows in which either answer is invalid) or `error`.
        round: Whether fractional ratings are rounded; else they raise.
        confidence: The share of the intervals.
        groups: One participant id a row. None makes each row its own, with a note.
        method: `expanded`, `percentile` or `bca`, for the interval.
        rounds: Rounds of each of the two.
        rng: A generator, or a seed for one; None is seed 0.
        runs: One run id a row; then a score is the mean over the runs.

    Returns:
        For each score `<score>_1`, `<score>_2`, `<score>_change` (second minus first),
        `<score>_change_low`, `<score>_change_high`, `<score>_permutation_p`,
        `<score>_bootstrap_p` and `<score>_detectable`, the true change that rows like these would
        show with a chance of 0.8 at the level of the intervals; `n` rows, `n_invalid_1`,
        `n_invalid_2`, with `groups` `n_groups`, and `notes`. With one group only, all that is
        resampled is NaN, with a note; with references of one class only, all but the permutation p.

    Raises:
        ValueError: No row, lengths that differ, a value that is none (the row is named), an unknown
            score, or an option out of its range.
        TypeError: An input is no column, or `rng` no generator.

    Examples:
        >>> result = compare_predictions(
        ...     ["adopt", "adopt", "modify"], ["adopt", "reject", "modify"],
        ...     ["adopt", "reject", "modify"], groups=["P01", "P02", "P03"])
        >>> result["macro_f1_2"], result["macro_f1_permutation_p"]
        (1.0, 1.0)
    """
    if confidence is None:
        raise ValueError("confidence: found None; expected a number between 0 and 1, like 0.95.")
    resampling = Resampling(confidence=confidence, method=method, rounds=rounds, rng=rng)
    truth = text_column("references", references)
    if not truth:
        raise ValueError("references: found 0 rows; expected at least 1.")
    task = find_task(kind, truth)
    rows = read_rows(
        task,
        {"predictions1": predictions1, "predictions2": predictions2},
        truth,
        invalid=invalid,
        round=round,
    )
    names = _check_scores(task, scores, rows.table_shape)
    group_of = rows.pick(read_groups("groups", groups, num_rows=rows.num_given))
    run_of = rows.pick(read_groups("runs", runs, num_rows=rows.num_given)) or [""] * len(rows.kept)
    run_index = {name: index for index, name in enumerate(sorted(set(run_of)))}
    run_codes = np.array([run_index[name] for name in run_of], dtype=np.intp)
    true, predicted = rows.table_shape
    shape = (max(1, len(run_index)), true, predicted, predicted)
    cells = np.ravel_multi_index((run_codes, rows.references, *rows.predictions), shape)
    clusters = cluster_counts(cells, num_cells=int(np.prod(shape)), groups=group_of)
    result, notes = _compare(task, clusters, shape=shape, names=names, resampling=resampling)
    if not len(rows.kept):
        # Zero is a score of rows without a hit; of nothing at all there is no score.
        result = dict.fromkeys(result, float("nan"))
        notes = ["no row is left: each has an invalid prediction and was dropped."]
    elif group_of is None:
        notes.append(UNGROUPED_NOTE)
    result["n"] = len(rows.kept)
    result["n_invalid_1"], result["n_invalid_2"] = (int(wrong.sum()) for wrong in rows.wrong)
    if group_of is not None:
        result["n_groups"] = clusters.num_clusters
    return result | {"notes": notes + rows.notes}


def _check_scores(
    task: Task, scores: Sequence[str] | None, table_shape: tuple[int, int]
) -> tuple[str, ...]:
    known = task.scores(np.zeros(table_shape))
    names = DEFAULT_SCORES[task.kind] if scores is None else scores
    names = (names,) if isinstance(names, str) else tuple(names)
    if unknown := [name for name in names if name not in known]:
        raise ValueError(f"scores: found {unknown[0]!r}; expected some of {', '.join(known)}.")
    return names


def _compare(
    task: Task,
    clusters: Clusters,
    *,
    shape: tuple[int, ...],
    names: tuple[str, ...],
    resampling: Resampling,
) -> tuple[dict[str, Any], list[str]]:
    """Both scores, the change, its interval and both p values; and notes.

    Args:
        task: What the rows hold.
        clusters: Counts of participants over (run, true, first prediction, second prediction).
        shape: Of one cluster's counts.
        names: The scores to compare.
        resampling: How.
    """

    def sides(flat: Counts) -> tuple[dict[str, Counts], dict[str, Counts]]:
        counts = flat.reshape(-1, *shape)
        return (
            _mean_scores(task, counts.sum(axis=4), names),
            _mean_scores(task, counts.sum(axis=3), names),
        )

    def change(flat: Counts) -> dict[str, Counts]:
        first, second = sides(flat)
        return {name: second[name] - first[name] for name in names}

    first, second = sides(clusters.total[None])
    result: dict[str, Any] = {}
    for name in names:
        result |= {f"{name}_1": float(first[name][0]), f"{name}_2": float(second[name][0])}
        result[f"{name}_change"] = float(second[name][0] - first[name][0])
    tests, notes = _test_change(change, clusters, shape=shape, resampling=resampling)
    if clusters.num_clusters < 2:
        notes = ["one group only: intervals and p values are nan."]
    true_counts = clusters.total.reshape(shape).sum(axis=(0, 3))
    if clusters.num_clusters > 1 and (reason := task.why_no_interval(true_counts)):
        notes = [reason]
        tests |= {key: float("nan") for key in tests if not key.endswith("_permutation_p")}
    if undefined := [name for name in names if np.isnan(result[f"{name}_change"])]:
        notes.insert(0, f"{listed(undefined)}: undefined on a side, so is the change.")
    return result | tests, notes


def _test_change(
    change: Statistic, clusters: Clusters, *, shape: tuple[int, ...], resampling: Resampling
) -> tuple[dict[str, float], list[str]]:
    """Interval and p values of each change, by key; and notes."""
    rng = make_generator(resampling.rng)
    intervals = cluster_intervals(change, clusters, resampling=replace(resampling, rng=rng))
    swapped = clusters.counts.reshape(-1, *shape).swapaxes(3, 4).reshape(clusters.counts.shape)
    permutation = swap_p(change, clusters, swapped, rounds=int(resampling.rounds), rng=rng)
    tests: dict[str, float] = {}
    for name in intervals.low:
        tests[f"{name}_change_low"] = intervals.low[name]
        tests[f"{name}_change_high"] = intervals.high[name]
        tests[f"{name}_permutation_p"] = permutation[name]
        drawn = intervals.drawn.get(name)
        tests[f"{name}_bootstrap_p"] = _bootstrap_p(drawn)
        tests[f"{name}_detectable"] = _detectable(
            drawn, num_clusters=clusters.num_clusters, level=float(resampling.confidence or 0.95)
        )
    return tests, intervals.notes


def _bootstrap_p(drawn: Counts | None) -> float:
    """Twice the smaller share of rounds on either side of no change, at most 1."""
    if drawn is None or np.isnan(drawn).all():
        return float("nan")
    defined = drawn[~np.isnan(drawn)]
    smaller = min((defined <= TOLERANCE).sum(), (defined >= -TOLERANCE).sum())
    return float(min(1.0, 2 * (1 + smaller) / (1 + len(defined))))


def _detectable(drawn: Counts | None, *, num_clusters: int, level: float) -> float:
    """The change that would be found with a chance of `POWER`: a t test's, of the drawn spread."""
    if drawn is None or np.isnan(drawn).all():
        return float("nan")
    error = np.nanstd(drawn) * np.sqrt(num_clusters / (num_clusters - 1))
    steps = stdtrit(num_clusters - 1, [(1 + level) / 2, POWER])
    return float(error * steps.sum())


def _mean_scores(
    task: Task, counts: Counts, names: tuple[str, ...]
) -> dict[str, NDArray[np.float64]]:
    """Scores of counts of shape [rounds, runs, true, predicted], as means over the runs."""
    scores = task.scores(counts)
    return {name: scores[name].mean(axis=1) for name in names}
