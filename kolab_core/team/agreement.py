"""How far judges agree on the sessions that several of them judged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

__all__ = ["JudgeAgreement", "JudgeBias", "JudgePair", "measure_agreement"]

_MIN_PAIRS = 3
_NAN = float("nan")


@dataclass(frozen=True)
class JudgePair:
    """Two judges on the sessions that both judged.

    Attributes:
        first: The judge whose name sorts first.
        second: The other.
        num_sessions: Sessions judged by both.
        pearson: Correlation of their totals; NaN below three sessions or for a constant judge.
        mean_abs_difference: Mean of |difference of totals|, in points.
        mean_difference: Mean of first - second, in points.
    """

    first: str
    second: str
    num_sessions: int
    pearson: float
    mean_abs_difference: float
    mean_difference: float


@dataclass(frozen=True)
class JudgeBias:
    """One judge against the others.

    Attributes:
        judge: Who.
        num_sessions: Sessions judged together with at least one other.
        bias: Mean of the judge's total - the mean of the others' totals of the same session.
        mean_total: Mean of the judge's totals.
    """

    judge: str
    num_sessions: int
    bias: float
    mean_total: float


@dataclass(frozen=True)
class JudgeAgreement:
    """All judges; pairs that share no session are left out.

    Attributes:
        pairs: By names.
        judges: By name.
        pearson: Over all pairs of totals of a session, each pair in both orders (so that it does
            not matter who is called first); NaN below three pairs.
        mean_abs_difference: Over all pairs of totals of a session, in points.
    """

    pairs: tuple[JudgePair, ...]
    judges: tuple[JudgeBias, ...]
    pearson: float
    mean_abs_difference: float


def measure_agreement(totals: Iterable[Mapping[str, float]]) -> JudgeAgreement:
    """Compare the judges' totals.

    Args:
        totals: For each session its judges' totals by name.

    Returns:
        Agreement of each pair and of all, and each judge's bias.

    Raises:
        ValueError: No session has two judges.
    """
    pairs: dict[tuple[str, str], list[tuple[float, float]]] = {}
    against: dict[str, list[tuple[float, float]]] = {}
    for session in totals:
        for first, second in combinations(sorted(session), 2):
            pairs.setdefault((first, second), []).append((session[first], session[second]))
        for judge, total in session.items():
            others = [other for name, other in session.items() if name != judge]
            if others:
                against.setdefault(judge, []).append((total, float(np.mean(others))))
    if not pairs:
        raise ValueError("totals: found no session with two judges; expected at least one.")
    every = np.array([pair for found in pairs.values() for pair in found], dtype=np.float64)
    return JudgeAgreement(
        pairs=tuple(_compare(*names, np.array(pairs[names])) for names in sorted(pairs)),
        judges=tuple(_bias(judge, np.array(against[judge])) for judge in sorted(against)),
        pearson=_pearson(np.vstack([every, every[:, ::-1]])) if len(every) >= _MIN_PAIRS else _NAN,
        mean_abs_difference=float(np.abs(every[:, 0] - every[:, 1]).mean()),
    )


def _compare(first: str, second: str, totals: np.ndarray[Any, Any]) -> JudgePair:
    gaps = totals[:, 0] - totals[:, 1]
    return JudgePair(
        first=first,
        second=second,
        num_sessions=len(totals),
        pearson=_pearson(totals) if len(totals) >= _MIN_PAIRS else _NAN,
        mean_abs_difference=float(np.abs(gaps).mean()),
        mean_difference=float(gaps.mean()),
    )


def _bias(judge: str, totals: np.ndarray[Any, Any]) -> JudgeBias:
    return JudgeBias(
        judge=judge,
        num_sessions=len(totals),
        bias=float((totals[:, 0] - totals[:, 1]).mean()),
        mean_total=float(totals[:, 0].mean()),
    )


def _pearson(totals: np.ndarray[Any, Any]) -> float:
    if np.ptp(totals[:, 0]) == 0 or np.ptp(totals[:, 1]) == 0:
        return _NAN
    from scipy import stats  # slow to import, and the reader of rows needs none of it

    return float(stats.pearsonr(totals[:, 0], totals[:, 1]).statistic)
