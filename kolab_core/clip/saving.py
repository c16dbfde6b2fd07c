"""A clip as a file of its own: the frames shown in its intervals, one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from av.video.frame import VideoFrame
from av.video.reformatter import ColorRange, Colorspace
from numpy.typing import NDArray

from kolab_core.clip.reading import shown_frames
from kolab_core.files import write_whole
from kolab_core.sampling import ClipError, Source
from kolab_core.sampling.older_av import one_thread
from kolab_core.sampling.source import source_name

__all__ = ["save_clip"]

# By suffix: FFmpeg's name, and ticks a second (Matroska's own are fixed).
_FORMATS = {".mp4": ("mp4", 90_000), ".mov": ("mov", 90_000), ".mkv": ("matroska", 1000)}
_ENCODER = "libx264"
# No B-frames: the first frame starts at 0 without an edit list. The quality is near lossless.
_ENCODER_OPTIONS = {"preset": "veryfast", "crf": "16", "bf": "0"}
_BT709 = 1


@dataclass(frozen=True)
class _Picture:
    """An upright RGB picture and when it appears in the file, in ticks."""

    image: NDArray[np.uint8]
    tick: int


def save_clip(source: Source, intervals: Sequence[tuple[float, float]], path: Path) -> Path:
    """Write the frames shown in the intervals as an H.264 file without sound; see `Clip.save`.

    Args:
        source: The recording.
        intervals: Checked (start, end) pairs in seconds, in the order of the file.
        path: Where to.

    Returns:
        `path`.

    Raises:
        ClipError: The recording cannot give the frames, or the intervals have no length.
        ValueError: The suffix is none of `.mp4`, `.mov` and `.mkv`.
        OSError: The place cannot be written to.
    """
    suffix = path.suffix.lower()
    if suffix not in _FORMATS:
        raise ValueError(
            f"path: found {str(path)!r}; expected a name that ends in .mp4, .mov or .mkv."
        )
    format_name, rate_hz = _FORMATS[suffix]
    duration = sum((_exact(end) - _exact(start) for start, end in intervals), Fraction(0))
    end_tick = _ticks(duration, rate_hz)
    if end_tick == 0:
        first = next((start for start, _ in intervals), 0.0)
        raise ClipError(source_name(source), first, "nothing to save: the intervals have no length")
    with (
        write_whole(path) as temporary,
        av.open(str(temporary), "w", format=format_name) as container,
    ):
        pictures = _pictures(source, intervals, rate_hz=rate_hz)
        _encode(container, pictures, rate_hz=rate_hz, end_tick=end_tick)
    return path


def _pictures(
    source: Source, intervals: Sequence[tuple[float, float]], *, rate_hz: int
) -> Iterator[_Picture]:
    """Each frame that is shown for at least a tick, at the tick from which the file shows it."""
    before = Fraction(0)
    for start, end in intervals:
        held: _Picture | None = None
        for shown in shown_frames(source, start, end):
            since = Fraction(0) if held is None else shown.time - _exact(start)
            picture = _Picture(shown.image, _ticks(before + since, rate_hz))
            if held is not None and held.tick < picture.tick:
                yield held
            held = picture
        before += _exact(end) - _exact(start)
        if held is not None and held.tick < _ticks(before, rate_hz):
            yield held


def _encode(container: Any, pictures: Iterator[_Picture], *, rate_hz: int, end_tick: int) -> None:
    """Encode the pictures into the container, the last one shown until `end_tick`."""
    time_base = Fraction(1, rate_hz)
    stream: Any = None
    starts: list[int] = []
    packets: list[Any] = []
    for picture in pictures:
        if stream is None:
            stream = _add_stream(container, picture.image, time_base)
        starts.append(picture.tick)
        frame = _to_frame(picture.image, width=stream.width, height=stream.height)
        frame.pts, frame.time_base = picture.tick, time_base
        packets += stream.encode(frame)
        _mux(container, packets, starts)
    packets += stream.encode(None)
    _mux(container, packets, [*starts, end_tick])


def _mux(container: Any, packets: list[Any], starts: list[int]) -> None:
    """Mux the packets whose frame's end, the next one's start, is known; both lists shrink."""
    while packets and len(starts) > 1:
        packet, start = packets.pop(0), starts.pop(0)
        packet.duration = starts[0] - start
        container.mux(packet)


def _add_stream(container: Any, image: NDArray[np.uint8], time_base: Fraction) -> Any:
    stream = container.add_stream(_ENCODER, rate=30, options=_ENCODER_OPTIONS)
    height, width = image.shape[:2]
    stream.width, stream.height = width + width % 2, height + height % 2
    stream.pix_fmt = "yuv420p"
    stream.codec_context.time_base = stream.time_base = time_base
    for name in ("colorspace", "color_primaries", "color_trc"):
        setattr(stream.codec_context, name, _BT709)
    return stream


def _to_frame(image: NDArray[np.uint8], *, width: int, height: int) -> VideoFrame:
    """The picture as 4:2:0 by BT.709; an odd side is lengthened by its last row or column."""
    missing = (height - image.shape[0], width - image.shape[1])
    if any(missing):
        image = np.pad(image, ((0, missing[0]), (0, missing[1]), (0, 0)), mode="edge")
    frame = VideoFrame.from_ndarray(np.ascontiguousarray(image), format="rgb24")
    return frame.reformat(
        format="yuv420p",
        dst_colorspace=Colorspace.ITU709,
        dst_color_range=ColorRange.MPEG,
        **one_thread(),
    )


def _exact(seconds: float) -> Fraction:
    """Seconds as the decimal number that the float stands for."""
    return Fraction(repr(float(seconds)))


def _ticks(seconds: Fraction, rate_hz: int) -> int:
    """Whole ticks, rounded down: a frame never comes late."""
    return int(seconds * rate_hz // 1)
