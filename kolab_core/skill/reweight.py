"""The agents' posterior under other weights of the sessions, many weightings at once.

The humans are eliminated, so a weighting costs a matrix of the agents alone. Where a study is too
large for that (`is_small`, or more than 200 agents), each weighting is solved on its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from kolab_core.skill.evidence import Sessions, sum_evidence
from kolab_core.skill.ratings import SkillModel
from kolab_core.skill.solve import BipartiteSystem, SolvedPair

__all__ = ["AgentBeliefs", "is_small", "leave_out", "resample", "stack", "weigh"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_MOST_AGENTS = 200
_MOST_CELLS = 1_000_000
_CHUNK_CELLS = 1_000_000


@dataclass(frozen=True, eq=False)
class AgentBeliefs:
    """The agents (in the sessions' order of names) under each weighting.

    Attributes:
        mu: float64 [weightings, agents], posterior means.
        sigma: float64 [weightings, agents], posterior standard deviations.
    """

    mu: FloatArray
    sigma: FloatArray

    @property
    def score(self) -> FloatArray:
        """The conservative scores, mu - 3 sigma."""
        return np.asarray(self.mu - 3 * self.sigma)


def is_small(sessions: Sessions) -> bool:
    """Whether all pairs fit a dense table of which many are held at once."""
    num_agents = len(sessions.agents)
    return num_agents <= _MOST_AGENTS and num_agents * len(sessions.humans) <= _MOST_CELLS


def resample(sessions: Sessions, model: SkillModel, draws: IntArray) -> AgentBeliefs:
    """Posterior of resampled sessions.

    Args:
        sessions: The study.
        model: The constants; a centred model is centred anew in each round.
        draws: int64 [rounds, drawn], positions of the sessions drawn.
    """
    if not is_small(sessions):
        size = len(sessions.outcomes)
        return stack(
            weigh(sessions, model, np.bincount(draw, minlength=size).astype(np.float64))
            for draw in draws
        )
    shape = (len(sessions.agents), len(sessions.humans))
    cells = sessions.agent_index * shape[1] + sessions.human_index
    step = max(1, _CHUNK_CELLS // max(shape[0] * shape[1], draws.shape[1]))
    parts = []
    for start in range(0, len(draws), step):
        chosen = draws[start : start + step]
        outcomes = sessions.outcomes[chosen]
        parts.append(
            _solve_rounds(
                model,
                counts=_count(cells[chosen], shape[0] * shape[1]).reshape(-1, *shape),
                agent_sums=_count(sessions.agent_index[chosen], shape[0], outcomes),
                human_sums=_count(sessions.human_index[chosen], shape[1], outcomes),
            )
        )
    return stack(parts)


def leave_out(sessions: Sessions, model: SkillModel, units: list[IntArray]) -> AgentBeliefs:
    """Posterior without the sessions of each unit in turn.

    Only the rows of humans who met in a unit's sessions change, so the agents' system of all the
    sessions is corrected by them.

    Args:
        sessions: The study.
        model: The constants; a centred model is centred on what is left.
        units: Positions of the sessions of each unit; none holds all of them.
    """
    if len(sessions.agents) > _MOST_AGENTS:
        size = len(sessions.outcomes)
        weights = (np.bincount(unit, minlength=size) == 0 for unit in units)
        return stack(weigh(sessions, model, kept.astype(np.float64)) for kept in weights)
    base = _Reduced.of(sessions, model)
    num_agents = len(sessions.agents)
    step = max(1, _CHUNK_CELLS // num_agents**2)
    parts = []
    for start in range(0, len(units), step):
        systems, sides = zip(
            *(base.without(unit) for unit in units[start : start + step]), strict=True
        )
        parts.append(_finish(np.stack(systems), np.stack(sides), model))
    return stack(parts)


def weigh(sessions: Sessions, model: SkillModel, weights: FloatArray) -> AgentBeliefs:
    """Posterior of sessions that count `weights` times each (float64 [n], >= 0); one weighting."""
    shape = (len(sessions.agents), len(sessions.humans))
    counts = sparse.coo_array(
        (weights, (sessions.agent_index, sessions.human_index)), shape=shape
    ).tocsr()
    outcomes = sessions.outcomes - _offset(model, weights @ sessions.outcomes, weights.sum())
    system = BipartiteSystem(counts, ridge=model.ridge)
    right = SolvedPair(
        _count(sessions.agent_index[None], shape[0], weights * outcomes)[0],
        _count(sessions.human_index[None], shape[1], weights * outcomes)[0],
    )
    mu = model.mu0 + system.solve(right).agents
    sigma = model.beta * np.sqrt(system.variances().agents)
    return AgentBeliefs(mu[None], sigma[None])


@dataclass(frozen=True, eq=False)
class _Reduced:
    """The agents' system of all the sessions, humans eliminated, and what corrects it."""

    sessions: Sessions
    model: SkillModel
    columns: sparse.csc_array
    human_weights: FloatArray
    human_sums: FloatArray
    system: FloatArray
    # Right sides of the outcomes and of ones (the latter times an offset is subtracted).
    sides: FloatArray
    total: float

    @classmethod
    def of(cls, sessions: Sessions, model: SkillModel) -> _Reduced:
        evidence = sum_evidence(sessions)
        counts = evidence.counts
        agent_counts, human_counts = evidence.agent_counts, evidence.human_counts
        human_weights = model.ridge + human_counts
        scaled = (counts / human_weights).tocsr()
        return cls(
            sessions=sessions,
            model=model,
            columns=counts.tocsc(),
            human_weights=human_weights,
            human_sums=evidence.human_sums,
            system=np.diag(model.ridge + agent_counts) - (scaled @ counts.T).toarray(),
            sides=np.stack(
                [
                    evidence.agent_sums - scaled @ evidence.human_sums,
                    agent_counts - scaled @ human_counts,
                ]
            ),
            total=evidence.total,
        )

    def without(self, unit: IntArray) -> tuple[FloatArray, FloatArray]:
        """The agents' matrix and right side without these sessions."""
        sessions = self.sessions
        num_agents = len(sessions.agents)
        agents, outcomes = sessions.agent_index[unit], sessions.outcomes[unit]
        humans, place = np.unique(sessions.human_index[unit], return_inverse=True)
        before = self._columns_of(humans)
        lost = np.zeros_like(before)
        np.add.at(lost, (agents, place), 1)
        after = before - lost
        weights_before = self.human_weights[humans]
        weights_after = weights_before - lost.sum(axis=0)
        scaled_before, scaled_after = before / weights_before, after / weights_after
        sums_before = self.human_sums[humans]
        sums_after = sums_before - np.bincount(place, outcomes, minlength=len(humans))
        counts_before = weights_before - self.model.ridge
        counts_after = weights_after - self.model.ridge
        system = self.system + scaled_before @ before.T - scaled_after @ after.T
        system -= np.diag(lost.sum(axis=1))
        of_outcomes = self.sides[0] + scaled_before @ sums_before - scaled_after @ sums_after
        of_outcomes -= np.bincount(agents, outcomes, minlength=num_agents)
        of_ones = self.sides[1] + scaled_before @ counts_before - scaled_after @ counts_after
        of_ones -= lost.sum(axis=1)
        total = np.asarray(self.total - outcomes.sum())
        offset = _offset(self.model, total, len(sessions.outcomes) - len(unit))
        return system, of_outcomes - offset * of_ones

    def _columns_of(self, humans: IntArray) -> FloatArray:
        """float64 [agents, humans]; for the few of a unit SciPy's own indexing takes far longer."""
        table = np.zeros((len(self.sessions.agents), len(humans)))
        columns = self.columns
        for i, human in enumerate(humans.tolist()):
            cells = slice(columns.indptr[human], columns.indptr[human + 1])
            table[columns.indices[cells], i] = columns.data[cells]
        return table


def _solve_rounds(
    model: SkillModel, *, counts: FloatArray, agent_sums: FloatArray, human_sums: FloatArray
) -> AgentBeliefs:
    """Posterior of each round from its dense [rounds, agents, humans] counts and its sums."""
    agent_counts, human_counts = counts.sum(axis=2), counts.sum(axis=1)
    offset = _offset(model, agent_sums.sum(axis=1), agent_counts.sum(axis=1))
    agent_right = agent_sums - offset[:, None] * agent_counts
    human_right = human_sums - offset[:, None] * human_counts
    scaled = counts / (model.ridge + human_counts)[:, None, :]
    systems = -scaled @ counts.transpose(0, 2, 1)
    diagonal = np.arange(counts.shape[1])
    systems[:, diagonal, diagonal] += model.ridge + agent_counts
    sides = agent_right - (scaled @ human_right[:, :, None])[:, :, 0]
    return _finish(systems, sides, model)


def _finish(systems: FloatArray, sides: FloatArray, model: SkillModel) -> AgentBeliefs:
    inverses = np.linalg.inv(systems)
    mu = model.mu0 + (inverses @ sides[:, :, None])[:, :, 0]
    sigma = model.beta * np.sqrt(np.diagonal(inverses, axis1=1, axis2=2))
    return AgentBeliefs(mu, sigma)


def _offset(model: SkillModel, total: FloatArray, count: float | FloatArray) -> FloatArray:
    """What is subtracted from every outcome: the prior's level, and the mean if centred."""
    mean = np.asarray(total) / count if model.center else np.zeros(np.shape(total))
    return np.asarray(2 * model.mu0 + mean)


def _count(positions: IntArray, size: int, weights: FloatArray | None = None) -> FloatArray:
    """Summed weights by position, for each row of `positions`: float64 [rows, size]."""
    rounds = len(positions)
    keys = positions + np.arange(rounds)[:, None] * size
    flat = None if weights is None else weights.ravel()
    counts = np.bincount(keys.ravel(), flat, minlength=rounds * size)
    return counts.reshape(rounds, size).astype(np.float64, copy=False)


def stack(parts: Iterator[AgentBeliefs] | list[AgentBeliefs]) -> AgentBeliefs:
    """All weightings of the parts, in their order."""
    found = list(parts)
    return AgentBeliefs(
        np.concatenate([part.mu for part in found]), np.concatenate([part.sigma for part in found])
    )
