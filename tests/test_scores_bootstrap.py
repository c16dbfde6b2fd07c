import itertools
import json
import math
from collections import Counter

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import f1_score

from kolab_core.scores import adoption_scores, rating_scores
from kolab_core.scores.adoption import adoption_from_counts
from kolab_core.scores.bootstrap import METHODS, bootstrap_rounds, cluster_counts


def macro_f1(flat):
    return {"macro_f1": adoption_from_counts(flat.reshape(-1, 3, 4))["macro_f1"]}


def test_bootstrap_rounds_draw_whole_clusters_with_the_right_frequencies():
    true = {"a": [0, 0, 1], "b": [1, 2], "c": [2, 0, 1, 0]}
    predicted = {"a": [0, 1, 1], "b": [2, 2], "c": [2, 0, 0, 1]}
    groups = [name for name, rows in true.items() for _ in rows]
    cells = [4 * t + p for name in true for t, p in zip(true[name], predicted[name], strict=True)]
    clusters = cluster_counts(np.array(cells), num_cells=12, groups=groups)
    drawn = bootstrap_rounds(macro_f1, clusters, rounds=20_000, rng=np.random.default_rng(3))
    # Every one of the 27 ordered draws of three participants is equally likely.
    expected = Counter()
    for draw in itertools.product(true, repeat=3):
        t = [x for name in draw for x in true[name]]
        p = [x for name in draw for x in predicted[name]]
        expected[round(f1_score(t, p, labels=[0, 1, 2], average="macro", zero_division=0), 9)] += 1
    found = Counter(np.round(drawn["macro_f1"], 9).tolist())
    assert found.keys() == expected.keys()
    observed = [found[value] for value in expected]
    wanted = [20_000 * count / 27 for count in expected.values()]
    assert stats.chisquare(observed, wanted).pvalue > 1e-3


def test_bootstrap_rounds_of_single_rows_have_the_binomial_spread():
    # Of many rows few are distinct, so that counts are drawn; 70 % of 1000 are right.
    cells = np.repeat([0, 1], [700, 300])
    clusters = cluster_counts(cells, num_cells=12, groups=None)
    assert clusters.num_clusters == 1000

    def accuracy(flat):
        return {"accuracy": flat[:, 0] / flat.sum(axis=1)}

    drawn = bootstrap_rounds(accuracy, clusters, rounds=20_000, rng=np.random.default_rng(4))
    # sd sqrt(.7 * .3 / 1000) = 0.01449; of 20000 rounds the mean is known to 0.0001.
    assert drawn["accuracy"].mean() == pytest.approx(0.7, abs=5e-4)
    assert drawn["accuracy"].std() == pytest.approx(0.01449, rel=0.03)


@pytest.mark.parametrize(("method", "name"), [("percentile", "percentile"), ("bca", "BCa")])
def test_intervals_agree_with_scipys_bootstrap(method, name):
    rng = np.random.default_rng(5)
    true = rng.integers(1, 6, size=60)
    predicted = np.clip(true + rng.choice([-1, 0, 0, 0, 1, 3], size=60), 1, 5)
    ours = rating_scores(
        predicted, true, confidence=0.9, method=method, groups=np.arange(60), rounds=40_000
    )
    errors = np.abs(predicted - true)
    theirs = stats.bootstrap(
        (errors,), np.mean, confidence_level=0.9, method=name, n_resamples=40_000, rng=6
    ).confidence_interval
    # Errors are whole numbers, so the mean of 60 moves in steps of 1/60.
    assert ours["mae_low"] == pytest.approx(theirs.low, abs=1.01 / 60)
    assert ours["mae_high"] == pytest.approx(theirs.high, abs=1.01 / 60)


def test_expanded_intervals_are_percentiles_at_students_t():
    rng = np.random.default_rng(8)
    true = rng.integers(1, 6, size=120)
    predicted = np.clip(true + rng.choice([-1, 0, 0, 1, 2], size=120), 1, 5)
    given = {"groups": np.arange(120) % 10, "rounds": 4000}
    expanded = rating_scores(predicted, true, confidence=0.95, **given)
    # t of 9 degrees of freedom: 2.26216; times sqrt(10 / 9): 2.38453; beyond it lies 0.0085505.
    wider = rating_scores(
        predicted, true, confidence=1 - 2 * 0.0085505, method="percentile", **given
    )
    for end in ("mae_low", "mae_high", "spearman_rho_low", "spearman_rho_high"):
        assert expanded[end] == pytest.approx(wider[end], abs=1e-6)
    percentile = rating_scores(predicted, true, confidence=0.95, method="percentile", **given)
    assert expanded["mae_low"] < percentile["mae_low"]
    assert expanded["mae_high"] > percentile["mae_high"]


def test_expanded_intervals_count_uneven_participants_as_fewer():
    # Rows 8, 4, 2, 2: 16² / (64 + 16 + 4 + 4) = 2.909.
    groups = np.repeat(list("abcd"), [8, 4, 2, 2])
    clusters = cluster_counts(np.arange(16) % 3, num_cells=3, groups=groups)
    assert clusters.effective_number == pytest.approx(256 / 88)
    true = np.arange(16) % 5 + 1
    predicted = np.roll(true, 1)
    given = {"groups": groups, "rounds": 4000}
    expanded = rating_scores(predicted, true, confidence=0.9, **given)
    tail = stats.norm.cdf(np.sqrt(4 / 3) * stats.t.ppf(0.05, 256 / 88 - 1))
    wider = rating_scores(predicted, true, confidence=1 - 2 * tail, method="percentile", **given)
    assert expanded["mae_low"] == pytest.approx(wider["mae_low"], abs=1e-9)


def test_intervals_of_participants_are_wider_than_those_of_rows_where_rows_agree():
    # Ten participants, each with twenty equal rows: only ten independent values.
    true = np.repeat(np.arange(10) % 3, 20)
    predicted = np.repeat([0, 1, 2, 0, 0, 2, 1, 1, 2, 0], 20)
    groups = np.repeat(np.arange(10), 20)
    rows = adoption_scores(predicted, true, confidence=0.95)
    whole = adoption_scores(predicted, true, confidence=0.95, groups=groups)
    assert whole["accuracy_high"] - whole["accuracy_low"] > 3 * (
        rows["accuracy_high"] - rows["accuracy_low"]
    )
    assert "no groups given" in rows["notes"][-1]
    assert whole["notes"] == [note for note in whole["notes"] if "no groups" not in note]


def test_intervals_default_to_ten_thousand_rounds_of_seed_zero():
    predicted, true, groups = [0, 1, 2, 0, 1], [0, 1, 1, 0, 2], list("aabbc")
    default = adoption_scores(predicted, true, confidence=0.95, groups=groups)
    explicit = adoption_scores(
        predicted,
        true,
        confidence=0.95,
        groups=groups,
        rounds=10_000,
        method="expanded",
        rng=np.random.default_rng(0),
    )
    assert json.dumps(default) == json.dumps(explicit)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("score", [adoption_scores, rating_scores])
def test_intervals_of_one_participant_are_nan_with_a_note(score, method):
    result = score([1, 2, 2], [1, 2, 1], confidence=0.95, groups=["P1"] * 3, method=method)
    ends = [value for name, value in result.items() if name.endswith(("_low", "_high"))]
    assert len(ends) >= 10
    assert all(math.isnan(end) for end in ends)
    assert "one group only: intervals are nan." in result["notes"]


@pytest.mark.parametrize("method", METHODS)
def test_intervals_of_one_class_are_nan_with_a_note(method):
    result = adoption_scores([0, 1, 0], [0, 0, 0], confidence=0.95, groups=[1, 2, 3], method=method)
    assert math.isnan(result["macro_f1_low"])
    assert math.isnan(result["accuracy_high"])
    assert "the references hold one class only (adopt): intervals are nan." in result["notes"]


@pytest.mark.parametrize("method", METHODS)
def test_intervals_leave_undefined_rounds_out_and_count_them(method):
    # Only one of three participants has a 5, so (2/3)^3 = 8/27 of the rounds have none.
    result = rating_scores(
        [4, 3, 2], [5, 3, 1], confidence=0.9, groups=[1, 2, 3], rounds=27_000, method=method
    )
    note = next(note for note in result["notes"] if note.startswith("mae_low_1_2, "))
    undefined = int(note.split(" undefined in ")[1].split()[0])
    assert undefined == pytest.approx(8000, abs=400)
    assert "of 27000 rounds, left out." in note
    assert result["mae_high_5_low"] == result["mae_high_5_high"] == 1.0


@pytest.mark.parametrize("method", METHODS)
def test_intervals_of_a_perfect_model_are_a_point(method):
    rows = [0, 1, 2] * 5
    result = adoption_scores(
        rows, rows, confidence=0.95, groups=[i // 3 for i in range(15)], method=method
    )
    assert (result["macro_f1_low"], result["macro_f1_high"]) == (1.0, 1.0)
    assert result["notes"] == []


def test_intervals_same_seed_same_ends_and_a_generator_moves_on():
    true, predicted = [0, 1, 2, 0, 1, 2, 0], [0, 1, 1, 0, 2, 2, 1]
    groups = list("abcdefg")
    options = {"confidence": 0.8, "groups": groups, "rounds": 101}
    generator = np.random.default_rng(11)
    first = adoption_scores(predicted, true, rng=generator, **options)
    second = adoption_scores(predicted, true, rng=generator, **options)
    again = adoption_scores(predicted, true, rng=11, **options)
    assert first == again
    assert first != second


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rounds": "many"}, "rounds: found 'many'; expected a whole number from 1"),
        ({"rounds": float("inf")}, "rounds: found inf; expected a whole number from 1"),
        ({"rounds": None}, "rounds: found None; expected a whole number from 1"),
        ({"rounds": 2.5}, "rounds: found 2.5; expected a whole number from 1"),
        ({"rounds": True}, "rounds: found True; expected a whole number from 1"),
        ({"rng": -1}, "rng: found the seed -1; expected a whole number from 0"),
        ({"confidence": True}, "confidence: found True; expected a number between 0 and 1"),
        ({"confidence": "0.9"}, "confidence: found '0.9'; expected a number between 0 and 1"),
    ],
)
def test_options_out_of_range_are_said(options, message):
    with pytest.raises(ValueError, match=message):
        adoption_scores([0, 1], [0, 1], **options)


def test_options_are_taken_as_numbers_of_numpy():
    rows = {"predictions": [0, 1, 2, 0], "references": [0, 1, 1, 2]}
    plain = adoption_scores(**rows, confidence=0.5, rounds=20, rng=3)
    given = adoption_scores(
        **rows, confidence=np.float32(0.5), rounds=np.float64(20), rng=np.int64(3)
    )
    assert json.dumps(given) == json.dumps(plain)
