"""The paper's tables, as the package carries them, against themselves."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from decimal import Decimal
from importlib import resources

import pytest

Row = tuple[str, str, str]
BANDS = ("mae_low_1_2", "mae_moderate_3", "mae_moderately_high_4", "mae_high_5")


def read_rows() -> dict[Row, dict[str, Decimal]]:
    path = resources.files("kolab_core.scorecard") / "published_results.csv"
    rows: dict[Row, dict[str, Decimal]] = defaultdict(dict)
    with path.open(encoding="utf-8") as lines:
        for line in csv.DictReader(lines):
            key = (line["experiment"], line["model"], line["modalities"])
            rows[key][line["metric"]] = Decimal(line["mean"])
    return dict(rows)


ROWS = read_rows()


def test_published_results_are_136_rows_of_952_values() -> None:
    assert len(ROWS) == 136
    assert sum(len(values) for values in ROWS.values()) == 952
    assert Counter(experiment for experiment, _, _ in ROWS) == {
        "adoption_recognition": 34,
        "adoption_forecast": 34,
        "collab_rating": 34,
        "output_quality": 34,
    }


@pytest.mark.parametrize("row", ROWS, ids="/".join)
def test_published_row_agrees_with_itself(row: Row) -> None:
    values = ROWS[row]
    if "macro_f1" in values:
        mean = (values["f1_adopt"] + values["f1_modify"] + values["f1_reject"]) / 3
        # Both sides are of values rounded to three decimals: half a unit each.
        assert abs(values["macro_f1"] - mean) <= Decimal("0.001")
    else:
        bands = [values[band] for band in BANDS]
        assert min(bands) <= values["mae"] <= max(bands)
        assert values["exact_accuracy"] <= values["within_1_accuracy"]
