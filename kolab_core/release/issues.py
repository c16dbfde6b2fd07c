"""What is wrong or odd in a release, with its place, and the error that carries all of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Issue", "ReleaseError", "show_value"]

_MOST_SHOWN = 20
_WIDTH = 80


@dataclass(frozen=True)
class Issue:
    """One problem or one oddity of a release.

    Attributes:
        file: Path inside the release, with `/`; the release's own path when it is not one at all.
        where: Place in the file: a line, or a record path such as `steps[4] seg3a > end_seconds`.
        found: The value found, as `show_value` writes it, or words.
        expected: The rule, in words.
        hint: A next step; may be empty.
        is_note: True for what only informs and stops nothing.
    """

    file: str
    where: str
    found: str
    expected: str
    hint: str = ""
    is_note: bool = False

    def __post_init__(self) -> None:
        """Write what cannot be printed (half a surrogate pair, a control character) as escapes."""
        for name in ("file", "where", "found"):
            text = getattr(self, name)
            if not text.isprintable():
                object.__setattr__(self, name, "".join(map(_show_character, text)))

    def __str__(self) -> str:
        place = f"{self.file}: {self.where}" if self.where else self.file
        hint = f" {self.hint}" if self.hint else ""
        return f"{place}: found {self.found}; expected {self.expected}.{hint}"


class ReleaseError(ValueError):
    """A release that cannot be used as it is; `issues` holds every problem, not just the first.

    The message names the total and the first 20, in order of file.
    """

    def __init__(self, issues: Iterable[Issue]) -> None:
        self.issues: tuple[Issue, ...] = tuple(sorted(issues, key=lambda issue: issue.file))
        super().__init__(self.issues)

    def __str__(self) -> str:
        total = len(self.issues)
        lines = [str(issue) for issue in self.issues[:_MOST_SHOWN]]
        if total == 1:
            return lines[0]
        more = total - _MOST_SHOWN
        tail = [f"… and {more} more; `kolab validate` lists them all."] if more > 0 else []
        return "\n".join([f"{total} problems in the release:", *lines, *tail])


def show_value(value: object) -> str:
    """A value as a message shows it: its repr in at most 80 characters."""
    try:
        text = repr(value)
    except RecursionError:
        return f"a deeply nested {type(value).__name__}"
    return text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…"


def _show_character(character: str) -> str:
    return character if character.isprintable() else repr(character)[1:-1]
