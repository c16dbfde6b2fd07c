import json
import math

import pytest

from kolab_core.scores import adoption_scores, baseline_scores

# The paper's shares of ratings 1-2, 3, 4 and 5, in per cent, and the MAE it gives for the mode.
PUBLISHED = [((5.6, 9.3, 31.0, 54.1), 0.682), ((6.2, 10.7, 31.1, 52.0), 0.735)]


def ratings_of(shares, ones):
    """A thousand ratings with these shares, of which `ones` of the lowest band are 1."""
    low, three, four, five = (round(10 * share) for share in shares)
    return [1] * ones + [2] * (low - ones) + [3] * three + [4] * four + [5] * five


@pytest.mark.parametrize(("shares", "mae"), PUBLISHED)
def test_baseline_scores_mode_has_the_papers_mae(shares, mae):
    # The band 1-2 is one share: its ratings are all 2 at one end and all 1 at the other. MAE is
    # (4 ones + 3 twos + 2 threes + fours) / n, so the first is 0.168 + 0.186 + 0.310 = 0.664 to
    # 0.720, and one share of ones gives the published value.
    low = round(10 * shares[0])
    lowest, highest = (baseline_scores(ratings_of(shares, ones))["mae"] for ones in (0, low))
    assert lowest <= mae <= highest
    ones = round((mae - lowest) * sum(round(10 * share) for share in shares))
    result = baseline_scores(ratings_of(shares, ones))
    assert result["mode_rating"] == 5
    assert result["mae"] == pytest.approx(mae, abs=5e-4)
    assert result["exact_accuracy"] == pytest.approx(shares[3] / 100, abs=5e-4)
    assert result["mae_high_5"] == 0


def test_baseline_scores_majority_class_of_the_papers_shares():
    # Adopt 65.9 %, modify 19.1 %, reject 15.0 %: F1 of adopt is 2 * .659 / (.659 + 1).
    result = baseline_scores(["adopt"] * 659 + ["modify"] * 191 + ["reject"] * 150)
    assert result["majority_class"] == "adopt"
    assert result["f1_adopt"] == pytest.approx(2 * 0.659 / 1.659)
    assert result["macro_f1"] == pytest.approx(2 * 0.659 / 1.659 / 3)
    assert result["macro_recall"] == pytest.approx(1 / 3)


def test_baseline_scores_tie_takes_the_lower_and_says_so():
    result = baseline_scores(["reject", "modify", "reject", "modify", "adopt"])
    assert result["majority_class"] == "modify"
    assert result["notes"][0] == (
        "modify and reject are equally frequent (2 of 5 each): the lower, modify, is taken."
    )
    assert baseline_scores([4, 5])["mode_rating"] == 4


def test_baseline_scores_from_training_set():
    result = baseline_scores(["adopt", "adopt", "reject"], training=["reject", "reject", "adopt"])
    assert result["majority_class"] == "reject"
    assert result["accuracy"] == pytest.approx(1 / 3)
    with pytest.raises(ValueError, match=r"training\[1\]: found 'x'"):
        baseline_scores(["adopt"], training=["adopt", "x"])
    with pytest.raises(ValueError, match="training: found 0 values"):
        baseline_scores(["adopt"], training=[])


def test_baseline_scores_hold_every_score_and_interval():
    references, groups = ["adopt", "modify", "adopt", "reject"], [1, 1, 2, 2]
    result = baseline_scores(references, confidence=0.9, groups=groups, rounds=50)
    scores = adoption_scores(["adopt"] * 4, references, confidence=0.9, groups=groups, rounds=50)
    assert result == {"majority_class": "adopt"} | scores
    json.dumps(result)


def test_baseline_scores_rho_is_nan():
    result = baseline_scores([5, 5, 4])
    assert math.isnan(result["spearman_rho"])
    assert "spearman_rho is nan: every prediction is 5." in result["notes"]


@pytest.mark.parametrize(
    ("references", "key"),
    [
        (["adopt"], "majority_class"),
        ([0, 1, 2, 1], "majority_class"),
        ([1, 3], "mode_rating"),
        (["4.0"], "mode_rating"),
    ],
)
def test_baseline_scores_finds_the_kind(references, key):
    assert key in baseline_scores(references)


def test_baseline_scores_ambiguous_kind_must_be_said():
    with pytest.raises(ValueError, match="found only 1, 2, which may be labels or ratings"):
        baseline_scores([1, 2, 1])
    assert baseline_scores([1, 2, 1], kind="adoption")["majority_class"] == "modify"
    assert baseline_scores([1, 2, 1], kind="collab_rating")["mode_rating"] == 1
    for neither in (["x", "y"], ["adopt", 5], [None]):
        with pytest.raises(ValueError, match=r"expected labels .* or ratings .* one kind alone"):
            baseline_scores(neither)
    with pytest.raises(ValueError, match="kind: found 'labels'"):
        baseline_scores([1, 2, 1], kind="labels")
    with pytest.raises(ValueError, match="found 0 rows"):
        baseline_scores([])
