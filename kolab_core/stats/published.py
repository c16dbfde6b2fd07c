"""The figures that the paper states of its release, from the table that the package carries."""

from __future__ import annotations

import csv
from functools import cache
from importlib import resources

__all__ = ["read_published_counts"]


@cache
def read_published_counts() -> dict[str, float]:
    """Figure → its published value: numbers, shares from 0 to 1, hours, or minutes of a clip.

    Figures are called `steps`, `label/sector/Legal/adopt`, `rating/collaboration/5` or
    `clip/adoption_forecast/mean`.
    """
    table = resources.files("kolab_core.stats") / "published_counts.csv"
    lines = table.read_text(encoding="utf-8").splitlines()
    return {row["figure"]: float(row["value"]) for row in csv.DictReader(lines)}
