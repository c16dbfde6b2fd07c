"""Frames shown at given times of one recording."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kolab_core.sampling.errors import ClipError
from kolab_core.sampling.frames import Frames
from kolab_core.sampling.picture import even_size, to_rgb
from kolab_core.sampling.recording import Recording, open_recording
from kolab_core.sampling.source import Source
from kolab_core.sampling.times import checked_times

__all__ = ["sample_times"]


def sample_times(
    source: Source,
    times: ArrayLike,
    *,
    intervals: Iterable[Any] | None = None,
    size: int | None = None,
    exact: bool = True,
    num_threads: int | None = None,
) -> Frames:
    """The frame shown at each time: the last whose presentation time is at or before it."""
    wanted = checked_times(times)
    first = float(wanted.min()) if len(wanted) else 0.0
    with open_recording(source, time=first) as recording:
        displayed = recording.orientation.displayed(recording.width, recording.height)
        width, height = even_size(*displayed, size)
        images = np.zeros((len(wanted), height, width, 3), dtype=np.uint8)
        shown = np.zeros(len(wanted), dtype=np.float64)
        _linear(recording, wanted, images, shown)
    return Frames(images=images, times=shown)


def _linear(recording: Recording, wanted: Any, images: Any, shown: Any) -> None:
    limits = [max(recording.last_tick(float(t)), recording.first_pts) for t in wanted]
    best: list[Any] = [None] * len(limits)
    last = max(limits, default=recording.first_pts - 1)
    recording.container.seek(-(1 << 40), stream=recording.stream)
    for frame in recording.container.decode(recording.stream):
        if frame.pts is None:
            continue
        for i, limit in enumerate(limits):
            if frame.pts <= limit and (best[i] is None or frame.pts >= best[i].pts):
                best[i] = frame
        if frame.pts > last:
            break
    height, width = images.shape[1:3]
    for i, frame in enumerate(best):
        if frame is None:
            raise ClipError(recording.name, float(wanted[i]), "no frame can be decoded")
        images[i] = to_rgb(frame, width=width, height=height, orientation=recording.orientation)
        shown[i] = recording.seconds(frame.pts)
