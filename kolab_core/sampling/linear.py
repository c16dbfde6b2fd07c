"""Decoding a recording from its start, frame by frame: slow, and right for every stream."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import av
from av.video.frame import VideoFrame

from kolab_core.sampling.errors import ClipError
from kolab_core.sampling.source import Source, opened, source_name

__all__ = ["decode_in_order"]

_MOST_REORDERED = 16


def decode_in_order(
    source: Source,
    limits: Sequence[int],
    *,
    put: Callable[[int, VideoFrame], None],
    asked: Sequence[float],
) -> None:
    """Delivers for each limit the last frame with a timestamp up to it.

    Args:
        source: the recording, opened anew.
        limits: ticks, ascending, none before the first frame.
        put: takes (position of the limit, frame), again where a better frame comes later.
        asked: the seconds that each limit stands for, named in errors.

    Raises:
        ClipError: a limit lies behind what can be decoded.
    """
    last: VideoFrame | None = None
    best: list[int] = []
    failure = ""
    num_behind = 0
    with opened(source) as file:
        stream = file.container.streams.video[0]
        stream.codec_context.thread_count = 1
        for frame, error in _until_error(file.container.decode(stream)):
            failure = error
            if frame is None or frame.pts is None:
                continue
            if last is not None and last.pts is not None and frame.pts < last.pts:
                _put_late(frame, limits, best, put)
                continue
            while last is not None and len(best) < len(limits) and frame.pts > limits[len(best)]:
                put(len(best), last)
                best.append(last.pts or 0)
            last = frame
            num_behind += len(best) == len(limits)
            if num_behind > _MOST_REORDERED:
                return
    for position in range(len(best), len(limits)):
        if failure or last is None:
            cause = failure or "no frame can be decoded"
            raise ClipError(source_name(source), asked[position], cause)
        put(position, last)


def _put_late(
    frame: VideoFrame,
    limits: Sequence[int],
    best: list[int],
    put: Callable[[int, VideoFrame], None],
) -> None:
    """A frame that comes after later ones takes the limits for which it is the better."""
    pts = frame.pts or 0
    for position, shown in enumerate(best):
        if shown <= pts <= limits[position]:
            put(position, frame)
            best[position] = pts


def _until_error(frames: Iterator[VideoFrame]) -> Iterator[tuple[VideoFrame | None, str]]:
    """Frames, and at last why there are no more if the decoder says."""
    try:
        for frame in frames:
            yield frame, ""
    except av.FFmpegError as err:
        yield None, f"the video cannot be decoded ({err.strerror or type(err).__name__})"
