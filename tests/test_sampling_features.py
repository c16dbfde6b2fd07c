"""Which stream stands for which peculiarity, and that it really has it.

The exactness tests run over all of these; here each is shown to be what it is taken for, so that
none of them passes because the peculiarity got lost in the making.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import av
import media
import numpy as np
import pytest

from kolab_core.sampling import probe
from kolab_core.sampling.bitstream import can_skip_unreferenced, is_clean_start

KINDS = {kind.name: kind for kind in media.available()}
SHARED = Path(__file__).parents[2] / "shared" / "recordings"


@dataclass(frozen=True)
class Looked:
    """What a look through a file shows."""

    container_s: float | None
    codec: str
    packets: list[Any]
    frames: list[Any]
    time_base: Any
    extradata: bytes

    @property
    def shown(self):
        return [frame.pts for frame in self.frames]

    @property
    def keys(self):
        return [packet for packet in self.packets if packet.is_keyframe]

    @property
    def gaps(self):
        return set(np.diff(self.shown).tolist())

    @property
    def is_reordered(self):
        times = [packet.pts for packet in self.packets]
        return times != sorted(times)


def look(path):
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        frames = list(container.decode(stream))
        duration = container.duration
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        return Looked(
            None if duration is None else duration / av.time_base,
            stream.codec_context.codec.canonical_name,
            [packet for packet in container.demux(stream) if packet.size],
            frames,
            stream.time_base,
            stream.codec_context.extradata or b"",
        )


def has_leading_pictures(file):
    """Whether packets that follow a keyframe are shown before it."""
    behind = []
    for packet in file.packets:
        behind = [packet.pts] if packet.is_keyframe else [*behind, packet.pts]
        if min(behind) < behind[0]:
            return True
    return False


def outlasts_its_video(file):
    last = float((file.shown[-1] - file.shown[0]) * file.time_base)
    return file.container_s is not None and file.container_s > last + 1


# peculiarity: what shows it, and who has it: kinds that we make, names of real recordings
FEATURES = {
    "variable rate": (
        lambda file: max(file.gaps) > 4 * min(file.gaps),
        ["variable_rate", "android16_vfr.mp4", "browser_av1_vfr.webm"],
    ),
    "B-frames": (
        lambda file: file.is_reordered,
        ["x264_default", "chip8_terminal_aac.mp4", "hevc_testsrc.mp4"],
    ),
    "open groups": (has_leading_pictures, ["x264_open_groups"]),
    "edit list that discards": (
        lambda file: any(packet.is_discard for packet in file.packets),
        ["edit_list_discards", "obsidian_qt_editlist.mov"],
    ),
    "two edits": (
        lambda file: len({p.pts for p in file.packets}) < len(file.packets),
        ["two_edits", "obsidian_qt_editlist.mov"],
    ),
    "start that is not zero": (
        lambda file: file.shown[0] > 0,
        ["vp8_late", "gnome_screencast_vp8_odd.webm"],
    ),
    "start that is not zero, with B-frames": (
        lambda file: file.shown[0] > 0 and file.is_reordered,
        ["b_frames_from_1_5_s", "b_frames_from_1_5_s_mkv"],
    ),
    "negative start": (lambda file: file.shown[0] < 0, ["negative_start_ts"]),
    "one keyframe in all": (
        lambda file: len(file.keys) == 1 and len(file.frames) > 100,
        ["one_keyframe", "gnome_screencast_vp8_odd.webm"],
    ),
    "unknown container duration": (
        lambda file: file.container_s is None,
        ["unknown_duration", "chrome_mediarecorder_opus.webm"],
    ),
    "container longer than its video": (outlasts_its_video, ["audio_longer"]),
    "odd width": (
        lambda file: file.frames[0].width % 2,
        ["vp8_odd", "yuv444_odd", "gnome_screencast_vp8_odd.webm"],
    ),
    "rotation by 90 degrees": (lambda file: file.frames[0].rotation == -90, ["turned_90"]),
    "rotation by 180 degrees": (lambda file: file.frames[0].rotation % 360 == 180, ["turned_180"]),
    "rotation by 270 degrees": (lambda file: file.frames[0].rotation == 90, ["turned_270"]),
    "4:4:4": (lambda file: file.frames[0].format.name == "yuv444p", ["yuv444_odd"]),
    "equal timestamps": (lambda file: len(set(file.shown)) < len(file.shown), ["repeated_pts"]),
    "H.264": (lambda file: file.codec == "h264", ["x264_default", "android16_vfr.mp4"]),
    "HEVC": (lambda file: file.codec == "hevc", ["hevc", "hevc_testsrc.mp4"]),
    "VP8": (lambda file: file.codec == "vp8", ["vp8_odd", "chrome_mediarecorder_opus.webm"]),
    "VP9": (lambda file: file.codec == "vp9", ["vp9", "vhs_terminal_vp9.webm"]),
    "AV1": (lambda file: file.codec == "av1", ["av1", "browser_av1_vfr.webm"]),
}

CASES = [
    pytest.param(feature, name, id=f"{feature}-{name}")
    for feature, (_, names) in FEATURES.items()
    for name in names
]


@pytest.mark.parametrize(("feature", "name"), CASES)
def test_stream_has_the_peculiarity_it_stands_for(feature, name, tmp_path):
    if name in KINDS:
        path = media.write(KINDS[name], tmp_path / (name + KINDS[name].suffix))
    elif (SHARED / name).exists():
        path = SHARED / name
    else:
        pytest.skip(f"{name} is not here")
    file, info = look(path), probe(path)
    assert FEATURES[feature][0](file)
    first = file.frames[0]
    sides = (first.height, first.width) if first.rotation % 180 else (first.width, first.height)
    assert (info.codec, info.width, info.height) == (file.codec, *sides)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the real recordings are not here")
def test_every_real_recording_has_its_peculiarity():
    files = {path.name for path in SHARED.iterdir() if path.suffix in (".mp4", ".mov", ".webm")}
    assert files
    assert files <= {name for _, names in FEATURES.values() for name in names}


def clean_starts(name, folder):
    file = look(media.write(KINDS[name], folder / (name + KINDS[name].suffix)))
    return [is_clean_start(file.codec, bytes(key), file.extradata) for key in file.keys]


@pytest.mark.parametrize(
    "name",
    [
        "x264_short_groups",
        "x264_open_groups",
        "mkv_open_groups",
        "mpegts_no_index",
        "hevc",
        "hevc_mkv",
        "vp9",
        "vp9_alt_ref",
        "vp8_odd",
        "av1",
        "av1_webm",
        "mjpeg",
    ],
)
def test_is_clean_start_every_keyframe_of_usual_streams(name, tmp_path):
    starts = clean_starts(name, tmp_path)
    assert len(starts) > 1
    assert all(starts)


def test_is_clean_start_not_where_a_refresh_only_begins(tmp_path):
    starts = clean_starts("x264_intra_refresh", tmp_path)
    assert starts[0]
    assert len(starts) > 3
    assert not any(starts[1:])


@pytest.mark.parametrize("codec", ["h264", "hevc", "vp8", "vp9", "av1"])
@pytest.mark.parametrize("data", [b"", b"\0", b"\xff" * 9, b"\0\0\1"])
def test_is_clean_start_of_anything_else_is_not(codec, data):
    assert not is_clean_start(codec, data, b"")


def test_is_clean_start_no_packet_of_a_group_but_its_first(tmp_path):
    for name in ("x264_short_groups", "hevc", "vp8_odd", "vp9", "av1"):
        file = look(media.write(KINDS[name], tmp_path / (name + KINDS[name].suffix)))
        others = [packet for packet in file.packets if not packet.is_keyframe]
        assert len(others) > 10
        assert not any(is_clean_start(file.codec, bytes(p), file.extradata) for p in others)


def test_can_skip_unreferenced_progressive_h264_alone(tmp_path):
    interlaced = media.Kind("i", options={"x264-params": "interlaced=1"}, height=64)
    expected = {"x264_default": True, "yuv444_odd": True, "hevc": False, "vp9": False}
    for name, answer in expected.items():
        file = look(media.write(KINDS[name], tmp_path / (name + KINDS[name].suffix)))
        assert can_skip_unreferenced(file.codec, file.extradata) is answer, name
    file = look(media.write(interlaced, tmp_path / "i.mp4"))
    assert not can_skip_unreferenced(file.codec, file.extradata)
