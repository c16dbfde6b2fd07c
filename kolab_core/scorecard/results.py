"""The scores of joined predictions, of the baseline, and of the change between two files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from kolab_core.scorecard.bad_lines import BadLine, PredictionsError
from kolab_core.scorecard.joining import Column, Joined, Target
from kolab_core.scorecard.predictions import Prediction
from kolab_core.scores import (
    KIND_OF_CONFIG,
    adoption_scores,
    baseline_scores,
    compare_predictions,
    parse_label,
    parse_rating,
    rating_scores,
)
from kolab_core.scores.kinds import find_task
from kolab_core.scores.pairs import add_holm_p
from kolab_core.scores.parsing import FractionalRatingError
from kolab_core.scores.scoring import participant_counts

__all__ = [
    "TABLE_SCORES",
    "Comparison",
    "ScoreOptions",
    "check_answers",
    "compare_files",
    "count_column",
    "score_baseline",
    "score_column",
]

# The columns of the paper's tables 11 to 14.
TABLE_SCORES = {
    "adoption": (
        "macro_precision",
        "macro_recall",
        "macro_f1",
        "f1_adopt",
        "f1_modify",
        "f1_reject",
    ),
    "rating": (
        "mae",
        "exact_accuracy",
        "within_1_accuracy",
        "spearman_rho",
        "mae_low_1_2",
        "mae_moderate_3",
        "mae_moderately_high_4",
        "mae_high_5",
    ),
}


@dataclass(frozen=True)
class ScoreOptions:
    """How to score one of the six experiments, by the scoring functions' own options."""

    config: str
    invalid: str = "wrong"
    round: bool = False
    confidence: float = 0.95
    method: str = "expanded"
    rounds: int = 10_000
    seed: int = 0
    ddof: int = 1

    @property
    def kind(self) -> str:
        """`adoption` or `rating`."""
        return KIND_OF_CONFIG[self.config]

    @property
    def resampling(self) -> dict[str, Any]:
        """The options of the intervals."""
        return {
            "confidence": self.confidence,
            "method": self.method,
            "rounds": self.rounds,
            "rng": self.seed,
        }


@dataclass(frozen=True)
class Comparison:
    """Two files on the rows that both answered.

    Attributes:
        names: Of the files.
        first: The first file's column.
        second: The second's: the same, unless each file has one only.
        num_runs: Runs that both have.
        result: What `compare_predictions` gives; None where no row is in common.
    """

    names: tuple[str, str]
    first: Column
    second: Column
    num_runs: int
    result: dict[str, Any] | None


def check_answers(predictions: Sequence[Prediction], options: ScoreOptions) -> None:
    """Refuse the answers that these options do not allow, all at once, with their lines.

    Raises:
        PredictionsError: Answers to another experiment, fractional ratings without `round`, or
            invalid answers with `invalid="error"`.
    """
    _check_config(predictions, options.config)
    bad = []
    for line in predictions:
        try:
            if options.kind == "adoption":
                found, expected = parse_label(line.answer), "one of adopt, modify and reject"
            else:
                found = parse_rating(line.answer, round=options.round)
                expected = "a whole number from 1 to 5"
        except FractionalRatingError:
            expected, hint = "a whole number from 1 to 5", "--round rounds it."
            bad.append(BadLine(line.place, f"prediction {line.answer!r:.80}", expected, hint))
        else:
            if found is None and options.invalid == "error":
                bad.append(BadLine(line.place, f"prediction {line.answer!r:.80}", expected))
    if bad:
        raise PredictionsError(bad)


def _check_config(predictions: Sequence[Prediction], config: str) -> None:
    """One line for a whole file of another experiment."""
    for line in predictions:
        if line.config not in (None, config):
            found, hint = f"an answer to {line.config}", f"--config {line.config} scores them."
            raise PredictionsError([BadLine(line.place, found, f"answers to {config}", hint)])


def score_column(
    joined: Joined, column: Column, *, targets: Sequence[Target], options: ScoreOptions
) -> dict[str, Any] | None:
    """The scores of one file in one column, each run on the rows it answered.

    They are what `adoption_scores` or `rating_scores` gives, with `_std` for several runs; None
    where nothing was answered.
    """
    given = _answered_rows(joined, column, targets)
    if given is None:
        return None
    rounding: dict[str, Any] = {"round": options.round} if options.kind == "rating" else {}
    score = rating_scores if options.kind == "rating" else adoption_scores
    return score(
        **given,
        invalid=options.invalid,
        ddof=options.ddof,
        **options.resampling,
        **rounding,
    )


def count_column(
    joined: Joined, column: Column, *, targets: Sequence[Target], options: ScoreOptions
) -> dict[str, Any] | None:
    """What `score_column`'s scores are functions of: each participant's counts.

    `participants`, sorted, and `table`: by participant, run, true and predicted value; None where
    nothing was answered.
    """
    given = _answered_rows(joined, column, targets)
    if given is None:
        return None
    task = find_task(options.kind, ())
    people, table = participant_counts(task, **given, invalid=options.invalid, round=options.round)
    return {"participants": people, "table": table.tolist()}


def _answered_rows(
    joined: Joined, column: Column, targets: Sequence[Target]
) -> dict[str, Any] | None:
    """The inputs of a score: each run on the rows it answered; None without any."""
    runs = {run: given for run, given in joined.answers.get(column, {}).items() if given}
    rows = [
        (target, run, given[target.id])
        for run, given in runs.items()
        for target in targets
        if target.id in given
    ]
    if not rows:
        return None
    return {
        "predictions": [answer for _, _, answer in rows],
        "references": [target.answer for target, _, _ in rows],
        "groups": [target.participant_id for target, _, _ in rows],
        "runs": [run for _, run, _ in rows] if len(runs) > 1 else None,
    }


def score_baseline(
    column: Column, *, targets: Sequence[Target], options: ScoreOptions
) -> dict[str, Any] | None:
    """The constant answer on all rows of a column; None where it has none."""
    rows = column.rows_of(targets)
    if not rows:
        return None
    return baseline_scores(
        [target.answer for target in rows],
        kind=options.kind,
        groups=[target.participant_id for target in rows],
        **options.resampling,
    )


def compare_files(
    files: Mapping[str, Joined], *, targets: Sequence[Target], options: ScoreOptions
) -> list[Comparison]:
    """The change between every two files, column by column; p is adjusted over the pairs.

    Columns that both have are compared with each other; where they share none and each has only
    one, those two are (another setting, or in `step_n` more context): rows are then matched by
    their question. Runs are paired by number; one run each is a pair whatever its number.
    Nothing is compared where no columns pair up.
    """
    comparisons = []
    for names in combinations(files, 2):
        first, second = (files[name] for name in names)
        pairs = [(column, column) for column in first.answers if column in second.answers]
        if not pairs and len(first.answers) == len(second.answers) == 1:
            pairs = [(next(iter(first.answers)), next(iter(second.answers)))]
        comparisons += [
            _compare_columns(names, first, second, pair, targets, options) for pair in pairs
        ]
    by_columns: dict[tuple[Column, Column], list[dict[str, Any]]] = {}
    for comparison in comparisons:
        if comparison.result is not None:
            key = (comparison.first, comparison.second)
            by_columns.setdefault(key, []).append(comparison.result)
    for results in by_columns.values():
        add_holm_p(results)
    return comparisons


def _compare_columns(
    names: tuple[str, str],
    first: Joined,
    second: Joined,
    pair: tuple[Column, Column],
    targets: Sequence[Target],
    options: ScoreOptions,
) -> Comparison:
    runs_of_first, runs_of_second = first.answers[pair[0]], second.answers[pair[1]]
    runs = [(run, run) for run in runs_of_first if run in runs_of_second]
    if len(runs_of_first) == len(runs_of_second) == 1:
        runs = [(next(iter(runs_of_first)), next(iter(runs_of_second)))]
    id_of = {t.question: t.id for t in targets if t.context_steps == pair[1].context_steps}
    rows = []
    for run, other_run in runs:
        given, other = runs_of_first[run], runs_of_second[other_run]
        for target in targets:
            other_id = id_of.get(target.question)
            if target.id in given and other_id is not None and other_id in other:
                rows.append((target, run, given[target.id], other[other_id]))
    result = None
    if rows:
        result = compare_predictions(
            [row[2] for row in rows],
            [row[3] for row in rows],
            [row[0].answer for row in rows],
            kind=options.kind,
            scores=TABLE_SCORES[options.kind],
            groups=[row[0].participant_id for row in rows],
            runs=[row[1] for row in rows] if len(runs) > 1 else None,
            invalid=options.invalid,
            round=options.round,
            **options.resampling,
        )
    return Comparison(names, pair[0], pair[1], len(runs), result)
