"""The paper's tables, as the package carries them, against themselves."""

from collections import Counter

import pytest

from kolab_core.scorecard import read_published

TABLES = ("adoption_recognition", "adoption_forecast", "collab_rating", "output_quality")
BANDS = ("mae_low_1_2", "mae_moderate_3", "mae_moderately_high_4", "mae_high_5")


def read_rows():
    """(experiment, model, modalities) -> score -> mean."""
    rows = {}
    for config in TABLES:
        for cell in read_published(config):
            row = rows.setdefault((config, cell.model, cell.modalities), {})
            row[cell.score] = cell.mean
    return rows


ROWS = read_rows()


def test_published_results_are_136_rows_of_952_values():
    assert sum(len(values) for values in ROWS.values()) == 952
    assert Counter(experiment for experiment, _, _ in ROWS) == dict.fromkeys(TABLES, 34)
    assert read_published("step_n") == []


@pytest.mark.parametrize("row", ROWS, ids="/".join)
def test_published_row_agrees_with_itself(row):
    values = ROWS[row]
    if "macro_f1" in values:
        mean = (values["f1_adopt"] + values["f1_modify"] + values["f1_reject"]) / 3
        # Both sides are of values rounded to three decimals: half a unit each.
        assert values["macro_f1"] == pytest.approx(mean, abs=0.001 + 1e-9)
    else:
        bands = [values[band] for band in BANDS]
        assert min(bands) <= values["mae"] <= max(bands)
        assert values["exact_accuracy"] <= values["within_1_accuracy"]
