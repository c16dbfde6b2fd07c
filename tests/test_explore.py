import http.client
import json
import re
import shutil
import threading
from contextlib import contextmanager
from urllib.parse import unquote, urlsplit

import pytest
from releases import SESSION, make_files, read_files, segment_with, write_files
from tiny_release import write_release

from kolab_core.commands.cli import main
from kolab_core.explore import OutError, Site, SiteOptions, build_site, make_server
from kolab_core.explore.gathering import gather_session
from kolab_core.explore.questions import all_rows, gather_questions, render_prompts
from kolab_core.explore.serving import read_range
from kolab_core.explore.writing import PAGE_FILES, script_text
from kolab_core.names.location import find_sample
from kolab_core.release import open_release, read_session

MARKUP = "</script><script>alert(1)</script><!-- &"
NASTY = f"{MARKUP} \u2028 \u05e9\u05dc\u05d5\u05dd \U0001f9d1\u200d\U0001f4bb"


def read_script(path):
    """The values that a script file calls its function with."""
    text = path.read_text(encoding="utf-8")
    call, values = re.fullmatch(r"(\w+)\((.*)\);\n", text, re.DOTALL).groups()
    return call, json.loads(f"[{values}]")


@pytest.fixture(scope="module")
def sample_site(tmp_path_factory):
    out = tmp_path_factory.mktemp("explore") / "site"
    return build_site(open_release(find_sample()), out)


def test_script_text_holds_no_markup_and_gives_the_value_back():
    text = script_text("f", {"a": NASTY})
    assert not set(text) & set("<>&\u2028\u2029")
    assert json.loads(text.removeprefix("f(").removesuffix(");\n")) == {"a": NASTY}


def test_build_site_writes_a_page_a_session_with_data_of_the_release(sample_site):
    release = open_release(find_sample())
    assert sample_site.session_ids == release.session_ids
    call, (head, entries) = read_script(sample_site.folder / "sessions.js")
    assert call == "kolabIndex"
    assert head["version"] == release.version
    assert [entry["id"] for entry in entries] == list(release.session_ids)
    for session_id in release.session_ids:
        call, (data,) = read_script(sample_site.folder / "sessions" / session_id / "data.js")
        session = read_session(release, session_id)
        assert call == "kolabSession"
        assert [n["id"] for n in data["nodes"]] == [n.id for n in session.nodes]
        assert [t["content"] for t in data["chat"]] == [t.content for t in session.turns]
        assert len(data["responses"]) == len(session.responses) > 0
        linked = sample_site.folder / "sessions" / session_id / unquote(data["recording"]["src"])
        assert linked.resolve() == session.recording.resolve()
        assert data["thumbs"] == sorted(data["thumbs"])
        pictures = [name for _, name in data["thumbs"]]
        thumbs = sample_site.folder / "sessions" / session_id / "thumbs"
        assert sorted(path.name for path in thumbs.iterdir()) == pictures != []
        assert all((thumbs / name).stat().st_size < 20_000 for name in pictures)
    assert not list(sample_site.folder.rglob("recording.*"))


def test_build_site_pages_forbid_all_but_their_own_files(sample_site):
    for page in sample_site.folder.rglob("*.html"):
        text = page.read_text()
        policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)[1]
        assert policy.startswith("default-src 'none'")
        assert "unsafe" not in policy
        assert not re.search(r"<script>|<style>|style=| on\w+=|https?:", text)
        for address in re.findall(r'(?:src|href)="([^"]+)"', text):
            assert (page.parent / address).is_file(), address
    scripts = "".join((sample_site.folder / "page" / name).read_text() for name in PAGE_FILES)
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|fetch\(", scripts)
    assert not re.search(r"XMLHttpRequest|eval\(|import ", scripts)


@pytest.mark.parametrize("config", ["adoption_recognition", "adoption_forecast", "step_n"])
def test_gather_questions_are_the_rows_by_position(config):
    release = open_release(find_sample())
    seen = 0
    for session_id in release.session_ids:
        session = read_session(release, session_id)
        rows, notes = all_rows(session)
        assert not notes
        data = gather_session(session)
        questions = [q for q in gather_questions(session, rows, None) if q["config"] == config]
        assert [q["id"] for q in questions] == [row["id"] for row in rows[config]]
        for question, row in zip(questions, rows[config], strict=True):
            seen += 1
            nodes = [data["nodes"][position] for position, *_ in question["nodes"]]
            assert [n["id"] for n in nodes] == [n["id"] for n in row["graph"]["nodes"]]
            turns = [data["chat"][position]["content"] for position in question["turns"]]
            assert turns == [turn["content"] for turn in row["chat"]]
            edges = [data["edges"][position] for position in question["edges"]]
            assert [kind for *_, kind in edges] == [e["type"] for e in row["graph"]["edges"]]
            cut = question["window"][-1][1]
            assert cut == round(row["video"]["intervals"][-1]["end"] * 1000)
            assert all(time <= cut for _, *times in question["nodes"] for time in times)
    assert seen > 10


def test_gather_questions_do_not_name_the_step_that_has_not_begun():
    """A node may run ahead of its segment, whose name then counts as not said."""
    release = open_release(find_sample())
    session = read_session(release, release.session_ids[0])
    rows, _ = all_rows(session)
    question = gather_questions(session, rows, None)[0]
    shown = {session.segments[index].step_name for index in question["segments"]}
    first = next(iter(rows.values()))[0]
    assert shown == {node["step"] for node in first["graph"]["nodes"] if node["step"]}


def test_render_prompts_are_those_that_a_model_is_sent():
    from kolab_core.prompts import render

    release = open_release(find_sample())
    rows, _ = all_rows(read_session(release, release.session_ids[0]))
    row = rows["workflow_level"][0]
    system, *parts = render_prompts("workflow_level", [row])[0]
    expected = render(row, config="workflow_level", frames="none")
    assert system == expected[0]["content"]
    assert parts == [part.get("text", "") for part in expected[1]["content"]]
    assert parts.count("") == 1


def make_odd(tmp_path, **more):
    """A session with texts that must not become markup, and nothing but a graph and a chat."""
    segment = segment_with("s", "Step-1", 0, 90, source=(1, 9), ai=(10, 20), own=(30, 40))
    segment["nodes"][0] |= {"label": NASTY, "detail": "x" * 50_000, "softwares": NASTY}
    segment["step_name"] = NASTY
    turn = {"role": "human", "start_seconds": 5, "content": NASTY, "agent": NASTY}
    untimed = {"role": "ai", "content": "\u05d0" * 50_000}
    files = make_files([segment], chat=[turn, untimed], num_steps=1, rating=3, **more)
    return write_files(tmp_path / "release", files)


def test_build_site_of_odd_texts_keeps_them_and_no_markup(tmp_path):
    site = build_site(open_release(make_odd(tmp_path)), tmp_path / "site")
    folder = site.folder / "sessions" / SESSION
    for path in [site.folder / "sessions.js", *folder.rglob("*.js")]:
        assert not set(path.read_text()) & set("<>&")
    _, (data,) = read_script(folder / "data.js")
    assert data["nodes"][0]["label"] == NASTY
    assert data["chat"][0]["content"] == NASTY
    assert len(data["chat"][1]["content"]) == 50_000
    assert data["recording"] is None
    assert data["thumbs"] == []


def test_build_site_without_chat_or_responses(tmp_path):
    site = build_site(
        open_release(write_files(tmp_path / "release", make_files([]))), tmp_path / "site"
    )
    _, (data,) = read_script(site.folder / "sessions" / SESSION / "data.js")
    assert (data["chat"], data["hasChatLog"], data["length"]) == ([], False, 0)
    assert data["questions"] == []
    assert not (site.folder / "sessions" / SESSION / "prompts").exists()


def test_build_site_says_why_a_recording_cannot_be_read(tmp_path):
    root = make_odd(tmp_path)
    (root / "sessions" / SESSION / "recording.mp4").write_bytes(b"no film")
    site = build_site(open_release(root), tmp_path / "site")
    _, (data,) = read_script(site.folder / "sessions" / SESSION / "data.js")
    assert data["recording"]["error"]
    assert str(tmp_path) not in (site.folder / "sessions" / SESSION / "data.js").read_text()


def test_build_site_row_without_window_is_a_note(tmp_path):
    segment = segment_with("s", "Step-1", 50, 90, source=(1, 9), ai=(10, 20), own=(30, 40))
    session = read_files(tmp_path, make_files([segment], num_steps=1))
    rows, notes = all_rows(session)
    assert rows["workflow_level"] == []
    assert len(rows["adoption_forecast"]) == 1
    assert any(note.startswith("workflow_level: ") for note in notes)


def test_build_site_embeds_recordings_on_request(tmp_path):
    release = open_release(find_sample())
    name = release.session_ids[0]
    options = SiteOptions(thumbnails=False, embed_video=True)
    site = build_site(release, tmp_path / "site", session_ids=[name], options=options)
    recording = read_session(release, name).recording
    copy = site.folder / "sessions" / name / recording.name
    assert copy.read_bytes() == recording.read_bytes()
    assert site.recordings == ()
    _, (data,) = read_script(copy.parent / "data.js")
    assert (data["recording"]["src"], data["thumbs"]) == (recording.name, [])


def test_build_site_again_replaces_and_other_folders_are_refused(tmp_path):
    release = open_release(write_release(tmp_path / "release", num_sessions=2))
    build_site(release, tmp_path / "site")
    build_site(release, tmp_path / "site", session_ids=["P01_S1"])
    _, (_, entries) = read_script(tmp_path / "site" / "sessions.js")
    assert [entry["id"] for entry in entries] == ["P01_S1"]
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("")
    with pytest.raises(OutError, match="found other files"):
        build_site(release, tmp_path / "mine")
    with pytest.raises(OutError, match="outside it"):
        build_site(release, tmp_path / "release" / "site")
    with pytest.raises(OutError, match="found a file"):
        build_site(release, tmp_path / "mine" / "thesis.txt")


def test_build_site_of_an_hour_weighs_at_most_400_kb(tmp_path):
    from scripts.synthesis import make_release

    root = make_release(
        tmp_path / "release",
        participants=1,
        seed=3,
        marginals=None,
        recordings=False,
        minutes=60,
    )
    site = build_site(open_release(root), tmp_path / "site")
    shared = sum(path.stat().st_size for path in (site.folder / "page").iterdir())
    for folder in (site.folder / "sessions").iterdir():
        _, (data,) = read_script(folder / "data.js")
        assert data["length"] > 40 * 60_000
        own = sum((folder / name).stat().st_size for name in ("index.html", "data.js"))
        assert shared + own < 400_000


@pytest.mark.parametrize(
    ("header", "part"),
    [
        (None, (0, 100)),
        ("bytes=0-", (0, 100)),
        ("bytes=10-19", (10, 20)),
        ("bytes=90-500", (90, 100)),
        ("bytes=-7", (93, 100)),
        ("bytes=-700", (0, 100)),
        ("bytes=99-99", (99, 100)),
        ("bytes=100-", None),
        ("bytes=-0", None),
        ("bytes=5-3", (0, 100)),
        ("bytes=-", (0, 100)),
        ("bytes=0-1,5-6", (0, 100)),
        ("lines=1-2", (0, 100)),
    ],
)
def test_read_range(header, part):
    assert read_range(header, 100) == part


@contextmanager
def serving(site):
    server, address = make_server(site, 0)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield address
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def ask(address, path, *, method="GET", **headers):
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname, parts.port)
    try:
        connection.putrequest(method, path, skip_host="Host" in headers)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        connection.close()


@pytest.fixture
def served(tmp_path):
    """A site beside a recording that it links to, and a file that is nobody's business."""
    site_folder = tmp_path / "a b" / "site"
    (site_folder / "sessions").mkdir(parents=True)
    (site_folder / "index.html").write_text("<p>hello")
    recording = tmp_path / "release" / "recording.mp4"
    recording.parent.mkdir()
    recording.write_bytes(bytes(range(256)) * 10)
    (tmp_path / "secret.txt").write_text("secret")
    site = Site(site_folder.resolve(), ("P01_S1",), (recording.resolve(),))
    with serving(site) as address:
        yield address


def test_make_server_gives_the_site_and_parts_of_the_recording(served):
    assert served.endswith("/a%20b/site/")
    status, headers, body = ask(served, "/a%20b/site/")
    assert (status, body) == (200, b"<p>hello")
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    status, headers, body = ask(served, "/release/recording.mp4", Range="bytes=250-259")
    assert (status, body) == (206, bytes([250, 251, 252, 253, 254, 255, 0, 1, 2, 3]))
    assert headers["Content-Range"] == "bytes 250-259/2560"
    assert headers["Content-Type"] == "video/mp4"
    status, headers, body = ask(served, "/release/recording.mp4", method="HEAD")
    assert (status, headers["Content-Length"], body) == (200, "2560", b"")
    assert headers["Accept-Ranges"] == "bytes"
    status, headers, _ = ask(served, "/release/recording.mp4", Range="bytes=9999-")
    assert (status, headers["Content-Range"]) == (416, "bytes */2560")


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/secret.txt",
        "/a%20b/site/../../secret.txt",
        "/a%20b/site/%2e%2e/%2e%2e/secret.txt",
        "/release/",
        "/%00",
        "//etc/passwd",
        "/a%20b/site/nothing.js",
    ],
)
def test_make_server_gives_nothing_else(served, path):
    assert ask(served, path)[0] == 404


def test_make_server_answers_to_its_own_names_alone(served):
    """A page elsewhere whose name was pointed at this machine gets nothing."""
    assert ask(served, "/a%20b/site/", Host="evil.example:80")[0] == 404
    port = urlsplit(served).port
    assert ask(served, "/a%20b/site/", Host=f"localhost:{port}")[0] == 200


def test_explore_command_writes_and_names_the_page(tmp_path, capsys):
    release = write_release(tmp_path / "release", num_sessions=2)
    out = tmp_path / "site"
    assert main(["explore", str(release), "--out", str(out)]) == 0
    text = capsys.readouterr().out
    assert text == f"2 sessions in {out}\n{out.as_uri()}/index.html\n"
    row = "P01_S1/seg1/n3/0"
    assert main(["explore", str(release), "--out", str(out), "--row", row]) == 0
    address = capsys.readouterr().out.splitlines()[-1]
    assert address.endswith(
        "sessions/P01_S1/index.html#config=adoption_forecast&row=P01_S1%2Fseg1%2Fn3%2F0"
    )


def test_explore_command_shows_answers_as_the_scores_read_them(tmp_path, capsys):
    release = write_release(tmp_path / "release", num_sessions=1)
    answers = tmp_path / "answers.jsonl"
    lines = [("P01_S1/seg1/n3/0", "I say **MODIFY**."), ("P01_S1/seg1/n3/0", "hm"), ("else", "no")]
    answers.write_text("".join(json.dumps({"id": i, "prediction": p}) + "\n" for i, p in lines))
    words = ["explore", str(release), "--out", str(tmp_path / "site")]
    assert main([*words, "--predictions", str(answers), "--config", "adoption_forecast"]) == 0
    said = capsys.readouterr()
    assert "answers shown with 1 rows of adoption_forecast" in said.out
    assert "1 answers are for no row" in said.err
    _, (data,) = read_script(tmp_path / "site" / "sessions" / "P01_S1" / "data.js")
    found = {q["config"]: q.get("answers") for q in data["questions"]}
    assert [a["read"] for a in found["adoption_forecast"]] == ["modify", None]
    assert found["adoption_recognition"] is None


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--session", "P09_S9"], "--session: found 'P09_S9'"),
        (["--row", "P09_S9/x/y/0"], "--row: found 'P09_S9'"),
        (["--row", "P01_S1/x/y/0"], "expected the id of a row."),
        (["--row", "P01_S1/x", "--session", "P02_S1"], "expected a row of it"),
        (["--predictions", "nowhere.jsonl"], "--predictions: nowhere.jsonl: found no such file"),
    ],
)
def test_explore_command_says_what_is_wrong_with_a_call(tmp_path, capsys, words, message):
    release = write_release(tmp_path / "release", num_sessions=3)
    assert main(["explore", str(release), "--out", str(tmp_path / "site"), *words]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "site").exists()


def test_explore_command_of_a_broken_session_names_its_errors(tmp_path, capsys):
    release = write_release(tmp_path / "release", num_sessions=1)
    shutil.rmtree(release / "sessions" / "P01_S1" / "files", ignore_errors=True)
    (release / "sessions" / "P01_S1" / "graph.json").write_text("{}")
    assert main(["explore", str(release), "--out", str(tmp_path / "site")]) == 1
    assert "graph.json" in capsys.readouterr().err
