"""Everything `kolab score` works out, in one record; and the record as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kolab_core.reports.report import to_plain
from kolab_core.scorecard.joining import Column, Joined, Target
from kolab_core.scorecard.predictions import MODALITY_SETTINGS
from kolab_core.scorecard.published import PublishedScore
from kolab_core.scorecard.results import (
    Comparison,
    ScoreOptions,
    compare_files,
    count_column,
    score_baseline,
    score_column,
)

__all__ = ["Scorecard", "card_as_json", "make_card"]


@dataclass(frozen=True)
class Scorecard:
    """The scores of one file or more.

    Attributes:
        options: How they were scored.
        columns: The table's columns, in order.
        num_rows: Column → rows that it can be asked.
        baseline: Column → scores of the constant answer; None without a row.
        files: File name → what became of its lines.
        scores: File name → column → scores; None where it answered nothing.
        counts: File name → column → what its scores are functions of, by participant.
        comparisons: Between every two files; empty for one file.
        published: The paper's cells.
    """

    options: ScoreOptions
    columns: tuple[Column, ...]
    num_rows: Mapping[Column, int]
    baseline: Mapping[Column, dict[str, Any] | None]
    files: Mapping[str, Joined]
    scores: Mapping[str, Mapping[Column, dict[str, Any] | None]]
    counts: Mapping[str, Mapping[Column, dict[str, Any] | None]]
    comparisons: tuple[Comparison, ...]
    published: tuple[PublishedScore, ...]


def make_card(
    files: Mapping[str, Joined],
    *,
    targets: Sequence[Target],
    options: ScoreOptions,
    published: Sequence[PublishedScore] = (),
) -> Scorecard:
    """Score files, and compare every two of them.

    Args:
        files: Joined files by the name to print.
        targets: The config's rows.
        options: How to score.
        published: The paper's cells to print below. With predictions that do not say what the
            model saw, every published setting gets its column.

    Returns:
        The scores.
    """
    found = {column for joined in files.values() for column in joined.answers}
    if published and any(column.modalities is None for column in found):
        found |= {Column(name, None) for name in MODALITY_SETTINGS}
    columns = tuple(sorted(found, key=lambda column: column.order))
    return Scorecard(
        options=options,
        columns=columns,
        num_rows={column: len(column.rows_of(targets)) for column in columns},
        baseline={c: score_baseline(c, targets=targets, options=options) for c in columns},
        files=dict(files),
        scores={
            name: {c: score_column(joined, c, targets=targets, options=options) for c in columns}
            for name, joined in files.items()
        },
        counts={
            name: {c: count_column(joined, c, targets=targets, options=options) for c in columns}
            for name, joined in files.items()
        },
        comparisons=tuple(compare_files(files, targets=targets, options=options)),
        published=tuple(published),
    )


def card_as_json(card: Scorecard) -> dict[str, Any]:
    """The card as builtin values; `nan` is null."""
    columns = [
        {
            "modalities": column.modalities,
            "context_steps": column.context_steps,
            "label": column.label,
            "num_rows": card.num_rows[column],
            "baseline": card.baseline[column],
            "scores": {name: scores[column] for name, scores in card.scores.items()},
            "counts": {name: counts[column] for name, counts in card.counts.items()},
        }
        for column in card.columns
    ]
    comparisons = [
        {
            "models": list(comparison.names),
            "first": comparison.first.label,
            "second": comparison.second.label,
            "num_runs": comparison.num_runs,
            "result": comparison.result,
        }
        for comparison in card.comparisons
    ]
    plain = to_plain(
        {
            "options": card.options,
            "columns": columns,
            "comparisons": comparisons,
            "published": list(card.published),
            "problems": {name: _problem_fields(j) for name, j in card.files.items()},
        }
    )
    return dict(plain)


def _problem_fields(joined: Joined) -> dict[str, Any]:
    return {
        "missing": [
            {"column": column.label, "run": run, "count": len(ids), "ids": ids}
            for column, runs in joined.missing.items()
            for run, ids in runs.items()
            if ids
        ],
        "unknown": {"count": len(joined.unknown), "ids": joined.unknown},
        "duplicate": {"count": len(joined.duplicates), "ids": joined.duplicates},
        "unavailable": [
            {"column": column.label, "count": len(ids), "ids": ids}
            for column, ids in joined.unavailable.items()
        ],
    }
