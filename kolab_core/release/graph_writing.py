"""`graph.json` written from records; what no record holds stays as it was written."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from kolab_core.release.graph_file import GraphRecords
from kolab_core.release.issues import Issue, ReleaseError
from kolab_core.release.parsing import FileReader
from kolab_core.release.records import Edge, Node, Occurrence, Response, Segment, Session
from kolab_core.release.root import Release
from kolab_core.release.session import name_graph
from kolab_core.release.times import Span, format_span, parse_span, to_seconds

__all__ = ["compose_graph", "read_graph_text"]

_INDENT = re.compile(r"\{\n( +)\"")


def read_graph_text(release: Release, session_id: str) -> str:
    """A session's graph file as it is.

    Raises:
        ReleaseError: There is none, or it is no text.
    """
    reader = FileReader(release.root)
    text = reader.read_text(name_graph(session_id))
    if text is None:
        raise ReleaseError(reader.errors)
    return text


def compose_graph(text: str, old: Session, new: GraphRecords) -> str:
    """A graph file's text with other records in it.

    Segments and nodes are found again by id: what no record holds (a title, `source_steps`, a key
    that the format does not know) stays with them, and so does the way in which unchanged values
    are written. A `time_range` follows the seconds of a segment that changes.

    Args:
        text: The graph file.
        old: The session that was read from it.
        new: The records to write. Edges count as a multiset: those that were there keep their
            place, others come last in a segment where their ends' names are clear.

    Returns:
        JSON text; `text` itself if nothing changes.

    Raises:
        ReleaseError: There are edges that no segment could hold: an end lies in another segment,
            and its name is not the only one of the session.
    """
    raw = json.loads(text)
    writer = _Writer(raw, old, new)
    composed = {**raw, "steps": [writer.write_segment(segment) for segment in new.segments]}
    if composed == raw:
        return text
    match = _INDENT.match(text)
    return json.dumps(composed, ensure_ascii=False, indent=len(match[1]) if match else None) + "\n"


class _Writer:
    """Finds, for each record, what was written of it before."""

    def __init__(self, raw: Any, old: Session, new: GraphRecords) -> None:
        segments = raw["steps"]
        self._raw_segments = {segment["key"]: segment for segment in segments}
        self._raw_nodes = {
            f"{segment['key']}/{node['id']}": node
            for segment in segments
            for node in segment["nodes"]
        }
        self._old_segments = {segment.key: segment for segment in old.segments}
        self._old_nodes = {node.id: node for node in old.nodes}
        self._nodes: dict[str, list[Node]] = defaultdict(list)
        for node in new.nodes:
            self._nodes[node.segment.key].append(node)
        self._responses: dict[str, list[Response]] = defaultdict(list)
        for response in new.responses:
            self._responses[response.node.id].append(response)
        self._means_the_same = _facts(old.nodes) == _facts(new.nodes)
        self._old_responses: dict[str, list[Response]] = defaultdict(list)
        for response in old.responses:
            self._old_responses[response.node.id].append(response)
        self._edges = _place_edges(segments, old.edges, new, file=name_graph(old.session_id))

    def write_segment(self, segment: Segment) -> dict[str, Any]:
        """A segment with its nodes and edges."""
        raw = self._raw_segments.get(segment.key, {})
        before = self._old_segments.get(segment.key)
        written = {**raw, "key": segment.key, "badge": segment.badge}
        written["step_name"] = segment.step_name
        _set_text(written, "step_action", segment.step_action)
        if before is None or before.span != segment.span:
            if before is None or "time_range" in raw:
                written["time_range"] = format_span(segment.span)
            written["start_seconds"] = _number(segment.span.start)
            written["end_seconds"] = _number(segment.span.end)
        written["nodes"] = [self._write_node(node) for node in self._nodes[segment.key]]
        written["edges"] = self._edges[segment.key]
        return written

    def _write_node(self, node: Node) -> dict[str, Any]:
        raw = self._raw_nodes.get(node.id, {})
        before = self._old_nodes.get(node.id)
        written = {**raw, "id": node.name, "actor": node.actor, "actor_type": node.actor_type}
        written["label"] = node.label
        _set_text(written, "detail", node.detail)
        if before is None or before.occurrences != node.occurrences:
            written["time"] = [format_span(span) for span in node.occurrences]
        _set_text(written, "softwares", node.softwares)
        is_same = _keys(self._responses[node.id]) == _keys(self._old_responses[node.id])
        if not (is_same and self._means_the_same):
            entries = raw.get("user_response") or []
            written["user_response"] = [
                _write_entry(response, entries[i] if i < len(entries) else [""] * 6)
                for i, response in enumerate(self._responses[node.id])
            ]
            if not written["user_response"] and not entries:
                _restore(written, raw, "user_response")
        return written


def _set_text(written: dict[str, Any], key: str, text: str | None) -> None:
    """Write a text that may be absent, unless what is there says the same."""
    if written.get(key) != text:
        written[key] = text


def _restore(written: dict[str, Any], raw: Mapping[str, Any], key: str) -> None:
    del written[key]
    if key in raw:
        written[key] = raw[key]


def _number(time: int) -> int | float:
    """Seconds as JSON has them: whole where they are."""
    return time // 1000 if time % 1000 == 0 else to_seconds(time)


def _facts(nodes: Sequence[Node]) -> set[tuple[str, str, tuple[Span, ...]]]:
    """All that a response's quotes are resolved by."""
    return {(node.id, node.actor_type, node.occurrences) for node in nodes}


def _keys(responses: Sequence[Response]) -> list[tuple[object, ...]]:
    """What each response says, without the texts of the nodes that it names."""
    return [
        (
            response.label,
            response.source and (response.source.node.id, response.source.span),
            (response.target.node.id, response.target.span),
            response.response.span,
        )
        for response in responses
    ]


def _write_entry(response: Response, before: Sequence[str]) -> list[str]:
    """An entry of `user_response` that quotes occurrences as they are."""
    source = response.source
    return [
        source.node.name if source else "",
        response.target.node.name,
        response.label,
        _quote(source, before[3]) if source else "",
        _quote(response.target, before[4]),
        _quote(response.response, before[5]),
    ]


def _quote(occurrence: Occurrence, before: str) -> str:
    """The occurrence's time, as it was written before if that says the same."""
    try:
        is_same = parse_span(before) == occurrence.span
    except ValueError:
        is_same = False
    return before if is_same else format_span(occurrence.span)


def _place_edges(
    raw_segments: Sequence[Any], old: Sequence[Edge], new: GraphRecords, *, file: str
) -> dict[str, list[Any]]:
    """Segment key -> its edges as written."""
    names = _Names(new.nodes)
    places: dict[str, list[Any]] = {segment.key: [] for segment in new.segments}
    left = Counter(new.edges)
    edges = iter(old)
    for raw in raw_segments:
        for raw_edge in raw["edges"]:
            edge = next(edges)
            if left[edge] and raw["key"] in places and names.can_write(edge, raw["key"]):
                places[raw["key"]].append(raw_edge)
                left[edge] -= 1
    issues = []
    for edge in left.elements():
        home = names.find_home(edge)
        if home is None:
            found = f"an edge from {edge.source} to {edge.target}"
            expected = "ends in one segment, or an end whose name no other node has"
            issues.append(Issue(file, "edges", found, expected))
        else:
            source, target = names.name_of(edge.source), names.name_of(edge.target)
            places[home].append({"from": source, "to": target, "type": edge.type})
    if issues:
        raise ReleaseError(issues)
    return places


class _Names:
    """Which node a name means in a segment's edges."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._nodes = {node.id: node for node in nodes}
        self._count = Counter(node.name for node in nodes)

    def name_of(self, node_id: str) -> str:
        """The node's name in its segment."""
        return self._nodes[node_id].name

    def can_write(self, edge: Edge, key: str) -> bool:
        """Whether both ends' names mean them in this segment."""
        return self._means(edge.source, key) and self._means(edge.target, key)

    def find_home(self, edge: Edge) -> str | None:
        """A segment where the edge can be written, the source's if possible."""
        homes = [self._nodes[end].segment.key for end in (edge.source, edge.target)]
        return next((key for key in homes if self.can_write(edge, key)), None)

    def _means(self, node_id: str, key: str) -> bool:
        node = self._nodes.get(node_id)
        return node is not None and (node.segment.key == key or self._count[node.name] == 1)
