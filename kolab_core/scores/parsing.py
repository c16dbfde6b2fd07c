"""From an answer as a model writes it to a class id or a rating; the one place that knows how."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from kolab_core.scores.text import as_text

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
    """An answer's only number is not a whole one, and rounding was not asked for."""


def parse_label(answer: object) -> int | None:
    """The class id that an answer names: 0 adopt, 1 modify, 2 reject.

    Read in this order: a class id alone (`1`, `1.0`, `"2"`, `label: 2`); a JSON object's `label`,
    `answer` or `prediction`; else the labels that the text names, in any case, as a word or a form
    of the verb (adopts, modified, rejecting; BYPASS and REJECT/BYPASS are reject), as often as it
    likes.

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
    text = as_text(answer)
    bare = text.strip(_QUOTES).rstrip(".,!" + _QUOTES)
    if len(bare) <= _LONGEST_CLASS_ID and (match := _CLASS_ID.fullmatch(bare)):
        return int(match[1])
    for key, value in _object_in(text):
        if key in _LABEL_KEYS:
            return parse_label(value)
    lowered = text.lower()
    named = set()
    for match in _NAMED.finditer(lowered):
        if _NEGATED.search(lowered, max(0, match.start() - _NEGATION_REACH), match.start()):
            return None
        named.add(match.lastindex)
    return int(named.pop() or 0) - 1 if len(named) == 1 else None


def parse_rating(answer: object, *, round: bool = False) -> int | None:
    """The rating from 1 to 5 that an answer gives.

    A JSON object's `rating`, `score`, `answer`, `prediction` or `label` is read, else the text's
    only number. `4/5` and `4 out of 5` are 4, and a scale that is named ("from 1 to 5", "(1-5)")
    is no answer; a number that is part of a word ("Q4") is none.

    Args:
        answer: Text or a number; anything else is read as the text that `as_text` makes of it.
        round: Whether a fractional number is taken to the nearest whole one (a half to the even
            one, as Python's `round` does) before its range is checked.

    Returns:
        The rating; None for an answer with no number, with different numbers, or out of range.

    Raises:
        FractionalRatingError: The only number is fractional and `round` is false.

    Examples:
        >>> [parse_rating(x) for x in (4, "5", "Rating: 3", "4/5", "**2**", 4.0)]
        [4, 5, 3, 4, 2, 4]
        >>> [parse_rating(x) for x in (0, 6, "3 or 4", "good", None, float("nan"), True)]
        [None, None, None, None, None, None, None]
        >>> parse_rating(4.7, round=True)
        5
    """
    text = as_text(answer)
    for key, value in _object_in(text):
        if key in _RATING_KEYS:
            return parse_rating(value, round=round)
    text = _OUT_OF_FIVE.sub(" ", _SCALE.sub(" ", text))
    numbers = {float(number) for number in _NUMBER.findall(text)}
    if len(numbers) != 1 or math.isinf(number := numbers.pop()):
        return None
    if not number.is_integer():
        if not round:
            raise FractionalRatingError(
                f"found {_clip(as_text(answer))}; expected a whole number from 1 to 5. "
                "Pass round=True to round it."
            )
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
    """Ratings of a column of answers as 0 (for 1) to 4 (for 5); 5 where an answer is invalid.

    Raises:
        ValueError: An answer is fractional and `round` is false; it names the row.
    """
    index_of: dict[str, int] = {}
    for row, text in enumerate(texts):
        if text not in index_of:
            try:
                rating = parse_rating(text, round=round)
            except FractionalRatingError as err:
                raise ValueError(f"predictions[{row}]: {err}") from err
            index_of[text] = len(RATINGS) if rating is None else rating - 1
    return np.fromiter((index_of[text] for text in texts), dtype=np.intp, count=len(texts))


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


def _object_in(text: str) -> list[tuple[str, object]]:
    """The plain values of the JSON object in a text, fenced or not, by key in lower case."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        return []
    try:
        found = json.loads(text[start : end + 1])
    except (ValueError, RecursionError):
        return []
    return [
        (key.lower(), value) for key, value in found.items() if not isinstance(value, dict | list)
    ]


def _clip(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:79] + "…")
