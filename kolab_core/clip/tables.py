"""Datasets with clips, and the same as plain structs that any `datasets` reads."""

from __future__ import annotations

import dataclasses
from functools import partial
from os import PathLike, fspath
from typing import Any, TypeVar

from datasets import Dataset, Features, IterableDataset, Video

from kolab_core.clip.feature import VideoClip
from kolab_core.rows.columns import VIDEO_STORAGE

__all__ = ["by_split", "known_features", "with_clips", "without_clips"]

_Data = TypeVar("_Data")


def with_clips(ds: _Data, root: str | PathLike[str] | None = None, column: str = "video") -> _Data:
    """The dataset with a column of structs (or paths) as lazy clips.

    Reads no recording: what a clip needs is fetched when its frames are asked for.

    Args:
        ds: Dataset, IterableDataset or a dictionary of them by split.
        root: A folder or URL (`hf://datasets/<namespace>/<name>@<revision>`) that relative paths
            are joined to; files of a dataset repository on the Hub are looked up under it too,
            which reads a local copy of an export. None takes the paths as they are.
        column: Structs with `path` and `intervals`, in any order and with or without `bytes`. A
            `datasets.Video` column gives clips of the whole recordings, or of the intervals in the
            column `<column>_intervals` if there is one (as in an export's `sessions`).

    Raises:
        TypeError: `ds` is no dataset.
        ValueError: There is no such column.
    """
    if isinstance(ds, dict):
        made: _Data = by_split(ds, with_clips, root=root, column=column)
        return made
    known = known_features(ds)
    if column not in known.features:
        raise ValueError(f"column: found {column!r}; expected one of {sorted(known.features)}.")
    feature = VideoClip(root=None if root is None else fspath(root))
    cast: _Data = _join_intervals(known, column).cast_column(column, feature)
    return cast


def without_clips(ds: _Data) -> _Data:
    """The dataset with every clip as a plain struct `{path, bytes, intervals}`.

    The result can be saved or pushed, and read where this package is not installed; `with_clips`
    is the way back. Paths are those stored, without a `root` of the feature.

    Args:
        ds: Dataset, IterableDataset or a dictionary of them by split; clips inside structs and
            lists count too. Without any clips it is returned as it is.

    Raises:
        TypeError: `ds` is no dataset.
    """
    if isinstance(ds, dict):
        made: _Data = by_split(ds, without_clips)
        return made
    known = known_features(ds)
    plain = Features({name: _plain(feature) for name, feature in known.features.items()})
    converted: _Data = known if plain == known.features else known.cast(plain)
    return converted


def by_split(splits: Any, convert: Any, **options: Any) -> Any:
    """A dictionary of datasets, each converted."""
    return type(splits)({name: convert(ds, **options) for name, ds in splits.items()})


def _join_intervals(ds: Any, column: str) -> Any:
    """The dataset with a `datasets.Video` column and the intervals beside it as one struct."""
    beside = f"{column}_intervals"
    if not isinstance(ds.features[column], Video) or beside not in ds.features:
        return ds
    plain = ds.cast_column(column, Video(decode=False))
    join = partial(_join_cells, column=column, beside=beside)
    if isinstance(ds, IterableDataset):
        # `map` with features counts as decoded already; a cast behind it does not.
        return plain.map(join).cast(Features({**ds.features, column: dict(VIDEO_STORAGE)}))
    # Without `map`, which would write all the other columns to the cache again.
    cells = plain.select_columns([column, beside]).with_format("arrow")[:].to_pylist()
    joined = [join(row)[column] for row in cells]
    rest = plain.remove_columns([column])
    return rest.add_column(column, joined, feature=dict(VIDEO_STORAGE)).select_columns(
        ds.column_names
    )


def _join_cells(row: dict[str, Any], *, column: str, beside: str) -> dict[str, Any]:
    """The cell of a row with the intervals beside it; without a recording it has these alone."""
    video = row[column] or {}
    cell = {"path": video.get("path"), "bytes": video.get("bytes"), "intervals": row[beside]}
    return {column: cell}


def known_features(ds: Any) -> Any:
    """The dataset, a stream of unknown features with those of its first rows."""
    if not isinstance(ds, Dataset | IterableDataset):
        raise TypeError(
            f"ds: found {type(ds).__name__}; expected a Dataset, an IterableDataset or a "
            "dictionary of them."
        )
    return ds if ds.features is not None else ds._resolve_features()


def _plain(feature: Any) -> Any:
    if isinstance(feature, VideoClip):
        return dict(VIDEO_STORAGE)
    if isinstance(feature, dict):
        return {name: _plain(part) for name, part in feature.items()}
    if isinstance(feature, list | tuple):
        return [_plain(part) for part in feature]
    if dataclasses.is_dataclass(feature) and hasattr(feature, "feature"):  # List, LargeList
        return dataclasses.replace(feature, feature=_plain(feature.feature))  # type: ignore[type-var]  # an instance
    return feature
