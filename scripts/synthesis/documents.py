"""A timeline as the release's documents: workflow, graph, chat, and the files beside them."""

from __future__ import annotations

from dataclasses import asdict
from itertools import pairwise
from typing import Any

from kolab_core.release import Span, format_span
from scripts.synthesis.story import Beat, Plan, Response, Story
from scripts.synthesis.timeline import Act, Segment, Timeline

__all__ = ["chat_document", "graph_document", "workflow_document"]

_STATEMENTS = (
    "understood",
    "adapted",
    "reduced_effort",
    "proactive",
    "trustworthy",
    "smooth",
    "controllable",
)


def workflow_document(story: Story) -> dict[str, Any]:
    """The session's `workflow.json`."""
    answer, reason = story.achieved
    return {
        "session_id": story.session_id,
        "participant_id": story.participant_id,
        "session": story.session,
        "goal": story.goal,
        "context": story.context,
        "goal_achieved": {"answer": answer, "reason": reason},
        "steps": [_step(number, plan) for number, plan in enumerate(story.plan, start=1)],
    }


def graph_document(story: Story, timeline: Timeline) -> dict[str, Any]:
    """The session's `graph.json`."""
    by_name = {act.name: act for act in timeline.acts}
    return {
        "session_id": story.session_id,
        "participant_id": story.participant_id,
        "title": story.title,
        "goal": story.goal,
        "steps": [_segment(segment, by_name) for segment in timeline.segments],
    }


def chat_document(timeline: Timeline) -> list[dict[str, Any]]:
    """The session's turns, one for each line of `chat.jsonl`, by start."""
    return [_turn(act) for act in timeline.acts if act.beat.says]


def _step(number: int, plan: Plan) -> dict[str, Any]:
    estimate = plan.estimated_minutes
    return {
        "number": number,
        "name": plan.name,
        "action": plan.action,
        "input": plan.input,
        "output": plan.output,
        **({} if estimate is None else {"estimated_minutes": estimate}),
        "softwares": list(plan.softwares),
        "rubric": list(plan.rubric),
        "output_quality": {
            "rating": plan.quality,
            "reason": plan.quality_reason,
            "rubrics_satisfied": list(plan.satisfied),
        },
        "collaboration": {
            "rating": plan.collaboration,
            "task_completed": {"answer": plan.completed, "reason": plan.completed_reason},
            "statements": dict(zip(_STATEMENTS, plan.statements, strict=True)),
        },
    }


def _segment(segment: Segment, by_name: dict[str, Act]) -> dict[str, Any]:
    nodes: dict[str, dict[str, Any]] = {}
    for act in segment.acts:
        beat = act.beat
        if beat.node not in nodes:
            nodes[beat.node] = _node(beat, segment.badge)
        nodes[beat.node].setdefault("time", []).append(format_span(Span(act.start, act.end)))
        for response in beat.responses:
            entry = _response(act, response, by_name)
            nodes[beat.node].setdefault("user_response", []).append(entry)
    return {
        "key": segment.key,
        "badge": segment.badge,
        "step_name": segment.name,
        "step_action": segment.action,
        "time_range": format_span(Span(segment.start, segment.end)),
        "start_seconds": _seconds(segment.start),
        "end_seconds": _seconds(segment.end),
        "nodes": list(nodes.values()),
        "edges": _edges(segment),
    }


def _node(beat: Beat, badge: str) -> dict[str, Any]:
    return {
        "id": beat.node,
        "actor": beat.actor,
        "actor_type": "user" if beat.actor == "user" else "ai",
        "label": beat.label,
        "detail": beat.detail,
        "softwares": beat.softwares,
        "source_steps": badge,
    }


def _edges(segment: Segment) -> list[dict[str, str]]:
    """Sequential edges between beats that follow each other, loops where a node comes again."""
    edges: dict[tuple[str, str], str] = {}
    seen: set[str] = set()
    for node, following in pairwise(act.beat.node for act in segment.acts):
        seen.add(node)
        edges.setdefault((node, following), "loop" if following in seen else "sequential")
    return [{"from": a, "to": b, "type": kind} for (a, b), kind in edges.items()]


def _response(act: Act, response: Response, by_name: dict[str, Act]) -> list[str]:
    output = by_name[response.output]
    source_node, source_time = "", ""
    if response.source:
        source = by_name[response.source]
        source_node, source_time = source.beat.node, format_span(Span(source.start, source.end))
    return [
        source_node,
        output.beat.node,
        response.label,
        source_time,
        format_span(Span(output.start, output.end)),
        format_span(Span(act.start, act.end)),
    ]


def _turn(act: Act) -> dict[str, Any]:
    beat = act.beat
    return {
        "role": "ai" if act.is_ai else "human",
        "agent": beat.actor if act.is_ai else None,
        "start_seconds": _seconds(act.start),
        "end_seconds": _seconds(act.end),
        "content": beat.says,
        "tool_calls": [asdict(tool) for tool in beat.tools],
        "attachments": [],
    }


def _seconds(milliseconds: int) -> int | float:
    return milliseconds // 1000 if milliseconds % 1000 == 0 else milliseconds / 1000
