"""The first page of a table as the Hub's viewer cuts it: rows left out, then long cells cut.

The limits are those that the viewer runs with: at most 200 kB of JSON, columns included, for which
rows are left out down to 10 and then cells cut to 100 bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from datasets import Features
from pyarrow.dataset import dataset

from kolab_core.export.viewer.folder import stored_features
from kolab_core.export.viewer.pages import PAGE_ROWS

__all__ = ["FIRST_ROWS_BYTES", "ShownRow", "cut_first_rows", "read_first_rows", "rows_room"]

FIRST_ROWS_BYTES = 200_000
_LEAST_ROWS = 10
_LEAST_CELL_BYTES = 100


@dataclass(frozen=True)
class ShownRow:
    """A row of the viewer's first page.

    Attributes:
        cells: Each cell's value; of one that is cut, the beginning of its JSON text.
        cut: The names of the cells that are cut.
    """

    cells: Mapping[str, Any]
    cut: tuple[str, ...] = ()


def read_first_rows(path: Path, number: int = PAGE_ROWS) -> list[dict[str, Any]]:
    """The first rows of a parquet file as Python values."""
    rows: list[dict[str, Any]] = dataset(path).head(number, batch_size=number).to_pylist()
    return rows


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
    kept = [ShownRow(row) for row in rows]
    sizes = [_row_size(index, row) for index, row in enumerate(kept)]
    while len(kept) > _LEAST_ROWS and _sum_sizes(sizes) >= room:
        kept.pop(), sizes.pop()
    for index in reversed(range(len(kept))):
        if _sum_sizes(sizes) < room:
            break
        kept[index] = _cut(kept[index])
        sizes[index] = _row_size(index, kept[index])
    return kept


def _cut(row: ShownRow) -> ShownRow:
    texts = {name: _as_json(cell) for name, cell in row.cells.items()}
    long = tuple(name for name, text in texts.items() if len(text) > _LEAST_CELL_BYTES)
    cut = {name: texts[name][:_LEAST_CELL_BYTES].decode(errors="ignore") for name in long}
    return ShownRow({**row.cells, **cut}, long)


def _row_size(index: int, row: ShownRow) -> int:
    return len(_as_json({"row_idx": index, "row": row.cells, "truncated_cells": row.cut}))


def _sum_sizes(sizes: Sequence[int]) -> int:
    """Brackets, the rows, and a comma after each: the viewer counts one after the last, too."""
    return 2 + sum(sizes) + len(sizes)


def _as_json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, default=repr, separators=(",", ":")).encode()
