"""Ratings from 1 to 5: error, agreement, rank correlation, and each band of true ratings."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from kolab_core.scores.extra import divide, rating_extras, with_scores
from kolab_core.scores.parsing import RATINGS, read_rating_predictions, read_rating_references
from kolab_core.scores.scoring import score_task
from kolab_core.scores.tasks import Task, listed

__all__ = ["BANDS", "RATING", "rating_from_counts", "rating_scores", "spearman_p"]

BANDS = {
    "mae_low_1_2": (1, 2),
    "mae_moderate_3": (3,),
    "mae_moderately_high_4": (4,),
    "mae_high_5": (5,),
}
_SCALE = np.array(RATINGS, dtype=np.float64)
# The largest error that each reference allows, which an invalid answer is scored with.
_LARGEST = np.maximum(_SCALE - 1, 5 - _SCALE)
_ERRORS = np.column_stack([np.abs(_SCALE[:, None] - _SCALE), _LARGEST])


def rating_scores(
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
    extra: bool = False,
) -> dict[str, Any]:
    """Score ratings: absolute error, agreement and Spearman's rho, whole and by true rating.

    Args:
        predictions: One answer a row: a number, or text with one in it; see `parse_rating`.
        references: One true rating a row, a whole number from 1 to 5.
        invalid: What an answer that gives no rating from 1 to 5 is: `wrong` (exact and within-1 are
            0, the error is the largest that the reference allows; rho and the mean predictions
            leave the row out), `drop` (the row is left out) or `error`.
        round: Whether fractional answers are rounded (a half to the even number); else a fraction
            in text is invalid, and a fractional number raises.
        confidence: The share of the intervals, like 0.95; None for none.
        groups: One participant id a row; whole participants are resampled. None resamples rows.
        method: `expanded`, `percentile` or `bca`.
        rounds: Bootstrap rounds.
        rng: A generator, or a seed for one; None is seed 0.
        runs: One run id a row; scores are means over runs, and `<score>_std` is beside each.
        ddof: What is taken off the number of runs in the standard deviation's divisor.
        extra: Whether to add what the paper does not print: `quadratic_weighted_kappa` in [-1, 1],
            of the valid answers.

    Returns:
        Builtin numbers by name: `mae` in [0, 4], `exact_accuracy` and `within_1_accuracy` in
        [0, 1], `spearman_rho` in [-1, 1], its two-sided `spearman_p`, the band errors
        `mae_low_1_2`, `mae_moderate_3`, `mae_moderately_high_4` and `mae_high_5`,
        `mean_prediction_<rating>` (for each true rating, the paper's Figure 8); `n` rows scored,
        `n_rho` rows in rho, `n_invalid`, `notes`. With `confidence` also `<score>_low` and
        `<score>_high` (not of the p value); with `groups` `n_groups`; with `runs` `n_runs`.

        NaN, with a note: rho of constant predictions or references, its p for fewer than three
        rows, a band or a true rating without rows, every interval of a single group.

    Raises:
        ValueError: No row, lengths that differ, a reference that is no rating or a fractional
            answer (the row is named), an invalid answer with `error`, or an option out of range.
        TypeError: An input is no column, or `rng` no generator.

    Examples:
        >>> result = rating_scores(["4", "Rating: 5", "2/5"], [4, 4, 1])
        >>> result["exact_accuracy"], result["mae_low_1_2"], result["spearman_rho"]
        (0.3333333333333333, 1.0, 0.8660254037844387)
        >>> rating_scores([5, 5], [4, 5])["notes"][0]
        'spearman_rho is nan: every prediction is 5.'
    """
    return score_task(
        with_scores(RATING, rating_extras) if extra else RATING,
        predictions,
        references,
        invalid=invalid,
        round=round,
        confidence=confidence,
        groups=groups,
        method=method,
        rounds=rounds,
        rng=rng,
        runs=runs,
        ddof=ddof,
    )


def rating_from_counts(counts: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """Every score of counts of ratings.

    Args:
        counts: Shape [..., 5, 5], true by predicted; [..., 5, 6] if invalid answers are counted, in
            the last column.

    Returns:
        For each score an array of shape [...]; NaN where undefined.
    """
    support = counts.sum(axis=-1)
    errors = (counts * _ERRORS[:, : counts.shape[-1]]).sum(axis=-1)
    total = support.sum(axis=-1)
    valid = counts[..., :5]
    gap = np.abs(_SCALE[:, None] - _SCALE)
    scores = {
        "mae": divide(errors.sum(axis=-1), total, empty=np.nan),
        "exact_accuracy": divide(valid[..., gap == 0].sum(axis=-1), total, empty=np.nan),
        "within_1_accuracy": divide(valid[..., gap <= 1].sum(axis=-1), total, empty=np.nan),
        "spearman_rho": _spearman(valid),
    }
    for name, ratings in BANDS.items():
        rows = np.array(ratings) - 1
        scores[name] = divide(
            errors[..., rows].sum(axis=-1), support[..., rows].sum(axis=-1), empty=np.nan
        )
    means = divide(valid @ _SCALE, valid.sum(axis=-1), empty=np.nan)
    return scores | {f"mean_prediction_{rating}": means[..., rating - 1] for rating in RATINGS}


def spearman_p(rho: float, num_rows: int) -> float:
    """Two-sided p of Spearman's rho by Student's t with n - 2 degrees of freedom, as SciPy's.

    Args:
        rho: In [-1, 1], or NaN.
        num_rows: How many pairs it is of.

    Returns:
        In [0, 1]; 0 for a rho of 1 or -1; NaN for a NaN rho or fewer than three pairs.
    """
    freedom = num_rows - 2
    if np.isnan(rho) or freedom < 1:
        return float("nan")
    if abs(rho) >= 1:
        return 0.0
    t = rho * np.sqrt(freedom / ((1 + rho) * (1 - rho)))
    return float(2 * stdtr(freedom, -abs(t)))


def _spearman(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Pearson's correlation of midranks; they are doubled and centred, so that sums are exact."""
    true, predicted = counts.sum(axis=-1), counts.sum(axis=-2)
    ranks, other = _centred_ranks(true), _centred_ranks(predicted)
    covariance = ((counts @ other[..., None])[..., 0] * ranks).sum(axis=-1)
    variance = (true * ranks**2).sum(axis=-1) * (predicted * other**2).sum(axis=-1)
    return divide(covariance, np.sqrt(variance), empty=np.nan)


def _centred_ranks(sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Twice the distance of each value's midrank from the mean rank."""
    before: NDArray[np.float64] = np.cumsum(sizes, axis=-1) - sizes
    total: NDArray[np.float64] = sizes.sum(axis=-1, keepdims=True)
    return 2 * before + sizes - total


def _report(counts: NDArray[np.float64]) -> dict[str, Any]:
    valid = counts[..., :5]
    num_rho = int(valid.sum())
    rho = float(_spearman(valid))
    notes = [note] if (note := _why_no_rho(valid)) else []
    if not notes and num_rho < 3:
        notes.append(f"spearman_p is nan: {num_rho} valid rows; it needs 3.")
    if absent := [r for r, rows in zip(RATINGS, counts.sum(axis=-1), strict=True) if not rows]:
        bands = [name for name, ratings in BANDS.items() if set(ratings) <= set(absent)]
        undefined = [*bands, *(f"mean_prediction_{rating}" for rating in absent)]
        verb = "is" if len(undefined) == 1 else "are"
        notes.append(
            f"no reference is {listed(absent, last='or')}: {listed(undefined)} {verb} nan."
        )
    silent = [
        f"mean_prediction_{rating}"
        for rating, rows, answered in zip(
            RATINGS, counts.sum(axis=-1), valid.sum(axis=-1), strict=True
        )
        if rows and not answered
    ]
    if silent:
        notes.append(f"{listed(silent)}: nan, for no prediction there is valid.")
    return {"spearman_p": spearman_p(rho, num_rho), "n_rho": num_rho, "notes": notes}


def _why_no_rho(valid: NDArray[np.float64]) -> str | None:
    for name, axis in (("prediction", 0), ("reference", 1)):
        present = np.flatnonzero(valid.sum(axis=axis))
        if not len(present):
            return "spearman_rho is nan: no prediction is valid."
        if len(present) == 1:
            return f"spearman_rho is nan: every {name} is {RATINGS[present[0]]}."
    return None


RATING = Task(
    kind="rating",
    values=RATINGS,
    read_references=read_rating_references,
    read_predictions=lambda texts, round: read_rating_predictions(texts, round=round),
    answer_rule="a whole number from 1 to 5",
    scores=rating_from_counts,
    report=_report,
    why_no_interval=lambda counts: None,
)
