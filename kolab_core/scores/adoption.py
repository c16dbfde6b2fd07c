"""Adopt, modify or reject: precision, recall and F1 of three classes, and where answers went."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kolab_core.scores.extra import divide, label_extras, read_cost, with_scores
from kolab_core.scores.parsing import LABELS, read_label_predictions, read_label_references
from kolab_core.scores.scoring import score_task
from kolab_core.scores.tasks import Task, listed

__all__ = ["ADOPTION", "adoption_from_counts", "adoption_scores"]


def adoption_scores(
    predictions: object,
    references: object,
    *,
    invalid: str = "wrong",
    confidence: float | None = None,
    groups: object | None = None,
    method: str = "expanded",
    rounds: int = 10_000,
    rng: np.random.Generator | int | None = None,
    runs: object | None = None,
    ddof: int = 1,
    extra: bool = False,
    cost: ArrayLike | None = None,
) -> dict[str, Any]:
    """Score adoption answers: precision, recall and F1 over three fixed classes.

    Args:
        predictions: One answer a row, as a model writes it (`ADOPT`, `Modify.`, `REJECT/BYPASS`, a
            sentence with one label in it) or a class id; see `parse_label`.
        references: One true label a row: a name, or 0, 1 or 2.
        invalid: What an answer that names no label, or two, is: `wrong` (counted in recall and
            accuracy, in no class's predictions), `drop` (the row is left out) or `error`.
        confidence: The share of the intervals, like 0.95; None for none.
        groups: One participant id a row; whole participants are resampled. None resamples rows.
        method: `expanded`, `percentile` or `bca`.
        rounds: Bootstrap rounds.
        rng: A generator, or a seed for one; None is seed 0.
        runs: One run id a row; scores are means over runs, and `<score>_std` is beside each.
        ddof: What is taken off the number of runs in the standard deviation's divisor.
        extra: Whether to add what the paper does not print: `balanced_accuracy` in [0, 1] and
            `matthews_correlation` in [-1, 1].
        cost: What an answer costs, true by predicted, shape [3, 3], or [3, 4] with an invalid one
            last; adds `mean_cost`. Without a fourth column an invalid answer costs its row's most.

    Returns:
        Builtin numbers by name: `macro_precision`, `macro_recall`, `macro_f1`, `accuracy`, for each
        class `f1_<class>`, `precision_<class>`, `recall_<class>` and `support_<class>`,
        `share_<predicted>_given_<true>` (the paper's Figure 7; among all rows of the true class),
        all in [0, 1] but the supports; `confusion_matrix` (rows true, columns predicted; with
        `wrong` a fourth column holds the invalid ones); `n` rows scored, `n_invalid`, `notes`.
        With `confidence` also `<score>_low` and `<score>_high`; with `groups` `n_groups`; with
        `runs` `n_runs`.

        An undefined precision, recall or F1 is 0, as scikit-learn's `zero_division=0`; the shares
        of a class without rows are NaN. Intervals are NaN, with a note, if there is one group only
        or the references hold one class only.

    Raises:
        ValueError: No row, lengths that differ, a reference that is no label (the row is named), an
            invalid answer with `error`, or an option out of its range.
        TypeError: An input is no column, or `rng` no generator.

    Examples:
        >>> result = adoption_scores(["ADOPT", "Modify.", "either"], ["adopt", "reject", "reject"])
        >>> result["f1_adopt"], result["recall_reject"], result["n_invalid"]
        (1.0, 0.0, 1)
        >>> result["confusion_matrix"]
        [[1, 0, 0, 0], [0, 0, 0, 0], [0, 1, 0, 1]]
    """
    task = with_scores(ADOPTION, label_extras) if extra else ADOPTION
    return score_task(
        task if cost is None else with_scores(task, read_cost(cost)),
        predictions,
        references,
        invalid=invalid,
        confidence=confidence,
        groups=groups,
        method=method,
        rounds=rounds,
        rng=rng,
        runs=runs,
        ddof=ddof,
    )


def adoption_from_counts(counts: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """Every score of three-class counts.

    Args:
        counts: Shape [..., 3, 3], true by predicted; [..., 3, 4] if invalid answers are counted, in
            the last column.

    Returns:
        For each score an array of shape [...]. Precision, recall and F1 are 0 where undefined; the
        shares of a true class without rows, and the accuracy of no rows, are NaN.
    """
    support, predicted = counts.sum(axis=-1), counts[..., :3].sum(axis=-2)
    hits = np.diagonal(counts, axis1=-2, axis2=-1)
    precision = divide(hits, predicted, empty=0.0)
    recall = divide(hits, support, empty=0.0)
    f1 = divide(2 * hits, predicted + support, empty=0.0)
    scores = {
        "macro_precision": precision.mean(axis=-1),
        "macro_recall": recall.mean(axis=-1),
        "macro_f1": f1.mean(axis=-1),
        "accuracy": divide(hits.sum(axis=-1), support.sum(axis=-1), empty=np.nan),
    }
    for name, values in (("f1", f1), ("precision", precision), ("recall", recall)):
        scores |= {f"{name}_{label}": values[..., i] for i, label in enumerate(LABELS)}
    shares = divide(counts, support[..., None], empty=np.nan)
    given = (*LABELS, "invalid")[: counts.shape[-1]]
    for i, label in enumerate(LABELS):
        scores |= {f"share_{p}_given_{label}": shares[..., i, j] for j, p in enumerate(given)}
    return scores


def _report(counts: NDArray[np.float64]) -> dict[str, Any]:
    support = counts.sum(axis=-1)
    notes = []
    if absent := [label for label, rows in zip(LABELS, support, strict=True) if not rows]:
        notes.append(
            f"no reference is {listed(absent, last='or')}: "
            "recall and F1 there are 0, the shares given it nan."
        )
    return {
        "confusion_matrix": [[int(cell) for cell in row] for row in counts],
        **{f"support_{label}": int(rows) for label, rows in zip(LABELS, support, strict=True)},
        "notes": notes,
    }


def _why_no_interval(counts: NDArray[np.float64]) -> str | None:
    present = np.flatnonzero(counts.sum(axis=-1))
    if len(present) != 1:
        return None
    return f"the references hold one class only ({LABELS[present[0]]}): intervals are nan."


ADOPTION = Task(
    kind="adoption",
    values=LABELS,
    read_references=read_label_references,
    read_predictions=lambda texts, _: read_label_predictions(texts),
    answer_rule="an answer that names exactly one of adopt, modify and reject",
    scores=adoption_from_counts,
    report=_report,
    why_no_interval=_why_no_interval,
)
