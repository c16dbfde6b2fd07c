"""`graph.json` as records: segments, nodes, edges and responses, checked against the workflow."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from kolab_core.release.documents import GraphDocument, GraphNode, GraphSegment, Workflow
from kolab_core.release.issues import show_value
from kolab_core.release.parsing import FileReader
from kolab_core.release.pieces import GraphPieces, SegmentPieces
from kolab_core.release.records import Edge, Node, Response, Segment
from kolab_core.release.responses import Problem, ResponseFinder
from kolab_core.release.times import Span, parse_span

__all__ = ["GraphRecords", "build_graph", "check_head", "parse_badge"]

_BADGE = re.compile(r"(Step|Custom)-([1-9][0-9]{0,5})", re.ASCII)


@dataclass(frozen=True)
class GraphRecords:
    """A session's graph, each part in the order of the file."""

    segments: tuple[Segment, ...]
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    responses: tuple[Response, ...]


def build_graph(
    reader: FileReader,
    file: str,
    pieces: GraphPieces,
    *,
    workflow: Workflow | None,
    session_id: str,
) -> GraphRecords:
    """Turn a graph's pieces into records; what is wrong or odd goes to the reader.

    Args:
        reader: Takes the issues. After errors the records are not complete.
        file: The graph's path in the release.
        pieces: What the file holds. Where it is not whole, nothing is said to be missing.
        workflow: The session's workflow document; None if that has errors of its own.
        session_id: As the release lists it.
    """
    builder = _GraphBuilder(reader, file, session_id, is_whole=pieces.is_whole)
    if workflow is not None:
        builder.check_badges(pieces.segments, workflow)
    for segment in pieces.segments:
        builder.add_segment(segment)
    for index, segment in enumerate(pieces.segments):
        builder.add_edges(index, segment)
    builder.add_responses(pieces.segments)
    return GraphRecords(
        segments=tuple(builder.segments),
        nodes=tuple(builder.nodes),
        edges=tuple(builder.edges),
        responses=tuple(builder.responses),
    )


def check_head(
    reader: FileReader,
    file: str,
    document: GraphDocument,
    *,
    workflow: Workflow | None,
    session_id: str,
) -> None:
    """Check the graph's own names against the session's and the workflow's."""
    if document.session_id != session_id:
        found = show_value(document.session_id)
        reader.error(file, "session_id", found, f"{session_id!r}, as the folder is named")
    if workflow is None:
        return
    if document.participant_id != workflow.participant_id:
        found, expected = show_value(document.participant_id), repr(workflow.participant_id)
        reader.error(file, "participant_id", found, f"{expected}, as in workflow.json")
    if document.goal is not None and document.goal != workflow.goal:
        expected = "the workflow's goal (which is used)"
        reader.note(file, "goal", show_value(document.goal), expected)


def parse_badge(badge: str) -> int | None:
    """The planned step's number, 0 for work outside the plan, None for a malformed badge."""
    match = _BADGE.fullmatch(badge)
    if match is None:
        return None
    return int(match[2]) if match[1] == "Step" else 0


def _show_span(span: Span) -> str:
    return f"{span.start / 1000:.3f}-{span.end / 1000:.3f} s"


class _GraphBuilder:
    """Collects the records, and what is wrong, on one walk over the pieces."""

    def __init__(self, reader: FileReader, file: str, session_id: str, *, is_whole: bool) -> None:
        self._reader = reader
        self._file = file
        self._session_id = session_id
        self._is_whole = is_whole
        self.segments: list[Segment] = []
        self.nodes: list[Node] = []
        self.edges: list[Edge] = []
        self.responses: list[Response] = []
        self._by_segment: list[dict[str, Node]] = []
        self._by_name: dict[str, list[Node]] = defaultdict(list)

    def check_badges(self, segments: Sequence[SegmentPieces], workflow: Workflow) -> None:
        """Each segment's step against the plan, and each planned step against the segments."""
        names = {step.number: step.name for step in workflow.steps}
        seen: set[int] = set()
        for segment in segments:
            where, raw = segment.place, segment.head
            step = parse_badge(raw.badge)
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
        if self._is_whole:
            self._note_unseen_steps(workflow, seen)

    def _note_unseen_steps(self, workflow: Workflow, seen: set[int]) -> None:
        for step in workflow.steps:
            if step.number in seen:
                continue
            rated = step.output_quality.rating is not None or step.collaboration.rating is not None
            expected = "one (its ratings have no row)" if rated else "one"
            self._note("steps", f"no segment with a length for step {step.number}", expected)

    def add_segment(self, pieces: SegmentPieces) -> None:
        """A segment and its nodes."""
        where, raw = pieces.place, pieces.head
        if any(segment.key == raw.key for segment in self.segments):
            self._error(f"{where} > key", show_value(raw.key), "a key used once")
        if raw.end_seconds < raw.start_seconds:
            expected = f"start_seconds ({raw.start_seconds / 1000}) or more"
            hint = "Swap the two or export the graph again."
            self._error(f"{where} > end_seconds", f"{raw.end_seconds / 1000}", expected, hint)
        span = Span(raw.start_seconds, raw.end_seconds)
        self._note_time_range(raw, where, span)
        step = parse_badge(raw.badge) or None
        segment = Segment(raw.key, raw.badge, step, raw.step_name, raw.step_action, span)
        self.segments.append(segment)
        in_segment: dict[str, Node] = {}
        for place, raw_node in pieces.nodes:
            if raw_node.id in in_segment:
                expected = "an id used once in a segment"
                self._error(f"{place} > id", show_value(raw_node.id), expected)
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
        if span.end < span.start:
            return
        for number, occurrence in enumerate(node.occurrences):
            if occurrence.start < span.start or occurrence.end > span.end:
                expected = f"a time inside the segment ({_show_span(span)})"
                self._note(f"{place} > time[{number}]", _show_span(occurrence), expected)

    def _note_time_range(self, raw: GraphSegment, where: str, span: Span) -> None:
        if raw.time_range is None or span.end < span.start:
            return
        try:
            agrees = parse_span(raw.time_range) == span
        except ValueError:
            agrees = False
        if not agrees:
            expected = f"{_show_span(span)} (the seconds are used)"
            self._note(f"{where} > time_range", show_value(raw.time_range), expected)

    def add_edges(self, segment_index: int, pieces: SegmentPieces) -> None:
        """A segment's edges, once all nodes are known."""
        for place, edge in pieces.edges:
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
        if self._is_whole:
            self._error(where, found, expected)
        return None

    def add_responses(self, segments: Sequence[SegmentPieces]) -> None:
        """All entries of `user_response`, each resolved to occurrences."""
        finder = ResponseFinder(self.nodes)
        nodes = iter(self.nodes)
        for segment in segments:
            for place, raw in segment.nodes:
                node = next(nodes)
                for index, entry in enumerate(raw.user_response or ()):
                    found = finder.find(node, index, entry)
                    if isinstance(found, Response):
                        self.responses.append(found)
                    else:
                        self._add_problems(f"{place} > user_response[{index}]", node, index, found)

    def _add_problems(
        self, where: str, node: Node, index: int, problems: Sequence[Problem]
    ) -> None:
        for problem in problems:
            if self._is_whole or not problem.is_absence:
                place = f"{where}{problem.where} (instance {self._session_id}/{node.id}/{index})"
                self._error(place, problem.found, problem.expected)

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
