"""Paired permutation over counts: swap the two predictions of whole participants."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kolab_core.scores.bootstrap import BLOCK_CELLS, Clusters, Statistic

__all__ = ["TOLERANCE", "swap_p"]

# Two changes that differ by rounding alone count as equal.
TOLERANCE = 1e-12


def swap_p(
    change: Statistic,
    clusters: Clusters,
    swapped: NDArray[np.float64],
    *,
    rounds: int,
    rng: np.random.Generator,
) -> dict[str, float]:
    """Two-sided p of each change under swaps of a cluster's two predictions.

    Every subset of the clusters that a swap alters is tried if there are at most `rounds` subsets;
    p is then the exact share of changes at least as large either way. Otherwise subsets are drawn,
    and the observed one is counted among them, so that p is never 0 (Phipson and Smyth 2010,
    doi:10.2202/1544-6115.1585).

    Args:
        change: From counts, one row a round, to each score's change.
        clusters: Counts over pairs of predictions.
        swapped: `clusters.counts` with each pair the other way round.
        rounds: How many subsets to try.
        rng: The source of the draws.

    Returns:
        For each score its p; NaN for a single cluster or an undefined change.
    """
    observed = {name: float(v[0]) for name, v in change(clusters.total[None]).items()}
    if clusters.num_clusters < 2:
        return dict.fromkeys(observed, float("nan"))
    altered = np.any(swapped != clusters.counts, axis=1)
    times = clusters.multiplicity[altered]
    effect = (swapped - clusters.counts)[altered]
    is_exact = times.sum() < 63 and 1 << int(times.sum()) <= rounds
    if is_exact:
        effect = np.repeat(effect, times, axis=0)
        rounds = 1 << len(effect)
    block = max(1, BLOCK_CELLS // clusters.counts.shape[1])
    larger, defined = dict.fromkeys(observed, 0), dict.fromkeys(observed, 0)
    for start in range(0, rounds, block):
        stop = min(start + block, rounds)
        if is_exact:
            subsets = np.arange(start, stop)[:, None] >> np.arange(len(effect)) & 1
        else:
            subsets = rng.binomial(times, 0.5, size=(stop - start, len(times)))
        for name, values in change(clusters.total + subsets.astype(np.float64) @ effect).items():
            defined[name] += int((~np.isnan(values)).sum())
            larger[name] += int((np.abs(values) >= abs(observed[name]) - TOLERANCE).sum())
    counted = 0 if is_exact else 1
    return {
        name: float("nan")
        if np.isnan(observed[name])
        else (larger[name] + counted) / (defined[name] + counted)
        for name in observed
    }
