"""What lies on an annotator's lanes, whatever file holds it, and how ids are written there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from kolab_core.release import Occurrence, Span

__all__ = [
    "Mark",
    "Marks",
    "Place",
    "ResponseMark",
    "actor_of",
    "escape",
    "point_at",
    "show_actor",
    "unescape",
]

# What XML cannot hold, or reads as something else; and the character that stands before a code.
_UNSAFE = re.compile("[\x00-\x08\x0b\x0c\x0d\x0e-\x1f\ufffe\uffff␛]")
_ESCAPED = re.compile("␛([0-9A-F]+);")
_PLACE = re.compile(r"(.*?)(?: #([1-9][0-9]{0,8}))?( instant)?", re.DOTALL | re.ASCII)
_ACTOR = re.compile(r"(.*) \((user|ai)\)", re.DOTALL)


@dataclass(frozen=True)
class ResponseMark:
    """A response below an occurrence: its label, and texts by kind (request, output, number)."""

    label: str
    texts: Mapping[str, str]


@dataclass(frozen=True)
class Mark:
    """One annotation with what hangs on it; times in milliseconds, its end after its start.

    Attributes:
        tier: The tier's name, for messages.
        actor: Whose lane it is, as `show_actor` writes it; empty for a segment.
        start: Where it starts.
        end: Where it ends.
        value: A segment's name, a node's label.
        texts: By kind: id, badge, action; id, actor, detail, softwares, next.
        responses: In order.
    """

    tier: str
    actor: str
    start: int
    end: int
    value: str
    texts: Mapping[str, str]
    responses: tuple[ResponseMark, ...] = ()


@dataclass
class Marks:
    """All marks of a session, in any order.

    Attributes:
        segments: Visits to steps.
        occurrences: A mark an occurrence.
        untimed: A mark a node that has no time; where it lies says nothing.
    """

    segments: list[Mark] = field(default_factory=list)
    occurrences: list[Mark] = field(default_factory=list)
    untimed: list[Mark] = field(default_factory=list)


@dataclass(frozen=True)
class Place:
    """An id on a lane: `seg0a`, `seg0a/n1`, `seg0a/n1 #2`, `seg0a/n1 #2 instant`.

    Attributes:
        name: The segment's key, or the node's id in the session.
        number: Position in the file, from 1; None if the annotator gave none.
        is_instant: Whether it has no length, which a lane cannot show.
    """

    name: str
    number: int | None = None
    is_instant: bool = False

    def __str__(self) -> str:
        number = f" #{self.number}" if self.number else ""
        return f"{self.name}{number}{' instant' if self.is_instant else ''}"

    @classmethod
    def parse(cls, text: str) -> Place:
        """Read what `str` writes; an id without a number is taken as one that was typed.

        >>> Place.parse("seg0a/n1 #2 instant")
        Place(name='seg0a/n1', number=2, is_instant=True)
        >>> Place.parse(" seg0a/n1 ")
        Place(name='seg0a/n1', number=None, is_instant=False)
        """
        match = _PLACE.fullmatch(text)
        if match is None or match[2] is None:
            return cls(text.strip())
        return cls(match[1], int(match[2]), bool(match[3]))

    def span_of(self, mark: Mark) -> Span:
        """The mark's time; an instant that nobody drew out stays one."""
        is_instant = self.is_instant and mark.end - mark.start == 1
        return Span(mark.start, mark.start if is_instant else mark.end)


def point_at(occurrence: Occurrence) -> str:
    """The id of an occurrence, with its number."""
    spans = occurrence.node.occurrences
    return str(Place(occurrence.node.id, spans.index(occurrence.span) + 1))


def show_actor(actor: str, actor_type: str) -> str:
    """An actor as a vocabulary lists it; the type is named where the name does not tell it.

    >>> show_actor("claude", "ai"), show_actor("claude", "user")
    ('claude', 'claude (user)')
    """
    tells = (actor == "user") == (actor_type == "user") and not _ACTOR.fullmatch(actor)
    return actor if tells else f"{actor} ({actor_type})"


def actor_of(text: str) -> tuple[str, str]:
    """Actor and type of what `show_actor` writes."""
    match = _ACTOR.fullmatch(text)
    if match is not None:
        return match[1], match[2]
    return text, "user" if text == "user" else "ai"


def escape(text: str, also: str = "") -> str:
    """Text that XML keeps as it is: other characters become `␛<code>;`.

    Args:
        text: Any text.
        also: A further character to write so.
    """
    escaped = _UNSAFE.sub(lambda match: f"␛{ord(match[0]):X};", text)
    return escaped.replace(also, f"␛{ord(also):X};") if also else escaped


def unescape(text: str) -> str:
    """What `escape` was given."""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
