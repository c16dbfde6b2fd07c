"""What a release's reader lets pass and an annotator mends by hand: finer than errors and notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from kolab_core.release import Edge, Node, Occurrence, Session, Span

__all__ = ["Finding", "find_slips"]


@dataclass(frozen=True)
class Finding:
    """Something that is valid and probably a slip.

    Attributes:
        kind: `outside`, `overlap`, `actor`, `loop`, `orphan`, `response` or `rating`.
        file: The document's path inside the release.
        where: The place in it, as in an `Issue`.
        found: What was found.
        expected: The rule, in words.
        page: The place in the pages that `kolab explore` writes, relative to their folder.
    """

    kind: str
    file: str
    where: str
    found: str
    expected: str
    page: str


def find_slips(session: Session) -> list[Finding]:
    """Everything in a session that an annotator should look at again.

    | kind | what |
    |---|---|
    | `outside` | an occurrence that starts or ends outside its node's segment |
    | `overlap` | two occurrences of the person's nodes at once: nobody does two things at a time |
    | `actor` | an AI node whose actor is the user, or the other way round |
    | `loop` | a node that happens again without a way back to it; a way back without a loop edge |
    | `orphan` | a node without an edge in a segment that has others |
    | `response` | a planned step without a response |
    | `rating` | a planned step that lacks a rating |

    A response before its AI output and a label without its AI node are errors already.

    Args:
        session: As the reader gives it.

    Returns:
        The findings, those of the graph first, each kind in the order of the file.
    """
    places = _Places(session)
    return [
        *_find_outside(session, places),
        *_find_overlaps(session, places),
        *_find_actors(session, places),
        *_find_loops(session, places),
        *_find_orphans(session, places),
        *_find_bare_steps(session, places),
    ]


class _Places:
    """Where each node stands in the file and in the session's page."""

    def __init__(self, session: Session) -> None:
        folder = f"sessions/{session.session_id}"
        self._graph = f"{folder}/graph.json"
        self._workflow = f"{folder}/workflow.json"
        self._page = f"sessions/{quote(session.session_id, safe='')}/index.html"
        segments = {segment.key: i for i, segment in enumerate(session.segments)}
        counts = dict.fromkeys(segments, 0)
        self._nodes: dict[str, str] = {}
        for node in session.nodes:
            key = node.segment.key
            place = f"steps[{segments[key]}] {key} > nodes[{counts[key]}] {node.name}"
            self._nodes[node.id] = place
            counts[key] += 1

    def of_node(
        self, node: Node, kind: str, found: str, expected: str, *, part: str = "", time: int = 0
    ) -> Finding:
        """A finding on a node or a part of it; the page shows its occurrence number `time`."""
        where = self._nodes[node.id] + (f" > {part}" if part else "")
        words = {"node": node.id}
        if time < len(node.occurrences):
            words["t"] = f"{node.occurrences[time].start / 1000:.15g}"
        page = f"{self._page}#{urlencode(words)}"
        return Finding(kind, self._graph, where, found, expected, page)

    def of_time(self, node: Node, kind: str, found: str, expected: str, *, time: int) -> Finding:
        """A finding on a node's occurrence number `time`."""
        return self.of_node(node, kind, found, expected, part=f"time[{time}]", time=time)

    def of_step(
        self, number: int, kind: str, found: str, expected: str, *, start: int | None
    ) -> Finding:
        """A finding on a planned step that starts then, if ever."""
        at = "" if start is None else f"#t={start / 1000:.15g}"
        where = f"steps[{number - 1}] (number {number})"
        return Finding(kind, self._workflow, where, found, expected, f"{self._page}{at}")


def _find_outside(session: Session, places: _Places) -> Iterator[Finding]:
    for node in session.nodes:
        span = node.segment.span
        for index, time in enumerate(node.occurrences):
            if time.start < span.start or time.end > span.end:
                expected = f"a time inside the segment ({_show(span)})"
                yield places.of_time(node, "outside", _show(time), expected, time=index)


def _find_overlaps(session: Session, places: _Places) -> Iterator[Finding]:
    """Each occurrence that starts while the one before it, by start, has not ended."""
    times = sorted(
        (
            (span, index, node)
            for node in session.nodes
            if node.actor_type == "user"
            for index, span in enumerate(node.occurrences)
        ),
        key=lambda item: item[0],
    )
    latest: Occurrence | None = None
    for span, index, node in times:
        if latest is not None and span.start < latest.span.end and span.start < span.end:
            found = f"{_show(span)} while {latest.node.id} goes on ({_show(latest.span)})"
            expected = "one thing at a time of the person"
            yield places.of_time(node, "overlap", found, expected, time=index)
        if latest is None or span.end > latest.span.end:
            latest = Occurrence(node, span)


def _find_actors(session: Session, places: _Places) -> Iterator[Finding]:
    for node in session.nodes:
        if (node.actor.casefold() == "user") != (node.actor_type == "user"):
            found = f"{node.actor!r} as {node.actor_type!r}"
            expected = "'user' for a user, a brand for an AI"
            yield places.of_node(node, "actor", found, expected, part="actor")


def _find_loops(session: Session, places: _Places) -> Iterator[Finding]:
    rounds = _cycles(session.nodes, session.edges)
    plain = _cycles(session.nodes, [edge for edge in session.edges if edge.type != "loop"])
    for node in session.nodes:
        if node.id in plain:
            found = "a way back to it of sequential edges alone"
            yield places.of_node(node, "loop", found, "a loop edge where the way turns back")
        elif len(node.occurrences) > 1 and node.id not in rounds:
            found = f"{len(node.occurrences)} occurrences and no way back to it"
            yield places.of_time(node, "loop", found, "a loop edge that leads back", time=1)


def _find_orphans(session: Session, places: _Places) -> Iterator[Finding]:
    joined = {end for edge in session.edges for end in (edge.source, edge.target)}
    sizes: dict[str, int] = {}
    for node in session.nodes:
        sizes[node.segment.key] = sizes.get(node.segment.key, 0) + 1
    for node in session.nodes:
        others = sizes[node.segment.key] - 1
        if others and node.id not in joined:
            found = f"no edge, with {others} other nodes in its segment"
            yield places.of_node(node, "orphan", found, "an edge to or from it")


def _find_bare_steps(session: Session, places: _Places) -> Iterator[Finding]:
    answered = {end.node.segment.step for r in session.responses for end in (r.target, r.response)}
    starts: dict[int, int] = {}
    for segment in session.segments:
        if segment.step is not None:
            starts[segment.step] = min(segment.span.start, starts.get(segment.step, 10**13))
    for step in session.workflow.steps:
        start = starts.get(step.number)
        if step.number not in answered:
            expected = "a response to an AI output"
            yield places.of_step(step.number, "response", "none", expected, start=start)
        for name in ("collaboration", "output_quality"):
            if getattr(step, name).rating is None:
                found = f"no {name} rating"
                yield places.of_step(step.number, "rating", found, "one from 1 to 5", start=start)


def _cycles(nodes: Sequence[Node], edges: Sequence[Edge]) -> set[str]:
    """The nodes that some way along edges leads back to."""
    import numpy as np
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if not edges:
        return set()
    index = {node.id: i for i, node in enumerate(nodes)}
    ends = np.array([(index[edge.source], index[edge.target]) for edge in edges]).T
    graph = coo_array((np.ones(len(edges)), (ends[0], ends[1])), shape=(len(nodes),) * 2)
    _, parts = connected_components(graph, directed=True, connection="strong")
    sizes = np.bincount(parts)
    own = {edge.source for edge in edges if edge.source == edge.target}
    return own | {node.id for node, part in zip(nodes, parts, strict=True) if sizes[part] > 1}


def _show(span: Span) -> str:
    return f"{span.start / 1000:.3f}-{span.end / 1000:.3f} s"
