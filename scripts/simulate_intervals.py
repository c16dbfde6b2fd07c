"""How often the intervals hold the truth, in studies whose truth is known.

A study is drawn as the benchmark's are: some participants, each with rows of its own (14 each, or
skewed: 1 to 60 and more), whose answers go together as the intra-class correlation says, in true
labels or ratings as in a model's luck with them. The truth is the score of 200,000 participants
drawn alike. For each method the share of studies whose interval holds it is printed, and the mean
width; the standard error of a share of 2,000 studies is 0.005.

Run: python scripts/simulate_intervals.py [--studies 2000] [--participants 25 50]
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtri

from kolab_core.reports.tables import render_table
from kolab_core.scores.adoption import ADOPTION
from kolab_core.scores.bootstrap import METHODS, Resampling, cluster_counts, cluster_intervals
from kolab_core.scores.rating import RATING
from kolab_core.scores.tasks import Task

__all__ = [
    "ADOPTION_STUDY",
    "RATING_STUDY",
    "Codes",
    "Design",
    "StudyKind",
    "answer_labels",
    "main",
]

PARTICIPANTS = (10, 25, 50, 100)
CORRELATIONS = (0.0, 0.1, 0.3)
CONFIDENCE, TOLERANCE = 0.95, 0.01
ROWS_EACH, INVALID = 14, 0.02
TRUTH_PARTICIPANTS, TRUTH_BLOCK = 200_000, 20_000
# Of the latent scales: that of a logistic variable, and that of a standard normal one.
LOGISTIC_VARIANCE, NORMAL_VARIANCE = np.pi**2 / 3, 1.0
LABEL_SHARES, RATING_SHARES = (0.45, 0.38, 0.17), (0.018, 0.02, 0.055, 0.217, 0.69)

Codes = NDArray[np.intp]


@dataclass(frozen=True)
class Design:
    """What a study is drawn from: its participants, how alike their rows are, how uneven."""

    participants: int
    correlation: float
    skewed: bool


@dataclass(frozen=True)
class StudyKind:
    """A task, the scores looked at, and how true values and answers are drawn."""

    task: Task
    scores: tuple[str, ...]
    draw: Callable[[Codes, Design, np.random.Generator], tuple[Codes, Codes]]

    @property
    def shape(self) -> tuple[int, int]:
        """True values by answers; the last answer is the invalid one."""
        return len(self.task.values), len(self.task.values) + 1

    def score(self, flat: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        """The scores of counts of shape [..., cells]."""
        scores = self.task.scores(flat.reshape(-1, *self.shape))
        return {name: scores[name] for name in self.scores}

    def draw_study(self, design: Design, rng: np.random.Generator) -> tuple[Codes, Codes]:
        """For each row its participant and its cell of the table of counts."""
        num = design.participants
        sizes = np.full(num, ROWS_EACH)
        if design.skewed:
            sizes = 1 + rng.poisson((ROWS_EACH - 1) * np.exp(rng.normal(-0.32, 0.8, num)))
        person = np.repeat(np.arange(num), sizes)
        true, answers = self.draw(person, design, rng)
        answers = np.where(rng.random(len(person)) < INVALID, self.shape[1] - 1, answers)
        return person, true * self.shape[1] + answers


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table; 0 if the default method is near its promise from 25 participants up."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--studies", type=int, default=2000, help="of each cell")
    parser.add_argument("--rounds", type=int, default=1000, help="of each bootstrap")
    parser.add_argument("--participants", type=int, nargs="+", default=PARTICIPANTS)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(argv)
    rng = np.random.default_rng(options.seed)
    rows, far = [], []
    for num, correlation, skewed in itertools.product(
        options.participants, CORRELATIONS, (False, True)
    ):
        design = Design(num, correlation, skewed)
        for kind in (ADOPTION_STUDY, RATING_STUDY):
            covered, width = _simulate(kind, design, options.studies, options.rounds, rng)
            for name in kind.scores:
                shares = [covered[name, method] for method in METHODS]
                cell = [num, correlation, "skewed" if skewed else "balanced", name]
                rows.append([*cell, *shares, *(width[name, method] for method in METHODS)])
                if num >= 25 and abs(shares[0] - CONFIDENCE) > TOLERANCE:
                    far.append(f"{', '.join(map(str, cell))}: {shares[0]:.3f}")
        print(f"{num} participants, correlation {correlation}, done", file=sys.stderr)
    columns = ["participants", "ICC", "rows", "score", *METHODS]
    print(f"coverage of {CONFIDENCE:g} intervals over {options.studies} studies, then mean widths")
    print(render_table([*columns, *(f"width, {method}" for method in METHODS)], rows))
    print(f"{METHODS[0]}, 25 participants and more, further than {TOLERANCE} off: {len(far)}")
    print("\n".join(far))
    return 0 if not far else 1


def _simulate(
    kind: StudyKind, design: Design, studies: int, rounds: int, rng: np.random.Generator
) -> tuple[dict[tuple[str, str], float], dict[tuple[str, str], float]]:
    """Coverage and mean width by score and method."""
    truth = _find_truth(kind, design, rng)
    covered = dict.fromkeys(itertools.product(kind.scores, METHODS), 0.0)
    width = dict.fromkeys(covered, 0.0)
    for _ in range(studies):
        person, cells = kind.draw_study(design, rng)
        clusters = cluster_counts(
            cells, num_cells=int(np.prod(kind.shape)), groups=[str(index) for index in person]
        )
        seed = int(rng.integers(1 << 31))
        for method in METHODS:
            resampling = Resampling(confidence=CONFIDENCE, method=method, rounds=rounds, rng=seed)
            found = cluster_intervals(kind.score, clusters, resampling=resampling)
            for name in kind.scores:
                low, high = found.low[name], found.high[name]
                covered[name, method] += (low <= truth[name] <= high) / studies
                width[name, method] += (high - low) / studies
    return covered, width


def _find_truth(kind: StudyKind, design: Design, rng: np.random.Generator) -> dict[str, float]:
    """The scores of very many participants."""
    block = Design(TRUTH_BLOCK, design.correlation, design.skewed)
    size = int(np.prod(kind.shape))
    counts = np.zeros(size)
    for _ in range(TRUTH_PARTICIPANTS // TRUTH_BLOCK):
        counts += np.bincount(kind.draw_study(block, rng)[1], minlength=size)
    return {name: float(value[0]) for name, value in kind.score(counts[None]).items()}


def _draw_labels(person: Codes, design: Design, rng: np.random.Generator) -> tuple[Codes, Codes]:
    """Labels that lean by participant, and answers whose luck does."""
    num, rows = design.participants, len(person)
    spread = np.sqrt(LOGISTIC_VARIANCE * design.correlation / (1 - design.correlation))
    lean = rng.normal(0, spread / np.sqrt(2), (num, 3))
    luck = rng.normal(0, spread, num)
    true = (np.log(LABEL_SHARES) + lean[person] + rng.gumbel(size=(rows, 3))).argmax(axis=1)
    return true, answer_labels(true, luck[person], rng)


def answer_labels(
    true: Codes, luck: NDArray[np.float64] | float, rng: np.random.Generator
) -> Codes:
    """Answers of a model whose log-odds of being right are raised by `luck`."""
    is_right = rng.random(len(true)) < expit(np.array([0.6, 0.1, -0.3])[true] + luck)
    other = (true + 1 + (rng.random(len(true)) < 0.35)) % 3
    return np.where(is_right, true, other)


def _draw_ratings(person: Codes, design: Design, rng: np.random.Generator) -> tuple[Codes, Codes]:
    """Ratings cut from a scale that leans by participant, and answers that follow it half-way."""
    num, rows = design.participants, len(person)
    spread = np.sqrt(NORMAL_VARIANCE * design.correlation / (1 - design.correlation))
    scale = rng.normal(0, spread, num)[person] + rng.normal(size=rows)
    cuts = ndtri(np.cumsum(RATING_SHARES[:-1])) * np.hypot(1, spread)
    guess = 0.5 * scale + rng.normal(0, 0.7 * spread, num)[person] + rng.normal(0, 0.9, rows)
    return np.searchsorted(cuts, scale), np.searchsorted([-2.2, -1.4, -0.6, 0.5], guess)


ADOPTION_STUDY = StudyKind(ADOPTION, ("macro_f1", "f1_adopt", "f1_reject"), _draw_labels)
RATING_STUDY = StudyKind(RATING, ("mae", "spearman_rho"), _draw_ratings)

if __name__ == "__main__":
    sys.exit(main())
