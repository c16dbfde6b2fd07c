"""The paper's rows, from the table that the package carries."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from importlib import resources

__all__ = ["PublishedScore", "read_published"]


@dataclass(frozen=True)
class PublishedScore:
    """One cell of the paper's Tables 11 to 14: a mean and, where given, its std over runs."""

    model: str
    modalities: str
    score: str
    mean: float
    std: float | None


def read_published(config: str) -> list[PublishedScore]:
    """The paper's scores of one experiment, in the table's order; empty where it prints none."""
    table = resources.files("kolab_core.scorecard") / "published_results.csv"
    return [
        PublishedScore(
            model=row["model"],
            modalities=row["modalities"],
            score=row["metric"],
            mean=float(row["mean"]),
            std=float(row["std"]) if row["std"] else None,
        )
        for row in csv.DictReader(table.read_text(encoding="utf-8").splitlines())
        if row["experiment"] == config
    ]
