"""What graph and chat may take up together: the oldest goes first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

__all__ = ["Piece", "trim"]

_CUT = "  …"


@dataclass(frozen=True)
class Piece:
    """A node or a turn.

    Attributes:
        start: When it began, in seconds.
        head: How its text begins, in our words; never cut.
        body: The rest of it, the session's words.
        num_more: Characters that are left out with it: of a node, its arrows to later ones.
        is_cut: Whether the beginning of the body has been cut.
    """

    start: float
    head: str
    body: str
    num_more: int = 0
    is_cut: bool = False

    @property
    def text(self) -> str:
        """All of it."""
        return self.head + self.body

    @property
    def num_chars(self) -> int:
        """The room it takes, with a line's end."""
        return len(self.head) + len(self.body) + 1 + self.num_more


def trim(pieces: Sequence[Piece], max_chars: int | None) -> list[Piece | None]:
    """The newest pieces that fit, each in its place; None where one is left out.

    A piece stays if all that began later do, and together they fit. If not even the newest does,
    the beginning of its body is cut; its head stays, also where that alone is too long.

    Args:
        pieces: In any order. Of those that began at the same time, the one further back in the
            list counts as newer.
        max_chars: Characters there is room for; None for any number.
    """
    if max_chars is None:
        return list(pieces)
    kept: list[Piece | None] = [None] * len(pieces)
    room = max_chars
    newest_first = sorted(range(len(pieces)), key=lambda i: (pieces[i].start, i), reverse=True)
    for index in newest_first:
        room -= pieces[index].num_chars
        if room < 0:
            break
        kept[index] = pieces[index]
    if newest_first and not any(kept):
        kept[newest_first[0]] = _cut(pieces[newest_first[0]], max_chars)
    return kept


def _cut(piece: Piece, max_chars: int) -> Piece:
    room = max(0, max_chars - len(piece.head) - len(_CUT) - 1)
    end = piece.body[len(piece.body) - room :]
    return replace(piece, body=_CUT + end, num_more=0, is_cut=True)
