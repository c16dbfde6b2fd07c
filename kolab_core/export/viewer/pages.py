"""What the viewer can page through: an index, row groups it may scan, first rows that fit.

The limits are those that the Hub's viewer runs with: at most 300 MB of row groups for a page of 100
rows; a first page of at most 200 kB of JSON, columns included, for which rows are left out down to
10 and then cells cut to 100 bytes; at most 1,000 columns with names of at most 500 characters.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from datasets import Features

from kolab_core.export.viewer.folder import ExportFolder, Finding, stored_features

__all__ = [
    "FIRST_ROWS_BYTES",
    "PAGE_ROWS",
    "ROW_GROUP_BYTES",
    "ShownRow",
    "check_first_rows",
    "check_page_index",
    "check_row_groups",
    "cut_first_rows",
    "first_rows_size",
    "read_first_rows",
    "rows_room",
]

ROW_GROUP_BYTES = 300_000_000
FIRST_ROWS_BYTES = 200_000
PAGE_ROWS = 100
_LEAST_ROWS = 10
_LEAST_CELL_BYTES = 100
_MOST_COLUMNS = 1_000
_MOST_NAME_CHARACTERS = 500


@dataclass(frozen=True)
class ShownRow:
    """A row of the viewer's first page.

    Attributes:
        cells: Each cell's value; of one that is cut, the beginning of its JSON text.
        cut: The names of the cells that are cut.
    """

    cells: Mapping[str, Any]
    cut: tuple[str, ...] = ()


def check_page_index(folder: ExportFolder) -> Iterator[Finding]:
    """A page index in every file, so that a page is read without its whole row group."""
    for _, _, path, metadata in folder.tables():
        missing = [
            metadata.row_group(g).column(c).path_in_schema
            for g in range(metadata.num_row_groups)
            for c in range(metadata.num_columns if metadata.row_group(g).num_rows else 0)
            if not metadata.row_group(g).column(c).has_offset_index
        ]
        if missing:
            found = f"no page index for {len(missing)} column chunks, first {missing[0]}"
            yield Finding("page-index", folder.name(path), found, "one (write_page_index=True)")


def check_row_groups(folder: ExportFolder) -> Iterator[Finding]:
    """Row groups that the viewer still scans: all those together that a page of rows lies in."""
    for _, _, path, metadata in folder.tables():
        size, first = max(_page_sizes(metadata), default=(0, 0))
        if size > ROW_GROUP_BYTES:
            found = f"row groups of {size:,} bytes for the page at row {first}"
            expected = f"at most {ROW_GROUP_BYTES:,}: smaller row groups"
            yield Finding("row-groups", folder.name(path), found, expected)


def check_first_rows(folder: ExportFolder) -> Iterator[Finding]:
    """First rows that fit the viewer's answer once rows are left out and long cells cut."""
    for _, _, path, metadata in folder.tables():
        names = metadata.schema.to_arrow_schema().names
        longest = max(names, key=len, default="")
        if len(names) > _MOST_COLUMNS:
            found, expected = f"{len(names):,} columns", f"at most {_MOST_COLUMNS:,}"
            yield Finding("first-rows", folder.name(path), found, expected)
        elif len(longest) > _MOST_NAME_CHARACTERS:
            found = f"a column name of {len(longest):,} characters, {longest[:20]}…"
            expected = f"at most {_MOST_NAME_CHARACTERS:,}"
            yield Finding("first-rows", folder.name(path), found, expected)
        else:
            room = rows_room(path)
            size = first_rows_size(cut_first_rows(read_first_rows(path), room))
            if size > room:
                found = f"{size:,} bytes with every cell cut, beside the columns' own JSON"
                expected = f"at most {room:,}: fewer columns, or shorter names"
                yield Finding("first-rows", folder.name(path), found, expected)


def read_first_rows(path: Path, number: int = PAGE_ROWS) -> list[dict[str, Any]]:
    """The first rows of a parquet file as Python values."""
    rows: list[dict[str, Any]] = []
    for batch in pq.ParquetFile(path).iter_batches(batch_size=number):
        rows += batch.to_pylist()
        if len(rows) >= number:
            break
    return rows[:number]


def rows_room(path: Path) -> int:
    """Bytes of JSON that the description of a file's columns leaves for its first rows."""
    schema = pq.read_schema(path)
    features = stored_features(schema.metadata) or Features.from_arrow_schema(schema).to_dict()
    columns = [
        {"feature_idx": index, "name": name, "type": kind}
        for index, (name, kind) in enumerate(features.items())
    ]
    return FIRST_ROWS_BYTES - len(_as_json(columns))


def cut_first_rows(rows: Sequence[Mapping[str, Any]], room: int) -> list[ShownRow]:
    """The rows of the viewer's first page.

    As many rows as there is room for. If not even 10 fit, then 10 with the cells of the last one
    cut, then of the one before it, and so on until there is room; at worst all of them are cut and
    there still is none.

    Args:
        rows: At most `PAGE_ROWS` rows.
        room: Bytes of JSON; see `rows_room`.
    """
    kept = [ShownRow(row) for row in rows[:_LEAST_ROWS]]
    size = first_rows_size(kept)
    if size >= room:
        for index in reversed(range(len(kept))):
            if size < room:
                break
            before = _row_size(index, kept[index])
            kept[index] = _cut(kept[index])
            size += _row_size(index, kept[index]) - before
        return kept
    for index, row in enumerate(rows[_LEAST_ROWS:], start=_LEAST_ROWS):
        size += _row_size(index, ShownRow(row)) + 1
        if size >= room:
            break
        kept.append(ShownRow(row))
    return kept


def first_rows_size(shown: Sequence[ShownRow]) -> int:
    """Bytes of the rows as a JSON list, in the form that the viewer's answer has."""
    return 2 + sum(_row_size(index, row) + 1 for index, row in enumerate(shown))


def _page_sizes(metadata: pq.FileMetaData) -> Iterator[tuple[int, int]]:
    """The bytes of the row groups that each page touches, and the page's first row."""
    groups = [metadata.row_group(index) for index in range(metadata.num_row_groups)]
    ends: list[int] = []
    for group in groups:
        ends.append((ends[-1] if ends else 0) + group.num_rows)
    for first in range(0, metadata.num_rows, PAGE_ROWS):
        yield (
            sum(
                group.total_byte_size
                for group, end in zip(groups, ends, strict=True)
                if end > first and end - group.num_rows < first + PAGE_ROWS
            ),
            first,
        )


def _cut(row: ShownRow) -> ShownRow:
    texts = {name: _as_json(cell) for name, cell in row.cells.items()}
    long = tuple(name for name, text in texts.items() if len(text) > _LEAST_CELL_BYTES)
    cut = {name: texts[name][:_LEAST_CELL_BYTES].decode(errors="ignore") for name in long}
    return ShownRow({**row.cells, **cut}, long)


def _row_size(index: int, row: ShownRow) -> int:
    return len(_as_json({"row_idx": index, "row": row.cells, "truncated_cells": row.cut}))


def _as_json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, default=repr, separators=(",", ":")).encode()
