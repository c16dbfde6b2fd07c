"""The parts that lmms-eval's tasks call, without lmms-eval; `scripts/check_lmms_eval.py` has it."""

import importlib.util
import itertools
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from datasets import load_dataset
from PIL import Image

import kolab
from kolab_core.commands.cli import main
from kolab_core.harness.lmms_eval import make_aggregation
from kolab_core.scores import KIND_OF_CONFIG

FOLDER = Path(__file__).resolve().parents[1] / "integrations/lmms_eval/kolab"
TASKS = sorted(FOLDER.glob("*.yaml"))
TEXTS = {
    "adoption": ("ADOPT", "<think>adopt?</think>MODIFY", "Answer: **REJECT/BYPASS**", "Hm."),
    "rating": ("4", "<think>2 or 3</think>5", "Rating: **3**", "3-4", "2/5"),
}


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch):
    for name in ("KOLAB_DATA_DIR", "KOLAB_MODALITIES"):
        monkeypatch.delenv(name, raising=False)


def import_function(loader, node):
    """A function of a file beside the task's, imported by its path, as lmms-eval does it."""
    module, _, name = loader.construct_scalar(node).rpartition(".")
    spec = importlib.util.spec_from_file_location(module, FOLDER / f"{module}.py")
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return getattr(found, name)


class Loader(yaml.SafeLoader):
    pass


Loader.add_constructor("!function", import_function)


def read_task(path):
    """A task file on top of those that it includes, and the rows that it asks."""
    task = yaml.load(path.read_text(encoding="utf-8"), Loader)
    template = yaml.load((FOLDER / task.pop("include")).read_text(encoding="utf-8"), Loader)
    task = {**template, **task}
    rows = load_dataset(
        path=task["dataset_path"], name=task["dataset_name"], **task.get("dataset_kwargs", {})
    )
    return task, task["process_docs"](rows[task["test_split"]])


def score_by_command(lines, config, path, capsys):
    path.write_text("\n".join(map(json.dumps, lines)))
    assert main(["score", str(path), "--config", config, "--format", "json"]) == 0
    [column] = json.loads(capsys.readouterr().out)["columns"]
    [scores] = column["scores"].values()
    return scores


def test_task_files_are_one_a_config_and_three_for_step_n():
    names = [path.stem for path in TASKS]
    step_n = [f"kolab_step_n_{number}" for number in (1, 2, 3)]
    others = {
        f"kolab_{config}" for config in KIND_OF_CONFIG if config not in ("adoption", "rating")
    }
    assert set(names) == {*step_n, *others - {"kolab_step_n"}}


@pytest.mark.parametrize("path", TASKS, ids=lambda path: path.stem)
def test_task_scores_answers_as_the_command_does(path, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("KOLAB_MODALITIES", "graph,chat")
    task, rows = read_task(path)
    assert task["task"] == path.stem
    config = task["dataset_name"]
    kind = KIND_OF_CONFIG[config]
    assert (
        0
        < len(rows)
        == sum(load_dataset("kolab", config, split="test")["has_chat"])
        // (3 if config == "step_n" else 1)
    )
    lines, records = [], []
    for row, text in zip(rows, itertools.cycle(TEXTS[kind]), strict=False):
        found = task["process_results"](row, [text])
        assert task["doc_to_target"](row) == found["n_invalid"]["truth"]
        assert found["n_invalid"]["modalities"] == "graph-chat"
        lines.append({"id": row["id"], "prediction": text})
        records.append(found)
    scores = score_by_command(lines, config, tmp_path / "answers.jsonl", capsys)
    aggregations = {each["metric"]: each["aggregation"] for each in task["metric_list"]}
    assert len(records[0]) > 15
    for name in records[0]:
        value = aggregations[name]([found[name] for found in records])
        other = float("nan") if scores[name] is None else scores[name]
        assert value == pytest.approx(other, nan_ok=True), name


def test_messages_show_what_render_shows():
    task, rows = read_task(FOLDER / "kolab_workflow_level.yaml")
    row = rows[0]
    options = {"num_frames": 3, "size": 32}
    rendered = kolab.render(row, config="workflow_level", **options)
    messages = task["doc_to_messages"](row, lmms_eval_specific_kwargs=options)
    assert [message["role"] for message in messages] == ["system", "user"]
    assert messages[0]["content"] == [{"type": "text", "text": rendered[0]["content"]}]
    kinds = {"image_url": "image", "text": "text"}
    parts = messages[1]["content"]
    assert [part["type"] for part in parts] == [
        kinds[part["type"]] for part in rendered[1]["content"]
    ]
    pictures = [part["url"] for part in parts if part["type"] == "image"]
    assert all(isinstance(picture, Image.Image) for picture in pictures)
    assert [p.tobytes() for p in task["doc_to_visual"](row, options)] == [
        p.tobytes() for p in pictures
    ]
    text = task["doc_to_text"](row, options)
    assert text.startswith(rendered[0]["content"])
    assert text.endswith(rendered[1]["content"][-1]["text"])


def test_path_ends_before_the_row_does():
    task, rows = read_task(FOLDER / "kolab_adoption_forecast.yaml")
    options = task["lmms_eval_specific_kwargs"]["qwen2_5_vl"]
    for row in rows:
        parts = task["doc_to_messages"](row, options)[1]["content"]
        spans = [(p["start_time"], p["end_time"]) for p in parts if p["type"] == "video"]
        intervals = row["video"].intervals
        assert len(spans) == len(intervals) > 0
        for (start, end), (first, last) in zip(spans, intervals, strict=True):
            assert start == first
            assert start < end < last


def test_only_loaders_that_keep_to_the_end_are_given_a_path():
    template = (FOLDER / "_kolab_template_yaml").read_text(encoding="utf-8")
    assert re.findall(r"^  (\w+): \{frames: path\}$", template, re.M) == ["qwen2_5_vl", "qwen3_vl"]
    assert re.findall(r"^  default: \{frames: (\w+)", template, re.M) == ["images"]


def test_rows_without_a_shown_input_are_not_asked(monkeypatch):
    everything = load_dataset("kolab", "collab_rating", split="test")
    _, rows = read_task(FOLDER / "kolab_collab_rating.yaml")
    assert 0 < len(rows) == sum(everything["has_chat"]) < len(everything)
    monkeypatch.setenv("KOLAB_MODALITIES", "video")
    task, rows = read_task(FOLDER / "kolab_collab_rating.yaml")
    assert len(rows) == len(everything)
    assert task["doc_to_visual"](rows[0], {"num_frames": 2, "size": 32})
    monkeypatch.setenv("KOLAB_MODALITIES", "graph")
    assert task["doc_to_visual"](rows[0]) == []


def test_bad_setting_or_option_says_what_is_expected(monkeypatch):
    task, rows = read_task(FOLDER / "kolab_collab_rating.yaml")
    with pytest.raises(ValueError, match="frames: found 'native'; expected 'images' or 'path'"):
        task["doc_to_messages"](rows[0], {"frames": "native"})
    monkeypatch.setenv("KOLAB_MODALITIES", "sound")
    with pytest.raises(ValueError, match="modalities: found 'sound'"):
        read_task(FOLDER / "kolab_collab_rating.yaml")
    with pytest.raises(AttributeError, match="found 'bleu'"):
        make_aggregation("bleu")


def test_module_prints_the_folder_of_the_task_files():
    command = [sys.executable, "-m", "kolab_core.harness.lmms_eval"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert Path(printed.strip()) == FOLDER.parent
