import json
import subprocess
import sys
import types
from pathlib import Path

import datasets
import evaluate
import evaluate.evaluation_suite
import evaluate.inspect
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tiny_release import edit_json, write_release

import kolab  # the subject: importing it makes the name resolve
from kolab_core.names import registry, registry_evaluate
from kolab_core.names.registry import hash_release, is_export

CHECKOUT = Path(kolab.__file__).resolve().parent

pytestmark = pytest.mark.filterwarnings("ignore:The release at:UserWarning")


@pytest.fixture(autouse=True)
def _alone(own_cache, tmp_path, monkeypatch):
    """An empty working folder and a cache of its own."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")


def _write_parquet(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"mine": [1, 2]}), path)


def _write_readme(folder, yaml):
    folder.mkdir(exist_ok=True)
    (folder / "README.md").write_text(f"---\n{yaml}\n---\n# Kolab\n")


@pytest.mark.parametrize(
    ("install", "hooked", "module", "others"),
    [
        (registry.install, "dataset_module_factory", datasets.load, [datasets.inspect]),
        (
            registry_evaluate.install,
            "evaluation_module_factory",
            evaluate.loading,
            [evaluate.inspect, evaluate.evaluation_suite],
        ),
    ],
    ids=["datasets", "evaluate"],
)
def test_install_again_wraps_once_and_reaches_all(install, hooked, module, others, monkeypatch):
    hook = vars(module)[hooked]
    early = types.ModuleType("early")  # one that imported the function before
    setattr(early, hooked, hook.__wrapped__)
    monkeypatch.setitem(sys.modules, "early", early)
    install()
    again = vars(module)[hooked]
    assert again.__wrapped__ is hook.__wrapped__
    assert not hasattr(again.__wrapped__, "__wrapped__")
    assert all(vars(other)[hooked] is again for other in [*others, early])


def test_other_names_are_still_found():
    Path("rows.json").write_text('{"a": 1}\n')
    loaded = datasets.load_dataset("json", data_files="rows.json", split="train")
    assert loaded[:] == {"a": [1]}
    with pytest.raises(FileNotFoundError):
        datasets.load_dataset(str(Path("kolab").absolute()))


@pytest.mark.parametrize(
    "path", ["a.parquet", "data/a.parquet", "data/step_n/test-0.parquet", "a/b/c/d.parquet"]
)
def test_is_export_parquet_at_most_three_folders_down_wins(path):
    _write_parquet(Path("kolab", path))
    assert is_export(Path("kolab"))


def test_is_export_yaml_configs_win():
    _write_readme(Path("kolab"), "configs:\n- config_name: step_n\n  data_files: step_n/*")
    assert is_export(Path("kolab"))


@pytest.mark.parametrize(
    "yaml",
    ["license: mit", "configs:", "configs: [", "- configs", "", "\tconfigs: 1"],
    ids=["other-keys", "empty", "broken", "list", "nothing", "tab"],
)
def test_is_export_readme_without_configs_does_not_win(yaml):
    _write_readme(Path("kolab"), yaml)
    assert not is_export(Path("kolab"))


@pytest.mark.parametrize(
    "path", [".venv/a.parquet", "a/b/c/d/e.parquet", "a.csv", "kolab.py", "__init__.py"]
)
def test_is_export_other_folders_do_not_win(path):
    file = Path("kolab", path)
    file.parent.mkdir(parents=True)
    file.write_text("x")
    assert not is_export(Path("kolab"))


def test_is_export_checkout_and_release_never_win():
    release = write_release(Path("release"))
    _write_parquet(release / "sessions/P01_S1/files/output/a.parquet")
    _write_parquet(release / "a.parquet")
    checkout = Path("checkout", "kolab_core")
    checkout.mkdir(parents=True)
    _write_parquet(checkout.parent / "data/a.parquet")
    _write_readme(checkout.parent, "configs: [a]")
    assert not is_export(release)
    assert not is_export(checkout.parent)
    assert not is_export(CHECKOUT)
    assert not is_export(Path("nowhere"))


def test_load_local_export_comes_first():
    _write_parquet(Path("kolab/data/test.parquet"))
    assert datasets.load_dataset("kolab", split="test")[:] == {"mine": [1, 2]}


def test_load_named_release_beats_a_local_export(tmp_path):
    _write_parquet(Path("kolab/data/test.parquet"))
    release = write_release(tmp_path / "release", num_sessions=2)
    loaded = datasets.load_dataset("kolab", "sessions", data_dir=str(release), split="test")
    assert loaded["session_id"][:] == ["P01_S1", "P01_S2"]


def test_load_local_release_named_as_the_dataset_does_not():
    write_release(Path("kolab"), num_sessions=5)
    other = write_release(Path("other"), num_sessions=2)
    loaded = datasets.load_dataset("kolab", "sessions", data_dir=str(other), split="test")
    assert len(loaded) == 2


@pytest.mark.parametrize("option", [{"data_files": "a.json"}, {"revision": "main"}])
def test_load_option_that_means_another_source_is_refused(tmp_path, option):
    name, value = next(iter(option.items()))
    with pytest.raises(ValueError, match=rf"^{name}: found '{value}'; expected none"):
        datasets.load_dataset("kolab", **option)
    assert not (tmp_path / "cache").exists()


def test_hash_changes_with_place_content_and_code(tmp_path, monkeypatch):
    here, there = write_release(tmp_path / "here"), write_release(tmp_path / "there")
    first = hash_release(here)
    assert hash_release(here) == first
    assert hash_release(there) != first
    edit_json(here / "sessions/P01_S1/graph.json", "adopt", "reject")
    second = hash_release(here)
    assert second != first
    source = list(registry._read_source())
    source[3] = (source[3][0], source[3][1] + b"\n")
    monkeypatch.setattr(registry, "_read_source", lambda: iter(source))
    assert hash_release(here) != second


def test_read_source_covers_what_rows_come_from():
    names = {name for name, text in registry._read_source() if text}
    wanted = {
        "rows/experiments.py",
        "rows/graph.py",
        "rows/columns.py",
        "release/session.py",
        "kolab.py",
    }
    assert wanted <= names


def test_checkout_named_kolab_and_a_bare_process_resolve_the_name(tmp_path):
    """From the clone's parent, offline, and where only the pickled dataset is known."""
    release = write_release(tmp_path / "release")
    (tmp_path / "work/kolab").symlink_to(CHECKOUT)
    code = """
import json, pickle, sys, warnings
warnings.simplefilter("ignore")
import kolab
from datasets import get_dataset_config_names, load_dataset
names = get_dataset_config_names("kolab", data_dir=sys.argv[1])
stream = load_dataset("kolab", "step_n", data_dir=sys.argv[1], split="test", streaming=True)
with open("stream.pickle", "wb") as file:
    pickle.dump(stream, file)
print(json.dumps([names[0], len(list(stream))]))
"""
    assert json.loads(_run(code, str(release))) == ["adoption_recognition", 12]
    reader = """
import json, pickle
with open("stream.pickle", "rb") as file:
    print(json.dumps(len(list(pickle.load(file)))))
"""
    assert json.loads(_run(reader)) == 12


def _run(code, *arguments):
    environment = {"HF_HUB_OFFLINE": "1", "HOME": str(Path.cwd()), "PYTHONPATH": str(CHECKOUT)}
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True
    ).stdout
