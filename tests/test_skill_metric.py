import doctest
import json

import evaluate
import numpy as np
import pytest
from skill_studies import make_study

from kolab_core.skill import fit_skill

PATH = "metrics/collab_skill"
TWO = {"agents": ["a", "a", "b", "b"], "humans": ["x", "y", "x", "y"], "outcomes": [3, 2, 2, 1]}


@pytest.fixture
def rating(request, monkeypatch):
    monkeypatch.chdir(request.config.rootpath)
    return evaluate.load(PATH)


def test_compute_equals_the_plain_function(rating):
    study = make_study(num_agents=4, num_humans=9, num_sessions=40)
    options = {"beta": 1.3, "mu0": 2.0, "sigma0": 0.9, "center": True}
    found = rating.compute(**study.columns(), tasks=study.tasks, **options)
    assert found == fit_skill(**study.columns(), **options).as_dict()
    assert json.loads(json.dumps(found)) == found


def test_examples_of_the_description_hold(rating):
    examples = doctest.DocTestParser().get_doctest(
        rating.inputs_description, {}, "collab_skill", None, 0
    )
    assert len(examples.examples) >= 5
    assert doctest.DocTestRunner().run(examples).failed == 0


def test_features_are_three_texts(rating):
    assert list(rating.features) == ["agents", "humans", "outcomes"]
    assert {feature.dtype for feature in rating.features.values()} == {"string"}


def test_compute_takes_arrays_batches_and_mixed_types(rating):
    plain = rating.compute(**TWO)
    assert rating.compute(**{name: np.array(column) for name, column in TWO.items()}) == plain
    rating.add_batch(**{name: column[:3] for name, column in TWO.items()})
    rating.add_batch(**{name: column[3:] for name, column in TWO.items()})
    assert rating.compute() == plain
    assert rating.compute(**{**TWO, "outcomes": [3, 2.0, "2", np.int64(1)]}) == plain


def test_prob_greater_and_update_after_compute(rating):
    rating.compute(**TWO)
    posterior = fit_skill(**TWO)
    found = rating.prob_greater("a", "b")
    assert found["probability"] == posterior.prob_greater("a", "b").probability
    assert 0.5 < found["probability_independent"] < found["probability"] < 1
    assert rating.prob_greater("x", "y", side="humans")["comparable"] is True
    more = {"agents": ["c"], "humans": ["x"], "outcomes": [9.5]}
    assert rating.update(**more) == posterior.update(**more).as_dict()


def test_save_and_load_keep_the_table(rating, request, monkeypatch, tmp_path):
    table = rating.compute(**TWO)
    rating.save(tmp_path / "skill.npz")
    monkeypatch.chdir(request.config.rootpath)
    assert evaluate.load(PATH).load(tmp_path / "skill.npz") == table


def test_stability_uses_the_tasks_given(rating):
    study = make_study(num_agents=3, num_humans=6, num_sessions=30)
    rating.compute(**study.columns())
    assert rating.stability(rounds=10)["leave_one_task_out"] is None
    rating.compute(**study.columns(), tasks=study.tasks)
    found = rating.stability(rounds=10, seed=3)
    assert found["leave_one_task_out"]["names"] == tuple(sorted(set(study.tasks)))
    assert found["bootstrap"]["rounds"] == 10
    assert len(found["naive"]) == 3
    assert found == rating.stability(rounds=10, seed=3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"outcomes": [3, None, 2, 1]}, r"outcomes\[1\]: found ''; expected a finite number"),
        ({"outcomes": [3, "good", 2, 1]}, r"outcomes\[1\]: found 'good'; expected a finite"),
        ({"agents": ["a", "", "b", "b"]}, r"agents\[1\]: found ''; expected a name"),
        ({"humans": ["x", "y"]}, "2 humans, 4 outcomes; expected as many of each"),
        ({"tasks": ["t"]}, "tasks: found 1 values; expected one for each of 4 rows"),
        ({"tasks": ["t", "t", "", "t"]}, r"tasks\[2\]: found ''; expected a name"),
        ({"beta": 0}, "beta: found 0; expected a finite number > 0"),
        ({"agents": [], "humans": [], "outcomes": []}, "found 0 rows; expected at least 1"),
    ],
    ids=str,
)
def test_compute_bad_input_says_what_and_leaves_the_module_usable(rating, change, message):
    with pytest.raises(ValueError, match=message):
        rating.compute(**{**TWO, **change})
    assert rating.compute(**TWO)["n"] == 4


def test_methods_before_compute_say_what_is_missing(rating, tmp_path):
    with pytest.raises(ValueError, match="expected a `compute` or `load` before"):
        rating.prob_greater("a", "b")
    with pytest.raises(ValueError, match="expected a `compute` or `load` before"):
        rating.save(tmp_path / "skill.npz")
    with pytest.raises(ValueError, match="expected a `compute` before"):
        rating.stability()
    assert not list(tmp_path.iterdir())
