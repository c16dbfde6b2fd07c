from __future__ import annotations

import copy
import hashlib
import json
import sys
import threading
import time

import numpy as np
import pytest
from datasets import Dataset, IterableDataset
from rendered import sample_rows

import kolab
from kolab_core.commands.cli import main
from kolab_core.predict import AnswersFileError, PredictError, Program, ProgramError
from kolab_core.prompts import MissingInputError, render
from kolab_core.scorecard import read_predictions
from scripts.kill_predict import torment

CONFIG = "adoption_forecast"
WORDS = {"modalities": ["graph", "chat"], "config": CONFIG, "progress": False}


@pytest.fixture
def rows():
    return [row for row in sample_rows(CONFIG) if row["has_chat"]]


@pytest.fixture
def out(tmp_path):
    return tmp_path / "answers.jsonl"


class Model:
    """Answers each question in its own way, and notes what it was asked."""

    def __init__(self, *, fails=0, on=""):
        self.asked = []
        self.fails = fails
        self.on = on
        self._lock = threading.Lock()

    def __call__(self, messages):
        text = json.dumps(messages)
        with self._lock:
            self.asked.append(text)
            if self.on in text and self.asked.count(text) <= self.fails:
                raise ConnectionError("the line is dead")
        return f"“{hashlib.sha256(text.encode()).hexdigest()[:6]}”\nADOPT"


def never(messages):
    raise AssertionError("nothing was to be asked")


def records(path):
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def test_predict_asks_what_render_gives_and_keeps_answers_that_score_reads(rows, out):
    model = Model()
    found = kolab.predict(rows, model, out, **WORDS)
    expected = [render(row, ["graph", "chat"], config=CONFIG) for row in rows]
    assert [json.loads(text) for text in model.asked] == expected
    assert (found.num_answers, found.num_asked, found.left_out) == (len(rows), len(rows), {})
    lines = read_predictions(found.path)
    assert [(line.id, line.run, line.modalities) for line in lines] == [
        (row["id"], 0, "graph-chat") for row in rows
    ]
    assert all(kolab.parse(line.answer, CONFIG) == "adopt" for line in lines)
    first = records(out)[0]
    assert first["prompt_version"] == kolab.PROMPT_VERSION
    assert (first["config"], first["options"]) == (CONFIG, {"max_chars": None})


def test_predict_again_asks_nothing_and_leaves_the_file(rows, out):
    kolab.predict(rows, Model(), out, **WORDS)
    before = (out.read_bytes(), out.stat().st_mtime_ns)
    found = kolab.predict(rows, never, out, **WORDS)
    assert (found.num_answers, found.num_asked) == (len(rows), 0)
    assert (out.read_bytes(), out.stat().st_mtime_ns) == before


def test_predict_threads_and_runs_come_to_the_same_file_in_order(rows, tmp_path):
    alone, together = tmp_path / "alone.jsonl", tmp_path / "together.jsonl"

    def slow(messages):
        digest = hashlib.sha256(json.dumps(messages).encode()).hexdigest()
        time.sleep(int(digest[:2], 16) / 20_000)
        return digest

    kolab.predict(rows, slow, alone, runs=3, **WORDS)
    kolab.predict(rows, slow, together, runs=3, concurrency=5, **WORDS)
    assert alone.read_bytes() == together.read_bytes()
    order = [(run, row["id"]) for run in range(3) for row in rows]
    assert [(line["run"], line["id"]) for line in records(together)] == order


def test_predict_asks_at_most_as_many_side_by_side_as_it_may(rows, out):
    at_work, most, lock = 0, 0, threading.Lock()

    def count(messages):
        nonlocal at_work, most
        with lock:
            at_work += 1
            most = max(most, at_work)
        time.sleep(0.01)
        with lock:
            at_work -= 1
        return "ADOPT"

    kolab.predict(rows, count, out, concurrency=3, runs=2, **WORDS)
    assert most == 3


def test_predict_loads_no_more_rows_than_it_asks(rows, out):
    loaded = 0

    class Lazy:
        def __iter__(self):
            nonlocal loaded
            for row in rows:
                loaded += 1
                yield row

    ahead = []

    def look(messages):
        ahead.append(loaded - len(ahead))
        return "ADOPT"

    kolab.predict(Lazy(), look, out, **WORDS)
    # One row is looked at first; one is being asked, and the next may wait for its turn.
    assert max(ahead) <= 3


@pytest.mark.parametrize(
    "wrap",
    [
        pytest.param(lambda rows: rows, id="list"),
        pytest.param(Dataset.from_list, id="dataset"),
        pytest.param(lambda rows: IterableDataset.from_generator(lambda: iter(rows)), id="stream"),
    ],
)
def test_predict_takes_rows_of_every_kind_and_goes_on_in_any(rows, out, tmp_path, wrap):
    kolab.predict(rows, Model(), tmp_path / "whole.jsonl", **WORDS)
    kolab.predict(wrap(rows[:2]), Model(), out, **WORDS)
    model = Model()
    found = kolab.predict(wrap(rows), model, out, **WORDS)
    assert (len(model.asked), found.num_asked) == (len(rows) - 2, len(rows) - 2)
    assert out.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_predict_file_cut_anywhere_ends_as_undisturbed_and_asks_only_what_it_lost(rows, out):
    rows = rows[:3]
    kolab.predict(rows, Model(), out, **WORDS)
    whole = out.read_bytes()
    tried = 0
    for end in [*range(0, len(whole), 7), *range(len(whole) - 4, len(whole) + 1)]:
        out.write_bytes(whole[:end])
        model = Model()
        kolab.predict(rows, model, out, **WORDS)
        assert out.read_bytes() == whole
        # A line that lacks nothing but its end counts.
        kept = whole[: end + 1].count(b"\n")
        assert len(model.asked) == 3 - kept
        tried += 1
    assert tried >= 100


@pytest.mark.slow
def test_predict_killed_at_random_ends_as_undisturbed(tmp_path):
    toll = torment(tmp_path, kills=2, runs=12)
    assert toll.is_clean
    assert toll.num_kills == 2


@pytest.mark.parametrize(
    ("other", "message"),
    [
        pytest.param(
            {"modalities": ["chat"]},
            "found an answer with modalities 'graph-chat'; expected 'chat-only', as this call",
            id="setting",
        ),
        pytest.param(
            {"config": "workflow_level"},
            "found an answer with config 'adoption_forecast'; expected 'workflow_level'",
            id="config",
        ),
        pytest.param(
            {"max_chars": 500}, "found an answer with max_chars None; expected 500", id="option"
        ),
    ],
)
def test_predict_file_of_another_setup_is_refused_and_kept(rows, out, other, message):
    kolab.predict(rows[:1], Model(), out, **WORDS)
    before = out.read_bytes()
    with pytest.raises(AnswersFileError, match=f"answers.jsonl:1: {message}"):
        kolab.predict(rows, never, out, **{**WORDS, **other})
    assert out.read_bytes() == before


def test_predict_file_of_other_prompts_is_refused(rows, out, monkeypatch):
    kolab.predict(rows[:1], Model(), out, **WORDS)
    monkeypatch.setattr("kolab_core.predict.questions.PROMPT_VERSION", "next")
    with pytest.raises(AnswersFileError, match=r"with prompt_version .*; expected 'next'"):
        kolab.predict(rows, never, out, **WORDS)


def test_predict_file_of_another_release_is_refused_before_anything_is_asked(rows, out):
    kolab.predict(rows[2:3], Model(), out, **WORDS)
    changed = copy.deepcopy(rows)
    changed[2]["graph"]["nodes"][0]["label"] = "Something else happened"
    with pytest.raises(AnswersFileError, match=f"{rows[2]['id']}' whose question has changed"):
        kolab.predict(changed, never, out, **WORDS)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("dear diary\n", id="text"),
        pytest.param("dear diary", id="text-without-end"),
        pytest.param('{"id": "S1", "prediction": "ADOPT"}\n', id="other-answers"),
        pytest.param('{"id": "S1", "prediction": "ADOPT"}', id="other-answers-without-end"),
        pytest.param("\x00\n", id="zeros"),
    ],
)
def test_predict_file_of_something_else_is_refused_and_kept(rows, out, text):
    out.write_text(text)
    with pytest.raises(AnswersFileError, match=r"expected an answer that kolab\.predict wrote"):
        kolab.predict(rows, never, out, **WORDS)
    assert out.read_text() == text


def test_predict_file_in_use_is_refused(rows, out):
    def ask_beside(messages):
        with pytest.raises(AnswersFileError, match="found another process that writes to it"):
            kolab.predict(rows, never, out, **WORDS)
        return "ADOPT"

    kolab.predict(rows[:1], ask_beside, out, **WORDS)


def test_predict_failure_is_tried_again_and_answered(rows, out):
    model = Model(fails=2)
    found = kolab.predict(rows, model, out, wait_s=0, **WORDS)
    assert found.num_asked == len(rows)
    assert len(model.asked) == len(rows) + 2 * len(set(model.asked))


def test_predict_question_that_keeps_failing_leaves_the_others_their_answers(rows, out):
    broken = json.dumps(render(rows[0], ["graph", "chat"], config=CONFIG))
    model = Model(fails=9, on=broken)
    message = f"1 question failed. The first is {rows[0]['id']}, run 0: ConnectionError: the line"
    with pytest.raises(PredictError, match=message):
        kolab.predict(rows, model, out, wait_s=0, retries=1, **WORDS)
    assert model.asked.count(broken) == 2
    assert [line["id"] for line in records(out)] == [row["id"] for row in rows[1:]]
    again = Model()
    kolab.predict(rows, again, out, **WORDS)
    assert again.asked == [broken]
    assert [line["id"] for line in records(out)] == [row["id"] for row in rows]


def test_predict_model_that_is_away_is_not_asked_for_ever(rows, out):
    def away(messages):
        raise ConnectionError("nobody there")

    with pytest.raises(PredictError, match="10 in a row, and no more were asked"):
        kolab.predict(rows, away, out, runs=5, retries=0, **WORDS)


def test_predict_answer_that_cannot_be_scored_stops_at_once(rows, out):
    with pytest.raises(TypeError, match="found an answer of type NoneType; expected text"):
        kolab.predict(rows, lambda messages: None, out, **WORDS)
    assert out.read_bytes() == b""


def test_predict_answers_of_all_texts_and_numbers_come_back(rows, out):
    answers = iter(["", "ＡＤＯＰＴ\u2028\n", "\ud800", 3, 4.5] * len(rows))
    given = []

    def answer(messages):
        given.append(next(answers))
        return given[-1]

    kolab.predict(rows, answer, out, **WORDS)
    assert [line["prediction"] for line in records(out)] == given
    kolab.predict(rows, never, out, **WORDS)


def test_predict_interrupted_keeps_what_it_has(rows, out):
    class Tired:
        def __iter__(self):
            yield from rows[:3]
            if out.exists() and out.stat().st_size:
                raise KeyboardInterrupt
            yield from rows[3:]

    with pytest.raises(KeyboardInterrupt):
        kolab.predict(Tired(), Model(), out, **WORDS)
    kept = {line["id"] for line in records(out)}
    assert kept <= {row["id"] for row in rows[:3]}
    found = kolab.predict(rows, Model(), out, **WORDS)
    assert found.num_asked == len(rows) - len(kept)


def test_predict_row_without_an_input_is_an_error_or_left_out(rows, out):
    bare = {**rows[0], "id": "bare", "chat": [], "has_chat": False}
    with pytest.raises(MissingInputError, match="chat: found a row without a turn"):
        kolab.predict([*rows, bare], Model(), out, **WORDS)
    found = kolab.predict([*rows, bare], Model(), out, missing="skip", **WORDS)
    assert (found.num_answers, found.left_out) == (len(rows), {"chat": 1})


def test_predict_shows_frames_as_asked(rows, out):
    row = next(row for row in rows if row["has_video"])
    asked = []

    def look(messages):
        asked.extend(part["type"] for part in messages[1]["content"])
        return "ADOPT"

    options = {"modalities": ["video"], "num_frames": 2, "size": np.int64(64)}
    kolab.predict([row], look, out, config=CONFIG, progress=False, **options)
    assert asked.count("image_url") == 2
    assert records(out)[0]["options"] == {
        "max_chars": None,
        "frames": "images",
        "num_frames": 2,
        "size": 64,
        "image_format": "jpeg",
    }
    with pytest.raises(AnswersFileError, match="found an answer with num_frames 2; expected 3"):
        kolab.predict([row], look, out, config=CONFIG, **{**options, "num_frames": 3})


def test_predict_recording_that_cannot_be_read_fails_alone(rows, out, tmp_path):
    (tmp_path / "broken.mp4").write_bytes(b"no video")
    broken = {**rows[0], "video": {**rows[0]["video"], "path": str(tmp_path / "broken.mp4")}}
    options = {**WORDS, "modalities": ["video"], "num_frames": 1, "size": 16}
    with pytest.raises(PredictError, match=r"1 question failed.*ClipError"):
        kolab.predict([broken, rows[1]], Model(), out, **options)
    assert [line["id"] for line in records(out)] == [rows[1]["id"]]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"runs": 0}, ValueError, "runs: found 0; expected at least 1"),
        ({"concurrency": 1.5}, TypeError, "concurrency: found 1.5; expected a whole number"),
        ({"retries": -1}, ValueError, "retries: found -1; expected at least 0"),
        ({"wait_s": -1}, ValueError, "wait_s: found -1; expected at least 0"),
        ({"missing": "drop"}, ValueError, "missing: found 'drop'; expected 'raise' or 'skip'"),
        ({"modalities": ["smell"]}, ValueError, "modalities: found 'smell'"),
        ({"num_frames": 0, "modalities": ["video"]}, ValueError, "num_frames: found 0"),
        ({"config": None}, ValueError, "config: found None"),
        ({"config": "step_n"}, ValueError, "config: found 'step_n'"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_predict_bad_option_is_one_clear_line_and_makes_no_file(rows, out, options, error, message):
    with pytest.raises(error, match=message):
        kolab.predict(rows, never, out, **{**WORDS, **options})
    assert not out.exists()


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        pytest.param(lambda rows: [], ValueError, "ds: found no row", id="none"),
        pytest.param(lambda rows: {"test": rows}, TypeError, "ds: found dict", id="splits"),
        pytest.param(iter, TypeError, "ds: found list_iterator; expected", id="once-only"),
        pytest.param(lambda rows: rows + rows[:1], ValueError, "twice", id="twice"),
    ],
)
def test_predict_other_than_rows_is_refused(rows, out, change, error, message):
    with pytest.raises(error, match=message):
        kolab.predict(change(rows), Model(), out, **WORDS)


PYTHON = f'{sys.executable} -c "{{}}"'
ECHO = PYTHON.format("import json, sys; print(len(json.load(sys.stdin)))")


def test_program_gets_the_messages_and_gives_its_output():
    program = Program([sys.executable, "-c", "import sys; print(' é', sys.stdin.read()[:9])"])
    assert program([{"role": "user", "content": "ü" * 100_000}]) == 'é [{"role":'
    assert Program(ECHO)([{}, {}]) == "2"


def test_program_that_reads_nothing_still_answers():
    assert Program("echo ADOPT")([{"content": "x" * 1_000_000}]) == "ADOPT"


def test_program_failure_says_what_it_said():
    with pytest.raises(ProgramError, match="it ended with 3: out of luck"):
        Program(["sh", "-c", "echo out of luck >&2; exit 3"])([])
    with pytest.raises(ProgramError, match=r"it did not end in 0\.2 s"):
        Program(["sleep", "9"], timeout_s=0.2)([])


@pytest.mark.parametrize(
    ("command", "options", "message"),
    [
        ("no-such-program --x", {}, "found 'no-such-program --x'; expected a program"),
        ("", {}, "found ''; expected a program that can be run"),
        ("echo 'a", {}, "No closing quotation"),
        ("echo", {"timeout_s": 0.0}, "timeout: found 0.0; expected more than 0 seconds"),
    ],
)
def test_program_that_cannot_be_run_is_refused(command, options, message):
    with pytest.raises(ValueError, match=message):
        Program(command, **options)


@pytest.fixture
def command(monkeypatch, tmp_path, capsys):
    """Runs `kolab predict` on the sample with its own cache; code, output, complaints."""
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")

    def run(*words, config="collab_rating", modalities="graph-chat"):
        code = main(["predict", "--config", config, "--modalities", modalities, *map(str, words)])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


def test_command_asks_a_program_and_scores(command, out, capsys):
    code, printed, _ = command("--command", "echo 4", "--out", out, "--concurrency", 3)
    assert code == 0
    assert printed.startswith(f"17 answers in {out}, 17 of them new; 3 rows lack an input")
    again = command("--command", "sh -c 'exit 1'", "--out", out)
    assert (again[0], again[1][:30]) == (0, printed[:30])
    assert main(["score", str(out), "--config", "collab_rating", "--rounds", "20"]) == 0
    assert "graph-chat" in capsys.readouterr().out


def test_command_asks_a_subset(command, out):
    words = ("--command", "echo 4", "--out", out, "--subset", "rating_tail", "--top", 2)
    code, printed, _ = command(*words, modalities="graph-only")
    assert code == 0
    assert printed.startswith("12 answers in ")  # two, three and five of ratings 2, 3 and 4


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--command", "no-such-program"), 2, "--command: found 'no-such-program'; expected a"),
        (("--command", "echo", "--timeout", "-1"), 2, "--timeout: found -1.0; expected more"),
        (("--command", "echo", "--modalities", "smell"), 2, "--modalities: found 'smell'; expec"),
        (("--command", "echo", "--subset", "balanced"), 2, "--ds: found no column 'label'"),
        (("--command", "echo", "--context-steps", "2"), 2, "--context-steps: found 2 with the"),
        (("--command", "echo", "--subset", "rating_tail"), 2, "--top: found 30; expected 0 to"),
        (("--command", "echo", "--data-dir", "nowhere"), 2, "data_dir: found 'nowhere'"),
        (("--command", "false", "--retries", "0"), 1, "10 questions failed, the last 10 in a"),
    ],
    ids=lambda value: " ".join(value[2:]) if isinstance(value, tuple) else "",
)
def test_command_bad_call_is_one_clear_line(command, out, words, code, message):
    found, printed, complaint = command(*words, "--out", out)
    assert (found, printed) == (code, "")
    assert message in complaint


def test_command_interrupted_says_how_to_go_on(command, out, monkeypatch):
    def interrupt(self, messages):
        raise KeyboardInterrupt

    monkeypatch.setattr(Program, "__call__", interrupt)
    code, printed, complaint = command("--command", "echo 4", "--out", out)
    assert (code, printed) == (1, "")
    assert complaint.endswith(f"Stopped. What was answered is in {out}; the same call goes on.\n")
