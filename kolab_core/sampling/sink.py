"""Where frames go once they are decoded: converted once, into every place that wants them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from av.video.frame import VideoFrame
from numpy.typing import NDArray

from kolab_core.sampling.frames import Frames
from kolab_core.sampling.picture import to_rgb
from kolab_core.sampling.recording import Recording

__all__ = ["Place", "Sink", "Told"]


@dataclass(frozen=True)
class Place:
    """One frame's place: frame `position` of `frames`."""

    frames: Frames
    position: int


Told = Callable[[Sequence[Place]], None]
"""What hears of places filled, from any worker's thread."""


class Sink:
    """Takes the frames of one recording.

    Calls for different limits may come from different threads at a time.

    Args:
        recording: whose frames they are.
        places: for each limit, where its frame goes; all of one size.
        told: called with the places filled.
    """

    def __init__(
        self,
        recording: Recording,
        places: Sequence[Sequence[Place]],
        *,
        told: Told | None = None,
    ) -> None:
        self._recording = recording
        self._places = places
        self._told = told

    def put(self, limit: int, frame: VideoFrame) -> None:
        """The frame, for the limit at position `limit`."""
        first = self._places[limit][0].frames.images
        image = to_rgb(
            frame,
            width=first.shape[2],
            height=first.shape[1],
            orientation=self._recording.orientation,
        )
        self._fill(limit, image, self._recording.seconds(frame.pts or 0))

    def copy(self, limit: int, source: int) -> None:
        """The frame that the limit at `source` got, for the one at `limit` too."""
        place = self._places[source][0]
        self._fill(limit, place.frames.images[place.position], place.frames.times[place.position])

    def _fill(self, limit: int, image: NDArray[np.uint8], time: float) -> None:
        for place in self._places[limit]:
            place.frames.images[place.position] = image
            place.frames.times[place.position] = time
        if self._told is not None:
            self._told(self._places[limit])
