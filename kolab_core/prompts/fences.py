"""Keeping a release's text in its place: lines that it cannot begin, tags that it cannot close."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

__all__ = ["choose_mark", "one_line", "set_in"]

_TAGS = ("session", "graph", "chat")
_INDENT = "  "


def one_line(text: str) -> str:
    """The text on one line: every stretch of white space and line ends becomes a blank."""
    return " ".join(text.split())


def set_in(text: str) -> str:
    """The text with every line set in, so that none looks like a line of ours."""
    return "\n".join(_INDENT + line for line in text.splitlines())


def choose_mark(texts: Iterable[str]) -> str:
    """What our tags' names end in, such that no text holds one of our tags.

    Compared are letters and signs alone: a tag with blanks, invisible characters, full-width forms
    or capitals in it counts, too.

    Returns:
        Nothing, if no text holds a tag by its bare name; else `-2`, or the next number that is
        free.
    """
    signs = "".join(_signs(text) for text in texts)
    number, mark = 1, ""
    while any(f"<{slash}{tag}{mark}" in signs for tag in _TAGS for slash in ("", "/")):
        number += 1
        mark = f"-{number}"
    return mark


def _signs(text: str) -> str:
    """The text's printable characters in one form; nothing if there is no `<` among them."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    if "<" not in text:
        return ""
    return "".join(c for c in text if c.isprintable() and c != " ").casefold()
