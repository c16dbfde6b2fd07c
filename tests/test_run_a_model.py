"""Every block of docs/run_a_model.md runs, with a mock in the model's place."""

import gc
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import kolab
from kolab_core.commands.cli import main
from kolab_core.harness import lmms_eval, read_modalities

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "docs/run_a_model.md").read_text(encoding="utf-8")
MODEL = "openai/gpt-4o"


def blocks(language, *, part):
    """The blocks of a language under a heading."""
    _, _, section = TEXT.partition(f"\n## {part}\n")
    found = re.findall(rf"^```{language}\n(.+?)^```", section.partition("\n## ")[0], re.M | re.S)
    assert found
    return found


@pytest.fixture
def _mock_of_inspect(monkeypatch, tmp_path):
    """inspect-ai's mock, that counts no tokens: for that it would fetch a tokenizer."""
    mockllm = pytest.importorskip("inspect_ai.model._providers.mockllm")

    async def count(self, input):
        del self, input
        return 1

    monkeypatch.setattr(mockllm.MockLLM, "count_tokens", count, raising=False)
    monkeypatch.setattr(mockllm.MockLLM, "default_output", "ADOPT")
    for name in ("XDG_DATA_HOME", "INSPECT_LOG_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.delenv("KOLAB_DATA_DIR", raising=False)
    assert kolab.inspect_tasks
    yield
    gc.collect()  # what inspect-ai leaves open shall complain here, where that is passed over


@pytest.mark.usefixtures("_mock_of_inspect")
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_inspect_commands_run(tmp_path):
    testing = pytest.importorskip("click.testing")
    from inspect_ai._cli.main import inspect
    from inspect_ai.log import read_eval_log

    lines = [line for block in blocks("sh", part="inspect-ai") for line in block.splitlines()]
    lines = [line for line in lines if line.startswith("inspect eval")]
    assert len(lines) == 3
    for line in lines:
        words = shlex.split(line.replace(MODEL, "mockllm/model"))[1:]
        small = ["--limit", "3", "--display", "plain", "-T", "num_frames=2", "-T", "size=32"]
        result = testing.CliRunner().invoke(inspect, [*words, *small])
        assert result.exit_code == 0, result.output
        newest = max(tmp_path.rglob("*.eval"), key=lambda log: log.stat().st_mtime)
        (score,) = read_eval_log(str(newest)).results.scores
        assert "n_invalid" in score.metrics


@pytest.mark.usefixtures("_mock_of_inspect")
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_inspect_in_python_runs(capsys):
    [block] = blocks("python", part="inspect-ai")
    exec(block.replace(MODEL, "mockllm/model"), {})
    assert re.search(r"^0\.\d+$", capsys.readouterr().out, re.M)


@pytest.fixture
def _own_folder(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
    monkeypatch.delenv("KOLAB_DATA_DIR", raising=False)


@pytest.mark.usefixtures("_own_folder")
def test_predict_in_python_runs(capsys):
    [block] = blocks("python", part="Any callable or program")
    exec(block, {})
    assert capsys.readouterr().out == "31 {'chat': 4}\n"


@pytest.mark.usefixtures("_own_folder")
def test_predict_commands_run(capsys):
    [block] = blocks("sh", part="Any callable or program")
    asked, scored = block.replace("my-model --quiet", "echo 4").splitlines()
    for line in (asked, scored):
        program, *words = shlex.split(line)
        assert program == "kolab"
        assert main(words) == 0
    assert "17 × 3 runs" in capsys.readouterr().out


def test_lmms_eval_commands_name_tasks_and_settings_that_are_there():
    for block in blocks("sh", part="lmms-eval"):
        words = shlex.split(block.replace("\\\n", " "))
        settings = [word for word in words if word.startswith("KOLAB_MODALITIES=")]
        for setting in settings:
            assert read_modalities(setting.partition("=")[2])
        name = words[words.index("--tasks") + 1]
        command = re.fullmatch(r"\$\((.+)\)", words[words.index("--include_path") + 1])[1]
        printed = subprocess.run(
            [sys.executable, *shlex.split(command)[1:]], capture_output=True, text=True, check=True
        ).stdout
        [file] = Path(printed.strip()).rglob(f"{name}.yaml")
        assert f"task: {name}" in file.read_text(encoding="utf-8")


def test_lmms_eval_file_includes_one_that_is_there():
    [block] = blocks("yaml", part="lmms-eval")
    task = yaml.safe_load(block)
    [file] = (ROOT / "integrations/lmms_eval").rglob(task["include"])
    assert file.stem in task["task"]
    assert set(task["lmms_eval_specific_kwargs"]["default"]) <= set(lmms_eval._DEFAULTS)
