"""Mean, spread and largest of whole numbers, exact until the last division."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

__all__ = ["Moments", "describe", "describe_counts"]


@dataclass(frozen=True)
class Moments:
    """What a list of numbers comes to.

    Attributes:
        num: How many.
        mean: `nan` without any.
        sd: Standard deviation with n - 1; `nan` with fewer than two.
        largest: `nan` without any.
        total: Their sum.
    """

    num: int
    mean: float
    sd: float
    largest: float
    total: float


def describe(values: Iterable[int], *, unit: int = 1) -> Moments:
    """The moments of whole numbers, in units of `unit`.

    Examples:
        >>> describe([60, 120, 180], unit=60)
        Moments(num=3, mean=2.0, sd=1.0, largest=3.0, total=6.0)
        >>> describe([]).mean
        nan
    """
    counts: dict[int, int] = {}
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    return describe_counts(counts, unit=unit)


def describe_counts(counts: Mapping[int, int], *, unit: int = 1) -> Moments:
    """The moments of value → how often, in units of `unit`."""
    num = sum(counts.values())
    total = sum(value * count for value, count in counts.items())
    squares = sum(value * value * count for value, count in counts.items())
    if not num:
        return Moments(0, math.nan, math.nan, math.nan, 0.0)
    spread = num * squares - total * total
    return Moments(
        num=num,
        mean=total / num / unit,
        sd=math.sqrt(spread / (num * (num - 1))) / unit if num > 1 else math.nan,
        largest=max(value for value, count in counts.items() if count) / unit,
        total=total / unit,
    )
