import json
import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import (
    accuracy_score,
    confusion_matrix,
    precision_recall_fscore_support,
)

from kolab_core.scores import adoption_scores
from kolab_core.scores.bootstrap import METHODS

NAMES = ("adopt", "modify", "reject")
CLASSES = st.integers(0, 2)
# 3 stands for an answer that names no label.
ANSWERS = st.integers(0, 3)
SPELLINGS = {0: ["ADOPT", 0, "adopt."], 1: ["Modify.", 1], 2: ["REJECT/BYPASS", 2], 3: ["?", None]}


def test_adoption_scores_hand_worked():
    references = ["adopt", "adopt", "adopt", "modify", "reject", "reject"]
    predictions = ["adopt", "adopt", "modify", "modify", "adopt", "no idea"]
    result = adoption_scores(predictions, references)
    # adopt: TP 2, FP 1, FN 1; modify: TP 1, FP 1, FN 0; reject: TP 0, FP 0, FN 2.
    assert result["precision_adopt"] == pytest.approx(2 / 3)
    assert result["recall_adopt"] == pytest.approx(2 / 3)
    assert result["f1_adopt"] == pytest.approx(4 / 6)
    assert result["f1_modify"] == pytest.approx(2 / 3)
    assert result["f1_reject"] == 0
    assert result["macro_precision"] == pytest.approx((2 / 3 + 1 / 2 + 0) / 3)
    assert result["macro_recall"] == pytest.approx((2 / 3 + 1 + 0) / 3)
    assert result["macro_f1"] == pytest.approx((2 / 3 + 2 / 3 + 0) / 3)
    assert result["accuracy"] == pytest.approx(3 / 6)
    assert result["confusion_matrix"] == [[2, 1, 0, 0], [0, 1, 0, 0], [1, 0, 0, 1]]
    assert [result[f"support_{name}"] for name in NAMES] == [3, 1, 2]
    assert result["share_modify_given_adopt"] == pytest.approx(1 / 3)
    assert result["share_adopt_given_reject"] == 0.5
    assert result["share_invalid_given_reject"] == 0.5
    assert (result["n"], result["n_invalid"], result["notes"]) == (6, 1, [])


@pytest.mark.parametrize("invalid", ["wrong", "drop"])
@settings(max_examples=60, deadline=None)
@given(rows=st.lists(st.tuples(CLASSES, ANSWERS), min_size=1, max_size=30), data=st.data())
def test_adoption_scores_equal_scikit_learn(invalid, rows, data):
    answers = [data.draw(st.sampled_from(SPELLINGS[predicted])) for _, predicted in rows]
    result = adoption_scores(answers, [true for true, _ in rows], invalid=invalid)
    kept = [row for row in rows if invalid == "wrong" or row[1] < 3]
    assert result["n_invalid"] == sum(predicted == 3 for _, predicted in rows)
    assert result["n"] == len(kept)
    if not kept:
        assert math.isnan(result["macro_f1"])
        assert "no row is left" in result["notes"][0]
        return
    true, predicted = zip(*kept, strict=True)
    with warnings.catch_warnings():
        # scikit-learn warns of references of one class; it scores them all the same.
        warnings.simplefilter("ignore", UserWarning)
        each = precision_recall_fscore_support(true, predicted, labels=[0, 1, 2], zero_division=0)
        macro = precision_recall_fscore_support(
            true, predicted, labels=[0, 1, 2], zero_division=0, average="macro"
        )
        table = confusion_matrix(true, predicted, labels=[0, 1, 2, 3])[:3]
    expected = dict(zip(("macro_precision", "macro_recall", "macro_f1"), macro[:3], strict=True))
    for name, values in zip(("precision", "recall", "f1", "support"), each, strict=True):
        expected |= {f"{name}_{label}": values[i] for i, label in enumerate(NAMES)}
    expected["accuracy"] = accuracy_score(true, predicted)
    assert {name: result[name] for name in expected} == pytest.approx(expected, abs=1e-12)
    width = 4 if invalid == "wrong" else 3
    assert result["confusion_matrix"] == table[:, :width].tolist()
    for i, label in enumerate(NAMES):
        for j, other in enumerate((*NAMES, "invalid")[:width]):
            share = result[f"share_{other}_given_{label}"]
            rows_of_class = table[i].sum()
            assert math.isnan(share) if not rows_of_class else share == table[i, j] / rows_of_class


def test_adoption_scores_perfect_and_worst():
    perfect = adoption_scores([0, 1, 2], ["adopt", "modify", "reject"])
    worst = adoption_scores([1, 2, 0], ["adopt", "modify", "reject"])
    for name in ("macro_precision", "macro_recall", "macro_f1", "accuracy", "f1_modify"):
        assert (perfect[name], worst[name]) == (1.0, 0.0)


def test_adoption_scores_one_row_and_absent_classes_keep_three_classes():
    result = adoption_scores(["adopt"], ["adopt"])
    # One of three classes is right, the two others have no row and count 0.
    assert result["macro_f1"] == pytest.approx(1 / 3)
    assert result["notes"] == [
        "no reference is modify or reject: recall and F1 there are 0, the shares given it nan."
    ]


def test_adoption_scores_invalid_error_names_the_row():
    with pytest.raises(ValueError, match=r"predictions\[1\]: found 'hm'; .*exactly one of adopt"):
        adoption_scores(["adopt", "hm"], [0, 0], invalid="error")
    assert adoption_scores(["adopt"], [0], invalid="error")["confusion_matrix"][0] == [1, 0, 0]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: adoption_scores([], []), ValueError, "found 0 rows; expected at least 1"),
        (lambda: adoption_scores([0], [0, 1]), ValueError, "predictions: found 1 values"),
        (lambda: adoption_scores([0], [0], invalid="skip"), ValueError, "invalid: found 'skip'"),
        (lambda: adoption_scores([0], [None]), ValueError, r"references\[0\]: found ''"),
        (lambda: adoption_scores([0], [0], confidence=95), ValueError, "confidence: found 95"),
        (lambda: adoption_scores([0], [0], groups=[1, 2]), ValueError, "groups: found 2 values"),
        (lambda: adoption_scores([0], [0], groups=[None]), ValueError, r"groups\[0\]: found no id"),
        (lambda: adoption_scores([0], [0], runs=[1, 2]), ValueError, "runs: found 2 values"),
        (lambda: adoption_scores([0], [0], method="normal"), ValueError, "method: found 'normal'"),
        (lambda: adoption_scores([0], [0], rounds=0), ValueError, "rounds: found 0"),
        (lambda: adoption_scores([0], [0], rng="seed"), TypeError, "rng: found str"),
        (lambda: adoption_scores("adopt", [0]), TypeError, "predictions: found str"),
    ],
)
def test_adoption_scores_bad_input_raises(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_adoption_scores_row_order_changes_nothing():
    rng = np.random.default_rng(1)
    true, predicted = rng.integers(3, size=90), rng.integers(4, size=90)
    groups, runs = rng.integers(12, size=90), rng.integers(3, size=90)
    order = rng.permutation(90)
    for options in ({}, {"groups": True}, {"groups": True, "runs": True}, {"runs": True}):
        columns = {"groups": groups, "runs": runs}
        here = {name: columns[name] for name in options}
        there = {name: columns[name][order] for name in options}
        for method in METHODS:
            settings_ = {"confidence": 0.9, "rounds": 200, "method": method}
            first = adoption_scores(predicted, true, **here, **settings_)
            second = adoption_scores(predicted[order], true[order], **there, **settings_)
            assert json.dumps(first) == json.dumps(second)


def test_adoption_scores_are_builtin_and_json():
    result = adoption_scores(
        np.array([0, 1, 2, 5]),
        np.array([0, 1, 1, 2]),
        confidence=0.9,
        groups=[1, 1, 2, 2],
        rounds=50,
    )
    assert json.loads(json.dumps(result)).keys() == result.keys()
    for value in result.values():
        assert type(value) in (int, float, list)
    for name in ("macro_f1", "share_invalid_given_reject", "recall_modify", "accuracy"):
        assert result[f"{name}_low"] <= result[name] <= result[f"{name}_high"]
