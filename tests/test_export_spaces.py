import doctest
import json
import subprocess
import sys

import evaluate
import pytest
from huggingface_hub import SpaceCard, metadata_load

from scripts.export_spaces import ROOT, SPACES, find_modules, main

NAMES = [module.stem for module in find_modules()]
# Loads each folder named, and prints what was wrong with it.
PROBE = """
import json, pathlib, sys
sys.modules.update(kolab=None, kolab_core=None)
import evaluate
said = {}
for folder in map(pathlib.Path, sys.argv[1:]):
    try:
        evaluate.load(str(folder))
    except ImportError as err:
        said[folder.name] = str(err)
print(json.dumps(said))
"""


@pytest.fixture(scope="module")
def spaces(tmp_path_factory):
    out = tmp_path_factory.mktemp("spaces")
    assert main(["--out", str(out)]) == 0
    return out


def test_every_module_has_a_space(spaces):
    assert sorted(path.name for path in spaces.iterdir()) == sorted(NAMES)
    assert set(NAMES) == set(SPACES)


@pytest.mark.parametrize("name", NAMES)
def test_space_is_the_module_and_what_to_install(name, spaces):
    files = {path.name: path.read_text() for path in (spaces / name).iterdir()}
    assert set(files) == {f"{name}.py", "README.md", "app.py", "requirements.txt"}
    assert files[f"{name}.py"] == (ROOT / "metrics" / name / f"{name}.py").read_text()
    assert files["requirements.txt"] == "kolab\n"
    compile(files["app.py"], "app.py", "exec")


def test_package_can_come_from_elsewhere(tmp_path):
    package = "kolab @ https://example.org/kolab-0.1.0-py3-none-any.whl"
    assert main(["--out", str(tmp_path), "--package", package]) == 0
    assert (tmp_path / NAMES[0] / "requirements.txt").read_text() == f"{package}\n"


def test_without_the_package_evaluate_says_to_install_it(spaces, tmp_path):
    done = subprocess.run(
        [sys.executable, "-I", "-c", PROBE, *(str(spaces / name) for name in NAMES)],
        capture_output=True,
        text=True,
        check=True,
        env={"HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1"},
    )
    assert json.loads(done.stdout) == {
        name: (
            f"To be able to use {name}, you need to install the following dependencies['kolab'] "
            "using 'pip install kolab' for instance'"
        )
        for name in NAMES
    }


@pytest.mark.parametrize("name", NAMES)
def test_space_loads_and_its_examples_hold(name, spaces, tmp_path):
    module = evaluate.load(str(spaces / name), cache_dir=str(tmp_path))
    text = module.inputs_description.replace(f'"{name}"', repr(str(spaces / name)))
    examples = doctest.DocTestParser().get_doctest(text, {"evaluate": evaluate}, name, None, 0)
    assert examples.examples
    assert doctest.DocTestRunner().run(examples).failed == 0


@pytest.mark.parametrize("name", NAMES)
def test_card_says_what_the_space_is(name, spaces):
    card = SpaceCard.load(spaces / name / "README.md", ignore_metadata_errors=False)
    data = card.data.to_dict()
    own = metadata_load(ROOT / "metrics" / name / "README.md") or {}
    assert data["sdk"] == "gradio"
    assert data["app_file"] == "app.py"
    assert data["sdk_version"]
    assert data["title"] == own["title"]
    assert data["emoji"] == SPACES[name].emoji
    kind = {"kolab_context": "comparison", "kolab_dynamics": "measurement"}.get(name, "metric")
    assert data["tags"] == ["evaluate", kind]
    assert "import kolab" not in card.text
    assert f'evaluate.load("{name}")' in card.text


def test_namespace_is_what_examples_load(tmp_path):
    assert main(["--out", str(tmp_path), "--namespace", "someone"]) == 0
    for name in NAMES:
        assert f'evaluate.load("someone/{name}")' in (tmp_path / name / "README.md").read_text()


def test_app_has_the_widget_where_cells_suit_the_input(spaces):
    with_widget = {
        name for name in NAMES if "launch_gradio_widget(" in (spaces / name / "app.py").read_text()
    }
    assert set(NAMES) - with_widget == {"kolab_dynamics"}


def test_export_again_gives_the_same_files(spaces, tmp_path):
    assert main(["--out", str(tmp_path)]) == 0
    for name in NAMES:
        for path in (tmp_path / name).iterdir():
            assert path.read_bytes() == (spaces / name / path.name).read_bytes()
