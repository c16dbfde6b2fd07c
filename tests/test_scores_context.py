import itertools
import json
import math

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import f1_score

from kolab_core.scores import (
    adoption_scores,
    common_set,
    compare_predictions,
    rating_scores,
    score_common_set,
)
from kolab_core.scores.bootstrap import METHODS


def planted(num_groups, *, seed=0):
    """References, a weak set, a strong one, and participants with six rows each."""
    rng = np.random.default_rng(seed)
    true = rng.integers(3, size=6 * num_groups)
    weak, strong = (answer(true, skill, rng=rng) for skill in (0.4, 0.8))
    return true, weak, strong, np.repeat(np.arange(num_groups), 6)


def answer(true, skill, *, rng):
    """The true class in a share `skill` of the rows, any class in the others."""
    return np.where(rng.random(len(true)) < skill, true, rng.integers(3, size=len(true)))


def macro(true, predicted):
    return float(f1_score(true, predicted, labels=[0, 1, 2], average="macro", zero_division=0))


def exact_p(true, first, second, groups):
    """Every subset of participants swapped, scored by scikit-learn."""
    observed = macro(true, second) - macro(true, first)
    changes = []
    for swaps in itertools.product((False, True), repeat=len(set(groups))):
        swap = np.array(swaps)[groups]
        a, b = np.where(swap, second, first), np.where(swap, first, second)
        changes.append(macro(true, b) - macro(true, a))
    return float(np.mean(np.abs(changes) >= abs(observed) - 1e-12))


def test_compare_predictions_few_participants_give_the_exact_p():
    true, weak, strong, groups = planted(6)
    result = compare_predictions(weak, strong, true, groups=groups, kind="adoption")
    assert result["macro_f1_1"] == pytest.approx(macro(true, weak))
    assert result["macro_f1_2"] == pytest.approx(macro(true, strong))
    assert result["macro_f1_change"] == pytest.approx(macro(true, strong) - macro(true, weak))
    assert result["macro_f1_permutation_p"] == pytest.approx(exact_p(true, weak, strong, groups))


def test_compare_predictions_drawn_p_is_near_the_exact_one():
    true, weak, _, groups = planted(8, seed=4)
    other = answer(true, 0.5, rng=np.random.default_rng(5))
    exact = exact_p(true, weak, other, groups)
    # 2^8 = 256 subsets are more than 255 rounds, so they are drawn.
    result = compare_predictions(weak, other, true, groups=groups, kind="adoption", rounds=255)
    error = math.sqrt(exact * (1 - exact) / 255)
    assert result["macro_f1_permutation_p"] == pytest.approx(exact, abs=4 * error + 1 / 255)


def test_compare_predictions_planted_change_is_found_and_none_is_not():
    true, weak, strong, groups = planted(30)
    found = compare_predictions(weak, strong, true, groups=groups, kind="adoption")
    assert found["macro_f1_permutation_p"] < 0.001
    assert found["macro_f1_bootstrap_p"] < 0.001
    assert 0 < found["macro_f1_change_low"] < found["macro_f1_change"]
    assert found["macro_f1_change"] < found["macro_f1_change_high"]
    none = compare_predictions(weak, weak, true, groups=groups, kind="adoption")
    assert none["macro_f1_change"] == 0
    assert (none["macro_f1_permutation_p"], none["macro_f1_bootstrap_p"]) == (1.0, 1.0)


def test_compare_predictions_p_is_uniform_without_a_change():
    # Two sets of equal skill: p below 0.2 in about a fifth of 200 tries (sd 0.028).
    low = 0
    for seed in range(200):
        true, first, _, groups = planted(12, seed=seed)
        second = answer(true, 0.4, rng=np.random.default_rng(1000 + seed))
        result = compare_predictions(
            first, second, true, groups=groups, kind="adoption", rounds=200, rng=seed
        )
        low += result["macro_f1_permutation_p"] <= 0.2
    assert 0.2 - 4 * 0.028 < low / 200 < 0.2 + 4 * 0.028


def test_compare_predictions_ratings_give_mae_and_rho():
    rng = np.random.default_rng(6)
    true = rng.integers(1, 6, size=60)
    first, second = rng.integers(1, 6, size=60), np.clip(true + rng.integers(-1, 2, size=60), 1, 5)
    result = compare_predictions(first, second, true, groups=np.arange(60) % 15)
    assert result["mae_change"] == pytest.approx(
        np.abs(second - true).mean() - np.abs(first - true).mean()
    )
    rho = [stats.spearmanr(x, true).statistic for x in (first, second)]
    assert result["spearman_rho_change"] == pytest.approx(rho[1] - rho[0])
    assert result["mae_permutation_p"] < 0.01
    assert result["spearman_rho_bootstrap_p"] < 0.01
    assert list(result)[:7] == [
        "mae_1",
        "mae_2",
        "mae_change",
        "spearman_rho_1",
        "spearman_rho_2",
        "spearman_rho_change",
        "mae_change_low",
    ]
    assert (result["n"], result["n_groups"], result["notes"]) == (60, 15, [])
    json.dumps(result)


@pytest.mark.parametrize("method", METHODS)
def test_compare_predictions_one_participant_is_nan_with_a_note(method):
    result = compare_predictions(
        [0, 1, 2], [0, 0, 2], ["adopt", "modify", "reject"], groups=["P1"] * 3, method=method
    )
    for end in ("change_low", "change_high", "permutation_p", "bootstrap_p", "detectable"):
        assert math.isnan(result[f"macro_f1_{end}"])
    assert result["notes"] == ["one group only: intervals and p values are nan."]


def test_compare_predictions_one_class_has_no_interval():
    result = compare_predictions([0, 1], [0, 0], ["adopt", "adopt"], groups=[1, 2])
    assert math.isnan(result["macro_f1_change_low"])
    assert math.isnan(result["macro_f1_bootstrap_p"])
    assert result["notes"] == [
        "the references hold one class only (adopt): intervals are nan.",
    ]


def test_compare_predictions_constant_ratings_have_no_rho():
    result = compare_predictions([5, 5, 5], [5, 4, 3], [5, 4, 1], groups=[1, 2, 3])
    assert math.isnan(result["spearman_rho_permutation_p"])
    assert "spearman_rho: undefined on a side, so is the change." in result["notes"]


def test_compare_predictions_row_order_and_groups_names_change_nothing():
    true, weak, strong, groups = planted(20)
    order = np.random.default_rng(1).permutation(len(true))
    options = {"kind": "adoption", "rounds": 300}
    first = compare_predictions(weak, strong, true, groups=groups, **options)
    second = compare_predictions(
        weak[order],
        strong[order],
        true[order],
        groups=[f"P{g:02}" for g in groups[order]],
        **options,
    )
    assert first == second


def test_compare_predictions_drop_leaves_a_row_out_for_both():
    result = compare_predictions(
        ["adopt", "?", "modify"],
        ["adopt", "modify", "?"],
        ["adopt", "modify", "modify"],
        invalid="drop",
    )
    assert (result["n"], result["n_invalid_1"], result["n_invalid_2"]) == (1, 1, 1)


def test_compare_predictions_all_rows_dropped_have_no_score():
    result = compare_predictions(
        ["?", "?"], ["adopt", "?"], ["adopt", "modify"], groups=[1, 2], invalid="drop"
    )
    numbers = [value for name, value in result.items() if name.startswith("macro_f1")]
    assert len(numbers) == 8
    assert all(math.isnan(number) for number in numbers)
    assert (result["n"], result["n_invalid_1"], result["n_invalid_2"]) == (0, 2, 1)
    assert result["notes"] == [
        "no row is left: each has an invalid prediction and was dropped.",
    ]


def test_compare_predictions_named_scores_and_runs():
    true, weak, strong, groups = planted(8)
    runs = np.arange(len(true)) % 2
    result = compare_predictions(
        weak,
        strong,
        true,
        groups=groups,
        runs=runs,
        kind="adoption",
        scores=["f1_reject"],
        rounds=50,
    )
    means = [
        np.mean([adoption_scores(x[runs == r], true[runs == r])["f1_reject"] for r in (0, 1)])
        for x in (weak, strong)
    ]
    assert (result["f1_reject_1"], result["f1_reject_2"]) == pytest.approx(tuple(means))
    assert "macro_f1_1" not in result
    with pytest.raises(ValueError, match="scores: found 'f2'; expected some of macro_precision"):
        compare_predictions(weak, strong, true, kind="adoption", scores=["f2"])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (([], [], []), "found 0 rows"),
        (([0], [0, 1], ["adopt"]), "predictions2: found 2 values"),
        (([0], [0], ["x"]), "references: found x; expected labels"),
    ],
)
def test_compare_predictions_bad_input_raises(columns, message):
    with pytest.raises(ValueError, match=message):
        compare_predictions(*columns)


def test_common_set_keeps_what_every_model_answered():
    answers = {
        "a": {"x": "ADOPT", "y": "MODIFY", "z": "no idea", "v": "ADOPT"},
        "b": {"z": "ADOPT", "y": "ADOPT", "x": None, "v": " "},
    }
    # None and blank are no answer; text without a label is a (wrong) one.
    assert common_set(answers) == ["y", "z"]
    with pytest.raises(ValueError, match="found 0 models"):
        common_set({})


def test_score_common_set_scores_the_same_rows_for_all():
    answers = {"a": {1: 5, 2: 4, 3: 1}, "b": {3: 2, 1: 5}}
    references = {1: 5, 2: 4, 3: 1, 4: 3}
    groups = {1: "P1", 2: "P1", 3: "P2", 4: "P3"}
    result = score_common_set(answers, references, groups=groups)
    for model, predictions in (("a", [5, 1]), ("b", [5, 2])):
        alone = rating_scores(predictions, [5, 1], groups=["P1", "P2"])
        assert json.dumps(result[model]) == json.dumps(alone)
    assert (result["a"]["n"], result["a"]["n_groups"]) == (2, 2)
    with pytest.raises(ValueError, match=r"references: found none for 1 \(2 such\)"):
        score_common_set(answers, {})
    with pytest.raises(ValueError, match="no instance that every model answered"):
        score_common_set({"a": {1: 5}, "b": {2: 5}}, references)
