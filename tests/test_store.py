"""Storing frames: what is written, going on, refusing, and not harming each other."""

import errno
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from datasets import load_dataset
from tiny_release import edit_json

import kolab
from kolab_core.commands import frames as command
from kolab_core.commands.cli import main
from kolab_core.frames import FORMATS, FrameStoreError, open_store
from kolab_core.rows.experiments import EXPERIMENTS
from kolab_core.store import choose_configs, job, store_frames
from scripts.kill_store import torment

ROOT = Path(__file__).resolve().parents[1]
SMALL = {"num_frames": 4, "size": 32, "format": "png", "progress": False}
STORED = ["P01_S1", "P01_S2", "P02_S1"]


def store(release, out, **options):
    return store_frames(out, data_dir=str(release), **{**SMALL, **options})


def contents(folder):
    """All files of a store, hidden ones too."""
    files = (path for path in sorted(Path(folder).rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def whole(release, tmp_path_factory):
    """A store of the small release, not to be changed."""
    out = tmp_path_factory.mktemp("stores") / "frames"
    store(release, out)
    return out


def test_store_holds_each_frame_once_and_says_which_a_row_is_given(whole, release):
    assert sorted(path.stem for path in (whole / "rows").iterdir()) == STORED
    assert sorted(path.stem for path in (whole / "frames").iterdir()) == STORED[:2]
    for session_id in STORED[:2]:
        times = pq.read_table(whole / "frames" / f"{session_id}.parquet")["time"].to_numpy()
        assert (np.diff(times) > 0).all()
        rows = pq.read_table(whole / "rows" / f"{session_id}.parquet").to_pylist()
        assert {row["config"] for row in rows} == set(EXPERIMENTS)
        for row in rows:
            assert row["times"] == times[row["frames"]].tolist()
        assert len(times) < sum(len(row["frames"]) for row in rows)


def test_store_is_read_by_stock_datasets(whole, own_cache):
    frames = load_dataset(str(whole), "frames", split="test")
    rows = load_dataset(str(whole), "rows", split="test")
    assert frames.column_names[:4] == ["id", "session_id", "time", "image"]
    assert len(set(frames["id"])) == len(frames)
    assert frames[0]["image"].size == (48, 32)
    assert not set(rows["session_id"]) - set(frames["session_id"])


def test_store_places_are_those_of_the_pictures_in_the_file(whole):
    for session_id in STORED[:2]:
        data = (whole / "frames" / f"{session_id}.parquet").read_bytes()
        images = pq.read_table(whole / "frames" / f"{session_id}.parquet")["image"].to_pylist()
        for row in pq.read_table(whole / "rows" / f"{session_id}.parquet").to_pylist():
            for frame, offset, size in zip(
                row["frames"], row["offsets"], row["sizes"], strict=True
            ):
                assert data[offset : offset + size] == images[frame]["bytes"]


def test_store_again_does_nothing_and_goes_on_where_it_stopped(whole, release, tmp_path):
    out = Path(shutil.copytree(whole, tmp_path / "frames"))
    assert store(release, out).num_stored == 0
    (out / "rows" / "P01_S2.parquet").unlink()
    (out / "frames" / ".P01_S2-abcdefgh.parquet").write_bytes(b"half")
    (out / "rows" / ".P01_S2-abcd_f01.parquet").write_bytes(b"half")
    assert store(release, out).num_stored == 1
    assert contents(out) == contents(whole)


@pytest.mark.parametrize(
    "options", [{"num_proc": 2}, {"shard": (1, 2)}], ids=["processes", "shards"]
)
def test_store_in_parts_is_the_same(whole, release, tmp_path, options):
    report = store(release, tmp_path / "frames", **options)
    if "shard" in options:
        assert (report.num_sessions, report.num_stored) == (2, 2)
        assert store(release, tmp_path / "frames", shard=(2, 2)).num_stored == 1
    assert contents(tmp_path / "frames") == contents(whole)


def test_store_of_two_processes_at_once_is_the_same(whole, release, tmp_path):
    call = [sys.executable, "-m", "kolab_core.commands.cli", "frames", "--data-dir", str(release)]
    call += ["--out", str(tmp_path / "frames"), "--num-frames", "4", "--size", "32"]
    call += ["--format", "png"]
    running = [
        subprocess.Popen(call, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    said = [process.communicate() for process in running]
    assert [process.returncode for process in running] == [0, 0], said
    stored = [int(out.split()[0]) for out, _ in said]
    assert sum(stored) == len(STORED)
    assert contents(tmp_path / "frames") == contents(whole)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"size": 16}, "size: found 32; expected 16"),
        ({"num_frames": 5}, "num_frames: found 4; expected 5"),
        ({"format": "jpeg"}, "format: found 'png'; expected 'jpeg'; quality: found None"),
        ({"config": "step_n"}, "expected 'step_n'"),
    ],
    ids=["size", "num_frames", "format", "config"],
)
def test_store_of_other_options_is_refused_with_the_difference(whole, release, options, told):
    before = contents(whole)
    with pytest.raises(FrameStoreError, match=told):
        store(release, whole, **options)
    assert contents(whole) == before


def test_store_of_another_release_is_refused_and_of_a_copy_is_not(whole, release, tmp_path):
    copy = Path(shutil.copytree(release, tmp_path / "copy", copy_function=shutil.copyfile))
    assert store(copy, whole).num_stored == 0
    edit_json(copy / "sessions" / "P01_S1" / "graph.json", '"adopt"', '"reject"')
    with pytest.raises(FrameStoreError, match="fingerprint: found"):
        store(copy, whole)


def test_store_leaves_a_folder_of_something_else_alone(release, tmp_path):
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(FrameStoreError, match=r"found thesis\.tex; expected an empty folder"):
        store(release, tmp_path)
    assert contents(tmp_path) == {"thesis.tex": b"x"}


def test_store_on_a_full_disk_says_so_and_keeps_what_is_whole(
    whole, release, tmp_path, monkeypatch
):
    out = tmp_path / "frames"

    def fail(path, *args):
        path.write_bytes(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    original = job.write_frames
    monkeypatch.setattr(
        job, "write_frames", lambda *a: (fail if a[1] == "P01_S2" else original)(*a)
    )
    with pytest.raises(OSError, match="No space left on device: P01_S2 is not stored") as caught:
        store(release, out)
    assert caught.value.errno == errno.ENOSPC
    there = contents(out)
    assert there == {name: contents(whole)[name] for name in there}
    assert "rows/P01_S1.parquet" in there
    assert "frames/P01_S2.parquet" not in there
    monkeypatch.undo()
    assert store(release, out).num_stored == 2
    assert contents(out) == contents(whole)


def test_store_names_sessions_whose_recordings_give_no_frames(release, tmp_path):
    broken = Path(shutil.copytree(release, tmp_path / "release"))
    recording = broken / "sessions" / "P01_S1" / "recording.mp4"
    recording.write_bytes(recording.read_bytes()[:200])
    with pytest.raises(FrameStoreError, match=r"1 of 3 sessions .* P01_S1: .*recording\.mp4: at"):
        store(broken, tmp_path / "frames")
    names = {path.stem for path in (tmp_path / "frames" / "rows").iterdir()}
    assert names == {"P01_S2", "P02_S1"}


def test_store_at_an_address_is_the_same(whole, release):
    import fsspec

    system = fsspec.filesystem("memory")
    store(release, "memory://stores/frames")
    found = {
        path.removeprefix("/stores/frames/"): system.cat_file(path)
        for path in system.find("/stores/frames")
    }
    assert found == contents(whole)
    assert store(release, "memory://stores/frames").num_stored == 0
    with pytest.raises(FrameStoreError, match="size: found 32; expected 16"):
        store(release, "memory://stores/frames", size=16)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"config": "surveys"}, "config: found 'surveys'"),
        ({"config": []}, "config: found"),
        ({"num_frames": 0}, "num_frames: found 0"),
        ({"num_proc": 0}, "num_proc: found 0"),
        ({"size": 0}, "size: found 0"),
        ({"format": "gif"}, "format: found 'gif'"),
        ({"quality": 90}, "quality: found 90 with exact 'png'"),
        ({"format": "jpeg", "quality": 101}, "quality: found 101"),
        ({"shard": (3, 2)}, r"shard: found \(3, 2\)"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_store_checks_its_arguments_before_it_begins(release, tmp_path, options, told):
    with pytest.raises(ValueError, match=told):
        store(release, tmp_path / "frames", **options)
    assert not (tmp_path / "frames").exists()


def test_choose_configs_gives_the_datasets_order():
    assert choose_configs("all") == EXPERIMENTS
    assert choose_configs(["sessions", "step_n"]) == ("step_n", "sessions")


def test_command_stores_and_says_what_is_off(release, tmp_path, capsys):
    assert command.FORMATS == FORMATS
    call = ["frames", "--data-dir", str(release), "--out", str(tmp_path / "frames")]
    call += ["--config", "adoption_forecast", "--num-frames", "2", "--size", "16"]
    assert main([*call, "--shard", "2/3"]) == 0
    assert main(call) == 0
    assert "2 sessions stored" in capsys.readouterr().out
    assert main([*call, "--format", "png"]) == 1
    assert "format: found 'jpeg'; expected 'png'" in capsys.readouterr().err
    assert main([*call, "--quality", "200"]) == 2
    with pytest.raises(SystemExit, match="2"):
        main([*call, "--shard", "4/3"])
    assert "expected I/N" in capsys.readouterr().err


@pytest.mark.slow
def test_store_killed_at_random_ends_as_undisturbed(tmp_path):
    toll = torment(tmp_path, kills=2, participants=2)
    assert toll.is_clean


@pytest.mark.slow
def test_store_with_ray_is_the_same(whole, release, tmp_path):
    pytest.importorskip("ray")
    call = [sys.executable, "-m", "scripts.frames_ray", "--data-dir", str(release)]
    call += ["--out", str(tmp_path / "frames"), "--num-frames", "4", "--size", "32"]
    subprocess.run([*call, "--format", "png", "--workers", "2"], cwd=ROOT, check=True)
    assert contents(tmp_path / "frames") == contents(whole)


@pytest.mark.slow
def test_store_on_an_object_server_is_the_same(whole, release, monkeypatch):
    moto = pytest.importorskip("moto.server")
    pytest.importorskip("s3fs")
    import fsspec

    server = moto.ThreadedMotoServer(port=0)
    server.start()
    host, port = server.get_host_and_port()
    for name, value in {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "any",
        "AWS_SECRET_ACCESS_KEY": "any",
        "AWS_DEFAULT_REGION": "us-east-1",
    }.items():
        monkeypatch.setenv(name, value)
    try:
        system = fsspec.filesystem("s3", skip_instance_cache=True)
        system.mkdir("bucket")
        store(release, "s3://bucket/frames")
        paths = system.find("bucket/frames")
        found = {path.removeprefix("bucket/frames/"): system.cat_file(path) for path in paths}
        assert found == contents(whole)
        [row] = load_dataset("kolab", "workflow_level", split="test[:1]", data_dir=str(release))
        stored = row["video"].stored_in(open_store("s3://bucket/frames"), strict=True)
        assert np.array_equal(
            stored.sample(4, size=32).images, row["video"].sample(4, size=32).images
        )
    finally:
        server.stop()


def test_store_frames_is_at_the_front_door():
    assert kolab.store_frames is store_frames
