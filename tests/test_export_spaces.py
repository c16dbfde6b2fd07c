from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import evaluate.loading
import pytest
from huggingface_hub import SpaceCard, metadata_load

from kolab_core.export.viewer.steps import _environment
from scripts import spaces_probe
from scripts.export_spaces import (
    FUNCTIONS,
    REQUIREMENTS,
    ROOT,
    SPACES,
    find_modules,
    main,
)
from scripts.spaces_check import CASES, compute_here

NAMES = [module.stem for module in find_modules()]
# What `datasets` and this environment have, and a Space with our requirements has not.
BLOCKED = ("kolab", "kolab_core", "pydantic", "av", "matplotlib")


@pytest.fixture(scope="module")
def spaces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("spaces")
    assert main(["--out", str(out)]) == 0
    return out


def test_every_module_has_a_space_and_a_case(spaces: Path) -> None:
    assert sorted(path.name for path in spaces.iterdir()) == sorted(NAMES)
    assert set(NAMES) == set(SPACES) == set(CASES)


@pytest.mark.parametrize("name", NAMES)
def test_space_is_whole(name: str, spaces: Path) -> None:
    files = {path.name for path in (spaces / name).iterdir()}
    assert files == {f"{name}.py", f"{FUNCTIONS}.py", "README.md", "app.py", "requirements.txt"}
    requirements = (spaces / name / "requirements.txt").read_text().split()
    assert requirements == ["evaluate", "numpy", "scipy", "scikit-learn"] == list(REQUIREMENTS)
    for file in (f"{name}.py", f"{FUNCTIONS}.py", "app.py"):
        text = (spaces / name / file).read_text()
        imported = re.findall(r"^\s*(?:from|import)\s+(\S+)", text, flags=re.MULTILINE)
        assert not [module for module in imported if module.partition(".")[0].startswith("kolab")]
        compile(text, file, "exec")


@pytest.mark.parametrize("name", NAMES)
def test_evaluate_reads_from_the_imports_what_to_copy(name: str, spaces: Path) -> None:
    imports = evaluate.loading.get_imports(str(spaces / name / f"{name}.py"))
    internal = [module for kind, module, _, _ in imports if kind == "internal"]
    libraries = {module for kind, module, _, _ in imports if kind == "library"}
    assert internal == [FUNCTIONS]
    assert libraries - set(sys.stdlib_module_names) <= {"evaluate", "numpy"}


@pytest.mark.parametrize("name", NAMES)
def test_functions_import_what_the_requirements_bring(name: str, spaces: Path) -> None:
    tree = ast.parse((spaces / name / f"{FUNCTIONS}.py").read_text())
    roots = {
        (node.module if isinstance(node, ast.ImportFrom) else alias.name or "").partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    # `evaluate` brings `datasets`, and that brings `pyarrow`.
    brought = {"numpy", "scipy", "sklearn", "datasets", "pyarrow"}
    assert roots - set(sys.stdlib_module_names) <= brought


@pytest.mark.parametrize("name", NAMES)
def test_card_says_what_the_space_is(name: str, spaces: Path) -> None:
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


def test_namespace_is_what_examples_load(tmp_path: Path) -> None:
    assert main(["--out", str(tmp_path), "--namespace", "someone"]) == 0
    for name in NAMES:
        assert f'evaluate.load("someone/{name}")' in (tmp_path / name / "README.md").read_text()


def test_app_has_the_widget_where_cells_suit_the_input(spaces: Path) -> None:
    with_widget = {
        name for name in NAMES if "launch_gradio_widget(" in (spaces / name / "app.py").read_text()
    }
    assert set(NAMES) - with_widget == {"kolab_dynamics"}


def test_export_again_gives_the_same_files(spaces: Path, tmp_path: Path) -> None:
    assert main(["--out", str(tmp_path)]) == 0
    for name in NAMES:
        for path in (tmp_path / name).iterdir():
            assert path.read_bytes() == (spaces / name / path.name).read_bytes()


def test_spaces_compute_the_same_without_this_project(spaces: Path, tmp_path: Path) -> None:
    (tmp_path / "cases.json").write_text(json.dumps(CASES))
    code = (
        "import runpy, sys\n"
        f"sys.modules.update(dict.fromkeys({BLOCKED!r}))\n"
        "sys.argv = sys.argv[1:]\n"
        "runpy.run_path(sys.argv[0], run_name='__main__')\n"
    )
    program = [sys.executable, "-I", "-c", code, str(Path(spaces_probe.__file__))]
    done = subprocess.run(
        [*program, str(spaces), str(tmp_path / "cases.json"), "--doctest"],
        capture_output=True,
        text=True,
        check=False,
        env=_environment(str(tmp_path / "cache")),
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    expected = compute_here()
    for name in NAMES:
        assert json.dumps(found[name]) == json.dumps(expected[name])  # as text: nan equals nan
