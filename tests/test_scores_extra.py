import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from kolab_core.scores import LABELS, adoption_scores, rating_scores

CODES = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=40)
EXTRAS = {"balanced_accuracy", "matthews_correlation", "quadratic_weighted_kappa", "mean_cost"}


def test_extra_scores_are_off_by_default():
    assert not EXTRAS & set(adoption_scores([0, 1], [0, 2]))
    assert not EXTRAS & set(rating_scores([4, 1], [4, 2]))


@pytest.mark.filterwarnings("ignore:A single label")
@given(CODES)
def test_extra_label_scores_equal_scikit_learns(pairs):
    true, predicted = (np.array(column) for column in zip(*pairs, strict=True))
    answers = [(*LABELS, "none")[code] for code in predicted]
    result = adoption_scores(answers, true, extra=True)
    recalls = [np.mean(predicted[true == label] == label) for label in np.unique(true)]
    assert result["balanced_accuracy"] == pytest.approx(np.mean(recalls), abs=1e-12)
    theirs = metrics.matthews_corrcoef(true, predicted)
    assert result["matthews_correlation"] == pytest.approx(theirs, abs=1e-12)


def test_balanced_accuracy_equals_scikit_learns():
    true, predicted = np.random.default_rng(1).integers(3, size=(2, 50))
    theirs = metrics.balanced_accuracy_score(true, predicted)
    ours = adoption_scores(predicted, true, extra=True)["balanced_accuracy"]
    assert ours == pytest.approx(theirs, abs=1e-12)


def test_quadratic_weighted_kappa_equals_scikit_learns_and_leaves_invalid_out():
    true, predicted = np.random.default_rng(2).integers(1, 6, size=(2, 60))
    theirs = metrics.cohen_kappa_score(true, predicted, weights="quadratic", labels=range(1, 6))
    result = rating_scores([*predicted, "?"], [*true, 1], extra=True)
    assert result["quadratic_weighted_kappa"] == pytest.approx(theirs, abs=1e-12)


def test_quadratic_weighted_kappa_of_one_value_is_nan_with_a_note():
    result = rating_scores([4, 4], [4, 4], extra=True)
    assert math.isnan(result["quadratic_weighted_kappa"])
    note = "quadratic_weighted_kappa is nan: all answers and references are the same."
    assert note in result["notes"]


def test_extra_scores_have_intervals_and_runs():
    rng = np.random.default_rng(4)
    true, predicted = rng.integers(3, size=(2, 60))
    given = {"groups": np.arange(60) // 6, "runs": np.arange(60) % 2, "rounds": 200}
    result = adoption_scores(predicted, true, extra=True, confidence=0.9, **given)
    assert result["matthews_correlation_low"] < result["matthews_correlation"]
    assert result["balanced_accuracy_std"] > 0


def test_mean_cost_hand_worked_with_an_invalid_answer():
    cost = [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
    # adopt as reject 2, modify as adopt 1, reject right 0, an invalid adopt its row's most, 2.
    answers, true = [2, 0, 2, "?"], [0, 1, 2, 0]
    assert adoption_scores(answers, true, cost=cost)["mean_cost"] == 5 / 4
    with_invalid = [[*row, 10] for row in cost]
    assert adoption_scores(answers, true, cost=with_invalid)["mean_cost"] == 13 / 4
    dropped = adoption_scores(answers, true, cost=cost, invalid="drop")
    assert dropped["mean_cost"] == 1.0


@pytest.mark.parametrize(
    ("cost", "message"),
    [
        ([[0, 1], [1, 0]], r"cost: found shape \(2, 2\); expected \(3, 3\) or \(3, 4\)"),
        ("high", "cost: found 'high'; expected a matrix of numbers"),
        (np.full((3, 3), np.nan), "cost: found a cost that is not finite"),
    ],
)
def test_cost_that_is_no_matrix_raises(cost, message):
    with pytest.raises(ValueError, match=message):
        adoption_scores([0], [0], cost=cost)
