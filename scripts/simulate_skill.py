"""How often do the posterior and the plain average recover the agents' true order?

A fixed simulator: s ~ N(0, 1) for each of 5 agents and 93 humans, e ~ N(0, 1),
y = 78.6 + s_A + s_H + e, 386 sessions, 1,000 studies. Sessions are assigned in two ways:

- random and uneven: whoever works with whom is drawn at random, and they differ in how often they
  are drawn (humans with exponential weights, agents with weights uniform in [0.7, 1.3]);
- by ability: the same humans, but the abler a human, the more often they pick the agents that are
  popular with able humans (weight exp(s_H * t_A), t_A spread evenly over [-1, 1] in random order).

Run: python scripts/simulate_skill.py [--studies 1000] [--seed 0]
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kolab_core.reports.tables import render_table
from kolab_core.skill import (
    SkillModel,
    fit_evidence,
    index_sessions,
    naive_averages,
    sum_evidence,
)

__all__ = ["Recovery", "main", "simulate"]

NUM_SESSIONS, NUM_HUMANS, NUM_AGENTS, LEVEL = 386, 93, 5, 78.6
ASSIGNMENTS = ("random and uneven", "by ability")
LEAST_SIGMA, MOST_SIGMA = 0.14, 0.18

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Recovery:
    """Share of the studies in which each method recovers the full order of the agents.

    Attributes:
        assignment: One of `ASSIGNMENTS`.
        posterior: Order by score (mu - 3 sigma), the paper's model.
        centred: The same with the mean outcome subtracted first.
        naive: Order by each agent's plain average (subtracting a constant from all outcomes
            changes no order, so centring does nothing to it).
        sigmas: float64 [studies, agents], posterior standard deviations of the agents.
    """

    assignment: str
    posterior: float
    centred: float
    naive: float
    sigmas: FloatArray


def simulate(assignment: str, *, studies: int, seed: int) -> Recovery:
    """Draw the studies and count; the same seed gives the same numbers."""
    rng = np.random.default_rng(seed)
    hits = np.zeros(3)
    sigmas = np.empty((studies, NUM_AGENTS))
    for study in range(studies):
        skill_a, skill_h = rng.normal(size=NUM_AGENTS), rng.normal(size=NUM_HUMANS)
        agents, humans = _assign(assignment, skill_h, rng)
        outcomes = LEVEL + skill_a[agents] + skill_h[humans] + rng.normal(size=NUM_SESSIONS)
        truth = [str(i) for i in np.argsort(-skill_a)]
        sessions = index_sessions(
            agents=agents.tolist(), humans=humans.tolist(), outcomes=outcomes.tolist()
        )
        evidence = sum_evidence(sessions)
        posterior = fit_evidence(evidence, SkillModel())
        centred = fit_evidence(evidence, SkillModel(center=True))
        naive = tuple(average.name for average in naive_averages(sessions))
        orders = (posterior.agents.names, centred.agents.names, naive)
        hits += [list(order) == truth for order in orders]
        # An agent that nobody worked with is at its prior and in no order: never a hit.
        known = posterior.agents.sigma
        sigmas[study] = np.concatenate([known, np.ones(NUM_AGENTS - len(known))])
    by_score, by_centred, by_average = (hits / studies).tolist()
    return Recovery(assignment, by_score, by_centred, by_average, sigmas)


def _assign(
    assignment: str, skill_h: FloatArray, rng: np.random.Generator
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    human_weights = rng.exponential(size=NUM_HUMANS)
    humans = rng.choice(NUM_HUMANS, size=NUM_SESSIONS, p=human_weights / human_weights.sum())
    if assignment == "by ability":
        taste = rng.permutation(np.linspace(-1, 1, NUM_AGENTS))
        weights = np.exp(np.outer(skill_h[humans], taste))
    else:
        agent_weights = rng.uniform(0.7, 1.3, size=NUM_AGENTS)
        weights = np.broadcast_to(agent_weights, (NUM_SESSIONS, NUM_AGENTS))
    shares = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
    drawn = (rng.random(NUM_SESSIONS)[:, None] > shares).sum(axis=1)
    return np.minimum(drawn, NUM_AGENTS - 1), humans


def main(argv: list[str] | None = None) -> int:
    """Print the shares, the sigmas and whether the bars hold; 0 if they do."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args(argv)
    found = [simulate(name, studies=arguments.studies, seed=arguments.seed) for name in ASSIGNMENTS]
    print(f"Share of {arguments.studies} studies whose agents come out in their true order:")
    columns = ["assignment", "posterior", "posterior, centred", "naive", "naive, centred"]
    rows = [[r.assignment, r.posterior, r.centred, r.naive, r.naive] for r in found]
    print(render_table(columns, rows))
    print("\nPosterior standard deviation of the agents:")
    rows = [
        [r.assignment, float(r.sigmas.mean()), float(np.min(r.sigmas)), float(np.max(r.sigmas))]
        for r in found
    ]
    print(render_table(["assignment", "mean", "min", "max"], rows))
    random, chosen = found
    bars = {
        "random: the centred posterior wins": random.centred > random.naive,
        "by ability: the posterior wins": chosen.posterior > chosen.naive,
        "by ability: the centred posterior wins": chosen.centred > chosen.naive,
        f"mean sigma in [{LEAST_SIGMA}, {MOST_SIGMA}]": all(
            LEAST_SIGMA <= float(r.sigmas.mean()) <= MOST_SIGMA for r in found
        ),
    }
    print()
    for bar, holds in bars.items():
        print(f"{'ok  ' if holds else 'FAIL'}  {bar}")
    return 0 if all(bars.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
