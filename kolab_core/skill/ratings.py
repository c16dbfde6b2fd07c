"""The skill model's constants, and its answers as tables: sides, groups, comparisons."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypedDict

import numpy as np
import numpy.typing as npt

__all__ = [
    "Comparison",
    "Group",
    "Rating",
    "Side",
    "SkillModel",
    "SkillTable",
    "make_side",
    "rank_scores",
]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

# Scores closer than this share of sigma0 share a rank: below it lies the rounding of the solver.
_TIE = 1e-9


@dataclass(frozen=True)
class SkillModel:
    """The model's constants.

    Attributes:
        beta: Standard deviation of an outcome given both skills; > 0.
        mu0: Prior mean of every skill.
        sigma0: Prior standard deviation of every skill; > 0.
        center: Whether the mean outcome is subtracted first, so that the prior does not pull
            whoever has few sessions towards a level far from the data.

    Raises:
        TypeError: A constant is no number.
        ValueError: A constant is not finite or not positive.
    """

    beta: float = 1.0
    mu0: float = 0.0
    sigma0: float = 1.0
    center: bool = False

    def __post_init__(self) -> None:
        for name in ("beta", "mu0", "sigma0"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float | np.number):
                raise TypeError(f"{name}: found {value!r}; expected a number.")
        for name in ("beta", "sigma0"):
            value = getattr(self, name)
            if not (value > 0 and 0 < value * value < math.inf):
                raise ValueError(f"{name}: found {value!r}; expected a finite number > 0.")
        if not math.isfinite(self.mu0):
            raise ValueError(f"mu0: found {self.mu0!r}; expected a finite number.")

    @property
    def ridge(self) -> float:
        """beta^2 / sigma0^2: the prior's weight, counted in outcomes."""
        return (self.beta / self.sigma0) ** 2


class Rating(TypedDict):
    """One entity's line of the table."""

    name: str
    mu: float
    sigma: float
    score: float
    rank: int
    num_sessions: int


class SkillTable(TypedDict):
    """What `collab_skill` computes; `groups` lists who can be compared with whom."""

    agents: list[Rating]
    humans: list[Rating]
    n: int
    groups: list[dict[str, object]]


@dataclass(frozen=True, eq=False)
class Side:
    """The ratings of one side, best first (equal scores by name).

    Attributes:
        names: Who.
        mu: float64, posterior means.
        sigma: float64, posterior standard deviations.
        rank: int64 from 1; equal scores share the better rank.
        num_sessions: int64.
        order: int64, each one's position in the evidence.
    """

    names: tuple[str, ...]
    mu: FloatArray
    sigma: FloatArray
    rank: IntArray
    num_sessions: IntArray
    order: IntArray

    @property
    def score(self) -> FloatArray:
        """The conservative score, mu - 3 sigma."""
        return np.asarray(self.mu - 3 * self.sigma)

    def ratings(self) -> list[Rating]:
        """One dictionary of plain numbers an entity."""
        columns = zip(
            self.names,
            self.mu.tolist(),
            self.sigma.tolist(),
            self.score.tolist(),
            self.rank.tolist(),
            self.num_sessions.tolist(),
            strict=True,
        )
        return [
            Rating(name=name, mu=mu, sigma=sigma, score=score, rank=rank, num_sessions=count)
            for name, mu, sigma, score, rank, count in columns
        ]


@dataclass(frozen=True)
class Group:
    """Entities linked by shared partners; scores of different groups are not comparable."""

    agents: tuple[str, ...]
    humans: tuple[str, ...]
    num_sessions: int


@dataclass(frozen=True)
class Comparison:
    """Is one skill greater than another?

    Attributes:
        probability: P(s_a > s_b) under the posterior, with the covariance of the two.
        probability_independent: The same without it.
        difference: Mean of s_a - s_b.
        sd: Standard deviation of s_a - s_b.
        correlation: Posterior correlation of the two skills.
        comparable: False when no chain of shared partners links the two: then the prior alone
            decides.
    """

    probability: float
    probability_independent: float
    difference: float
    sd: float
    correlation: float
    comparable: bool


def make_side(
    names: tuple[str, ...],
    *,
    means: FloatArray,
    variances: FloatArray,
    counts: FloatArray,
    model: SkillModel,
) -> Side:
    """Put one side in order.

    Args:
        names: Sorted names.
        means: float64, posterior means less mu0.
        variances: float64, posterior variances in units of beta^2.
        counts: float64, sessions.
        model: The constants.
    """
    mu = model.mu0 + means
    sigma = model.beta * np.sqrt(variances)
    scores = mu - 3 * sigma
    # Names are sorted already, and the sort is stable: ties stay in their order.
    ranks, order = _rank_in_order(scores, model.sigma0)
    return Side(
        names=tuple(map(names.__getitem__, order.tolist())),
        mu=mu[order],
        sigma=sigma[order],
        rank=ranks,
        num_sessions=counts[order].astype(np.int64),
        order=order,
    )


def rank_scores(scores: FloatArray, *, sigma0: float) -> IntArray:
    """Ranks from 1, the highest score first; scores equal up to rounding share the better rank."""
    in_order, order = _rank_in_order(scores, sigma0)
    ranks = np.empty_like(in_order)
    ranks[order] = in_order
    return ranks


def _rank_in_order(scores: FloatArray, sigma0: float) -> tuple[IntArray, IntArray]:
    """The ranks from the first on, and the positions that hold them (ties as they stand)."""
    keys = np.rint(scores / (-sigma0 * _TIE))
    order = keys.argsort(kind="stable")
    risen = keys[order]
    return risen.searchsorted(risen) + 1, order
