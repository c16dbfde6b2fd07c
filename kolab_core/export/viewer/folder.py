"""An export as the Hub would see it: the card's YAML, the configs it names, their files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import yaml
from huggingface_hub import DatasetCard

__all__ = ["Config", "ExportFolder", "Finding", "read_folder"]


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
class Config:
    """A config as the card declares it: its splits and, of each, the files its patterns match."""

    name: str
    splits: Mapping[str, tuple[Path, ...]]

    def files(self) -> Iterator[tuple[str, Path]]:
        """All files with their splits."""
        for split, paths in self.splits.items():
            for path in paths:
                yield split, path


@dataclass(frozen=True)
class ExportFolder:
    """An export on disk.

    Attributes:
        root: The folder.
        card: The card's YAML; empty if it has none.
        configs: As the card declares them.
        faults: What kept parts of it from being read.
    """

    root: Path
    card: Mapping[str, Any]
    configs: tuple[Config, ...]
    faults: tuple[Finding, ...]

    def name(self, path: Path) -> str:
        """A path as a person would name it."""
        return path.relative_to(self.root).as_posix()

    def tables(self) -> Iterator[tuple[Config, str, Path, pq.FileMetaData]]:
        """The readable parquet files with their configs, splits and metadata."""
        for config in self.configs:
            for split, path in config.files():
                metadata = read_metadata(path)
                if metadata is not None:
                    yield config, split, path, metadata


def read_folder(root: str | Path) -> ExportFolder:
    """Read the card's YAML and find each config's files."""
    base = Path(root)
    card, faults = _read_card(base)
    configs = []
    declared = card.get("configs")
    for item in declared if isinstance(declared, list) else []:
        if isinstance(item, dict) and isinstance(item.get("config_name"), str):
            splits = _find_files(base, item.get("data_files"))
            configs.append(Config(item["config_name"], splits))
    if not configs and not faults:
        faults = (Finding("card", "README.md", "no YAML `configs`", "a list of configs"),)
    return ExportFolder(base, card, tuple(configs), faults)


def read_metadata(path: Path) -> pq.FileMetaData | None:
    """A parquet file's metadata; None if it is not parquet."""
    try:
        return pq.read_metadata(path)
    except (pa.ArrowException, OSError):
        return None


def _read_card(base: Path) -> tuple[Mapping[str, Any], tuple[Finding, ...]]:
    path = base / "README.md"
    if not path.is_file():
        return {}, (Finding("card", "README.md", "no such file", "a card with YAML"),)
    try:
        text = path.read_text(encoding="utf-8")
        data = DatasetCard(text, ignore_metadata_errors=False).data
        return dict(data.to_dict()), ()  # type: ignore[no-untyped-call]  # the library's
    except (ValueError, yaml.YAMLError) as err:
        found = f"unreadable YAML ({str(err).splitlines()[0]})"
        return {}, (Finding("card", "README.md", found, "YAML that the Hub takes"),)


def _find_files(base: Path, data_files: object) -> dict[str, tuple[Path, ...]]:
    splits: dict[str, tuple[Path, ...]] = {}
    for item in data_files if isinstance(data_files, list) else []:
        if isinstance(item, dict) and "split" in item and "path" in item:
            paths = item["path"]
            patterns: Sequence[str] = [paths] if isinstance(paths, str) else paths
            found = [p for pattern in patterns for p in sorted(base.glob(pattern)) if p.is_file()]
            splits[str(item["split"])] = tuple(found)
    return splits
