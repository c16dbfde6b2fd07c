"""Standard scores that the papers do not print, each as scikit-learn has it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kolab_core.scores.tasks import Task

__all__ = ["divide", "label_extras", "rating_extras", "read_cost", "weighted_kappa", "with_scores"]

Counts = NDArray[np.float64]
Scores = Callable[[Counts], dict[str, NDArray[np.float64]]]


def with_scores(task: Task, more: Scores) -> Task:
    """The task with further scores from the same counts; a note names those that are NaN."""

    def scores(counts: Counts) -> dict[str, NDArray[np.float64]]:
        return task.scores(counts) | more(counts)

    def report(counts: Counts) -> dict[str, Any]:
        result = task.report(counts)
        undefined = [name for name, value in more(counts).items() if np.isnan(value)]
        notes = [f"{name} is nan: all answers and references are the same." for name in undefined]
        return result | {"notes": result["notes"] + notes}

    return replace(task, scores=scores, report=report)


def label_extras(counts: Counts) -> dict[str, NDArray[np.float64]]:
    """Balanced accuracy, and Matthews' correlation of three classes (Gorodkin 2004).

    An invalid answer is a class of its own, which no row is truly of.

    Args:
        counts: Shape [..., 3, 3] or [..., 3, 4], true by predicted.
    """
    support, hits = counts.sum(axis=-1), np.diagonal(counts, axis1=-2, axis2=-1)
    predicted, total = counts.sum(axis=-2), counts.sum(axis=(-2, -1))
    present = support > 0
    recall = np.divide(hits, support, out=np.zeros_like(hits), where=present)
    covariance = hits.sum(axis=-1) * total - (support * predicted[..., :3]).sum(axis=-1)
    spread = (total**2 - (support**2).sum(axis=-1)) * (total**2 - (predicted**2).sum(axis=-1))
    return {
        "balanced_accuracy": divide(recall.sum(axis=-1), present.sum(axis=-1), empty=np.nan),
        "matthews_correlation": divide(covariance, np.sqrt(spread), empty=0.0),
    }


def rating_extras(counts: Counts) -> dict[str, NDArray[np.float64]]:
    """Cohen's kappa with quadratic weights, of the valid answers (Cohen 1968).

    Args:
        counts: Shape [..., 5, 5] or [..., 5, 6], true by predicted.
    """
    return {"quadratic_weighted_kappa": weighted_kappa(counts[..., :5], power=2)}


def weighted_kappa(counts: Counts, *, power: int) -> NDArray[np.float64]:
    """Cohen's kappa; NaN where both sides hold one value only.

    Args:
        counts: Shape [..., values, values].
        power: Of the distance of two values; 0 counts any difference as 1.
    """
    values = np.arange(counts.shape[-1])
    gap = np.abs(values[:, None] - values)
    weights = (gap > 0).astype(np.float64) if power == 0 else gap.astype(np.float64) ** power
    total = counts.sum(axis=(-2, -1))
    expected = counts.sum(axis=-1)[..., :, None] * counts.sum(axis=-2)[..., None, :]
    seen = (counts * weights).sum(axis=(-2, -1)) * total
    return 1 - divide(seen, (expected * weights).sum(axis=(-2, -1)), empty=np.nan)


def read_cost(cost: ArrayLike) -> Scores:
    """The mean cost of an answer, from a matrix of them.

    Args:
        cost: Shape [3, 3], true by predicted, in the order adopt, modify, reject; or [3, 4] with
            that of an invalid answer, which else is the largest of its row.

    Raises:
        ValueError: Another shape, or a cost that is no finite number.
    """
    try:
        matrix = np.asarray(cost, dtype=np.float64)
    except (TypeError, ValueError) as err:
        raise ValueError(f"cost: found {cost!r:.80}; expected a matrix of numbers.") from err
    if matrix.shape not in ((3, 3), (3, 4)):
        raise ValueError(f"cost: found shape {matrix.shape}; expected (3, 3) or (3, 4).")
    if not np.isfinite(matrix).all():
        raise ValueError("cost: found a cost that is not finite; expected numbers.")
    invalid = matrix[:, 3] if matrix.size > 9 else matrix.max(axis=1)
    full = np.column_stack([matrix[:, :3], invalid])

    def mean_cost(counts: Counts) -> dict[str, NDArray[np.float64]]:
        paid = (counts * full[:, : counts.shape[-1]]).sum(axis=(-2, -1))
        return {"mean_cost": divide(paid, counts.sum(axis=(-2, -1)), empty=np.nan)}

    return mean_cost


def divide(above: NDArray[Any], below: NDArray[Any], *, empty: float) -> NDArray[np.float64]:
    """The quotient; `empty` where the divisor is 0."""
    above, below = np.broadcast_arrays(above, below)
    result = np.full(above.shape, empty)
    np.divide(above, below, out=result, where=below > 0)
    return result
