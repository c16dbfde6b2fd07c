"""Several models on the same rows: every pair compared, and p values that many looks allow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kolab_core.scores.context import compare_predictions

__all__ = ["add_holm_p", "compare_models", "holm"]


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """P values adjusted for their number, so that the chance of any false one keeps its level.

    The smallest is multiplied by their number, the next by one less, and so on; none falls below
    one before it, and none exceeds 1. NaN stays NaN and does not count.

    Args:
        p_values: Shape [n], each in [0, 1] or NaN.

    Returns:
        Shape [n], in the same order.

    Examples:
        >>> holm([0.01, 0.04, 0.03]).round(12).tolist()
        [0.03, 0.06, 0.06]

    References:
        Holm (1979), A simple sequentially rejective multiple test procedure.
    """
    given = np.asarray(p_values, dtype=np.float64)
    adjusted = np.full(given.shape, np.nan)
    order = np.argsort(given, kind="stable")[: np.count_nonzero(~np.isnan(given))]
    factors = np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(factors * given[order]), 1)
    return adjusted


def compare_models(
    predictions: Mapping[str, object], references: object, **options: Any
) -> list[dict[str, Any]]:
    """Compare every two of several models on the same rows.

    Args:
        predictions: Model → one answer a row; at least two.
        references: One true label or rating a row.
        **options: Those of `compare_predictions`.

    Returns:
        For each pair, in the order given, `first`, `second`, what `compare_predictions` gives, and
        for each score `<score>_holm_p`: its permutation p, adjusted over all pairs (`holm`).

    Raises:
        ValueError: Fewer than two models; and what `compare_predictions` raises.
        TypeError: As there.

    Examples:
        >>> pairs = compare_models(
        ...     {"a": ["adopt", "modify"], "b": ["adopt", "adopt"], "c": ["modify", "modify"]},
        ...     ["adopt", "modify"], groups=["P01", "P02"])
        >>> [(pair["first"], pair["second"], pair["macro_f1_holm_p"]) for pair in pairs]
        [('a', 'b', 1.0), ('a', 'c', 1.0), ('b', 'c', 1.0)]
    """
    if len(predictions) < 2:
        raise ValueError(f"predictions: found {len(predictions)} models; expected at least 2.")
    pairs = [
        {"first": first, "second": second}
        | compare_predictions(predictions[first], predictions[second], references, **options)
        for first, second in combinations(predictions, 2)
    ]
    add_holm_p(pairs)
    return pairs


def add_holm_p(results: Sequence[dict[str, Any]]) -> None:
    """Add `<score>_holm_p` to results of `compare_predictions`, each score over all of them."""
    end = "_permutation_p"
    for key in [key for key in results[0] if key.endswith(end)] if results else ():
        adjusted = holm([result[key] for result in results])
        for result, p in zip(results, adjusted, strict=True):
            result[f"{key.removesuffix(end)}_holm_p"] = float(p)
