"""Datasets whose clips take their frames from a store."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import Any, TypeVar

from datasets import Dataset

from kolab_core.clip.feature import VideoClip
from kolab_core.clip.storage import join_root
from kolab_core.clip.tables import by_split, known_features, with_clips
from kolab_core.frames import FrameStore, open_store
from kolab_core.frames.folder import Folder

__all__ = ["with_frames"]

_Data = TypeVar("_Data")
_ROWS_LOOKED_AT = 100


def with_frames(
    ds: _Data, frames: str | os.PathLike[str], *, column: str = "video", strict: bool = False
) -> _Data:
    """The dataset with clips that take stored frames where a store has them.

    `clip.sample`, `at` and `every` look for their times in the store, if `size` is the store's;
    what they give is what decoding gives: the same times, and the same frames (to the last bit
    from PNG). So all that asks clips for frames gains: `render`, `predict`, the harnesses' tasks.

    Args:
        ds: Dataset, IterableDataset or a dictionary of them by split.
        frames: What `store_frames` (or `kolab frames`) wrote: a folder, or an address that fsspec
            opens. The recordings need not be there.
        column: Clips, or what `with_clips` makes clips of.
        strict: Whether a frame that the store lacks is a `FramesNotStoredError`, a ClipError,
            instead of being decoded.

    Raises:
        FrameStoreError: There is no store, or one of another release, as far as the rows tell
            which theirs is.
        TypeError: `ds` is no dataset.
        ValueError: There is no such column.
    """
    if isinstance(ds, dict):
        made: _Data = by_split(ds, with_frames, frames=frames, column=column, strict=strict)
        return made
    store = open_store(Folder(frames).address)
    known = known_features(ds)
    if not isinstance(known.features.get(column), VideoClip):
        known = with_clips(known, column=column)
    feature = known.features[column]
    if isinstance(known, Dataset):
        _check_release(known, column, feature.root, store)
    feature = dataclasses.replace(feature, frames=store.folder.address, strict=strict)
    cast: _Data = known.cast_column(column, feature)
    return cast


def _check_release(ds: Any, column: str, root: str | None, store: FrameStore) -> None:
    """Whether the store is of the release that the first recording lies in, if it lies in one."""
    cells = ds.select_columns([column]).with_format("arrow")[:_ROWS_LOOKED_AT][column].to_pylist()
    paths = [cell["path"] for cell in cells if cell is not None and cell["path"] is not None]
    if not paths:
        return
    path = Path(join_root(paths[0], root))
    if path.stem == "recording" and (path.parents[2] / "release.json").is_file():
        store.check_release(path.parents[2])
