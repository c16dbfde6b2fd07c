"""What a row's `video` is: a lazy cut of one or several intervals out of a recording."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kolab_core.clip.arguments import as_times, check_seconds, check_whole
from kolab_core.clip.storage import encode_clip
from kolab_core.sampling import (
    ClipError,
    Frames,
    centre_times,
    probe,
    regular_times,
    sample_times,
)
from kolab_core.sampling.sheet import note_html, sheet_html, sheet_image
from kolab_core.sampling.times import as_intervals

if TYPE_CHECKING:
    from PIL import Image

    from kolab_core.frames import FrameStore

__all__ = ["Clip", "no_recording"]

_SHEET_FRAMES = 9
_HTML_SIZE = 192
_ROUNDING_S = 2e-9


class Clip(dict[str, Any]):
    """The intervals of a recording; nothing is opened or decoded until frames are asked for.

    It is the mapping `{"path", "bytes", "intervals"}` of its own storage, so that it survives
    `map`, pickling and writing, and holds no open file. Two clips are equal if their storages are;
    a clip never equals a plain dict.

    Window is half-open, `[start, end)` in seconds of the recording. The frame *shown* at t is the
    last whose presentation time is at most t; none at or past an interval's end is ever given.

    Args:
        path: The recording: a local file or anything fsspec opens (`hf://`, `https://`, `zip://`),
            read by ranges. None without a recording; asking for a frame is a ClipError then.
        intervals: (start, end) pairs or {"start", "end"} mappings; None for the whole recording.
        bytes: The recording itself, instead of a path.

    Raises:
        ValueError: An interval that is no pair. Whether it is finite and ends after its start is
            checked when frames are asked for.
    """

    def __init__(
        self,
        path: str | Path | None = None,
        intervals: Iterable[Any] | None = None,
        *,
        bytes: bytes | None = None,
    ) -> None:
        super().__init__(encode_clip({"path": path, "bytes": bytes, "intervals": intervals}) or {})

    @property
    def path(self) -> str | None:
        """The recording's path or URL, None without one."""
        path: str | None = self["path"]
        return path

    @property
    def intervals(self) -> list[tuple[float, float]]:
        """(start, end) in seconds of the recording.

        Of a whole recording (stored as null) this is its extent as its container states it, which
        opens the file (ClipError if that fails); without a recording it is empty.
        """
        stored = self["intervals"]
        if stored is not None:
            return [(span["start"], span["end"]) for span in stored]
        if not self.has_recording:
            return []
        return [(0.0, self._stated_duration())]

    @property
    def duration(self) -> float:
        """The intervals' summed length in seconds."""
        return math.fsum(end - start for start, end in self.intervals)

    @property
    def has_recording(self) -> bool:
        """Whether there is anything to decode (which does not say that it exists or is whole)."""
        return self["path"] is not None or self["bytes"] is not None

    def sample(
        self,
        num_frames: int = 32,
        *,
        size: int | None = None,
        exact: bool = True,
        num_threads: int | None = None,
    ) -> Frames:
        """Frames at the centres of `num_frames` equal parts of the duration.

        Args:
            num_frames: How many; the same frame comes twice if it is shown at two of the centres.
            size: The short side in pixels, aspect kept, both sides even; None for native size.
            exact: False takes the nearest keyframe at or before each time: faster, and the times
                in the result say which frames they are.
            num_threads: Decoding threads; None leaves the choice to the sampler.

        Returns:
            `images` uint8 [num_frames, H, W, 3] RGB and `times` float64 [num_frames]. No frames
            if the intervals have no length.

        Raises:
            ClipError: No recording, or a missing, truncated or undecodable file, with its path,
                the time and the cause.
            TypeError: An argument is no number of the kind named.
            ValueError: An argument or a stored interval is out of range.
        """
        check_whole("num_frames", num_frames)
        times = centre_times(self.intervals, num_frames)
        return self._frames(times, size=size, exact=exact, num_threads=num_threads)

    def at(
        self,
        times: float | ArrayLike,
        *,
        size: int | None = None,
        exact: bool = True,
        num_threads: int | None = None,
    ) -> Frames:
        """The frames shown at these times, in the order asked for.

        Args:
            times: Seconds of the recording, one number or several, each inside an interval (an
                interval's start is inside, its end is not).
            size: As in `sample`.
            exact: As in `sample`.
            num_threads: As in `sample`.

        Raises:
            ClipError: As in `sample`.
            TypeError: As in `sample`.
            ValueError: A time outside the intervals; the message names both.
        """
        asked = as_times(times)
        spans = self._checked_intervals()
        inside = np.array([_inside(float(time), spans) for time in asked], dtype=np.float64)
        return self._frames(inside, size=size, exact=exact, num_threads=num_threads)

    def every(
        self,
        step: float,
        *,
        size: int | None = None,
        exact: bool = True,
        num_threads: int | None = None,
    ) -> Frames:
        """One frame every `step` seconds of the clip's duration, the first at its start.

        Gaps between intervals take no time. Arguments and exceptions are those of `sample`;
        `step` not above 0 is a ValueError.
        """
        check_seconds("step", step)
        times = regular_times(self.intervals, step)
        return self._frames(times, size=size, exact=exact, num_threads=num_threads)

    def sheet(
        self, num_frames: int = _SHEET_FRAMES, *, size: int | None = 240, exact: bool = True
    ) -> Image.Image:
        """A contact sheet: frames spread over the clip, each above the time it is shown from.

        Args:
            num_frames: How many, as in `sample`.
            size: The short side of each frame on the sheet in pixels.
            exact: False takes keyframes, as in `sample`; the times painted are theirs.

        Raises:
            ClipError: As in `sample`.
        """
        return sheet_image(self.sample(num_frames, size=size, exact=exact))

    def save(self, path: str | Path) -> Path:
        """Write the clip as a file of its own: all intervals, one after the other.

        What the file shows at each moment is the frame that the clip shows there (its times are in
        ticks of 1 / 90 000 s, in `.mkv` of 1 ms), encoded anew as H.264; an odd side grows by one
        pixel of its edge. There is no sound. The file appears whole or not at all; one of the same
        name is replaced.

        Args:
            path: Where to; the suffix names the container (`.mp4`, `.mov`, `.mkv`).

        Returns:
            `path`.

        Raises:
            ClipError: As in `sample`; also if the intervals have no length.
            ValueError: The suffix names no container that holds H.264.
            OSError: The place cannot be written to.
        """
        from kolab_core.clip.saving import save_clip

        spans = self._checked_intervals()
        first = next((start for start, _ in spans), 0.0)
        return save_clip(self._source(first), spans, Path(path))

    def __eq__(self, other: object) -> bool:
        # `datasets` decodes a list of clips only if the first one differs from its storage.
        return isinstance(other, Clip) and dict.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None  # a mapping that can change, like dict

    _store: FrameStore | None = None
    _is_strict = False

    def stored_in(self, store: FrameStore | None, *, strict: bool = False) -> Clip:
        """The same clip, which takes the frames that a store has from there.

        Args:
            store: Of `kolab_core.frames`; None decodes again.
            strict: Frames that the store lacks are a `FramesNotStoredError` (a ClipError) instead
                of being decoded.
        """
        clip = type(self).__new__(type(self))
        dict.__init__(clip, self)
        vars(clip).update(vars(self), _store=store, _is_strict=strict)
        return clip

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._summary()})"

    def _repr_html_(self) -> str:
        """The contact sheet with times; where there is no picture, the reason."""
        summary = self._summary()
        try:
            return sheet_html(self.sample(_SHEET_FRAMES, size=_HTML_SIZE), title=summary)
        except (ClipError, ValueError) as err:
            return note_html(str(err), title=summary)

    def _summary(self) -> str:
        """One line, without opening the file."""
        name = self.path if self["bytes"] is None else "recording in memory"
        stored = self["intervals"]
        if stored is None:
            extent = "whole recording"
        else:
            kind = "interval" if len(stored) == 1 else "intervals"
            extent = f"{self.duration:.3f} s in {len(stored)} {kind}"
        return f"{name or 'no recording'} · {extent}"

    def _source(self, first: float) -> Any:
        """What the sampler opens, looking for the frame at `first`; ClipError without anything."""
        if not self.has_recording:
            raise no_recording(first)
        return self["path"] if self["bytes"] is None else self["bytes"]

    def _stated_duration(self) -> float:
        stated = probe(self._source(0.0)).duration_s
        if stated is None:
            raise ClipError(
                self._name, 0.0, "the container states no duration; give the clip intervals"
            )
        return stated

    @property
    def _name(self) -> str:
        return self.path or "<bytes>"

    def _checked_intervals(self) -> list[tuple[float, float]]:
        return as_intervals(self.intervals)

    def _frames(
        self,
        times: NDArray[np.float64],
        *,
        size: int | None,
        exact: bool,
        num_threads: int | None,
    ) -> Frames:
        check_whole("size", size, is_optional=True)
        check_whole("num_threads", num_threads, is_optional=True)
        if self._store is not None and self["bytes"] is None:
            stored = self._store.read(
                self.path,
                times,
                size=size,
                exact=exact,
                strict=self._is_strict,
                num_threads=num_threads,
            )
            if stored is not None:
                return stored
        return sample_times(
            self._source(float(times[0]) if len(times) else 0.0),
            times,
            intervals=self._checked_intervals(),
            size=size,
            exact=exact,
            num_threads=num_threads,
        )


def no_recording(time: float) -> ClipError:
    """What a clip without a recording says when a frame is asked for."""
    return ClipError("clip", time, "no recording: the path is null")


def _inside(time: float, spans: list[tuple[float, float]]) -> float:
    """The time, moved off the end of its interval, since the sampler rounds times to nanoseconds.

    Raises:
        ValueError: No interval holds it.
    """
    ends = [end for start, end in spans if start <= time < end]
    if not ends:
        found = ", ".join(f"[{start}, {end})" for start, end in spans) or "none"
        raise ValueError(
            f"times: found {time} s; expected a time inside the clip's intervals: {found}."
        )
    return min(time, max(ends) - _ROUNDING_S)
