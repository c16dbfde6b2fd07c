import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from kolab_core.scores import compare_models, compare_predictions, holm

P = st.floats(0, 1) | st.just(math.nan)


def test_holm_hand_worked_with_ties_and_without_order():
    # Sorted .01 .02 .02 .3, times 4 3 2 1: .04 .06 .04 .3; none below the one before it.
    assert holm([0.02, 0.3, 0.01, 0.02]) == pytest.approx([0.06, 0.3, 0.04, 0.06])
    assert holm([0.9, 0.8]) == pytest.approx([1.0, 1.0])
    assert holm([]).shape == (0,)


def test_holm_nan_does_not_count():
    adjusted = holm([0.01, math.nan, 0.04])
    assert math.isnan(adjusted[1])
    assert adjusted[[0, 2]] == pytest.approx([0.02, 0.04])


@given(st.lists(P, max_size=8))
def test_holm_rejects_as_its_steps_say(p_values):
    adjusted = holm(p_values)
    known = sorted(p for p in p_values if not math.isnan(p))
    rejected = 0
    while rejected < len(known) and known[rejected] * (len(known) - rejected) <= 0.05:
        rejected += 1
    assert np.count_nonzero(adjusted <= 0.05) == rejected


def study(num_groups=40):
    rng = np.random.default_rng(3)
    true = rng.integers(3, size=6 * num_groups)
    models = {
        name: np.where(rng.random(len(true)) < skill, true, rng.integers(3, size=len(true)))
        for name, skill in (("weak", 0.4), ("weak too", 0.4), ("strong", 0.8))
    }
    return true, models, np.repeat(np.arange(num_groups), 6)


def test_compare_models_pairs_are_comparisons_with_adjusted_p():
    true, models, groups = study()
    options = {"kind": "adoption", "groups": groups, "rounds": 999}
    pairs = compare_models(models, true, **options)
    names = [(pair["first"], pair["second"]) for pair in pairs]
    assert names == [("weak", "weak too"), ("weak", "strong"), ("weak too", "strong")]
    for pair in pairs:
        alone = compare_predictions(models[pair["first"]], models[pair["second"]], true, **options)
        assert alone == {key: pair[key] for key in alone}
    # The two real changes have the least p that 999 rounds can give, 1 / 1000; times 3.
    assert [pair["macro_f1_holm_p"] for pair in pairs[1:]] == pytest.approx([0.003, 0.003])
    assert pairs[0]["macro_f1_holm_p"] == pairs[0]["macro_f1_permutation_p"] > 0.05


def test_compare_models_one_model_raises():
    with pytest.raises(ValueError, match="predictions: found 1 models; expected at least 2"):
        compare_models({"a": [1]}, [1])


def test_detectable_of_a_mean_is_that_of_a_t_test():
    # The change of MAE over participants of one row each is the mean of their changes.
    rng = np.random.default_rng(5)
    true = rng.integers(2, 5, size=50)
    first, second = (true + rng.choice([-1, 0, 0, 1], size=50) for _ in range(2))
    result = compare_predictions(
        first, second, true, kind="rating", scores=["mae"], groups=range(50), rounds=20_000
    )
    changes = np.abs(second - true) - np.abs(first - true)
    error = changes.std(ddof=1) / np.sqrt(50)
    expected = (stats.t.ppf(0.975, 49) + stats.t.ppf(0.8, 49)) * error
    assert result["mae_detectable"] == pytest.approx(expected, rel=0.02)
