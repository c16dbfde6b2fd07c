import math

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from kolab_core.scores import annotator_agreement

NONE = None
# Four observers of twelve units, of values 1 to 5: the reliability data that Krippendorff works
# through, with alphas of 0.743 (nominal) and 0.815 (ordinal).
WORKED = {
    "A": [1, 2, 3, 3, 2, 1, 4, 1, 2, NONE, NONE, NONE],
    "B": [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NONE, 3],
    "C": [NONE, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NONE],
    "D": [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NONE],
}


def test_alpha_of_ratings_is_the_published_ordinal_one():
    result = annotator_agreement(WORKED, kind="rating")
    assert result["krippendorff_alpha"] == pytest.approx(0.815, abs=5e-4)
    # The last unit has one annotation only.
    assert (result["n"], result["n_annotators"], len(result["cohen_kappa"])) == (11, 4, 6)


def test_alpha_of_labels_is_nominal():
    # Of four units aa, am, mm, rr the coincidences off the diagonal are 2, the margins 3, 3 and 2;
    # expected are 2 (9 + 6 + 6) = 42, so alpha is 1 - 7 * 2 / 42.
    both = {"x": ["adopt", "adopt", "modify", "reject"], "y": ["adopt", "modify", "modify", 2]}
    result = annotator_agreement(both, kind="adoption")
    assert result["krippendorff_alpha"] == pytest.approx(2 / 3)
    assert result["cohen_kappa"][0]["cohen_kappa"] == pytest.approx(
        cohen_kappa_score([0, 0, 1, 2], [0, 1, 1, 2])
    )


def test_kappa_of_ratings_equals_scikit_learns_weighted_one():
    first, second = np.random.default_rng(2).integers(1, 6, size=(2, 40))
    pair = annotator_agreement({"x": first, "y": second})["cohen_kappa"][0]
    theirs = cohen_kappa_score(first, second, weights="quadratic", labels=range(1, 6))
    assert (pair["first"], pair["second"], pair["n"]) == ("x", "y", 40)
    assert pair["cohen_kappa"] == pytest.approx(theirs, abs=1e-12)


def test_intervals_draw_participants():
    rng = np.random.default_rng(3)
    true = rng.integers(3, size=120)
    noisy = [np.where(rng.random(120) < 0.7, true, rng.integers(3, size=120)) for _ in range(3)]
    annotations = dict(zip("abc", noisy, strict=True))
    result = annotator_agreement(
        annotations, kind="adoption", groups=np.arange(120) // 6, confidence=0.9, rounds=500
    )
    assert result["n_groups"] == 20
    low, high = result["krippendorff_alpha_low"], result["krippendorff_alpha_high"]
    assert low < result["krippendorff_alpha"] < high
    assert all(pair["cohen_kappa_low"] < pair["cohen_kappa_high"] for pair in result["cohen_kappa"])
    by_row = annotator_agreement(annotations, kind="adoption", confidence=0.9, rounds=500)
    assert any("no groups given" in note for note in by_row["notes"])


@pytest.mark.parametrize(
    ("annotations", "note"),
    [
        ({"x": ["adopt", "adopt"], "y": ["adopt", "adopt"]}, "every annotation is the same"),
        ({"x": ["adopt", None], "y": ["", "modify"]}, "no instance has two annotations"),
    ],
)
def test_nothing_to_agree_on_is_nan_with_a_note(annotations, note):
    result = annotator_agreement(annotations, confidence=0.95, groups=["P1", "P2"])
    assert math.isnan(result["krippendorff_alpha"])
    assert any(note in line for line in result["notes"])


@pytest.mark.parametrize(
    ("annotations", "message"),
    [
        ({"x": ["adopt"]}, "found 1 annotators; expected at least 2"),
        ({"x": ["adopt"], "y": ["adopt", "modify"]}, "found 1 of x, 2 of y; expected as many"),
        ({"x": ["adopt", "adopt"], "y": ["adopt", "?"]}, r"y\[1\]: found '\?'; expected adopt"),
        ({"x": [None], "y": [""]}, "annotations: found none; expected at least 1"),
    ],
)
def test_annotations_that_cannot_be_read_raise(annotations, message):
    with pytest.raises(ValueError, match=message):
        annotator_agreement(annotations)
