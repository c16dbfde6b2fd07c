"""Every frame that a recording shows in an interval, in the order it is shown."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain

import numpy as np
from av.packet import Packet
from av.video.frame import VideoFrame
from av.video.stream import VideoStream
from numpy.typing import NDArray

from kolab_core.sampling import ClipError, Source, sample_times
from kolab_core.sampling.bitstream import is_clean_start
from kolab_core.sampling.errors import told_as_clip_error
from kolab_core.sampling.picture import to_rgb
from kolab_core.sampling.recording import Recording, open_recording

__all__ = ["ShownFrame", "shown_frames"]

_MOST_REORDERED = 16
_BACK_S = (0, 30, 300)
_BEGINNING = -(1 << 40)
_LAST_S = 0.001


@dataclass(frozen=True)
class ShownFrame:
    """A frame and since when it is shown.

    Attributes:
        image: uint8 [H, W, 3] RGB, upright, native size.
        time: The exact second of the recording.
    """

    image: NDArray[np.uint8]
    time: Fraction


def shown_frames(source: Source, start: float, end: float) -> Iterator[ShownFrame]:
    """The frame shown at `start`, then every one that appears before `end`; one at a time.

    A few frames are in memory at a time. Before the first frame of the recording the first one
    counts as shown, behind the last one the last.

    Args:
        source: The recording, a path or bytes.
        start: Seconds of the recording.
        end: Seconds of the recording, not included.

    Raises:
        ClipError: Missing, truncated or undecodable recording.
    """
    if end <= start:
        return
    held: VideoFrame | None = None
    is_read_out = True
    with open_recording(source, time=start) as recording:
        first = max(recording.last_tick(start), recording.first_pts)
        last = _last_before(recording, end)
        for frame in _in_order(_frames_from(recording, first)):
            if held is not None and _pts(frame) < _pts(held):
                continue
            if held is not None and _pts(frame) > last:
                is_read_out = False
                break
            if held is not None and _pts(frame) > max(first, _pts(held)):
                yield _shown(recording, held)
            held = frame
        if held is None:
            raise ClipError(recording.name, start, "no frame can be decoded")
        if is_read_out:  # the video's end, or a file that is cut: the sampler tells them apart
            sample_times(source, [max(start, end - _LAST_S)], size=2)
        yield _shown(recording, held)


def _in_order(frames: Iterator[VideoFrame]) -> Iterator[VideoFrame]:
    """Frames by their timestamps: some files state those of B-frames in the order of decoding."""
    waiting: list[tuple[int, int, VideoFrame]] = []
    for count, frame in enumerate(frames):
        heapq.heappush(waiting, (_pts(frame), count, frame))
        if len(waiting) > _MOST_REORDERED:
            yield heapq.heappop(waiting)[2]
    while waiting:
        yield heapq.heappop(waiting)[2]


def _frames_from(recording: Recording, limit: int) -> Iterator[VideoFrame]:
    """Decoded frames in order, from one at or before `limit` on, all of them intact."""
    packets = _packets_from(recording, limit)
    packet: Packet[VideoStream] | None
    latest = limit
    while True:
        with told_as_clip_error(recording.name, recording.seconds(latest)):
            packet = next(packets, None)
            frames = [f for f in recording.stream.decode(packet) if f.pts is not None]
        latest = max([latest, *map(_pts, frames)])
        if any(frame.is_corrupt and _pts(frame) >= limit for frame in frames):
            cause = "the frame cannot be decoded"
            raise ClipError(recording.name, recording.seconds(latest), cause)
        yield from frames
        if packet is None:
            return


def _packets_from(recording: Recording, limit: int) -> Iterator[Packet[VideoStream]]:
    """Packets from the last clean start found before `limit`, else from the beginning."""
    for back in _BACK_S:
        target = limit - int(back / recording.time_base)
        if target <= recording.first_pts:
            break
        recording.container.seek(target, stream=recording.stream)
        packets = recording.packets()
        for packet in packets:
            if packet.pts is None or packet.pts > limit:
                break
            codec, extradata = recording.codec, recording.extradata
            if packet.is_keyframe and is_clean_start(codec, bytes(packet), extradata):
                return chain((packet,), packets)
    recording.container.seek(_BEGINNING, stream=recording.stream)
    return recording.packets()


def _last_before(recording: Recording, end: float) -> int:
    """The largest timestamp that is shown before `end`."""
    limit = (Fraction(repr(float(end))) + recording.zero) / recording.time_base
    return -(-limit.numerator // limit.denominator) - 1


def _pts(frame: VideoFrame) -> int:
    pts = frame.pts
    assert pts is not None  # frames without one are left out
    return pts


def _shown(recording: Recording, frame: VideoFrame) -> ShownFrame:
    orientation = recording.orientation
    width, height = orientation.displayed(recording.width, recording.height)
    return ShownFrame(
        image=to_rgb(frame, width=width, height=height, orientation=orientation),
        time=_pts(frame) * recording.time_base - recording.zero,
    )
