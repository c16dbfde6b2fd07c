"""Where in a model's text its answer stands: behind the reasoning, and at the last mark."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise

__all__ = ["find_marks", "without_reasoning"]

_KIND = r"(?:think(?:ing)?|thoughts?|reason(?:ing)?|analysis|scratchpad|reflection)"
_OPENED = re.compile(
    rf"<{_KIND}\s*>|\[{_KIND}\]|◁{_KIND}▷|<\|begin_of_thought\|>|<\|channel\|>analysis",
    re.IGNORECASE,
)
_CLOSED = re.compile(
    rf"</{_KIND}\s*>|\[/{_KIND}\]|◁/{_KIND}▷|<\|end_of_thought\|>|<\|channel\|>final<\|message\|>",
    re.IGNORECASE,
)

_BOXED = re.compile(r"\\boxed\s*\{((?:[^{}\n]|\{[^{}\n]{0,200}\}){0,200})\}")
# Bold text, or a line without any.
_ALONE = re.compile(
    r"\*\*([^*\n]{1,80})\*\*|__([^_\n]{1,80})__|^[ \t]*\*?([^\s*][^*\n]{0,80})\*?[ \t]*$",
    re.MULTILINE,
)
_LISTED = re.compile(r"[\s,;/|]*(?:or|and|vs\.?)?\s*", re.IGNORECASE)


def without_reasoning(text: str) -> str:
    """The part of a text that answers, with full-width letters and digits as plain ones.

    What stands before the last closing tag of reasoning (`</think>`, `[/THINK]` and their kin) is
    no answer. After an opened one that never closes there is none, nor before it.

    Examples:
        >>> without_reasoning("<think>could be reject</think>MODIFY")
        'MODIFY'
        >>> without_reasoning("<think>adopt")
        ''
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    rest = text[max((tag.end() for tag in _CLOSED.finditer(text)), default=0) :]
    return "" if _OPENED.search(rest) else rest


def find_marks(
    text: str, keys: Sequence[str], is_answer: Callable[[str], bool]
) -> list[tuple[int, str]]:
    r"""The answers that a text marks, and where each starts; the last first.

    A mark is a key of a JSON object; `\boxed{…}`; a key's tag, `<answer>…</answer>`; a key (with or
    without "final") with a colon, `=`, an arrow or "is"; and bold text or a line that holds an
    answer and nothing else, unless several are listed side by side: those are choices.

    Args:
        text: Without its reasoning.
        keys: The words, in lower case, that an answer is called by.
        is_answer: Whether a text is an answer and nothing else.
    """
    (start, end), values = _object_in(text)
    marks = []
    for key, value in values:
        if key in keys:
            marks.append((start, str(value)))
            # Words inside the object explain the answer; they mark none.
            text = text[:start] + " " * (end - start) + text[end:]
            break
    tagged, keyed = _patterns(tuple(keys))
    for pattern, group in ((_BOXED, 1), (tagged, 2), (keyed, 1)):
        marks += [(match.start(group), match[group]) for match in pattern.finditer(text)]
    alone = [m for m in _ALONE.finditer(text) if is_answer(m[m.lastindex or 0])]
    choices = {
        match
        for pair in pairwise(alone)
        if _LISTED.fullmatch(text, pair[0].end(), pair[1].start()) and pair[0][0] != pair[1][0]
        for match in pair
    }
    marks += [(m.start(), m[m.lastindex or 0]) for m in alone if m not in choices]
    return sorted(marks, reverse=True)


@cache
def _patterns(keys: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A key's tag with what it holds; a key with what it is said to be."""
    key = "|".join(keys)
    tagged = rf"<({key})>([^<]{{0,200}})</\1>"
    keyed = (
        rf"(?<![^\W\d_])(?<!confidence[ ])(?:{key})(?![^\W\d_])[\"'`*_]{{0,4}}[ \t]{{0,4}}"
        r"(?:\([^()\n]{0,40}\)[ \t]{0,4})?[*_]{0,3}"
        r"(?::|=|→|-{1,2}>|[-–—](?=\s)|is(?![^\W\d_]))[ \t]*([^\n]{0,400})"
    )
    return re.compile(tagged, re.IGNORECASE | re.DOTALL), re.compile(keyed, re.IGNORECASE)


def _object_in(text: str) -> tuple[tuple[int, int], list[tuple[str, object]]]:
    """Where a text's JSON object stands, and its plain values by key in lower case."""
    start, end = text.find("{"), text.rfind("}") + 1
    if start < 0 or end <= start:
        return (0, 0), []
    try:
        found = json.loads(text[start:end])
    except (ValueError, RecursionError):
        return (0, 0), []
    plain = [(key, value) for key, value in found.items() if not isinstance(value, dict | list)]
    return (start, end), [(key.lower(), value) for key, value in plain]
