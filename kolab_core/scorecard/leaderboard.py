"""Models side by side, from the files that `kolab score --format json` writes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kolab_core.reports.report import Section
from kolab_core.reports.tables import format_cell
from kolab_core.scorecard.bad_lines import BadLine, PredictionsError
from kolab_core.scorecard.published import read_published
from kolab_core.scores.context import DEFAULT_SCORES
from kolab_core.scores.kinds import find_task

__all__ = ["Entry", "Leaderboard", "leaderboard_section", "make_leaderboard"]

_PUBLISHED_NOTE = "paper: published means; their rows are unknown, so are intervals and ranks."
# Of these, less is better.
_ERRORS = ("mae", "mean_cost")
# What all files must have in common, by where it stands in them.
_COMMON = ("config", "release", "invalid", "round", "confidence", "prompt_version")


@dataclass(frozen=True)
class Entry:
    """One model in one setting.

    Attributes:
        model: Its name: that of the file which was scored.
        setting: The column's label.
        result: Its scores, with intervals.
        participants: Whose rows it answered, in the order of `counts`.
        counts: Shape [participants, runs, true, predicted].
        ranks: The lowest and highest rank in its setting that the bootstrap gives.
    """

    model: str
    setting: str
    result: Mapping[str, Any]
    participants: tuple[str, ...]
    counts: NDArray[np.float64]
    ranks: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Leaderboard:
    """Entries by setting, best first.

    Attributes:
        config: The experiment.
        kind: `adoption` or `rating`.
        score: By which entries are sorted.
        confidence: Of the intervals and of the ranges of ranks.
        entries: In order of the settings, and in each of the score.
        notes: What to know of them.
    """

    config: str
    kind: str
    score: str
    confidence: float
    entries: tuple[Entry, ...]
    notes: tuple[str, ...] = field(default=())


def make_leaderboard(
    paths: Sequence[str | Path],
    *,
    score: str | None = None,
    rounds: int = 10_000,
    seed: int = 0,
) -> Leaderboard:
    """Read results and rank their models in each setting.

    In every round whole participants are drawn, the same for all models, and the models ranked by
    their scores on what was drawn; the range of ranks holds the middle of the rounds, as wide as
    the intervals' level. Models that tie share the better rank.

    Args:
        paths: Files of `kolab score --format json`.
        score: By which to rank, one that the results hold an interval of; by default `macro_f1`, or
            `mae`.
        rounds: Bootstrap rounds.
        seed: Of the draws.

    Raises:
        PredictionsError: A file cannot be read or is no result, a model occurs twice in a setting,
            or files are of different experiments, releases, prompts or ways of scoring; every
            problem is named.
    """
    bad: list[BadLine] = []
    cards = [(str(path), card) for path in paths if (card := _read_card(path, bad)) is not None]
    if not bad:
        bad += _find_differences(cards)
    if bad:
        raise PredictionsError(bad)
    about = cards[0][1]["about"]
    score = score or DEFAULT_SCORES[about["kind"]][0]
    entries = [entry for path, card in cards for entry in _read_entries(path, card, bad)]
    seen: set[tuple[str, str]] = set()
    for entry in entries:
        if (entry.model, entry.setting) in seen:
            found = f"{entry.model} in {entry.setting} twice"
            bad.append(BadLine("results", found, "one result of a model in a setting"))
        if f"{score}_low" not in entry.result:
            known = ", ".join(key[:-4] for key in entry.result if key.endswith("_low"))
            bad.append(BadLine("--score", score, f"one of {known}"))
        seen.add((entry.model, entry.setting))
    if bad:
        raise PredictionsError(list(dict.fromkeys(bad)))
    ranked = [
        entry
        for setting in dict.fromkeys(entry.setting for entry in entries)
        for entry in _rank(
            [entry for entry in entries if entry.setting == setting],
            kind=about["kind"],
            score=score,
            level=about["confidence"],
            rounds=rounds,
            rng=np.random.default_rng(seed),
        )
    ]
    notes = _note_rows(ranked)
    return Leaderboard(
        about["config"], about["kind"], score, about["confidence"], tuple(ranked), tuple(notes)
    )


def leaderboard_section(board: Leaderboard, *, published: bool = False) -> Section:
    """The board as a table; the paper's rows of a setting stand at their place, without ranks."""
    level = f"{board.confidence * 100:g} %"
    rows: list[list[object]] = []
    for setting in dict.fromkeys(entry.setting for entry in board.entries):
        block = [
            (entry.result[board.score], _show_entry(entry, position, board.score))
            for position, entry in _number(board, setting)
        ]
        if published:
            block += [
                (cell.mean, ["", f"paper: {cell.model}", "", cell.mean, "", ""])
                for cell in read_published(board.config)
                if cell.score == board.score and cell.modalities == setting
            ]
        block.sort(key=lambda line: _sort_key(line[0], board.score))
        rows.extend(
            [setting if index == 0 else "", *cells] for index, (_, cells) in enumerate(block)
        )
    return Section(
        title=f"{board.config}, by {board.score}",
        columns=["setting", "rank", "model", "n", board.score, f"{level} interval", "ranks"],
        rows=rows,
        notes=[
            f"interval, ranks: {level}; participants are drawn, the same ones for all models.",
            *board.notes,
            *([_PUBLISHED_NOTE] if published else []),
        ],
    )


def _number(board: Leaderboard, setting: str) -> Iterator[tuple[int, Entry]]:
    """Each entry of a setting with its rank; ties share the better one."""
    entries = [entry for entry in board.entries if entry.setting == setting]
    values = [entry.result[board.score] for entry in entries]
    for entry, value in zip(entries, values, strict=True):
        yield values.index(value) + 1, entry


def _show_entry(entry: Entry, rank: int, score: str) -> list[object]:
    value, low, high = (entry.result[f"{score}{end}"] for end in ("", "_low", "_high"))
    interval = "" if low is None else f"[{format_cell(low)}, {format_cell(high)}]"
    first, last = entry.ranks
    ranks = str(first) if first == last else f"{first}–{last}"
    return [str(rank), entry.model, f"{entry.result['n']:g}", value, interval, ranks]


def _sort_key(value: float | None, score: str) -> tuple[bool, float]:
    """Best first; what is undefined last."""
    if value is None:
        return True, 0.0
    return False, value if score.startswith(_ERRORS) else -value


def _read_card(path: str | Path, bad: list[BadLine]) -> dict[str, Any] | None:
    expected = "a result that `kolab score --format json` wrote"
    try:
        card = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as err:
        bad.append(BadLine(str(path), err.strerror or type(err).__name__, "a file"))
        return None
    except (ValueError, RecursionError):
        bad.append(BadLine(str(path), "no JSON", expected))
        return None
    if not isinstance(card, dict) or not isinstance(card.get("about"), dict):
        bad.append(BadLine(str(path), "no result, or one of an older Kolab", expected))
        return None
    return card


def _find_differences(cards: Sequence[tuple[str, Mapping[str, Any]]]) -> Iterator[BadLine]:
    """Files that cannot stand beside the first."""
    (first, reference), *others = cards
    for path, card in others:
        for name in _COMMON:
            mine, wanted = card["about"].get(name), reference["about"].get(name)
            if mine != wanted:
                label = name.replace("_", " ")
                yield BadLine(path, f"{label} {mine}", f"{label} {wanted}, as {first} has")


def _read_entries(path: str, card: Mapping[str, Any], bad: list[BadLine]) -> Iterator[Entry]:
    try:
        for column in card["columns"]:
            for model, result in column["scores"].items():
                if result is None:
                    continue
                counts = column["counts"][model]
                table = np.array(counts["table"], dtype=np.float64)
                if table.ndim != 4 or len(table) != len(counts["participants"]):
                    raise ValueError("table")
                yield Entry(model, column["label"], result, tuple(counts["participants"]), table)
    except (KeyError, TypeError, ValueError, AttributeError):
        bad.append(BadLine(path, "a damaged result", "one that `kolab score` wrote"))


def _rank(
    entries: Sequence[Entry],
    *,
    kind: str,
    score: str,
    level: float,
    rounds: int,
    rng: np.random.Generator,
) -> list[Entry]:
    """The entries of one setting, best first, with their ranges of ranks."""
    people = sorted({person for entry in entries for person in entry.participants})
    place = {person: index for index, person in enumerate(people)}
    shares = np.full(len(people), 1 / len(people))
    weights = rng.multinomial(len(people), shares, size=rounds).astype(np.float64)
    drawn = np.empty((len(entries), rounds))
    for row, entry in enumerate(entries):
        flat = np.zeros((len(people), entry.counts[0].size))
        flat[[place[person] for person in entry.participants]] = entry.counts.reshape(
            len(entry.counts), -1
        )
        counts = (weights @ flat).reshape(rounds, *entry.counts.shape[1:])
        drawn[row] = find_task(kind, ()).scores(counts)[score].mean(axis=1)
    worse_is_more = np.where(np.isnan(drawn), np.inf, drawn)
    if not score.startswith(_ERRORS):
        worse_is_more = np.where(np.isnan(drawn), np.inf, -drawn)
    # A rank is one more than the number of models that are better.
    ranks = 1 + (worse_is_more[None] < worse_is_more[:, None] - 1e-12).sum(axis=1)
    tails = [(1 - level) / 2, (1 + level) / 2]
    ends = np.quantile(ranks, tails, axis=1, method="inverted_cdf").astype(int)
    found = [
        Entry(e.model, e.setting, e.result, e.participants, e.counts, (int(low), int(high)))
        for e, low, high in zip(entries, *ends, strict=True)
    ]
    return sorted(found, key=lambda entry: _sort_key(entry.result[score], score))


def _note_rows(entries: Sequence[Entry]) -> list[str]:
    """A note for each setting whose models did not answer the same number of rows."""
    notes = []
    for setting in dict.fromkeys(entry.setting for entry in entries):
        numbers = {entry.result["n"] for entry in entries if entry.setting == setting}
        if len(numbers) > 1:
            notes.append(
                f"{setting}: models answered {min(numbers):g} to {max(numbers):g} rows; "
                "`kolab compare` takes those that both answered."
            )
    return notes
