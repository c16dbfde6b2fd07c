"""An export as the Hub would see it: the card's YAML and the tables that it names."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import yaml
from datasets.data_files import sanitize_patterns
from huggingface_hub import DatasetCard

__all__ = ["ExportFolder", "Finding", "Table", "read_folder", "stored_features"]

_MALFORMED = (AttributeError, KeyError, NotImplementedError, TypeError, ValueError)


@dataclass(frozen=True)
class Finding:
    """One fault of an export.

    Attributes:
        check: The name of the check that found it, one of `CHECKS`.
        where: The file, config or cell.
        found: What is there.
        expected: The rule, in words.
    """

    check: str
    where: str
    found: str
    expected: str


@dataclass(frozen=True)
class Table:
    """A parquet file with the config and the split that it belongs to."""

    config: str
    split: str
    path: Path
    metadata: pq.FileMetaData


@dataclass(frozen=True)
class ExportFolder:
    """An export on disk.

    Attributes:
        root: The folder.
        card: The card's YAML; empty if it has none.
        tables: The tables that its configs name.
        faults: What kept parts of it from being read.
    """

    root: Path
    card: Mapping[str, Any]
    tables: tuple[Table, ...]
    faults: tuple[Finding, ...]

    def name(self, path: Path) -> str:
        """A path as a person would name it."""
        return path.relative_to(self.root).as_posix()


def read_folder(root: str | Path) -> ExportFolder:
    """Read the card's YAML, and find and open the tables of each config."""
    base = Path(root)
    card: Mapping[str, Any] = {}
    tables: list[Table] = []
    faults: list[Finding] = []
    try:
        card = _read_card(base / "README.md")
        for config, split, path in _find_files(base, card):
            try:
                tables.append(Table(config, split, path, pq.read_metadata(path)))
            except (pa.ArrowException, OSError):
                where = path.relative_to(base).as_posix()
                faults.append(Finding("card", where, "a file that is no parquet", "parquet"))
    except FileNotFoundError:
        faults.append(Finding("card", "README.md", "no such file", "a card with YAML"))
    except yaml.YAMLError as err:
        found = f"unreadable YAML ({str(err).splitlines()[0]})"
        faults.append(Finding("card", "README.md", found, "YAML that the Hub takes"))
    except _MALFORMED as err:
        expected = "YAML `configs`, each with config_name and data_files"
        faults.append(Finding("card", "README.md", f"{type(err).__name__}: {err}", expected))
    return ExportFolder(base, card, tuple(tables), tuple(faults))


def stored_features(metadata: Mapping[bytes, bytes] | None) -> dict[str, Any]:
    """The features that a parquet file carries for `datasets`, as a dict; empty without them."""
    info = json.loads((metadata or {}).get(b"huggingface", b"{}")).get("info") or {}
    return dict(info.get("features") or {})


def _read_card(path: Path) -> Mapping[str, Any]:
    data = DatasetCard(path.read_text(encoding="utf-8"), ignore_metadata_errors=False).data
    return dict(data.to_dict())  # type: ignore[no-untyped-call]  # the library's


def _find_files(base: Path, card: Mapping[str, Any]) -> Iterator[tuple[str, str, Path]]:
    """Config, split and path of each file that the patterns of `configs` match in the export."""
    for config in card["configs"]:
        if not isinstance(config["config_name"], str):
            raise TypeError(f"config_name {config['config_name']!r}")
        for split, patterns in sanitize_patterns(config["data_files"]).items():
            for pattern in patterns:
                for path in sorted(base.glob(pattern)):
                    yield config["config_name"], str(split), path
