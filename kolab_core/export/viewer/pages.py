"""What the viewer can page through: an index, row groups it may scan, first rows that fit.

The limits are the viewer's: at most 300 MB scanned for a page, and first rows of at most 200 kB of
JSON, of which 10 must fit after every cell was cut to 100 bytes; at most 1,000 columns.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from kolab_core.export.viewer.folder import ExportFolder, Finding

__all__ = [
    "FIRST_ROWS_BYTES",
    "FIRST_ROWS_NUMBER",
    "ROW_GROUP_BYTES",
    "check_first_rows",
    "check_page_index",
    "check_row_groups",
    "cut_first_rows",
]

ROW_GROUP_BYTES = 300_000_000
FIRST_ROWS_BYTES = 200_000
FIRST_ROWS_NUMBER = 100
_LEAST_ROWS = 10
_LEAST_CELL_BYTES = 100
_MOST_COLUMNS = 1_000


def check_page_index(folder: ExportFolder) -> Iterator[Finding]:
    """A page index in every file, so that a page is read without its whole row group."""
    for _, _, path, metadata in folder.tables():
        missing = [
            metadata.row_group(g).column(c).path_in_schema
            for g in range(metadata.num_row_groups)
            for c in range(metadata.num_columns)
            if not metadata.row_group(g).column(c).has_offset_index
        ]
        if missing:
            found = f"no page index for {len(missing)} column chunks, first {missing[0]}"
            yield Finding("page-index", folder.name(path), found, "one (write_page_index=True)")


def check_row_groups(folder: ExportFolder) -> Iterator[Finding]:
    """Row groups that the viewer still scans."""
    for _, _, path, metadata in folder.tables():
        sizes = [metadata.row_group(g).total_byte_size for g in range(metadata.num_row_groups)]
        if max(sizes, default=0) > ROW_GROUP_BYTES:
            found = f"a row group of {max(sizes):,} bytes"
            yield Finding("row-groups", folder.name(path), found, f"at most {ROW_GROUP_BYTES:,}")


def check_first_rows(folder: ExportFolder) -> Iterator[Finding]:
    """First rows that fit the viewer's answer once their long cells are cut."""
    for _, _, path, metadata in folder.tables():
        num_columns = len(metadata.schema.to_arrow_schema().names)
        if num_columns > _MOST_COLUMNS:
            found = f"{num_columns:,} columns"
            yield Finding("first-rows", folder.name(path), found, f"at most {_MOST_COLUMNS:,}")
            continue
        size = cut_size(read_first_rows(path, _LEAST_ROWS))
        if size > FIRST_ROWS_BYTES:
            found = f"{_LEAST_ROWS} rows of {size:,} bytes with every cell cut"
            expected = f"at most {FIRST_ROWS_BYTES:,}: fewer columns"
            yield Finding("first-rows", folder.name(path), found, expected)


def read_first_rows(path: Path, number: int = FIRST_ROWS_NUMBER) -> list[dict[str, Any]]:
    """The first rows of a parquet file as Python values."""
    rows: list[dict[str, Any]] = []
    for batch in pq.ParquetFile(path).iter_batches(batch_size=number):
        rows += batch.to_pylist()
        if len(rows) >= number:
            break
    return rows[:number]


def cut_size(rows: list[dict[str, Any]]) -> int:
    """Bytes of the rows' JSON when every cell is cut as far as the viewer cuts it."""
    return sum(
        min(len(_as_json(cell)), _LEAST_CELL_BYTES) + len(_as_json(name)) + 2
        for row in rows
        for name, cell in row.items()
    )


def cut_first_rows(rows: list[dict[str, Any]]) -> list[dict[str, str]]:
    """The rows as the viewer's first page shows them: as many as fit, long cells cut if needed.

    Args:
        rows: At most `FIRST_ROWS_NUMBER` rows.

    Returns:
        Each cell as JSON text; one that is cut ends in `…`.
    """
    shown = [{name: _as_json(cell).decode() for name, cell in row.items()} for row in rows]
    least = shown[:_LEAST_ROWS]
    if _size(least) > FIRST_ROWS_BYTES:
        for row in reversed(least):
            for name, text in row.items():
                if len(text.encode()) > _LEAST_CELL_BYTES:
                    row[name] = text.encode()[:_LEAST_CELL_BYTES].decode(errors="ignore") + "…"
            if _size(least) <= FIRST_ROWS_BYTES:
                break
        return least
    kept = len(least)
    while kept < len(shown) and _size(shown[: kept + 1]) <= FIRST_ROWS_BYTES:
        kept += 1
    return shown[:kept]


def _size(rows: list[dict[str, str]]) -> int:
    return sum(len(name) + len(text.encode()) + 5 for row in rows for name, text in row.items())


def _as_json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, default=repr).encode()
