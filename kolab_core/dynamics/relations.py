"""The paper's relations between dynamics, ratings and the questionnaire (section 4.3)."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kolab_core.dynamics.measures import need_column
from kolab_core.dynamics.units import measure_dynamics
from kolab_core.scores.bootstrap import (
    Clusters,
    Intervals,
    Resampling,
    cluster_intervals,
    make_generator,
)

__all__ = ["Relation", "RelationPairs", "relate", "relation_pairs", "spearman_interval"]

Row = Mapping[str, Any]
Floats = NDArray[np.float64]
# With fewer clusters than this a cluster bootstrap is known to be too narrow.
_FEW = 10


@dataclass(frozen=True)
class Relation:
    """Spearman's correlation of two measures, with the paper's beside it.

    Attributes:
        name: The two measures, in words.
        rho: Spearman's rho; `nan` for fewer than three pairs or a constant side.
        p_value: Two-sided, of SciPy's t approximation, which takes the pairs as independent.
        low: Lower end of the interval, resampling participants; `nan` for one participant.
        high: Upper end.
        num_pairs: Pairs behind rho.
        num_participants: Participants behind the pairs.
        published_rho: The paper's rho.
        published_p: What the paper says of its p; empty where it says nothing.
        notes: Why something is `nan` or missing.
    """

    name: str
    rho: float
    p_value: float
    low: float
    high: float
    num_pairs: int
    num_participants: int
    published_rho: float
    published_p: str
    notes: tuple[str, ...]


@dataclass(frozen=True)
class RelationPairs:
    """The pairs behind a relation that have both sides, by participant.

    Attributes:
        name: The two measures, in words.
        x: One side.
        y: The other side.
        participants: Whose each pair is.
        num_missing: Pairs that lack a side, and are left out.
        published_rho: The paper's rho.
        published_p: What the paper says of its p; empty where it says nothing.
    """

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    participants: tuple[str, ...]
    num_missing: int
    published_rho: float
    published_p: str

    @property
    def rho(self) -> float:
        """Spearman's rho; `nan` for fewer than three pairs or a constant side."""
        return math.nan if self.why_no_rho() else _spearman(self.x, self.y)[0]

    def why_no_rho(self) -> str | None:
        """Why there is no rho, in words; None if there is one."""
        if len(self.x) < 3:
            return f"rho is nan: {len(self.x)} pairs; expected at least 3"
        if len(set(self.x)) == 1 or len(set(self.y)) == 1:
            return "rho is nan: one side is constant"
        return None


@dataclass(frozen=True)
class _Session:
    """What the relations need of one session."""

    participant: str
    session: int
    burstiness: float
    topology: float
    lead_in: float
    rating: float


@dataclass(frozen=True)
class _Pair:
    x: float
    y: float
    participant: str


def relate(
    rows: Iterable[Row],
    *,
    surveys: Iterable[Row] = (),
    confidence: float = 0.95,
    method: str = "expanded",
    rounds: int = 10_000,
    rng: np.random.Generator | int | None = None,
) -> list[Relation]:
    """The four relations of the paper's section 4.3 in these sessions.

    1. Burstiness of session 1 against session 2 of one person: a pair per participant.
    2. Burstiness against solo lead-in: a pair per session.
    3. Solo lead-in (mean of the participant's sessions) against Q33, "clear plan": a pair per
       participant, since each answered the questionnaire once.
    4. Topology against the session's mean collaboration rating: a pair per session.

    A pair with a missing side is left out, and a note counts such pairs.

    Args:
        rows: Rows of `sessions`; read once.
        surveys: Rows of `surveys`, or any mappings with `participant_id` and `Q33`.
        confidence: Level of the intervals, between 0 and 1.
        method: `expanded`, `percentile` or `bca`.
        rounds: Rounds of the bootstrap.
        rng: A generator, or a seed for one; None is seed 0. The same seed gives the same
            intervals, whatever the order of the rows.

    Returns:
        The four relations, in this order.

    Raises:
        ValueError: An option of the intervals is out of its range, or a row is no row of
            `sessions`.
    """
    resampling = Resampling(
        confidence=confidence, method=method, rounds=rounds, rng=make_generator(rng)
    )
    return [_relate_pairs(p, resampling=resampling) for p in relation_pairs(rows, surveys=surveys)]


def relation_pairs(rows: Iterable[Row], *, surveys: Iterable[Row] = ()) -> list[RelationPairs]:
    """The pairs behind the four relations of `relate`, such as a figure shows.

    Args:
        rows: Rows of `sessions`; read once.
        surveys: Rows of `surveys`, or any mappings with `participant_id` and `Q33`.

    Returns:
        The four, in this order.

    Raises:
        ValueError: A row is no row of `sessions`.
    """
    sessions = [_read_session(row) for row in rows]
    plans = {str(row["participant_id"]): row.get("Q33") for row in surveys}
    published = (
        ("burstiness, session 1 ~ session 2", _repeat_pairs(sessions), 0.59, ""),
        ("burstiness ~ solo lead-in", _pairs(sessions, "burstiness", "lead_in"), 0.35, "< .001"),
        ("solo lead-in ~ clear plan (Q33)", _plan_pairs(sessions, plans), 0.53, "< .001"),
        ("topology ~ collaboration rating", _pairs(sessions, "topology", "rating"), -0.24, "< .05"),
    )
    return [
        _known_pairs(name, pairs, published_rho=rho, published_p=p)
        for name, pairs, rho, p in published
    ]


def spearman_interval(
    x: Sequence[float], y: Sequence[float], *, groups: Sequence[str], resampling: Resampling
) -> Intervals:
    """The interval of Spearman's rho, drawing whole groups with replacement.

    Ranks are taken anew in every round. A round in which a side is constant has no rho and is
    left out.

    Args:
        x: One side, n finite values.
        y: The other side.
        groups: The group (participant) of each pair.
        resampling: Confidence, method, rounds and generator.

    Returns:
        The ends under the name `rho`; both `nan`, with a note, for fewer than two groups.

    Raises:
        ValueError: The lengths differ.
    """
    if not len(x) == len(y) == len(groups):
        raise ValueError(
            f"x, y, groups: found {len(x)}, {len(y)} and {len(groups)} values; "
            "expected the same number of each."
        )
    names, members = np.unique(np.asarray(groups, dtype=str), return_inverse=True)
    below_x, below_y = _below(np.asarray(x, dtype=float)), _below(np.asarray(y, dtype=float))

    def correlate(weights: Floats) -> dict[str, Floats]:
        rho = _weighted_correlation(weights, weights @ below_x, weights @ below_y)
        return {"rho": rho}

    # A cluster's "counts" say which pairs are its own, so a round's are how often each was drawn.
    own = (np.arange(len(names))[:, None] == members[None, :]).astype(np.float64)
    clusters = Clusters(own, np.ones(len(names), dtype=np.int64))
    return cluster_intervals(correlate, clusters, resampling=resampling)


def _below(values: Floats) -> Floats:
    """[j, i]: how much a copy of pair j adds to the mid-rank of pair i."""
    greater = (values[None, :] > values[:, None]).astype(np.float64)
    equal = (values[None, :] == values[:, None]).astype(np.float64)
    shares: Floats = greater + 0.5 * equal
    return shares


def _weighted_correlation(weights: Floats, x: Floats, y: Floats) -> Floats:
    """Pearson's correlation of each row of x and y, weighted; `nan` where a side is constant."""
    total = weights.sum(axis=1, keepdims=True)
    dx = x - (weights * x).sum(axis=1, keepdims=True) / total
    dy = y - (weights * y).sum(axis=1, keepdims=True) / total
    spread_x = (weights * dx * dx).sum(axis=1)
    spread_y = (weights * dy * dy).sum(axis=1)
    product = np.sqrt(spread_x * spread_y)
    # Ranks are multiples of one half: a spread below this is one of rounding.
    product[(spread_x < 1e-6) | (spread_y < 1e-6)] = math.nan
    return np.asarray((weights * dx * dy).sum(axis=1) / product)


def _read_session(row: Row) -> _Session:
    for column in ("participant_id", "session", "segments", "responses", "steps"):
        need_column(row, column)
    ratings = [(step.get("collaboration") or {}).get("rating") for step in row["steps"]]
    known = [float(rating) for rating in ratings if rating is not None]
    measured = measure_dynamics([row])[0]
    return _Session(
        participant=str(row["participant_id"]),
        session=int(row["session"]),
        burstiness=measured.burstiness,
        topology=measured.topology,
        lead_in=measured.solo_lead_in,
        rating=sum(known) / len(known) if known else math.nan,
    )


def _repeat_pairs(sessions: Sequence[_Session]) -> list[_Pair]:
    values = {(s.participant, s.session): s.burstiness for s in sessions}
    return [
        _Pair(
            x=values.get((person, 1), math.nan),
            y=values.get((person, 2), math.nan),
            participant=person,
        )
        for person in dict.fromkeys(s.participant for s in sessions)
    ]


def _pairs(sessions: Sequence[_Session], x: str, y: str) -> list[_Pair]:
    """A pair a session, of two of its measures."""
    return [_Pair(x=getattr(s, x), y=getattr(s, y), participant=s.participant) for s in sessions]


def _plan_pairs(sessions: Sequence[_Session], plans: Mapping[str, Any]) -> list[_Pair]:
    lead_ins: dict[str, list[float]] = {}
    for session in sessions:
        known = lead_ins.setdefault(session.participant, [])
        if not math.isnan(session.lead_in):
            known.append(session.lead_in)
    return [
        _Pair(
            x=math.fsum(values) / len(values) if values else math.nan,
            y=math.nan if plans.get(person) is None else float(plans[person]),
            participant=person,
        )
        for person, values in lead_ins.items()
    ]


def _known_pairs(
    name: str, pairs: Sequence[_Pair], *, published_rho: float, published_p: str
) -> RelationPairs:
    known = [pair for pair in pairs if not (math.isnan(pair.x) or math.isnan(pair.y))]
    # The order of rows must not reach the draws or the sums.
    known.sort(key=lambda pair: (pair.participant, pair.x, pair.y))
    return RelationPairs(
        name=name,
        x=tuple(pair.x for pair in known),
        y=tuple(pair.y for pair in known),
        participants=tuple(pair.participant for pair in known),
        num_missing=len(pairs) - len(known),
        published_rho=published_rho,
        published_p=published_p,
    )


def _relate_pairs(pairs: RelationPairs, *, resampling: Resampling) -> Relation:
    notes = []
    if pairs.num_missing:
        total = len(pairs.x) + pairs.num_missing
        notes.append(f"{pairs.num_missing} of {total} pairs lack a value")
    num_people = len(set(pairs.participants))
    rho = p_value = low = high = math.nan
    if why := pairs.why_no_rho():
        notes.append(why)
    else:
        rho, p_value = _spearman(pairs.x, pairs.y)
        ends = spearman_interval(pairs.x, pairs.y, groups=pairs.participants, resampling=resampling)
        low, high = ends.low["rho"], ends.high["rho"]
        notes += ends.notes
        if 1 < num_people < _FEW:
            notes.append(f"{num_people} participants are too few to trust the interval")
    return Relation(
        name=pairs.name,
        rho=rho,
        p_value=p_value,
        low=low,
        high=high,
        num_pairs=len(pairs.x),
        num_participants=num_people,
        published_rho=pairs.published_rho,
        published_p=pairs.published_p,
        notes=tuple(notes),
    )


def _spearman(x: Sequence[float], y: Sequence[float]) -> tuple[float, float]:
    from scipy import stats

    with warnings.catch_warnings():
        # Perfect order: the t statistic divides by zero, and p is 0 as it should be.
        warnings.simplefilter("ignore", RuntimeWarning)
        result = stats.spearmanr(x, y)
    return float(result.statistic), float(result.pvalue)
