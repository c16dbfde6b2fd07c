"""What a session's page shows of the release, as plain values; times in whole milliseconds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kolab_core.release import Node, Occurrence, Segment, Session, Span, Turn
from kolab_core.rows.contents import make_session_row

__all__ = ["find_length", "gather_entry", "gather_session"]

Values = dict[str, Any]


def gather_session(session: Session) -> Values:
    """All of a session but its recording and its benchmark rows.

    Nodes and segments are named by their positions: an edge is `[source, target, type]`, an
    occurrence of a response `[node, start, end]`.
    """
    row = make_session_row(session)
    segments = {segment.key: index for index, segment in enumerate(session.segments)}
    nodes = {node.id: index for index, node in enumerate(session.nodes)}
    return {
        "id": session.session_id,
        "participant": row["participant_id"],
        "number": row["session"],
        "occupation": row["occupation"],
        "sector": row["sector"],
        "years": row["years_experience"],
        "goal": row["goal"],
        "context": row["context"],
        "achieved": row["goal_achieved"],
        "length": find_length(session),
        "steps": sorted(row["steps"], key=lambda step: int(step["number"])),
        "segments": [_segment_values(segment) for segment in session.segments],
        "nodes": [_node_values(node, segments) for node in session.nodes],
        "edges": [[nodes[edge.source], nodes[edge.target], edge.type] for edge in session.edges],
        "responses": [
            {
                "label": response.label,
                "source": _occurrence_values(response.source, nodes),
                "target": _occurrence_values(response.target, nodes),
                "act": _occurrence_values(response.response, nodes),
            }
            for response in session.responses
        ],
        "chat": [_turn_values(turn) for turn in session.turns],
        "hasChatLog": session.has_chat_log,
        "files": row["files"],
        "notes": [f"{note.where or note.file}: {note.found}" for note in session.notes],
    }


def gather_entry(session: Session) -> Values:
    """What the index says of a session."""
    labels = [response.label for response in session.responses]
    return {
        "id": session.session_id,
        "participant": session.participant.participant_id,
        "number": session.workflow.session,
        "occupation": session.participant.occupation,
        "sector": session.participant.sector,
        "goal": session.workflow.goal,
        "length": find_length(session),
        "steps": len(session.workflow.steps),
        "nodes": len(session.nodes),
        "labels": [labels.count(name) for name in ("adopt", "modify", "reject")],
        "turns": len(session.turns),
        "hasRecording": session.recording is not None,
    }


def find_length(session: Session) -> int:
    """The end of the last thing that has a time; 0 if nothing has."""
    ends = [segment.span.end for segment in session.segments]
    ends += [span.end for node in session.nodes for span in node.occurrences]
    ends += [turn.end or turn.start or 0 for turn in session.turns]
    return max(ends, default=0)


def _segment_values(segment: Segment) -> Values:
    return {
        "key": segment.key,
        "badge": segment.badge,
        "step": segment.step,
        "name": segment.step_name,
        "action": segment.step_action,
        "start": segment.span.start,
        "end": segment.span.end,
    }


def _node_values(node: Node, segments: dict[str, int]) -> Values:
    return {
        "id": node.id,
        "segment": segments[node.segment.key],
        "actor": node.actor,
        "type": node.actor_type,
        "label": node.label,
        "detail": node.detail,
        "softwares": node.softwares,
        "times": _pairs(node.occurrences),
    }


def _occurrence_values(occurrence: Occurrence | None, nodes: dict[str, int]) -> list[int] | None:
    if occurrence is None:
        return None
    return [nodes[occurrence.node.id], occurrence.span.start, occurrence.span.end]


def _turn_values(turn: Turn) -> Values:
    values: Values = {
        "role": turn.role,
        "agent": turn.agent,
        "start": turn.start,
        "end": turn.end,
        "content": turn.content,
    }
    if turn.tool_calls:
        values["tools"] = [[call.name, call.input, call.output] for call in turn.tool_calls]
    if turn.attachments:
        values["attachments"] = list(turn.attachments)
    return values


def _pairs(spans: Sequence[Span]) -> list[list[int]]:
    return [[span.start, span.end] for span in spans]
