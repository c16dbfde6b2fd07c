import dataclasses
import json

import pytest
from tiny_release import edit_json, write_release

from kolab_core.commands.cli import main
from kolab_core.scorecard import read_predictions
from kolab_core.words import WordRow, WordsError, answer_by_words, visible_words

WORDS = ("kept as it was", "edited by hand", "thrown away")


def make_rows(people=4, *, answers=(0, 1, 2)):
    """For each person a row of each answer, which its graph gives away; the chats say nothing."""
    return [
        WordRow(f"P{person}/{answer}", f"P{person}", {"graph": WORDS[answer], "chat": ""}, answer)
        for person in range(people)
        for answer in answers
    ]


def test_visible_words_are_texts_of_graph_and_chat_and_no_ids_or_times():
    row = {
        "id": "S1/secret",
        "label": 2,
        "graph": {
            "nodes": [
                {
                    "id": "seg1/n1",
                    "actor": "Human",
                    "label": "Ask",
                    "detail": None,
                    "occurrences": [{"start": 1.5, "end": 2.5}],
                }
            ],
            "edges": [],
        },
        "chat": [
            {
                "role": "ai",
                "start": 3.5,
                "content": "Here it is",
                "tool_calls": [{"name": "search", "input": "roofs", "output": None}],
            },
            {"role": "human", "start": 4.0, "content": None, "tool_calls": []},
        ],
    }
    assert visible_words(row) == {"graph": "Human\nAsk", "chat": "Here it is\nsearch\nroofs"}


def test_answer_by_words_learns_from_the_others():
    found = answer_by_words(make_rows(), config="adoption_forecast", inputs=["graph"], folds=2)
    assert found.num_folds == 2
    expected = {row.id: ("adopt", "modify", "reject")[row.answer] for row in make_rows()}
    assert found.answers == expected


def test_answer_by_words_never_learns_from_the_participant_it_answers():
    rows = make_rows()
    other = [
        dataclasses.replace(row, answer=(row.answer + 1) % 3) if row.participant_id == "P2" else row
        for row in rows
    ]
    first, second = (
        answer_by_words(given, config="adoption", inputs=["graph"], folds=4)
        for given in (rows, other[::-1])
    )
    for row in rows:
        if row.participant_id == "P2":
            assert second.answers[row.id] == first.answers[row.id]


def test_answer_by_words_ratings_are_whole_and_in_range():
    rows = [
        WordRow(
            f"P{person}/{rating}", f"P{person}", {"graph": "", "chat": f"level{rating}"}, rating
        )
        for person in range(3)
        for rating in (1, 3, 5)
    ]
    found = answer_by_words(rows, config="collab_rating", inputs=["graph", "chat"])
    assert found.num_folds == 3
    # The mean is 3, ridge regression pulls towards it: the middle is right, the ends between.
    assert {found.answers[f"P{person}/3"] for person in range(3)} == {3}
    assert all(isinstance(value, int) and 1 <= value <= 5 for value in found.answers.values())
    assert found.answers["P0/1"] < 3 < found.answers["P0/5"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        pytest.param([], "found 0 participants; expected at least 2", id="none"),
        pytest.param(make_rows(1), "found 1 participant; expected at least 2", id="one"),
        pytest.param(make_rows(3, answers=(1,)), "learn from modify alone", id="one-label"),
        pytest.param(
            [dataclasses.replace(row, words={"graph": "… a"}) for row in make_rows()],
            "rows without words",
            id="no-words",
        ),
    ],
)
def test_answer_by_words_nothing_to_learn_from_is_said(rows, message):
    with pytest.raises(WordsError, match=message):
        answer_by_words(rows, config="adoption", inputs=["graph"])


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    root = write_release(tmp_path_factory.mktemp("release"), num_sessions=8)
    for name, label in (("P01_S2", "modify"), ("P02_S1", "reject"), ("P03_S2", "reject")):
        edit_json(root / "sessions" / name / "graph.json", '"adopt"', f'"{label}"')
    return root


def run_baseline(capsys, release, *words):
    code = main(["baseline", *map(str, words), "--data-dir", str(release), "--rounds", "50"])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_baseline_prints_majority_and_words_in_every_setting_of_words(capsys, release):
    code, out, err = run_baseline(capsys, release, "adoption_forecast", "--published")
    assert (code, err) == (0, "")
    assert "4 folds instead of 5: there are no more participants." in out
    assert "graph-only" in out
    assert "chat-only" in out
    assert "graph-chat" in out
    assert "majority class (adopt)" in out
    assert "TF-IDF + logistic regression" in out
    assert "paper: Claude" in out


def test_baseline_answers_score_as_it_printed(capsys, release, tmp_path):
    file = tmp_path / "words.jsonl"
    words = ("collab_rating", "--format", "json", "--answers", file, "--folds", "2")
    code, out, _ = run_baseline(capsys, release, *words)
    assert code == 0
    assert {line.modalities for line in read_predictions(file)} == {
        "graph-only",
        "chat-only",
        "graph-chat",
    }
    call = ["score", str(file), "--config", "collab_rating", "--format", "json", "--rounds", "50"]
    assert main([*call, "--data-dir", str(release)]) == 0
    again = json.loads(capsys.readouterr().out)
    ours = json.loads(out)
    assert ours["notes"] == []
    scores = [next(iter(column["scores"].values())) for column in ours["columns"]]
    assert scores == [column["scores"]["words"] for column in again["columns"]]
    assert all("mae_low" in score for score in scores)


def test_baseline_of_one_participant_says_why_there_is_none(capsys, tmp_path):
    root = write_release(tmp_path, num_sessions=2)
    code, out, err = run_baseline(capsys, root, "adoption_forecast")
    assert (code, out) == (1, "")
    assert "graph-only: found 1 participant; expected at least 2, to learn from others.\n" in err
    assert err.endswith("nothing can be learnt.\n")


def test_baseline_answers_file_that_cannot_be_written_is_a_bad_call(capsys, release, tmp_path):
    (tmp_path / "file").write_text("")
    code, _, err = run_baseline(
        capsys, release, "adoption_forecast", "--answers", tmp_path / "file" / "words.jsonl"
    )
    assert code == 2
    assert err.startswith(f"--answers {tmp_path / 'file' / 'words.jsonl'}: found ")


@pytest.mark.parametrize("folds", ["1", "two"])
def test_baseline_folds_out_of_range_are_a_bad_call(capsys, folds):
    with pytest.raises(SystemExit) as end:
        main(["baseline", "adoption_forecast", "--folds", folds])
    assert end.value.code == 2
    assert f"--folds: found {folds}; expected a whole number from 2" in capsys.readouterr().err
