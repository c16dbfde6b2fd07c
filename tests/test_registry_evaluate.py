import json
import os
import subprocess
import sys
from pathlib import Path

import evaluate
import evaluate.evaluation_suite
import evaluate.inspect
import pytest

import kolab_core
from kolab_core import files
from kolab_core.names.registry_evaluate import find_metrics, install, metric_names

NAMES = ("kolab_adoption", "kolab_rating", "kolab_baseline", "kolab_context")
OTHER_RATING = '''
"""Another module of that name."""

import datasets
import evaluate


class KolabRating(evaluate.Metric):
    """Not ours."""

    def _info(self):
        features = datasets.Features({"predictions": datasets.Value("int64")})
        return evaluate.MetricInfo(description="another", citation="", features=features)

    def _compute(self, predictions):
        return {"sum": sum(predictions)}
'''


@pytest.fixture(autouse=True)
def _alone(tmp_path, monkeypatch):
    """An empty working folder, no network, and the names known."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(evaluate.config, "HF_EVALUATE_OFFLINE", True)
    install()


def test_names_are_those_of_the_folder():
    assert set(NAMES) <= set(metric_names())
    for name in metric_names():
        assert (find_metrics() / name / "README.md").is_file()


@pytest.mark.parametrize("name", NAMES)
def test_name_loads_from_an_empty_folder(name):
    module = evaluate.load(name)
    assert module.name == name
    assert evaluate.load(name, module_type=module.module_type).name == name


def test_module_type_that_is_not_the_modules_is_refused():
    with pytest.raises(TypeError, match="comparison"):
        evaluate.load("kolab_rating", module_type="comparison")


def test_load_passes_the_other_arguments_on():
    module = evaluate.load(
        "kolab_baseline", "collab_rating", experiment_id="mine", keep_in_memory=True
    )
    assert (module.config_name, module.experiment_id) == ("collab_rating", "mine")
    assert module.keep_in_memory


def test_local_module_of_that_name_wins(tmp_path):
    (tmp_path / "kolab_rating").mkdir()
    # A folder alone is no module.
    assert "how close" in evaluate.load("kolab_rating").description.lower()
    (tmp_path / "kolab_rating" / "kolab_rating.py").write_text(OTHER_RATING)
    assert evaluate.load("kolab_rating").compute(predictions=[1, 2]) == {"sum": 3}


def test_other_names_are_left_to_evaluate(tmp_path):
    script = OTHER_RATING.replace("KolabRating", "Mine")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "mine.py").write_text(script)
    assert evaluate.load("mine").compute(predictions=[4]) == {"sum": 4}
    with pytest.raises(FileNotFoundError):
        evaluate.load("./kolab_ratings")


def test_inspect_copies_a_module_that_loads(tmp_path, capsys):
    evaluate.inspect_evaluation_module("kolab_rating", str(tmp_path / "edited"))
    assert "kolab_rating" in capsys.readouterr().out
    assert (tmp_path / "edited" / "README.md").is_file()
    module = evaluate.load(str(tmp_path / "edited"))
    assert module.compute(predictions=[4], references=[5])["mae"] == 1.0


def test_suite_and_evaluator_find_the_names(tmp_path):
    (tmp_path / "suite").mkdir()
    (tmp_path / "suite" / "suite.py").write_text(
        "import evaluate\n\n\nclass Suite(evaluate.EvaluationSuite):\n"
        "    def __init__(self, name):\n"
        "        super().__init__(name)\n"
        '        self.suite = [evaluate.load("kolab_adoption")]\n'
    )
    suite = evaluate.EvaluationSuite.load("suite")
    assert suite.suite[0].compute(predictions=["adopt"], references=[0])["accuracy"] == 1.0
    # What an evaluator does with `metric="kolab_adoption"` in a task of a suite.
    metric = evaluate.Evaluator.prepare_metric(None, "kolab_adoption")
    assert metric.name == "kolab_adoption"


def test_combine_takes_the_names():
    both = evaluate.combine(["kolab_rating", "kolab_baseline"])
    assert both.compute(predictions=[4], references=[5])["kolab_rating_mae"] == 1.0


def test_carried_modules_come_before_a_checkouts(tmp_path, monkeypatch):
    package = tmp_path / "site" / "kolab_core"
    (package / "_metrics" / "kolab_rating").mkdir(parents=True)
    monkeypatch.setattr(files, "_PACKAGE", package)
    assert find_metrics() == package / "_metrics"
    assert metric_names() == ()


def test_fresh_process_hooks_evaluate_when_it_comes_and_loads_offline(tmp_path):
    checkout = Path(kolab_core.__file__).parents[1]
    program = (
        "import json, os, sys\n"
        "import kolab\n"
        "from kolab_core.names.registry_evaluate import install\n"
        "install()\n"
        "waiting = len(sys.meta_path)\n"
        'assert "evaluate" not in sys.modules\n'
        'on_demand = {"kolab_core.scores", "kolab_core.skill", "scipy.stats"}\n'
        "assert not on_demand & set(sys.modules)\n"
        "assert kolab.scores.adoption_scores(['adopt'], ['adopt'])['accuracy'] == 1\n"
        "import evaluate\n"
        "assert len(sys.meta_path) == waiting - 1\n"
        "assert evaluate.inspect.evaluation_module_factory._answers_for_kolab\n"
        'first = evaluate.load("kolab_adoption")\n'
        f"os.chdir({str(checkout)!r})\n"
        'second = evaluate.load("metrics/kolab_adoption")\n'
        'rows = {"predictions": ["ADOPT", "?"], "references": [0, 1]}\n'
        "print(json.dumps([m.compute(**rows)['accuracy'] for m in (first, second)]))\n"
    )
    environment = os.environ | {
        "HF_HOME": str(tmp_path / "hf"),
        "HF_HUB_OFFLINE": "1",
        "PYTHONPATH": str(checkout),
    }
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == [0.5, 0.5]
