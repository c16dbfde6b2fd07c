"""Records as the nested values that rows hold: seconds instead of milliseconds, plain dicts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kolab_core.release import Edge, Node, Occurrence, Span, Turn, to_seconds
from kolab_core.rows.graph import CutGraph, clip_span

__all__ = [
    "answer_cell",
    "edge_cell",
    "graph_cell",
    "node_cell",
    "occurrence_cell",
    "span_cell",
    "turn_cell",
    "video_cell",
]

Cell = dict[str, Any]


def span_cell(span: Span) -> Cell:
    """`{start, end}` in seconds."""
    return {"start": to_seconds(span.start), "end": to_seconds(span.end)}


def occurrence_cell(occurrence: Occurrence | None, *, cut: int | None = None) -> Cell | None:
    """`{node_id, start, end}` in seconds, clipped to the cut if there is one; null for none."""
    if occurrence is None:
        return None
    span = occurrence.span if cut is None else clip_span(occurrence.span, cut)
    return {"node_id": occurrence.node.id, **span_cell(span)}


def node_cell(node: Node, occurrences: Sequence[Span], *, step_name: str | None) -> Cell:
    """A graph node with those of its occurrences, and that name of its step, that are given."""
    return {
        "id": node.id,
        "actor": node.actor,
        "actor_type": node.actor_type,
        "label": node.label,
        "detail": node.detail,
        "step": step_name,
        "occurrences": [span_cell(span) for span in occurrences],
    }


def edge_cell(edge: Edge) -> Cell:
    """`{source, target, type}`."""
    return {"source": edge.source, "target": edge.target, "type": edge.type}


def graph_cell(graph: CutGraph) -> Cell:
    """What a window shows of the graph."""
    return {
        "nodes": [
            node_cell(item.node, item.occurrences, step_name=item.step_name) for item in graph.nodes
        ],
        "edges": [edge_cell(edge) for edge in graph.edges],
    }


def turn_cell(turn: Turn) -> Cell:
    """A turn of the chat; times null where unknown."""
    return {
        "role": turn.role,
        "agent": turn.agent,
        "start": None if turn.start is None else to_seconds(turn.start),
        "end": None if turn.end is None else to_seconds(turn.end),
        "content": turn.content,
        "tool_calls": [
            {"name": call.name, "input": call.input, "output": call.output}
            for call in turn.tool_calls
        ],
    }


def video_cell(recording: Path | None, window: Sequence[Span]) -> Cell:
    """The clip's storage: where the recording is (null without one) and the intervals."""
    return {
        "path": None if recording is None else str(recording),
        "bytes": None,
        "intervals": [span_cell(span) for span in window],
    }


def answer_cell(answer: object) -> str | None:
    """A questionnaire's answer as text; anything that is not text as JSON."""
    if answer is None or isinstance(answer, str):
        return answer
    return json.dumps(answer, ensure_ascii=False)
