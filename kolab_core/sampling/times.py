"""Which times to ask for, and how a time in seconds meets a stream's integer ticks.

Seconds come as float64 (usually whole milliseconds). A frame counts as shown at `t` if its exact
presentation time, cut to a whole nanosecond, is at most `t` rounded to the nearest nanosecond:
a time that a caller computed in floating point meets the frame it stands for, and one tick of
any container (at least a microsecond) earlier does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "as_intervals",
    "centre_times",
    "checked_times",
    "first_tick",
    "last_tick",
    "regular_times",
]

_NANO = 1_000_000_000


def centre_times(intervals: Iterable[Any], num_frames: int) -> NDArray[np.float64]:
    """The centres of `num_frames` equal parts of the intervals' summed duration.

    Args:
        intervals: (start, end) pairs or {"start", "end"} mappings, seconds, half-open, in order.
        num_frames: how many, 0 or more.

    Returns:
        float64 [num_frames], recording seconds, each inside an interval; a centre that falls on
        a seam belongs to the interval that starts there. Empty if `num_frames` is 0 or the
        intervals have no duration.

    Raises:
        ValueError: negative `num_frames`; an interval that ends before it starts or is not finite.
    """
    if num_frames < 0:
        raise ValueError(f"num_frames: found {num_frames}; expected 0 or more.")
    spans = as_intervals(intervals)
    total = sum((end - start for start, end in _exact(spans)), Fraction(0))
    offsets = [total * (2 * k + 1) / (2 * num_frames) for k in range(num_frames)] if total else []
    return _mapped(spans, offsets)


def regular_times(intervals: Iterable[Any], step: float) -> NDArray[np.float64]:
    """One time every `step` seconds of the intervals' summed duration, the first at its start.

    Args:
        intervals: as for `centre_times`.
        step: seconds, above 0; counted in the clip's own duration, so gaps between intervals
            take no step.

    Returns:
        float64 [ceil(duration / step)], recording seconds, each inside an interval. Empty if the
        intervals have no duration.

    Raises:
        ValueError: `step` is not above 0, or an interval is wrong.
    """
    if not (np.isfinite(step) and step > 0):
        raise ValueError(f"step: found {step!r}; expected a finite number of seconds above 0.")
    spans = as_intervals(intervals)
    total = sum((end - start for start, end in _exact(spans)), Fraction(0))
    stride = Fraction(repr(float(step)))
    count = -(-total // stride)
    return _mapped(spans, [stride * k for k in range(int(count))])


def as_intervals(intervals: Iterable[Any]) -> list[tuple[float, float]]:
    """Checked (start, end) pairs of floats from pairs or {"start", "end"} mappings.

    Raises:
        ValueError: an interval that is not finite or ends before it starts.
    """
    spans = []
    for index, one in enumerate(intervals):
        start, end = (one["start"], one["end"]) if isinstance(one, Mapping) else one
        span = (float(start), float(end))
        if not (np.isfinite(span).all() and span[0] <= span[1]):
            raise ValueError(
                f"intervals[{index}]: found {span!r}; expected finite seconds, start at most end."
            )
        spans.append(span)
    return spans


def checked_times(times: ArrayLike) -> NDArray[np.float64]:
    """Times as float64 [N].

    Raises:
        ValueError: not one-dimensional, or not finite.
    """
    array = np.asarray(times, dtype=np.float64)
    if array.ndim != 1:
        raise ValueError(f"times: found shape {array.shape}; expected one dimension.")
    if not np.isfinite(array).all():
        bad = array[~np.isfinite(array)][0]
        raise ValueError(f"times: found {bad!r}; expected finite seconds.")
    return array


def last_tick(time: float, *, zero: Fraction, time_base: Fraction) -> int:
    """The largest timestamp that is shown at or before `time`.

    Args:
        time: recording seconds.
        zero: the container's time of the recording's zero, seconds.
        time_base: seconds a tick.
    """
    behind = (Fraction(round(Fraction(time) * _NANO) + 1, _NANO) + zero) / time_base
    return -(-behind.numerator // behind.denominator) - 1


def first_tick(time: float, *, zero: Fraction, time_base: Fraction) -> int:
    """The smallest timestamp that is not shown before `time`; arguments as for `last_tick`."""
    before = Fraction(round(Fraction(time) * _NANO) - 1, _NANO)
    return int((before + zero) // time_base) + 1


def _exact(spans: Sequence[tuple[float, float]]) -> list[tuple[Fraction, Fraction]]:
    """Seconds as the decimal numbers that their floats stand for."""
    return [(Fraction(repr(start)), Fraction(repr(end))) for start, end in spans]


def _mapped(
    spans: Sequence[tuple[float, float]], offsets: Sequence[Fraction]
) -> NDArray[np.float64]:
    """Offsets into the summed duration (ascending) as recording seconds."""
    times = []
    exact = [(start, end) for start, end in _exact(spans) if end > start]
    position, before = 0, Fraction(0)
    for offset in offsets:
        while offset >= before + exact[position][1] - exact[position][0]:
            before += exact[position][1] - exact[position][0]
            position += 1
        times.append(float(exact[position][0] + offset - before))
    return np.asarray(times, dtype=np.float64)
