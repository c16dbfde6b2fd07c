"""Times, read from their decimal text to whole milliseconds so that half-open tests are exact."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation
from functools import lru_cache

__all__ = [
    "Number",
    "Span",
    "format_span",
    "parse_occurrence",
    "parse_seconds",
    "parse_span",
    "to_seconds",
]

_LATEST_MS = 10**12
_SPAN = re.compile(
    r"(\d{2,4}):([0-5]\d):([0-5]\d(?:\.\d+)?)-(\d{2,4}):([0-5]\d):([0-5]\d(?:\.\d+)?)", re.ASCII
)


class Number(float):
    """A JSON number with a fraction or an exponent that remembers how it was written."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> Number:
        """Read `text` as a float and keep it."""
        number = super().__new__(cls, text)
        number.text = text
        return number

    def __reduce__(self) -> tuple[type[Number], tuple[str]]:
        return Number, (self.text,)


@dataclass(frozen=True, order=True)
class Span:
    """A half-open stretch of a recording, `[start, end)`, in whole milliseconds.

    Without length it stands for the instant of its start.
    """

    start: int
    end: int

    def contains(self, time: int) -> bool:
        """Whether `time` lies inside (an instant contains its own start)."""
        return self.start <= time < self.end or self.start == time == self.end

    def overlaps(self, other: Span) -> bool:
        """Whether this occurrence shows inside the window part `other` (which has a length)."""
        if self.start == self.end:
            return other.start <= self.start < other.end
        return self.start < other.end and other.start < self.end


def parse_seconds(value: object) -> int:
    """A JSON number of seconds as milliseconds: the nearest, by its decimal text, ties to even.

    Raises:
        ValueError: Not a number, negative, or beyond a billion seconds.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("not a number")
    if value < 0:
        raise ValueError("negative")
    milliseconds = _to_milliseconds(getattr(value, "text", None) or str(value))
    if milliseconds > _LATEST_MS:
        raise ValueError("out of range")
    return milliseconds


@lru_cache(maxsize=4096)  # a response quotes the times of nodes
def parse_span(text: str) -> Span:
    """`HH:MM:SS[.mmm]-HH:MM:SS[.mmm]` as a `Span` (whose end may still lie before its start).

    Raises:
        ValueError: Another format.
    """
    match = _SPAN.fullmatch(text)
    if match is None:
        raise ValueError("not a span")
    hours, minutes, seconds, end_hours, end_minutes, end_seconds = match.groups()
    return Span(
        start=(int(hours) * 3600 + int(minutes) * 60) * 1000 + _to_milliseconds(seconds),
        end=(int(end_hours) * 3600 + int(end_minutes) * 60) * 1000 + _to_milliseconds(end_seconds),
    )


def parse_occurrence(text: object) -> Span:
    """`parse_span` of an occurrence, whose end is not before its start.

    Raises:
        ValueError: Another format or order; the message says what is expected.
    """
    try:
        span = parse_span(text if isinstance(text, str) else "")
    except ValueError as err:
        raise ValueError("a span HH:MM:SS[.mmm]-HH:MM:SS[.mmm]") from err
    if span.end < span.start:
        raise ValueError("an end that is not before the start")
    return span


def format_span(span: Span) -> str:
    """A span as `parse_span` reads it; milliseconds only where there are some.

    >>> format_span(Span(5_000, 70_250))
    '00:00:05-00:01:10.250'
    """
    return f"{_format_clock(span.start)}-{_format_clock(span.end)}"


def to_seconds(milliseconds: int) -> float:
    """Milliseconds as the float of seconds that a row shows."""
    return milliseconds / 1000


def _format_clock(time: int) -> str:
    seconds, milliseconds = divmod(time, 1000)
    minutes, seconds = divmod(seconds, 60)
    fraction = f".{milliseconds:03d}" if milliseconds else ""
    return f"{minutes // 60:02d}:{minutes % 60:02d}:{seconds:02d}{fraction}"


def _to_milliseconds(text: str) -> int:
    whole, point, fraction = text.partition(".")
    if whole.isdecimal() and len(fraction) <= 3 and (fraction.isdecimal() or not point):
        return int(whole) * 1000 + int(fraction.ljust(3, "0"))
    try:
        sign, digits, exponent = Decimal(text).as_tuple()
        exact = Decimal((sign, digits, int(exponent) + 3))  # scaleb() would round to 28 digits
    except InvalidOperation as err:  # an exponent of twenty digits
        raise ValueError("out of range") from err
    if exact and exact.adjusted() > 15:
        return _LATEST_MS + 1 if exact > 0 else -1
    return int(exact.to_integral_value(rounding=ROUND_HALF_EVEN))
