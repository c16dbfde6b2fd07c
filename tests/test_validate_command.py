import json
import shutil

import pytest
from broken import DATA, EXPECTED, lay_over
from releases import BASE, FOLDER, load_base, write_files

from kolab_core.commands.cli import main


def validate(capsys, *words):
    code = main(["validate", *map(str, words)])
    captured = capsys.readouterr()
    assert captured.err == ""
    return code, captured.out


@pytest.fixture
def silent(tmp_path):
    """The base release without its (empty) recording."""
    files = load_base()
    del files[f"{FOLDER}/recording.mp4"]
    return write_files(tmp_path / "release", files)


def test_validate_sound_release_exits_0_with_counts(capsys):
    code, out = validate(capsys, "--no-recordings", BASE)
    assert code == 0
    assert "ERROR" not in out
    lines = [line.split() for line in out.splitlines()]
    assert ["responses", "3"] in lines
    assert ["rows", "of", "workflow_level", "1"] in lines
    assert out.endswith(f"{BASE}: 0 errors, 0 notes: valid.\n")


def test_validate_notes_alone_exit_0(capsys, silent):
    code, out = validate(capsys, silent)
    assert code == 0
    assert "note" in out
    assert out.endswith(": 0 errors, 1 notes: valid.\n")


def test_validate_errors_exit_1_each_with_place_found_and_expected(capsys, tmp_path):
    root = lay_over(DATA / "broken" / "graph_several_faults_at_once", tmp_path)
    code, out = validate(capsys, "--no-recordings", root)
    assert code == 1
    errors = [line for line in out.splitlines() if line.startswith("ERROR")]
    assert len(errors) == 5
    for part in ("sessions/P01_S1/graph.json", "steps[0] seg0 > edges[2] > type", "'back'"):
        assert part in errors[0]
    assert errors[0].endswith("'sequential' or 'loop'")
    assert out.endswith(": 5 errors, 0 notes: not usable.\n")


@pytest.mark.parametrize("name", ["graph_several_faults_at_once", "chat_out_of_order"])
def test_validate_json_holds_all_issues(capsys, tmp_path, name):
    root = lay_over(DATA / "broken" / name, tmp_path)
    code, out = validate(capsys, "--no-recordings", "--json", root)
    report = json.loads(out)
    assert set(report) == {"errors", "notes", "counts", "num_errors", "num_notes"}
    assert code == (1 if report["errors"] else 0)
    assert (report["num_errors"], report["num_notes"]) == (
        len(report["errors"]),
        len(report["notes"]),
    )
    issues = [("error", issue) for issue in report["errors"]]
    issues += [("note", issue) for issue in report["notes"]]
    lines = (DATA / "broken" / name / EXPECTED).read_text().splitlines()
    for (kind, issue), line in zip(issues, lines, strict=True):
        assert set(issue) == {"file", "where", "found", "expected", "hint"}
        text = f"{kind}: {issue['file']}: {issue['where']}: found {issue['found']}; expected "
        assert line.startswith(text)


def test_validate_json_counts_are_those_of_the_table(capsys, silent):
    _, out = validate(capsys, "--json", silent)
    counts = json.loads(out)["counts"]
    _, table = validate(capsys, silent)
    lines = [line.split() for line in table.splitlines()]
    assert counts
    for name, number in counts.items():
        assert [*name.split(), str(number)] in lines


@pytest.mark.parametrize("words", [[], ["--json"]])
def test_validate_what_is_no_release_exits_1_and_says_so(capsys, tmp_path, words):
    code, out = validate(capsys, *words, tmp_path / "nowhere")
    assert code == 1
    assert "no such folder" in out
    assert "a Kolab release" in out


def test_validate_recording_that_does_not_decode_is_an_error(capsys, tmp_path):
    shutil.copytree(BASE, tmp_path, dirs_exist_ok=True)  # its recording is an empty file
    code, out = validate(capsys, tmp_path)
    assert code == 1
    assert f"{FOLDER}/recording.mp4" in out
    assert "unreadable recording" in out


def test_validate_without_words_exits_2(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["validate"])
    assert caught.value.code == 2
    assert "DIR" in capsys.readouterr().err
