"""An export as the Hub would see it: the card's YAML, the configs it names, their files."""

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

__all__ = ["Config", "ExportFolder", "Finding", "read_folder", "stored_features"]

_METADATA_KEY = b"huggingface"


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
    """A config as the card declares it.

    Attributes:
        name: Of the config.
        splits: Its splits and, of each, the files that its patterns match.
        is_default: Whether the card marks it as the one to show first.
    """

    name: str
    splits: Mapping[str, tuple[Path, ...]]
    is_default: bool = False

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
    configs: list[Config] = []
    declared = card.get("configs")
    for index, item in enumerate(declared if isinstance(declared, list) else []):
        where = f"README.md: configs[{index}]"
        try:
            configs.append(_read_config(base, item))
        except (TypeError, ValueError) as err:
            found = str(err).splitlines()[0] if str(err) else type(err).__name__
            faults = (*faults, Finding("card", where, found, "config_name and data_files"))
    if not configs and not faults:
        faults = (Finding("card", "README.md", "no YAML `configs`", "a list of configs"),)
    return ExportFolder(base, card, tuple(configs), faults)


def read_metadata(path: Path) -> pq.FileMetaData | None:
    """A parquet file's metadata; None if it is not parquet."""
    try:
        return pq.read_metadata(path)
    except (pa.ArrowException, OSError):
        return None


def stored_features(metadata: Mapping[bytes, bytes] | None) -> dict[str, Any]:
    """The features that a parquet file carries for `datasets`, as a dict; empty without them."""
    try:
        info = json.loads((metadata or {}).get(_METADATA_KEY, b"{}")).get("info") or {}
        features = info.get("features")
    except (ValueError, AttributeError):
        return {}
    return features if isinstance(features, dict) else {}


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


def _read_config(base: Path, item: Any) -> Config:
    """One entry of `configs`, its patterns in any of the forms that `datasets` takes.

    Raises:
        TypeError: No mapping, or a name or pattern that is no text.
        ValueError: No data_files, or splits twice.
    """
    if not isinstance(item, dict) or not isinstance(item.get("config_name"), str):
        raise TypeError(f"found {item!r:.60}")
    if not item.get("data_files"):
        raise ValueError(f"{item['config_name']} without data_files")
    splits: dict[str, tuple[Path, ...]] = {}
    for split, patterns in sanitize_patterns(item["data_files"]).items():
        if not all(isinstance(pattern, str) for pattern in patterns):
            raise TypeError(f"data_files of {item['config_name']}: found {patterns!r:.60}")
        found = [path for pattern in patterns for path in _match(base, pattern)]
        splits[str(split)] = tuple(dict.fromkeys(found))
    return Config(item["config_name"], splits, item.get("default") is True)


def _match(base: Path, pattern: str) -> list[Path]:
    """The files inside the export that a pattern matches; none for an address or another folder."""
    if "://" in pattern or Path(pattern).is_absolute() or ".." in Path(pattern).parts:
        return []
    return sorted(path for path in base.glob(pattern) if path.is_file())
