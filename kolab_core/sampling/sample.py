"""Frames shown at given times of one recording."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from av.video.frame import VideoFrame
from numpy.typing import ArrayLike

from kolab_core.sampling.errors import ClipError
from kolab_core.sampling.frames import Frames
from kolab_core.sampling.keyframes import Snap, fill_keyframes
from kolab_core.sampling.linear import decode_in_order
from kolab_core.sampling.picture import check_size, even_size
from kolab_core.sampling.recording import Recording, open_recording
from kolab_core.sampling.runs import RunDecoder
from kolab_core.sampling.sink import Place, Sink, Told
from kolab_core.sampling.source import Source
from kolab_core.sampling.threads import num_workers
from kolab_core.sampling.times import as_intervals, checked_times
from kolab_core.sampling.walk import UnprovableError, Walk

__all__ = ["Target", "fill", "frames_shape", "sample_times"]


def sample_times(
    source: Source,
    times: ArrayLike,
    *,
    intervals: Iterable[Any] | None = None,
    size: int | None = None,
    exact: bool = True,
    num_threads: int | None = None,
) -> Frames:
    """The frame shown at each time: the last whose presentation time is at or before it.

    Before the first frame it is the first, past the end the last. The frames are those of a
    decoding of the whole file, pixel for pixel at native size.

    Args:
        source: a local path, anything fsspec opens (read by ranges), bytes, or a binary file
            object, which is read from its start and stays open.
        times: [N] recording seconds, finite, in any order, duplicates allowed; N may be 0.
        intervals: the clip's intervals, pairs or {"start", "end"} mappings; only `exact=False`
            looks at them.
        size: the short side in pixels, aspect kept, both sides even; None for the native size.
        exact: False takes for each time the keyframe at or before it; where that lies before the
            start of the interval that holds the time, the first keyframe after the time and
            inside that interval instead, if there is one. `times` says which frames came.
        num_threads: decoders at work at a time; None for one a core, and 1 inside a worker
            process of a DataLoader or of `map(num_proc=...)`.

    Returns:
        N frames in the order of `times`; with N = 0 images are [0, H, W, 3].

    Raises:
        ClipError: missing, empty, cut or undecodable file.
        ValueError: times, intervals or size out of range.
    """
    wanted = checked_times(times)
    spans = as_intervals(intervals or ())
    workers = num_workers(num_threads)
    check_size(size)
    first = float(np.min(wanted)) if len(wanted) else 0.0
    with open_recording(source, time=first) as recording:
        shape = frames_shape(recording, len(wanted), size)
        frames = Frames(np.zeros(shape, dtype=np.uint8), np.zeros(len(wanted)))
        targets = [Target(float(t), Place(frames, k), spans) for k, t in enumerate(wanted)]
        fill(source, recording, targets, exact=exact, workers=workers)
    return frames


@dataclass(frozen=True)
class Target:
    """A frame wanted.

    Attributes:
        time: recording seconds.
        place: where it goes.
        intervals: of the clip that wants it, for keyframes.
    """

    time: float
    place: Place
    intervals: Sequence[tuple[float, float]] = ()


def fill(
    source: Source,
    recording: Recording,
    targets: Sequence[Target],
    *,
    exact: bool,
    workers: int,
    told: Told | None = None,
) -> None:
    """Fills the places of all targets, in any order, in one pass over the recording.

    Args:
        source: for opening anew where only decoding in order is right.
        recording: the same, open.
        targets: frames wanted.
        exact: the frames shown, or keyframes.
        workers: decoders at a time.
        told: called with the places filled, from any thread.

    Raises:
        ClipError: a frame that the file does not give.
    """
    if not exact:
        snaps = [_snap(recording, target) for target in targets]
        fill_keyframes(source, recording, snaps, workers=workers, told=told)
        return
    by_limit: dict[int, list[Target]] = {}
    for target in targets:
        limit = max(recording.last_tick(target.time), recording.first_pts)
        by_limit.setdefault(limit, []).append(target)
    limits = sorted(by_limit)
    groups = [by_limit[limit] for limit in limits]
    sink = Sink(recording, [[target.place for target in group] for group in groups], told=told)
    asked = [min(target.time for target in group) for group in groups]
    _fill_exact(source, recording, limits=limits, asked=asked, sink=sink, workers=workers)


def frames_shape(recording: Recording, count: int, size: int | None) -> tuple[int, int, int, int]:
    """[N, H, W, 3] of `count` frames of a recording, upright, their short side `size`."""
    displayed = recording.orientation.displayed(recording.width, recording.height)
    width, height = even_size(*displayed, size)
    return count, height, width, 3


def _snap(recording: Recording, target: Target) -> Snap:
    """A target for a keyframe, inside the interval that holds its time, if one does."""
    limit = max(recording.last_tick(target.time), recording.first_pts)
    for start, end in target.intervals:
        if start <= target.time < end:
            low, high = recording.first_tick(start), recording.first_tick(end)
            return Snap(limit, target.place, target.time, low=low, high=high)
    return Snap(limit, target.place, target.time)


def _fill_exact(
    source: Source,
    recording: Recording,
    *,
    limits: Sequence[int],
    asked: Sequence[float],
    sink: Sink,
    workers: int,
) -> None:
    """Fills the sink with the frame shown at each limit, which ascend and are there once each."""
    slots: dict[int, int] = {}

    def deliver(pts: int, frame: VideoFrame) -> None:
        sink.put(slots[pts], frame)

    try:
        with RunDecoder(recording.stream, workers=workers, deliver=deliver) as decoder:
            picks = Walk(recording, decoder=decoder, limits=limits, slots=slots).choose()
            outcome = decoder.finish()
    except UnprovableError:
        left = list(range(len(limits)))
    else:
        left = []
        for position, pts in enumerate(picks.pts):
            failure = picks.cut if pts is None else outcome.failures.get(pts, "")
            if failure:
                raise ClipError(recording.name, asked[position], failure)
            if pts is None or pts in outcome.missing:
                left.append(position)
            elif slots[pts] != position:
                sink.copy(position, slots[pts])
    if left:
        decode_in_order(
            source,
            [limits[position] for position in left],
            put=lambda position, frame: sink.put(left[position], frame),
            asked=[asked[position] for position in left],
        )
