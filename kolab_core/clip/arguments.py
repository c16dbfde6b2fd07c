"""What callers hand to a clip, checked before anything is opened: a wrong type is a TypeError."""

from __future__ import annotations

import numbers

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kolab_core.release import show_value

__all__ = ["as_times", "check_seconds", "check_whole"]


def check_whole(name: str, value: object, *, is_optional: bool = False) -> None:
    """Whether `value` is a whole number, or None where that is allowed.

    Raises:
        TypeError: It is not; the message names the argument.
    """
    if value is None and is_optional:
        return
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        expected = "a whole number, or None" if is_optional else "a whole number"
        raise TypeError(f"{name}: found {show_value(value)}; expected {expected}.")


def check_seconds(name: str, value: object) -> None:
    """Whether `value` is a number.

    Raises:
        TypeError: It is not; the message names the argument.
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name}: found {show_value(value)}; expected a number of seconds.")


def as_times(times: float | ArrayLike) -> NDArray[np.float64]:
    """One number of seconds, or a flat sequence of them, as float64 [N].

    Raises:
        TypeError: Not numbers.
        ValueError: A sequence of sequences.
    """
    expected = "a number of seconds or a flat sequence of them"
    try:
        array = np.atleast_1d(np.asarray(times, dtype=np.float64))
    except (TypeError, ValueError) as err:
        raise TypeError(f"times: found {show_value(times)}; expected {expected}.") from err
    if array.ndim != 1:
        raise ValueError(f"times: found an array of shape {array.shape}; expected {expected}.")
    return array
