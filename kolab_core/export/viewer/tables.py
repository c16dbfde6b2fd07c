"""Names, formats, features, and whether the card's YAML says what the files hold."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from datasets import Features
from datasets.features.features import _FEATURE_TYPES

from kolab_core.export.viewer.folder import Config, ExportFolder, Finding, stored_features
from kolab_core.rows.experiments import DEFAULT_CONFIG

__all__ = ["check_features", "check_formats", "check_names", "check_yaml"]

_SPLIT = re.compile(r"\w+(\.\w+)*")
_FORBIDDEN = set('<>:/\\|?*"')
_RESERVED_SPLIT = "all"
_UNREADABLE = (ValueError, KeyError, TypeError, AttributeError)


def check_names(folder: ExportFolder) -> Iterator[Finding]:
    """Config and split names that the Hub and `datasets` take, and one config to show first."""
    for config in folder.configs:
        bad = sorted(_FORBIDDEN & set(config.name))
        if bad or not config.name.strip():
            expected = f"a name without {' '.join(sorted(_FORBIDDEN))}"
            yield Finding("names", "README.md: configs", repr(config.name), expected)
        for split in config.splits:
            if not _SPLIT.fullmatch(split) or split == _RESERVED_SPLIT:
                expected = "a split of letters, digits, '_' and '.', not 'all'"
                yield Finding("names", f"config {config.name}", f"split {split!r}", expected)
    for name, times in Counter(config.name for config in folder.configs).items():
        if times > 1:
            yield Finding("names", "README.md: configs", f"{name!r} {times} times", "each once")
    if folder.configs:
        yield from _check_default(folder)


def check_formats(folder: ExportFolder) -> Iterator[Finding]:
    """One builder serves a repository, inferred from its first config: all must be parquet."""
    readable = {path: metadata.num_rows for _, _, path, metadata in folder.tables()}
    for config in folder.configs:
        for split, paths in config.splits.items():
            where = f"config {config.name}, {split}"
            for path in paths:
                if path.suffix != ".parquet":
                    found, expected = f"a {path.suffix or 'nameless'} file", "parquet throughout"
                    yield Finding("formats", folder.name(path), found, expected)
                elif path not in readable:
                    found = "a file that is no parquet"
                    yield Finding("formats", folder.name(path), found, "parquet")
            if not paths:
                found = "no file in this folder for its data_files"
                yield Finding("formats", where, found, "parquet files")
            elif all(readable.get(path) == 0 for path in paths):
                expected = "rows, or no such config: stock datasets refuses to load one without"
                yield Finding("formats", where, "no rows", expected)


def check_features(folder: ExportFolder) -> Iterator[Finding]:
    """Only feature types that a stock `datasets` has, and Video in `sessions` alone."""
    stock = {
        name for name, kind in _FEATURE_TYPES.items() if kind.__module__.startswith("datasets.")
    }
    for config, _, path, metadata in folder.tables():
        types = set(_feature_types(stored_features(metadata.metadata)))
        for unknown in sorted(types - stock):
            expected = "types of stock datasets; export with plain structs"
            yield Finding("features", folder.name(path), f"the feature type {unknown!r}", expected)
        if "Video" in types and config.name != "sessions":
            found = "a Video column, which makes plain datasets demand torchcodec for any row"
            yield Finding("features", folder.name(path), found, "a struct {path, intervals}")
    for name, info in _infos(folder).items():
        where = f"README.md: dataset_info of {name}"
        try:
            declared = _declared_features(info) or Features()
        except _UNREADABLE as err:
            found = f"features that stock datasets cannot read ({str(err)[:100]})"
            yield Finding("features", where, found, "its types")
            continue
        for unknown in sorted(set(_feature_types(declared.to_dict())) - stock):
            yield Finding(
                "features", where, f"the feature type {unknown!r}", "types of stock datasets"
            )


def check_yaml(folder: ExportFolder) -> Iterator[Finding]:
    """Splits, numbers of rows, sizes and features of the YAML against the files'."""
    infos = _infos(folder)
    for config in folder.configs:
        info = infos.get(config.name)
        if info is None:
            where = f"README.md: dataset_info of {config.name}"
            yield Finding("yaml", where, "nothing", "splits and features")
            continue
        yield from _compare_splits(folder, config, info)
        yield from _compare_features(folder, config, info)
    unmatched = set(infos) - {config.name for config in folder.configs}
    for name in sorted(unmatched if not folder.faults else ()):
        where = f"README.md: dataset_info of {name}"
        yield Finding("yaml", where, "a config that `configs` does not have", "the same configs")


def _check_default(folder: ExportFolder) -> Iterator[Finding]:
    marked = [config.name for config in folder.configs if config.is_default]
    if marked != [DEFAULT_CONFIG]:
        found = f"the default {', '.join(marked)}" if marked else "no default config"
        expected = f"`default: true` at {DEFAULT_CONFIG} alone"
        yield Finding("names", "README.md: configs", found, expected)


def _infos(folder: ExportFolder) -> dict[str, Mapping[str, Any]]:
    """What the card's YAML says of each config."""
    declared = folder.card.get("dataset_info")
    infos = declared if isinstance(declared, list) else [declared]
    return {
        info["config_name"]: info
        for info in infos
        if isinstance(info, dict) and isinstance(info.get("config_name"), str)
    }


def _compare_splits(
    folder: ExportFolder, config: Config, info: Mapping[str, Any]
) -> Iterator[Finding]:
    where = f"README.md: dataset_info of {config.name}"
    stated = info.get("splits")
    splits = {
        s.get("name"): s
        for s in (stated if isinstance(stated, list) else [])
        if isinstance(s, dict)
    }
    if set(splits) != set(config.splits):
        found, expected = f"splits {sorted(map(str, splits))}", f"{sorted(config.splits)}"
        yield Finding("yaml", where, found, expected)
    readable = {path: metadata.num_rows for _, _, path, metadata in folder.tables()}
    if not all(paths and readable.keys() >= set(paths) for paths in config.splits.values()):
        return  # `check_formats` says so
    for split, paths in config.splits.items():
        rows = sum(readable[path] for path in paths)
        number = splits.get(split, {}).get("num_examples", rows)
        if number != rows:
            found, expected = f"{number} examples", f"{rows}, as in the files"
            yield Finding("yaml", f"{where}, {split}", found, expected)
    size = sum(path.stat().st_size for _, path in config.files())
    if info.get("download_size", size) != size:
        found = f"download_size {info['download_size']}"
        yield Finding("yaml", where, found, f"{size}, as the files are")
    in_memory = [split.get("num_bytes") for split in splits.values()]
    if None not in in_memory:
        total = sum(number for number in in_memory if isinstance(number, int))
        if info.get("dataset_size", total) != total:
            found = f"dataset_size {info['dataset_size']}"
            yield Finding("yaml", where, found, f"{total}, as its splits sum to")


def _compare_features(
    folder: ExportFolder, config: Config, info: Mapping[str, Any]
) -> Iterator[Finding]:
    where = f"README.md: dataset_info of {config.name}"
    try:
        declared = _declared_features(info)
    except _UNREADABLE:
        return  # `check_features` says so
    for table_config, _, path, metadata in folder.tables():
        if table_config is not config or declared is None:
            continue
        stated = declared.to_dict()
        schema = metadata.schema.to_arrow_schema()
        stored = stored_features(metadata.metadata) or Features.from_arrow_schema(schema).to_dict()
        if set(stated) != set(schema.names):
            different = sorted(set(stated) ^ set(schema.names))
            found = f"other columns than {folder.name(path)}: {', '.join(different)}"
            yield Finding("yaml", where, found, "the same columns")
        elif stated != stored:
            different = sorted(name for name in stated if stated[name] != stored.get(name))
            found = f"other types than {folder.name(path)}: {', '.join(different)}"
            yield Finding("yaml", where, found, "the same types")


def _declared_features(info: Mapping[str, Any]) -> Features | None:
    """The features of the card's YAML; None if it has none."""
    features = info.get("features")
    return Features._from_yaml_list(list(features)) if features else None


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
