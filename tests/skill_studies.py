"""Small studies and the textbook answer to compare with, for the tests of the skill model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Study:
    agents: list[str]
    humans: list[str]
    outcomes: list[float]
    tasks: list[str]

    def columns(self) -> dict[str, list]:
        return {"agents": self.agents, "humans": self.humans, "outcomes": self.outcomes}


def make_study(
    *, num_agents: int, num_humans: int, num_sessions: int, seed: int = 0, level: float = 78.6
) -> Study:
    rng = np.random.default_rng(seed)
    agents = rng.integers(num_agents, size=num_sessions)
    humans = rng.integers(num_humans, size=num_sessions)
    skill_a, skill_h = rng.normal(size=num_agents), rng.normal(size=num_humans)
    outcomes = level + skill_a[agents] + skill_h[humans] + rng.normal(size=num_sessions)
    return Study(
        agents=[f"agent-{i}" for i in agents],
        humans=[f"human-{i}" for i in humans],
        outcomes=outcomes.tolist(),
        tasks=[f"task-{i}" for i in rng.integers(6, size=num_sessions)],
    )


def solve_densely(
    study: Study, *, beta: float = 1.0, mu0: float = 0.0, sigma0: float = 1.0, center: bool = False
) -> tuple[dict[tuple[str, str], int], np.ndarray, np.ndarray]:
    """Each entity's position, the posterior mean and the whole posterior covariance.

    The precision and eta of the model as the paper writes them, inverted as a dense matrix.
    """
    entities = [("agents", name) for name in sorted(set(study.agents))]
    entities += [("humans", name) for name in sorted(set(study.humans))]
    at = {entity: i for i, entity in enumerate(entities)}
    precision = np.eye(len(at)) / sigma0**2
    eta = np.full(len(at), mu0 / sigma0**2)
    mean = float(np.mean(study.outcomes)) if center else 0.0
    for agent, human, outcome in zip(study.agents, study.humans, study.outcomes, strict=True):
        x = np.zeros(len(at))
        x[at["agents", agent]] = x[at["humans", human]] = 1
        precision += np.outer(x, x) / beta**2
        eta += (outcome - mean) * x / beta**2
    covariance = np.linalg.inv(precision)
    return at, covariance @ eta, covariance
