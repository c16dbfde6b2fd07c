"""`graph.json` as records: segments, nodes, edges and responses, checked against the workflow."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass

from kolab_core.release.documents import GraphDocument, GraphNode, GraphSegment, Workflow
from kolab_core.release.issues import show_value
from kolab_core.release.parsing import FileReader
from kolab_core.release.records import Edge, Node, Response, Segment
from kolab_core.release.responses import ResponseFinder
from kolab_core.release.times import Span, parse_span

__all__ = ["GraphRecords", "build_graph"]

_BADGE = re.compile(r"(Step|Custom)-([1-9][0-9]{0,5})", re.ASCII)


@dataclass(frozen=True)
class GraphRecords:
    """A session's graph, each part in the order of the file."""

    segments: tuple[Segment, ...]
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    responses: tuple[Response, ...]


def build_graph(
    reader: FileReader, file: str, document: GraphDocument, workflow: Workflow, session_id: str
) -> GraphRecords:
    """Turn the document into records; what is wrong or odd goes to the reader.

    Args:
        reader: Takes the issues. After errors the records are not complete.
        file: The graph's path in the release.
        document: What the file holds.
        workflow: The session's workflow document.
        session_id: As the release lists it.
    """
    builder = _GraphBuilder(reader, file, document, session_id)
    builder.check_head(workflow)
    builder.check_badges(workflow)
    for index, raw in enumerate(document.steps):
        builder.add_segment(index, raw)
    for index, raw in enumerate(document.steps):
        builder.add_edges(index, raw)
    if not reader.errors:
        builder.add_responses()
    return GraphRecords(
        segments=tuple(builder.segments),
        nodes=tuple(builder.nodes),
        edges=tuple(builder.edges),
        responses=tuple(builder.responses),
    )


def _parse_badge(badge: str) -> int | None:
    """The planned step's number, 0 for work outside the plan, None for a malformed badge."""
    match = _BADGE.fullmatch(badge)
    if match is None:
        return None
    return int(match[2]) if match[1] == "Step" else 0


def _segment_place(index: int, segment: GraphSegment) -> str:
    return f"steps[{index}] {segment.key}"


def _show_span(span: Span) -> str:
    return f"{span.start / 1000:.3f}-{span.end / 1000:.3f} s"


class _GraphBuilder:
    """Collects the records, and what is wrong, on one walk over the document."""

    def __init__(
        self, reader: FileReader, file: str, document: GraphDocument, session_id: str
    ) -> None:
        self._reader = reader
        self._file = file
        self._document = document
        self._session_id = session_id
        self.segments: list[Segment] = []
        self.nodes: list[Node] = []
        self.edges: list[Edge] = []
        self.responses: list[Response] = []
        self._by_segment: list[dict[str, Node]] = []
        self._by_name: dict[str, list[Node]] = defaultdict(list)

    def check_head(self, workflow: Workflow) -> None:
        """The graph's own names against the workflow's."""
        document = self._document
        if document.session_id != self._session_id:
            self._error("session_id", show_value(document.session_id), repr(self._session_id))
        if document.participant_id != workflow.participant_id:
            found, expected = show_value(document.participant_id), repr(workflow.participant_id)
            self._error("participant_id", found, f"{expected}, as in workflow.json")
        if document.goal is not None and document.goal != workflow.goal:
            self._note("goal", show_value(document.goal), "the workflow's goal (which is used)")

    def check_badges(self, workflow: Workflow) -> None:
        """Each segment's step against the plan, and each planned step against the segments."""
        names = {step.number: step.name for step in workflow.steps}
        seen: set[int] = set()
        for index, raw in enumerate(self._document.steps):
            where = _segment_place(index, raw)
            step = _parse_badge(raw.badge)
            if step is None:
                expected = "'Step-k' or 'Custom-k', k a number from 1"
                self._error(f"{where} > badge", show_value(raw.badge), expected)
            elif step > 0 and step not in names:
                self._error(f"{where} > badge", show_value(raw.badge), "a step of the workflow")
            elif step > 0:
                if raw.start_seconds < raw.end_seconds:
                    seen.add(step)
                if raw.step_name != names[step]:
                    expected = f"the workflow's name, {show_value(names[step])}"
                    self._note(f"{where} > step_name", show_value(raw.step_name), expected)
        self._note_unseen_steps(workflow, seen)

    def _note_unseen_steps(self, workflow: Workflow, seen: set[int]) -> None:
        for step in workflow.steps:
            if step.number in seen:
                continue
            rated = step.output_quality.rating is not None or step.collaboration.rating is not None
            expected = "one (its ratings have no row)" if rated else "one"
            self._note("steps", f"no segment with a length for step {step.number}", expected)

    def add_segment(self, index: int, raw: GraphSegment) -> None:
        """A segment and its nodes."""
        where = _segment_place(index, raw)
        if any(segment.key == raw.key for segment in self.segments):
            self._error(f"{where} > key", show_value(raw.key), "a key used once")
        if raw.end_seconds < raw.start_seconds:
            expected = f"start_seconds ({raw.start_seconds / 1000}) or more"
            hint = "Swap the two or export the graph again."
            self._error(f"{where} > end_seconds", f"{raw.end_seconds / 1000}", expected, hint)
        span = Span(raw.start_seconds, raw.end_seconds)
        self._note_time_range(raw, where, span)
        step = _parse_badge(raw.badge) or None
        segment = Segment(raw.key, raw.badge, step, raw.step_name, raw.step_action, span)
        self.segments.append(segment)
        in_segment: dict[str, Node] = {}
        for number, raw_node in enumerate(raw.nodes):
            place = f"{where} > nodes[{number}] {raw_node.id}"
            if raw_node.id in in_segment:
                self._error(
                    f"{place} > id", show_value(raw_node.id), "an id used once in a segment"
                )
            node = _make_node(raw_node, segment)
            self._check_node(node, place)
            in_segment[node.name] = node
            self._by_name[node.name].append(node)
            self.nodes.append(node)
        self._by_segment.append(in_segment)

    def _check_node(self, node: Node, place: str) -> None:
        if (node.actor == "user") != (node.actor_type == "user"):
            found = f"{show_value(node.actor)} as {show_value(node.actor_type)}"
            self._note(f"{place} > actor", found, "'user' for a user, a brand for an AI")
        span = node.segment.span
        for number, occurrence in enumerate(node.occurrences):
            if occurrence.start < span.start or occurrence.end > span.end:
                expected = f"a time inside the segment ({_show_span(span)})"
                self._note(f"{place} > time[{number}]", _show_span(occurrence), expected)

    def _note_time_range(self, raw: GraphSegment, where: str, span: Span) -> None:
        if raw.time_range is None:
            return
        try:
            agrees = parse_span(raw.time_range) == span
        except ValueError:
            agrees = False
        if not agrees:
            expected = f"{_show_span(span)} (the seconds are used)"
            self._note(f"{where} > time_range", show_value(raw.time_range), expected)

    def add_edges(self, segment_index: int, raw: GraphSegment) -> None:
        """A segment's edges, once all nodes are known."""
        where = _segment_place(segment_index, raw)
        for index, edge in enumerate(raw.edges):
            place = f"{where} > edges[{index}]"
            source = self._find_end(segment_index, edge.source, f"{place} > from")
            target = self._find_end(segment_index, edge.target, f"{place} > to")
            if source is not None and target is not None:
                self.edges.append(Edge(source.id, target.id, edge.type))

    def _find_end(self, segment_index: int, name: str, where: str) -> Node | None:
        here = self._by_segment[segment_index].get(name)
        if here is not None:
            return here
        elsewhere = self._by_name.get(name, [])
        if len(elsewhere) == 1:
            return elsewhere[0]
        found = show_value(name)
        if elsewhere:
            found += f", an id of {len(elsewhere)} nodes in other segments"
        expected = "a node of the segment, or the session's only one with the id"
        self._error(where, found, expected)
        return None

    def add_responses(self) -> None:
        """All entries of `user_response`, each resolved to occurrences."""
        finder = ResponseFinder(self.nodes)
        nodes = iter(self.nodes)
        for segment_index, segment in enumerate(self._document.steps):
            for node_index, raw in enumerate(segment.nodes):
                node = next(nodes)
                place = f"{_segment_place(segment_index, segment)} > nodes[{node_index}] {raw.id}"
                for index, entry in enumerate(raw.user_response or ()):
                    found = finder.find(node, index, entry)
                    if isinstance(found, Response):
                        self.responses.append(found)
                        continue
                    where = f"{place} > user_response[{index}]"
                    instance = f" (instance {self._session_id}/{node.id}/{index})"
                    for problem in found:
                        at = f"{where}{problem.where}{instance}"
                        self._error(at, problem.found, problem.expected)

    def _error(self, where: str, found: str, expected: str, hint: str = "") -> None:
        self._reader.error(self._file, where, found, expected, hint)

    def _note(self, where: str, found: str, expected: str) -> None:
        self._reader.note(self._file, where, found, expected)


def _make_node(raw: GraphNode, segment: Segment) -> Node:
    return Node(
        id=f"{segment.key}/{raw.id}",
        name=raw.id,
        segment=segment,
        actor=raw.actor,
        actor_type=raw.actor_type,
        label=raw.label,
        detail=raw.detail,
        softwares=raw.softwares,
        occurrences=tuple(raw.time or ()),
    )
