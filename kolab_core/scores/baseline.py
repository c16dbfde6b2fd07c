"""What answering always the same scores: the majority class, the mode rating."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kolab_core.scores.kinds import find_task
from kolab_core.scores.scoring import score_task
from kolab_core.scores.tasks import Task, listed
from kolab_core.scores.text import text_column

__all__ = ["baseline_scores"]


def baseline_scores(
    references: object,
    *,
    training: object | None = None,
    kind: str | None = None,
    confidence: float | None = None,
    groups: object | None = None,
    method: str = "expanded",
    rounds: int = 10_000,
    rng: np.random.Generator | int | None = None,
    runs: object | None = None,
    ddof: int = 1,
) -> dict[str, Any]:
    """Score the constant answer: the most frequent label, or the most frequent rating.

    Args:
        references: One true label or rating a row.
        training: True values (as many as you like) to find the most frequent one in; None takes
            the references themselves.
        kind: `adoption` or `rating`, or a config's name; None looks at the references, which can be
            either only if they hold nothing but 1 and 2.
        confidence: The share of the intervals, like 0.95; None for none. The answer stays the same
            in every round.
        groups: One participant id a row; whole participants are resampled. None resamples rows.
        method: `expanded`, `percentile` or `bca`.
        rounds: Bootstrap rounds.
        rng: A generator, or a seed for one; None is seed 0.
        runs: One run id a row, if the references are repeated for each run of a model.
        ddof: What is taken off the number of runs in the standard deviation's divisor.

    Returns:
        `majority_class` (a label) or `mode_rating` (an integer), and everything that
        `adoption_scores` or `rating_scores` gives for that answer. Of values that are equally
        frequent the lower one (adopt, modify, reject in this order) is taken, and `notes` says so.
        Spearman's rho of a constant is NaN.

    Raises:
        ValueError: No row, a reference or training value that is none (the row is named), values
            that may be labels or ratings, or an option out of its range.
        TypeError: An input is no column, or `rng` no generator.

    Examples:
        >>> result = baseline_scores(["adopt", "adopt", "reject"])
        >>> result["majority_class"], result["f1_adopt"]
        ('adopt', 0.8)
        >>> baseline_scores([5, 4, 4, 5])["notes"][0]
        '4 and 5 are equally frequent (2 of 4 each): the lower, 4, is taken.'
    """
    truth = text_column("references", references)
    if not truth:
        raise ValueError("references: found 0 rows; expected at least 1.")
    task = find_task(kind, truth)
    answer, note = _most_frequent(task, truth, training)
    result = score_task(
        task,
        [str(answer)] * len(truth),
        truth,
        confidence=confidence,
        groups=groups,
        method=method,
        rounds=rounds,
        rng=rng,
        runs=runs,
        ddof=ddof,
    )
    name = "majority_class" if task.kind == "adoption" else "mode_rating"
    result["notes"] = note + result["notes"]
    return {name: answer, **result}


def _most_frequent(
    task: Task, truth: list[str], training: object | None
) -> tuple[str | int, list[str]]:
    """The most frequent value, and a note if others are as frequent."""
    codes = task.read_references(truth)
    if training is not None:
        codes = _read_training(task, training)
    counts = np.bincount(codes, minlength=len(task.values))
    most = int(np.max(counts))
    winners = [task.values[code] for code in np.flatnonzero(counts == most)]
    if len(winners) == 1:
        return winners[0], []
    note = (
        f"{listed(winners)} are equally frequent ({most} of {len(codes)} each): "
        f"the lower, {winners[0]}, is taken."
    )
    return winners[0], [note]


def _read_training(task: Task, training: object) -> NDArray[np.intp]:
    texts = text_column("training", training)
    if not texts:
        raise ValueError("training: found 0 values; expected at least 1.")
    try:
        return task.read_references(texts)
    except ValueError as err:
        raise ValueError(str(err).replace("references[", "training[", 1)) from err
