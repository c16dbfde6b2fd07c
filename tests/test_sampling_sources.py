"""Where recordings may lie, what is read of them, and what is said of those that are broken."""

import io
import multiprocessing
import os
import pickle
import re
import zipfile
from fractions import Fraction

import av
import fsspec
import media
import numpy as np
import pytest
from range_server import serving

from kolab_core.sampling import (
    ClipError,
    centre_times,
    probe,
    sample_times,
)
from kolab_core.sampling.older_av import shows_index
from kolab_core.sampling.threads import num_workers

KINDS = {kind.name: kind for kind in media.KINDS}
TIMES = [0.1, 1.0, 1.9]
LONG = {"pts": range(0, 300_000, 200), "time_base": Fraction(1, 1000)}
HOUR_LIKE = {
    "mp4": media.Kind("long", **LONG, options={"g": "20"}),
    "mp4 with sound": media.Kind("sound", **LONG, options={"g": "20"}, audio=("aac", 0.0, 300.0)),
    "mp4, index first": media.Kind("first", **LONG, options={"g": "20"}, finish=media.index_first),
    "webm": media.Kind(
        "long",
        ".webm",
        "libvpx",
        **LONG,
        options={"g": "20", "cpu-used": "8", "deadline": "realtime"},
    ),
}


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    return media.write(KINDS["x264_short_groups"], tmp_path_factory.mktemp("a") / "recording.mp4")


@pytest.fixture(scope="module")
def expected(recording):
    return sample_times(recording, TIMES, size=32)


class Unseekable:
    """A pipe's manners: it reads on, and nothing else."""

    def __init__(self, data):
        self._file = io.BytesIO(data)

    def read(self, count=-1):
        return self._file.read(count)


def as_zip(path, folder):
    with zipfile.ZipFile(folder / "all.zip", "w") as archive:
        archive.write(path, "in/recording.mp4")
    return f"zip://in/recording.mp4::{folder / 'all.zip'}"


def as_memory(path, folder):
    fsspec.filesystem("memory").pipe(f"/{folder.name}.mp4", path.read_bytes())
    return f"memory://{folder.name}.mp4"


def as_odd_name(path, folder):
    copy = folder / "a:b #1 %20 é.mp4"
    copy.write_bytes(path.read_bytes())
    return copy


SOURCES = {
    "path": lambda path, folder: path,
    "text": lambda path, folder: str(path),
    "bytes": lambda path, folder: path.read_bytes(),
    "bytesio": lambda path, folder: io.BytesIO(path.read_bytes()),
    "unseekable": lambda path, folder: Unseekable(path.read_bytes()),
    "file url": lambda path, folder: f"file://{path}",
    "zip": as_zip,
    "memory": as_memory,
    "odd name": as_odd_name,
}


@pytest.mark.parametrize("make", SOURCES.values(), ids=SOURCES.keys())
def test_sample_times_any_source_gives_the_same_frames(make, recording, expected, tmp_path):
    frames = sample_times(make(recording, tmp_path), TIMES, size=32)
    np.testing.assert_array_equal(frames.images, expected.images)
    np.testing.assert_array_equal(frames.times, expected.times)


def test_sample_times_file_object_is_read_from_its_start_and_stays_open(recording, expected):
    with recording.open("rb") as file:
        for position in (100, 0):
            file.seek(position)
            frames = sample_times(file, TIMES, size=32)
            np.testing.assert_array_equal(frames.images, expected.images)
        assert not file.closed


def bytes_needed(path, times):
    """(bytes of the packets that decoding takes, bytes of the ranges they span), each once."""
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        packets = [packet for packet in container.demux(stream) if packet.size]
        time_base = stream.time_base
    packets_wanted = set()
    ranges = set()
    for time in times:
        shown = [i for i, p in enumerate(packets) if p.pts * time_base <= time]
        last = max(shown, key=lambda i: packets[i].pts)
        first = max(i for i in range(last + 1) if packets[i].is_keyframe)
        packets_wanted |= set(range(first, last + 1))
        ranges.add((packets[first].pos, packets[last].pos + packets[last].size))
    spanned = set()
    for start, stop in ranges:
        spanned |= set(range(start, stop))
    return sum(packets[i].size for i in packets_wanted), len(spanned)


def index_size(data):
    """Bytes of an mp4's moov box, or of what stands behind the clusters of a webm."""
    at = data.find(b"moov")
    if at >= 0:
        return int.from_bytes(data[at - 4 : at], "big")
    return len(data) - data.rfind(b"\x1c\x53\xbb\x6b")


@pytest.mark.parametrize("kind", HOUR_LIKE.values(), ids=HOUR_LIKE.keys())
def test_remote_recording_is_read_by_the_ranges_that_are_needed(kind, tmp_path):
    path = media.write(kind, tmp_path / f"long{kind.suffix}")
    data = path.read_bytes()
    times = centre_times([(60.0, 200.0)], 8)
    packets, spanned = bytes_needed(path, times)
    with serving({path.name: data}) as server:
        frames = sample_times(f"{server.url}/{path.name}", times, size=32)
    expected = sample_times(path, times, size=32)
    np.testing.assert_array_equal(frames.images, expected.images)
    needed = spanned if kind.audio else packets
    # Beside packets and index: what a demuxer reads of the start to know the streams. Where the
    # index has to be asked by seeking, two requests of 4 KiB for each frame come to that.
    asked = 0 if shows_index() else len(times) * 8 * 1024
    assert server.num_bytes <= 1.3 * (needed + index_size(data)) + 24 * 1024 + asked
    assert server.num_bytes < len(data) / 2


def test_remote_keyframes_read_less_than_exact_frames(tmp_path):
    path = media.write(HOUR_LIKE["mp4"], tmp_path / "long.mp4")
    times = centre_times([(60.0, 200.0)], 8)
    read = {}
    for exact in (True, False):
        with serving({path.name: path.read_bytes()}) as server:
            sample_times(f"{server.url}/{path.name}", times, size=32, exact=exact)
            read[exact] = server.num_bytes
    assert read[False] < read[True]


def test_server_without_ranges_is_told_rather_than_downloaded_from(recording):
    with (
        serving({"a.mp4": recording.read_bytes()}, with_ranges=False) as server,
        pytest.raises(ClipError, match=r"a\.mp4: at 0\.1 s: .*range requests"),
    ):
        sample_times(f"{server.url}/a.mp4", TIMES, size=32)


def test_probe_says_what_the_recording_says(tmp_path):
    turned = probe(media.write(KINDS["turned_90"], tmp_path / "turned.mp4"))
    assert (turned.width, turned.height, turned.rotation) == (64, 96, 270)
    assert turned.codec == "h264"
    assert turned.duration_s == pytest.approx(2.0)
    first = probe(media.write(KINDS["audio_first"], tmp_path / "first.mp4"))
    assert first.has_audio
    assert first.first_frame_s == pytest.approx(0.5 - first.start_s)
    assert 0 < first.start_s < 0.1
    late = probe(media.write(KINDS["b_frames_from_1_5_s"], tmp_path / "late.mp4"))
    assert (late.start_s, late.first_frame_s) == (1.5, 0.0)
    live = probe(media.write(KINDS["unknown_duration"], tmp_path / "live.webm"))
    assert live.duration_s is None
    assert not live.has_audio


def junk(recording, path):
    path.write_bytes(np.random.default_rng(0).bytes(50_000))


def cut_before_the_index(recording, path):
    path.write_bytes(recording.read_bytes()[:6000])


def sound_only(recording, path):
    kind = KINDS["audio_interleaved"]
    source = media.write(kind, path.with_name("both.mp4"))
    with av.open(str(source)) as both, av.open(str(path), "w") as target:
        stream = target.add_stream_from_template(both.streams.audio[0])
        for packet in both.demux(both.streams.audio[0]):
            if packet.size:
                packet.stream = stream
                target.mux(packet)


BROKEN = {
    "missing": (lambda recording, path: None, "no such file"),
    "empty": (lambda recording, path: path.write_bytes(b""), "the file is empty"),
    "folder": (lambda recording, path: path.mkdir(), "not a file"),
    "junk": (junk, "Invalid data"),
    "text": (lambda recording, path: path.write_text("hello\n" * 99), "Invalid data"),
    "cut before its index": (cut_before_the_index, "Invalid data"),
    "sound only": (sound_only, "no video stream"),
}


@pytest.mark.parametrize(("spoil", "cause"), BROKEN.values(), ids=BROKEN.keys())
def test_broken_file_is_told_with_its_name_the_time_and_the_cause(
    spoil, cause, recording, tmp_path
):
    path = tmp_path / "recording.mp4"
    spoil(recording, path)
    with pytest.raises(ClipError, match=f"^{re.escape(str(path))}: at 1.25 s: .*{cause}") as caught:
        sample_times(path, [1.25, 1.5])
    assert caught.value.file == str(path)
    assert caught.value.time == 1.25
    with pytest.raises(ClipError, match="at 0 s: "):
        probe(path)


@pytest.mark.parametrize(
    ("source", "cause"),
    [
        ("memory://nowhere.mp4", "no such file"),
        ("nothing://a.mp4", "Protocol not known"),
        ("http://127.0.0.1:9/a.mp4", "cannot be reached"),
        (b"", "Invalid data"),
    ],
    ids=["memory", "protocol", "refused", "bytes"],
)
def test_source_that_gives_nothing_is_told(source, cause):
    with pytest.raises(ClipError, match=f"at 0.5 s: .*{cause}"):
        sample_times(source, [0.5])


def test_source_of_another_type_is_a_type_error():
    with pytest.raises(TypeError, match="source: found int"):
        sample_times(3, [0.5])  # type: ignore[arg-type]


def test_clip_error_can_be_pickled():
    error = pickle.loads(pickle.dumps(ClipError("a.mp4", 1.5, "gone")))
    assert (error.file, error.time, error.cause) == ("a.mp4", 1.5, "gone")
    assert str(error) == "a.mp4: at 1.5 s: gone"


CUT = {
    "mp4": (media.Kind("cut", options={"g": "12"}, finish=media.index_first), 0.6),
    "webm": (KINDS["vp9"], 0.6),
    "mkv": (KINDS["mkv_b_frames"], 0.6),
}


@pytest.mark.parametrize("exact", [True, False], ids=["exact", "keyframes"])
@pytest.mark.parametrize(("kind", "share"), CUT.values(), ids=CUT.keys())
def test_cut_file_gives_what_it_holds_and_tells_what_it_does_not(kind, share, exact, tmp_path):
    path = media.write(kind, tmp_path / f"cut{kind.suffix}")
    whole = sample_times(path, [0.1, 0.2], exact=exact)
    path.write_bytes(media.cut(share)(path.read_bytes()))
    frames = sample_times(path, [0.1, 0.2], exact=exact)
    np.testing.assert_array_equal(frames.images, whole.images)
    with pytest.raises(ClipError, match=r"at 1\.9 s: the file ends before this frame"):
        sample_times(path, [0.1, 1.9], exact=exact)


def test_damage_is_told_and_what_lies_before_it_comes(recording, tmp_path):
    data = bytearray(recording.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 600] = b"\xff" * 600
    path = tmp_path / "damaged.mp4"
    path.write_bytes(data)
    good = sample_times(recording, [0.1, 0.3])
    frames = sample_times(path, [0.1, 0.3])
    np.testing.assert_array_equal(frames.images, good.images)
    with pytest.raises(ClipError, match=r"damaged.mp4: at 1 s: the video cannot be decoded"):
        sample_times(path, [0.1, 1.0, 1.9])


def _workers_in_child(queue):
    queue.put((num_workers(None), num_workers(3)))


def test_num_workers_in_a_worker_process_is_one_unless_asked():
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=_workers_in_child, args=(queue,))
    process.start()
    assert queue.get(timeout=60) == (1, 3)
    process.join()
    assert num_workers(None) == len(os.sched_getaffinity(0))
