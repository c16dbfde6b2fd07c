"""What intervals cost, beside a loop over scikit-learn, SciPy and NumPy.

In one run, ours and the loop by turns, medians of several: a cluster bootstrap of all scores of
`kolab_adoption` against a loop that draws participants and calls scikit-learn, and of all those of
`kolab_rating` against a loop that calls SciPy (rho and its p) and NumPy (the rest); percentile
intervals both, on 692 rows of 50 participants with answers as a model writes them, parsed by us in
the time that is shown. The loop runs a share of the rounds (`--share`), and its time is scaled. The
ends of both intervals are compared, too. Peak memory is that of a fresh process.

Run: python scripts/bench_scores.py
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from kolab_core.reports.tables import render_table
from kolab_core.scores import BANDS, LABELS, adoption_scores, rating_scores

__all__ = ["main"]

ROWS, PARTICIPANTS, ROUNDS = 692, 50, 10_000
CONFIDENCE = 0.95
ADOPTION_BAR, RATING_BAR, MEMORY_BAR_MB = 200, 60, 300
SPELLINGS = (("ADOPT", "Adopt."), ("MODIFY", "They would modify it"), ("REJECT/BYPASS", "reject"))

Codes = NDArray[np.int64]
Scores = dict[str, float]


@dataclass(frozen=True)
class Study:
    """True values and answers of one task, as codes and as a model writes them."""

    true: Codes
    predicted: Codes
    answers: list[str]
    groups: Codes


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table; 0 if every bar holds."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5, help="runs of each measurement")
    parser.add_argument("--share", type=int, default=10, help="the loop runs 1 of so many rounds")
    parser.add_argument("--memory", choices=("adoption", "rating"), help="run ours once and stop")
    options = parser.parse_args(argv)
    if options.memory:
        _score(options.memory, _make_study(options.memory))
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
        return 0
    rows = [
        _measure(task, bar=bar, repeats=options.repeats, share=options.share)
        for task, bar in (("adoption", ADOPTION_BAR), ("rating", RATING_BAR))
    ]
    columns = [
        "task",
        "ours, s",
        "loop, s",
        "ratio",
        "at least",
        "peak, MB",
        "below",
        "ends differ",
    ]
    print(f"{ROUNDS} rounds, {ROWS} rows, {PARTICIPANTS} participants")
    print(render_table(columns, rows))
    return 0 if all(row[3] >= row[4] and row[5] < row[6] for row in rows) else 1


def _measure(task: str, *, bar: int, repeats: int, share: int) -> list[Any]:
    study = _make_study(task)
    loop_rounds = max(1, ROUNDS // share)
    ours, loop = [], []
    result: dict[str, Any] = {}
    drawn: list[Scores] = []
    for _ in range(repeats):
        seconds, result = _time(lambda: _score(task, study))
        ours.append(seconds)
        seconds, drawn = _time(lambda: _loop(task, study, rounds=loop_rounds))
        loop.append(seconds * ROUNDS / loop_rounds)
    seconds, theirs = statistics.median(ours), statistics.median(loop)
    command = [sys.executable, __file__, "--memory", task]
    peak = float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return [
        f"kolab_{task}",
        seconds,
        theirs,
        round(theirs / seconds),
        bar,
        round(peak),
        MEMORY_BAR_MB,
        _largest_gap(result, drawn),
    ]


def _time(call: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def _make_study(task: str) -> Study:
    """Answers that are right in a share of the rows, with the paper's shares of true values."""
    rng = np.random.default_rng(20)
    shares = [0.659, 0.191, 0.150] if task == "adoption" else [0.02, 0.04, 0.09, 0.31, 0.54]
    true = rng.choice(len(shares), size=ROWS, p=shares)
    predicted = np.where(rng.random(ROWS) < 0.5, true, rng.choice(len(shares), size=ROWS))
    if task == "adoption":
        answers = [SPELLINGS[code][row % 2] for row, code in enumerate(predicted)]
    else:
        true, predicted = true + 1, predicted + 1
        answers = [f"Rating: {rating}" for rating in predicted]
    return Study(true, predicted, answers, rng.integers(PARTICIPANTS, size=ROWS))


def _score(task: str, study: Study) -> dict[str, Any]:
    score = adoption_scores if task == "adoption" else rating_scores
    return score(
        study.answers, study.true, confidence=CONFIDENCE, groups=study.groups, rounds=ROUNDS
    )


def _loop(task: str, study: Study, *, rounds: int) -> list[Scores]:
    """Each score in each round, by drawing the rows of participants."""
    rng = np.random.default_rng(21)
    score = _score_with_sklearn if task == "adoption" else _score_with_scipy
    rows_of = [np.flatnonzero(study.groups == group) for group in np.unique(study.groups)]
    result = []
    for _ in range(rounds):
        drawn = rng.integers(len(rows_of), size=len(rows_of))
        rows = np.concatenate([rows_of[group] for group in drawn])
        result.append(score(study.true[rows], study.predicted[rows]))
    for name in result[0]:
        values = [scores[name] for scores in result]
        np.nanquantile(values, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return result


def _score_with_sklearn(true: Codes, predicted: Codes) -> Scores:
    from sklearn import metrics

    labels = [0, 1, 2]
    each = metrics.precision_recall_fscore_support(true, predicted, labels=labels, zero_division=0)
    table = metrics.confusion_matrix(true, predicted, labels=labels)
    scores = {"accuracy": metrics.accuracy_score(true, predicted)}
    for name, values in zip(("precision", "recall", "f1"), each[:3], strict=True):
        scores[f"macro_{name}"] = values.mean()
        scores |= {f"{name}_{label}": values[i] for i, label in enumerate(LABELS)}
    shares = table / np.maximum(table.sum(axis=1, keepdims=True), 1)
    for i, label in enumerate(LABELS):
        scores |= {f"share_{p}_given_{label}": shares[i, j] for j, p in enumerate(LABELS)}
    return scores


def _score_with_scipy(true: Codes, predicted: Codes) -> Scores:
    errors = np.abs(true - predicted)
    rho = stats.spearmanr(predicted, true)
    scores = {
        "mae": errors.mean(),
        "exact_accuracy": (errors == 0).mean(),
        "within_1_accuracy": (errors <= 1).mean(),
        "spearman_rho": rho.statistic,
        "spearman_p": rho.pvalue,
    }
    for name, band in BANDS.items():
        found = errors[(true >= band[0]) & (true <= band[-1])]
        scores[name] = found.mean() if found.size else np.nan
    for rating in range(1, 6):
        found = predicted[true == rating]
        scores[f"mean_prediction_{rating}"] = found.mean() if found.size else np.nan
    return scores


def _largest_gap(result: dict[str, Any], drawn: list[Scores]) -> float:
    """The largest distance between the ends of our intervals and of the loop's."""
    gaps = []
    for name in drawn[0]:
        if f"{name}_low" in result:
            values = [scores[name] for scores in drawn]
            ends = np.nanquantile(values, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
            gaps += [abs(ends[0] - result[f"{name}_low"]), abs(ends[1] - result[f"{name}_high"])]
    return float(max(gaps))


if __name__ == "__main__":
    sys.exit(main())
