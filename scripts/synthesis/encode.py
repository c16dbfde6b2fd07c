"""Recordings, encoded with PyAV: one thread, no dates, so that they come out the same again."""

from __future__ import annotations

import binascii
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from scripts.synthesis.screen import Screen
from scripts.synthesis.story import RecordingSpec
from scripts.synthesis.timeline import Timeline

if TYPE_CHECKING:
    import av
    import av.video.codeccontext

__all__ = ["record"]

_IDLE_MS = 640
_OPTIONS = {
    "libx264": {"crf": "27", "preset": "medium", "sc_threshold": "0", "tune": "animation"},
    "libvpx-vp9": {
        "crf": "34",
        "b:v": "0",
        "deadline": "good",
        "cpu-used": "3",
        "tune-content": "screen",
        "row-mt": "0",
    },
    "libvpx": {"crf": "16", "b:v": "700k", "deadline": "good", "cpu-used": "3", "qmax": "48"},
}
_LUMA = [round(16 + value * 219 / 255) for value in range(256)]
_CHROMA = [round(128 + (value - 128) * 224 / 255) for value in range(256)]


def record(timeline: Timeline, folder: Path) -> None:
    """Make a session's recording.

    Args:
        timeline: The session; `timeline.look.recording` says how it is recorded.
        folder: The session's, in which the file is `recording.*`.
    """
    import av

    spec = timeline.look.recording
    target = folder / f"recording{spec.suffix}"
    screen = Screen(timeline, width=spec.width, height=spec.height)
    times = list(_frame_times(timeline, screen))
    with av.open(target, "w", options={"fflags": "+bitexact"}) as container:
        stream: Any = container.add_stream(
            spec.codec, rate=Fraction(spec.rate_hz).limit_denominator()
        )
        _set_up(stream, spec)
        ends = [*times[1:], timeline.duration]
        for now, end in zip(times, ends, strict=True):
            frame = av.VideoFrame.from_ndarray(_to_yuv(screen.paint(now)), format="yuv420p")
            frame.pts, frame.time_base = now + spec.start_ms, Fraction(1, 1000)
            frame.duration = end - now
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))


def _frame_times(timeline: Timeline, screen: Screen) -> Iterator[int]:
    """The times of a recording's frames, in milliseconds from zero, increasing.

    At a variable rate a frame comes when the picture moves, and at least every 640 ms; the
    intervals are as uneven as a recorder's.
    """
    spec = timeline.look.recording
    if not spec.is_variable:
        count = int(timeline.duration * spec.rate_hz // 1000)
        yield from (round(index * 1000 / spec.rate_hz) for index in range(count))
        return
    rng = np.random.default_rng(binascii.crc32(spec.codec.encode()) + timeline.duration)
    now, shortest = 0, round(1000 / spec.rate_hz)
    while now < timeline.duration:
        yield now
        now += shortest + int(rng.integers(0, 12))
        idle = 0
        while idle < _IDLE_MS and not screen.is_busy(now):
            now, idle = now + 40, idle + 40


def _set_up(stream: av.VideoStream, spec: RecordingSpec) -> None:
    context = stream.codec_context
    stream.width, stream.height, stream.pix_fmt = spec.width, spec.height, "yuv420p"
    stream.time_base = context.time_base = Fraction(1, 1000)
    context.gop_size = spec.keyframe_every
    context.max_b_frames = spec.num_bframes
    context.thread_count = 1
    context.flags |= int(_flags().bitexact)
    context.options = dict(_OPTIONS[spec.codec])


def _flags() -> type[av.codec.context.Flags]:
    from av.codec.context import Flags

    return Flags


def _to_yuv(pixels: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """RGB to planar 4:2:0 of BT.601 in limited range, in whole numbers only.

    The encoder library's own conversion differs by a little from one processor to another.
    """
    height, width = pixels.shape[:2]
    luma, blue, red = Image.fromarray(pixels).convert("YCbCr").split()
    planes = [luma.point(_LUMA), *(plane.reduce(2).point(_CHROMA) for plane in (blue, red))]
    flat: npt.NDArray[np.uint8] = np.concatenate(
        [np.asarray(plane).reshape(-1) for plane in planes]
    )
    planar: npt.NDArray[np.uint8] = flat.reshape(height * 3 // 2, width)
    return planar
