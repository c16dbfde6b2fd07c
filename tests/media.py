"""Small streams of every awkward kind, made with PyAV, each frame numbered in its pixels.

The number of a frame is painted as 16 black or white cells across its top, so that it can be
read back from decoded pixels whatever the codec did to them.
"""

from __future__ import annotations

import io
import os
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np

from kolab_core.sampling.older_av import stated_colours

BITS = 16
os.environ.setdefault("SVT_LOG", "0")


@dataclass(frozen=True)
class Kind:
    """One kind of stream.

    Attributes:
        name: of the kind, and of its file without the suffix.
        suffix: of the file, which decides the container.
        codec: FFmpeg's encoder.
        pts: of its frames, in ticks.
        time_base: seconds a tick.
        width, height, pix_fmt: of its pictures.
        options: of the encoder.
        muxer: options of the container.
        audio: (encoder, start in seconds, seconds), or none.
        finish: what is done to the file's bytes at the end, or to the packets on the way.
    """

    name: str
    suffix: str = ".mp4"
    codec: str = "libx264"
    pts: Sequence[int] = tuple(range(60))
    time_base: Fraction = Fraction(1, 30)
    width: int = 96
    height: int = 64
    pix_fmt: str = "yuv420p"
    options: dict[str, str] | None = None
    muxer: dict[str, str] | None = None
    audio: tuple[str, float, float] | None = None
    repack: Callable[[list[Any]], Iterable[Any]] | None = None
    finish: Callable[[bytes], bytes] | None = None


def paint(number: int, *, width: int, height: int) -> np.ndarray:
    """Picture `number` as RGB [height, width, 3]: its cells above, a pattern that moves below."""
    x, y = np.arange(width)[None, :], np.arange(height)[:, None]
    image = np.empty((height, width, 3), dtype=np.uint8)
    image[..., 0] = (x * 3 + number * 5) % 256
    image[..., 1] = (y * 4 + number * 3 + x) % 256
    image[..., 2] = 255 * (((x + number) // 8 + y // 8) % 2)
    cells = (number >> (x[0] * BITS // width)) & 1
    image[: height // 2] = (255 * cells)[None, :, None]
    return image


def rgb(frame: Any, **options: Any) -> np.ndarray:
    """A decoded frame as the newest PyAV converts it; an older one has to be told its matrix."""
    stated = stated_colours(frame)
    return np.asarray(frame.to_ndarray(**{"format": "rgb24", **options, **stated}))


def read_number(image: np.ndarray) -> int:
    """The number painted in a decoded picture, upright, at any size."""
    height, width = image.shape[:2]
    row = image[height // 8 : 3 * height // 8].mean(axis=(0, 2))
    centres = [int((bit + 0.5) * width / BITS) for bit in range(BITS)]
    return sum(1 << bit for bit, x in enumerate(centres) if row[x] > 127)


def write(kind: Kind, path: Path) -> Path:
    """The kind's file at `path`."""
    target = io.BytesIO()
    format_name = {".mkv": "matroska", ".ts": "mpegts"}.get(path.suffix, path.suffix[1:])
    with (
        _usual_scheduling(),
        av.open(target, "w", format=format_name, options=kind.muxer or {}) as container,
    ):
        video = container.add_stream(kind.codec, rate=30, options=kind.options or {})
        video.width, video.height, video.pix_fmt = kind.width, kind.height, kind.pix_fmt
        video.codec_context.time_base = video.time_base = kind.time_base
        video.codec_context.thread_count = 1  # pictures are too small to share
        sound = container.add_stream(kind.audio[0], rate=48000) if kind.audio else None
        packets = [packet for packet in _video_packets(kind, video) if packet.size]
        packets = list(kind.repack(packets)) if kind.repack else packets
        if sound is not None and kind.audio is not None:
            packets += _audio_packets(sound, start=kind.audio[1], seconds=kind.audio[2])
            packets.sort(key=lambda packet: packet.dts * packet.time_base)
        for packet in packets:
            container.mux(packet)
    data = target.getvalue()
    path.write_bytes(kind.finish(data) if kind.finish else data)
    return path


@contextmanager
def _usual_scheduling() -> Iterator[None]:
    """Undo what SVT-AV1 does when root encodes: it makes the calling thread a real-time one.

    Such a process would keep everything else on the machine, its own children too, from running.
    """
    if not hasattr(os, "sched_getscheduler"):
        yield
        return
    policy, parameters = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        yield
    finally:
        if os.sched_getscheduler(0) != policy:
            os.sched_setscheduler(0, policy, parameters)


def _video_packets(kind: Kind, video: Any) -> Iterable[Any]:
    for number, pts in enumerate(kind.pts):
        image = paint(number, width=kind.width, height=kind.height)
        frame = av.VideoFrame.from_ndarray(image, format="rgb24").reformat(format=kind.pix_fmt)
        frame.pts, frame.time_base = pts, kind.time_base
        yield from video.encode(frame)
    yield from video.encode(None)


def _audio_packets(sound: Any, *, start: float, seconds: float) -> list[Any]:
    packets = []
    count = 960 if "opus" in sound.codec_context.codec.name else 1024
    for index in range(int(seconds * 48000) // count):
        frame = av.AudioFrame.from_ndarray(
            np.zeros((2, count), dtype=np.float32), format="fltp", layout="stereo"
        )
        frame.sample_rate, frame.time_base = 48000, Fraction(1, 48000)
        frame.pts = int(start * 48000) + index * count
        packets += sound.encode(frame)
    return [packet for packet in [*packets, *sound.encode(None)] if packet.size]


def shifted(ticks: int) -> Callable[[list[Any]], Iterable[Any]]:
    """Packets whose timestamps are moved by `ticks`."""

    def repack(packets: list[Any]) -> Iterable[Any]:
        for packet in packets:
            packet.pts, packet.dts = packet.pts + ticks, packet.dts + ticks
            yield packet

    return repack


def without_first(count: int) -> Callable[[list[Any]], Iterable[Any]]:
    """Packets without the first `count`: a stream that starts in the middle of a group."""
    return lambda packets: packets[count:]


def repeated_pts(every: int) -> Callable[[list[Any]], Iterable[Any]]:
    """Packets of which each `every`-th takes the timestamp of the one before (no B-frames)."""

    def repack(packets: list[Any]) -> Iterable[Any]:
        for index, packet in enumerate(packets):
            if index and index % every == 0:
                packet.pts, packet.dts = packets[index - 1].pts, packets[index - 1].dts
            yield packet

    return repack


def _box(data: bytes, *path: bytes) -> int:
    """Where the box at `path` starts, walking down from the top."""
    start, stop = 0, len(data)
    for name in path:
        while data[start + 4 : start + 8] != name:
            start += int.from_bytes(data[start : start + 4], "big")
            if start >= stop:
                raise LookupError(name)
        stop = start + int.from_bytes(data[start : start + 4], "big")
        start += 8
    return start - 8


def turned(*matrix: int) -> Callable[[bytes], bytes]:
    """An mp4 whose first track is shown by the matrix (a, b, c, d), each -1, 0 or 1."""
    a, b, c, d = matrix

    def finish(data: bytes) -> bytes:
        at = _box(data, b"moov", b"trak", b"tkhd") + 8 + 40
        one = 1 << 16
        cells = struct.pack(">9i", a * one, b * one, 0, c * one, d * one, 0, 0, 0, 1 << 30)
        return data[:at] + cells + data[at + 36 :]

    return finish


def edited(*entries: tuple[int, int]) -> Callable[[bytes], bytes]:
    """An mp4 (moov last) whose first track plays (duration, media time) entries instead of its own.

    Durations are in milliseconds (the muxer's movie time scale), media times in ticks.
    """

    def finish(data: bytes) -> bytes:
        at = _box(data, b"moov", b"trak", b"edts")
        size = int.from_bytes(data[at : at + 4], "big")
        body = b"".join(struct.pack(">IiHH", length, media, 1, 0) for length, media in entries)
        elst = struct.pack(">I4sII", 16 + len(body), b"elst", 0, len(entries)) + body
        edts = struct.pack(">I4s", 8 + len(elst), b"edts") + elst
        out = bytearray(data[:at] + edts + data[at + size :])
        for outer in (_box(data, b"moov"), _box(data, b"moov", b"trak")):
            grown = int.from_bytes(out[outer : outer + 4], "big") + len(edts) - size
            out[outer : outer + 4] = grown.to_bytes(4, "big")
        return bytes(out)

    return finish


def index_first(data: bytes) -> bytes:
    """An mp4 with its moov box in front of its media, as for streaming."""
    at = _box(data, b"moov")
    size = int.from_bytes(data[at : at + 4], "big")
    moov = bytearray(data[at : at + size])
    table = moov.find(b"stco")
    while table >= 0:
        for entry in range(int.from_bytes(moov[table + 8 : table + 12], "big")):
            place = table + 12 + 4 * entry
            offset = int.from_bytes(moov[place : place + 4], "big") + size
            moov[place : place + 4] = offset.to_bytes(4, "big")
        table = moov.find(b"stco", table + 4)
    first = int.from_bytes(data[:4], "big")
    return data[:first] + bytes(moov) + data[first:at] + data[at + size :]


def cut(share: float) -> Callable[[bytes], bytes]:
    """A file of which only the first `share` is there."""
    return lambda data: data[: int(len(data) * share)]


_RNG = np.random.default_rng(20240607)
VARIABLE = tuple(int(v) for v in np.cumsum(_RNG.choice([7, 16, 33, 41, 250, 900], size=70)) - 7)
_OPEN = {"x264-params": "open-gop=1:keyint=12:min-keyint=12:scenecut=0:bframes=3:b-adapt=0"}
_SHORT = {"g": "12"}
_AAC = ("aac", 0.0, 2.0)
_AS_IT_IS = {"avoid_negative_ts": "disabled", "mpegts_copyts": "1"}

KINDS = (
    Kind("x264_default"),
    Kind("x264_short_groups", options=_SHORT),
    Kind("x264_open_groups", options=_OPEN),
    Kind("x264_no_b_frames", options={"g": "15", "bf": "0"}),
    Kind("x264_intra_refresh", options={"x264-params": "intra-refresh=1:keyint=12:bframes=0"}),
    Kind("x264_no_deblock_cavlc", options={"g": "20", "tune": "fastdecode"}),
    Kind("x264_every_frame_key", options={"g": "1"}),
    Kind("x264_pyramid_strict", options={"x264-params": "b-pyramid=strict:bframes=8:b-adapt=0"}),
    Kind("variable_rate", pts=VARIABLE, time_base=Fraction(1, 1000), options=_SHORT),
    Kind("variable_rate_mkv", ".mkv", pts=VARIABLE, time_base=Fraction(1, 1000), options=_SHORT),
    Kind("mkv_b_frames", ".mkv", options=_SHORT),
    Kind("mkv_open_groups", ".mkv", options=_OPEN),
    Kind("mkv_no_cues", ".mkv", options=_SHORT, muxer={"live": "1"}),
    Kind("mpegts_no_index", ".ts", options=_SHORT),
    Kind("mpegts_open_groups_cut", ".ts", options=_OPEN, repack=without_first(5)),
    Kind("avi_no_pts", ".avi", options=_SHORT),
    Kind("flv", ".flv", options=_SHORT),
    Kind("mp4_fragmented", options=_SHORT, muxer={"movflags": "frag_keyframe+empty_moov"}),
    Kind("b_frames_from_1_5_s", pts=range(45, 105), options=_SHORT),
    Kind("b_frames_from_1_5_s_mkv", ".mkv", pts=range(45, 105), options=_SHORT),
    Kind("nut", ".nut", options=_SHORT),
    Kind("negative_start_ts", ".ts", pts=range(-20, 40), options=_SHORT, muxer=_AS_IT_IS),
    Kind("negative_start_mkv", ".mkv", "libvpx", pts=range(-20, 40), muxer=_AS_IT_IS),
    Kind("no_edit_list", options=_SHORT, muxer={"use_editlist": "0"}),
    Kind(
        "edit_list_discards",
        options=_SHORT,
        muxer={"avoid_negative_ts": "disabled"},
        repack=shifted(-17),
    ),
    Kind("two_edits", options=_SHORT, finish=edited((300, 1024), (1200, 1024 + 512 * 14))),
    Kind("one_keyframe", options={"g": "999"}, pts=range(120)),
    Kind("one_keyframe_vp8", ".webm", "libvpx", options={"g": "999"}),
    Kind("vp9", ".webm", "libvpx-vp9", options={"g": "20", "deadline": "realtime"}),
    Kind("vp9_alt_ref", ".webm", "libvpx-vp9", options={"g": "30", "lag-in-frames": "10"}),
    Kind("vp8_late", ".webm", "libvpx", pts=range(3, 63), options={"g": "20"}),
    Kind("x264_interlaced", options={"x264-params": "interlaced=1:keyint=12"}),
    Kind("vp8_odd", ".webm", "libvpx", width=97, height=63, options={"g": "20"}),
    Kind("av1", ".mp4", "libsvtav1", pts=range(30), options={"g": "10", "preset": "12"}),
    Kind("av1_webm", ".webm", "libsvtav1", pts=range(30), options={"g": "10", "preset": "12"}),
    Kind("hevc", ".mp4", "libx265", options={"x265-params": "keyint=12:log-level=none"}),
    Kind("hevc_mkv", ".mkv", "libx265", options={"x265-params": "keyint=12:log-level=none"}),
    Kind("mpeg4", ".mp4", "mpeg4", options={"g": "12", "bf": "2"}),
    Kind("mjpeg", ".avi", "mjpeg", pix_fmt="yuvj420p"),
    Kind("yuv444_odd", pix_fmt="yuv444p", width=97, height=63, options=_SHORT),
    Kind("turned_90", options=_SHORT, finish=turned(0, 1, -1, 0)),
    Kind("turned_180", options=_SHORT, finish=turned(-1, 0, 0, -1)),
    Kind("turned_270", options=_SHORT, finish=turned(0, -1, 1, 0)),
    Kind("mirrored", options=_SHORT, finish=turned(-1, 0, 0, 1)),
    Kind("audio_interleaved", options=_SHORT, audio=_AAC),
    Kind("audio_first", pts=range(15, 75), options=_SHORT, audio=("aac", 0.1, 2.4)),
    Kind("audio_first_webm", ".webm", "libvpx", pts=range(15, 75), audio=("libopus", 0.1, 2.4)),
    Kind("audio_longer", options=_SHORT, audio=("aac", 0.0, 5.0)),
    Kind("audio_primed", ".mkv", options=_SHORT, audio=("aac", 0.0, 2.0)),
    Kind("unknown_duration", ".webm", "libvpx", options={"g": "15"}, muxer={"live": "1"}),
    Kind(
        "repeated_pts",
        ".mkv",
        "libvpx",
        options={"g": "20"},
        repack=repeated_pts(4),
        time_base=Fraction(1, 1000),
        pts=range(0, 2400, 40),
    ),
    Kind("one_frame", pts=(0,)),
)
"""Every kind; an encoder that this FFmpeg lacks is left out of what `available` gives."""


def available() -> list[Kind]:
    """The kinds whose encoders are there."""
    kinds = []
    for kind in KINDS:
        try:
            av.codec.Codec(kind.codec, "w")
        except ValueError:
            continue
        kinds.append(kind)
    return kinds
