"""The machine-readable strip along a frame's bottom edge: which session, which time.

It is one row of dark and light cells over the whole width of the frame, so that it scales with
the picture: a frame resized to a short side of 224 pixels, or coded with loss, still reads.

    4 start cells | 10 participant | 3 session | 24 milliseconds | 12 checksum | 4 end cells
"""

from __future__ import annotations

import binascii
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["STRIP_HEIGHT", "StripError", "StripReading", "paint_strip", "read_strip"]

STRIP_HEIGHT = 1 / 36
"""The strip's share of the frame's height."""

_START, _END = (1, 0, 1, 0), (0, 1, 0, 1)
_WIDTHS = {"participant": 10, "session": 3, "milliseconds": 24}
_CHECK_WIDTH = 12
_NUM_CELLS = len(_START) + sum(_WIDTHS.values()) + _CHECK_WIDTH + len(_END)
_DARK, _LIGHT = 24, 232
_CLEARLY_DARK, _CLEARLY_LIGHT = 100, 156


class StripError(ValueError):
    """The image shows no strip, or one that cannot be trusted."""


class StripReading(NamedTuple):
    """What a frame says of itself: its session, and its time in seconds of the recording."""

    session_id: str
    seconds: float


def paint_strip(image: npt.NDArray[np.uint8], *, session_id: str, milliseconds: int) -> None:
    """Paint the strip over the bottom rows of a frame, in place.

    Args:
        image: The frame, `[H, W, 3]`; at least 57 pixels wide.
        session_id: `P<number>_S<number>`, the numbers below 1024 and 8.
        milliseconds: Recording time, in `[0, 2**24)` (4.6 hours).

    Raises:
        ValueError: A number that the cells cannot hold, or a name of another form.
    """
    bits = np.array(_encode(session_id, milliseconds), dtype=np.uint8)
    height, width = image.shape[:2]
    cells = np.arange(width) * _NUM_CELLS // width
    row = np.where(bits[cells] == 1, _LIGHT, _DARK).astype(np.uint8)
    image[height - max(1, round(height * STRIP_HEIGHT)) :] = row[None, :, None]


def read_strip(image: npt.NDArray[np.uint8]) -> StripReading:
    """Read which session's frame this is, and its time.

    Args:
        image: A decoded frame, `[H, W, 3]` or `[H, W]`, uint8, whole (not cropped) and upright;
            any size from about a short side of 112 pixels on.

    Returns:
        The session id and the time in seconds of the recording, exact to a millisecond.

    Raises:
        StripError: No strip, a cell that is neither dark nor light, or a wrong checksum; never a
            wrong answer instead (a random strip passes once in 2**20 times).
    """
    luma = image.mean(axis=2) if image.ndim == 3 else image.astype(np.float64)
    height, width = luma.shape
    if width < _NUM_CELLS or height < 1 / STRIP_HEIGHT:
        raise StripError(f"found an image of {width}x{height}; expected at least {_NUM_CELLS}x36.")
    thickness = height * STRIP_HEIGHT
    top, bottom = height - 0.75 * thickness, height - 0.25 * thickness
    rows = luma[int(top) : max(int(top) + 1, int(np.ceil(bottom)))].mean(axis=0)
    cell = width / _NUM_CELLS
    values = np.array([_inner_mean(rows, index * cell, cell) for index in range(_NUM_CELLS)])
    unclear = (values > _CLEARLY_DARK) & (values < _CLEARLY_LIGHT)
    if unclear.any():
        raise StripError(
            f"strip cell {int(np.argmax(unclear))}: found grey {values[unclear][0]:.0f}; "
            "expected dark or light. Is the image a whole frame of a synthetic recording?"
        )
    return _decode([int(value > 128) for value in values])


def _inner_mean(row: npt.NDArray[np.float64], left: float, width: float) -> float:
    """The mean of the pixels whose centres lie in a cell's inner 40 %, at least the middle one."""
    first, last = int(np.ceil(left + 0.3 * width - 0.5)), int(left + 0.7 * width - 0.5)
    if last < first:
        first = last = int(left + 0.5 * width)
    return float(row[first : last + 1].mean())


def _encode(session_id: str, milliseconds: int) -> list[int]:
    participant, _, session = session_id.partition("_")
    if not (participant[:1] == "P" and session[:1] == "S"):
        raise ValueError(f"session id: found {session_id!r}; expected P<number>_S<number>.")
    fields = dict(zip(_WIDTHS, (int(participant[1:]), int(session[1:]), milliseconds), strict=True))
    payload: list[int] = []
    for name, width in _WIDTHS.items():
        if not 0 <= fields[name] < 1 << width:
            raise ValueError(f"{name}: found {fields[name]}; expected 0 to {(1 << width) - 1}.")
        payload += _bits(fields[name], width)
    return [*_START, *payload, *_bits(_checksum(payload), _CHECK_WIDTH), *_END]


def _decode(bits: list[int]) -> StripReading:
    start, end = len(_START), len(bits) - len(_END)
    payload, check = bits[start : end - _CHECK_WIDTH], bits[end - _CHECK_WIDTH : end]
    if tuple(bits[:start]) != _START or tuple(bits[end:]) != _END:
        raise StripError("found no strip along the image's bottom edge; expected one.")
    if _number(check) != _checksum(payload):
        raise StripError("strip: found a wrong checksum; expected the one of its own cells.")
    fields, at = {}, 0
    for name, width in _WIDTHS.items():
        fields[name] = _number(payload[at : at + width])
        at += width
    session_id = f"P{fields['participant']:02d}_S{fields['session']}"
    return StripReading(session_id, fields["milliseconds"] / 1000)


def _checksum(payload: list[int]) -> int:
    return binascii.crc_hqx(bytes(payload), 0xFFFF) & ((1 << _CHECK_WIDTH) - 1)


def _bits(number: int, width: int) -> list[int]:
    return [number >> shift & 1 for shift in reversed(range(width))]


def _number(bits: list[int]) -> int:
    return int("".join(map(str, bits)), 2)
