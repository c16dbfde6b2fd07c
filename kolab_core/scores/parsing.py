"""From an answer as a model writes it to a class id or a rating; the one place that knows how."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from kolab_core.scores.marks import find_marks, without_reasoning
from kolab_core.scores.text import as_text, is_fraction

__all__ = [
    "LABELS",
    "RATINGS",
    "FractionalRatingError",
    "parse_label",
    "parse_rating",
    "read_label_predictions",
    "read_label_references",
    "read_rating_predictions",
    "read_rating_references",
]

LABELS = ("adopt", "modify", "reject")
RATINGS = (1, 2, 3, 4, 5)

_LABEL_RULE = "adopt, modify or reject (or REJECT/BYPASS), or the class id 0, 1 or 2"
_LABEL_KEYS = ("label", "answer", "prediction")
_RATING_KEYS = ("rating", "score", "answer", "prediction", "label")

# Verb forms name a label ("the draft was adopted"); nouns do not ("Adoption: MODIFY" is one label).
# A letter on either side makes it another word ("unmodified", "readopt").
_NAMED = re.compile(
    r"(?<![^\W\d_])(?:(adopt(?:s|ed|ing)?)|(modif(?:y|ies|ied|ying))"
    r"|(reject(?:s|ed|ing)?|bypass(?:es|ed|ing)?))(?![^\W\d_])"
)
_NEGATED = re.compile(
    r"(?:(?<![^\W\d_])(?:not|never|cannot|without)|n['’]t)"
    r"(?:\s+(?:be|been|being|to|have|going|likely|fully|simply|directly|just)){0,3}\s+[\"'*`]*$"
)
# The longest ending that _NEGATED can match, with room for wide spaces.
_NEGATION_REACH = 80
_CLASS_ID = re.compile(
    r"(?:(?:label|answer|prediction)[\"'*`]*\s*[:=]\s*[\"'*`]*)?([012])(?:\.0+)?", re.IGNORECASE
)
_QUOTES = " \t\r\n\"'*`()[]"
_LONGEST_CLASS_ID = 80

_WORD = (
    r"(adopt(?:s|ed|ing)?|modif(?:y|ies|ied|ying)|reject(?:s|ed|ing)?(?:\s*(?:/|or)\s*bypass\w*)?"
    r"|bypass(?:es|ed|ing)?)"
)
_WRAPPING = " \t\r\n\"'*`_()[]{}$.,!:;。，！：；「」『』“”‘’\\"
_LABEL_ALONE = re.compile(rf"(?:\\?text(?:bf)?\{{)?{_WORD}", re.IGNORECASE)
_LABEL_FIRST = re.compile(rf"(?:\\?text(?:bf)?\{{)?{_WORD}(?![^\W\d_])", re.IGNORECASE)
_OTHER_LABEL = re.compile(
    rf"[\s\"'*`]*(?:(?:[,/|]|and|or|then|but)[\s\"'*`]*){{1,3}}{_WORD}", re.IGNORECASE
)
_LABEL_OF_START = {"a": 0, "m": 1, "r": 2, "b": 2}
_NUMBER_WORDS = {"one": 1.0, "two": 2.0, "three": 3.0, "four": 4.0, "five": 5.0}
_RATING_FIRST = re.compile(
    r"([-+]?\d{1,9}(?:\.\d{1,9})?|one|two|three|four|five)(?!\w|\.\d|%)", re.IGNORECASE
)
_OTHER_NUMBER = re.compile(
    r"[\s\"'*`]*(?:[-–—~/,|]|to|or|and)[\s\"'*`]*(?:\d|one|two|three|four|five)", re.IGNORECASE
)

_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?!\w|\.\d)")
_SCALE = re.compile(
    r"(?:\bscale\s+(?:of|from)|\bfrom|\bbetween)\s+1\s*(?:[-–—]|to|and)\s*5\b"
    r"|[(\[]\s*1\s*(?:[-–—]|to)\s*5\s*[)\]]",
    re.IGNORECASE,
)
# Bold marks or a bracket may stand between: "**4**/5", "4 (out of 5)".
_OUT_OF_FIVE = re.compile(
    r"(?<=\d)[*_]{0,3}\s*(?:\(\s*)?(?:/|out\s+of)\s*[*_]{0,3}5(?:\.0+)?(?!\w|\.\d)", re.IGNORECASE
)


class FractionalRatingError(ValueError):
    """A rating is given as a fractional number, and rounding was not asked for."""


def parse_label(answer: object) -> int | None:
    """The class id that an answer names: 0 adopt, 1 modify, 2 reject.

    Read in this order, behind the reasoning: a class id alone (`1`, `1.0`, `"2"`, `label: 2`); the
    last marked answer (see `find_marks`); else the labels that the text names, in any case, as a
    word or a form of the verb (adopts, modified, rejecting; BYPASS and REJECT/BYPASS are reject),
    as often as it likes.

    Args:
        answer: Text or a number; anything else is read as the text that `as_text` makes of it.

    Returns:
        The class id; None for an answer that names no label or more than one, or that denies the
        label it names ("will not adopt"): what else it means would be a guess.

    Examples:
        >>> [parse_label(x) for x in ("ADOPT", "Modify.", "REJECT/BYPASS", '"label": "reject"')]
        [0, 1, 2, 2]
        >>> [parse_label(x) for x in ("adopt it, then modify", "unsure", "will not adopt", None, 3)]
        [None, None, None, None, None]
    """
    text = without_reasoning(as_text(answer))
    bare = text.strip(_QUOTES).rstrip(".,!" + _QUOTES)
    if len(bare) <= _LONGEST_CLASS_ID and (match := _CLASS_ID.fullmatch(bare)):
        return int(match[1])
    is_marked, label = _marked_label(text)
    return label if is_marked else _only_label(text)


def parse_rating(answer: object, *, round: bool = False) -> int | None:
    """The rating from 1 to 5 that an answer gives.

    Behind the reasoning, the last marked answer that starts with a number, or with one to five in
    words, is read (see `find_marks`), else the text's only number. `4/5` and `4 out of 5` are
    4, and a scale that is named ("from 1 to 5", "(1-5)") is no answer; a number that is part of a
    word ("Q4") is none.

    Args:
        answer: Text or a number; anything else is read as the text that `as_text` makes of it.
        round: Whether a fractional number is taken to the nearest whole one (a half to the even
            one, as Python's `round` does) before its range is checked.

    Returns:
        The rating; None for an answer with no number, with different numbers, out of range, or
        (unless it is rounded) with a fractional one.

    Raises:
        FractionalRatingError: The answer is itself a fractional number, no text, and `round` is
            false.

    Examples:
        >>> [parse_rating(x) for x in (4, "5", "Rating: 3", "4/5", "**2**", 4.0)]
        [4, 5, 3, 4, 2, 4]
        >>> [parse_rating(x) for x in (0, 6, "3 or 4", "good", None, float("nan"), True)]
        [None, None, None, None, None, None, None]
        >>> parse_rating(4.7, round=True)
        5
    """
    if is_fraction(answer) and not round:
        raise FractionalRatingError(
            f"found {answer}; expected a whole number from 1 to 5. Pass round=True to round it."
        )
    text = _OUT_OF_FIVE.sub(" ", _SCALE.sub(" ", without_reasoning(as_text(answer))))
    is_marked, marked = _marked_rating(text)
    numbers = {marked} if is_marked else {float(number) for number in _NUMBER.findall(text)}
    if len(numbers) != 1 or (number := numbers.pop()) is None or math.isinf(number):
        return None
    if round:
        number = float(np.rint(number))
    return int(number) if number in RATINGS else None


def read_label_predictions(texts: Sequence[str]) -> NDArray[np.intp]:
    """Class ids of a column of answers; 3 where an answer is invalid."""
    return _read(texts, lambda text: parse_label(text), missing=len(LABELS))


def read_label_references(texts: Sequence[str], *, name: str = "references") -> NDArray[np.intp]:
    """Class ids of a column of true labels: names (any case; REJECT/BYPASS too) or ids.

    Raises:
        ValueError: A row holds neither; it names the first and counts the others.
    """
    names = {label: index for index, label in enumerate(LABELS)}
    names |= {"reject/bypass": 2, "bypass": 2}
    names |= {f"{index}{end}": index for index in range(3) for end in ("", ".0")}
    codes = _read(texts, lambda text: names.get(text.strip().lower()), missing=-1)
    _check_all(codes >= 0, texts, name=name, rule=_LABEL_RULE)
    return codes


def read_rating_predictions(texts: Sequence[str], *, round: bool = False) -> NDArray[np.intp]:
    """Ratings of a column of answers as 0 (for 1) to 4 (for 5); 5 where an answer is invalid."""
    codes = _read(texts, lambda text: parse_rating(text, round=round), missing=len(RATINGS) + 1)
    return codes - 1


def read_rating_references(texts: Sequence[str], *, name: str = "references") -> NDArray[np.intp]:
    """Ratings of a column of true ones as 0 (for 1) to 4 (for 5).

    Raises:
        ValueError: A row holds no whole number from 1 to 5; it names the first and counts the rest.
    """
    values = {f"{rating}{end}": rating - 1 for rating in RATINGS for end in ("", ".0")}
    codes = _read(texts, lambda text: values.get(text.strip()), missing=-1)
    _check_all(codes >= 0, texts, name=name, rule="a whole number from 1 to 5")
    return codes


def _read(
    texts: Sequence[str], parse: Callable[[str], int | None], *, missing: int
) -> NDArray[np.intp]:
    """Parse each distinct text once."""
    parsed = {text: parse(text) for text in set(texts)}
    codes = {text: missing if code is None else code for text, code in parsed.items()}
    return np.fromiter((codes[text] for text in texts), dtype=np.intp, count=len(texts))


def _check_all(valid: NDArray[np.bool_], texts: Sequence[str], *, name: str, rule: str) -> None:
    if valid.all():
        return
    rows = np.flatnonzero(~valid)
    more = f" {len(rows) - 1} more rows are like it." if len(rows) > 1 else ""
    raise ValueError(f"{name}[{rows[0]}]: found {_clip(texts[rows[0]])}; expected {rule}.{more}")


def _marked_label(text: str) -> tuple[bool, int | None]:
    """Whether a text marks an answer that names labels, and which it is: None if not just one."""

    def is_label(marked: str) -> bool:
        return _LABEL_ALONE.fullmatch(marked.strip(_WRAPPING)) is not None

    for start, marked in find_marks(text, _LABEL_KEYS, is_label):
        answer = marked.strip(_WRAPPING)
        if match := _LABEL_ALONE.fullmatch(answer):
            is_denied = _is_denied(text.lower(), start)
            return True, None if is_denied else _LABEL_OF_START[match[1][0].lower()]
        if match := _CLASS_ID.fullmatch(answer):
            return True, int(match[1])
        if match := _LABEL_FIRST.match(answer):
            # Named first, and no second choice beside it ("ADOPT or MODIFY").
            is_one = not _OTHER_LABEL.match(answer, match.end())
            return True, _LABEL_OF_START[match[1][0].lower()] if is_one else None
        if _NAMED.search(answer.lower()):
            return True, _only_label(answer)
    return False, None


def _is_denied(lowered: str, start: int) -> bool:
    """Whether "not" or its kin stands before a place in a text."""
    return _NEGATED.search(lowered, max(0, start - _NEGATION_REACH), start) is not None


def _only_label(text: str) -> int | None:
    """The label that a text names, however often; None for none, for two, and for a denied one."""
    lowered = text.lower()
    named = set()
    for match in _NAMED.finditer(lowered):
        if _is_denied(lowered, match.start()):
            return None
        named.add(match.lastindex)
    return int(named.pop() or 0) - 1 if len(named) == 1 else None


def _marked_rating(text: str) -> tuple[bool, float | None]:
    """Whether a text marks an answer that starts with a number, and which: None if with several."""

    def is_rating(marked: str) -> bool:
        match = _RATING_FIRST.fullmatch(marked.strip(_WRAPPING))
        return match is not None and 1 <= _number_of(match[1]) <= 5

    for _, marked in find_marks(text, _RATING_KEYS, is_rating):
        answer = marked.strip(_WRAPPING)
        if match := _RATING_FIRST.match(answer):
            is_one = not _OTHER_NUMBER.match(answer, match.end())
            return True, _number_of(match[1]) if is_one else None
    return False, None


def _number_of(text: str) -> float:
    return _NUMBER_WORDS.get(text.lower()) or float(text)


def _clip(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:79] + "…")
