"""What sampling gives back: frames with their times, and what is known of a recording."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kolab_core.sampling.sheet import sheet_html

__all__ = ["Frames", "RecordingInfo"]


@dataclass(frozen=True, eq=False)
class Frames:
    """Frames in the order they were asked for.

    Attributes:
        images: uint8 [N, H, W, 3], RGB, upright.
        times: float64 [N], when each frame is presented, in seconds of the recording; a frame
            is shown from there on, so its time is at or before the time asked for (after it
            only for times before the first frame).
    """

    images: NDArray[np.uint8]
    times: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.times)

    def __repr__(self) -> str:
        count, height, width = self.images.shape[:3]
        if not count:
            return f"Frames(0 frames, {width}x{height})"
        first, last = float(self.times[0]), float(self.times[-1])
        return f"Frames({count} frames, {width}x{height}, {first:.3f} s to {last:.3f} s)"

    def _repr_html_(self) -> str:
        return sheet_html(self)


@dataclass(frozen=True)
class RecordingInfo:
    """What a recording says of itself, without being read through.

    Attributes:
        width: pixels, as displayed (rotation applied).
        height: pixels, as displayed.
        duration_s: seconds from time zero to the end of the last frame, as the container
            states it; None if it does not. A container may state more than its video has.
        codec: FFmpeg's name of the video codec, such as `h264`.
        start_s: the container's timestamp of time zero, in seconds; subtracted from every time.
        first_frame_s: seconds from time zero to the first frame (above 0 if sound starts first).
        rotation: degrees counterclockwise that frames are turned to stand upright, 0 to 270.
        average_fps: frames a second on average, if the container states it.
        has_audio: whether there is a sound track.
    """

    width: int
    height: int
    duration_s: float | None
    codec: str
    start_s: float
    first_frame_s: float
    rotation: int
    average_fps: float | None
    has_audio: bool
