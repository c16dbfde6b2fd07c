"""What other harnesses wrote, as `kolab score` reads it: inspect-ai's logs, lmms-eval's samples."""

from __future__ import annotations

import gc
import itertools
import json
import math
import sys
import tracemalloc

import pytest
from rendered import sample_rows

import kolab
from kolab_core.commands.cli import main
from kolab_core.scorecard import PredictionsError, read_predictions

CONFIG = "collab_rating"
IDS = [row["id"] for row in sample_rows(CONFIG)]

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


def read(path):
    return [(line.id, line.run, line.answer) for line in read_predictions(path)]


def refusal(path):
    with pytest.raises(PredictionsError) as found:
        read_predictions(path)
    return str(found.value)


@pytest.fixture
def make_log(tmp_path):
    """Writes a log of the given samples: `(id, epoch, text, answer)` and what else they have."""
    pytest.importorskip("inspect_ai")
    from inspect_ai.log import (
        EvalConfig,
        EvalDataset,
        EvalLog,
        EvalMetric,
        EvalResults,
        EvalSample,
        EvalScore,
        EvalSpec,
        write_eval_log,
    )
    from inspect_ai.model import ChatMessageUser, ModelOutput
    from inspect_ai.scorer import Score

    def make_sample(name, epoch, text, answer, *, scorer="kolab_rating", weight=0, **more):
        metadata = {"config": CONFIG, "modalities": "graph-chat", "participant": "P01"}
        scores = {scorer: Score(value="I", answer=answer, explanation=text)} if scorer else None
        return EvalSample(
            id=name,
            epoch=epoch,
            input="?",
            target="4",
            messages=[ChatMessageUser(content="x" * weight)],
            output=ModelOutput.from_content("mockllm", text),
            metadata=metadata,
            scores=scores,
            **more,
        )

    def write(samples, suffix="eval", metric=1.0):
        log = EvalLog(
            eval=EvalSpec(
                created="2026-01-01T00:00:00+00:00",
                task="kolab/collab_rating",
                dataset=EvalDataset(),
                model="mockllm/model",
                config=EvalConfig(),
            ),
            status="success",
            results=EvalResults(
                scores=[
                    EvalScore(
                        name="kolab_rating",
                        scorer="kolab_rating",
                        metrics={"rho": EvalMetric(name="rho", value=metric)},
                    )
                ]
            ),
            samples=[make_sample(*given, **more) for given, more in samples],
        )
        path = tmp_path / f"log.{suffix}"
        write_eval_log(log, str(path), format=suffix)
        return path

    yield write
    gc.collect()  # what inspect-ai leaves open shall complain here, where that is passed over


@pytest.mark.parametrize("metric", [1.0, math.nan], ids=["number", "nan"])
@pytest.mark.parametrize("suffix", ["eval", "json"])
def test_inspect_log_gives_an_answer_a_sample_and_a_run_an_epoch(make_log, suffix, metric):
    samples = [
        ((IDS[0], 1, "Rating: 4", "4"), {}),
        ((IDS[1], 1, "4.6", None), {}),  # invalid as the log has it, until somebody rounds
        ((IDS[0], 2, "two", None), {"scorer": None}),  # never scored
        ((IDS[1], 2, "I say 3", "C"), {"scorer": "match"}),  # scored by another's rules
    ]
    path = make_log(samples, suffix, metric)
    assert sorted(read(path), key=lambda line: (line[1], line[0])) == [
        (IDS[0], 0, "4"),
        (IDS[1], 0, "4.6"),
        (IDS[0], 1, "two"),
        (IDS[1], 1, "I say 3"),
    ]
    first = read_predictions(path)[0]
    assert (first.modalities, first.config) == ("graph-chat", CONFIG)
    assert first.place == f"{path}:{first.id}, epoch 1"


@pytest.mark.parametrize("suffix", ["eval", "json"])
def test_inspect_log_sample_that_failed_has_no_answer(make_log, suffix):
    from inspect_ai.log import EvalError

    error = EvalError(message="no line", traceback="", traceback_ansi="")
    samples = [
        ((IDS[0], 1, "", None), {"error": error}),
        ((IDS[1], 1, "4", "4"), {}),
    ]
    assert read(make_log(samples, suffix)) == [(IDS[1], 0, "4")]


@pytest.mark.parametrize("suffix", ["eval", "json"])
def test_inspect_log_is_read_a_sample_at_a_time(make_log, suffix):
    number, weight = 40, 400_000
    samples = [((f"S/{i}", 1, "4?!", None), {"weight": weight}) for i in range(number)]
    path = make_log(samples, suffix)
    read(path)  # imports and caches
    tracemalloc.start()
    assert len(read(path)) == number
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < number * weight / 3


@pytest.mark.parametrize("suffix", ["eval", "json"])
def test_inspect_log_cut_anywhere_is_one_clear_line(make_log, suffix):
    path = make_log([((name, 1, "4", "4"), {}) for name in IDS], suffix)
    whole = path.read_bytes()
    for end in (0, 1, len(whole) // 3, len(whole) // 2, len(whole) - 3):
        path.write_bytes(whole[:end])
        message = refusal(path)
        assert message.startswith(f"{path}: found no log, or one that is cut off or damaged (")
        assert message.endswith("); expected a whole log of inspect-ai.")
        assert "\n" not in message


def test_inspect_log_without_inspect_ai_names_what_to_install(make_log, monkeypatch):
    path = make_log([((IDS[0], 1, "4", "4"), {})])
    monkeypatch.setitem(sys.modules, "inspect_ai.log", None)
    assert refusal(path) == (
        f"{path}: found a log of inspect-ai; expected inspect-ai to be installed. "
        "pip install 'kolab[inspect]' brings it."
    )


def test_inspect_log_that_is_not_there_is_said(tmp_path):
    assert "no such file" in refusal(tmp_path / "none.eval")


def test_json_that_is_no_log_is_said(tmp_path):
    (tmp_path / "other.json").write_text('{"a": 1}')
    assert "found no predictions; expected at least 1" in refusal(tmp_path / "other.json")


def make_sample(index, responses, **more):
    """A line as lmms-eval writes it of a task of ours."""
    own = {"id": IDS[index], "config": CONFIG, "modalities": "video-graph", "run": 9}
    return {"doc_id": index, "target": "4", **responses, "kolab_mae": own, **more}


@pytest.mark.parametrize(
    ("responses", "answers"),
    [
        pytest.param({"filtered_resps": "4"}, ["4"], id="one-text"),
        pytest.param({"filtered_resps": ["4"]}, ["4"], id="in-a-list"),
        pytest.param({"resps": [["<think>5</think>4"]], "filtered_resps": ["4"]}, None, id="raw"),
        pytest.param({"resps": ["4", "5"], "filtered_resps": "4"}, ["4", "5"], id="repeats"),
        pytest.param({"resps": [["4"], ["5"]]}, ["4", "5"], id="repeats-nested"),
    ],
)
def test_lmms_eval_sample_gives_what_the_model_wrote(tmp_path, responses, answers):
    path = tmp_path / "x_samples_kolab_collab_rating.jsonl"
    path.write_text(json.dumps(make_sample(2, responses)) + "\n")
    found = read_predictions(path)
    assert [line.answer for line in found] == (answers or ["<think>5</think>4"])
    assert [line.run for line in found] == list(range(len(found)))
    assert {(line.id, line.modalities, line.config) for line in found} == {
        (IDS[2], "video-graph", CONFIG)
    }


def test_lmms_eval_sample_of_another_task_or_without_response_is_a_bad_line(tmp_path):
    path = tmp_path / "samples.jsonl"
    lines = [{"doc_id": 3, "filtered_resps": ["4"], "exact_match": 1.0}, make_sample(0, {})]
    path.write_text("\n".join(map(json.dumps, lines)))
    assert refusal(path) == (
        "2 bad lines:\n"
        f"{path}:1: found a sample of lmms-eval that names no row; expected one of a task of "
        "Kolab, which does.\n"
        f"{path}:2: found a sample of lmms-eval without a response; expected 1 or more."
    )


def score(capsys, *words):
    call = ["score", *map(str, words), "--rounds", "20", "--format", "json"]
    code = main(call)
    printed = capsys.readouterr()
    return code, json.loads(printed.out) if printed.out else None, printed.err


def test_score_several_files_are_runs_whatever_their_formats(capsys, tmp_path, make_log):
    log = make_log([((name, epoch, "4", "4"), {}) for epoch in (1, 2) for name in IDS])
    ours, theirs = tmp_path / "ours.jsonl", tmp_path / "theirs.csv"
    rows = [row for row in sample_rows(CONFIG) if row["has_chat"]]
    options = {"modalities": ["graph", "chat"], "config": CONFIG, "progress": False}
    kolab.predict(rows, lambda messages: "4", ours, **options)
    lines = [f"{row['id']},4,graph-chat" for row in rows]
    theirs.write_text("\n".join(["id,prediction,modalities", *lines]))
    code, card, complaint = score(capsys, log, ours, theirs, "--config", CONFIG)
    assert (code, complaint) == (0, "")
    [column] = card["columns"]
    scores = column["scores"]["log"]
    assert scores["n_runs"] == 4
    assert scores["mae_std"] == 0


def test_score_of_a_log_is_what_inspect_ai_printed(capsys, tmp_path, monkeypatch, make_log):
    del make_log  # which clears up behind inspect-ai
    import inspect_ai
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    for name in ("XDG_DATA_HOME", "INSPECT_LOG_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
    texts = itertools.cycle(["4", "<think>2 or 3</think>5", "Hm.", "2/5", "Rating: **3**"])

    def answer(*_call):
        output = ModelOutput.from_content("mockllm", next(texts))
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    task = kolab.inspect_tasks.collab_rating(modalities="graph-chat")
    model = get_model("mockllm/model", custom_outputs=answer, memoize=False)
    [log] = inspect_ai.eval(task, model=model, epochs=2, display="none", log_realtime=False)
    assert main(["score", log.location, "--config", CONFIG, "--format", "json"]) == 0
    [column] = json.loads(capsys.readouterr().out)["columns"]
    assert column["modalities"] == "graph-chat"
    [scores] = column["scores"].values()
    printed = {name: metric.value for name, metric in log.results.scores[0].metrics.items()}
    assert printed["n_runs"] == 2
    assert {name: scores[name] for name in printed} == pytest.approx(printed, nan_ok=True)


def test_score_answers_to_another_experiment_are_one_clear_line(capsys, tmp_path, make_log):
    log = make_log([((name, 1, "4", "4"), {}) for name in IDS])
    code, _, complaint = score(capsys, log, "--config", "output_quality")
    assert code == 1
    assert complaint == (
        f"{log}:{IDS[0]}, epoch 1: found an answer to collab_rating; expected answers to "
        "output_quality. --config collab_rating scores them.\n"
    )
    answers = tmp_path / "answers.jsonl"
    kolab.predict(
        sample_rows(CONFIG),
        lambda messages: "4",
        answers,
        modalities=["graph"],
        config=CONFIG,
        progress=False,
    )
    code, _, complaint = score(capsys, answers, "--config", "output_quality")
    assert code == 1
    assert complaint.count("\n") == 1
    assert "answers.jsonl:1: found an answer to collab_rating; expected" in complaint


def test_score_column_config_of_something_else_is_passed_over(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text(f"id,prediction,config\n{IDS[0]},4,temperature-1\n")
    assert read_predictions(path)[0].config is None
