"""Names, formats, features, and whether the card's YAML says what the files hold."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow.parquet as pq
from datasets import Features
from datasets.features.features import _FEATURE_TYPES

from kolab_core.export.viewer.folder import Config, ExportFolder, Finding

__all__ = ["check_features", "check_formats", "check_names", "check_yaml"]

_SPLIT = re.compile(r"\w+(\.\w+)*")
_FORBIDDEN = set('<>:/\\|?*"')
_RESERVED_SPLIT = "all"
_METADATA_KEY = b"huggingface"


def check_names(folder: ExportFolder) -> Iterator[Finding]:
    """Config and split names that the Hub and `datasets` take."""
    for config in folder.configs:
        bad = sorted(_FORBIDDEN & set(config.name))
        if bad or not config.name.strip():
            expected = f"a name without {' '.join(sorted(_FORBIDDEN))}"
            yield Finding("names", "README.md: configs", repr(config.name), expected)
        for split in config.splits:
            if not _SPLIT.fullmatch(split) or split == _RESERVED_SPLIT:
                expected = "a split of letters, digits, '_' and '.', not 'all'"
                yield Finding("names", f"config {config.name}", f"split {split!r}", expected)


def check_formats(folder: ExportFolder) -> Iterator[Finding]:
    """One builder serves a repository, inferred from its first config: all must be parquet."""
    for config in folder.configs:
        if not any(True for _ in config.files()):
            found = "no file for its data_files"
            yield Finding("formats", f"config {config.name}", found, "parquet files")
        for _, path in config.files():
            if path.suffix != ".parquet":
                found, expected = f"a {path.suffix or 'nameless'} file", "parquet in every config"
                yield Finding("formats", folder.name(path), found, expected)
            elif not _is_parquet(folder, config, path.name):
                yield Finding("formats", folder.name(path), "a file that is no parquet", "parquet")


def check_features(folder: ExportFolder) -> Iterator[Finding]:
    """Only feature types that a stock `datasets` has, and Video in `sessions` alone."""
    stock = {
        name for name, kind in _FEATURE_TYPES.items() if kind.__module__.startswith("datasets.")
    }
    for config, _, path, metadata in folder.tables():
        features = _stored_features(metadata)
        types = set(_feature_types(features))
        for unknown in sorted(types - stock):
            expected = "types of stock datasets; export with plain structs"
            yield Finding("features", folder.name(path), f"the feature type {unknown!r}", expected)
        if "Video" in types and config.name != "sessions":
            found = "a Video column, which makes plain datasets demand torchcodec for any row"
            yield Finding("features", folder.name(path), found, "a struct {path, intervals}")


def check_yaml(folder: ExportFolder) -> Iterator[Finding]:
    """Splits, numbers of rows, sizes and features of the YAML against the files'."""
    declared = folder.card.get("dataset_info")
    infos = declared if isinstance(declared, list) else [declared] if declared else []
    by_name = {info.get("config_name"): info for info in infos if isinstance(info, dict)}
    for config in folder.configs:
        info = by_name.get(config.name)
        if info is None:
            where = f"README.md: dataset_info of {config.name}"
            yield Finding("yaml", where, "nothing", "splits and features")
            continue
        yield from _compare_splits(folder, config, info)
        yield from _compare_features(folder, config, info)


def _compare_splits(
    folder: ExportFolder, config: Config, info: Mapping[str, Any]
) -> Iterator[Finding]:
    where = f"README.md: dataset_info of {config.name}"
    splits = {s.get("name"): s for s in info.get("splits") or [] if isinstance(s, dict)}
    if set(splits) != set(config.splits):
        found, expected = f"splits {sorted(map(str, splits))}", f"{sorted(config.splits)}"
        yield Finding("yaml", where, found, expected)
    for split, paths in config.splits.items():
        rows = sum(m.num_rows for c, s, p, m in folder.tables() if c is config and p in paths)
        stated = splits.get(split, {}).get("num_examples", rows)
        if stated != rows:
            yield Finding(
                "yaml", f"{where}, {split}", f"{stated} examples", f"{rows}, as in the files"
            )
    size = sum(path.stat().st_size for _, path in config.files())
    if info.get("download_size", size) != size:
        found = f"download_size {info['download_size']}"
        yield Finding("yaml", where, found, f"{size}, as the files are")


def _compare_features(
    folder: ExportFolder, config: Config, info: Mapping[str, Any]
) -> Iterator[Finding]:
    where = f"README.md: dataset_info of {config.name}"
    if not info.get("features"):
        return
    for table_config, _, path, metadata in folder.tables():
        if table_config is not config:
            continue
        stored = _stored_features(metadata)
        try:
            declared = Features._from_yaml_list(list(info["features"]))
        except (ValueError, KeyError, TypeError, AttributeError) as err:
            yield Finding("yaml", where, f"unreadable features ({err})", "features")
            return
        names = set(metadata.schema.to_arrow_schema().names)
        if set(declared) != names:
            different = sorted(set(declared) ^ names)
            found = f"other columns than {folder.name(path)}: {', '.join(different)}"
            yield Finding("yaml", where, found, "the same columns")
        elif stored and declared.to_dict() != stored:
            different = sorted(k for k in stored if declared.to_dict().get(k) != stored[k])
            found = f"other types than {folder.name(path)}: {', '.join(different)}"
            yield Finding("yaml", where, found, "the same types")


def _is_parquet(folder: ExportFolder, config: Config, name: str) -> bool:
    return any(c is config and path.name == name for c, _, path, _ in folder.tables())


def _stored_features(metadata: pq.FileMetaData) -> dict[str, Any]:
    """The features that a parquet file carries for `datasets`, as a dict; empty without them."""
    stored = (metadata.metadata or {}).get(_METADATA_KEY)
    if stored is None:
        return {}
    info = json.loads(stored).get("info", {})
    features = info.get("features", {})
    return features if isinstance(features, dict) else {}


def _feature_types(features: Any) -> Iterator[str]:
    if isinstance(features, dict):
        kind = features.get("_type")
        if isinstance(kind, str):
            yield kind
        for value in features.values():
            yield from _feature_types(value)
    elif isinstance(features, list):
        for value in features:
            yield from _feature_types(value)
