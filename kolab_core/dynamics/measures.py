"""How a session unfolds: burstiness, topology, retention and solo lead-in, from rows of `sessions`.

A row is what the `sessions` config gives (only its `segments`, `graph` and `responses` are read
here). A row of an experiment holds no responses and no segments: it gives topology alone. What
cannot be measured is `nan`; nothing is ever 0 for want of data.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kolab_core.scores.parsing import LABELS

__all__ = [
    "Retention",
    "Topology",
    "burstiness",
    "interaction_times",
    "name_row",
    "need_column",
    "retention",
    "solo_lead_in",
    "step_clock",
    "step_lead_ins",
    "topology",
]

# Gaps whose spread is below this share of their mean differ by rounding alone.
_EQUAL = 1e-9

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Topology:
    """W = Br/|E|: how often the workflow branches.

    Attributes:
        value: W in [0, 0.5]; `nan` without an edge.
        num_branches: Br, the nodes with more than one outgoing edge.
        num_edges: |E|.
    """

    value: float
    num_branches: int
    num_edges: int


@dataclass(frozen=True)
class Retention:
    """R_A = N_adopt/N and R_M = N_modify/N: how much of the agent's output survives.

    Attributes:
        adopt: R_A in [0, 1]; `nan` without a response.
        modify: R_M in [0, 1]; `nan` without a response.
        num_adopt: Responses labelled adopt.
        num_modify: Responses labelled modify.
        num_responses: N, all labelled responses, the rejecting ones with them.
    """

    adopt: float
    modify: float
    num_adopt: int
    num_modify: int
    num_responses: int


def burstiness(times: ArrayLike) -> float:
    """B = (σ − μ)/(σ + μ) of the intervals between events.

    −1 for equal intervals, near 0 for a Poisson stream, towards 1 for bursts (with m intervals at
    most (√(m−1) − 1)/(√(m−1) + 1)). σ is the intervals' own spread (`ddof=0`): with one degree of
    freedom less, two intervals would already look more bursty than they are.

    Args:
        times: When the events happened, in any order and unit. Simultaneous events are kept: the
            interval between them is 0.

    Returns:
        B in [−1, 1). `nan` for fewer than three events, and where all of them are simultaneous
        (0/0).

    Raises:
        ValueError: A time is not a finite number.

    References:
        Goh and Barabási, "Burstiness and memory in complex systems", 2008,
        doi:10.1209/0295-5075/81/48002, equation 1; the Kolab paper, section 4.3.

    Examples:
        >>> burstiness([0, 10, 20, 30])
        -1.0
        >>> round(burstiness([0, 1, 2, 30]), 4)  # intervals 1, 1, 28: μ = 10, σ = √162
        0.12
        >>> burstiness([0, 10])
        nan
    """
    events = np.sort(np.asarray(times, dtype=np.float64).ravel())
    if not np.isfinite(events).all():
        raise ValueError("times: found a value that is not finite; expected finite numbers.")
    if events.size < 3:
        return math.nan
    gaps = np.diff(events)
    mean, spread = float(gaps.mean()), float(gaps.std())
    if mean == 0:
        return math.nan
    if spread <= _EQUAL * mean:
        return -1.0
    return (spread - mean) / (spread + mean)


def interaction_times(row: Row, *, step: int | None = None) -> list[float]:
    """The starts of a session's human-agent interaction events, in seconds, ascending.

    Events are the AI's occurrences and the human occurrences that are a source of an AI output or
    a response to one. An occurrence counts once, whatever number of responses names it; two
    occurrences that start together are two events.

    Args:
        row: A row of `sessions`.
        step: Only the events whose node lies in a segment of this planned step.

    Returns:
        One start per event; empty where nothing happened.

    Raises:
        ValueError: The row has no graph or no responses (a row of an experiment), or, with
            `step`, no segments.
    """
    graph = need_column(row, "graph")
    starts: dict[tuple[str, int], float] = {}
    for node in graph["nodes"]:
        if node["actor_type"] == "ai":
            for occurrence in node["occurrences"]:
                _add_start(starts, node_id=node["id"], start=occurrence["start"])
    for response in need_column(row, "responses"):
        for end in (response["source"], response["response"]):
            if end is not None:
                _add_start(starts, node_id=end["node_id"], start=end["start"])
    if step is not None:
        keys = {segment["key"] for segment in _segments_of(row, step)}
        # A node's id is `<segment key>/<id>`, and a key holds no `/`.
        starts = {e: start for e, start in starts.items() if e[0].partition("/")[0] in keys}
    return sorted(starts.values())


def topology(edges: Iterable[Mapping[str, Any]]) -> Topology:
    """W = Br/|E|, Br being the number of nodes with an out-degree above 1.

    Every edge counts, whatever its type: two edges between the same nodes are two, and a loop to
    the node itself is one.

    Args:
        edges: Mappings with `source` and `target`, such as a graph's `edges`.

    Returns:
        W with its numerator and denominator.

    Examples:
        >>> edges = [{"source": "a", "target": t} for t in "bc"] + [{"source": "b", "target": "c"}]
        >>> topology(edges).num_branches, topology(edges).num_edges
        (1, 3)
        >>> topology([]).value
        nan
    """
    degrees: dict[str, int] = {}
    for edge in edges:
        degrees[edge["source"]] = degrees.get(edge["source"], 0) + 1
    total = sum(degrees.values())
    branches = sum(degree > 1 for degree in degrees.values())
    return Topology(
        value=branches / total if total else math.nan, num_branches=branches, num_edges=total
    )


def retention(labels: Iterable[object]) -> Retention:
    """R_A and R_M over all labelled responses.

    Args:
        labels: `adopt`, `modify`, `reject` or their class indices 0, 1, 2; None is a response
            without a label and does not count.

    Returns:
        The two shares and their counts.

    Raises:
        ValueError: Another label.

    Examples:
        >>> kept = retention(["adopt", 0, "modify", 2])
        >>> kept.adopt, kept.modify, kept.num_responses
        (0.5, 0.25, 4)
        >>> retention([]).adopt
        nan
    """
    counts = [0, 0, 0]
    for label in labels:
        if label is not None:
            counts[_label_index(label)] += 1
    total = sum(counts)
    return Retention(
        adopt=counts[0] / total if total else math.nan,
        modify=counts[1] / total if total else math.nan,
        num_adopt=counts[0],
        num_modify=counts[1],
        num_responses=total,
    )


def step_lead_ins(row: Row) -> dict[int, float]:
    """Per planned step, the share of its time that passed before its first AI interaction.

    A step's time is the union of its segments: gaps between them are not part of it, and where two
    overlap the time counts once. Its first AI interaction is the first interaction event (see
    `interaction_times`) of a node in those segments, so the request counts, not the answer to it.
    A step without any was worked alone from its start to its end: 1.0. Segments outside the plan
    belong to no step; a step without time has no share.

    Returns:
        Step number → share in [0, 1], by number.

    Raises:
        ValueError: The row has no segments or no responses (a row of an experiment).
    """
    numbers = sorted({s["step"] for s in need_column(row, "segments") if s["step"] is not None})
    shares = {}
    for number in numbers:
        clock = step_clock(row, step=number)
        total = clock(math.inf)
        if total > 0:
            events = interaction_times(row, step=number)
            shares[number] = clock(events[0]) / total if events else 1.0
    return shares


def step_clock(row: Row, *, step: int) -> Callable[[float], float]:
    """A function from recording time to the seconds of the step that lie before it.

    Args:
        row: A row of `sessions`.
        step: A planned step's number.

    Returns:
        The clock: 0.0 before the step's first segment, standing still between its segments, the
        step's whole time after the last (at `math.inf`, say).

    Raises:
        ValueError: The row has no segments.
    """
    spans = _union((s["start"], s["end"]) for s in _segments_of(row, step))

    def clock(time: float) -> float:
        return math.fsum(max(0.0, min(end, time) - start) for start, end in spans)

    return clock


def solo_lead_in(row: Row) -> float:
    """The mean of `step_lead_ins` over the session's planned steps that have time.

    Four minutes into a step of ten is 0.4; every step weighs the same, however long.

    Returns:
        A share in [0, 1]; `nan` without a planned step that has time.

    Raises:
        ValueError: The row has no segments or no responses (a row of an experiment).
    """
    shares = step_lead_ins(row)
    return sum(shares.values()) / len(shares) if shares else math.nan


def name_row(row: Row) -> str:
    """What a row is called in results and messages."""
    return str(row.get("id") or row.get("session_id") or "row")


def need_column(row: Row, column: str) -> Any:
    """The column's value.

    Raises:
        ValueError: The row has none.
    """
    value = row.get(column)
    if value is None:
        raise ValueError(
            f"{name_row(row)}: found no {column}; expected a row of the 'sessions' config, which "
            "has them."
        )
    return value


def _segments_of(row: Row, step: int) -> list[Mapping[str, Any]]:
    return [segment for segment in need_column(row, "segments") if segment["step"] == step]


def _add_start(starts: dict[tuple[str, int], float], *, node_id: str, start: float) -> None:
    """Note an event, once an occurrence: a node's start to the millisecond tells which it is."""
    starts.setdefault((node_id, round(start * 1000)), float(start))


def _label_index(label: object) -> int:
    if isinstance(label, str) and label.lower() in LABELS:
        return LABELS.index(label.lower())
    if isinstance(label, int | np.integer) and not isinstance(label, bool) and 0 <= label <= 2:
        return int(label)
    raise ValueError(
        f"label: found {label!r}; expected 'adopt', 'modify', 'reject' or their index 0, 1, 2."
    )


def _union(spans: Iterable[tuple[float, float]]) -> Sequence[tuple[float, float]]:
    """Intervals sorted and merged; those without length go."""
    merged: list[tuple[float, float]] = []
    for start, end in sorted(span for span in spans if span[1] > span[0]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
