"""Run by `steps` as a script of its own, which imports nothing of this package.

    python -I program.py FOLDER '{"configs": {name: [split]}, "files": {"name/split": [path]}}'

Prints a line `fault [where, found, expected]` for each thing that goes wrong.
"""

import json
import sys
from typing import Any

import datasets
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

_PAGE_ROWS = 100


def main(folder: str, request: dict[str, Any]) -> None:
    """Take all steps; what fails is told and the others go on."""
    declared = request["configs"]
    names = _read_names(folder, declared)
    for name in names:
        try:
            splits = datasets.get_dataset_split_names(folder, name)
            if sorted(splits) != declared.get(name):
                _tell(f"{name}: split names", splits, declared.get(name))
            for split in splits:
                _read_split(folder, name, split, request["files"].get(f"{name}/{split}", []))
        except Exception as err:  # noqa: BLE001  # whatever the libraries raise is what is told
            _tell(name, _describe(err), "rows that stock datasets reads")


def _read_names(folder: str, declared: dict[str, list[str]]) -> list[str]:
    try:
        names = list(datasets.get_dataset_config_names(folder))
        default = datasets.get_dataset_default_config_name(folder)
    except Exception as err:  # noqa: BLE001  # as above
        _tell("config names", _describe(err), "the card's configs")
        return []
    if sorted(names) != sorted(declared):
        _tell("config names", sorted(names), sorted(declared))
    if default is None:
        _tell("default config", None, "the card's default")
    return names


def _read_split(folder: str, name: str, split: str, files: list[str]) -> None:
    where = f"{name}, {split}"
    rows = datasets.load_dataset(folder, name, split=split, streaming=True)
    for column, feature in (rows.features or {}).items():
        if isinstance(feature, datasets.Video):
            rows = rows.cast_column(column, datasets.Video(decode=False))
    num_streamed = sum(1 for _ in rows.take(_PAGE_ROWS))
    loaded = datasets.load_dataset(folder, name, split=split)
    if num_streamed != min(len(loaded), _PAGE_ROWS):
        _tell(f"{where}: first rows", num_streamed, min(len(loaded), _PAGE_ROWS))
    if (num_rows := sum(map(_read_pages, files))) != len(loaded):
        _tell(f"{where}: parquet index", f"{num_rows} rows", f"{len(loaded)} rows")
    for column, feature in loaded.features.items():
        _read_statistics(f"{where}: statistics of {column}", loaded.data.table[column], feature)


def _read_pages(path: str) -> int:
    """Read the row groups of the first and the last page; the number of rows by the index."""
    file = pq.ParquetFile(path)
    groups = range(file.metadata.num_row_groups)
    for index in sorted({*groups[:1], *groups[-1:]}):
        file.read_row_group(index)
    return sum(file.metadata.row_group(index).num_rows for index in groups)


def _read_statistics(where: str, column: pa.ChunkedArray, feature: Any) -> None:
    """What the viewer shows over a column: nulls, and by type ranges, lengths or classes."""
    pc.count(column, mode="only_null")
    kind = column.type
    if isinstance(feature, datasets.ClassLabel):
        labels = {value for value in pc.unique(column).to_pylist() if value is not None}
        # -1 stands for "no label".
        if strange := sorted(labels - set(range(-1, feature.num_classes))):
            _tell(where, f"the classes {strange}", f"0 to {feature.num_classes - 1}")
    elif pa.types.is_integer(kind) or pa.types.is_floating(kind):
        pc.min_max(column), pc.mean(column), pc.stddev(column)
    elif pa.types.is_string(kind) or pa.types.is_large_string(kind):
        pc.min_max(pc.utf8_length(column))
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind):
        pc.min_max(pc.list_value_length(column))


def _describe(err: Exception) -> str:
    cause = f" ({err.__cause__})" if err.__cause__ is not None else ""
    return " ".join(f"{type(err).__name__}: {err}{cause}".split())[:300]


def _tell(where: str, found: object, expected: object) -> None:
    print("fault", json.dumps([where, str(found), str(expected)]), flush=True)  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1], json.loads(sys.argv[2]))
