"""Marks as records again: found by id, whatever order and lane an annotator left them in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from kolab_core.annotations.exporting import make_marks
from kolab_core.annotations.marks import Mark, Marks, Place, ResponseMark, actor_of, unescape
from kolab_core.release import (
    LABELS,
    Edge,
    GraphRecords,
    Issue,
    Node,
    Occurrence,
    ReleaseError,
    Response,
    Segment,
    Session,
    Span,
    parse_badge,
    show_value,
)

__all__ = ["make_records"]

ItemT = TypeVar("ItemT")


def make_records(marks: Marks, old: Session, *, file: str) -> GraphRecords:
    """The segments, nodes, edges and responses that the marks stand for.

    A mark without an id is a new segment, node or (with the id of a node and no number) occurrence.
    Where the marks of one node differ in a text, the one that is not the old node's counts.

    Args:
        marks: All marks of the session.
        old: The session that was exported: the order of its nodes is kept.
        file: What messages call the file.

    Raises:
        ReleaseError: With all that cannot be understood.
    """
    maker = _Maker(old, file)
    segments = maker.make_segments(marks.segments)
    nodes = maker.make_nodes(marks)
    edges = maker.make_edges()
    responses = maker.make_responses()
    if maker.issues:
        raise ReleaseError(maker.issues)
    return GraphRecords(segments, nodes, edges, responses)


class _Maker:
    """One walk over the marks, which collects what is wrong."""

    def __init__(self, old: Session, file: str) -> None:
        self.issues: list[Issue] = []
        self._file = file
        self._old = {node.id: node for node in old.nodes}
        self._ranks = {node.id: rank for rank, node in enumerate(old.nodes)}
        self._next = _old_next(old)
        self._segments: dict[str, Segment] = {}
        self._nodes: dict[str, Node] = {}
        self._marks: dict[str, list[tuple[Place, Mark]]] = {}

    def make_segments(self, marks: Iterable[Mark]) -> tuple[Segment, ...]:
        """All segments, in the order of their numbers."""
        placed = [(Place.parse(mark.texts.get("id", "")), mark) for mark in marks]
        keys = {place.name for place, _ in placed}
        for place, mark in _arrange(placed, _number_and_start):
            key = place.name or _fresh("seg", keys)
            keys.add(key)
            if key in self._segments:
                self._miss(mark, f"the id {show_value(key)}", "an id used once")
            badge = mark.texts.get("badge", "").strip()
            if not badge:
                self._miss(mark, "no badge", "'Step-k' or 'Custom-k'")
            self._segments[key] = Segment(
                key=key,
                badge=badge,
                step=parse_badge(badge) or None,
                step_name=mark.value,
                step_action=mark.texts.get("action"),
                span=place.span_of(mark),
            )
        return tuple(self._segments.values())

    def make_nodes(self, marks: Marks) -> tuple[Node, ...]:
        """All nodes, each segment's in the old order and new ones behind it, by time."""
        names = {Place.parse(m.texts.get("id", "")).name for m in marks.occurrences + marks.untimed}
        groups: dict[str, list[tuple[Place, Mark]]] = defaultdict(list)
        for mark in sorted(marks.occurrences, key=lambda mark: (mark.start, mark.end)):
            place = self._locate(mark, names)
            if place is not None:
                groups[place.name].append((place, mark))
        untimed: dict[str, list[tuple[Place, Mark]]] = defaultdict(list)
        for mark in marks.untimed:
            place = self._locate(mark, names)
            if place is not None:
                untimed[place.name].append((place, mark))
        for name in dict.fromkeys([*groups, *untimed]):
            self._add_node(name, _arrange(groups[name], _number_and_start), untimed[name])
        positions = {key: position for position, key in enumerate(self._segments)}
        newest = len(self._ranks)
        ordered = sorted(
            self._nodes.values(),
            key=lambda node: (positions[node.segment.key], self._ranks.get(node.id, newest)),
        )
        return tuple(ordered)

    def _locate(self, mark: Mark, names: set[str]) -> Place | None:
        """Where a mark belongs; one without a segment in its id belongs where it starts."""
        place = Place.parse(mark.texts.get("id", ""))
        key, slash, name = place.name.partition("/")
        if not slash:
            key, name = self._key_at(mark.start), place.name
        if key not in self._segments:
            found = f"the id {show_value(place.name)}" if slash else "no id, outside all segments"
            self._miss(mark, found, "the id of a segment's node, or a start inside a segment")
            return None
        if not name:
            name = _fresh(f"{key}/n", names).partition("/")[2]
            names.add(f"{key}/{name}")
        if "/" in name:
            self._miss(mark, f"the id {show_value(place.name)}", "one '/', behind the segment")
            return None
        return Place(f"{key}/{name}", place.number, place.is_instant)

    def _key_at(self, time: int) -> str:
        """The segment that holds a time: of several, the one that starts last."""
        holding = [s for s in self._segments.values() if s.span.contains(time)]
        return max(holding, key=lambda s: s.span.start).key if holding else ""

    def _add_node(
        self,
        node_id: str,
        timed: list[tuple[Place, Mark]],
        untimed: list[tuple[Place, Mark]],
    ) -> None:
        before = self._old.get(node_id)
        placed = timed + untimed
        key, _, name = node_id.partition("/")
        old_actor = None if before is None else (before.actor, before.actor_type)
        actor, actor_type = self._settle(
            placed, "actor", lambda m: actor_of(m.texts.get("actor", m.actor)), old_actor
        )
        label = self._settle(placed, "label", lambda m: m.value, before.label if before else None)
        self._marks[node_id] = placed
        self._nodes[node_id] = Node(
            id=node_id,
            name=name,
            segment=self._segments[key],
            actor=actor,
            actor_type=actor_type,
            label=label,
            detail=self._settle_text(placed, "detail", before.detail if before else None),
            softwares=self._settle_text(placed, "softwares", before.softwares if before else None),
            occurrences=tuple(place.span_of(mark) for place, mark in timed),
        )

    def _settle_text(
        self, placed: Sequence[tuple[Place, Mark]], kind: str, before: str | None
    ) -> str | None:
        def read(mark: Mark) -> str | None:
            return mark.texts.get(kind)

        return self._settle(placed, kind, read, before)

    def _settle(
        self,
        placed: Sequence[tuple[Place, Mark]],
        kind: str,
        read: Callable[[Mark], ItemT],
        before: object,
    ) -> ItemT:
        """What the marks of a node say: all the same, or one thing that the old node did not.

        A mark that was added (it has no number) and says nothing agrees with all others.
        """
        said = dict.fromkeys(read(mark) for place, mark in placed if place.number)
        said |= dict.fromkeys(
            read(mark) for place, mark in placed if not place.number and read(mark)
        )
        values = list(said) or [read(placed[0][1])]
        if len(values) > 1:
            values = [value for value in values if value != before]
        if len(values) > 1:
            name = placed[0][0].name
            found = " and ".join(show_value(value) for value in values[:2])
            self._miss(placed[0][1], f"for {kind} of {name} {found}", "one of them on all marks")
        return values[0]

    def make_edges(self) -> tuple[Edge, ...]:
        """The edges that the nodes' marks name; those to a node that was deleted go with it."""
        edges = []
        for node_id, placed in self._marks.items():
            text = self._settle_text(placed, "next", self._next.get(node_id)) or ""
            for line in filter(str.strip, text.split("\n")):
                edge = self._read_edge(placed[0][1], self._nodes[node_id], line)
                if edge is not None:
                    edges.append(edge)
        return tuple(edges)

    def _read_edge(self, mark: Mark, node: Node, line: str) -> Edge | None:
        kind, _, target = line.partition(" ")
        if kind not in ("sequential", "loop"):
            kind, target = "sequential", line
        target_id = self._full_id(unescape(target), node)
        if target_id in self._nodes:
            return Edge(node.id, target_id, kind)
        if target_id not in self._old:
            found = f"a next node {show_value(target)}"
            self._miss(mark, found, "the type of an edge and the id of a node")
        return None

    def _full_id(self, name: str, node: Node) -> str:
        """An id as it was typed; without a segment it means a node of the same one."""
        if name in self._nodes:
            return name
        name = name.strip()
        return name if "/" in name else f"{node.segment.key}/{name}"

    def make_responses(self) -> tuple[Response, ...]:
        """All responses, each node's in the order of their numbers."""
        responses: list[Response] = []
        for node in sorted(self._nodes.values(), key=lambda node: self._rank(node.id)):
            marked = [
                (place.span_of(mark), mark, below)
                for place, mark in self._marks[node.id]
                for below in mark.responses
            ]
            index = 0
            for span, mark, below in _arrange(marked, _response_number_and_start):
                response = self._read_response(node, span, mark, below, index)
                if response is not None:
                    responses.append(response)
                    index += 1
        return tuple(responses)

    def _rank(self, node_id: str) -> tuple[int, int]:
        positions = {key: position for position, key in enumerate(self._segments)}
        key = self._nodes[node_id].segment.key
        return positions[key], self._ranks.get(node_id, len(self._ranks))

    def _read_response(
        self, node: Node, span: Span, mark: Mark, below: ResponseMark, index: int
    ) -> Response | None:
        label = below.label.strip()
        if label not in LABELS:
            expected = "'adopt', 'modify' or 'reject'"
            self._miss(mark, f"the response {show_value(below.label)}", expected)
            return None
        request = below.texts.get("request", "")
        source = self._find(mark, node, request, "request") if request.strip() else None
        target = self._find(mark, node, below.texts.get("output", ""), "output")
        if target is None or (source is None and request.strip()):
            return None
        return Response(node, index, label, source, target, Occurrence(node, span))

    def _find(self, mark: Mark, node: Node, text: str, kind: str) -> Occurrence | None:
        """The occurrence that a response names."""
        place = Place.parse(text)
        node_id = self._full_id(place.name, node)
        found = self._nodes.get(node_id)
        spans = {
            other.span_of(mark)
            for other, mark in self._marks.get(node_id, [])
            if place.number in (None, other.number)
        }
        spans &= set(found.occurrences if found else ())
        if found is not None and len(spans) == 1:
            return Occurrence(found, spans.pop())
        words = f"{len(spans)} occurrences" if found is not None else "no node"
        expected = "the id of a node, with a number that one occurrence has: 'seg0a/n1 #2'"
        self._miss(mark, f"for {kind} {show_value(text)}, {words}", expected)
        return None

    def _miss(self, mark: Mark, found: str, expected: str) -> None:
        where = f"tier {mark.tier!r} at {mark.start / 1000:.3f} s"
        self.issues.append(Issue(self._file, where, found, expected))


def _old_next(old: Session) -> Mapping[str, str]:
    """What an export wrote of each node's edges."""
    marks = make_marks(old)
    return {
        Place.parse(mark.texts["id"]).name: mark.texts["next"]
        for mark in marks.occurrences + marks.untimed
        if "next" in mark.texts
    }


def _arrange(items: Iterable[ItemT], key: Callable[[ItemT], tuple[int | None, int]]) -> list[ItemT]:
    """Items in the order of their numbers; one without goes before the first that starts later."""
    numbered = sorted((item for item in items if key(item)[0]), key=lambda i: key(i)[0] or 0)
    for item in (item for item in items if not key(item)[0]):
        start = key(item)[1]
        later = (i for i, other in enumerate(numbered) if key(other)[1] > start)
        numbered.insert(next(later, len(numbered)), item)
    return numbered


def _number_and_start(item: tuple[Place, Mark]) -> tuple[int | None, int]:
    return item[0].number, item[1].start


def _response_number_and_start(
    item: tuple[Span, Mark, ResponseMark],
) -> tuple[int | None, int]:
    number = item[2].texts.get("number", "").strip()
    return int(number) if number.isascii() and number.isdecimal() else None, item[0].start


def _fresh(stem: str, taken: Iterable[str]) -> str:
    """The first of `stem1`, `stem2`, … that is not taken."""
    used = set(taken)
    number = 1
    while f"{stem}{number}" in used:
        number += 1
    return f"{stem}{number}"
