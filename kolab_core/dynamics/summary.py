"""All rows in one result: the measures, their intervals and the details, as builtin values."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kolab_core.dynamics.units import MEASURES, By, Dynamics, measure_dynamics, pool_dynamics
from kolab_core.scores.bootstrap import Clusters, Intervals, Resampling, cluster_intervals
from kolab_core.scores.tasks import read_groups

__all__ = ["summarise_dynamics"]

Floats = NDArray[np.float64]
_MEANS = ("burstiness", "topology", "solo_lead_in")


def summarise_dynamics(
    rows: Sequence[Mapping[str, Any]],
    *,
    by: By = "session",
    confidence: float | None = None,
    groups: object | None = None,
    method: str = "expanded",
    rounds: int = 10_000,
    rng: np.random.Generator | int | None = None,
) -> dict[str, Any]:
    """The five measures of all rows together, and of each unit.

    Burstiness, topology and lead-in are means of the rows that have a value, whatever `by` is;
    retention is of all their responses.

    Args:
        rows: Rows of `sessions`, or of an experiment (topology alone).
        by: What the details are of: `session`, `step`, `participant` or `sector`.
        confidence: The share of the intervals, like 0.95; None for none.
        groups: What is resampled, one id a row; by default the rows' `participant_id`.
        method: `expanded`, `percentile` or `bca`.
        rounds: Bootstrap rounds.
        rng: A generator, or a seed for one; None is seed 0.

    Returns:
        Builtin values by name: the five `MEASURES`, with `confidence` each with `_low` and
        `_high`; `n` rows; the counts of `Dynamics`; `per_<by>`, a list of the units' own; `notes`.

    Raises:
        ValueError: No row, an option out of its range, or rows that do not suit `by`.
        TypeError: `groups` is no column, or `rng` no generator.
    """
    if not rows:
        raise ValueError("rows: found 0; expected at least 1.")
    resampling = Resampling(confidence=confidence, method=method, rounds=rounds, rng=rng)
    sessions = measure_dynamics(rows)
    units = measure_dynamics(rows, by=by)
    whole = _as_fields(pool_dynamics(sessions, unit="all"))
    notes = [*whole.pop("notes")]
    if len(sessions) == 1:
        notes = list(sessions[0].notes)
    del whole["unit"]
    result = {name: whole.pop(name) for name in MEASURES}
    if confidence is not None:
        people = read_groups("groups", groups, num_rows=len(rows)) or [_group_of(r) for r in rows]
        intervals = _intervals(sessions, people, resampling)
        for name in MEASURES:
            result[f"{name}_low"] = intervals.low[name]
            result[f"{name}_high"] = intervals.high[name]
        result["n_groups"] = len(set(people))
        notes += intervals.notes
    result["n"] = whole.pop("num_rows")
    details = [_as_fields(unit) for unit in units]
    return {**result, **whole, f"per_{by}": details, "notes": notes}


def _as_fields(unit: Dynamics) -> dict[str, Any]:
    return {**dataclasses.asdict(unit), "notes": list(unit.notes)}


def _group_of(row: Mapping[str, Any]) -> str:
    return str(row.get("participant_id") or row.get("session_id") or row.get("id"))


def _intervals(
    sessions: Sequence[Dynamics], people: Sequence[str], resampling: Resampling
) -> Intervals:
    """Every measure is a ratio of sums over sessions, so a cluster is its sums."""
    names = sorted(set(people))
    sums = np.zeros((len(names), 2 * len(_MEANS) + 3))
    for person, session in sorted(zip(people, sessions, strict=True), key=lambda p: p[1].unit):
        row = sums[names.index(person)]
        for index, name in enumerate(_MEANS):
            value = getattr(session, name)
            if not math.isnan(value):
                row[2 * index : 2 * index + 2] += value, 1
        row[-3:] += session.num_adopt, session.num_modify, session.num_responses
    clusters = Clusters(sums, np.ones(len(names), dtype=np.int64))
    return cluster_intervals(_ratios, clusters, resampling=resampling)


def _ratios(sums: Floats) -> dict[str, Floats]:
    def divide(above: Floats, below: Floats) -> Floats:
        result = np.full(above.shape, np.nan)
        np.divide(above, below, out=result, where=below > 0)
        return result

    ratios = {
        name: divide(sums[:, 2 * index], sums[:, 2 * index + 1])
        for index, name in enumerate(_MEANS)
    }
    ratios["retention_adopt"] = divide(sums[:, -3], sums[:, -1])
    ratios["retention_modify"] = divide(sums[:, -2], sums[:, -1])
    return ratios
