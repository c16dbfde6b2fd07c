import warnings
from pathlib import Path

import pytest
from tiny_release import write_release

from kolab_core.names import location
from kolab_core.names.location import SAMPLE_NOTE, find_sample, resolve_data_dir
from kolab_core.release import ReleaseError, open_release


@pytest.fixture(autouse=True)
def _fresh(monkeypatch):
    monkeypatch.delenv(location.DATA_DIR_VARIABLE, raising=False)
    monkeypatch.setattr(location, "_said", set())


def test_resolve_named_folder_wins_over_variable(tmp_path, monkeypatch):
    named = write_release(tmp_path / "named")
    monkeypatch.setenv("KOLAB_DATA_DIR", str(write_release(tmp_path / "other")))
    assert resolve_data_dir(named) == (named.resolve(), False)
    assert resolve_data_dir().root == (tmp_path / "other").resolve()


def test_resolve_relative_and_home_are_made_absolute(tmp_path, monkeypatch):
    root = write_release(tmp_path / "release").resolve()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert resolve_data_dir("release").root == root
    assert resolve_data_dir("~/release").root == root


def test_resolve_link_gives_the_folder_itself(tmp_path):
    root = write_release(tmp_path / "release")
    (tmp_path / "link").symlink_to(root)
    assert resolve_data_dir(tmp_path / "link").root == root.resolve()


def test_resolve_nothing_named_gives_sample(tmp_path, monkeypatch):
    sample = write_release(tmp_path / "sample")
    monkeypatch.setattr(location, "find_sample", lambda: sample)
    monkeypatch.setenv("KOLAB_DATA_DIR", "")
    assert resolve_data_dir() == (sample.resolve(), True)
    assert resolve_data_dir(sample).is_sample
    assert not location.names_release(None)


def test_find_sample_is_inside_the_package_or_beside_it():
    package = Path(location.__file__).parents[1]
    assert find_sample() in (package / "_sample", package.parent / "sample")


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("https://example.org/kolab", "an address"),
        ("hf://datasets/org/kolab", "an address"),
        ("nowhere", "nothing at"),
        ("", "an empty name"),
        ("file.txt", "a file"),
        ("empty", "an empty folder"),
        ("other", "a folder without release.json (in it: a.csv, b.csv, c.csv, d.csv, e.csv and 1"),
        ("a\0b", "an unusable path"),
        (5, "int"),
        (b"release", "bytes"),
    ],
)
def test_resolve_no_release_is_error_that_says_what_is_there(tmp_path, monkeypatch, given, found):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file.txt").touch()
    (tmp_path / "empty").mkdir()
    (tmp_path / "other").mkdir()
    for letter in "abcdef":
        (tmp_path / "other" / f"{letter}.csv").touch()
    with pytest.raises(ReleaseError) as info:
        resolve_data_dir(given)
    message = str(info.value)
    assert message.startswith(f"data_dir: found {given!r}, {found}")
    assert "expected a release on this machine" in message


def test_resolve_endless_name_is_told_in_short():
    with pytest.raises(ReleaseError, match=r"an unusable path: File name too long") as info:
        resolve_data_dir("x" * 5000)
    assert len(str(info.value)) < 300


def test_resolve_bad_variable_is_named(monkeypatch):
    monkeypatch.setenv("KOLAB_DATA_DIR", "https://example.org")
    with pytest.raises(ReleaseError, match=r"^KOLAB_DATA_DIR: found 'https://example\.org'"):
        resolve_data_dir()


def test_resolve_folder_beside_a_release_suggests_it(tmp_path):
    root = write_release(tmp_path / "release")
    for given in (tmp_path, root / "sessions"):
        with pytest.raises(ReleaseError, match=r"Did you mean .*release\?"):
            resolve_data_dir(given)


def test_warn_of_sample_speaks_once():
    assert _warnings_of_two(location.warn_of_sample) == [SAMPLE_NOTE]
    assert "not the Kolab recordings" in SAMPLE_NOTE
    assert "data_dir" in SAMPLE_NOTE
    assert "KOLAB_DATA_DIR" in SAMPLE_NOTE


def test_warn_of_partial_names_what_is_missing_once(tmp_path):
    root = write_release(tmp_path)
    (root / "sessions/P01_S2").rename(tmp_path / "gone")
    (root / "sessions/P01_S1/recording.MP4").touch()
    release = open_release(root)
    (message,) = _warnings_of_two(lambda: location.warn_of_partial(release))
    assert "1 of 3 sessions are not there (P01_S2)" in message
    assert "1 of 2 sessions have no recording (P02_S1)" in message


def test_warn_of_partial_complete_release_is_silent(tmp_path):
    root = write_release(tmp_path)
    for folder in Path(root, "sessions").iterdir():
        (folder / "recording.webm").touch()
    assert _warnings_of_two(lambda: location.warn_of_partial(open_release(root))) == []


def _warnings_of_two(call):
    """What two calls in a row warn of, nothing filtered."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
        call()
    return [str(warning.message) for warning in caught]
