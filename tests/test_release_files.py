"""What a file system, an editor or a download can do to a release's files."""

import json
import os
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from releases import (
    BASE,
    CHAT,
    FOLDER,
    GRAPH,
    SESSION,
    SURVEY,
    WORKFLOW,
    check_files,
    load_all_rows,
    load_base,
    removed,
    replaced,
    walk,
    write_files,
)

from kolab_core.release import (
    Issue,
    ReleaseError,
    fingerprint_release,
    open_release,
    read_session,
    read_survey,
)
from kolab_core.rows.check import check_release
from kolab_core.rows.columns import build_features

METADATA = ["release.json", "participants.jsonl", WORKFLOW, GRAPH, CHAT, SURVEY]


@pytest.fixture
def base(tmp_path):
    return write_files(tmp_path / "release", load_base())


def problems(root):
    return [str(issue) for issue in check_release(root).errors]


@pytest.mark.parametrize("file", METADATA)
def test_read_folder_in_the_place_of_a_file_is_an_error(base, file):
    (base / file).unlink()
    (base / file).mkdir()
    (found,) = problems(base)
    if file == "release.json":
        assert found.endswith(
            "found a folder without release.json; expected a Kolab release. "
            "docs/release_format.md says what a release holds."
        )
    else:
        assert (
            found == f"{file}: found an unreadable file (Is a directory); expected a readable file."
        )


@pytest.mark.parametrize("file", METADATA[1:])
def test_read_unreadable_file_is_an_error(base, file, monkeypatch):
    read_bytes = Path.read_bytes

    def refuse(path):
        if path == base / file:
            raise PermissionError(13, "Permission denied")
        return read_bytes(path)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    expected = f"{file}: found an unreadable file (Permission denied); expected a readable file."
    assert problems(base) == [expected]


@pytest.mark.parametrize("file", METADATA[1:])
def test_read_link_that_leads_out_is_refused(base, file):
    outside = base.parent / "outside"
    (base / file).rename(outside)
    (base / file).symlink_to(outside)
    (found,) = problems(base)
    assert found.startswith(f"{file}: found a link that leads out of the release; expected a file")
    with pytest.raises(ReleaseError, match="leads out of the release"):
        load_all_rows(base)


@pytest.mark.parametrize("file", METADATA[1:])
def test_read_link_that_stays_inside_is_followed(base, file):
    inside = base / "elsewhere"
    (base / file).rename(inside)
    (base / file).symlink_to(inside)
    assert problems(base) == []


@pytest.mark.parametrize("file", METADATA[1:])
@pytest.mark.parametrize("kind", ["circle", "broken"])
def test_read_link_to_nothing_is_an_error(base, file, kind):
    (base / file).unlink()
    (base / file).symlink_to((base / file) if kind == "circle" else base / "nowhere")
    if file == SURVEY and kind == "circle":
        assert len(problems(base)) == 1
        return
    (found,) = problems(base)
    assert found.startswith(f"{file}: found ")


def test_read_session_folder_that_leads_out_is_refused(base):
    outside = base.parent / "outside"
    (base / FOLDER).rename(outside)
    (base / FOLDER).symlink_to(outside)
    (found,) = problems(base)
    assert found.startswith(f"{FOLDER}: found a link that leads out of the release")


@pytest.mark.parametrize(
    "name", ["files/input/brief.txt", "files/output/plan.txt", "recording.mp4"]
)
def test_read_input_output_or_recording_that_leads_out_is_refused(base, name):
    outside = base.parent / "outside"
    outside.write_text("x")
    path = base / FOLDER / name
    path.unlink(missing_ok=True)
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(outside)
    assert any("leads out of the release" in text for text in problems(base))


def test_read_session_folder_that_is_a_file_is_absent(base):
    files = load_base()
    files["release.json"]["sessions"].append("P01_S2")
    files["sessions/P01_S2"] = b"text"
    report = check_files(base, files)
    assert [str(note) for note in report.notes] == [
        "sessions/P01_S2: found no workflow.json and no graph.json; expected the session's folder "
        "(its rows are absent)."
    ]


def test_open_release_partial_download_loads_what_is_there(base):
    files = load_base()
    files["release.json"]["sessions"] = ["P02_S1", SESSION, "P02_S2"]
    release = open_release(write_files(base, files))
    assert release.session_ids == (SESSION,)
    assert release.missing_session_ids == ("P02_S1", "P02_S2")
    with pytest.raises(KeyError):
        read_session(release, "P02_S1")
    assert len(load_all_rows(base)["adoption_forecast"]) == 3


def test_read_byte_order_mark_windows_lines_and_blank_lines_are_fine(base):
    expected = load_all_rows(base)
    for file in METADATA:
        text = (base / file).read_text()
        padded = "\ufeff\r\n" + text.replace("\n", "\r\n\r\n") + "\r\n"
        (base / file).write_bytes(padded.encode())
    assert load_all_rows(base) == expected


def test_read_text_with_line_separators_stays_one_line(base):
    files = load_base()
    files[CHAT] = json.dumps({**files[CHAT][0], "content": "a\u2028b\x85c"}, ensure_ascii=False)
    write_files(base, files)
    (turn,) = read_session(open_release(base), SESSION).turns
    assert turn.content == "a\u2028b\x85c"


@pytest.mark.parametrize("file", METADATA)
@pytest.mark.parametrize(
    ("content", "found"),
    [
        pytest.param("{", "broken JSON", id="broken"),
        pytest.param('{"a": 1}{', "broken JSON", id="two values"),
        pytest.param("NaN", "NaN, which JSON does not have", id="NaN"),
        pytest.param("[" * 100_000, "JSON nested too deeply", id="deep"),
        pytest.param("9" * 5_000, "a number that is too long", id="long number"),
        pytest.param(b"\xff\xfe{\x00}\x00", "bytes that are not UTF-8", id="UTF-16"),
        pytest.param(b'{"a": "\xe9"}', "bytes that are not UTF-8", id="Latin-1"),
        pytest.param('"\x00"', "broken JSON", id="control character"),
        pytest.param("null", "None; expected an object", id="null"),
    ],
)
def test_read_what_is_no_json_object_is_an_error_in_that_file(base, file, content, found):
    write_files(base, {file: content})
    errors = [text for text in problems(base) if text.startswith(f"{file}: ")]
    assert len(errors) == 1
    assert f"found {found}" in errors[0]


@pytest.mark.parametrize("file", [f for f in METADATA if f.endswith(".jsonl")])
def test_read_empty_lines_file_holds_nothing(base, file):
    write_files(base, {file: ""})
    report = check_release(base)
    assert not any(issue.file == file for issue in (*report.errors, *report.notes))
    assert bool(report.errors) == (file == "participants.jsonl")  # the session's person is missing


def test_open_release_folder_that_is_none_says_so(tmp_path):
    with pytest.raises(ReleaseError, match=r"found a folder without release\.json; expected a Ko"):
        open_release(tmp_path)
    with pytest.raises(ReleaseError, match="found no such folder; expected a Kolab release"):
        open_release(tmp_path / "nowhere")
    (tmp_path / "file").touch()
    with pytest.raises(ReleaseError, match="found a file; expected a Kolab release"):
        open_release(tmp_path / "file")


@pytest.mark.parametrize("root", ["~nobody-of-this-name/x", "x" * 5000, "a\0b", ""])
def test_open_release_unusable_name_is_a_release_error(root, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ReleaseError, match="expected a Kolab release"):
        open_release(root)


@pytest.mark.parametrize("suffix", [".mp4", ".webm", ".mkv", ".mov", ".MP4", ".Mov"])
def test_read_session_takes_any_documented_recording(base, suffix):
    (base / FOLDER / "recording.mp4").unlink()
    (base / FOLDER / f"recording{suffix}").touch()
    recording = read_session(open_release(base), SESSION).recording
    assert recording == base.resolve() / FOLDER / f"recording{suffix}"


def test_read_session_recording_that_is_a_folder_is_an_error(base):
    (base / FOLDER / "recording.mp4").unlink()
    (base / FOLDER / "recording.mp4").mkdir()
    assert problems(base) == [f"{FOLDER}/recording.mp4: found a folder; expected a recording."]


def test_read_session_recording_not_downloaded_yet_is_a_note(base):
    path = base / FOLDER / "recording.mp4"
    path.unlink()
    path.symlink_to("not-there")  # as some download tools leave it
    session = read_session(open_release(base), SESSION)
    assert session.recording is None
    assert [note.found for note in session.notes] == ["a link to a file that is not there"]
    path.unlink()
    path.with_name("recording.mp4.part").touch()
    session = read_session(open_release(base), SESSION)
    assert session.recording is None
    assert [note.found for note in session.notes] == ["no recording"]


@pytest.mark.skipif(os.name == "nt", reason="names are bytes elsewhere")
def test_read_names_that_are_not_utf8_are_told_and_printable(base):
    name = os.fsdecode(b"caf\xe9.txt")
    (base / FOLDER / "files/input" / name).touch()
    (base / "sessions" / name).mkdir()
    report = check_release(base)
    texts = [str(issue) for issue in (*report.errors, *report.notes)]
    assert [text.encode() for text in texts] == [
        b"sessions/P01_S1/files/input/caf\\udce9.txt: found a name that is not UTF-8; "
        b"expected a UTF-8 name.",
        b"sessions/caf\\udce9.txt: found a folder that is not listed; expected a session that "
        b"release.json lists (it is left out).",
    ]
    assert fingerprint_release(base)


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "..", "a/../../b", "file:///x", "C:\\x", "a\0b", ""]
)
def test_read_attachment_outside_is_an_error(base, path):
    files = load_base()
    files[CHAT][0]["attachments"] = [path]
    (found,) = check_files(base, files).errors
    assert found.expected == "a relative path that stays inside (no '..', no scheme)"


def test_read_attachment_with_a_very_long_name_is_a_note(base):
    files = load_base()
    files[CHAT][0]["attachments"] = ["x" * 5000]
    report = check_files(base, files)
    assert (report.errors, len(report.notes)) == ((), 1)


@pytest.mark.parametrize("name", ["n 1", "nœud", "节点", "n\\1", "n\u200d1", "n\n1", ".."])
def test_read_unusual_ids_are_kept(base, name):
    files = load_base()
    segment = files[GRAPH]["steps"][1]
    segment["key"] = segment["nodes"][0]["id"] = name
    assert check_files(base, files).errors == ()
    session = read_session(open_release(base), SESSION)
    assert session.nodes[3].id == f"{name}/{name}"


def test_read_tool_values_are_kept_as_json_text(base):
    files = load_base()
    values = ["text", None, {"ä": [1, 2.50]}, [], 3, True, ""]
    files[CHAT][0]["tool_calls"] = [{"name": "t", "input": v, "output": v} for v in values]
    session = read_session(open_release(write_files(base, files)), SESSION)
    expected = ["text", None, '{"ä": [1, 2.5]}', "[]", "3", "true", ""]
    assert [call.input for call in session.turns[0].tool_calls] == expected
    assert [call.output for call in session.turns[0].tool_calls] == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (float("inf"), "plain JSON"),
        ([[[]]] * 3, None),
        (json.loads("[" * 60 + "]" * 60), "JSON nested at most 50 deep"),
        ({"a": "\ud800"}, "text that is valid Unicode"),
    ],
)
def test_read_tool_value_that_no_column_can_hold_is_an_error(base, value, expected):
    files = load_base()
    files[CHAT][0]["tool_calls"] = [{"name": "t", "input": value}]
    report = check_files(base, files)
    assert [issue.expected for issue in report.errors] == ([expected] if expected else [])


def test_read_unknown_keys_are_notes_and_left_out(base):
    expected = load_all_rows(base)
    files = load_base()
    for name in METADATA:
        content = files[name]
        for path in list(walk(content)):
            value = content
            for key in path:
                value = value[key]
            is_free = (name == CHAT and "input" in path) or path[-1:] == ("answers",)
            if isinstance(value, dict) and not is_free:
                content = replaced(content, path, {**value, "x-note": {"nested": [1]}})
        files[name] = content
    report = check_files(base, files)
    assert report.errors == ()
    assert len(report.notes) > 20
    assert all(note.found == "an unknown key" for note in report.notes)
    assert load_all_rows(base) == expected


# Values that break readers; the property below puts one in the place of any value of any file.
NASTY = st.sampled_from(
    [
        *(None, True, 7, -1, 1.5, 1e308, 10**400),
        *("", "x", "\ud800", "a\0b", "../x", "x/y", "é" * 3000),
        *([], {}, [None], [[]], {"a": 1}, {"\ud800": 1}, json.loads("[" * 300 + "]" * 300)),
    ]
)
PLACES = [(name, path) for name in METADATA for path in walk(load_base()[name]) if path]


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(
        st.tuples(st.sampled_from(PLACES), st.none() | NASTY, st.booleans()), min_size=1, max_size=3
    )
)
def test_check_release_any_value_anywhere_gives_issues_and_never_a_raw_error(changes):
    import tempfile

    files = load_base()
    for (name, path), value, is_removed in changes:
        try:
            change = (
                removed(files[name], path) if is_removed else replaced(files[name], path, value)
            )
        except (KeyError, IndexError, TypeError):  # an earlier change has taken the place away
            continue
        files[name] = change
    with tempfile.TemporaryDirectory() as folder:
        root = write_files(Path(folder), files)
        report = check_release(root)
        for issue in (*report.errors, *report.notes):
            assert str(issue).isprintable()
            assert issue.found
            assert issue.expected
            assert not issue.expected.startswith("Input")  # a library's words, not ours
        if report.errors:
            with pytest.raises(ReleaseError) as caught:
                load_all_rows(root)
            assert set(caught.value.issues) <= set(report.errors)
        else:
            for config, table in load_all_rows(root).items():
                pa.Table.from_pylist(table, schema=build_features(config).arrow_schema)


def test_release_error_names_the_total_and_the_first_twenty():
    issues = [Issue(f"f{i:02d}", "", str(i), "less") for i in reversed(range(25))]
    lines = str(ReleaseError(issues)).splitlines()
    assert lines[0] == "25 problems in the release:"
    assert lines[1] == "f00: found 0; expected less."
    assert lines[20] == "f19: found 19; expected less."
    assert lines[21] == "… and 5 more; `kolab validate` lists them all."
    assert len(lines) == 22
    assert len(str(ReleaseError(issues[:20])).splitlines()) == 21
    assert str(ReleaseError(issues[:1])) == "f24: found 24; expected less."


def test_issue_shows_long_values_in_eighty_characters(base):
    files = load_base()
    files[WORKFLOW]["goal_achieved"]["answer"] = "y" * 500
    (issue,) = check_files(base, files).errors
    assert len(issue.found) == 80


def test_read_survey_with_errors_raises_all_of_them(base):
    files = load_base()
    files[SURVEY]["answers"].update(Q13=11, Q14=0, Q15=True, Q16="7", Q17=5.0)
    with pytest.raises(ReleaseError) as caught:
        read_survey(open_release(write_files(base, files)), "P01")
    assert [i.where for i in caught.value.issues] == [f"answers > Q{n}" for n in range(13, 18)]


def test_fingerprint_release_changes_with_content_of_metadata_and_stat_of_the_rest(base):
    first = fingerprint_release(base)
    assert first == fingerprint_release(base)
    seen = {first}
    for file in METADATA:
        path = base / file
        stat = path.stat()
        path.write_bytes(path.read_bytes().replace(b'"', b" ", 1).replace(b" ", b'"', 1) + b" ")
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        seen.add(fingerprint_release(base))
    os.utime(base / FOLDER / "recording.mp4", (1, 1))
    seen.add(fingerprint_release(base))
    (base / FOLDER / "files/input/brief.txt").write_text("longer than it was before")
    seen.add(fingerprint_release(base))
    (base / FOLDER / "files/input/brief.txt").unlink()
    seen.add(fingerprint_release(base))
    assert len(seen) == 1 + len(METADATA) + 3


def test_fingerprint_release_does_not_depend_on_the_place(base, tmp_path):
    import shutil

    shutil.copytree(base, tmp_path / "copy", copy_function=shutil.copy2)
    assert fingerprint_release(tmp_path / "copy") == fingerprint_release(base)
    assert problems(BASE) == []
