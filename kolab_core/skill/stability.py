"""How far the agents' ranks can be trusted: bootstrap, leave-one-out, the naive average beside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from kolab_core.skill.evidence import Sessions, sum_evidence
from kolab_core.skill.posterior import fit_evidence
from kolab_core.skill.ratings import SkillModel, rank_scores
from kolab_core.skill.reweight import AgentBeliefs, leave_out, resample, stack

__all__ = [
    "AgentStability",
    "BootstrapRanks",
    "LeaveOneOut",
    "NaiveAverage",
    "Unit",
    "bootstrap_ranks",
    "leave_one_out",
    "naive_averages",
]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Unit = Literal["sessions", "humans", "tasks"]

_CHUNK_PAIRS = 2_000_000
# Rounds drawn at a time hold at most this many sessions in all (8 bytes each).
_CHUNK_DRAWS = 4_000_000


@dataclass(frozen=True)
class NaiveAverage:
    """An agent's plain mean outcome, whoever it worked with.

    Attributes:
        name: The agent.
        mean: Mean outcome.
        sd: Standard deviation of its outcomes (ddof 1); NaN with one session.
        rank: From 1, highest mean first; equal means share the better rank.
        num_sessions: Its sessions.
    """

    name: str
    mean: float
    sd: float
    rank: int
    num_sessions: int


@dataclass(frozen=True)
class AgentStability:
    """One agent over all weightings.

    Attributes:
        name: The agent.
        rank: Its rank by score on all the sessions.
        mean_rank: Mean of its ranks.
        share_first: Share of the weightings in which it is first (ties count for all of them).
        rank_shares: Share of each rank 1, 2, …; they sum to 1.
        mean_mu: Mean of its posterior means.
        sd_mu: Their standard deviation (ddof 1); NaN with one weighting.
        mean_sigma: Mean of its posterior standard deviations.
    """

    name: str
    rank: int
    mean_rank: float
    share_first: float
    rank_shares: tuple[float, ...]
    mean_mu: float
    sd_mu: float
    mean_sigma: float


@dataclass(frozen=True)
class BootstrapRanks:
    """Ranks over resampled studies.

    Attributes:
        agents: One entry an agent, best on all the sessions first.
        mean_kendall_tau: Mean of Kendall's tau-b between a round's scores and those of all the
            sessions; NaN with a single agent.
        rounds: How many.
        unit: What was drawn.
    """

    agents: tuple[AgentStability, ...]
    mean_kendall_tau: float
    rounds: int
    unit: str


@dataclass(frozen=True)
class LeaveOneOut:
    """Ranks without each human, or each task, in turn.

    Attributes:
        unit: What was left out.
        agents: One entry an agent, best on all the sessions first.
        names: Who or what was left out, sorted.
        kendall_taus: Kendall's tau-b against the scores of all the sessions, one a name.
        mean_kendall_tau: Their mean; NaN with a single agent.
        changed_first: The names without which another agent is first.
    """

    unit: str
    agents: tuple[AgentStability, ...]
    names: tuple[str, ...]
    kendall_taus: tuple[float, ...]
    mean_kendall_tau: float
    changed_first: tuple[str, ...]


def bootstrap_ranks(
    sessions: Sessions,
    model: SkillModel | None = None,
    *,
    rounds: int = 10_000,
    unit: Unit = "sessions",
    rng: np.random.Generator | None = None,
) -> BootstrapRanks:
    """Rank the agents on resampled studies.

    An agent whose sessions were not drawn in a round is at its prior there.

    Args:
        sessions: The study.
        model: The constants; by default the paper's.
        rounds: How many studies to draw.
        unit: What is drawn with replacement: `sessions`, or whole `humans` or `tasks` with all
            their sessions (one person's sessions are not independent).
        rng: A seeded generator; by default seed 0.

    Returns:
        Mean rank, share of rank 1 and mean Kendall's tau.

    Raises:
        ValueError: Fewer than one round, or an unknown unit, or tasks were not given.
    """
    if rounds < 1:
        raise ValueError(f"rounds: found {rounds}; expected at least 1.")
    if unit not in ("sessions", "humans", "tasks"):
        raise ValueError(f"unit: found {unit!r}; expected 'sessions', 'humans' or 'tasks'.")
    model = model or SkillModel()
    rng = rng or np.random.default_rng(0)
    clusters = None if unit == "sessions" else _units(sessions, unit)[1]
    size = len(sessions.outcomes)
    step = max(1, _CHUNK_DRAWS // size)
    parts = []
    for start in range(0, rounds, step):
        drawn = min(step, rounds - start)
        if clusters is None:
            parts.append(resample(sessions, model, rng.integers(size, size=(drawn, size))))
        else:
            parts += [_draw_clusters(sessions, model, clusters, rng) for _ in range(drawn)]
    beliefs = stack(parts)
    agents, taus = _summarize(sessions, model, beliefs)
    return BootstrapRanks(agents=agents, mean_kendall_tau=_mean(taus), rounds=rounds, unit=unit)


def leave_one_out(
    sessions: Sessions,
    model: SkillModel | None = None,
    *,
    unit: Literal["humans", "tasks"] = "humans",
) -> LeaveOneOut:
    """Rank the agents without each human, or each task, in turn.

    Args:
        sessions: The study.
        model: The constants; by default the paper's.
        unit: `humans` or `tasks`.

    Returns:
        Ranks and taus, in the order of the sorted names.

    Raises:
        ValueError: There is only one to leave out, tasks were not given, or an unknown unit.
    """
    if unit not in ("humans", "tasks"):
        raise ValueError(f"unit: found {unit!r}; expected 'humans' or 'tasks'.")
    model = model or SkillModel()
    names, units = _units(sessions, unit)
    if len(names) < 2:
        raise ValueError(f"{unit}: found 1; expected at least 2, so that one can be left out.")
    beliefs = leave_out(sessions, model, units)
    agents, taus = _summarize(sessions, model, beliefs)
    best = beliefs.score.max(axis=1)
    first = sessions.agents.index(agents[0].name)
    beaten = best - beliefs.score[:, first] > model.sigma0 * 1e-9
    return LeaveOneOut(
        unit=unit,
        agents=agents,
        names=names,
        kendall_taus=tuple(taus.tolist()),
        mean_kendall_tau=_mean(taus),
        changed_first=tuple(names[i] for i in np.flatnonzero(beaten).tolist()),
    )


def naive_averages(sessions: Sessions) -> tuple[NaiveAverage, ...]:
    """Mean, standard deviation and rank of each agent's outcomes, best first (ties by name)."""
    evidence = sum_evidence(sessions)
    counts = evidence.agent_counts
    means = evidence.agent_sums / counts
    squares = (sessions.outcomes - means[sessions.agent_index]) ** 2
    spread = np.bincount(sessions.agent_index, squares, minlength=len(counts))
    with np.errstate(invalid="ignore"):
        sds = np.sqrt(spread / np.where(counts > 1, counts - 1, np.nan))
    # Means equal up to rounding share a rank; the largest mean sets the scale.
    scale = max(1.0, float(np.abs(means).max()))
    ranks = rank_scores(means, sigma0=scale * 1e-3)
    order = np.argsort(ranks, kind="stable")
    return tuple(
        NaiveAverage(
            name=sessions.agents[i],
            mean=float(means[i]),
            sd=float(sds[i]),
            rank=int(ranks[i]),
            num_sessions=int(counts[i]),
        )
        for i in order.tolist()
    )


def _units(sessions: Sessions, unit: str) -> tuple[tuple[str, ...], list[IntArray]]:
    """Sorted names of the humans or tasks, and the positions of each one's sessions."""
    if unit == "humans":
        names, index = sessions.humans, sessions.human_index
    elif sessions.tasks:
        names = tuple(sorted(set(sessions.tasks)))
        at = {name: i for i, name in enumerate(names)}
        index = np.array([at[name] for name in sessions.tasks], dtype=np.int64)
    else:
        raise ValueError("tasks: found none; expected a task's name for each session.")
    order = np.argsort(index, kind="stable")
    bounds = np.cumsum(np.bincount(index, minlength=len(names)))[:-1]
    return names, np.split(order, bounds)


def _draw_clusters(
    sessions: Sessions, model: SkillModel, clusters: list[IntArray], rng: np.random.Generator
) -> AgentBeliefs:
    """One round of whole clusters (their sizes differ, so rounds do not stack)."""
    chosen = rng.integers(len(clusters), size=len(clusters)).tolist()
    draws = np.concatenate([clusters[i] for i in chosen])
    return resample(sessions, model, draws[None])


def _summarize(
    sessions: Sessions, model: SkillModel, beliefs: AgentBeliefs
) -> tuple[tuple[AgentStability, ...], FloatArray]:
    """Each agent's ranks over the weightings, and each weighting's tau against all sessions."""
    agents = fit_evidence(sum_evidence(sessions), model).agents
    scores = beliefs.score[:, agents.order]
    ranks, taus = _compare(scores, agents.score, tie=model.sigma0 * 1e-9)
    rounds, size = ranks.shape
    entries = tuple(
        AgentStability(
            name=name,
            rank=int(agents.rank[i]),
            mean_rank=float(ranks[:, i].mean()),
            share_first=float((ranks[:, i] == 1).mean()),
            rank_shares=tuple((np.bincount(ranks[:, i], minlength=size + 1)[1:] / rounds).tolist()),
            mean_mu=float(beliefs.mu[:, agents.order[i]].mean()),
            sd_mu=float(beliefs.mu[:, agents.order[i]].std(ddof=1)) if rounds > 1 else float("nan"),
            mean_sigma=float(beliefs.sigma[:, agents.order[i]].mean()),
        )
        for i, name in enumerate(agents.names)
    )
    return entries, taus


def _compare(scores: FloatArray, base: FloatArray, *, tie: float) -> tuple[IntArray, FloatArray]:
    """Ranks of each row of scores, and its Kendall's tau-b against `base`."""
    size = len(base)
    rounded, reference = np.rint(scores / tie), np.rint(base / tie)
    expected = np.sign(reference[:, None] - reference[None])
    ranks = np.empty(scores.shape, dtype=np.int64)
    taus = np.empty(len(scores))
    step = max(1, _CHUNK_PAIRS // size**2)
    for start in range(0, len(scores), step):
        part = rounded[start : start + step]
        signs = np.sign(part[:, :, None] - part[:, None, :])
        ranks[start : start + step] = 1 + (signs < 0).sum(axis=2)
        agreeing = (signs * expected).sum(axis=(1, 2))
        pairs = np.abs(signs).sum(axis=(1, 2)) * np.abs(expected).sum()
        with np.errstate(invalid="ignore", divide="ignore"):
            taus[start : start + step] = agreeing / np.sqrt(pairs)
    return ranks, taus


def _mean(values: Sequence[float] | FloatArray) -> float:
    """Mean of those that are numbers; NaN if none is."""
    numbers = np.asarray(values)
    numbers = numbers[~np.isnan(numbers)]
    return float(numbers.mean()) if len(numbers) else float("nan")
