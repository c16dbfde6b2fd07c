"""Several runs of one model: the mean of every score and its standard deviation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

__all__ = ["summarise_runs"]


def summarise_runs(
    results: Sequence[Mapping[str, Any]], *, ddof: int = 1, names: Sequence[str] | None = None
) -> dict[str, Any]:
    """Mean and standard deviation over the results of several runs, as the paper's tables print.

    Args:
        results: One result a run, as the scoring functions give them, all with the same keys.
        ddof: What is taken off the number of runs in the divisor of the variance.
        names: What the runs are called in notes; by default their positions from 0.

    Returns:
        Each score (a float) as its mean, with `<score>_std` beside it; counts (integers) as they
        are if all runs agree, else their mean; tables of counts as the mean of each cell; texts as
        they are if all runs agree, else a list; p values, which have no mean, as a list; `n_runs`;
        `notes` of all runs, each once, with the runs that it is of unless it is of all. Intervals
        of single runs have no mean and are left out, with a note. A score that is NaN in one run
        is NaN. With too few runs for `ddof` every standard deviation is NaN, with a note.

    Raises:
        ValueError: No result, results with different keys, or a negative `ddof`.

    Examples:
        >>> summarise_runs([{"mae": 0.5, "n": 4}, {"mae": 0.75, "n": 4}], ddof=0)
        {'mae': 0.625, 'mae_std': 0.125, 'n': 4, 'n_runs': 2, 'notes': []}
    """
    if not results:
        raise ValueError("results: found 0 runs; expected at least 1.")
    if isinstance(ddof, bool) or not isinstance(ddof, int | np.integer) or ddof < 0:
        raise ValueError(f"ddof: found {ddof!r}; expected a whole number from 0.")
    names = [str(index) for index in range(len(results))] if names is None else names
    keys = list(results[0])
    for name, result in zip(names, results, strict=True):
        if different := set(keys) ^ set(result):
            raise ValueError(
                f"results: run {name} and run {names[0]} differ in {sorted(different)[0]!r}; "
                "expected the same scores of each."
            )
    ends = {
        f"{key}_{end}"
        for key in keys
        for end in ("low", "high")
        if f"{key}_low" in results[0] and f"{key}_high" in results[0]
    }
    summary: dict[str, Any] = {}
    for key in keys:
        if key != "notes" and key not in ends:
            summary |= _summarise(key, [result[key] for result in results], ddof=ddof)
    notes = _merge_notes(results, names)
    if ends:
        notes.append("intervals of single runs are left out.")
    if len(results) <= ddof:
        plural = "" if len(results) == 1 else "s"
        notes.append(f"{len(results)} run{plural} with ddof={ddof}: standard deviations are nan.")
    return summary | {"n_runs": len(results), "notes": notes}


def _summarise(key: str, values: list[Any], *, ddof: int) -> dict[str, Any]:
    if key.endswith("_p"):
        return {key: values}
    if all(isinstance(value, float) for value in values):
        mean = math.fsum(values) / len(values)
        squares = math.fsum((value - mean) ** 2 for value in values)
        freedom = len(values) - ddof
        return {key: mean, f"{key}_std": math.sqrt(squares / freedom) if freedom > 0 else math.nan}
    if all(value == values[0] for value in values):
        return {key: values[0]}
    if all(isinstance(value, str) for value in values):
        return {key: values}
    mean_cells = np.mean(np.asarray(values, dtype=np.float64), axis=0)
    return {key: mean_cells.tolist()}


def _merge_notes(results: Sequence[Mapping[str, Any]], names: Sequence[str]) -> list[str]:
    runs_of: dict[str, list[str]] = {}
    for name, result in zip(names, results, strict=True):
        for note in result.get("notes", []):
            runs_of.setdefault(note, []).append(name)
    return [
        note if len(runs) == len(names) else f"run {', '.join(runs)}: {note}"
        for note, runs in runs_of.items()
    ]
