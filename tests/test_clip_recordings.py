"""What makes recordings hard, which file has it, and that a clip of each is exact all the same.

`FEATURES` is the table. A name with a suffix is a file of the folder of real screen recordings
(beside the checkout, or where KOLAB_RECORDINGS says; without it these tests skip), one without is
a stream that `media.py` makes. Each row's check looks at the stream itself.
"""

import os
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

import av
import media
import numpy as np
import pytest

from kolab_core.clip import Clip
from kolab_core.sampling import probe
from kolab_core.sampling.older_av import starts_at

FOLDER = Path(
    os.environ.get("KOLAB_RECORDINGS")
    or Path(__file__).resolve().parents[2] / "shared" / "recordings"
)


@dataclass(frozen=True)
class Stream:
    """What a file says of itself, read by PyAV alone.

    Attributes:
        codec: FFmpeg's name.
        size: stored (width, height).
        pix_fmt: FFmpeg's name.
        stated: the container's duration in seconds, None if it states none.
        packets: (timestamp, duration, is keyframe) in file order, in seconds.
        decoded: timestamps of the decoded frames in seconds, ascending.
        zero: the timestamp of recording second 0.
        rotation: degrees counterclockwise.
        has_edits: whether an mp4's edit list leaves something out at the start.
    """

    codec: str
    size: tuple
    pix_fmt: str
    stated: float | None
    packets: list
    decoded: list
    zero: Fraction
    rotation: int
    has_edits: bool

    @property
    def num_keyframes(self):
        return sum(is_keyframe for _, _, is_keyframe in self.packets)

    @property
    def steps(self):
        return np.diff([float(time) for time in self.decoded])

    @property
    def is_reordered(self):
        times = [time for time, _, _ in self.packets]
        return times != sorted(times)

    @property
    def video_end(self):
        """Seconds from zero to the end of the last packet."""
        return float(max(time + length for time, length, _ in self.packets) - self.zero)


FEATURES = [
    ("variable frame rate", "android16_vfr.mp4", lambda s: s.steps.max() > 5 * s.steps.min()),
    ("variable frame rate", "browser_av1_vfr.webm", lambda s: s.steps.max() > 5 * s.steps.min()),
    ("B-frames", "chip8_terminal_aac.mp4", lambda s: s.is_reordered),
    ("B-frames", "hevc_testsrc.mp4", lambda s: s.is_reordered),
    ("edit list", "obsidian_qt_editlist.mov", lambda s: s.has_edits),
    (
        "edit list that hides frames",
        "obsidian_qt_editlist.mov",
        lambda s: len(s.decoded) < len(s.packets),
    ),
    ("edit list", "two_edits", lambda s: s.has_edits),
    ("non-zero start", "gnome_screencast_vp8_odd.webm", lambda s: s.zero == Fraction(4, 1000)),
    (
        "B-frames with a non-zero start",
        "b_frames_from_1_5_s_mkv",
        lambda s: s.is_reordered and s.zero == Fraction(3, 2),
    ),
    (
        "one keyframe in 39 s",
        "gnome_screencast_vp8_odd.webm",
        lambda s: s.num_keyframes == 1 and s.video_end > 39,
    ),
    (
        "unknown container duration",
        "chrome_mediarecorder_opus.webm",
        lambda s: s.stated is None,
    ),
    ("unknown container duration", "unknown_duration", lambda s: s.stated is None),
    (
        "container duration longer than the video",
        "chip8_terminal_aac.mp4",
        lambda s: s.stated > s.video_end + 0.005,
    ),
    (
        "container duration longer than the video",
        "audio_outlasts_video",
        lambda s: s.stated > s.video_end + 0.5,
    ),
    ("odd size", "gnome_screencast_vp8_odd.webm", lambda s: s.size == (967, 576)),
    ("odd size", "yuv444_odd", lambda s: s.size == (97, 63)),
    ("rotation by 90 degrees", "turned_90", lambda s: s.rotation in (90, 270)),
    ("rotation by 180 degrees", "turned_180", lambda s: s.rotation == 180),
    ("rotation by 270 degrees", "turned_270", lambda s: s.rotation in (90, 270)),
    ("4:4:4", "yuv444_odd", lambda s: s.pix_fmt == "yuv444p"),
    ("H.264", "android16_vfr.mp4", lambda s: s.codec == "h264"),
    ("HEVC", "hevc_testsrc.mp4", lambda s: s.codec == "hevc"),
    ("VP8", "chrome_mediarecorder_opus.webm", lambda s: s.codec == "vp8"),
    ("VP9", "vhs_terminal_vp9.webm", lambda s: s.codec == "vp9"),
    ("AV1", "browser_av1_vfr.webm", lambda s: s.codec == "av1"),
]

GENERATED = {
    **{kind.name: kind for kind in media.KINDS},
    "audio_outlasts_video": media.Kind("audio_outlasts_video", audio=("aac", 0.0, 3.0)),
}
NAMES = sorted({name for _, name, _ in FEATURES})


@pytest.fixture(scope="module")
def file_of(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recordings")

    @lru_cache
    def find(name):
        if name in GENERATED:
            return media.write(GENERATED[name], folder / f"{name}{GENERATED[name].suffix}")
        if not FOLDER.is_dir():
            pytest.skip("the real recordings are not here")
        return FOLDER / name

    return find


@lru_cache
def read_stream(path):
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        tick = stream.time_base
        packets = [
            (packet.pts * tick, (packet.duration or 0) * tick, packet.is_keyframe)
            for packet in container.demux(stream)
            if packet.size
        ]
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        stream.thread_type = "AUTO"
        frames = container.decode(stream)
        first = next(frames)
        decoded = sorted([first.pts * tick, *(frame.pts * tick for frame in frames)])
        sound = [starts_at(audio) * audio.time_base for audio in container.streams.audio]
        return Stream(
            codec=stream.codec_context.codec.canonical_name,
            size=(first.width, first.height),
            pix_fmt=first.format.name,
            stated=None if container.duration is None else container.duration / 1e6,
            packets=packets,
            decoded=decoded,
            zero=min([decoded[0], *(start for start in sound if 0 <= start < decoded[0])]),
            rotation=first.rotation % 360,
            has_edits=_has_edits(path.read_bytes()),
        )


def _has_edits(data):
    """Whether the first track's edit list has two entries, or one that starts inside the media."""
    at = data.find(b"elst")
    if at < 0:
        return False
    count = int.from_bytes(data[at + 8 : at + 12], "big")
    return count > 1 or int.from_bytes(data[at + 16 : at + 20], "big", signed=True) > 0


@pytest.mark.parametrize(
    ("name", "has_it"), [pytest.param(*row[1:], id=f"{row[0]}-{row[1]}") for row in FEATURES]
)
def test_the_file_has_what_the_table_says(file_of, name, has_it):
    assert has_it(read_stream(file_of(name)))


def test_every_recording_is_in_the_table():
    if not FOLDER.is_dir():
        pytest.skip("the real recordings are not here")
    files = {path.name for path in FOLDER.iterdir() if path.suffix in (".mp4", ".mov", ".webm")}
    assert files
    assert files <= set(NAMES)


def _decode_in_order(path, wanted):
    """The frames with these timestamps out of decoding the whole file, upright."""
    images = {}
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        stream.thread_type = "AUTO"
        for frame in container.decode(stream):
            time = frame.pts * stream.time_base
            if time in wanted:
                upright = np.rot90(media.rgb(frame), frame.rotation // 90)
                images[time] = upright  # of two with one timestamp, the later one is shown
    return images


def _telling_times(stream):
    """Recording seconds at, just before, just after and between frames, at both ends and past."""
    shown = [float(time - stream.zero) for time in stream.decoded]
    picks = np.unique(np.linspace(0, len(shown) - 1, 6).astype(int))
    times = [shown[i] for i in picks]
    times += [shown[i] - 1e-6 for i in picks if i]
    times += [shown[i] + 1e-6 for i in picks]
    times += [(shown[i - 1] + shown[i]) / 2 for i in picks if i]
    stated = stream.stated or 0.0
    return [*times, max(shown[-1], stated) + 0.75, stream.video_end]


@pytest.mark.parametrize("name", NAMES)
def test_clip_gives_what_decoding_the_whole_file_gives(file_of, name):
    path = file_of(name)
    stream = read_stream(path)
    times = _telling_times(stream)
    nanos = [int((time - stream.zero) * 10**9 // 1) for time in stream.decoded]
    shown = [
        stream.decoded[max(0, np.searchsorted(nanos, round(time * 1e9), side="right") - 1)]
        for time in times
    ]
    images = _decode_in_order(path, set(shown))
    frames = Clip(path, [(0, max(times) + 1)]).at(times)
    assert frames.times == pytest.approx([float(time - stream.zero) for time in shown], abs=1e-9)
    for index, time in enumerate(shown):
        assert np.array_equal(frames.images[index], images[time]), times[index]


@pytest.mark.parametrize("name", NAMES)
def test_probe_and_small_frames_agree_with_the_stream(file_of, name):
    path = file_of(name)
    stream = read_stream(path)
    info = probe(path)
    sides = stream.size[::-1] if stream.rotation % 180 else stream.size
    assert (info.width, info.height) == sides
    assert info.codec == stream.codec
    images = Clip(path, [(0, 0.5)]).sample(2, size=32).images
    assert min(images.shape[1:3]) == 32
    assert all(side % 2 == 0 for side in images.shape[1:3])
    assert images.shape[2] / images.shape[1] == pytest.approx(sides[0] / sides[1], rel=0.05)
