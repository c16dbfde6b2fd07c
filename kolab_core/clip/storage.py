"""How a clip lies in Arrow, and the ways there from Python values and other Arrow types."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Any

import pyarrow as pa
from datasets import Features
from datasets.table import array_cast

from kolab_core.release import show_value
from kolab_core.rows.columns import VIDEO_STORAGE

__all__ = ["STORAGE_TYPE", "cast_clips", "encode_clip", "join_root"]

STORAGE_TYPE = Features({"video": VIDEO_STORAGE}).arrow_schema.field("video").type
_INTERVALS_TYPE = STORAGE_TYPE.field("intervals").type

_HUB_FILE = re.compile(r"hf://datasets/[^/]+/[^/@]+(?:@[^/]+)?/(?P<file>.+)")
_MADE_OF = "a path, a mapping with path, bytes or intervals, or None"


def encode_clip(value: object) -> dict[str, Any] | None:
    """A clip, a mapping or a path as the storage's plain values.

    Args:
        value: A mapping with any of `path`, `bytes` and `intervals` (other keys are dropped), each
            interval a `(start, end)` pair or a mapping with both, in seconds of the recording;
            or the path alone, which means the whole recording; or None.

    Returns:
        `{"path", "bytes", "intervals": [{"start", "end"}, …]}` with what is missing as None, or
        None. Intervals None means the whole recording, an empty list a clip of no length.

    Raises:
        TypeError: `value` is none of these.
        ValueError: A mapping without any of the three keys, or an interval that is no pair.
    """
    if value is None:
        return None
    if isinstance(value, str | os.PathLike):
        return {"path": os.fspath(value), "bytes": None, "intervals": None}
    if not isinstance(value, Mapping):
        raise TypeError(f"clip: found {show_value(value)}; expected {_MADE_OF}.")
    if not set(VIDEO_STORAGE) & set(value):
        raise ValueError(f"clip: found the keys {sorted(value)}; expected {_MADE_OF}.")
    path, data, intervals = (value.get(key) for key in ("path", "bytes", "intervals"))
    return {
        "path": None if path is None else os.fspath(path),
        "bytes": None if data is None else bytes(data),
        "intervals": None if intervals is None else _encode_intervals(intervals),
    }


def cast_clips(storage: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """An Arrow array of clips as `STORAGE_TYPE`; one that has it already is returned as it is.

    Args:
        storage: Structs with any of `path`, `bytes` and `intervals` in any order (other fields are
            dropped), strings (paths: whole recordings) or nulls; sliced or chunked too. Intervals
            may be lists of structs or of pairs.

    Raises:
        TypeError: Another type, or structs that have none of the three fields.
    """
    if isinstance(storage, pa.ChunkedArray):
        return pa.chunked_array([cast_clips(chunk) for chunk in storage.chunks], type=STORAGE_TYPE)
    kind = storage.type
    if kind == STORAGE_TYPE:
        return storage
    if pa.types.is_null(kind):
        return pa.nulls(len(storage), STORAGE_TYPE)
    if _is_text(kind):
        columns = {"path": storage}
    elif pa.types.is_struct(kind):
        columns = {
            field.name: storage.field(field.name) for field in kind if field.name in VIDEO_STORAGE
        }
    else:
        columns = {}
    if not columns:
        raise TypeError(
            f"clip: found an Arrow array of {show_value(kind)}; expected strings (paths) or "
            "structs with path, bytes or intervals."
        )
    arrays = [_cast_field(columns.get(field.name), field.type, storage) for field in STORAGE_TYPE]
    return pa.StructArray.from_arrays(arrays, fields=list(STORAGE_TYPE), mask=storage.is_null())


def join_root(path: str, root: str | None) -> str:
    """The path under `root` (a folder or a URL).

    A relative path is joined to it. A file of a dataset repository on the Hub
    (`hf://datasets/<namespace>/<name>@<revision>/<file>`) is looked up as `<root>/<file>`, so that
    a local copy of an export is read where it lies. Any other URL and an absolute path stay.
    """
    if root is None:
        return path
    on_hub = _HUB_FILE.fullmatch(path)
    if on_hub is not None:
        path = on_hub["file"]
    elif "://" in path or PurePath(path).is_absolute():
        return path
    if "://" in root:
        return f"{root.rstrip('/')}/{path}"
    return os.fspath(PurePath(root) / path)


def _encode_intervals(intervals: Iterable[Any]) -> list[dict[str, float]]:
    return [_encode_interval(interval, index) for index, interval in enumerate(intervals)]


def _encode_interval(interval: Any, index: int) -> dict[str, float]:
    try:
        if isinstance(interval, Mapping):
            start, end = interval["start"], interval["end"]
        else:
            start, end = interval
        return {"start": float(start), "end": float(end)}
    except (KeyError, TypeError, ValueError) as err:
        raise ValueError(
            f"clip: intervals[{index}]: found {show_value(interval)}; expected (start, end) or "
            "{'start': …, 'end': …} in seconds."
        ) from err


def _cast_field(column: pa.Array | None, kind: pa.DataType, parent: pa.Array) -> pa.Array:
    """One field of the storage; null throughout where the parent has no such field."""
    if column is None or pa.types.is_null(column.type):
        return pa.nulls(len(parent), kind)
    try:
        return array_cast(column, kind, allow_primitive_to_str=False)
    except (TypeError, pa.ArrowInvalid, pa.ArrowNotImplementedError):
        if kind != _INTERVALS_TYPE:
            raise
    rows = column.to_pylist()
    return pa.array([None if row is None else _encode_intervals(row) for row in rows], type=kind)


def _is_text(kind: pa.DataType) -> bool:
    return str(kind) in {"string", "large_string", "string_view"}
