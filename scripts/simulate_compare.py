"""Whether comparisons of models hold what they promise, in studies whose truth is known.

Of 50 participants and about 692 rows: two models that are equally good, whose p should be uniform;
five of them, of which Holm's p should call any two different in at most 5 of 100 studies; and pairs
of which the second is better and better, to see from which difference on 80 of 100 studies show it,
beside the `detectable` that a single study gives.

Run: python scripts/simulate_compare.py [--studies 1000]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy import stats

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from kolab_core.reports.tables import render_table
from kolab_core.scores import compare_models, compare_predictions
from kolab_core.scores.context import POWER
from scripts.simulate_intervals import (
    ADOPTION_STUDY,
    Codes,
    Design,
    answer_labels,
)

__all__ = ["main"]

PARTICIPANTS, LEVEL = 50, 0.05
CORRELATIONS = (0.0, 0.1, 0.3)
# Raised log-odds of the second model.
STEPS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
# Of these, a chance of 1 in 1000 for each look.
LEAST_UNIFORM_P = 0.001


def main(argv: Sequence[str] | None = None) -> int:
    """Print the three tables; 0 if p is uniform and Holm keeps the family's error."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--studies", type=int, default=1000, help="of each line")
    parser.add_argument("--rounds", type=int, default=500, help="of each test")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(argv)
    rng = np.random.default_rng(options.seed)
    null = [_run_null(icc, options, rng) for icc in CORRELATIONS]
    print(f"equal models, {options.studies} studies: p should be uniform")
    print(render_table(["ICC", "p ≤ 0.05", "p ≤ 0.2", "p ≤ 0.5", "KS p"], null))
    family = [_run_family(icc, options, rng) for icc in CORRELATIONS]
    print(f"five equal models: studies with any pair at {LEVEL}")
    print(render_table(["ICC", "unadjusted", "Holm", "at most"], family))
    print("a better second model, macro-F1")
    power = [line for icc in CORRELATIONS for line in _run_power(icc, options, rng)]
    columns = ["ICC", "true difference", "power", "detectable, mean"]
    print(render_table(columns, power))
    is_uniform = all(line[-1] > LEAST_UNIFORM_P for line in null)
    return 0 if is_uniform and all(line[2] <= line[3] for line in family) else 1


def _draw(
    correlation: float, shifts: Sequence[float], rng: np.random.Generator, num: int = PARTICIPANTS
) -> tuple[Codes, Codes, list[Codes]]:
    """Participants and true labels, and the answers of a model for each shift of its log-odds.

    Half of a participant's luck is common to all models.
    """
    person, cells = ADOPTION_STUDY.draw_study(Design(num, correlation, skewed=True), rng)
    true = cells // ADOPTION_STUDY.shape[1]
    spread = np.sqrt(np.pi**2 / 3 * correlation / (1 - correlation) / 2)
    common = rng.normal(0, spread, num)
    answers = [
        answer_labels(true, (common + rng.normal(0, spread, num))[person] + shift, rng)
        for shift in shifts
    ]
    return person, true, answers


def _run_null(
    correlation: float, options: argparse.Namespace, rng: np.random.Generator
) -> list[float]:
    found = []
    for _ in range(options.studies):
        person, true, (first, second) = _draw(correlation, (0.0, 0.0), rng)
        result = compare_predictions(
            first, second, true, kind="adoption", groups=person, rounds=options.rounds, rng=rng
        )
        found.append(result["macro_f1_permutation_p"])
    p = np.array(found)
    shares = [float(np.mean(p <= level)) for level in (0.05, 0.2, 0.5)]
    return [correlation, *shares, float(stats.kstest(p, "uniform").pvalue)]


def _run_family(
    correlation: float, options: argparse.Namespace, rng: np.random.Generator
) -> list[float]:
    plain = adjusted = 0
    # Ten pairs a study, so a fifth of the studies.
    studies = max(1, options.studies // 5)
    for _ in range(studies):
        person, true, answers = _draw(correlation, (0.0,) * 5, rng)
        pairs = compare_models(
            dict(zip("abcde", answers, strict=True)),
            true,
            kind="adoption",
            groups=person,
            rounds=options.rounds,
            rng=rng,
        )
        plain += min(pair["macro_f1_permutation_p"] for pair in pairs) <= LEVEL
        adjusted += min(pair["macro_f1_holm_p"] for pair in pairs) <= LEVEL
    # What chance allows, in 999 of 1000 looks.
    most = stats.binom.ppf(0.999, studies, LEVEL) / studies
    return [correlation, plain / studies, adjusted / studies, float(most)]


def _run_power(
    correlation: float, options: argparse.Namespace, rng: np.random.Generator
) -> list[list[float]]:
    lines = []
    for step in STEPS:
        _, true, (first, second) = _draw(correlation, (0.0, step), rng, num=20_000)
        cells = [true * 4 + answers for answers in (first, second)]
        counts = np.stack([np.bincount(c, minlength=12).astype(np.float64) for c in cells])
        low, high = ADOPTION_STUDY.score(counts)["macro_f1"]
        detected, detectable = 0, []
        studies = max(1, options.studies // 5)
        for _ in range(studies):
            person, true, (first, second) = _draw(correlation, (0.0, step), rng)
            result = compare_predictions(
                first, second, true, kind="adoption", groups=person, rounds=options.rounds, rng=rng
            )
            detected += result["macro_f1_permutation_p"] <= LEVEL
            detectable.append(result["macro_f1_detectable"])
        lines.append([correlation, high - low, detected / studies, float(np.mean(detectable))])
        if detected / studies > (1 + POWER) / 2:
            break
    return lines


if __name__ == "__main__":
    sys.exit(main())
