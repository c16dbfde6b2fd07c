import gc
import importlib.metadata
import itertools
import json
import re
import zipfile
from pathlib import Path

import pytest
from datasets import load_dataset

import kolab
from kolab_core.commands.cli import main
from kolab_core.harness import Answer, read_modalities, score_answers
from kolab_core.rows.experiments import EXPERIMENTS
from kolab_core.scores import KIND_OF_CONFIG

inspect_ai = pytest.importorskip("inspect_ai")
from inspect_ai.log import read_eval_log  # noqa: E402
from inspect_ai.model import (  # noqa: E402
    ContentImage,
    ContentText,
    ContentVideo,
    ModelOutput,
    ModelUsage,
    get_model,
)

ROOT = Path(__file__).resolve().parents[1]
USAGE = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
# Right in form, wrong in form, with and without a mark, and none at all.
TEXTS = {
    "adoption": (
        *("ADOPT", "<think>adopt?</think>MODIFY", "Answer: **REJECT/BYPASS**", "Hm.", "adopt"),
        *("Reject.", "Modify it?", "modify", "MODIFY or REJECT", "ADOPT", "Label: adopt"),
    ),
    "rating": ("4", "<think>2 or 3</think>5", "Rating: **3**", "3-4", "2/5", "Five", "1"),
}

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


@pytest.fixture(autouse=True)
def _own_folders(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("INSPECT_LOG_DIR", str(tmp_path / "logs"))
    monkeypatch.delenv("KOLAB_DATA_DIR", raising=False)
    yield
    # inspect-ai leaves streams open; collected in another test, they would be that one's warnings.
    gc.collect()


class Mock:
    """A model that says the given texts in turn, and remembers what it was shown."""

    def __init__(self, texts):
        self.texts = itertools.cycle(texts)
        self.shown = []

    def __call__(self, input, tools, tool_choice, config):
        del tools, tool_choice, config
        self.shown.append([part for message in input for part in parts_of(message)])
        output = ModelOutput.from_content("mockllm", next(self.texts))
        # Without a usage the mock counts tokens, with a tokenizer that it fetches.
        output.usage = USAGE
        return output


def parts_of(message):
    if isinstance(message.content, str):
        return [ContentText(text=message.content)]
    return message.content


def run(task, texts=("ADOPT",), **options):
    """The log of a run, read back from its file; and the mock."""
    mock = Mock(texts)
    model = get_model("mockllm/model", custom_outputs=mock, memoize=False)
    # One sample at a time: the mock's texts are then in the samples' order.
    options = {"max_samples": 1, "display": "none", "log_realtime": False, **options}
    [log] = inspect_ai.eval(task, model=model, **options)
    assert log.status == "success", log.error
    read = read_eval_log(log.location)
    read.samples.sort(key=lambda sample: sample.epoch)
    return read, mock


def metrics_of(log):
    [scores] = log.results.scores
    return {name: metric.value for name, metric in scores.metrics.items()}


def rows_of(config, *needs, **options):
    rows = load_dataset("kolab", config, split="test", **options)
    rows = [row for row in rows.remove_columns("video") if all(row[name] for name in needs)]
    return {row["id"]: row for row in rows}


def write_answers(log, path):
    """The log's answers as they were written, as lines for `kolab score`."""
    lines = [{"id": s.id, "prediction": s.output.completion, "run": s.epoch} for s in log.samples]
    path.write_text("\n".join(map(json.dumps, lines)))


def score_by_command(path, config, capsys):
    """Every score by name; in `step_n` of each number of steps."""
    assert main(["score", str(path), "--config", config, "--format", "json"]) == 0
    columns = json.loads(capsys.readouterr().out)["columns"]
    return {
        name
        if column["context_steps"] is None
        else f"{name}_context_{column['context_steps']}": value
        for column in columns
        for scores in column["scores"].values()
        for name, value in scores.items()
    }


def assert_same_scores(metrics, scores):
    assert len(metrics) > 10
    for name, value in metrics.items():
        other = scores[name]
        assert value == pytest.approx(float("nan") if other is None else other, nan_ok=True), name


def test_entry_point_names_tasks_as_the_distribution():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    [value] = re.findall(r'\[project.entry-points.inspect_ai\]\nkolab = "(.+)"', text)
    tasks = importlib.metadata.EntryPoint("kolab", value, "inspect_ai").load()
    assert set(tasks.__all__) == set(EXPERIMENTS)
    for config in EXPERIMENTS:
        [loaded] = inspect_ai._eval.loader.load_tasks([f"kolab/{config}"], {"modalities": "graph"})
        assert len(loaded.dataset) == len(rows_of(config))


@pytest.mark.parametrize("config", EXPERIMENTS)
def test_task_asks_every_row_and_scores_as_the_command_does(config, tmp_path, capsys):
    texts = TEXTS[KIND_OF_CONFIG[config]]
    log, mock = run(f"kolab/{config}", texts, task_args={"modalities": "graph"})
    rows = rows_of(config)
    assert sorted(sample.id for sample in log.samples) == sorted(rows)
    assert len(mock.shown) == len(rows)
    names = ("adopt", "modify", "reject")
    for sample in log.samples:
        row = rows[sample.id]
        truth = str(row["rating"]) if "rating" in row else names[row["label"]]
        assert sample.target == truth
        assert sample.metadata == {
            "config": config,
            "modalities": "graph-only",
            "prompt_version": kolab.PROMPT_VERSION,
            "participant": row["participant_id"],
            **({"context_steps": row["context_steps"]} if config == "step_n" else {}),
        }
        [score] = sample.scores.values()
        parsed = kolab.parse(sample.output.completion, config)
        assert score.answer == (None if parsed is None else str(parsed))
        assert score.value == ("C" if score.answer == truth else "I")
        assert score.metadata["participant"] == row["participant_id"]
    assert list(log.samples[0].scores) == [f"kolab_{KIND_OF_CONFIG[config]}"]
    write_answers(log, tmp_path / "answers.jsonl")
    metrics = metrics_of(log)
    assert any(value > 0 for name, value in metrics.items() if name.startswith("n_invalid"))
    assert_same_scores(metrics, score_by_command(tmp_path / "answers.jsonl", config, capsys))


@pytest.mark.parametrize("config", ["adoption_forecast", "output_quality"])
def test_epochs_are_scored_as_the_command_scores_runs(config, tmp_path, capsys):
    texts = TEXTS[KIND_OF_CONFIG[config]]
    log, _ = run(f"kolab/{config}", texts, epochs=3, task_args={"modalities": "graph"})
    assert log.eval.config.epochs_reducer == ["kolab/every_answer"]
    write_answers(log, tmp_path / "answers.jsonl")
    metrics = metrics_of(log)
    assert metrics["n_runs"] == 3
    assert metrics["macro_f1_std" if "macro_f1" in metrics else "mae_std"] > 0
    assert_same_scores(metrics, score_by_command(tmp_path / "answers.jsonl", config, capsys))


def test_epochs_with_a_foreign_reducer_are_refused_by_name():
    mock = get_model("mockllm/model", custom_outputs=Mock(TEXTS["adoption"]), memoize=False)
    epochs = inspect_ai.Epochs(2, "mean")
    [log] = inspect_ai.eval(
        "kolab/adoption_forecast",
        model=mock,
        epochs=epochs,
        task_args={"modalities": "graph"},
        display="none",
        log_realtime=False,
    )
    assert log.status == "error"
    assert "expected 'kolab/every_answer'" in log.error.message


def test_epochs_without_a_reducer_are_scored_each():
    log, _ = run(
        "kolab/workflow_level",
        TEXTS["adoption"],
        epochs=inspect_ai.Epochs(2, []),
        task_args={"modalities": "graph"},
    )
    assert metrics_of(log)["n_runs"] == 2


def test_frames_are_shown_but_neither_sample_nor_log_keeps_them():
    arguments = {"num_frames": 3, "size": 32}
    task = kolab.inspect_tasks.workflow_level(**arguments)
    for sample in task.dataset:
        assert all(isinstance(part, ContentText) for m in sample.input for part in parts_of(m))
    log, mock = run(task, log_model_api=True)
    rows = rows_of("workflow_level", "has_video", "has_chat")
    assert sorted(sample.id for sample in log.samples) == sorted(rows)
    assert log.eval.metadata["num_left_out"] == len(rows_of("workflow_level")) - len(rows) > 0
    expected = kolab.render(
        load_dataset("kolab", "workflow_level", split="test")[0],
        config="workflow_level",
        **arguments,
    )
    urls = [p["image_url"]["url"] for p in expected[1]["content"] if p["type"] == "image_url"]
    assert [part.image for part in mock.shown[0] if isinstance(part, ContentImage)] == urls
    assert log.samples[0].metadata["num_frames"] == 3
    assert not any(
        isinstance(p, ContentImage) for m in log.samples[0].messages for p in parts_of(m)
    )
    with zipfile.ZipFile(log.location) as archive:
        contents = [archive.read(name) for name in archive.namelist()]
    assert len(contents) > len(rows)
    assert not any(url.partition(",")[2].encode() in text for url in urls for text in contents)


def test_frames_of_answered_samples_leave_memory():
    alive = []

    class Counter(Mock):
        def __call__(self, *args):
            output = super().__call__(*args)
            self.shown.clear()
            gc.collect()
            kept = [part for part in gc.get_objects() if isinstance(part, ContentImage)]
            alive.append(sum(part.image.startswith("data:") for part in kept))
            return output

    arguments = {"modalities": "video", "num_frames": 8, "size": 32}
    model = get_model("mockllm/model", custom_outputs=Counter(["ADOPT"]), memoize=False)
    options = {"max_samples": 1, "display": "none", "log_realtime": False}
    inspect_ai.eval("kolab/workflow_level", model=model, task_args=arguments, **options)
    assert len(alive) == len(rows_of("workflow_level", "has_video"))
    # Those of one sample: in its messages, and in the event of the call.
    assert max(alive) <= 2 * 8


def test_frames_are_logged_if_asked_for():
    log, mock = run(
        "kolab/workflow_level",
        limit=1,
        task_args={"modalities": "video", "num_frames": 2, "size": 32, "log_frames": True},
    )
    [sample] = log.samples
    images = [part.image for part in mock.shown[0] if isinstance(part, ContentImage)]
    assert len(images) == 2
    assert set(images) <= set(sample.attachments.values())


def test_native_frames_are_one_video():
    arguments = {"frames": "native", "modalities": "video"}
    _, mock = run("kolab/adoption_recognition", limit=1, task_args=arguments)
    [clip] = [part for part in mock.shown[0] if isinstance(part, ContentVideo)]
    assert clip.video.startswith("data:video/mp4;base64,")


def test_step_n_keeps_the_rows_of_one_number_of_steps():
    task = kolab.inspect_tasks.step_n(modalities=["graph"], context_steps=2)
    assert [sample.id for sample in task.dataset] == list(rows_of("step_n", context_steps=2))


def test_subset_larger_than_the_rows_is_refused():
    arguments = {"modalities": "chat", "subset": "rating_tail"}
    with pytest.raises(ValueError, match="top: found 30; expected 0 to"):
        kolab.inspect_tasks.collab_rating(**arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"modalities": "video,sound"}, "modalities: found 'sound'"),
        ({"frames": "path"}, "frames: found 'path'; expected 'images' or 'native'"),
        ({"context_steps": 2}, "expected it with 'step_n' only"),
        ({"subset": "small"}, "name: found 'small'"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_task_with_a_bad_argument_says_what_is_expected(arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        kolab.inspect_tasks.adoption_forecast(**{"modalities": "graph", **arguments})


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("chat", ("chat",)),
        ("chat,video", ("video", "chat")),
        ("video-graph-chat", ("video", "graph", "chat")),
        ("graph-only", ("graph",)),
        (["graph", "video"], ("video", "graph")),
    ],
)
def test_modalities_are_read_from_lists_words_and_settings(given, expected):
    assert read_modalities(given) == expected


def test_scores_of_no_answer_are_none_and_of_an_unknown_config_an_error():
    assert score_answers([], "rating") == {}
    with pytest.raises(ValueError, match="config: found 'steps'"):
        score_answers([Answer("4", "4", "P1")], "steps")
