"""Cluster bootstrap over counts: no round of it touches a row.

Every score here is a function of how often each combination of true and predicted value occurs, so
a cluster (a participant) is one row of counts, a round is a vector of how often each cluster was
drawn, and all rounds are one matrix product.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtrit

__all__ = [
    "BLOCK_CELLS",
    "METHODS",
    "Clusters",
    "Intervals",
    "Resampling",
    "Statistic",
    "bootstrap_rounds",
    "cluster_counts",
    "cluster_intervals",
    "make_generator",
]

Counts = NDArray[np.float64]
Statistic = Callable[[Counts], dict[str, NDArray[np.float64]]]

METHODS = ("expanded", "percentile", "bca")
# Counts of one block of rounds: 2^21 float64 are 16 MB, and a few arrays of that size live at once.
BLOCK_CELLS = 1 << 21
# Matrix products up to this many multiplications run on one thread and in the cache: ten times as
# fast as one large product on a machine whose cores have other work (measured with OpenBLAS 0.3).
_SMALL_PRODUCT = 1 << 18
_FEWEST_ROUNDS = 64
# A binomial draw costs about as much as this many uniform integers (measured with NumPy 2.4).
_BINOMIAL_COST = 12


@dataclass(frozen=True)
class Clusters:
    """The counts of every cluster, equal ones merged, in an order that no row order changes.

    Attributes:
        counts: One distinct row of counts a row, in lexicographic order.
        multiplicity: How many clusters have these counts.
        sizes: How many rows each distinct cluster has; None counts them as equal.
    """

    counts: Counts
    multiplicity: NDArray[np.int64]
    sizes: NDArray[np.float64] | NDArray[np.intp] | None = None

    @property
    def num_clusters(self) -> int:
        """How many clusters there are."""
        return int(self.multiplicity.sum())

    @property
    def effective_number(self) -> float:
        """How many clusters of equal size tell as much: Kish's (Σ size)² / Σ size²."""
        sizes = np.ones(len(self.counts)) if self.sizes is None else self.sizes
        squares = self.multiplicity @ sizes**2
        return float((self.multiplicity @ sizes) ** 2 / squares) if squares else 0.0

    @property
    def total(self) -> Counts:
        """The counts of all clusters together."""
        return self.multiplicity @ self.counts


@dataclass(frozen=True)
class Resampling:
    """How intervals are made.

    Attributes:
        confidence: The share of the interval, in (0, 1); None for no interval.
        method: `expanded` (percentile, at Student's t), `percentile` or `bca` (bias-corrected and
            accelerated).
        rounds: How often the clusters are drawn again.
        rng: The generator, or a seed for one; None is the seed 0.

    Raises:
        ValueError: One of them is out of its range.
        TypeError: `rng` is no generator and no seed.
    """

    confidence: float | None = None
    method: str = METHODS[0]
    rounds: int = 10_000
    rng: np.random.Generator | int | None = None

    def __post_init__(self) -> None:
        if self.confidence is not None and not (
            isinstance(self.confidence, float | int | np.floating) and 0 < self.confidence < 1
        ):
            raise ValueError(
                f"confidence: found {self.confidence!r}; "
                "expected a number between 0 and 1, like 0.95."
            )
        if str(self.method).lower() not in METHODS:
            known = " or ".join([", ".join(map(repr, METHODS[:-1])), repr(METHODS[-1])])
            raise ValueError(f"method: found {self.method!r}; expected {known}.")
        if not _is_whole(self.rounds) or self.rounds < 1:
            raise ValueError(f"rounds: found {self.rounds!r}; expected a whole number from 1.")
        make_generator(self.rng)


@dataclass(frozen=True)
class Intervals:
    """An interval for each score.

    Attributes:
        low: The lower ends, NaN where there is none.
        high: The upper ends, likewise.
        drawn: Each score in each round; empty if nothing could be resampled.
        notes: What to know of them.
    """

    low: dict[str, float]
    high: dict[str, float]
    drawn: dict[str, NDArray[np.float64]]
    notes: list[str]


def make_generator(rng: np.random.Generator | int | None) -> np.random.Generator:
    """The generator itself, one from a seed, or that of seed 0 for None.

    Raises:
        ValueError: A negative seed.
        TypeError: Something else.
    """
    if isinstance(rng, np.random.Generator):
        return rng
    if rng is None or (isinstance(rng, int | np.integer) and not isinstance(rng, bool)):
        if rng is not None and rng < 0:
            raise ValueError(f"rng: found the seed {rng}; expected a whole number from 0.")
        return np.random.default_rng(rng or 0)
    raise TypeError(
        f"rng: found {type(rng).__name__}; expected a numpy.random.Generator or a seed."
    )


def cluster_counts(
    cells: NDArray[np.intp], *, num_cells: int, groups: Sequence[str] | None
) -> Clusters:
    """Count each cluster's rows by cell.

    Args:
        cells: For each row, which combination of values it holds, in [0, num_cells).
        num_cells: How many combinations there are.
        groups: The cluster of each row; None makes each row a cluster of its own.
    """
    if groups is None:
        multiplicity = np.bincount(cells, minlength=num_cells)
        present = np.flatnonzero(multiplicity)
        return Clusters(np.eye(num_cells)[present], multiplicity[present].astype(np.int64))
    index_of = {group: index for index, group in enumerate(dict.fromkeys(groups))}
    index = np.fromiter((index_of[group] for group in groups), dtype=np.intp, count=len(groups))
    size = len(index_of) * num_cells
    counts = np.bincount(index * num_cells + cells, minlength=size).reshape(-1, num_cells)
    distinct, multiplicity = np.unique(counts, axis=0, return_counts=True)
    return Clusters(
        distinct.astype(np.float64), multiplicity.astype(np.int64), distinct.sum(axis=1)
    )


def bootstrap_rounds(
    statistic: Statistic, clusters: Clusters, *, rounds: int, rng: np.random.Generator
) -> dict[str, NDArray[np.float64]]:
    """Each score in each round; as many clusters as there are, drawn with replacement.

    Args:
        statistic: From counts, one row a round, to each score's values.
        clusters: What is drawn.
        rounds: How often.
        rng: The source of the draws.

    Returns:
        For each score an array of `rounds` values; NaN where the drawn rows leave it undefined.
    """
    block = max(1, BLOCK_CELLS // clusters.counts.shape[1])
    blocks = []
    for start in range(0, rounds, block):
        draws = _draw(clusters, rounds=min(block, rounds - start), rng=rng)
        counts = np.concatenate([weights @ clusters.counts for weights in draws])
        blocks.append(statistic(counts))
    return {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}


def cluster_intervals(
    statistic: Statistic, clusters: Clusters, *, resampling: Resampling
) -> Intervals:
    """An interval for every score that `statistic` gives.

    Rounds in which a score is undefined (no row of its class was drawn) are left out of its
    interval, and a note counts them. With a single cluster there is nothing to resample: every end
    is NaN and a note says so. `expanded` takes quantiles further out, as the bootstrap of few
    clusters is too narrow (Hesterberg 2015). `bca` follows Efron (1987), with ties with the point
    estimate counted by half and the acceleration from leaving out each cluster in turn.

    Args:
        statistic: From counts, one row a round, to each score's values.
        clusters: What is resampled.
        resampling: Confidence, method, rounds and generator; `confidence` is not None.

    References:
        Davison and Hinkley (1997), Bootstrap Methods and their Application, sections 3.8 and 5.3.
        Efron (1987), doi:10.1080/01621459.1987.10478410, equations 2.3 and 6.6.
        Hesterberg (2015), doi:10.1080/00031305.2015.1089789, section 5.3.
    """
    point = {name: float(value[0]) for name, value in statistic(clusters.total[None]).items()}
    nowhere = dict.fromkeys(point, float("nan"))
    if clusters.num_clusters < 2:
        return Intervals(nowhere, dict(nowhere), {}, ["one group only: intervals are nan."])
    drawn = bootstrap_rounds(
        statistic, clusters, rounds=int(resampling.rounds), rng=make_generator(resampling.rng)
    )
    level = float(resampling.confidence or 0.95)
    method = str(resampling.method).lower()
    use_bca = method == "bca"
    acceleration = _acceleration(statistic, clusters) if use_bca else nowhere
    low, high = dict(nowhere), dict(nowhere)
    left_out: dict[int, list[str]] = {}
    for name, values in drawn.items():
        defined = values[~np.isnan(values)]
        if np.isnan(point[name]) or not defined.size:
            continue
        tails = np.array([(1 - level) / 2, (1 + level) / 2])
        if method == "expanded":
            tails = _expanded_tails(tails, clusters)
        elif use_bca:
            tails = _bca_tails(tails, defined, point[name], acceleration[name])
        ends = np.quantile(defined, tails)
        low[name], high[name] = float(ends[0]), float(ends[1])
        if undefined := values.size - defined.size:
            left_out.setdefault(undefined, []).append(name)
    notes = [
        f"{', '.join(names)}: undefined in {number} of {int(resampling.rounds)} rounds, left out."
        for number, names in left_out.items()
    ]
    return Intervals(low, high, drawn, notes)


def _is_whole(value: object) -> bool:
    """Whether a value is a whole number, as an integer or a float (`1e4`)."""
    if isinstance(value, float | np.floating):
        return bool(value.is_integer())
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _draw(clusters: Clusters, *, rounds: int, rng: np.random.Generator) -> Iterator[Counts]:
    """How often each distinct cluster is drawn, in blocks of rounds that fit in the cache."""
    num, distinct = clusters.num_clusters, len(clusters.multiplicity)
    by_integers = num <= _BINOMIAL_COST * distinct
    products = clusters.counts.size
    size = max(_FEWEST_ROUNDS, min(_SMALL_PRODUCT // products, _SMALL_PRODUCT // num))
    which = np.repeat(np.arange(distinct), clusters.multiplicity)
    shares = clusters.multiplicity / num
    for start in range(0, rounds, size):
        block = min(size, rounds - start)
        if by_integers:
            drawn = which[rng.integers(num, size=(block, num))]
            drawn += distinct * np.arange(block)[:, None]
            weights = np.bincount(drawn.ravel(), minlength=block * distinct)
            yield weights.reshape(block, distinct).astype(np.float64)
        else:
            yield rng.multinomial(num, shares, size=block).astype(np.float64)


def _acceleration(statistic: Statistic, clusters: Clusters) -> dict[str, float]:
    """A sixth of the skewness of the scores with one cluster left out; 0 where they are equal."""
    num, distinct = clusters.num_clusters, len(clusters.multiplicity)
    size = max(1, BLOCK_CELLS // clusters.counts.shape[1])
    blocks = [
        statistic(clusters.total - clusters.counts[start : start + size])
        for start in range(0, distinct, size)
    ]
    result = {}
    for name in blocks[0]:
        values = np.concatenate([block[name] for block in blocks])
        weights = np.where(np.isnan(values), 0, clusters.multiplicity)
        values = np.where(np.isnan(values), 0, values)
        gaps = weights @ values / max(weights.sum(), 1) - values
        spread = float(weights @ gaps**2) ** 1.5
        # Rounding alone must not make a skewness out of equal values.
        flat = spread <= (1e-12 * np.sqrt(num)) ** 3
        result[name] = 0.0 if flat else float(weights @ gaps**3) / (6 * spread)
    return result


def _expanded_tails(tails: NDArray[np.float64], clusters: Clusters) -> NDArray[np.float64]:
    """Which quantiles stand where Student's t would put the ends.

    The bootstrap's spread is too small by sqrt((n - 1) / n), and a normal quantile is nearer than
    one of t. Its degrees of freedom are one less than the number of clusters, as far as their sizes
    let all of them count.
    """
    n, freedom = clusters.num_clusters, max(1.0, clusters.effective_number - 1)
    return np.asarray(ndtr(np.sqrt(n / (n - 1)) * stdtrit(freedom, tails)), dtype=np.float64)


def _bca_tails(
    tails: NDArray[np.float64], drawn: NDArray[np.float64], point: float, acceleration: float
) -> NDArray[np.float64]:
    """Which quantiles of the drawn scores are the ends of the BCa interval."""
    below = (np.mean(drawn < point - 1e-12) + np.mean(drawn <= point + 1e-12)) / 2
    bias = ndtri(below)
    if np.isinf(bias):
        # Every round lies on one side of the estimate: the interval shrinks to that end.
        return np.full(2, 1.0 if bias > 0 else 0.0)
    shifted = bias + ndtri(tails)
    adjusted = ndtr(bias + shifted / (1 - acceleration * shifted))
    return np.asarray(adjusted, dtype=np.float64)
