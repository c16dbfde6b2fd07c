"""What PyAV before 17 lacks, done with what it has: the same frames, at some cost.

Each function asks PyAV for the thing itself, not for its version. What FFmpeg came to do otherwise
can't be asked for, and goes by FFmpeg's.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from math import floor
from typing import IO, Any

import av
import av.stream
from av.audio.stream import AudioStream
from av.container import Container, InputContainer
from av.packet import Packet
from av.stream import Stream
from av.video.frame import VideoFrame
from av.video.reformatter import ColorRange, Colorspace, VideoReformatter
from av.video.stream import VideoStream

__all__ = [
    "container_start",
    "may_change_decoder",
    "new_extradata",
    "one_thread",
    "packets_of",
    "shows_extradata",
    "shows_index",
    "skip_stream",
    "starts_at",
    "stated_colours",
]

_MOST_BOXES = 256
_TRIES_AT_END = 1000
_DEFAULT_MATRICES = (2, Colorspace.DEFAULT)  # unspecified, ITU-R BT.601
_CHANGING = (b"FLV", b"nut/multimedia")
_OUTER_BOXES = (b"moov", b"trak", b"mdia", b"minf", b"stbl")


def skip_stream(stream: Stream) -> None:
    """Has the container pass over a stream's packets; an older PyAV reads and drops them."""
    if _can_skip():
        stream.discard = av.stream.Discard.all


def packets_of(container: InputContainer, stream: VideoStream) -> Iterator[Packet[VideoStream]]:
    """The stream's packets from the container's position on.

    Where an older PyAV reads other streams too, one of them may come to the end of a cut file
    before this one does. So it is asked again, more often than sound is ahead of a picture.
    """
    has_others = len(container.streams) > 1 and not _can_skip()
    left = tries = _TRIES_AT_END if has_others else 1
    while left:
        left -= 1
        for packet in container.demux(stream):
            if packet.size:
                left = tries
                yield packet


def _can_skip() -> bool:
    return hasattr(av.stream, "Discard")


def starts_at(stream: VideoStream | AudioStream) -> int | None:
    """Ticks at which a stream starts to be shown or heard, None if unknown.

    What primes a codec of sound is not heard, whatever FFmpeg says.
    """
    start, time_base = stream.start_time, stream.time_base
    if not isinstance(stream, AudioStream) or start is None or time_base is None:
        return start
    codec = getattr(stream, "codec_context", None)
    if codec and codec.sample_rate and _counts_priming(stream.container):
        delay = Fraction(codec.delay, codec.sample_rate)
        return start + floor(delay / time_base + Fraction(1, 2))
    return start


def container_start(container: InputContainer) -> Fraction:
    """Seconds at which the first of a container's streams starts; 0 if unknown."""
    if not _counts_priming(container):
        return Fraction(container.start_time or 0, av.time_base)
    starts = [
        (starts_at(one), one.time_base)
        for one in container.streams
        if isinstance(one, VideoStream | AudioStream)
    ]
    known = [start * time_base for start, time_base in starts if start is not None and time_base]
    return min(known, default=Fraction(0))


def _counts_priming(container: Container) -> bool:
    """Whether what primes a codec counts as sound: in Matroska it did before FFmpeg 8.1."""
    is_older = av.library_versions["libavformat"] < (62, 12)
    return is_older and "matroska" in container.format.name


@cache
def one_thread() -> dict[str, Any]:
    """What tells `reformat` to stay on one thread; an older PyAV knows nothing else."""
    try:
        VideoReformatter().reformat(VideoFrame(2, 2, "rgb24"), format="gray", threads=1)
    except TypeError:
        return {}
    return {"threads": 1}


def stated_colours(frame: VideoFrame) -> dict[str, Any]:
    """What tells `reformat` to RGB of a frame's matrix and range, which an older PyAV passes by."""
    is_full = frame.color_range == ColorRange.JPEG
    if one_thread() or (frame.colorspace in _DEFAULT_MATRICES and not is_full):
        return {}
    # The default differs from it, so that swscale is told at all; for RGB it means nothing.
    return {
        "src_colorspace": frame.colorspace,
        "dst_colorspace": Colorspace.DEFAULT,
        "src_color_range": frame.color_range,
        "dst_color_range": ColorRange.MPEG,
    }


def shows_extradata() -> bool:
    """Whether packets say what set-up for the decoder they bring (not before PyAV 16)."""
    return hasattr(Packet, "has_sidedata")


def new_extradata(packet: Packet[VideoStream]) -> bytes | None:
    """The set-up for the decoder that a packet brings, if it says so."""
    if not shows_extradata() or not packet.has_sidedata("new_extradata"):
        return None
    return bytes(packet.get_sidedata("new_extradata"))


def shows_index() -> bool:
    """Whether a stream says what its container knows of its packets."""
    return hasattr(Stream, "index_entries")


def may_change_decoder(file: str | IO[bytes], head: bytes) -> bool:
    """Whether a container can bring the decoder another set-up on the way.

    It does so in mp4, where a track describes more than one kind of sample, and may in FLV and NUT.

    Args:
        file: an open file at its start, where it is left, or `file:` and a path.
        head: its first bytes.
    """
    if head.startswith(_CHANGING):
        return True
    if head[4:8] not in (b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip"):
        return False
    if not isinstance(file, str):
        changes = _describes_several(file)
        file.seek(0)
        return changes
    with open(file.removeprefix("file:"), "rb") as opened:  # noqa: PTH123 - a path as FFmpeg has it
        return _describes_several(opened)


def _describes_several(file: IO[bytes]) -> bool:
    """Whether a sample description box (`stsd`) of an mp4 has more than one entry."""
    file.seek(0, 2)
    for place in _descriptions(file, 0, file.tell()):
        if int.from_bytes(_bytes_at(file, place + 4, 4), "big") > 1:
            return True
    return False


def _descriptions(file: IO[bytes], start: int, stop: int) -> Iterator[int]:
    """Where the contents of the sample description boxes between two places start."""
    for _ in range(_MOST_BOXES):
        if start + 8 > stop:
            return
        head = _bytes_at(file, start, 16)
        size, body = int.from_bytes(head[:4], "big"), start + 8
        if size == 1:
            size, body = int.from_bytes(head[8:16], "big"), start + 16
        end = min(stop, start + size) if size >= 8 else stop
        if head[4:8] == b"stsd":
            yield body
        elif head[4:8] in _OUTER_BOXES:
            yield from _descriptions(file, body, end)
        if head[4:8] == b"moov":
            return
        start = end


def _bytes_at(file: IO[bytes], position: int, count: int) -> bytes:
    """A file's bytes from a position on; fewer at its end."""
    file.seek(position)
    data = file.read(count)
    while len(data) < count and (more := file.read(count - len(data))):
        data += more
    return data
