"""A clip with its frames, as a row gives it that was asked for a number of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kolab_core.clip.value import Clip, no_recording
from kolab_core.sampling import Frames
from kolab_core.sampling.sheet import sheet_html

__all__ = ["DecodedClip"]


class DecodedClip(Clip):
    """A clip that brings its frames: what `VideoClip(num_frames=…)` gives.

    As a mapping it is still the clip's storage, so it survives `map` without its pixels.
    `clip.images` and `clip.times` (or `clip["images"]`, `clip["times"]`) are the arrays, under
    `with_format("torch")` tensors (uint8 and float64 unless the format names a dtype).
    """

    def __init__(self, clip: Clip, frames: Frames | None) -> None:
        dict.__init__(self, clip)
        self._decoded = frames

    @property
    def frames(self) -> Frames:
        """The frames decoded on access of the row; ClipError if there was no recording."""
        if self._decoded is None:
            raise no_recording(next((start for start, _ in self.intervals), 0.0))
        return self._decoded

    @property
    def images(self) -> NDArray[np.uint8]:
        """uint8 [num_frames, H, W, 3], RGB."""
        return self.frames.images

    @property
    def times(self) -> NDArray[np.float64]:
        """float64 [num_frames], seconds of the recording."""
        return self.frames.times

    def converted(self, convert: Callable[[NDArray[Any]], Any]) -> DecodedClip:
        """The same clip with its arrays as another kind (tensors); one without frames stays."""
        if self._decoded is None:
            return self
        return DecodedClip(self, Frames(images=convert(self.images), times=convert(self.times)))

    def __missing__(self, key: str) -> Any:
        if key in ("images", "times"):
            return getattr(self.frames, key)
        raise KeyError(key)

    def _repr_html_(self) -> str:
        if self._decoded is None:
            return super()._repr_html_()
        return sheet_html(self._decoded, title=self._summary())
