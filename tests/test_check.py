import pytest
from releases import (
    BASE,
    CHAT,
    FOLDER,
    GRAPH,
    SESSION,
    SURVEY,
    WORKFLOW,
    check_files,
    load_base,
    write_files,
)

from kolab_core.rows.check import check_release


def test_check_release_counts_what_there_is():
    report = check_release(BASE)
    assert (report.errors, report.notes) == ((), ())
    assert report.counts == {
        "sessions": 1,
        "participants": 1,
        "steps": 2,
        "segments": 3,
        "nodes": 7,
        "edges": 5,
        "responses": 3,
        "turns": 4,
        "recordings": 1,
        "rows of adoption_recognition": 3,
        "rows of adoption_forecast": 3,
        "rows of step_n": 3,
        "rows of workflow_level": 1,
        "rows of collab_rating": 2,
        "rows of output_quality": 1,
        "surveys": 1,
    }


def test_check_release_collects_errors_of_all_files_at_once(tmp_path):
    files = load_base()
    files["release.json"]["sessions"] += [SESSION, "P01_S9"]
    files["participants.jsonl"].append({"participant_id": "P02"})
    files[WORKFLOW]["session"] = 0
    files[GRAPH]["steps"][0]["edges"][0]["to"] = "nobody"
    files[GRAPH]["steps"][2]["nodes"][2]["user_response"][1][2] = "bypass"
    files[CHAT][0]["role"] = "user"
    files[CHAT][3]["end_seconds"] = 1
    files[SURVEY]["answers"]["Q13"] = 0
    (tmp_path / FOLDER).mkdir(parents=True)
    (tmp_path / FOLDER / "recording.mkv").touch()
    report = check_files(tmp_path, files)
    found = [(issue.file.rpartition("/")[2], issue.where) for issue in report.errors]
    entry = "steps[2] seg2 > nodes[2] m3 > user_response[1][2] (instance P01_S1/seg2/m3/1)"
    assert found == [
        ("participants.jsonl", "line 2 > occupation"),
        ("participants.jsonl", "line 2 > sector"),
        ("release.json", "sessions[1]"),
        ("workflow.json", "session"),
        ("graph.json", "steps[0] seg0 > edges[0] > to"),
        ("graph.json", entry),
        ("chat.jsonl", "line 1 > role"),
        ("chat.jsonl", "line 4 > end_seconds"),
        (SESSION, ""),
        ("P01.json", "answers > Q13"),
    ]
    assert [issue.file for issue in report.notes] == ["sessions/P01_S9"]


def test_check_release_broken_node_says_nothing_is_missing_that_may_be_that_node(tmp_path):
    files = load_base()
    files[GRAPH]["steps"][0]["nodes"][1]["time"] = ["soon"]  # n2: two edges and a response need it
    report = check_files(tmp_path, files)
    assert [issue.where for issue in report.errors] == ["steps[0] seg0 > nodes[1] n2 > time[0]"]


def test_check_release_notes_of_a_session_with_errors_are_told(tmp_path):
    files = load_base()
    files[GRAPH]["goal"] = "Another"
    files[CHAT][0]["role"] = "user"
    report = check_files(tmp_path, files)
    assert [len(report.errors), len(report.notes)] == [1, 1]


@pytest.mark.parametrize(
    ("duration", "found"),
    [
        pytest.param(180.0, [], id="as long as the last segment"),
        pytest.param(None, [], id="unknown"),
        pytest.param(
            179.99,
            ["times up to 180.000 s in a recording of 179.990 s"],
            id="shorter",
        ),
    ],
)
def test_check_release_times_beyond_the_recording_are_a_note(duration, found):
    asked = []

    def duration_of(path):
        asked.append(path)
        return duration

    report = check_release(BASE, duration_of=duration_of)
    assert report.errors == ()
    assert [issue.found for issue in report.notes] == found
    assert asked == [BASE.resolve() / FOLDER / "recording.mp4"]


def test_check_release_chat_beyond_the_recording_is_a_note(tmp_path):
    files = load_base()
    files[CHAT][3]["end_seconds"] = 200.5
    report = check_release(write_files(tmp_path, files), duration_of=lambda path: 190.0)
    assert [i.found for i in report.notes] == ["times up to 200.500 s in a recording of 190.000 s"]


def test_check_release_unreadable_recording_is_an_error():
    def duration_of(path):
        raise RuntimeError("no video in it")

    (issue,) = check_release(BASE, duration_of=duration_of).errors
    assert str(issue) == (
        "sessions/P01_S1/recording.mp4: found an unreadable recording (no video in it); "
        "expected a video that decodes."
    )
