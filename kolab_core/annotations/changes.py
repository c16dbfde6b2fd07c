"""What differs between two states of a session's graph, in words and ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kolab_core.annotations.marks import point_at
from kolab_core.release import Segment, Session, format_span

__all__ = ["Change", "list_changes"]


@dataclass(frozen=True)
class Change:
    """One difference.

    Attributes:
        what: segment, node, edge or response.
        name: Its id in the session.
        part: What of it, such as `time`; empty when all of it came or went.
        before: What it was; empty for what came.
        after: What it is; empty for what went.
    """

    what: str
    name: str
    part: str
    before: str
    after: str


def list_changes(old: Session, new: Session) -> list[Change]:
    """All differences: segments, then nodes, edges and responses, each in the order of the file."""
    changes = [*_compare("segment", _segments(old), _segments(new))]
    keys = [[s.key for s in session.segments] for session in (old, new)]
    if keys[0] != keys[1] and sorted(keys[0]) == sorted(keys[1]):
        changes.append(Change("segment", "", "order", ", ".join(keys[0]), ", ".join(keys[1])))
    changes += _compare("node", _nodes(old), _nodes(new))
    before, after = Counter(old.edges), Counter(new.edges)
    for gone in (before - after).elements():
        changes.append(Change("edge", f"{gone.source} → {gone.target}", "", gone.type, ""))
    for come in (after - before).elements():
        changes.append(Change("edge", f"{come.source} → {come.target}", "", "", come.type))
    changes += _compare("response", _responses(old), _responses(new))
    return changes


Records = Mapping[str, Mapping[str, str]]


def _compare(what: str, old: Records, new: Records) -> Iterator[Change]:
    for name in dict.fromkeys([*old, *new]):
        before, after = old.get(name), new.get(name)
        if before is None or after is None:
            yield Change(what, name, "", _sum_up(before), _sum_up(after))
            continue
        for part in before:
            if before[part] != after[part]:
                yield Change(what, name, part, before[part], after[part])


def _sum_up(record: Mapping[str, str] | None) -> str:
    return ", ".join(text for text in (record or {}).values() if text)


def _segments(session: Session) -> Records:
    return {segment.key: _describe(segment) for segment in session.segments}


def _describe(segment: Segment) -> dict[str, str]:
    return {
        "badge": segment.badge,
        "step_name": segment.step_name,
        "step_action": segment.step_action or "",
        "time": format_span(segment.span),
    }


def _nodes(session: Session) -> Records:
    return {
        node.id: {
            "actor": f"{node.actor} ({node.actor_type})",
            "label": node.label,
            "detail": node.detail or "",
            "softwares": node.softwares or "",
            "time": ", ".join(map(format_span, node.occurrences)),
        }
        for node in session.nodes
    }


def _responses(session: Session) -> Records:
    return {
        f"{response.node.id}/{response.index}": {
            "label": response.label,
            "request": point_at(response.source) if response.source else "",
            "output": point_at(response.target),
            "response": point_at(response.response),
        }
        for response in session.responses
    }
