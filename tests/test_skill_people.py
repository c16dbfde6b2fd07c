import math

import numpy as np
import pytest
from scipy import stats

from kolab_core.skill import (
    compare_halves,
    compare_pre_post,
    correlate_indicators,
    correlate_surveys,
)


def test_correlate_surveys_by_hand():
    # Ranks of the measure 1 2 4 3 against 1 2 3 4: sum of squared differences 2,
    # rho = 1 - 6 * 2 / (4 * 15) = 0.8. "e" has no skill and "f" no value: left out.
    skill = {"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.4, "f": 9.0}
    measure = {"a": 10, "b": 20, "c": 40, "d": 30, "e": 5, "f": None}
    (found,) = correlate_surveys(skill, {"trust": measure})
    assert (found.measure, found.test, found.n) == ("trust", "spearman", 4)
    assert found.statistic == found.effect == pytest.approx(0.8)
    # Two-sided p of rho = 0.8, n = 4: t = 0.8 sqrt(2 / 0.36) = 1.8856, 2 df: 0.2.
    assert found.p == pytest.approx(0.2)
    assert found.p_holm == found.p
    # Fisher: atanh(0.8) = 1.0986; error sqrt(1 + 0.32) = 1.1489; times 1.9600 = 2.2518.
    assert found.effect_low == pytest.approx(math.tanh(1.0986 - 2.2518), abs=1e-4)
    assert found.effect_high == pytest.approx(math.tanh(1.0986 + 2.2518), abs=1e-4)


def test_correlate_surveys_holm_over_all_measures():
    rng = np.random.default_rng(0)
    names = [f"h{i}" for i in range(30)]
    skill = dict(zip(names, rng.normal(size=30).tolist(), strict=True))
    measures = {f"m{k}": {name: k * skill[name] + rng.normal() for name in names} for k in range(4)}
    measures["constant"] = dict.fromkeys(names, 3.0)
    found = correlate_surveys(skill, measures)
    assert [entry.measure for entry in found] == list(measures)
    raw = [entry.p for entry in found[:4]]
    # Holm: the i-th smallest of m p values is multiplied by m - i, then made monotone.
    order = np.argsort(raw)
    expected = np.maximum.accumulate(np.minimum(np.sort(raw) * [4, 3, 2, 1], 1))
    assert [found[i].p_holm for i in order] == pytest.approx(expected.tolist())
    assert math.isnan(found[4].p)
    assert math.isnan(found[4].p_holm)
    assert found[4].note == "constant values"


def test_compare_pre_post_by_hand():
    # Changes +1 +2 -3 +4 0: ranks of the four that moved 1 2 3 4, W+ = 7, W- = 3,
    # effect (7 - 3) / 10 = 0.4. Exact p: P(W <= 3) = 5 / 16, twice: 0.625.
    pre = {"use": {"a": 1, "b": 1, "c": 5, "d": 1, "e": 2, "only_pre": 3}}
    post = {"use": {"a": 2, "b": 3, "c": 2, "d": 5, "e": 2}}
    (found,) = compare_pre_post(pre, post)
    assert (found.test, found.n, found.statistic) == ("wilcoxon", 5, 3.0)
    assert found.p == pytest.approx(0.625)
    assert found.effect == pytest.approx(0.4)
    assert found.difference == 1.0


def test_compare_pre_post_nothing_changed():
    same = {"use": {"a": 1, "b": 2}}
    (found,) = compare_pre_post(same, same)
    assert (found.p, found.effect, found.difference) == (1.0, 0.0, 0.0)
    assert found.note == "no pair changed"


def test_compare_halves_by_hand():
    # Skills 1..6, median 3.5: lower half 1 2 3, upper half 4 5 6. Of the 9 pairs the upper value
    # is greater in 8: U = 8, effect 2 * 8 / 9 - 1 = 7 / 9. Exact p: P(U >= 8) = 2 / 20, twice 0.2.
    skill = {f"h{i}": float(i) for i in range(1, 7)}
    measure = {"h1": 1, "h2": 2, "h3": 4, "h4": 3, "h5": 5, "h6": 6}
    (found,) = compare_halves(skill, {"care": measure})
    assert (found.test, found.statistic, found.n) == ("mann_whitney", 8.0, 6)
    assert found.effect == pytest.approx(7 / 9)
    assert found.p == pytest.approx(0.2)
    assert found.difference == 3.0


def test_compare_halves_one_empty_half():
    (found,) = compare_halves({"a": 1.0, "b": 1.0}, {"care": {"a": 1, "b": 2}})
    assert math.isnan(found.p)
    assert found.note == "one half has no values"


def test_correlate_indicators_binary_and_counted():
    rng = np.random.default_rng(2)
    outcomes = rng.normal(size=40)
    asked = outcomes + rng.normal(size=40) > 0
    turns = (10 + 3 * outcomes + rng.normal(size=40)).tolist()
    turns[0] = None
    found = correlate_indicators({"asked": asked.tolist(), "turns": turns}, outcomes.tolist())
    assert [entry.test for entry in found] == ["point_biserial", "pearson"]
    binary = stats.pearsonr(asked.astype(float), outcomes)
    assert found[0].effect == pytest.approx(binary.statistic)
    assert found[0].p == pytest.approx(binary.pvalue)
    low, high = binary.confidence_interval(0.95)
    assert (found[0].effect_low, found[0].effect_high) == pytest.approx((low, high))
    assert found[1].n == 39
    assert found[1].effect == pytest.approx(stats.pearsonr(turns[1:], outcomes[1:]).statistic)


@pytest.mark.parametrize(("n", "note"), [(2, "2 pairs; at least 3 are needed"), (0, "0 pairs")])
def test_correlations_of_too_few_pairs_are_nan(n, note):
    values = {f"h{i}": float(i) for i in range(n)}
    (found,) = correlate_surveys(values, {"m": values})
    assert math.isnan(found.effect)
    assert found.note.startswith(note)


def test_correlations_perfect_and_without_interval():
    values = {f"h{i}": float(i) for i in range(5)}
    (found,) = correlate_surveys(values, {"m": values})
    assert (found.effect, found.effect_low, found.effect_high) == pytest.approx((1, 1, 1))
    three = {name: values[name] for name in ("h0", "h1", "h2")}
    (found,) = correlate_surveys(three, {"m": {"h0": 1, "h1": 3, "h2": 2}})
    assert math.isnan(found.effect_low)
    assert found.note == "too few pairs for an interval"


def test_people_bad_arguments_are_refused():
    with pytest.raises(ValueError, match="measures: found none; expected at least one"):
        correlate_surveys({}, {})
    with pytest.raises(ValueError, match=r"confidence: found 1.5; expected a number in \(0, 1\)"):
        correlate_indicators({"m": [1]}, [1], confidence=1.5)
    with pytest.raises(ValueError, match="m: found 1 values; expected 2"):
        correlate_indicators({"m": [1]}, [1, 2])
    with pytest.raises(ValueError, match="pre, post: found 'b' in one only"):
        compare_pre_post({"a": {}}, {"a": {}, "b": {}})
    with pytest.raises(ValueError, match="skill: found no numbers"):
        compare_halves({}, {"m": {"a": 1}})
