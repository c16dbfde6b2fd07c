"""Values of any type as text, without loss: what the `evaluate` modules store and parsing reads."""

from __future__ import annotations

import json
import math
import numbers
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

__all__ = ["as_text", "check_whole", "column_values", "is_fraction", "text_column"]


def as_text(value: object) -> str:
    """One value as text, without loss.

    Args:
        value: Text is kept (lone surrogates, which Arrow cannot hold, are escaped); None becomes
            the empty text; numbers of Python and NumPy are written as Python does; bytes are read
            as UTF-8; dicts, lists, tuples and arrays become JSON; the rest is `str(value)`.

    Examples:
        >>> [as_text(value) for value in ("Modify.", 4, 4.7, None, {"label": "reject"})]
        ['Modify.', '4', '4.7', '', '{"label": "reject"}']
        >>> as_text(np.float64("nan")), as_text(np.int64(2)), as_text(True)
        ('nan', '2', 'True')
    """
    # What long columns hold comes first, for speed; below, it would come out the same.
    if type(value) is str and value.isascii():
        return value
    if type(value) is float or type(value) is int:
        return str(value)
    if value is None:
        return ""
    plain = _plain(value)
    if isinstance(plain, bytes | bytearray):
        return bytes(plain).decode("utf-8", "backslashreplace")
    if isinstance(plain, dict | list | tuple):
        text = json.dumps(plain, default=_plain_or_text, ensure_ascii=False)
    else:
        text = str(plain)
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def text_column(name: str, column: object) -> list[str]:
    """A column of an input as a list of texts.

    Args:
        name: The input's name, for messages.
        column: A list, tuple, NumPy array, tensor, pandas or Arrow column, a column of a dataset,
            or any other iterable that is not itself one text or one mapping.

    Raises:
        TypeError: Not a column.
        ValueError: An array of other than one dimension.
    """
    return [as_text(value) for value in column_values(name, column)]


def column_values(name: str, column: object) -> list[object]:
    """A column's values as they are; what is a column, `text_column` says.

    Raises:
        TypeError: Not a column.
        ValueError: An array of other than one dimension.
    """
    shape = getattr(column, "shape", None)
    if shape is not None and len(shape) != 1:
        raise ValueError(f"{name}: found an array of shape {tuple(shape)}; expected one dimension.")
    for method in ("to_pylist", "tolist"):
        if callable(convert := getattr(column, method, None)):
            return list(convert())
    if isinstance(column, str | bytes | Mapping) or not hasattr(column, "__iter__"):
        raise TypeError(
            f"{name}: found {type(column).__name__} {str(column)[:80]!r}; "
            "expected a list or an array with one value a row."
        )
    return list(column)


def is_fraction(value: object) -> bool:
    """Whether a value is a number (no text) that is finite and not whole."""
    return (
        type(value) is not str
        and isinstance(value, numbers.Real)
        and math.isfinite(value)
        and value % 1 != 0
    )


def check_whole(name: str, values: Iterable[object], *, first_row: int = 0) -> None:
    """Refuse a column with a fractional number in it; a text with one is just invalid.

    Raises:
        ValueError: It names the first row of them, counted from `first_row`.
    """
    for row, value in enumerate(values, start=first_row):
        if is_fraction(value):
            raise ValueError(
                f"{name}[{row}]: found {value}; expected a whole number from 1 to 5. "
                "Pass round=True to round it."
            )


def _plain(value: Any) -> Any:
    """A scalar or array of NumPy (or of a library like it) as builtin values."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if getattr(value, "shape", None) is not None and callable(getattr(value, "tolist", None)):
        return value.tolist()
    return value


def _plain_or_text(value: object) -> object:
    plain = _plain(value)
    return str(plain) if plain is value else plain
