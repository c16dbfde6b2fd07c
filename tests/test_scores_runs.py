import json
import math

import numpy as np
import pytest

from kolab_core.scores import adoption_scores, rating_scores, summarise_runs

TRUE = [0, 1, 2, 0, 1, 2]
RUNS = {0: [0, 1, 2, 0, 1, 1], 1: [0, 1, 1, 0, 0, 1], 2: [0, "?", 2, 0, 1, 2]}


def rows_of_all_runs():
    predictions = [answer for answers in RUNS.values() for answer in answers]
    runs = [run for run in RUNS for _ in TRUE]
    return predictions, TRUE * 3, runs, ["a", "a", "b", "b", "c", "c"] * 3


@pytest.mark.parametrize("ddof", [0, 1])
def test_runs_give_mean_and_standard_deviation(ddof):
    predictions, references, runs, _ = rows_of_all_runs()
    result = adoption_scores(predictions, references, runs=runs, ddof=ddof)
    single = [adoption_scores(answers, TRUE) for answers in RUNS.values()]
    for name in ("macro_f1", "recall_modify", "accuracy", "share_invalid_given_modify"):
        values = [one[name] for one in single]
        assert result[name] == pytest.approx(np.mean(values))
        assert result[f"{name}_std"] == pytest.approx(np.std(values, ddof=ddof))
    # Accuracies 5/6, 3/6, 5/6: mean 13/18, deviations 1/9, -2/9, 1/9, sum of squares 6/81.
    assert result["accuracy"] == pytest.approx(13 / 18)
    assert result["accuracy_std"] == pytest.approx(math.sqrt(6 / 81 / (3 - ddof)))
    assert (result["n"], result["n_runs"], result["support_adopt"]) == (6, 3, 2)
    assert result["n_invalid"] == pytest.approx(1 / 3)
    # True modify: predicted modify 2, 1, 1 times in the three runs.
    assert result["confusion_matrix"][1][1] == pytest.approx(4 / 3)
    assert json.dumps(summarise_runs(single, ddof=ddof)) == json.dumps(result)


def test_runs_intervals_are_of_the_mean_over_runs():
    predictions, references, runs, groups = rows_of_all_runs()
    result = adoption_scores(
        predictions, references, runs=runs, groups=groups, confidence=0.9, rounds=400
    )
    assert result["accuracy_low"] <= result["accuracy"] <= result["accuracy_high"]
    # Runs that are all alike are as one run: their mean has its interval.
    one = adoption_scores(RUNS[0], TRUE, groups=groups[:6], confidence=0.9, rounds=400)
    alike = adoption_scores(
        RUNS[0] * 3, references, runs=runs, groups=groups, confidence=0.9, rounds=400
    )
    for name in ("accuracy_low", "accuracy_high", "macro_f1_low", "f1_reject_high"):
        assert alike[name] == pytest.approx(one[name])
    assert alike["accuracy_std"] == pytest.approx(0, abs=1e-12)


def test_runs_single_run_has_no_standard_deviation():
    result = rating_scores([5, 4], [5, 3], runs=["x", "x"])
    assert math.isnan(result["mae_std"])
    assert "1 run with ddof=1: standard deviations are nan." in result["notes"]
    assert rating_scores([5, 4], [5, 3], runs=["x", "x"], ddof=0)["mae_std"] == 0


def test_runs_notes_say_which_run():
    result = rating_scores([5, 5, 5, 4, 3, 1], [5, 3, 1] * 2, runs=[0, 0, 0, 1, 1, 1])
    assert "run 0: spearman_rho is nan: every prediction is 5." in result["notes"]
    assert math.isnan(result["spearman_rho"])
    assert math.isnan(result["spearman_p"][0])
    json.dumps(result)


def test_summarise_runs_leaves_intervals_out_and_says_so():
    results = [{"mae": 1.0, "mae_low": 0.5, "mae_high": 2.0, "mae_low_1_2": 0.5, "notes": []}] * 2
    summary = summarise_runs(results)
    assert set(summary) == {"mae", "mae_std", "mae_low_1_2", "mae_low_1_2_std", "n_runs", "notes"}
    assert summary["notes"] == ["intervals of single runs are left out."]


@pytest.mark.parametrize(
    ("results", "ddof", "message"),
    [
        ([], 1, "found 0 runs"),
        ([{"mae": 1.0}, {"macro_f1": 1.0}], 1, "run 1 and run 0 differ in 'macro_f1'"),
        ([{"mae": 1.0}], -1, "ddof: found -1"),
    ],
)
def test_summarise_runs_bad_input_raises(results, ddof, message):
    with pytest.raises(ValueError, match=message):
        summarise_runs(results, ddof=ddof)
