"""The two scripts of the way to the Hub, as a person calls them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hub_standin import REPO, TOKEN, standin
from huggingface_hub import HfApi
from tiny_release import edit_json, write_release

from kolab_core.export import data_file
from kolab_core.export.viewer import check_export
from kolab_core.names.location import find_sample
from kolab_core.rows.experiments import CONFIG_NAMES
from scripts import export_hub, publish

ROOT = Path(__file__).parents[1]
# huggingface_hub gives its HTTP client a file as `data`.
pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    root = write_release(tmp_path_factory.mktemp("release"))
    (root / "sessions" / "P01_S1" / "recording.mp4").write_bytes(b"x" * 100)
    return root


@pytest.fixture(scope="module")
def export(tmp_path_factory, release):
    out = tmp_path_factory.mktemp("export") / "kolab"
    assert export_hub.main(_arguments(release, out)) == 0
    return out


@pytest.fixture
def checked(monkeypatch):
    """A publish script whose check, tested elsewhere, finds nothing."""
    monkeypatch.setattr(publish, "check_export", lambda _: {})


@pytest.fixture
def hub(hub_client, monkeypatch):
    """The stand-in, which the script takes for the Hub; there is a token."""
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    with standin() as running:
        monkeypatch.setattr(publish, "HfApi", lambda: HfApi(endpoint=running.endpoint))
        yield running


def _arguments(release, out, *more):
    return [str(release), "--repo-id", REPO, "--revision", "v1", "--out", str(out), *more]


def test_export_hub_writes_all_and_says_what_is_next(release, tmp_path, capsys):
    out = tmp_path / "kolab"
    assert export_hub.main(_arguments(release, out)) == 0
    said = capsys.readouterr().out
    assert "SAMPLE" not in said
    for config in CONFIG_NAMES:
        assert config in said
        assert (out / data_file(config)).is_file()
    assert "1 recordings, 100 bytes" in said
    assert f"kolab check-export {out}" in said
    assert f"scripts/publish.py {out} --dry-run" in said
    assert "[PUBLISHER: " in said
    recording = release / "sessions" / "P01_S1" / "recording.mp4"
    assert (out / "recordings" / "P01_S1.mp4").samefile(recording)


def test_export_hub_copy_makes_no_link(release, tmp_path):
    assert export_hub.main(_arguments(release, tmp_path / "kolab", "--copy")) == 0
    recording = release / "sessions" / "P01_S1" / "recording.mp4"
    assert not (tmp_path / "kolab" / "recordings" / "P01_S1.mp4").samefile(recording)


def test_export_hub_of_the_sample_passes_the_viewers_check(tmp_path, capsys):
    out = tmp_path / "kolab"
    assert export_hub.main(_arguments(find_sample(), out, "--gated")) == 0
    assert capsys.readouterr().out.startswith("SAMPLE")
    assert "extra_gated_fields:" in (out / "README.md").read_text()
    assert not any(check_export(out).values())


def test_export_hub_of_a_broken_release_names_the_problem(tmp_path, capsys):
    release = write_release(tmp_path / "release")
    edit_json(release / "sessions" / "P01_S1" / "graph.json", '"adopt"', '"perhaps"')
    assert export_hub.main(_arguments(release, tmp_path / "kolab")) == 1
    assert "sessions/P01_S1/graph.json" in capsys.readouterr().err
    assert not (tmp_path / "kolab").exists()
    assert {path.name for path in tmp_path.iterdir()} == {"release"}


def test_export_hub_of_no_release_says_what_was_expected(tmp_path, capsys):
    assert export_hub.main(_arguments(tmp_path / "nothing", tmp_path / "kolab")) == 1
    assert "release.json" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--repo-id", "kolab", "NAMESPACE/NAME"),
        ("--revision", "v 1", "expected a tag"),
    ],
)
def test_export_hub_with_a_name_that_the_hub_refuses_says_so(
    release, tmp_path, capsys, option, value, message
):
    arguments = _arguments(release, tmp_path / "kolab", option, value)
    with pytest.raises(SystemExit) as exit_:
        export_hub.main(arguments)
    assert exit_.value.code == 2
    assert message in capsys.readouterr().err


def test_export_hub_leaves_other_folders_alone(release, tmp_path, capsys):
    (tmp_path / "kolab").mkdir()
    (tmp_path / "kolab" / "notes.txt").write_text("mine")
    with pytest.raises(SystemExit) as exit_:
        export_hub.main(_arguments(release, tmp_path / "kolab"))
    assert exit_.value.code == 2
    assert "expected a new folder or an export" in capsys.readouterr().err
    assert (tmp_path / "kolab" / "notes.txt").read_text() == "mine"


def test_publish_dry_run_lists_all_and_sends_nothing(export, checked, monkeypatch, capsys):
    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.setattr(publish, "push", lambda *_, **__: pytest.fail("sent something"))
    assert publish.main([str(export), "--dry-run"]) == 0
    said = capsys.readouterr().out
    order = [said.index(name) for name in ("recordings/P01_S1.mp4", "README.md", "3 tag v1")]
    assert order == sorted(order)
    for config in CONFIG_NAMES:
        assert data_file(config) in said
    assert said.strip().endswith("Dry run: nothing was sent.")


def test_publish_faulty_export_is_not_sent(release, tmp_path, capsys):
    out = tmp_path / "kolab"
    export_hub.main(_arguments(release, out))
    (out / "recordings" / "P01_S1.mp4").unlink()
    assert publish.main([str(out), "--dry-run"]) == 1
    said = capsys.readouterr().out
    assert "faults" in said
    assert "no file recordings/P01_S1.mp4" in said


def test_publish_private_goes_without_asking(export, checked, hub, capsys):
    assert publish.main([str(export)]) == 0
    assert hub.private
    assert set(hub.tags) == {"v1"}
    assert capsys.readouterr().out.strip().endswith(f"https://huggingface.co/datasets/{REPO}")


@pytest.mark.parametrize(("answer", "code"), [(REPO, 0), ("y", 2), ("", 2)])
def test_publish_public_asks_for_the_name(
    release, tmp_path, checked, hub, monkeypatch, answer, code
):
    export_hub.main(_arguments(release, tmp_path / "kolab"))
    card = tmp_path / "kolab" / "README.md"
    card.write_text(card.read_text().replace("[PUBLISHER: ", "(filled: "))
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda _: answer)
    assert publish.main([str(tmp_path / "kolab"), "--public"]) == code
    assert hub.exists == (code == 0)
    assert not hub.private


def test_publish_public_with_blanks_is_refused_until_allowed(export, checked, hub, capsys):
    assert publish.main([str(export), "--public", "--yes"]) == 2
    assert "--allow-blanks" in capsys.readouterr().err
    assert not hub.asked
    assert publish.main([str(export), "--public", "--yes", "--allow-blanks"]) == 0
    assert set(hub.tags) == {"v1"}


def test_publish_public_without_a_terminal_is_refused(export, checked, hub, monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    assert publish.main([str(export), "--public", "--allow-blanks"]) == 2
    assert "--yes" in capsys.readouterr().err
    assert not hub.asked


def test_publish_without_a_token_says_where_it_comes_from(export, checked, monkeypatch, capsys):
    monkeypatch.setattr(publish, "get_token", lambda: None)
    assert publish.main([str(export)]) == 2
    assert "HF_TOKEN" in capsys.readouterr().err


def test_publish_takes_no_token_as_an_argument(export, capsys):
    with pytest.raises(SystemExit) as exit_:
        publish.main([str(export), "--token", "hf_x"])
    assert exit_.value.code == 2
    assert "--token" in capsys.readouterr().err


def test_publish_of_no_export_says_what_was_expected(tmp_path, capsys):
    assert publish.main([str(tmp_path)]) == 1
    assert "expected an export" in capsys.readouterr().err


def test_scripts_export_and_publish_in_processes_of_their_own(tmp_path):
    release = find_sample()
    environment = {
        **os.environ,
        "HF_HOME": str(tmp_path / "home"),
        "HF_TOKEN": TOKEN,
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_OFFLINE": "0",
    }

    def run(script, *arguments):
        command = [sys.executable, str(ROOT / "scripts" / script), *arguments]
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
            env=environment,
            stdin=subprocess.DEVNULL,
        )

    done = run("export_hub.py", *_arguments(release, Path("kolab"), "--gated"))
    assert done.returncode == 0, done.stderr
    with standin(drops={"commit": "before"}) as hub:
        environment["HF_ENDPOINT"] = hub.endpoint
        refused = run("publish.py", "kolab", "--public", "--allow-blanks")
        assert refused.returncode == 2
        assert "no terminal" in refused.stderr
        assert "--yes" in refused.stderr
        assert not hub.asked
        done = run("publish.py", "kolab", "--public", "--allow-blanks", "--yes")
    assert done.returncode == 0, done.stderr
    assert hub.dropped == ["commit"]
    assert hub.gated == "manual"
    assert not hub.private
    assert set(hub.tags) == {"v1"}
    sent = {name: stored.content for name, stored in hub.files.items()}
    folder = tmp_path / "kolab"
    assert sent == {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
