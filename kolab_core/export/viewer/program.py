"""Run by `steps` as a script of its own, which imports nothing of this package.

    python -I program.py FOLDER

Prints a line `fault [where, found, expected]` for each thing that goes wrong.
"""

import json
import os
import sys
from typing import Any

import datasets
import pyarrow.parquet as pq

_PAGE_ROWS = 100


def main(folder: str) -> None:
    """Take all steps; what fails is told and the others go on."""
    try:
        names = datasets.get_dataset_config_names(folder)
    except Exception as err:  # noqa: BLE001  # whatever the libraries raise is what is told
        _tell("config names", _describe(err), "the card's configs")
        return
    for name in names:
        try:
            for split in datasets.get_dataset_split_names(folder, name):
                _read_split(folder, name, split)
        except Exception as err:  # noqa: BLE001  # as above
            _tell(name, _describe(err), "rows that stock datasets reads")


def _read_split(folder: str, name: str, split: str) -> None:
    where = f"{name}, {split}"
    rows = datasets.load_dataset(folder, name, split=split, streaming=True)
    for column, feature in (rows.features or {}).items():
        if isinstance(feature, datasets.Video):
            rows = rows.cast_column(column, datasets.Video(decode=False))
    num_streamed = sum(1 for _ in rows.take(_PAGE_ROWS))
    loaded = datasets.load_dataset(folder, name, split=split)
    if num_streamed != min(len(loaded), _PAGE_ROWS):
        _tell(f"{where}: first rows", num_streamed, min(len(loaded), _PAGE_ROWS))
    for path in datasets.load_dataset_builder(folder, name).config.data_files[split]:
        stored = datasets.Features.from_arrow_schema(pq.read_schema(path))
        # Loading casts to the card's types where it can, without a word.
        if other := sorted(c for c in stored if stored[c] != loaded.features.get(c)):
            found = f"other types than {os.path.relpath(path, folder)}: {', '.join(other)}"
            _tell(f"README.md: dataset_info of {name}", found, "the same types")
    for column, feature in loaded.features.items():
        if isinstance(feature, datasets.ClassLabel):
            _read_classes(f"{where}: classes of {column}", loaded.unique(column), feature)


def _read_classes(where: str, values: list[Any], feature: datasets.ClassLabel) -> None:
    # -1 stands for "no label".
    if strange := sorted(set(values) - {None, *range(-1, feature.num_classes)}):
        _tell(where, f"the classes {strange}", f"0 to {feature.num_classes - 1}")


def _describe(err: Exception) -> str:
    cause = f" ({err.__cause__})" if err.__cause__ is not None else ""
    return " ".join(f"{type(err).__name__}: {err}{cause}".split())[:300]


def _tell(where: str, found: object, expected: object) -> None:
    print("fault", json.dumps([where, str(found), str(expected)]), flush=True)  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1])
