"""What somebody can put into a release to make a reader fail, hang, swell or look elsewhere.

Each is told with its place, in a second or so, and no file outside is opened.
"""

import json
import os
import shutil
import sys
import time
from contextlib import contextmanager, nullcontext

import pytest
from datasets import load_dataset
from releases import DATA
from tiny_release import write_release

import kolab
from kolab_core.commands.cli import main
from kolab_core.names.location import find_sample
from kolab_core.release import ReleaseError, fingerprint_release, open_release, read_session
from kolab_core.rows.check import check_release
from kolab_core.team import find_team_sample, fingerprint_team, is_team_release

pytestmark = pytest.mark.filterwarnings("ignore:The release at .* is partial:UserWarning")
SESSION = "sessions/P01_S1"
DEEP = 20_000
LONGEST_S = 20
METADATA = [
    "release.json",
    "participants.jsonl",
    f"{SESSION}/workflow.json",
    f"{SESSION}/graph.json",
    f"{SESSION}/chat.jsonl",
    "surveys/P01.json",
]


@pytest.fixture
def root(tmp_path):
    return write_release(tmp_path / "release")


def said(capsys, root):
    """What `kolab validate` prints of a release that it refuses."""
    start = time.monotonic()
    assert main(["validate", "--no-recordings", str(root)]) == 1
    assert time.monotonic() - start < LONGEST_S
    return capsys.readouterr().out


def edit(path, change):
    """Change the JSON of a file in place."""
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


_watched: list[list[str]] = []


def _note_open(event, arguments):
    if event == "open" and _watched and isinstance(arguments[0], str):
        _watched[-1].append(os.path.realpath(arguments[0]))


sys.addaudithook(_note_open)


@contextmanager
def no_file_of(folder):
    """Nothing in this folder is opened meanwhile."""
    _watched.append([])
    try:
        yield
    finally:
        opened = _watched.pop()
        assert not [path for path in opened if path.startswith(f"{folder.resolve()}{os.sep}")]


def nested(kind):
    return {"list": "[" * DEEP + "]" * DEEP, "object": '{"a":' * DEEP + "1" + "}" * DEEP}[kind]


@pytest.mark.parametrize("kind", ["list", "object"])
@pytest.mark.parametrize("file", METADATA)
def test_json_nested_too_deeply_is_told(root, file, kind, capsys):
    (root / file).write_text(nested(kind))
    assert "JSON nested too deeply" in said(capsys, root)
    assert f"{file} " in said(capsys, root)


def test_json_nested_too_deeply_is_no_release_of_another_kind(root, tmp_path):
    (root / "release.json").write_text(nested("list"))
    assert not is_team_release(root)
    with pytest.raises(ReleaseError, match=r"release\.json: found JSON nested too deeply"):
        load_dataset("kolab", data_dir=str(root), cache_dir=str(tmp_path / "cache"))


TEXTS = {
    "too-large": ('{"a": 1e999}', "no such key"),
    "nan": ('{"a": NaN}', "NaN, which JSON does not have"),
    "infinity": ('{"a": -Infinity}', "-Infinity, which JSON does not have"),
    "key-twice": ('{"a": 1, "a": 2}', "the key 'a' twice in one object"),
    "utf-16": ('{"a": 1}'.encode("utf-16"), "bytes that are not UTF-8"),
    "utf-32": ('{"a": 1}'.encode("utf-32"), "bytes that are not UTF-8"),
    "mark-twice": ("\ufeff\ufeff{}", "broken JSON"),
    "long-line": ("x" * 5_000_000, "broken JSON"),
    "long-number": ("9" * 100_000, "a number that is too long"),
    "nul": ("\0" * 1000, "broken JSON"),
    "cut": ('{"a": [1, 2', "broken JSON"),
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("file", METADATA)
def test_text_that_is_no_plain_json_is_told(root, file, name, capsys):
    text, found = TEXTS[name]
    (root / file).write_bytes(text.encode() if isinstance(text, str) else text)
    out = said(capsys, root)
    assert found in out
    assert len(out) < 100_000


NAMES = {
    "above": "../outside",
    "absolute": "/etc",
    "dots": "..",
    "nul": "a\0b",
    "windows": "a\\..\\b",
    "right-to-left": "a\u202eb",
    "line": "a\nb",
    "half-a-pair": "\ud800",
    "empty": "",
}


@pytest.mark.parametrize("name", NAMES)
def test_name_that_is_no_plain_one_is_refused_and_printable(root, name, capsys):
    def rename(content):
        content["sessions"].append(NAMES[name])

    edit(root / "release.json", rename)
    out = said(capsys, root)
    assert "sessions[3]" in out
    assert "a name: printable text" in out
    assert "\u202e" not in out
    assert "\0" not in out


def test_name_of_thousands_of_characters_is_told(root, capsys):
    edit(root / "release.json", lambda content: content["sessions"].append("n" * 4096))
    assert main(["validate", "--no-recordings", str(root)]) == 0
    out = capsys.readouterr().out
    assert "no such folder" in out
    with pytest.warns(UserWarning, match="1 of 4 sessions are not there"):
        kolab.Kolab(config_name="adoption_forecast", data_dir=str(root))


def test_texts_of_html_and_turned_text_stay_texts(root, tmp_path):
    texts = ["<script>alert(1)</script>", "=1+1", "a\u202eb", "{{ goal }}", "\\input{x}", "%s"]
    file = root / SESSION / "workflow.json"
    for text in texts:
        edit(file, lambda content, text=text: content.update(goal=text))
        rows = load_dataset(
            "kolab", "adoption_forecast", data_dir=str(root), cache_dir=str(tmp_path), split="test"
        )
        assert rows[0]["goal"] == text


@pytest.mark.parametrize("file", [*METADATA, f"{SESSION}/recording.mp4"])
def test_pipe_in_the_place_of_a_file_is_not_waited_for(root, file, capsys):
    (root / file).unlink(missing_ok=True)
    os.mkfifo(root / file)
    out = said(capsys, root)
    if file == "release.json":
        assert "a folder without release.json" in out
    elif file.endswith("mp4"):
        assert "a recording" in out
    else:
        assert "no file, but a pipe or a device" in out
    if file != "release.json":
        fingerprint_release(root)


@pytest.mark.parametrize(
    "link",
    [
        *METADATA,
        "sessions",
        "surveys",
        SESSION,
        "sessions/unlisted",
        f"{SESSION}/files/input",
        f"{SESSION}/files/output/a.json",
        f"{SESSION}/recording.mp4",
    ],
)
def test_link_that_leads_out_opens_nothing_there(root, link, tmp_path, capsys):
    outside = tmp_path / "outside"
    shutil.copytree(DATA / "base", outside)
    place = root / link
    if place.is_dir():
        shutil.rmtree(place)
    place.unlink(missing_ok=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    target = outside if "." not in place.name else outside / "release.json"
    place.symlink_to(target)
    with no_file_of(outside):
        code = main(["validate", str(root)])
        if link != "release.json":
            fingerprint_release(root)
        config = "surveys" if link.startswith("surveys") else "sessions"
        with nullcontext() if code == 0 else pytest.raises(ReleaseError):
            load_dataset("kolab", config, data_dir=str(root), cache_dir=str(tmp_path / "cache"))
    out = capsys.readouterr().out
    if link != "sessions/unlisted":
        assert "a link that leads out of the release" in out
    assert str(outside) not in out


def test_team_release_with_a_link_that_leads_out_opens_nothing_there(tmp_path, capsys):
    root, outside = tmp_path / "team", tmp_path / "outside"
    shutil.copytree(find_team_sample(), root)
    shutil.copytree(find_team_sample(), outside)
    (root / "tasks.jsonl").unlink()
    (root / "tasks.jsonl").symlink_to(outside / "tasks.jsonl")
    with no_file_of(outside):
        assert main(["validate", str(root)]) == 1
        fingerprint_team(root)
    assert "a link that leads out of the release" in capsys.readouterr().out


@pytest.fixture
def snapshot(tmp_path):
    """The sample as the Hub's cache keeps it: a revision of links into the blobs."""
    repository = tmp_path / "hub" / "datasets--somebody--kolab"
    blobs, root = repository / "blobs", repository / "snapshots" / "0123abc"
    blobs.mkdir(parents=True)
    for number, path in enumerate(sorted(p for p in find_sample().rglob("*") if p.is_file())):
        shutil.copyfile(path, blobs / f"{number:040x}")
        link = root / path.relative_to(find_sample())
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(os.path.relpath(blobs / f"{number:040x}", link.parent))
    return root


def test_release_in_the_cache_of_the_hub_loads_in_place(snapshot, tmp_path):
    report = check_release(snapshot)
    assert report.errors == ()
    assert report.counts == check_release(find_sample()).counts
    rows = load_dataset(
        "kolab",
        "adoption_forecast",
        data_dir=str(snapshot),
        cache_dir=str(tmp_path / "cache"),
        split="test",
    )
    assert rows[0]["video"].path.startswith(str(snapshot.resolve()))
    assert rows[0]["video"].sample(1).images.shape[0] == 1
    assert len(fingerprint_release(snapshot)) == 32


@pytest.mark.parametrize("where", ["outside", "other-repository", "blobs-that-are-a-link"])
def test_link_that_leaves_the_cache_of_the_hub_is_refused(snapshot, where, tmp_path):
    repository = snapshot.parent.parent
    target = {
        "outside": tmp_path / "secret.json",
        "other-repository": repository.parent / "datasets--a--b" / "blobs" / "0",
        "blobs-that-are-a-link": repository / "blobs" / "secret",
    }[where]
    if where == "blobs-that-are-a-link":
        (repository / "blobs").rename(tmp_path / "elsewhere")
        (repository / "blobs").symlink_to(tmp_path / "elsewhere")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("{}")
    name = open_release(find_sample()).session_ids[0]
    link = snapshot / "sessions" / name / "graph.json"
    link.unlink()
    link.symlink_to(target)
    texts = [str(issue) for issue in check_release(snapshot).errors]
    file = "release.json" if where == "blobs-that-are-a-link" else f"sessions/{name}/graph.json"
    assert any(text.startswith(f"{file}: found a link that leads out") for text in texts)


def edit_graph(root, change):
    edit(root / SESSION / "graph.json", lambda content: change(content["steps"][1]))


def clock(milliseconds):
    return f"00:00:{milliseconds // 1000:02d}.{milliseconds % 1000:03d}"


def test_node_with_very_many_occurrences_and_responses_is_read_in_time(root):
    def grow(step):
        step["nodes"][1]["time"] = [f"{clock(30_000 + i)}-00:00:40" for i in range(3000)]
        entry = ["n1", "n2", "adopt", "", "00:00:31-00:00:40", "00:00:40-00:00:50"]
        step["nodes"][2]["user_response"] = [entry] * 1000

    edit_graph(root, grow)
    start = time.monotonic()
    session = read_session(open_release(root), "P01_S1")
    assert len(session.responses) == 1000
    assert time.monotonic() - start < LONGEST_S / 4


@pytest.mark.parametrize(
    "edges",
    [[("n1", "n1")], [("n1", "n2"), ("n2", "n1")], [("n3", "n1")] * 10_000],
    ids=["self", "circle", "many"],
)
def test_edges_in_circles_are_kept_as_they_are(root, edges):
    def link(step):
        step["edges"] = [{"from": a, "to": b, "type": "loop"} for a, b in edges]

    edit_graph(root, link)
    assert check_release(root).errors == ()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("00:00:30-00:00:20", "expected an end that is not before the start"),
        ("-00:00:30-00:00:40", "expected a span HH:MM:SS"),
        ("00:00:30-99999:00:00", "expected a span HH:MM:SS"),
        ("00:00:30-inf", "expected a span HH:MM:SS"),
        ("٠٠:٠٠:٣٠-٠٠:٠٠:٤٠", "expected a span HH:MM:SS"),
    ],
)
def test_interval_that_is_none_is_told(root, text, found):
    edit_graph(root, lambda step: step["nodes"][0].update(time=[text]))
    assert any(found in str(issue) for issue in check_release(root).errors)


@pytest.mark.parametrize("times", [(60, 20), (-1, 60), (1e999, 60), (20, 1e308), ("20", 60)])
def test_segment_that_is_no_interval_is_told(root, times):
    start, end = times
    edit_graph(root, lambda step: step.update(start_seconds=start, end_seconds=end))
    texts = [str(issue) for issue in check_release(root).errors]
    assert any("seconds: found" in text and "expected" in text for text in texts)


@pytest.mark.parametrize("change", ["missing", "twice"])
def test_participants_that_are_not_there_once_are_told(root, change):
    file = root / "participants.jsonl"
    lines = file.read_text().splitlines()
    file.write_text("\n".join(lines[1:] if change == "missing" else [*lines, lines[0]]))
    (issue, *_) = check_release(root).errors
    assert issue.where == ("participant_id" if change == "missing" else "line 3 > participant_id")
