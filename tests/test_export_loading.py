import importlib.util
import json
import subprocess
import sys

import media
import pytest
from datasets import load_dataset
from exports import TARGET, copy_export, edit_rows

import kolab
from kolab_core.export.viewer.steps import plain_environment
from scripts import export_check, export_reader

# The test release has a session without a recording, on purpose.
pytestmark = pytest.mark.filterwarnings("ignore:The release at .* is partial")

# Runs a script in a process that cannot import this project, wherever it lies.
WITHOUT_US = (
    "import runpy, sys\n"
    "sys.modules['kolab'] = sys.modules['kolab_core'] = None\n"
    "sys.argv = sys.argv[1:]\n"
    "runpy.run_path(sys.argv[0], run_name='__main__')\n"
)


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return str(tmp_path_factory.mktemp("cache"))


def test_without_this_package_rows_are_the_builders_in_every_way(release, export, cache, tmp_path):
    expected = export_check.expected_rows(release, TARGET, cache)
    some = {name: expected[name] for name in ("adoption_forecast", "sessions", "surveys")}
    some["surveys"] = [{**row, "Q13": 3 - row["Q13"]} for row in some["surveys"]]  # it was 4
    path = tmp_path / "expected.json"
    path.write_text(json.dumps(some))
    words = [export_reader.__file__, str(export), str(path)]
    done = subprocess.run(
        [sys.executable, "-I", "-c", WITHOUT_US, *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env=plain_environment(str(tmp_path / "stock-cache")),
    )
    lines = done.stdout.replace("not installed", "-").splitlines()
    # A line is the config, its number of rows, and what came of each way.
    outcomes = {line.split()[0]: set(line.split()[2:]) - {"-"} for line in lines[1:4]}
    assert outcomes["adoption_forecast"] == outcomes["sessions"] == {"ok"}
    # An answer that the files do not hold is noticed in each way.
    assert outcomes["surveys"] == {"DIFFERS"}
    assert "surveys, streamed: row 0, Q13: found 4; expected -1." in done.stderr
    assert done.returncode == 1


def test_without_torchcodec_only_sessions_asks_for_it(export, cache):
    if importlib.util.find_spec("torchcodec") is not None:
        pytest.skip("torchcodec is installed")
    rows = load_dataset(str(export), "sessions", split="test", cache_dir=cache)
    with pytest.raises(ImportError, match="torchcodec"):
        rows[0]
    assert rows.select_columns(["session_id"])[0] == {"session_id": "P01_S1"}


def test_with_this_package_clips_are_the_builders(release, export, cache, capsys):
    assert export_check.compare_clips(release, export, cache) == 0
    out = capsys.readouterr().out
    assert out.count(" decoded, the same") == 7
    assert "clips of sessions: 2 decoded" in out


def test_compare_clips_notices_another_interval(release, export, cache, tmp_path, capsys):
    other = copy_export(export, tmp_path / "kolab")

    def change(rows):
        rows[0]["video"]["intervals"][0]["end"] -= 1

    edit_rows(other, "collab_rating", change)
    assert export_check.compare_clips(release, other, cache) == 1
    assert capsys.readouterr().out.count("DIFFERENT") == 1


def show_second(clip, second):
    """The number painted in the frame at a second, which is that second."""
    return media.read_number(clip.at([second]).images[0])


@pytest.mark.parametrize("streaming", [False, True])
def test_cast_column_gives_clips_of_a_local_export(streaming, export, cache):
    rows = load_dataset(
        str(export), "adoption_forecast", split="test", streaming=streaming, cache_dir=cache
    )
    row = next(iter(rows.cast_column("video", kolab.VideoClip(root=str(export)))))
    clip = row["video"]
    assert clip.path == str(export / "recordings/P01_S1.mp4")
    assert clip.intervals[-1][1] == 40.0  # the end of the AI's output
    assert show_second(clip, 33.5) == 33


def test_with_clips_without_root_keeps_the_address_on_the_hub(export, cache):
    rows = load_dataset(str(export), "adoption_forecast", split="test", cache_dir=cache)
    clip = kolab.with_clips(rows)[0]["video"]
    assert clip.path == "hf://datasets/someone/kolab@v1.0/recordings/P01_S1.mp4"


@pytest.mark.parametrize("streaming", [False, True])
def test_with_clips_of_sessions_cuts_by_the_intervals_beside(streaming, release, export, cache):
    rows = load_dataset(str(export), "sessions", split="test", streaming=streaming, cache_dir=cache)
    clips = kolab.with_clips(rows, root=export)
    assert list(clips.features) == list(rows.features)
    built = load_dataset("kolab", "sessions", split="test", data_dir=str(release), cache_dir=cache)
    for row, whole in zip(clips, built, strict=True):
        clip = row["video"]
        assert clip.intervals == whole["video"].intervals == [(0.0, 60.0)]
        assert clip.has_recording == row["has_video"]
        assert [(s["start"], s["end"]) for s in row["video_intervals"]] == clip.intervals
        if clip.has_recording:
            assert show_second(clip, 7) == 7


def test_with_clips_of_sessions_keeps_a_selection(export, cache):
    rows = load_dataset(str(export), "sessions", split="test", cache_dir=cache).select([2, 1])
    clips = kolab.with_clips(rows, root=export)
    assert [row["video"].path for row in clips] == [None, str(export / "recordings/P01_S2.mp4")]
    assert clips["session_id"][:] == ["P02_S1", "P01_S2"]


def test_a_folder_named_kolab_loads_by_that_name(export, cache, monkeypatch):
    monkeypatch.chdir(export.parent)
    rows = load_dataset("kolab", "adoption_forecast", split="test", cache_dir=cache)
    assert rows[0]["video"]["path"].startswith("hf://datasets/someone/kolab@v1.0/")
