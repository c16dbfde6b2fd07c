import doctest
import json
import sys
from pathlib import Path

import datasets
import evaluate
import numpy as np
import pytest

import kolab_core
from kolab_core.scores import adoption_scores, baseline_scores, compare_predictions, rating_scores

METRICS = Path(kolab_core.__file__).parents[1] / "metrics"
TRUE = ["adopt", "modify", "reject", "adopt"]
ANSWERS = ["ADOPT", "Modify.", "REJECT/BYPASS", '"label": "reject"']
NAMES = ("kolab_adoption", "kolab_rating", "kolab_baseline", "kolab_context")


@pytest.fixture
def load(tmp_path):
    def load_module(name, *args, **kwargs):
        return evaluate.load(str(METRICS / name), *args, cache_dir=str(tmp_path), **kwargs)

    return load_module


def same(first, second):
    return json.dumps(first) == json.dumps(second)


@pytest.mark.parametrize("name", NAMES)
def test_module_describes_itself(load, name):
    module = load(name)
    assert module.name == name
    assert module.module_type == ("comparison" if name == "kolab_context" else "metric")
    assert isinstance(module.features, datasets.Features)
    assert {feature.dtype for feature in module.features.values()} == {"string"}
    for text in (module.description, module.inputs_description, module.citation):
        assert text.strip()
    assert "Range" in module.description or "range" in module.description
    for method in (module.compute, module.add, module.add_batch):
        assert module.inputs_description in method.__doc__


@pytest.mark.parametrize("name", NAMES)
def test_module_examples_hold(load, name):
    module = load(name)
    text = module.inputs_description.replace(
        f'evaluate.load("{name}")', f'evaluate.load("{METRICS / name}")'
    )
    runner = doctest.DocTestRunner()
    runner.run(doctest.DocTestParser().get_doctest(text, {}, name, None, None))
    assert runner.tries >= 4
    assert runner.failures == 0


def test_modules_give_what_the_functions_give(load):
    groups = ["P1", "P1", "P2", "P3"]
    options = {"groups": groups, "confidence": 0.9, "rounds": 40}
    assert same(
        load("kolab_adoption").compute(predictions=ANSWERS, references=TRUE, **options),
        adoption_scores(ANSWERS, TRUE, **options),
    )
    assert same(
        load("kolab_rating").compute(
            predictions=[4, 5, 1, "?"], references=[4, 4, 2, 5], **options
        ),
        rating_scores([4, 5, 1, "?"], [4, 4, 2, 5], **options),
    )
    assert same(
        load("kolab_baseline").compute(references=TRUE, training=["reject"], **options),
        baseline_scores(TRUE, training=["reject"], **options),
    )
    assert same(
        load("kolab_context").compute(
            predictions1=ANSWERS, predictions2=TRUE, references=TRUE, **options
        ),
        compare_predictions(ANSWERS, TRUE, TRUE, **options),
    )


def test_fractions_are_not_cut_off(load):
    rating = load("kolab_rating")
    with pytest.raises(ValueError, match=r"predictions\[0\]: found 4.7;.* round=True"):
        rating.compute(predictions=[4.7, 3.2], references=[5, 3])
    # 4 and 3 would give an exact accuracy of a half.
    result = rating.compute(predictions=[4.7, 3.2], references=[5, 3], round=True)
    assert result["exact_accuracy"] == 1.0
    rating.add(prediction=4, reference=4)
    rating.add(prediction=4.5, reference=4)
    with pytest.raises(ValueError, match=r"predictions\[1\]: found 4.5;"):
        rating.compute()
    assert rating.compute(predictions=[4.0], references=[4])["exact_accuracy"] == 1.0


def test_fractions_in_a_models_text_are_invalid_and_stop_nothing(load):
    result = load("kolab_rating").compute(predictions=["4.5", "Rating: 3"], references=[5, 3])
    assert (result["n_invalid"], result["exact_accuracy"]) == (1, 0.5)
    assert "predictions: 1 invalid for a fraction; round=True rounds it." in result["notes"]


@pytest.mark.parametrize(
    ("predictions", "num_invalid"),
    [
        ([1, "ADOPT", 2.0, "adopt"], 0),
        ([None, "modify", 2, 0], 1),
        (["adopt", 1, None, np.int64(0)], 1),
        ([{"label": "adopt"}, ["modify"], True, b"adopt"], 1),
        (["", "\ud800", "x" * 1_000_000, float("nan")], 4),
    ],
    ids=["int first", "None first", "text first", "odd types", "nothing"],
)
def test_mixed_types_become_text(load, predictions, num_invalid):
    result = load("kolab_adoption").compute(predictions=predictions, references=TRUE)
    assert result["n_invalid"] == num_invalid
    assert same(result, adoption_scores(predictions, TRUE))


@pytest.mark.parametrize("keep_in_memory", [False, True])
@pytest.mark.parametrize("name", ["kolab_adoption", "kolab_rating"])
def test_no_row_is_a_plain_error(load, name, keep_in_memory):
    module = load(name, keep_in_memory=keep_in_memory)
    module.add_batch(predictions=[], references=[])
    for call in (
        lambda: module.compute(predictions=[], references=[]),
        lambda: module.compute(predictions=np.array([]), references=np.array([])),
        module.compute,
    ):
        with pytest.raises(ValueError, match=f"{name}: found 0 rows; expected at least 1."):
            call()


def test_arrays_columns_and_tuples_are_columns(load):
    rating = load("kolab_rating")
    expected = rating_scores([4, 5, 1], [4, 4, 2])
    table = datasets.Dataset.from_dict({"prediction": [4, 5, 1], "rating": [4, 4, 2]})
    columns = [
        (np.array([4, 5, 1]), np.array([4, 4, 2], dtype=np.int8)),
        (np.array([4.0, 5.0, 1.0], dtype=np.float32), (4, 4, 2)),
        (table["prediction"], table["rating"]),
        (table.data["prediction"], table.with_format("numpy")["rating"]),
        (np.array([4, "5", 1], dtype=object), ["4", 4.0, 2]),
    ]
    for predictions, references in columns:
        assert same(rating.compute(predictions=predictions, references=references), expected)


@pytest.mark.parametrize("keep_in_memory", [False, True])
def test_rows_may_come_in_batches_and_one_by_one(load, keep_in_memory):
    module = load("kolab_adoption", keep_in_memory=keep_in_memory)
    module.add(prediction=ANSWERS[0], reference=TRUE[0])
    module.add_batch(predictions=np.array([1]), references=[1])
    module.add_batch(predictions=[], references=[])
    assert len(module) == 2
    result = module.compute(predictions=ANSWERS[2:], references=TRUE[2:], groups=[1, 1, 2, 2])
    assert same(result, adoption_scores(ANSWERS, TRUE, groups=[1, 1, 2, 2]))
    # The next computation starts from nothing.
    assert module.compute(predictions=["adopt"], references=["adopt"])["n"] == 1


def test_add_takes_the_inputs_of_a_comparison(load):
    module = load("kolab_context")
    for answer, true in zip(ANSWERS, TRUE, strict=True):
        module.add(predictions1=answer, predictions2=true, reference=true)
    assert same(module.compute(rounds=20), compare_predictions(ANSWERS, TRUE, TRUE, rounds=20))


@pytest.mark.parametrize("option", ["groups", "runs"])
def test_option_of_another_length_is_refused_and_rows_stay(load, option):
    module = load("kolab_adoption")
    module.add_batch(predictions=ANSWERS, references=TRUE)
    with pytest.raises(ValueError, match=f"{option}: found 3 values; .* each of 4 rows"):
        module.compute(**{option: [1, 2, 3]})
    with pytest.raises(TypeError, match=f"{option}: found 'P1'; expected a list"):
        module.compute(**{option: "P1"})
    assert module.compute()["n"] == 4


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"predictions": [1, 2], "references": [1]}, ValueError, "found 2 predictions, 1 referen"),
        ({"predictions": [1]}, ValueError, "found no 'references'; expected the inputs"),
        ({"references": [1]}, ValueError, "found no 'predictions'"),
        ({"predictions": "4", "references": [1]}, TypeError, "predictions: found str '4'"),
        (
            {"predictions": [1], "references": [1], "confidance": 0.9},
            TypeError,
            "found option 'confidance'; expected 'invalid', 'round', 'confidence'",
        ),
        (
            {"predictions": np.ones((2, 1)), "references": [1, 1]},
            ValueError,
            r"predictions: found an array of shape \(2, 1\)",
        ),
    ],
)
def test_bad_call_is_refused_before_anything_is_kept(load, given, error, message):
    module = load("kolab_rating")
    with pytest.raises(error, match=message):
        module.compute(**given)
    assert len(module) == 0
    assert module.compute(predictions=[1], references=[1])["mae"] == 0


def test_add_refuses_an_unknown_input(load):
    module = load("kolab_rating")
    with pytest.raises(ValueError, match="kolab_rating: found input 'answers'; expected"):
        module.add_batch(predictions=[1], references=[1], answers=[1])
    with pytest.raises(ValueError, match="kolab_rating: found input 'answer'; expected"):
        module.add(prediction=1, reference=1, answer=1)


@pytest.mark.parametrize("keep_in_memory", [False, True])
def test_failed_computation_leaves_no_row_and_no_file(load, tmp_path, keep_in_memory):
    module = load("kolab_rating", keep_in_memory=keep_in_memory)
    with pytest.raises(ValueError, match=r"references\[0\]: found '9'"):
        module.compute(predictions=[1], references=[9])
    assert not list(tmp_path.rglob("*.arrow"))
    assert module.compute(predictions=[1], references=[1])["n"] == 1


def test_two_instances_at_once_keep_their_rows_apart(load):
    first, second = load("kolab_rating"), load("kolab_rating", experiment_id="other")
    third = load("kolab_rating", keep_in_memory=True)
    for module, rating in ((first, 1), (second, 2), (third, 3)):
        module.add_batch(predictions=[rating] * rating, references=[5] * rating)
    found = [module.compute() for module in (third, first, second)]
    assert [result["n"] for result in found] == [3, 1, 2]
    assert [result["mae"] for result in found] == [2, 4, 3]


def test_baseline_takes_the_kind_from_the_config(load):
    module = load("kolab_baseline", "output_quality")
    assert module.compute(references=[1, 2, 2])["mode_rating"] == 2
    assert module.compute(references=[1, 2, 2], kind="adoption")["majority_class"] == "reject"
    with pytest.raises(ValueError, match="may be labels or ratings"):
        load("kolab_baseline").compute(references=[1, 2, 2])


def test_combine_where_the_inputs_agree(load):
    both = evaluate.combine([load("kolab_rating"), load("kolab_baseline")])
    result = both.compute(predictions=[4, 4, 2], references=[5, 5, 1], invalid="drop")
    assert result["mode_rating"] == 5
    assert result["kolab_rating_mae"] == 1.0
    assert result["kolab_baseline_mae"] == pytest.approx(4 / 3)
    both.add(prediction=4, reference=5)
    both.add_batch(predictions=["3"], references=[5])
    assert both.compute()["kolab_rating_mae"] == 1.5
    labels = evaluate.combine([load("kolab_adoption"), load("kolab_baseline")], force_prefix=True)
    result = labels.compute(predictions=ANSWERS, references=TRUE)
    assert result["kolab_adoption_accuracy"] == 0.75
    assert result["kolab_baseline_majority_class"] == "adopt"


def test_modules_are_scripts_that_evaluates_parser_reads():
    for name in NAMES:
        imports = evaluate.loading.get_imports(str(METRICS / name / f"{name}.py"))
        found = {imported for _, imported, _, _ in imports}
        assert {"__future__", "evaluate", "kolab"} <= found
        assert found <= set(sys.stdlib_module_names) | {"__future__", "evaluate", "kolab"}
