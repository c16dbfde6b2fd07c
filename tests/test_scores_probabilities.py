import json

import numpy as np
import pytest
from sklearn import metrics

from kolab_core.scores import answer_shares, probability_scores


def draw(num=80, values=3):
    rng = np.random.default_rng(6)
    given = rng.dirichlet(np.ones(values), size=num)
    given[0] = np.eye(values)[1]
    return given, rng.integers(values, size=num)


@pytest.mark.parametrize(("values", "kind", "first"), [(3, "adoption", 0), (5, "rating", 1)])
def test_log_loss_and_brier_equal_scikit_learns(values, kind, first):
    given, true = draw(values=values)
    true[0] = 0
    result = probability_scores(given, true + first, kind=kind)
    loss = metrics.log_loss(true, given, labels=np.arange(values))
    assert result["log_loss"] == pytest.approx(loss, abs=1e-12)
    squares = ((given - np.eye(values)[true]) ** 2).sum(axis=1).mean()
    assert result["brier_score"] == pytest.approx(squares, abs=1e-12)


def test_calibration_error_hand_worked():
    # Bin of 0.8: two rows, one right: |1 - 1.6|; of 0.55: one right: |1 - 0.55|; over 3 rows.
    rows = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.25, 0.2, 0.55]]
    result = probability_scores(rows, ["adopt", "adopt", "reject"])
    assert result["calibration_error"] == pytest.approx((0.6 + 0.45) / 3)


def test_perfect_probabilities():
    result = probability_scores(np.eye(3), [0, 1, 2], confidence=0.95, groups=[1, 2, 3])
    assert result["log_loss"] == pytest.approx(0, abs=1e-12)
    assert (result["brier_score"], result["calibration_error"]) == (0, 0)
    assert (result["brier_score_low"], result["brier_score_high"]) == (0, 0)


def test_rows_are_read_from_mappings_and_json_and_their_order_changes_nothing():
    given, true = draw()
    groups = np.arange(80) // 8
    options = {"confidence": 0.9, "rounds": 200}
    plain = probability_scores(given, true, groups=groups, **options)
    texts = [json.dumps({"REJECT/BYPASS": c, "adopt": a, "Modify": b}) for a, b, c in given]
    read = probability_scores(texts, true, groups=groups, **options)
    assert read == plain
    order = np.random.default_rng(1).permutation(80)
    again = probability_scores(given[order], true[order], groups=groups[order], **options)
    numbers = [name for name in plain if name != "notes"]
    assert [again[name] for name in numbers] == pytest.approx([plain[name] for name in numbers])
    assert plain["log_loss_low"] < plain["log_loss"] < plain["log_loss_high"]


@pytest.mark.parametrize(
    "row",
    [[0.5, 0.5], [0.5, 0.6, 0.1], [1.5, -0.5, 0], {"adopt": 0.5}, {"maybe": 1}, "adopt", None, 3],
)
def test_row_without_probabilities_is_named(row):
    message = r"probabilities\[1\]: found .*; expected 3 probabilities that sum to 1, of adopt, mod"
    with pytest.raises(ValueError, match=message):
        probability_scores([[1, 0, 0], row], ["adopt", "adopt"])


def test_other_number_of_rows_raises():
    with pytest.raises(ValueError, match="found 1 rows; expected one for each of 2 references"):
        probability_scores([[1, 0, 0]], ["adopt", "adopt"])


def test_answer_shares_of_epochs():
    answers = {"b": ["4", "Rating: 4", "5", "so so"], "a": ["?", None]}
    ids, shares = answer_shares(answers, kind="output_quality")
    assert ids == ["b", "a"]
    assert shares == pytest.approx(np.array([[0, 0, 0, 2 / 3, 1 / 3], [0.2] * 5]))
    assert probability_scores(shares, [4, 1], kind="rating")["n"] == 2
