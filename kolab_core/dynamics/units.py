"""The measures of many rows: per session, step, participant or sector, with counts and notes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from kolab_core.dynamics.measures import (
    Retention,
    Topology,
    burstiness,
    interaction_times,
    name_row,
    retention,
    step_clock,
    step_lead_ins,
    topology,
)

__all__ = ["MEASURES", "By", "Dynamics", "measure_dynamics", "pool_dynamics", "trim_row"]

By = Literal["session", "step", "participant", "sector"]
MEASURES = ("burstiness", "topology", "retention_adopt", "retention_modify", "solo_lead_in")

# What the measures and the relations read of a row; `id` names a row of an experiment.
_COLUMNS = (
    "id",
    "session_id",
    "participant_id",
    "session",
    "sector",
    "steps",
    "segments",
    "graph",
    "responses",
)
_NO_RESPONSES = "the row holds no responses (only rows of 'sessions' do)"
_NO_SEGMENTS = "the row holds no segments (only rows of 'sessions' do)"

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Dynamics:
    """The five measures of one unit. What cannot be measured is `nan` and has a note.

    Attributes:
        unit: The session's id (a row of an experiment: the row's), `<session id>/step-<number>`,
            the participant's id or the sector.
        num_rows: Rows behind it; 1 for a session or a step.
        burstiness: B in [−1, 1).
        topology: W in [0, 0.5].
        retention_adopt: R_A in [0, 1].
        retention_modify: R_M in [0, 1].
        solo_lead_in: Share in [0, 1].
        num_events: Interaction events.
        num_branches: Nodes with more than one outgoing edge.
        num_edges: Edges.
        num_adopt: Responses labelled adopt.
        num_modify: Responses labelled modify.
        num_responses: Labelled responses.
        num_steps: Planned steps that have time.
        notes: One line per value that is `nan`, or that leaves rows out.
    """

    unit: str
    num_rows: int
    burstiness: float
    topology: float
    retention_adopt: float
    retention_modify: float
    solo_lead_in: float
    num_events: int
    num_branches: int
    num_edges: int
    num_adopt: int
    num_modify: int
    num_responses: int
    num_steps: int
    notes: tuple[str, ...]


def measure_dynamics(rows: Iterable[Row], *, by: By = "session") -> list[Dynamics]:
    """Measure rows of `sessions` (or topology alone, of rows of an experiment).

    A session's values are those of its whole graph and all its responses. A step's are of the
    nodes, edges and responses of its segments: its burstiness runs on the step's own clock (time
    spent elsewhere is taken out), and a response belongs to the step of the AI output it judges.
    Participants and sectors take the mean of their sessions' burstiness, topology and lead-in
    (those that have a value), and pool the responses: N is theirs all.

    Args:
        rows: Rows as `load_dataset("kolab", "sessions")` gives them; read once.
        by: What one result stands for.

    Returns:
        One result per unit, in order of first appearance (steps by number in a session). Empty
        for no rows.

    Raises:
        ValueError: `by` is unknown, a label is unknown, the rows have no segments and `by` is
            "step", or a row lacks the column it is grouped by.
    """
    if by not in get_args(By):
        raise ValueError(
            f"by: found {by!r}; expected 'session', 'step', 'participant' or 'sector'."
        )
    if by == "step":
        return [result for row in rows for result in _measure_steps(row)]
    if by == "session":
        return [_measure_session(row) for row in rows]
    groups: dict[str, list[Dynamics]] = {}
    for row in rows:
        name = row.get("participant_id" if by == "participant" else "sector")
        if name is None:
            raise ValueError(f"{name_row(row)}: found no {by}; expected one to group by.")
        groups.setdefault(str(name), []).append(_measure_session(row))
    return [pool_dynamics(sessions, unit=unit) for unit, sessions in groups.items()]


def trim_row(row: Row) -> dict[str, Any]:
    """The columns of a row that the measures and relations read; the others go (chat, video)."""
    return {name: row[name] for name in _COLUMNS if name in row}


def pool_dynamics(sessions: Sequence[Dynamics], *, unit: str) -> Dynamics:
    """One result of several sessions: means of B, W and lead-in, retention of all responses.

    Counts are summed. A mean leaves out the sessions that are `nan`, and a note says how many.
    """
    notes: list[str] = []
    bursts, shape, lead_in = (
        _mean_of([getattr(s, name) for s in sessions], name=name, notes=notes)
        for name in ("burstiness", "topology", "solo_lead_in")
    )
    counts = {
        name: sum(getattr(s, name) for s in sessions)
        for name in Dynamics.__dataclass_fields__
        if name.startswith("num_")
    }
    responses = counts["num_responses"]
    if not responses:
        notes.append("retention: nan, no labelled response in any row")
    return Dynamics(
        unit=unit,
        burstiness=bursts,
        topology=shape,
        solo_lead_in=lead_in,
        retention_adopt=counts["num_adopt"] / responses if responses else math.nan,
        retention_modify=counts["num_modify"] / responses if responses else math.nan,
        notes=tuple(notes),
        **counts,
    )


def _mean_of(values: Sequence[float], *, name: str, notes: list[str]) -> float:
    known = [value for value in values if not math.isnan(value)]
    if not known:
        notes.append(f"{name}: nan, it has a value in none of {len(values)} rows")
        return math.nan
    if len(known) < len(values):
        notes.append(f"{name}: the mean of the {len(known)} of {len(values)} rows that have it")
    return math.fsum(known) / len(known)


def _measure_session(row: Row) -> Dynamics:
    graph, responses = row.get("graph"), row.get("responses")
    has_events = graph is not None and responses is not None
    has_segments = has_events and row.get("segments") is not None
    return _assemble(
        name_row(row),
        times=interaction_times(row) if has_events else None,
        shape=topology(graph["edges"] if graph is not None else []),
        kept=None if responses is None else retention(r["label"] for r in responses),
        lead_ins=list(step_lead_ins(row).values()) if has_segments else None,
    )


def _measure_steps(row: Row) -> list[Dynamics]:
    """A result per planned step that has a segment."""
    graph, responses = row["graph"], row.get("responses")
    if responses is None or row.get("segments") is None:
        raise ValueError(
            f"{name_row(row)}: found no segments or responses; expected a row of the 'sessions' "
            "config to measure its steps."
        )
    steps = {segment["key"]: segment["step"] for segment in row["segments"]}
    lead_ins = step_lead_ins(row)

    def lies_in(number: int) -> Callable[[str], bool]:
        return lambda node_id: steps.get(node_id.partition("/")[0]) == number

    results = []
    for number in sorted({step for step in steps.values() if step is not None}):
        inside = lies_in(number)
        clock = step_clock(row, step=number)
        results.append(
            _assemble(
                f"{row['session_id']}/step-{number}",
                times=[clock(time) for time in interaction_times(row, step=number)],
                shape=topology(e for e in graph["edges"] if inside(e["source"])),
                kept=retention(r["label"] for r in responses if inside(r["target"]["node_id"])),
                lead_ins=[lead_ins[number]] if number in lead_ins else [],
            )
        )
    return results


def _assemble(
    unit: str,
    *,
    times: list[float] | None,
    shape: Topology,
    kept: Retention | None,
    lead_ins: list[float] | None,
) -> Dynamics:
    """Put a unit's parts together; None is a part that the row cannot give."""
    bursts = math.nan if times is None else burstiness(times)
    shares = kept if kept is not None else retention([])
    steps = lead_ins or []
    notes = []
    if times is None:
        notes.append(f"burstiness: nan, {_NO_RESPONSES}")
    elif math.isnan(bursts):
        few = f"{len(times)} interaction events; expected at least 3"
        notes.append(f"burstiness: nan, {few if len(times) < 3 else 'all events are simultaneous'}")
    if not shape.num_edges:
        notes.append("topology: nan, the graph has no edges")
    if not shares.num_responses:
        notes.append(
            f"retention: nan, {_NO_RESPONSES if kept is None else 'no labelled responses'}"
        )
    if not steps:
        notes.append(
            f"solo_lead_in: nan, {_NO_SEGMENTS if lead_ins is None else 'no planned step has time'}"
        )
    return Dynamics(
        unit=unit,
        num_rows=1,
        burstiness=bursts,
        topology=shape.value,
        retention_adopt=shares.adopt,
        retention_modify=shares.modify,
        solo_lead_in=sum(steps) / len(steps) if steps else math.nan,
        num_events=len(times or []),
        num_branches=shape.num_branches,
        num_edges=shape.num_edges,
        num_adopt=shares.num_adopt,
        num_modify=shares.num_modify,
        num_responses=shares.num_responses,
        num_steps=len(steps),
        notes=tuple(notes),
    )
