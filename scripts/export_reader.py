"""Read an export in every way that needs nothing of this project, and compare with given rows.

    python scripts/export_reader.py EXPORT EXPECTED.json

Imports stock `datasets`, and `duckdb` and `polars` where they are installed. `EXPECTED.json` holds
`{config: [row]}`. Prints a table of configs and ways; 1 if any row differs or a way fails.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datasets

__all__ = ["WAYS", "main", "read_all"]

Rows = list[dict[str, Any]]
Read = Callable[[Path, str, Rows], Rows]

SPLIT = "test"
_NONE = "not installed"


def main(arguments: list[str]) -> int:
    """Read all configs in all ways; 1 if anything differs."""
    export, expected = Path(arguments[0]).resolve(), json.loads(Path(arguments[1]).read_text())
    results = read_all(export, expected)
    names = list(WAYS)
    width = max(map(len, expected))
    print(f"{'config':{width}}  rows  " + "  ".join(f"{name:>14}" for name in names))
    for config, rows in expected.items():
        cells = "  ".join(f"{results[config][name]:>14}" for name in names)
        print(f"{config:{width}}  {len(rows):>4}  {cells}")
    print(f"\ndatasets {datasets.__version__}, Python {sys.version.split()[0]}")
    return (
        0 if all(text in ("ok", _NONE) for row in results.values() for text in row.values()) else 1
    )


def read_all(export: Path, expected: dict[str, Rows]) -> dict[str, dict[str, str]]:
    """What came of each way of each config: `ok`, `not installed`, or `DIFFERS` or `FAILED`.

    What differs or fails is told on stderr.
    """
    return {
        config: {name: _try(name, read, export, config, rows) for name, read in WAYS.items()}
        for config, rows in expected.items()
    }


def _try(name: str, read: Read, export: Path, config: str, expected: Rows) -> str:
    try:
        found = read(export, config, expected)
    except ModuleNotFoundError as err:
        if err.name in ("duckdb", "polars"):
            return _NONE
        traceback.print_exc()
        return "FAILED"
    except Exception:  # noqa: BLE001 - whatever a library raises is told
        traceback.print_exc()
        return "FAILED"
    if found == expected:
        return "ok"
    print(f"{config}, {name}: {_first_difference(found, expected)}", file=sys.stderr)
    return "DIFFERS"


def _first_difference(found: Rows, wanted: Rows) -> str:
    if len(found) != len(wanted):
        return f"found {len(found)} rows; expected {len(wanted)}."
    places = (
        (index, key)
        for index, (row, other) in enumerate(zip(found, wanted, strict=True))
        for key in other
        if row.get(key) != other[key]
    )
    index, key = next(places, (0, None))
    if key is None:
        return f"found the columns {list(found[0])}; expected {list(wanted[0])}."
    different = found[index].get(key), wanted[index][key]
    return "row {}, {}: found {!r:.200}; expected {!r:.200}.".format(index, key, *different)


def _load(export: Path, config: str, *, streaming: bool = False, path: str | None = None) -> Any:
    """A config, its video column (if it is one) as plain values: its frames need torchcodec."""
    rows = datasets.load_dataset(path or str(export), config, split=SPLIT, streaming=streaming)
    if isinstance(rows.features.get("video"), datasets.Video):
        rows = rows.cast_column("video", datasets.Video(decode=False))
    return rows


def _loaded(export: Path, config: str, expected: Rows) -> Rows:
    return list(_load(export, config))


def _streamed(export: Path, config: str, expected: Rows) -> Rows:
    return list(_load(export, config, streaming=True))


def _selected(export: Path, config: str, expected: Rows) -> Rows:
    """A few columns, loaded and streamed, in the rows' places; also the names of the labels."""
    names = [name for name in expected[0] if name in ("id", "label", "rating", "has_video", "Q13")]
    whole = _load(export, config)
    if "label" in names and whole.features["label"].names != ["adopt", "modify", "reject"]:
        raise ValueError(f"label: found {whole.features['label']}; expected adopt, modify, reject.")
    streamed = list(_load(export, config, streaming=True).select_columns(names))
    selected = list(whole.select_columns(names))
    if streamed != selected or any(list(row) != names for row in selected):
        raise ValueError(f"select_columns: found {streamed[0]} streamed, {selected[0]} loaded.")
    if len(selected) != len(expected):
        raise ValueError(f"select_columns: found {len(selected)} rows; expected {len(expected)}.")
    return [{**row, **part} for row, part in zip(expected, selected, strict=True)]


def _by_name(export: Path, config: str, expected: Rows) -> Rows:
    """From the folder above, by the folder's name."""
    before = Path.cwd()
    os.chdir(export.parent)
    try:
        return list(_load(export, config, path=export.name))
    finally:
        os.chdir(before)


def _by_duckdb(export: Path, config: str, expected: Rows) -> Rows:
    import duckdb

    columns = list(_load(export, config).features)
    query = f"SELECT * FROM read_parquet('{_file(export, config)}')"
    return [dict(zip(columns, row, strict=True)) for row in duckdb.sql(query).fetchall()]


def _by_polars(export: Path, config: str, expected: Rows) -> Rows:
    import polars as pl

    return list(pl.read_parquet(_file(export, config)).iter_rows(named=True))


def _file(export: Path, config: str) -> str:
    return str(export / "data" / config / f"{SPLIT}-00000-of-00001.parquet")


WAYS: dict[str, Read] = {
    "loaded": _loaded,
    "streamed": _streamed,
    "select_columns": _selected,
    "by name": _by_name,
    "duckdb": _by_duckdb,
    "polars": _by_polars,
}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
