import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kolab_core.scores import parse, parse_label, parse_rating
from kolab_core.scores.parsing import (
    FractionalRatingError,
    read_label_predictions,
    read_label_references,
    read_rating_predictions,
    read_rating_references,
)
from kolab_core.scores.text import as_text, text_column

ADOPT, MODIFY, REJECT = 0, 1, 2


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ("ADOPT", ADOPT),
        ("Modify.", MODIFY),
        ("REJECT/BYPASS", REJECT),
        ("reject or bypass", REJECT),
        ("bypass", REJECT),
        ('"label": "reject"', REJECT),
        ('{"label": "modify", "reason": "they will not adopt all of it"}', MODIFY),
        ('```json\n{"Answer": "ADOPT"}\n```', ADOPT),
        ({"label": "reject"}, REJECT),
        ('{"label": 1}', MODIFY),
        ("Given the rework so far, the architect will most likely ADOPT", ADOPT),
        ("I expect the output to be modified.", MODIFY),
        ("Adoption label: **REJECT**", REJECT),
        ("ADOPT. Final answer: ADOPT", ADOPT),
        ("label_modify", MODIFY),
        (0, ADOPT),
        (np.int64(1), MODIFY),
        (2.0, REJECT),
        ("2", REJECT),
        ("label: 0", ADOPT),
    ],
)
def test_parse_label_one_label_named(answer, label):
    assert parse_label(answer) == label


@pytest.mark.parametrize(
    "answer",
    [
        "",
        None,
        "I would adopt it, then modify",
        "ADOPT or REJECT/BYPASS",
        "Options: ADOPT, MODIFY, REJECT/BYPASS",
        "no idea",
        "the unmodified draft",
        "readoption",
        "They will not adopt it",
        "It won't be **adopted**",
        3,
        -1,
        "-1",
        0.5,
        float("nan"),
        True,
        [0, 1],
        '{"label": ["adopt", "modify"]}',
    ],
)
def test_parse_label_none_or_two_or_denied_is_invalid(answer):
    assert parse_label(answer) is None


@pytest.mark.parametrize(
    ("answer", "rating"),
    [
        (4, 4),
        (np.float32(3.0), 3),
        ("5", 5),
        ("4.0", 4),
        ("**2**", 2),
        ("Rating: 3.", 3),
        ("4/5", 4),
        ("4 out of 5", 4),
        ("4 (out of 5)", 4),
        ("**4**/5", 4),
        ("**4** / **5**", 4),
        ("On a scale of 1-5, I'd say 2", 2),
        ("Rating (1–5): 1", 1),
        ('{"rating": 4, "confidence": 0.9}', 4),
        ("4. It really is a 4", 4),
    ],
)
def test_parse_rating_one_number(answer, rating):
    assert parse_rating(answer) == rating


@pytest.mark.parametrize(
    "answer",
    [
        *("", None, 0, 6, -4, True, float("nan"), float("inf"), "9" * 400),
        *("3 or 4", "3-4", "4,5", "good", "Q4", "4th", "4.5.1", "4/10", "80%"),
    ],
)
def test_parse_rating_no_number_or_several_or_out_of_range_is_invalid(answer):
    assert parse_rating(answer) is None


@pytest.mark.parametrize("number", [4.7, np.float32(0.5), Fraction(9, 2)])
def test_parse_rating_fractional_number_raises(number):
    with pytest.raises(FractionalRatingError, match="expected a whole number from 1 to 5"):
        parse_rating(number)


@pytest.mark.parametrize(
    ("answer", "rounded"),
    [
        ("4.7", 5),
        ("about 4.5 stars", 4),
        ("4.5/5", 4),
        ('{"rating": 2.5}', 2),
        ("Score: 5.6", None),
    ],
)
def test_parse_rating_fraction_in_text_is_invalid_unless_rounded(answer, rounded):
    assert parse_rating(answer) is None
    assert parse_rating(answer, round=True) == rounded


def test_parse_rating_fraction_rounds_halves_to_even():
    rounded = [parse_rating(x, round=True) for x in (4.7, 3.2, 2.5, 3.5, 5.4, 0.4)]
    # 0.4 rounds to 0, which is no rating.
    assert rounded == [5, 3, 2, 4, 5, None]


@pytest.mark.parametrize(
    "line", (Path(__file__).parent / "data" / "answers.jsonl").read_text("utf-8").splitlines()
)
def test_parse_golden_answer(line):
    case = json.loads(line)
    assert parse(case["answer"], case["config"]) == case["gives"], case["why"]


def test_parse_is_the_same_for_all_experiments_of_a_kind():
    for config in ("adoption_recognition", "adoption_forecast", "workflow_level", "step_n"):
        assert parse("Rating: 3. I would adopt it.", config) == "adopt"
    for config in ("collab_rating", "output_quality"):
        assert parse("Rating: 3. I would adopt it.", config) == 3
        assert parse(4.5, config) is None


def test_parse_unknown_config_raises():
    with pytest.raises(ValueError, match="config: found 'forecast'; expected one of adoption"):
        parse("ADOPT", "forecast")


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["adopt", "maybe"], r"references\[1\]: found 'maybe'; expected adopt, modify or reject"),
        (["", "3"], r"references\[0\]: found ''; .* 1 more rows are like it"),
        (["True"], r"references\[0\]: found 'True'"),
        (["1.5"], r"references\[0\]: found '1.5'"),
    ],
)
def test_read_label_references_bad_one_names_the_row(texts, message):
    with pytest.raises(ValueError, match=message):
        read_label_references(texts)


def test_read_references_names_ids_and_floats_of_whole_numbers():
    labels = read_label_references(
        ["adopt", "MODIFY", "Reject", "REJECT/BYPASS", "0", "1.0", " 2 "]
    )
    assert labels.tolist() == [0, 1, 2, 2, 0, 1, 2]
    assert read_rating_references(["1", "5.0", " 3"]).tolist() == [0, 4, 2]


@pytest.mark.parametrize("text", ["0", "6", "4.5", "nan", "", "four", "4/5"])
def test_read_rating_references_bad_one_raises(text):
    with pytest.raises(ValueError, match=r"references\[1\]: found .* whole number from 1 to 5"):
        read_rating_references(["3", text])


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        (4, "4"),
        (4.7, "4.7"),
        (0.1 + 0.2, "0.30000000000000004"),
        (np.int8(-3), "-3"),
        (np.array(2.5), "2.5"),
        (b"adopt", "adopt"),
        ("caf\u00e9", "caf\u00e9"),
        ("\ud800", "\\ud800"),
        ({"a": np.int64(1), "b": [None]}, '{"a": 1, "b": [null]}'),
    ],
)
def test_as_text_loses_nothing(value, text):
    assert as_text(value) == text


@given(st.floats(allow_nan=False))
def test_as_text_float_reads_back_exactly(value):
    assert float(as_text(value)) == value


def test_text_column_of_any_kind():
    for column in ([1, 2], (1, 2), np.array([1, 2]), (x for x in (1, 2)), np.array([1, 2], object)):
        assert text_column("predictions", column) == ["1", "2"]


@pytest.mark.parametrize("column", ["adopt", b"adopt", 3, {"a": 1}])
def test_text_column_not_a_column_raises(column):
    with pytest.raises(TypeError, match=r"predictions: found .* expected a list or an array"):
        text_column("predictions", column)


def test_text_column_two_dimensions_raises():
    with pytest.raises(ValueError, match=r"found an array of shape \(2, 1\)"):
        text_column("predictions", np.array([[1], [2]]))


@given(st.lists(st.text(max_size=20), min_size=1, max_size=20))
def test_parsers_take_any_text(texts):
    assert set(read_label_predictions(texts)) <= {0, 1, 2, 3}
    assert set(read_rating_predictions(texts, round=True)) <= {0, 1, 2, 3, 4, 5}


@pytest.mark.parametrize("unit", [" ", "1", "not ", "{", "( ", "n't ", "from ", "1-2-"])
def test_parsers_huge_text_ends(unit):
    text = unit * (1 << 18) + "x"
    assert parse_label(text) is None
    assert parse_rating(text) is None
    assert parse_rating(f"6{text}") is None
