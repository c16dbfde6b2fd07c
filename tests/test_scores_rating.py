import json
import math
import warnings

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from kolab_core.scores import rating_scores, spearman_p

RATINGS = st.integers(1, 5)
BANDS = {
    "mae_low_1_2": (1, 2),
    "mae_moderate_3": (3,),
    "mae_moderately_high_4": (4,),
    "mae_high_5": (5,),
}


def oracle(predicted, true, *, invalid):
    """The same keys by NumPy and SciPy, row by row; None is an invalid answer."""
    rows = [(p, t) for p, t in zip(predicted, true, strict=True) if p or invalid == "wrong"]
    error = np.array([abs(p - t) if p else max(t - 1, 5 - t) for p, t in rows], dtype=float)
    truth = np.array([t for _, t in rows])
    valid = np.array([(p, t) for p, t in rows if p]).reshape(-1, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", stats.ConstantInputWarning)
        rho = stats.spearmanr(valid) if len(valid) > 1 else None

    def mean(values):
        return float(values.mean()) if len(values) else math.nan

    expected = {
        "mae": mean(error),
        "exact_accuracy": mean(np.array([p == t for p, t in rows])),
        "within_1_accuracy": mean(np.array([bool(p) and abs(p - t) <= 1 for p, t in rows])),
        "spearman_rho": rho.statistic if rho else math.nan,
        "spearman_p": rho.pvalue if rho else math.nan,
    }
    for name, band in BANDS.items():
        expected[name] = mean(error[np.isin(truth, band)])
    for rating in range(1, 6):
        expected[f"mean_prediction_{rating}"] = mean(valid[valid[:, 1] == rating, 0])
    return expected


@pytest.mark.parametrize("invalid", ["wrong", "drop"])
@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(st.one_of(st.none(), RATINGS), RATINGS), min_size=1, max_size=25))
@example([(4, 4)])
@example([(1, 5), (5, 1)])
@example([(3, 1), (3, 2), (3, 5)])
@example([(None, 3), (None, 1)])
def test_rating_scores_equal_numpy_and_scipy(invalid, rows):
    predicted, true = (list(column) for column in zip(*rows, strict=True))
    answers = ["no number" if p is None else p for p in predicted]
    result = rating_scores(answers, true, invalid=invalid)
    expected = oracle(predicted, true, invalid=invalid)
    # p at a rho of exactly 1: SciPy's rho is a rounding error below it, and its p one above 0.
    assert {name: result[name] for name in expected} == pytest.approx(
        expected, abs=1e-7, rel=1e-9, nan_ok=True
    )
    num_invalid = predicted.count(None)
    assert result["n_invalid"] == num_invalid
    assert result["n_rho"] == len(rows) - num_invalid
    assert result["n"] == len(rows) - (num_invalid if invalid == "drop" else 0)


def test_rating_scores_hand_worked():
    result = rating_scores(["4", "Rating: 5", "2/5", "?", 3], [4, 4, 1, 2, 5])
    # Errors 0, 1, 1, the largest for 2 (5 - 2 = 3), 2.
    assert result["mae"] == pytest.approx(7 / 5)
    assert result["exact_accuracy"] == pytest.approx(1 / 5)
    assert result["within_1_accuracy"] == pytest.approx(3 / 5)
    assert result["mae_low_1_2"] == 2.0
    assert math.isnan(result["mae_moderate_3"])
    assert result["mae_moderately_high_4"] == 0.5
    assert result["mae_high_5"] == 2.0
    # Ranks of 4 5 2 3: 3 4 1 2; of 4 4 1 5: 2.5 2.5 1 4. Centred: (.5 1.5 -1.5 -.5) and
    # (0 0 -1.5 1.5): covariance 2.25 - 0.75 = 1.5, variances 5 and 4.5.
    assert result["spearman_rho"] == pytest.approx(1.5 / math.sqrt(5 * 4.5))
    assert result["mean_prediction_4"] == 4.5
    assert math.isnan(result["mean_prediction_2"])
    assert (result["n"], result["n_rho"], result["n_invalid"]) == (5, 4, 1)


@pytest.mark.parametrize(
    ("predictions", "references", "note"),
    [
        ([5, 5, 5], [1, 3, 5], "spearman_rho is nan: every prediction is 5."),
        ([1, 3, 5], [4, 4, 4], "spearman_rho is nan: every reference is 4."),
        (["?", None], [4, 5], "spearman_rho is nan: no prediction is valid."),
        ([4], [4], "spearman_rho is nan: every prediction is 4."),
    ],
)
def test_rating_scores_rho_undefined_is_nan_with_a_note(predictions, references, note):
    result = rating_scores(predictions, references)
    assert math.isnan(result["spearman_rho"])
    assert math.isnan(result["spearman_p"])
    assert note in result["notes"]


def test_rating_scores_perfect_and_worst():
    perfect = rating_scores([1, 2, 3, 4, 5], [1, 2, 3, 4, 5])
    assert (perfect["mae"], perfect["exact_accuracy"], perfect["spearman_rho"]) == (0, 1, 1)
    assert perfect["spearman_p"] == 0
    assert perfect["notes"] == []
    worst = rating_scores(["?", 5, 1], [5, 1, 5])
    assert (worst["mae"], worst["within_1_accuracy"], worst["spearman_rho"]) == (4, 0, -1)


def test_rating_scores_fraction_raises_unless_rounded():
    with pytest.raises(ValueError, match=r"predictions\[0\]: found 4.7;"):
        rating_scores([4.7, 3.2], [5, 3])
    assert rating_scores([4.7, 3.2], [5, 3], round=True)["exact_accuracy"] == 1.0


def test_rating_scores_fraction_in_text_is_invalid_with_a_note_until_rounded():
    answers = ["4.7", "Score: 2.5", "9.5", 3]
    result = rating_scores(answers, [5, 3, 3, 3])
    assert result["n_invalid"] == 3
    # 9.5 would be out of range rounded, too.
    assert result["notes"][-1] == "predictions: 2 invalid for a fraction; round=True rounds it."
    rounded = rating_scores(answers, [5, 2, 3, 3], round=True)
    assert (rounded["n_invalid"], rounded["exact_accuracy"]) == (1, 0.75)
    assert not any("fraction" in note for note in rounded["notes"])


def test_rating_scores_invalid_error_names_the_row():
    with pytest.raises(ValueError, match=r"predictions\[1\]: found '6'; expected a whole number"):
        rating_scores([5, 6], [5, 5], invalid="error")


@pytest.mark.parametrize(
    ("predictions", "references", "message"),
    [
        ([], [], "found 0 rows"),
        ([1], [1, 2], "predictions: found 1 values"),
        ([1], [4.5], r"references\[0\]: found '4.5'"),
        ([1], [float("nan")], r"references\[0\]: found 'nan'"),
    ],
)
def test_rating_scores_bad_input_raises(predictions, references, message):
    with pytest.raises(ValueError, match=message):
        rating_scores(predictions, references)


def test_rating_scores_row_order_and_seed():
    rng = np.random.default_rng(2)
    true, predicted, groups = (rng.integers(1, 6, size=80) for _ in range(3))
    order = rng.permutation(80)
    options = {"confidence": 0.9, "rounds": 300}
    first = rating_scores(predicted, true, groups=groups, rng=7, **options)
    again = rating_scores(
        predicted[order], true[order], groups=groups[order], rng=np.random.default_rng(7), **options
    )
    other = rating_scores(predicted, true, groups=groups, rng=8, **options)
    assert json.dumps(first) == json.dumps(again)
    assert json.dumps(first) != json.dumps(other)
    assert "spearman_p_low" not in first
    assert first["n_groups"] == 5


def test_spearman_p_of_few_rows_is_nan():
    assert math.isnan(spearman_p(1.0, 2))
    assert math.isnan(spearman_p(math.nan, 9))
    # t = 0.5 sqrt(8 / 0.75) with 8 degrees of freedom.
    assert spearman_p(0.5, 10) == pytest.approx(2 * stats.t.sf(0.5 * math.sqrt(8 / 0.75), 8))
