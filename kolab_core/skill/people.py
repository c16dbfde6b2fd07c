"""The human side: what goes with skill, what a session changes, which behaviour goes with outcomes.

One call a question, each over several measures at once, so that Holm's correction covers all that
was looked at. The tests are SciPy's and take their rows as independent: give one value a human, or
say in the text that sessions of one human are not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

__all__ = [
    "Association",
    "adjust_holm",
    "compare_halves",
    "compare_pre_post",
    "correlate_indicators",
    "correlate_surveys",
]

FloatArray = npt.NDArray[np.float64]
Values = Mapping[str, float | None]

_NAN = float("nan")
_MIN_PAIRS = 3
# Values that differ by less than this share of the largest are rounding, no variation.
_CONSTANT = 1e-12
_CORRELATIONS: dict[str, Callable[..., Any]] = {
    "spearman": stats.spearmanr,
    "point_biserial": stats.pointbiserialr,
    "pearson": stats.pearsonr,
}


@dataclass(frozen=True)
class Association:
    """One test of one measure.

    Attributes:
        measure: What was tested.
        test: `spearman`, `wilcoxon`, `mann_whitney`, `pearson` or `point_biserial`.
        statistic: The test's statistic (rho, W, U, r).
        p: Two-sided p.
        p_holm: p adjusted by Holm's method over the measures of the same call (those with a p).
        effect: Effect size in [-1, 1]: the correlation itself, or the rank-biserial correlation.
        effect_low: Lower end of its interval; NaN where the test has none.
        effect_high: Upper end.
        difference: Median of post - pre, or median of the upper half - that of the lower; else NaN.
        n: Pairs used, or values in both halves.
        note: Why something is NaN; else empty.
    """

    measure: str
    test: str
    statistic: float = _NAN
    p: float = _NAN
    p_holm: float = _NAN
    effect: float = _NAN
    effect_low: float = _NAN
    effect_high: float = _NAN
    difference: float = _NAN
    n: int = 0
    note: str = ""


def correlate_surveys(
    skill: Values, measures: Mapping[str, Values], *, confidence: float = 0.95
) -> tuple[Association, ...]:
    """Spearman's rho between each survey measure and skill.

    Args:
        skill: Each human's skill.
        measures: Each measure's value by human; a missing one, None or NaN is left out.
        confidence: Of the interval (Fisher's z with the standard error of Bonett and Wright, 2000,
            sqrt((1 + rho^2 / 2) / (n - 3))), in (0, 1).

    Returns:
        One association a measure, in the order given. NaN with a note below three pairs, for a
        constant, and for the interval below four pairs.

    Raises:
        ValueError: No measure, or `confidence` outside (0, 1).
    """
    _check(measures, confidence)
    return adjust_holm(
        [
            _correlate("spearman", name, *_pair(values, skill), confidence=confidence)
            for name, values in measures.items()
        ]
    )


def compare_pre_post(
    pre: Mapping[str, Values], post: Mapping[str, Values]
) -> tuple[Association, ...]:
    """Wilcoxon's signed-rank test of the paired change from `pre` to `post`.

    Args:
        pre: Each measure's value by human, before.
        post: The same after; humans with only one of the two are left out.

    Returns:
        One association a measure, in the order of `pre`; the effect is the matched-pairs
        rank-biserial correlation, positive for an increase. Pairs without a change count in `n`
        and are left out of the ranks; with none changed p is 1 and the effect 0.

    Raises:
        ValueError: No measure, or the two do not hold the same measures.
    """
    _check(pre, 0.5)
    if set(pre) != set(post):
        odd = sorted(set(pre) ^ set(post))
        raise ValueError(f"pre, post: found {odd[0]!r} in one only; expected the same measures.")
    return adjust_holm([_wilcoxon(name, *_pair(post[name], pre[name])) for name in pre])


def compare_halves(skill: Values, measures: Mapping[str, Values]) -> tuple[Association, ...]:
    """Mann-Whitney test of each measure between humans above and at or below the median skill.

    Args:
        skill: Each human's skill; the median is that of all humans given here.
        measures: Each measure's value by human.

    Returns:
        One association a measure, in the order given; the effect is the rank-biserial correlation,
        positive when the more skilled half has the higher values.

    Raises:
        ValueError: No measure, or no skill.
    """
    _check(measures, 0.5)
    known = np.array([value for value in skill.values() if _is_number(value)], dtype=np.float64)
    if not len(known):
        raise ValueError("skill: found no numbers; expected one a human.")
    median = float(np.median(known))
    return adjust_holm(
        [_mann_whitney(name, *_pair(values, skill), median) for name, values in measures.items()]
    )


def correlate_indicators(
    indicators: Mapping[str, Sequence[float | bool | None]],
    outcomes: Sequence[float | None],
    *,
    confidence: float = 0.95,
) -> tuple[Association, ...]:
    """Correlation of behaviour indicators with outcomes, a value a session.

    Args:
        indicators: Each indicator's values; one with no others than 0 and 1 (False and True) gives
            a point-biserial correlation, any other Pearson's r. None and NaN are left out.
        outcomes: The outcome of each session.
        confidence: Of the interval (Fisher's z), in (0, 1).

    Returns:
        One association an indicator, in the order given.

    Raises:
        ValueError: No indicator, a length that differs, or `confidence` outside (0, 1).
    """
    _check(indicators, confidence)
    right = _numbers(outcomes)
    found = []
    for name, values in indicators.items():
        left = _numbers(values)
        if len(left) != len(right):
            raise ValueError(f"{name}: found {len(left)} values; expected {len(right)}.")
        used = ~np.isnan(left) & ~np.isnan(right)
        test = "point_biserial" if np.isin(left[used], (0, 1)).all() else "pearson"
        found.append(_correlate(test, name, left[used], right[used], confidence=confidence))
    return adjust_holm(found)


def adjust_holm(found: Sequence[Association]) -> tuple[Association, ...]:
    """The same associations with Holm's adjusted p; those without a p stay out of the count."""
    tested = [i for i, entry in enumerate(found) if not math.isnan(entry.p)]
    adjusted = [_NAN] * len(found)
    highest = 0.0
    for place, i in enumerate(sorted(tested, key=lambda i: found[i].p)):
        highest = max(highest, min(1.0, (len(tested) - place) * found[i].p))
        adjusted[i] = highest
    return tuple(replace(entry, p_holm=p) for entry, p in zip(found, adjusted, strict=True))


def _correlate(
    test: str, measure: str, left: FloatArray, right: FloatArray, *, confidence: float
) -> Association:
    n = len(left)
    note = _degenerate(left, right)
    if note:
        return Association(measure, test, n=n, note=note)
    result = _CORRELATIONS[test](left, right)
    r = float(result.statistic)
    if n <= _MIN_PAIRS:
        low, high, note = _NAN, _NAN, "too few pairs for an interval"
    elif test == "spearman":
        low, high = _fisher(r, math.sqrt((1 + r**2 / 2) / (n - 3)), confidence)
    else:
        low, high = _fisher(r, 1 / math.sqrt(n - 3), confidence)
    return Association(
        measure,
        test,
        statistic=r,
        p=float(result.pvalue),
        effect=r,
        effect_low=low,
        effect_high=high,
        n=n,
        note=note,
    )


def _wilcoxon(measure: str, post: FloatArray, pre: FloatArray) -> Association:
    change = post - pre
    if not len(change):
        return Association(measure, "wilcoxon", note="no pairs")
    moved = change[change != 0]
    difference = float(np.median(change))
    entry = Association(measure, "wilcoxon", difference=difference, n=len(change))
    if not len(moved):
        return replace(entry, statistic=0.0, p=1.0, effect=0.0, note="no pair changed")
    ranks = stats.rankdata(np.abs(moved))
    effect = float((ranks[moved > 0].sum() - ranks[moved < 0].sum()) / ranks.sum())
    result = stats.wilcoxon(moved)
    return replace(entry, statistic=float(result.statistic), p=float(result.pvalue), effect=effect)


def _mann_whitney(
    measure: str, values: FloatArray, skill: FloatArray, median: float
) -> Association:
    upper, lower = values[skill > median], values[skill <= median]
    if not len(upper) or not len(lower):
        return Association(measure, "mann_whitney", n=len(values), note="one half has no values")
    result = stats.mannwhitneyu(upper, lower)
    return Association(
        measure,
        "mann_whitney",
        statistic=float(result.statistic),
        p=float(result.pvalue),
        effect=2 * float(result.statistic) / (len(upper) * len(lower)) - 1,
        difference=float(np.median(upper) - np.median(lower)),
        n=len(values),
    )


def _fisher(r: float, error: float, confidence: float) -> tuple[float, float]:
    if abs(r) >= 1:
        return r, r
    reach = float(stats.norm.ppf((1 + confidence) / 2)) * error
    return math.tanh(math.atanh(r) - reach), math.tanh(math.atanh(r) + reach)


def _degenerate(left: FloatArray, right: FloatArray) -> str:
    if len(left) < _MIN_PAIRS:
        return f"{len(left)} pairs; at least 3 are needed"
    if any(np.ptp(side) <= _CONSTANT * np.abs(side).max() for side in (left, right)):
        return "constant values"
    return ""


def _pair(left: Values, right: Values) -> tuple[FloatArray, FloatArray]:
    """The values of all who have both, by sorted name."""
    both = sorted(
        name
        for name in set(left) & set(right)
        if _is_number(left[name]) and _is_number(right[name])
    )
    return _numbers([left[name] for name in both]), _numbers([right[name] for name in both])


def _numbers(values: Sequence[float | bool | None]) -> FloatArray:
    return np.array([_NAN if value is None else float(value) for value in values], dtype=np.float64)


def _is_number(value: float | None) -> bool:
    return value is not None and not math.isnan(value)


def _check(measures: Mapping[str, object], confidence: float) -> None:
    if not measures:
        raise ValueError("measures: found none; expected at least one.")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence: found {confidence!r}; expected a number in (0, 1).")
