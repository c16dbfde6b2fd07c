"""CollabSkill's posterior: every agent's and every human's skill from their joint outcomes.

An outcome of agent A with human H is y = s_A + s_H + e, e ~ N(0, beta^2), and every skill starts
as N(mu0, sigma0^2). The posterior is Gaussian: its precision is I / sigma0^2 plus x x^T / beta^2
for every outcome (x marks the two partners), its mean solves (precision) mu = eta, and its
variances are the diagonal of the inverse (arXiv 2606.09833; there the diagonal is estimated by
random probes, here it is exact).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import sparse, special
from scipy.sparse import csgraph

from kolab_core.skill.evidence import (
    Evidence,
    index_sessions,
    merge_evidence,
    sum_evidence,
)
from kolab_core.skill.ratings import Comparison, Group, Side, SkillModel, SkillTable, make_side
from kolab_core.skill.solve import BipartiteSystem, CountTable, SolvedPair

__all__ = [
    "SideName",
    "SkillPosterior",
    "fit_evidence",
    "fit_skill",
]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
SideName = Literal["agents", "humans"]

# A ridge this much smaller than the most sessions of one entity leaves too few correct digits.
_MIN_RIDGE = 1e-9
# Up to this many multiplications a plain table of pairs is eliminated faster than a sparse one.
_MOST_PLAIN = 250_000
# Systems up to this size keep their factor for later comparisons (8 MB).
_KEPT_SIZE = 1000


@dataclass(frozen=True, eq=False)
class SkillPosterior:
    """The fitted model.

    Attributes:
        model: Its constants.
        evidence: The summed outcomes.
        agents: The agents' ratings, best first.
        humans: The humans' ratings, best first.
    """

    model: SkillModel
    evidence: Evidence
    agents: Side
    humans: Side
    _kept: list[BipartiteSystem] = field(default_factory=list, repr=False, compare=False)

    @property
    def n(self) -> int:
        """Number of sessions."""
        return self.evidence.n

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """The groups linked by shared partners, most sessions first."""
        labels = self._labels
        num_groups = int(np.max(labels)) + 1
        num_agents = len(self.evidence.agents)
        degrees = self.evidence.agent_counts
        sessions = np.bincount(labels[:num_agents], degrees, minlength=num_groups)
        agents = _split(self.agents, labels[:num_agents], num_groups)
        humans = _split(self.humans, labels[num_agents:], num_groups)
        found = [
            Group(agents=a, humans=h, num_sessions=round(s))
            for a, h, s in zip(agents, humans, sessions.tolist(), strict=True)
        ]
        return tuple(sorted(found, key=lambda group: (-group.num_sessions, sorted(group.agents))))

    def as_dict(self) -> SkillTable:
        """Plain numbers, best first, as the `collab_skill` module returns them."""
        return SkillTable(
            agents=self.agents.ratings(),
            humans=self.humans.ratings(),
            n=self.n,
            groups=[
                {
                    "agents": list(group.agents),
                    "humans": list(group.humans),
                    "num_sessions": group.num_sessions,
                }
                for group in self.groups
            ],
        )

    def prob_greater(self, a: str, b: str, *, side: SideName = "agents") -> Comparison:
        """P(skill of `a` > skill of `b`), two `agents` or two `humans`.

        Raises:
            ValueError: A name is unknown or both are the same, or the side is neither.
        """
        first, second = self._position(a, side), self._position(b, side)
        if first == second:
            raise ValueError(f"a, b: found {a!r} twice; expected two different names.")
        covariance = self._covariance(first, second)
        difference = self._mean(side, a) - self._mean(side, b)
        apart = covariance[0, 0] + covariance[1, 1]
        sd = math.sqrt(apart - 2 * covariance[0, 1])
        return Comparison(
            probability=float(special.ndtr(difference / sd)),
            probability_independent=float(special.ndtr(difference / math.sqrt(apart))),
            difference=difference,
            sd=sd,
            correlation=float(covariance[0, 1] / math.sqrt(covariance[0, 0] * covariance[1, 1])),
            comparable=bool(self._labels[first] == self._labels[second]),
        )

    def update(
        self,
        *,
        agents: Sequence[object],
        humans: Sequence[object],
        outcomes: Sequence[float],
    ) -> SkillPosterior:
        """The posterior after more outcomes, equal to fitting all of them at once.

        Columns are as in `fit_skill`. New names are welcome, and one session is enough.

        Returns:
            A new posterior; this one stays as it is.

        Raises:
            ValueError: As in `fit_skill`.
        """
        sessions = index_sessions(agents=agents, humans=humans, outcomes=outcomes, min_sessions=1)
        return fit_evidence(merge_evidence(self.evidence, sum_evidence(sessions)), self.model)

    @cached_property
    def _labels(self) -> IntArray:
        """Each entity's group: agents first, then humans."""
        evidence = self.evidence
        num_agents = len(evidence.agents)
        size = num_agents + len(evidence.humans)
        links = (evidence.agent_index, num_agents + evidence.human_index)
        graph = sparse.csr_array((evidence.pair_counts, links), shape=(size, size))
        labels = csgraph.connected_components(graph, directed=False)[1]
        return np.asarray(labels, dtype=np.int64)

    def _position(self, name: str, side: SideName) -> int:
        if side not in ("agents", "humans"):
            raise ValueError(f"side: found {side!r}; expected 'agents' or 'humans'.")
        names = self.evidence.agents if side == "agents" else self.evidence.humans
        at = int(np.searchsorted(np.array(names, dtype=object), name))
        if at == len(names) or names[at] != name:
            known = ", ".join(names[:10]) + (", …" if len(names) > 10 else "")
            raise ValueError(f"{name!r}: found no such name among the {side}; expected of {known}.")
        return at if side == "agents" else len(self.evidence.agents) + at

    def _mean(self, side: SideName, name: str) -> float:
        ratings = self.agents if side == "agents" else self.humans
        return float(ratings.mu[ratings.names.index(name)])

    def _covariance(self, first: int, second: int) -> FloatArray:
        """2 x 2 posterior covariance of two entities (positions: agents first)."""
        num_agents = len(self.evidence.agents)
        units = np.zeros((num_agents + len(self.evidence.humans), 2))
        units[first, 0] = units[second, 1] = 1
        if not self._kept:
            self._kept.append(BipartiteSystem(_table(self.evidence), ridge=self.model.ridge))
        system = self._kept[0]
        if system.size > _KEPT_SIZE:
            self._kept.clear()
        solved = system.solve(SolvedPair(units[:num_agents], units[num_agents:]))
        columns = np.vstack([solved.agents, solved.humans])
        return np.asarray(columns[[first, second]] * self.model.beta**2)


def fit_skill(
    *,
    agents: Sequence[object],
    humans: Sequence[object],
    outcomes: Sequence[float],
    beta: float = 1.0,
    mu0: float = 0.0,
    sigma0: float = 1.0,
    center: bool = False,
) -> SkillPosterior:
    """Rate agents and humans from the outcomes of their sessions.

    Args:
        agents: An agent's name a session.
        humans: A human's name a session.
        outcomes: The outcome of each session, finite; 0 to 100 in the paper, though any scale does.
        beta: Standard deviation of an outcome given both skills; > 0.
        mu0: Prior mean of every skill.
        sigma0: Prior standard deviation of every skill; > 0.
        center: Subtract the mean outcome first (skills are then relative to it).

    Returns:
        Means and standard deviations, exact up to rounding. The order of the sessions changes no
        bit of them.

    Raises:
        ValueError: Lengths differ, fewer than two sessions, a blank name, an outcome that is not
            finite, `beta` or `sigma0` not positive, or so small a `beta / sigma0` that double
            precision cannot hold the answer.

    Examples:
        >>> posterior = fit_skill(
        ...     agents=["a", "a", "b", "b"], humans=["x", "y", "x", "y"], outcomes=[3, 2, 2, 1]
        ... )
        >>> [(r["name"], round(r["mu"], 3), r["rank"]) for r in posterior.agents.ratings()]
        [('a', 1.133, 1), ('b', 0.467, 2)]
    """
    model = SkillModel(beta=beta, mu0=mu0, sigma0=sigma0, center=center)
    sessions = index_sessions(agents=agents, humans=humans, outcomes=outcomes)
    return fit_evidence(sum_evidence(sessions), model)


def fit_evidence(evidence: Evidence, model: SkillModel) -> SkillPosterior:
    """Solve for all means and variances.

    Args:
        evidence: The summed outcomes, one session at least.
        model: The constants.

    Returns:
        The posterior.

    Raises:
        ValueError: `beta / sigma0` is beyond what double precision can hold.
    """
    agent_counts, human_counts = evidence.agent_counts, evidence.human_counts
    _check_ridge(model, max(np.max(agent_counts), np.max(human_counts)))
    # Skills are solved for as differences from mu0, which leaves the prior out of the right side.
    offset = 2 * model.mu0 + (evidence.total / evidence.n if model.center else 0.0)
    system = BipartiteSystem(_table(evidence), ridge=model.ridge)
    means = system.solve(
        SolvedPair(
            evidence.agent_sums - offset * agent_counts, evidence.human_sums - offset * human_counts
        )
    )
    is_kept = system.size <= _KEPT_SIZE
    variances = system.variances(is_last=not is_kept)
    return SkillPosterior(
        model=model,
        evidence=evidence,
        agents=make_side(
            evidence.agents,
            means=means.agents,
            variances=variances.agents,
            counts=agent_counts,
            model=model,
        ),
        humans=make_side(
            evidence.humans,
            means=means.humans,
            variances=variances.humans,
            counts=human_counts,
            model=model,
        ),
        _kept=[system] if is_kept else [],
    )


def _table(evidence: Evidence) -> CountTable:
    """The sessions of each pair: a plain table where that is cheaper than a sparse one."""
    shape = (len(evidence.agents), len(evidence.humans))
    if shape[0] * shape[1] * min(shape) > _MOST_PLAIN:
        return evidence.counts
    table = np.zeros(shape)
    table[evidence.agent_index, evidence.human_index] = evidence.pair_counts
    return table


def _check_ridge(model: SkillModel, most_sessions: float) -> None:
    least = _MIN_RIDGE * most_sessions
    if not least <= model.ridge < math.inf:
        rule = f"between {math.sqrt(least):.3g} and 1e150"
        raise ValueError(
            f"beta / sigma0: found {model.beta / model.sigma0!r}; expected a ratio {rule}: "
            "beyond, double precision cannot hold the posterior."
        )


def _split(side: Side, labels: IntArray, num_groups: int) -> list[tuple[str, ...]]:
    """The names of each group, best first."""
    members: list[list[str]] = [[] for _ in range(num_groups)]
    for name, label in zip(side.names, labels[side.order].tolist(), strict=True):
        members[label].append(name)
    return [tuple(names) for names in members]
