"""A scorecard as titled tables with notes: the baseline above, the paper's rows below."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kolab_core.reports.report import Section, format_p
from kolab_core.reports.tables import format_cell
from kolab_core.scorecard.card import Scorecard
from kolab_core.scorecard.joining import Joined
from kolab_core.scorecard.published import PublishedScore
from kolab_core.scorecard.results import TABLE_SCORES, ScoreOptions

__all__ = ["card_sections", "comparison_section"]

_IDS_SHOWN = 5
_ENDS = ("1", "2", "change", "change_low", "change_high")


def card_sections(card: Scorecard) -> list[Section]:
    """The card as titled tables with notes."""
    sections = [_score_section(card)]
    if len(card.files) > 1:
        sections.append(comparison_section(card))
    problems = [line for name, joined in card.files.items() for line in _problems(name, joined)]
    if problems:
        sections.append(Section(title="What does not fit", notes=problems))
    return sections


def _score_section(card: Scorecard) -> Section:
    rows: list[list[object]] = []
    systems = {_baseline_name(card): card.baseline, **card.scores}
    rows.extend(
        [
            [
                "n" if index == 0 else "",
                name,
                *(_show_n(by[c]) if card.num_rows[c] else "0" for c in card.columns),
            ]
            for index, (name, by) in enumerate(systems.items())
        ]
    )
    for score in TABLE_SCORES[card.options.kind]:
        block: list[list[object]] = [
            [name, *(_show_score(by[c], score) for c in card.columns)]
            for name, by in systems.items()
        ]
        block += _published_rows(card, score)
        rows.extend([score if i == 0 else "", *cells] for i, cells in enumerate(block))
    return Section(
        title=f"Scores of {card.options.config}",
        columns=["score", "model", *(column.label for column in card.columns)],
        rows=rows,
        notes=list(_score_notes(card)),
    )


def _baseline_name(card: Scorecard) -> str:
    """What the constant answers are, such as `majority class (adopt)`."""
    key = "majority_class" if card.options.kind == "adoption" else "mode_rating"
    found = {str(result[key]) for result in card.baseline.values() if result is not None}
    name = key.replace("_", " ")
    return f"{name} ({found.pop()})" if len(found) == 1 else name


def _show_n(result: Mapping[str, Any] | None) -> str:
    if result is None:
        return ""
    return _count_rows(result["n"], result.get("n_runs", 1))


def _count_rows(mean: float, num_runs: int) -> str:
    """Rows of one run; of all, where the runs answered different numbers."""
    if num_runs == 1:
        return f"{mean:g}"
    if float(mean).is_integer():
        return f"{mean:g} × {num_runs} runs"
    return f"{mean * num_runs:.0f} in {num_runs} runs"


def _show_score(result: Mapping[str, Any] | None, score: str) -> str:
    """`mean ± std [low, high]`, as far as there are."""
    if result is None:
        return ""
    text = format_cell(result[score])
    if f"{score}_std" in result:
        text += f" ± {format_cell(result[f'{score}_std'])}"
    low, high = result.get(f"{score}_low", math.nan), result.get(f"{score}_high", math.nan)
    if not math.isnan(low):
        text += f" [{format_cell(low)}, {format_cell(high)}]"
    return text


def _published_rows(card: Scorecard, score: str) -> Iterator[list[object]]:
    """The paper's rows of one score that have a cell in a column of the table."""
    cells = {(cell.model, cell.modalities): cell for cell in card.published if cell.score == score}
    for model in dict.fromkeys(cell.model for cell in card.published):
        found = [cells.get((model, column.modalities or "")) for column in card.columns]
        if any(found):
            yield [f"paper: {model}", *(_show_published(cell) for cell in found)]


def _show_published(cell: PublishedScore | None) -> str:
    if cell is None:
        return ""
    std = "" if cell.std is None else f" ± {format_cell(cell.std)}"
    return format_cell(cell.mean) + std


def _score_notes(card: Scorecard) -> Iterator[str]:
    options = card.options
    yield (
        f"[low, high]: {options.confidence * 100:g} % {options.method} interval, "
        f"{options.rounds:,} rounds that resample participants, seed {options.seed}."
    )
    if any("n_runs" in (r or {}) for by in card.scores.values() for r in by.values()):
        yield f"±: standard deviation over runs (ddof={options.ddof})."
    columns_of: dict[str, list[str]] = {}
    for name, by in ((_baseline_name(card), card.baseline), *card.scores.items()):
        for column, result in by.items():
            for note in _result_notes(result or {}, options):
                columns_of.setdefault(f"{name}: {note}", []).append(column.label)
    for note, labels in columns_of.items():
        yield note if len(labels) == len(card.columns) else f"{note} ({'; '.join(labels)})"
    for column, number in card.num_rows.items():
        if not number:
            yield f"{column.label}: no row has these inputs."


def _result_notes(result: Mapping[str, Any], options: ScoreOptions) -> Iterator[str]:
    """A result's notes, but those that are of scores beyond the table alone."""
    for note in result.get("notes", ()):
        names, is_of_rounds, _ = note.partition(": undefined in ")
        if not is_of_rounds or set(names.split(", ")) & set(TABLE_SCORES[options.kind]):
            yield note
    if result.get("n_invalid"):
        runs = result.get("n_runs", 1)
        found, total = result["n_invalid"] * runs, result["n"] * runs
        total += found if options.invalid == "drop" else 0
        yield f"{found:.0f} of {total:.0f} answers invalid (invalid={options.invalid})."


def comparison_section(card: Scorecard, scores: Sequence[str] | None = None) -> Section:
    """The changes between every two files, on the rows that both answered.

    Args:
        card: The scores of two files or more.
        scores: Which to show; all of the table's by default.
    """
    rows, notes = [], []
    for comparison in card.comparisons:
        label = comparison.first.label
        if comparison.first != comparison.second:
            label = f"{label} to {comparison.second.label}"
        result = comparison.result
        models = " to ".join(comparison.names)
        if result is None:
            notes.append(f"{label}, {models}: no row was answered in both in a common run.")
            continue
        notes += [f"{label}, {models}: {note}" for note in result["notes"]]
        rows_of_run = result["n"] / comparison.num_runs
        for index, score in enumerate(scores or TABLE_SCORES[card.options.kind]):
            rows.append(
                [
                    label if index == 0 else "",
                    models if index == 0 else "",
                    _count_rows(rows_of_run, comparison.num_runs) if index == 0 else "",
                    score,
                    *(result[f"{score}_{end}"] for end in _ENDS),
                    format_p(result[f"{score}_permutation_p"]),
                    format_p(result[f"{score}_holm_p"]),
                    format_p(result[f"{score}_bootstrap_p"]),
                    result[f"{score}_detectable"],
                ]
            )
    if not card.comparisons:
        notes.append("No two files share a setting; nothing is compared.")
    notes += [
        "change: second minus first; p values and the interval resample participants.",
        "p Holm: the permutation p, adjusted for the number of pairs of models.",
        "shows from: the true change that rows like these show in 8 of 10 studies.",
    ]
    ends = ("first", "second", "change", "low", "high", "p perm.", "p Holm", "p boot.")
    return Section(
        title="Changes, on the rows that both answered",
        columns=["setting", "models", "n", "score", *ends, "shows from"],
        rows=rows,
        notes=notes,
    )


def _problems(name: str, joined: Joined) -> Iterator[str]:
    """What does not fit, a line each, with counts and the first ids."""
    if joined.unknown:
        yield f"{name}: {_count_ids(joined.unknown, 'unknown')} (not in the config): left out."
    if joined.duplicates:
        yield (
            f"{name}: {_count_ids(joined.duplicates, 'duplicate')} (again in the same run and "
            "setting): the first answer counts."
        )
    for column, ids in joined.unavailable.items():
        yield f"{name}, {column.label}: {_count_ids(ids, 'unavailable')} (an input is not there)."
    for column, runs in joined.missing.items():
        if len(set(runs.values())) == 1 and len(runs) > 1:
            ids = next(iter(runs.values()))
            lines = [("every run", ids)]
        else:
            lines = [(f"run {run}", ids) for run, ids in runs.items()]
        for run_name, ids in lines:
            if ids:
                yield f"{name}, {column.label}, {run_name}: {_count_ids(ids, 'missing')}."


def _count_ids(ids: Mapping[str, int] | Sequence[str], what: str) -> str:
    shown = ", ".join(list(ids)[:_IDS_SHOWN])
    more = f" and {len(ids) - _IDS_SHOWN} more" if len(ids) > _IDS_SHOWN else ""
    text = f"{len(ids)} {what} id{'s' if len(ids) > 1 else ''}"
    if isinstance(ids, Mapping) and sum(ids.values()) > len(ids):
        text += f" on {sum(ids.values())} lines"
    return f"{text}: {shown}{more}"
