"""Publishing against a stand-in for the Hub: its order, what is sent again, and what stops it."""

import shutil
import time

import hub_standin
import pytest
from hub_standin import REPO, TOKEN, standin
from huggingface_hub import HfApi
from tiny_release import write_release

from kolab_core.export import ExportError, HubTarget
from kolab_core.export.hub import export_hub
from kolab_core.export.publish import PublishError, Remote, push, read_plan, render_plan

# huggingface_hub gives its HTTP client a file as `data`.
pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")

RECORDINGS = {f"recordings/{name}.mp4" for name in ("P01_S1", "P01_S2", "P02_S1")}


@pytest.fixture(autouse=True)
def _plain_client(hub_client, monkeypatch):
    """No waiting in the library's own attempts."""
    monkeypatch.setattr(time, "sleep", lambda _: None)


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    root = write_release(tmp_path_factory.mktemp("release"))
    for index, name in enumerate(("P01_S1", "P01_S2", "P02_S1")):
        (root / "sessions" / name / "recording.mp4").write_bytes(bytes([index]) * 5_000)
    return root


@pytest.fixture(scope="module")
def export(tmp_path_factory, release):
    return _export(release, tmp_path_factory.mktemp("export") / "kolab")


@pytest.fixture(scope="module")
def gated(tmp_path_factory, release):
    return _export(release, tmp_path_factory.mktemp("gated") / "kolab", gated=True)


def _export(release, out, **options):
    return export_hub(release, HubTarget(REPO, "v1"), out, copy=True, **options).folder


def _push(plan, hub, *, private=True, batch=10):
    said = []
    api = HfApi(endpoint=hub.endpoint, token=TOKEN)
    push(plan, api=api, private=private, say=said.append, batch=batch, pause=lambda _: None)
    return said


def _holds(hub, plan):
    return {name: stored.content for name, stored in hub.files.items()} == {
        file.name: file.path.read_bytes() for file in plan.files
    }


def test_push_new_repository_sends_recordings_then_tables_then_tag(export):
    plan = read_plan(export)
    with standin() as hub:
        _push(plan, hub)
    first, second = hub.commits
    assert set(first[1]) == RECORDINGS
    assert set(second[1]) == {file.name for file in plan.tables}
    assert {"README.md", "croissant.json"} < set(second[1])
    assert hub.asked.index("create") < hub.asked.index("commit")
    assert hub.asked[-1] == "tag"
    assert hub.asked.count("tag") == 1
    assert hub.private
    assert hub.tokens == {f"Bearer {TOKEN}"} | ({""} & hub.tokens)
    assert _holds(hub, plan)
    assert set(hub.tags) == {"v1"}


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(
    "endpoint",
    [
        "info",
        "create",
        "tree",
        "preupload",
        "batch",
        "upload",
        "validate",
        "commit",
        "tag",
    ],
)
def test_push_with_a_dropped_connection_goes_on(export, endpoint, when):
    plan = read_plan(export)
    with standin(drops={endpoint: when}) as hub:
        _push(plan, hub)
    assert hub.dropped == [endpoint]
    assert [sorted(added) for _, added, _ in hub.commits] == [
        sorted(RECORDINGS),
        sorted(file.name for file in plan.tables),
    ]
    assert _holds(hub, plan)
    assert set(hub.tags) == {"v1"}


@pytest.mark.parametrize("endpoint", ["refs", "settings"])
def test_push_again_with_a_dropped_connection_goes_on(gated, endpoint):
    plan = read_plan(gated)
    with standin(exists=True, private=True, drops={endpoint: "before"}) as hub:
        _push(plan, hub)
    assert hub.dropped == [endpoint]
    assert set(hub.tags) == {"v1"}


@pytest.mark.parametrize("endpoint", ["info", "tree", "commit", "tag"])
def test_push_to_a_busy_server_tries_again(export, endpoint):
    with standin(fails={endpoint: 503}) as hub:
        _push(read_plan(export), hub)
    assert hub.refused.count("busy") == 1
    assert set(hub.tags) == {"v1"}


def test_push_gives_up_after_some_attempts(export):
    waits = []
    with standin() as hub:
        api = HfApi(endpoint=hub.endpoint, token=TOKEN)
    with pytest.raises(PublishError, match="Run the same command again"):
        push(read_plan(export), api=api, private=True, say=print, pause=waits.append)
    assert waits == [1, 2, 4, 8]


def test_push_stopped_goes_on_without_sending_again(export):
    plan = read_plan(export)
    with standin() as hub:
        stop = _Stop(after=2)
        api = HfApi(endpoint=hub.endpoint, token=TOKEN)
        with pytest.raises(KeyboardInterrupt):
            push(plan, api=api, private=True, say=stop, batch=1)
        assert [name for _, added, _ in hub.commits for name in added] == ["recordings/P01_S1.mp4"]
        hub.asked.clear()
        said = _push(read_plan(export), hub, batch=1)
    assert "recordings: 1 are there already" in said
    assert [added for _, added, _ in hub.commits[1:3]] == [
        ["recordings/P01_S2.mp4"],
        ["recordings/P02_S1.mp4"],
    ]
    assert hub.asked.count("upload") == 2 + len([f for f in plan.tables if "data/" in f.name])
    assert _holds(hub, plan)


class _Stop:
    """Says nothing, and interrupts at a line."""

    def __init__(self, *, after):
        self.left = after

    def __call__(self, line):
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt


def test_push_other_content_of_the_same_size_is_sent(export):
    plan = read_plan(export)
    old = hub_standin.Stored(b"x" * 5_000, is_large=True)
    same = hub_standin.Stored(bytes([1]) * 5_000, is_large=False)
    there = {"recordings/P01_S1.mp4": old, "recordings/P01_S2.mp4": same}
    with standin(exists=True, private=True, files=there) as hub:
        _push(plan, hub)
    assert hub.commits[0][1] == ["recordings/P01_S1.mp4", "recordings/P02_S1.mp4"]
    assert _holds(hub, plan)


def test_push_removes_what_the_export_lacks_and_nothing_else(export):
    plan = read_plan(export)
    surplus = ("recordings/P09_S1.mp4", "data/old/test.parquet", ".gitattributes", "LICENSE")
    old = {name: hub_standin.Stored(b"old", is_large=False) for name in surplus}
    with standin(exists=True, private=True, files=old) as hub:
        said = _push(plan, hub)
    assert sorted(hub.commits[-1][2]) == ["data/old/test.parquet", "recordings/P09_S1.mp4"]
    assert "removed recordings/P09_S1.mp4: not in the export" in said
    assert {".gitattributes", "LICENSE"} < set(hub.files)


def test_push_removal_with_a_dropped_connection_goes_on(export):
    old = {"data/other/test.parquet": hub_standin.Stored(b"old", is_large=False)}
    recordings = {
        file.name: hub_standin.Stored(file.path.read_bytes(), is_large=True)
        for file in read_plan(export).recordings
    }
    files = old | recordings
    with standin(exists=True, private=True, files=files, drops={"commit": "after"}) as hub:
        _push(read_plan(export), hub)
    assert len(hub.commits) == 1
    assert set(hub.tags) == {"v1"}


def test_push_published_before_does_nothing(export):
    with standin() as hub:
        _push(read_plan(export), hub)
        num_commits = len(hub.commits)
        assert _push(read_plan(export), hub) == ["v1 is published already: nothing to do."]
    assert len(hub.commits) == num_commits


def test_push_tag_with_other_files_is_refused(export):
    with standin() as hub:
        _push(read_plan(export), hub)
        hub.tags["v1"] = hub.tags["v1"] | {"README.md": hub_standin.Stored(b"old", is_large=False)}
        with pytest.raises(PublishError, match=r"tag v1 with another README\.md"):
            _push(read_plan(export), hub)


@pytest.mark.parametrize(("is_private", "wanted"), [(True, False), (False, True)])
def test_push_other_visibility_is_refused(export, is_private, wanted):
    found = "private" if is_private else "public"
    with (
        standin(exists=True, private=is_private) as hub,
        pytest.raises(PublishError, match=f"found a {found} repository.*--{found}"),
    ):
        _push(read_plan(export), hub, private=wanted)
    assert not hub.commits


def test_push_gated_sets_the_gate_before_any_file(gated):
    with standin() as hub:
        _push(read_plan(gated), hub, private=False)
    assert hub.gated == "manual"
    assert not hub.private
    assert hub.asked.index("settings") < hub.asked.index("preupload")


def test_push_refused_token_says_which_one_to_use(export):
    with standin() as hub:
        api = HfApi(endpoint=hub.endpoint, token="hf_other")
        with pytest.raises(PublishError, match="HF_TOKEN"):
            push(read_plan(export), api=api, private=True, say=print)
    assert hub.asked.count("create") == 1


def test_standin_refuses_tables_before_recordings_and_tag_before_tables(export):
    plan = read_plan(export)
    with standin(exists=True) as hub:
        api = HfApi(endpoint=hub.endpoint, token=TOKEN)
        remote = Remote(api, REPO, pause=lambda _: None)
        with pytest.raises(PublishError, match="a tag before the tables"):
            remote.tag("v1")
        with pytest.raises(PublishError, match="tables before their recordings"):
            remote.commit("tables", plan.tables)
    assert not hub.commits
    assert not hub.tags


def test_read_plan_lists_recordings_apart_and_skips_hidden_files(release, tmp_path):
    folder = _export(release, tmp_path / "kolab")
    (folder / ".cache").mkdir()
    (folder / ".cache" / "x").write_text("x")
    (folder / "LICENSE").write_text("terms")
    plan = read_plan(folder)
    assert {file.name for file in plan.recordings} == RECORDINGS
    assert "LICENSE" in {file.name for file in plan.tables}
    assert not any(file.name.startswith(".") for file in plan.files)
    assert plan.target == HubTarget(REPO, "v1")
    assert not plan.is_gated
    assert plan.blanks
    lines = render_plan(plan).splitlines()
    assert lines[0].startswith(f"To {REPO}, {len(plan.files)} files")
    assert lines[-1] == "3 tag v1"
    assert "recordings/P01_S1.mp4" in lines[3]


def _edit_card(folder, old, new):
    card = folder / "README.md"
    card.write_text(card.read_text().replace(old, new))


@pytest.mark.parametrize(
    ("break_export", "message"),
    [
        (lambda folder: (folder / "README.md").unlink(), r"found no README\.md; expected an exp"),
        (lambda folder: _edit_card(folder, "kolab_export:", "other:"), "expected repo_id and rev"),
        (lambda folder: _edit_card(folder, "v1\n", "v2\n"), r"address .*@v1/.*; expected .*@v2/"),
        (lambda folder: shutil.rmtree(folder / "data"), "found no tables under data/"),
    ],
    ids=["no card", "no key", "another tag", "no tables"],
)
def test_read_plan_of_a_broken_export_says_what_is_off(release, tmp_path, break_export, message):
    folder = _export(release, tmp_path / "kolab")
    read_plan(folder)
    break_export(folder)
    with pytest.raises(ExportError, match=message):
        read_plan(folder)
