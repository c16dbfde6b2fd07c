"""Frames out of a store: an index a session, and a picture's bytes where the index says."""

from __future__ import annotations

import functools
import io
import os
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from kolab_core.frames.errors import FramesNotStoredError, FrameStoreError
from kolab_core.frames.folder import FRAMES_FOLDER, ROWS_FOLDER, Folder
from kolab_core.frames.manifest import MANIFEST_NAME, Manifest, ReleaseMark, list_differences
from kolab_core.frames.pictures import decode_pictures
from kolab_core.sampling import Frames
from kolab_core.sampling.threads import num_workers

__all__ = ["RECORDING_SIZE", "FrameStore", "open_store"]

# In the metadata of a table of rows: the bytes of the recording that its frames come from.
RECORDING_SIZE = b"kolab_recording_size"
_SESSIONS_KEPT = 256
_INDEX_COLUMNS = ["asked", "times", "offsets", "sizes"]


@dataclass(frozen=True)
class _Index:
    """Where a session's frames lie; arrays of one length, `asked` ascending.

    Attributes:
        asked: float64, the times that rows ask for.
        times: float64, when the frame shown then is presented.
        offsets: int64, where its picture begins in the session's file.
        sizes: int64, the bytes of it.
        recording_size: Bytes of the recording; None if it was none on the machine.
    """

    asked: NDArray[np.float64]
    times: NDArray[np.float64]
    offsets: NDArray[np.int64]
    sizes: NDArray[np.int64]
    recording_size: int | None


class FrameStore:
    """The frames in a folder; it holds nothing open, and may be pickled.

    Attributes:
        folder: Where.
        manifest: What it says of itself.
    """

    def __init__(self, address: str | os.PathLike[str]) -> None:
        """Read the manifest.

        Raises:
            FrameStoreError: The folder holds no store.
            OSError: The folder cannot be read.
        """
        self.folder = Folder(address)
        manifest = Manifest.read(self.folder)
        if manifest is None:
            raise FrameStoreError(
                f"frames: found no store at {self.folder.address}; expected a folder that "
                "kolab.store_frames (kolab frames) wrote to."
            )
        self.manifest = manifest

    def __reduce__(self) -> tuple[Any, ...]:
        return open_store, (self.folder.address,)

    def check_release(self, root: str | Path) -> None:
        """Whether the frames are those of the release in a folder.

        Raises:
            FrameStoreError: They are another's; the message has the difference.
            ReleaseError: The folder is no release.
        """
        differences = list_differences(self.manifest.release, ReleaseMark.of(root))
        if differences:
            raise FrameStoreError(
                f"{self.folder.address}: found the frames of another release than {root}: "
                f"{'; '.join(differences)}."
            )

    def read(
        self,
        path: str | None,
        times: NDArray[np.float64],
        *,
        size: int | None,
        exact: bool = True,
        strict: bool = False,
        num_threads: int | None = None,
    ) -> Frames | None:
        """The stored frames shown at these times of a recording.

        Args:
            path: The recording; its session is the folder's name, if the file's is `recording`,
                else the file's.
            times: As asked for when the frames were stored, to the last bit.
            size: As in the store.
            exact: False asks for keyframes, which no store has.
            strict: Whether lacking frames are an error.
            num_threads: Pictures decoded at a time, as for `sample_times`.

        Returns:
            The frames, or None where the store lacks one of them.

        Raises:
            FramesNotStoredError: It lacks one, with `strict`.
            FrameStoreError: The recording is not the one that was stored, or the store is damaged.
        """
        found = self._find(path, times, size=size, exact=exact)
        if isinstance(found, str):
            if strict:
                first = float(times[0]) if len(times) else 0.0
                raise FramesNotStoredError(path or "clip", first, f"{found} (strict)")
            return None
        index, places = found
        name = f"{FRAMES_FOLDER}/{_session_of(str(path))}.parquet"
        # The same frame may be shown at several of the times.
        offsets, first_places, copies = np.unique(
            index.offsets[places], return_index=True, return_inverse=True
        )
        sizes = index.sizes[places][first_places]
        try:
            files = self.folder.read_ranges(
                name, list(zip(offsets.tolist(), sizes.tolist(), strict=True))
            )
            images = decode_pictures(files, num_threads=num_workers(num_threads))
        except (OSError, ValueError) as err:
            raise FrameStoreError(
                f"{self.folder.address}/{name}: found a damaged file ({err}); expected the "
                "pictures that its table of rows names. Remove both, and store the session again."
            ) from err
        is_once = len(offsets) == len(places) and bool((np.diff(first_places) > 0).all())
        return Frames(images if is_once else images[copies.reshape(-1)], index.times[places])

    def _find(
        self, path: str | None, times: NDArray[np.float64], *, size: int | None, exact: bool
    ) -> tuple[_Index, NDArray[np.intp]] | str:
        """The session's index and the places of the times in it; or why there are none."""
        store, stored_size = self.folder.address, self.manifest.options.size
        if not exact or size != stored_size:
            asked = f"size {size}" if exact else "keyframes"
            has = f"exact frames of size {stored_size}"
            return f"found {asked} asked for; expected {has}, as {store} has"
        if path is None or not len(times):
            return "found no path of a recording, or no time; expected both"
        index = _load_index(self.folder, _session_of(path))
        if index is None:
            return f"found no frames of {_session_of(path)} in {store}"
        _check_recording(store, path, index.recording_size)
        places = np.searchsorted(index.asked, times)
        is_there = places < len(index.asked)
        is_there[is_there] = index.asked[places[is_there]] == times[is_there]
        if not is_there.all():
            lacking = float(times[~is_there][0])
            return f"found no frame for {lacking:.6g} s in {store}"
        return index, places


def open_store(address: str) -> FrameStore:
    """The store at a path or address, its manifest read once a process.

    Raises:
        FrameStoreError: There is none.
    """
    return _open_known(address, Folder(address).stamp(MANIFEST_NAME))


@functools.lru_cache(maxsize=16)
def _open_known(address: str, stamp: int | None) -> FrameStore:
    del stamp  # a store that was made anew is another
    return FrameStore(address)


def _session_of(path: str) -> str:
    """The session that a recording is named for, in a release or an export."""
    name = PurePosixPath(path.replace(os.sep, "/"))
    return name.parent.name if name.stem == "recording" else name.stem


def _load_index(folder: Folder, session_id: str) -> _Index | None:
    """A session's index; None if the store does not have the session (yet)."""
    name = f"{ROWS_FOLDER}/{session_id}.parquet"
    stamp = folder.stamp(name)
    try:
        return None if stamp is None else _load_known(folder.address, name, stamp)
    except FileNotFoundError:  # which is not remembered: it may be stored later
        return None


@functools.lru_cache(maxsize=_SESSIONS_KEPT)
def _load_known(address: str, name: str, stamp: int) -> _Index:
    del stamp
    data = Folder(address).read(name)
    if data is None:
        raise FileNotFoundError(name)
    table = pq.read_table(io.BytesIO(data))
    flat = {
        column: table[column].combine_chunks().flatten().to_numpy(zero_copy_only=False)
        for column in _INDEX_COLUMNS
    }
    asked, first = np.unique(flat.pop("asked"), return_index=True)
    size = (table.schema.metadata or {}).get(RECORDING_SIZE)
    columns = {column: values[first] for column, values in flat.items()}
    return _Index(asked, **columns, recording_size=int(size) if size else None)


@functools.lru_cache(maxsize=_SESSIONS_KEPT)
def _check_recording(store: str, path: str, stored_size: int | None) -> None:
    """Whether a recording, if it is on this machine, is as long as the one that was stored.

    Raises:
        FrameStoreError: It is not.
    """
    if stored_size is None or "://" in path:
        return
    try:
        size = Path(path).stat().st_size
    except OSError:
        return  # frames may be read where there are no recordings
    if size != stored_size:
        raise FrameStoreError(
            f"{store}: found the frames of a recording of {stored_size} bytes; expected those of "
            f"{path}, of {size} bytes."
        )
