"""The workflow graph inside a window: what has happened by the cut, and nothing of what comes.

Rules: a *window* is a list of half-open intervals in milliseconds; its *cut* is the end of the
last one. An occurrence is kept if it starts before the cut and overlaps an interval; its end is
clipped to the cut, its start never. A node without a kept occurrence goes. A step's name counts as
said when its segment starts, so the name of a later segment does not show even where a node runs
ahead of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kolab_core.release import Edge, Node, Occurrence, Session, Span, Turn

__all__ = ["CutGraph", "CutNode", "clip_span", "cut_chat", "cut_graph", "merge_spans"]


@dataclass(frozen=True)
class CutNode:
    """A node as a window shows it.

    Attributes:
        node: The node.
        occurrences: Its kept occurrences, in the order of the file.
        step_name: Its segment's; None while that segment has not started.
    """

    node: Node
    occurrences: tuple[Span, ...]
    step_name: str | None


@dataclass(frozen=True)
class CutGraph:
    """What a window shows of a graph: nodes by earliest kept start, edges as in the file."""

    nodes: tuple[CutNode, ...]
    edges: tuple[Edge, ...]


def merge_spans(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Spans in order of time, those that touch or overlap as one, those without length dropped."""
    merged: list[Span] = []
    for span in sorted(span for span in spans if span.start < span.end):
        if merged and span.start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return tuple(merged)


def clip_span(span: Span, cut: int) -> Span:
    """A span as far as it has happened by the cut."""
    return Span(min(span.start, cut), min(span.end, cut))


def cut_graph(
    session: Session, window: Sequence[Span], *, hidden: Occurrence | None = None
) -> CutGraph:
    """The graph that a window shows.

    An edge u→v stays only if both nodes stay and some kept occurrence of v starts at or after the
    start of some kept occurrence of u; a self-loop needs two kept occurrences. So a loop that
    closes after the cut does not show.

    Args:
        session: The session.
        window: Merged intervals in order, at least one.
        hidden: An occurrence that is taken out (a response that starts before its AI output ends).
    """
    cut = window[-1].end
    kept: dict[str, CutNode] = {}
    for node in session.nodes:
        hidden_span = hidden.span if hidden is not None and hidden.node is node else None
        spans = _keep_occurrences(node, window, hidden_span)
        if spans:
            segment = node.segment
            step_name = segment.step_name if segment.span.start < cut else None
            kept[node.id] = CutNode(node, spans, step_name)
    edges = tuple(edge for edge in session.edges if _is_walked(edge, kept))
    nodes = sorted(kept.values(), key=lambda item: min(span.start for span in item.occurrences))
    return CutGraph(tuple(nodes), edges)


def cut_chat(
    turns: Iterable[Turn], window: Sequence[Span], *, hidden: Span | None = None
) -> tuple[Turn, ...]:
    """The turns that start inside a window; ends are clipped to the cut, untimed turns never show.

    Args:
        turns: The chat in order.
        window: Merged intervals in order, at least one.
        hidden: A stretch whose human turns are taken out (see `cut_graph`).
    """
    cut = window[-1].end
    kept = []
    for turn in turns:
        start = turn.start
        if start is None or not any(part.start <= start < part.end for part in window):
            continue
        if hidden is not None and turn.role == "human" and hidden.contains(start):
            continue
        kept.append(turn if turn.end is None or turn.end <= cut else _end_at(turn, cut))
    return tuple(kept)


def _keep_occurrences(node: Node, window: Sequence[Span], hidden: Span | None) -> tuple[Span, ...]:
    cut = window[-1].end
    return tuple(
        clip_span(span, cut)
        for span in node.occurrences
        if span.start < cut and span != hidden and any(span.overlaps(part) for part in window)
    )


def _is_walked(edge: Edge, kept: dict[str, CutNode]) -> bool:
    """Whether the kept occurrences hold a passage from the edge's source to its target."""
    source, target = kept.get(edge.source), kept.get(edge.target)
    if source is None or target is None:
        return False
    if source is target:
        return len(source.occurrences) >= 2
    earliest = min(span.start for span in source.occurrences)
    return any(span.start >= earliest for span in target.occurrences)


def _end_at(turn: Turn, end: int) -> Turn:
    return Turn(
        role=turn.role,
        agent=turn.agent,
        start=turn.start,
        end=end,
        content=turn.content,
        tool_calls=turn.tool_calls,
        attachments=turn.attachments,
    )
