import errno
import mmap
import os
from pathlib import Path

import media
import numpy as np
import pytest

from kolab_core.sampling import (
    ClipError,
    centre_times,
    map_clips,
    probe,
    sample_clips,
    sample_times,
)
from kolab_core.sampling import many as many_module

NAMES = ("x264_open_groups", "two_edits", "vp9", "mpegts_no_index", "audio_first", "yuv444_odd")


@pytest.fixture(scope="module")
def clips(tmp_path_factory):
    """Overlapping windows of several recordings, shuffled; one is bytes, one has no length."""
    folder = tmp_path_factory.mktemp("many")
    rng = np.random.default_rng(4)
    rows = []
    for kind in media.KINDS:
        if kind.name not in NAMES:
            continue
        path = media.write(kind, folder / (kind.name + kind.suffix))
        for _ in range(5):
            cuts = np.sort(np.round(rng.uniform(0, 1.4, size=4), 3))
            intervals = [{"start": a, "end": b} for a, b in zip(cuts[::2], cuts[1::2], strict=True)]
            rows.append({"path": str(path), "bytes": None, "intervals": intervals})
    rows.append({"path": None, "bytes": path.read_bytes(), "intervals": [(0.1, 0.9)]})
    rows.append({"path": str(path), "bytes": None, "intervals": [(0.5, 0.5)]})
    return [rows[i] for i in rng.permutation(len(rows))]


def one_at_a_time(clip, *, count, exact):
    pairs = [(i["start"], i["end"]) if isinstance(i, dict) else i for i in clip["intervals"]]
    source = clip["bytes"] or clip["path"]
    times = centre_times(pairs, count)
    return sample_times(source, times, size=32, exact=exact, intervals=pairs)


@pytest.mark.parametrize("exact", [True, False], ids=["exact", "keyframes"])
@pytest.mark.parametrize("budget", [1024, 0.1], ids=["roomy", "tight"])
def test_sample_clips_gives_what_one_at_a_time_gives(clips, exact, budget):
    sampled = sample_clips(
        clips, num_frames=6, size=32, exact=exact, memory_budget_mb=budget, progress=False
    )
    assert len(sampled) == len(clips) > 20
    for clip, frames in zip(clips, sampled, strict=True):
        expected = one_at_a_time(clip, count=6, exact=exact)
        np.testing.assert_array_equal(frames.images, expected.images)
        np.testing.assert_array_equal(frames.times, expected.times)


def lies_in_file(images):
    while images is not None and not isinstance(images, mmap.mmap):
        images = getattr(images, "base", None) if not isinstance(images, memoryview) else images.obj
    return images is not None


def test_sample_clips_beyond_the_budget_lie_in_files(clips):
    sampled = sample_clips(clips, num_frames=6, size=32, memory_budget_mb=0.1, progress=False)
    in_memory = [f.images.nbytes for f in sampled if not lies_in_file(f.images)]
    assert 0.05 * (1 << 20) < sum(in_memory) <= 0.1 * (1 << 20)
    assert all(f.images.flags.writeable for f in sampled)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory as Linux tells it")
def test_sample_clips_memory_stays_within_the_budget(clips):
    clip = {"path": next(c["path"] for c in clips if c["path"]), "intervals": [(0.1, 1.3)]}
    before = resident_mib()
    sampled = sample_clips([clip] * 8, size=640, memory_budget_mb=1, progress=False)
    assert sum(f.images.nbytes for f in sampled) > 300 << 20
    assert resident_mib() - before < 100
    np.testing.assert_array_equal(sampled[0].images, sampled[-1].images)


def resident_mib():
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def test_sample_clips_without_room_for_files_says_so(clips, monkeypatch):
    def full(file, start, size):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full, raising=False)
    with pytest.raises(MemoryError, match=r"found no room for .* memory_budget_mb"):
        sample_clips(clips, size=32, memory_budget_mb=0.1, progress=False)


@pytest.mark.parametrize("budget", [1024, 0.1], ids=["roomy", "tight"])
def test_sample_clips_opens_each_recording_once(clips, monkeypatch, budget):
    opened = []
    real = many_module.open_recording

    def counted(source, *, time):
        opened.append(source)
        return real(source, time=time)

    monkeypatch.setattr(many_module, "open_recording", counted)
    sample_clips(clips, num_frames=6, size=32, memory_budget_mb=budget, progress=False)
    assert len(opened) == len({clip["bytes"] or clip["path"] for clip in clips})


def test_sample_clips_progress_bar_counts_all_frames(clips, capsys):
    sample_clips(clips[:3], num_frames=4, size=32)
    assert "12/12" in capsys.readouterr().err


@pytest.fixture
def broken(clips, tmp_path):
    """Good clips around a missing file, a cut one of which the start is there, and none."""
    kind = next(kind for kind in media.KINDS if kind.name == "vp9")
    cut = media.write(kind, tmp_path / "cut.webm")
    cut.write_bytes(cut.read_bytes()[: cut.stat().st_size // 2])
    return [
        clips[0],
        {"path": str(tmp_path / "nowhere.mp4"), "bytes": None, "intervals": [(0.0, 1.0)]},
        {"path": str(cut), "bytes": None, "intervals": [(0.0, 0.4)]},
        {"path": str(cut), "bytes": None, "intervals": [(0.0, 2.0)]},
        {"path": None, "bytes": None, "intervals": [(3.0, 4.0)]},
        clips[1],
    ]


def test_sample_clips_keeps_errors_in_their_places(broken):
    sampled = sample_clips(broken, num_frames=3, size=32, progress=False, on_error="keep")
    errors = {i: one for i, one in enumerate(sampled) if isinstance(one, ClipError)}
    assert sorted(errors) == [1, 3, 4]
    assert "nowhere.mp4: at 0.166667 s: no such file" in str(errors[1])
    assert "cut.webm: at 1" in str(errors[3])
    assert "the row has no recording" in str(errors[4])
    for index in (0, 2, 5):
        expected = one_at_a_time(broken[index], count=3, exact=True)
        np.testing.assert_array_equal(sampled[index].images, expected.images)


def test_sample_clips_raises_the_first_error(broken):
    with pytest.raises(ClipError, match="no such file"):
        sample_clips(broken[:2], num_frames=3, size=32, progress=False)


def test_sample_clips_arguments_out_of_range_are_refused(clips):
    with pytest.raises(ValueError, match="on_error: found 'skip'"):
        sample_clips(clips, on_error="skip", progress=False)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="memory_budget_mb: found 0"):
        sample_clips(clips, memory_budget_mb=0, progress=False)
    with pytest.raises(ValueError, match="num_frames: found -1"):
        sample_clips(clips, num_frames=-1, progress=False)


def test_map_clips_gives_the_documented_columns(broken):
    columns = map_clips({"video": broken}, num_frames=3, size=32, on_error="keep")
    assert sorted(columns) == ["clip_error", "frame_times", "frames"]
    assert [error is None for error in columns["clip_error"]] == [True, False] * 2 + [False, True]
    assert columns["frames"][0].shape == (3, 32, 48, 3)
    assert columns["frames"][1] is None
    assert columns["frame_times"][3] is None
    good = map_clips({"clip": [broken[0]]}, column="clip", num_frames=2, size=32)
    assert sorted(good) == ["frame_times", "frames"]


def test_map_clips_works_in_map_with_workers(clips):
    datasets = pytest.importorskip("datasets")
    rows = [{**clip, "intervals": as_structs(clip)} for clip in clips if clip["path"] is not None][
        :6
    ]
    ds = datasets.Dataset.from_dict({"video": rows})
    arguments = {"num_frames": 2, "size": 16}
    mapped = ds.map(map_clips, batched=True, batch_size=3, num_proc=2, fn_kwargs=arguments)
    assert "uint8" in str(mapped.features["frames"])
    for row, clip in zip(mapped.with_format("numpy"), rows, strict=True):
        info = probe(clip["path"])
        assert row["frames"].shape[:2] == (2, 16)
        assert info.codec
        times = centre_times(clip["intervals"], 2)
        expected = sample_times(clip["path"], times, size=16)
        np.testing.assert_array_equal(row["frames"], expected.images)


def as_structs(clip):
    return [i if isinstance(i, dict) else {"start": i[0], "end": i[1]} for i in clip["intervals"]]
