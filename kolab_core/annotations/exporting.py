"""A session as marks, and the marks as an ELAN file."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from kolab_core.annotations.elan import Head, write_elan
from kolab_core.annotations.marks import (
    Mark,
    Marks,
    Place,
    ResponseMark,
    escape,
    point_at,
    show_actor,
)
from kolab_core.release import (
    Edge,
    Node,
    Release,
    Response,
    Session,
    Span,
    read_graph_text,
    read_session,
)

__all__ = ["digest_graph", "export_session", "make_marks"]

_UNTIMED_MS = 1000


def export_session(release: Release, session_id: str, path: str | Path) -> Session:
    """Write a session's graph as an ELAN file beside which, or in which, nothing is lost.

    Args:
        release: Where the session lies.
        session_id: As the release lists it.
        path: The file to make; the recording is linked relative to it.

    Returns:
        The session as read.

    Raises:
        FileExistsError: There is such a file: it may hold an annotator's work.
        ReleaseError: The session has errors.
        KeyError: The release has no such session.
        ModuleNotFoundError: pympi-ling is not installed (extra `annotate`).
    """
    session = read_session(release, session_id)
    text = read_graph_text(release, session_id)
    head = Head(session_id, digest_graph(text), session.recording)
    steps = [f"Step-{step.number}" for step in session.workflow.steps]
    badges = dict.fromkeys([*steps, *(segment.badge for segment in session.segments)])
    write_elan(path, make_marks(session), head=head, badges=[*badges])
    return session


def digest_graph(text: str) -> str:
    """A digest of a graph file, by which an import knows the one that was exported."""
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def make_marks(session: Session) -> Marks:
    """All segments and nodes of a session as marks."""
    marks = Marks()
    for number, segment in enumerate(session.segments, start=1):
        texts = {"badge": segment.badge, "action": segment.step_action}
        place = Place(segment.key, number, _is_instant(segment.span))
        marks.segments.append(_mark("segments", "", segment.span, segment.step_name, place, texts))
    responses: dict[str, list[Response]] = defaultdict(list)
    for response in session.responses:
        responses[response.node.id].append(response)
    edges: dict[str, list[Edge]] = defaultdict(list)
    for edge in session.edges:
        edges[edge.source].append(edge)
    for node in session.nodes:
        marks.occurrences += _mark_node(node, edges[node.id], responses[node.id])
        if not node.occurrences:
            start = len(marks.untimed) * _UNTIMED_MS
            span = Span(start, start + _UNTIMED_MS)
            texts = _texts_of(node, edges[node.id])
            mark = _mark("untimed", _actor(node), span, node.label, Place(node.id, 1), texts)
            marks.untimed.append(mark)
    return marks


def _mark_node(node: Node, edges: Iterable[Edge], responses: list[Response]) -> Iterator[Mark]:
    texts = _texts_of(node, edges)
    for index, span in enumerate(node.occurrences):
        place = Place(node.id, index + 1, _is_instant(span))
        is_first = span not in node.occurrences[:index]
        below = tuple(_mark_response(r) for r in responses if is_first and r.response.span == span)
        actor = _actor(node)
        yield _mark(actor, actor, span, node.label, place, texts, below)


def _mark(
    tier: str,
    actor: str,
    span: Span,
    value: str,
    place: Place,
    texts: dict[str, str | None],
    responses: tuple[ResponseMark, ...] = (),
) -> Mark:
    known = {kind: text for kind, text in texts.items() if text is not None}
    end = span.end + _is_instant(span)
    return Mark(tier, actor, span.start, end, value, {"id": str(place), **known}, responses)


def _texts_of(node: Node, edges: Iterable[Edge]) -> dict[str, str | None]:
    lines = [f"{edge.type} {escape(edge.target, also=chr(10))}" for edge in edges]
    return {
        "actor": _actor(node),
        "detail": node.detail,
        "softwares": node.softwares,
        "next": "\n".join(lines) if lines else None,
    }


def _mark_response(response: Response) -> ResponseMark:
    texts = {"output": point_at(response.target), "number": str(response.index + 1)}
    if response.source is not None:
        texts["request"] = point_at(response.source)
    return ResponseMark(response.label, texts)


def _actor(node: Node) -> str:
    return show_actor(node.actor, node.actor_type)


def _is_instant(span: Span) -> bool:
    return span.start == span.end
