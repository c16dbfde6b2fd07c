"""Lines of a file that cannot be used, each with its place, and the error that names them all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["BadLine", "PredictionsError"]

_MOST_SHOWN = 20


@dataclass(frozen=True)
class BadLine:
    """A line that cannot be used: where it is, what was found, what was expected."""

    place: str
    found: str
    expected: str
    hint: str = ""

    def __str__(self) -> str:
        hint = f" {self.hint}" if self.hint else ""
        return f"{self.place}: found {self.found}; expected {self.expected}.{hint}"


class PredictionsError(ValueError):
    """A file of predictions with bad lines; `lines` holds all, the message the first 20."""

    def __init__(self, lines: Sequence[BadLine]) -> None:
        self.lines = tuple(lines)
        super().__init__(self.lines)

    def __str__(self) -> str:
        shown = [str(line) for line in self.lines[:_MOST_SHOWN]]
        more = len(self.lines) - len(shown)
        if len(self.lines) == 1:
            return shown[0]
        tail = [f"… and {more} more."] if more else []
        return "\n".join([f"{len(self.lines)} bad lines:", *shown, *tail])
