"""What a store is to hold, and storing one session of it: once, whoever else is at work there."""

from __future__ import annotations

import functools
import importlib.metadata
import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kolab_core.frames import (
    FRAMES_FOLDER,
    ROWS_FOLDER,
    Folder,
    FrameStoreError,
    Manifest,
    ReleaseMark,
    StoreOptions,
    encode_picture,
)
from kolab_core.frames.manifest import MANIFEST_NAME, list_differences
from kolab_core.release import Release, open_release, read_session
from kolab_core.rows.experiments import build_rows
from kolab_core.sampling import Frames, centre_times, sample_clips
from kolab_core.sampling.threads import num_workers
from kolab_core.store.shards import RowFrames, write_frames, write_rows

__all__ = ["SessionStored", "StoreJob", "open_job"]

_README = """---
configs:
- config_name: frames
  data_files:
  - split: test
    path: {frames}/*.parquet
- config_name: rows
  data_files:
  - split: test
    path: {rows}/*.parquet
---

Frames of recordings, decoded once: `kolab.with_frames(ds, folder)` reads them.
"""
_PACKAGES = ("kolab", "av", "pillow", "pyarrow")


@dataclass(frozen=True)
class SessionStored:
    """What a session came to.

    Attributes:
        session_id: The session.
        num_rows: Rows that have frames.
        num_frames: Different frames, each stored once.
        num_bytes: Of both files.
    """

    session_id: str
    num_rows: int
    num_frames: int
    num_bytes: int


@dataclass(frozen=True)
class StoreJob:
    """Which frames of a release are to lie where; it may cross to any process or machine.

    Attributes:
        root: The release's folder.
        fingerprint: Of the release.
        out: The store's path or address.
        options: What is stored.
        session_ids: The release's sessions, in its order.
        num_threads: Decoding threads; None for one a core.
        memory_budget_mb: As for `sample_clips`.
    """

    root: str
    fingerprint: str
    out: str
    options: StoreOptions
    session_ids: tuple[str, ...]
    num_threads: int | None = None
    memory_budget_mb: float = 1024

    @property
    def folder(self) -> Folder:
        """The store's folder."""
        return Folder(self.out)

    def list_open(self) -> list[str]:
        """The sessions that are not stored yet, in the release's order."""
        stored = self.folder.names(ROWS_FOLDER)
        return [name for name in self.session_ids if f"{name}.parquet" not in stored]

    def share(self, number: int, count: int) -> StoreJob:
        """The job of the `number`th (from 1) of `count` machines."""
        return replace(self, session_ids=self.session_ids[number - 1 :: count])

    def store(self, session_id: str, *, waits: bool = True) -> SessionStored | None:
        """Store a session, unless that is done.

        The frames' file is whole before there is one of rows, and with that the session counts as
        stored.

        Args:
            session_id: The session.
            waits: Whether to wait for another process that is at it.

        Returns:
            What was stored; None if it had been, or (without `waits`) another process is at it.

        Raises:
            ClipError: A row's recording gives no frames; nothing of the session is stored.
            OSError: There is no room, or the folder cannot be written to.
            ReleaseError: The session's files have errors.
        """
        rows_name = f"{ROWS_FOLDER}/{session_id}.parquet"
        with self.folder.lock(session_id, waits=waits) as is_ours:
            if not is_ours or self.folder.read(rows_name) is not None:
                return None
            try:
                return self._store(session_id, rows_name, f"{FRAMES_FOLDER}/{session_id}.parquet")
            except OSError as err:
                raise OSError(
                    err.errno,
                    f"{err.strerror or err}: {session_id} is not stored, what was before is whole, "
                    "and the same call goes on",
                    self.out,
                ) from err

    def _store(self, session_id: str, rows_name: str, frames_name: str) -> SessionStored:
        for name in (rows_name, frames_name):
            self.folder.clear_unfinished(name)
        rows, recording = self._read_rows(session_id)
        times, pictures, row_frames = self._sample(rows)
        offsets = np.zeros(0, dtype=np.int64)
        num_bytes = 0
        if pictures:
            with self.folder.writing(frames_name) as path:
                offsets = write_frames(path, session_id, times, pictures)
                num_bytes += path.stat().st_size
        with self.folder.writing(rows_name) as path:
            write_rows(
                path,
                session_id,
                row_frames,
                times=times,
                offsets=offsets,
                sizes=np.array([len(picture) for picture in pictures], dtype=np.int64),
                recording_size=recording.stat().st_size if recording else None,
            )
            num_bytes += path.stat().st_size
        return SessionStored(session_id, len(row_frames), len(pictures), num_bytes)

    def _read_rows(self, session_id: str) -> tuple[list[tuple[str, dict[str, Any]]], Path | None]:
        """The rows that have a recording, with their configs; and the recording."""
        session = read_session(_open_release(self.root, self.fingerprint), session_id)
        found = (
            (config, row)
            for config in self.options.configs
            for row in build_rows(session, config)
            if row["has_video"]
        )
        return list(found), session.recording

    def _sample(
        self, rows: Sequence[tuple[str, dict[str, Any]]]
    ) -> tuple[NDArray[np.float64], list[bytes], list[RowFrames]]:
        """The different frames of all rows by their time, as pictures, and those of each row."""
        clips = [row["video"] for _, row in rows]
        unique = {_key(clip): clip for clip in clips}
        sampled = sample_clips(
            unique.values(),
            num_frames=self.options.num_frames,
            size=self.options.size,
            num_threads=self.num_threads,
            memory_budget_mb=self.memory_budget_mb,
            progress=False,
        )
        of_clip = dict(zip(unique, sampled, strict=True))
        times = np.unique(np.concatenate([np.zeros(0), *(one.times for one in sampled)]))
        pictures = self._encode(times, sampled)
        row_frames = [
            RowFrames(
                id=row.get("id", row["session_id"]),
                config=config,
                frames=np.searchsorted(times, of_clip[_key(row["video"])].times),
                asked=centre_times(row["video"]["intervals"], self.options.num_frames),
            )
            for config, row in rows
        ]
        return times, pictures, row_frames

    def _encode(self, times: NDArray[np.float64], sampled: Sequence[Frames]) -> list[bytes]:
        """A picture of the frame of each time."""
        image_of = {
            time: image
            for one in sampled
            for time, image in zip(one.times.tolist(), one.images, strict=True)
        }
        encode = functools.partial(
            encode_picture, kind=self.options.format, quality=self.options.quality
        )
        with ThreadPoolExecutor(num_workers(self.num_threads)) as pool:
            return list(pool.map(encode, (image_of[time] for time in times.tolist())))


def open_job(
    root: str | Path,
    out: str | os.PathLike[str],
    options: StoreOptions,
    *,
    num_threads: int | None = None,
    memory_budget_mb: float = 1024,
) -> StoreJob:
    """Begin a store, or go on with one.

    Args:
        root: The release's folder.
        out: The store's folder or address; an empty folder or none yet, or a store of the same.
        options: What is stored.
        num_threads: Decoding threads; None for one a core.
        memory_budget_mb: As for `sample_clips`.

    Raises:
        FrameStoreError: A store of another release or of other options lies there; the message
            has the difference. Or the folder holds something else.
        OSError: It cannot be written to.
        ReleaseError: `root` is no release.
    """
    release = open_release(root)
    folder = Folder(out)
    manifest = Manifest(ReleaseMark.of(release.root), options, _read_versions())
    if Manifest.read(folder) is None:
        _check_empty(folder)  # before there is as much as a lock in it
        with folder.lock(MANIFEST_NAME, waits=True):
            if Manifest.read(folder) is None:
                _begin(folder, manifest)
    found = Manifest.read(folder)
    if found is not None:
        _check_same(folder, found, manifest)
    return StoreJob(
        root=str(release.root),
        fingerprint=manifest.release.fingerprint,
        out=folder.address,
        options=options,
        session_ids=release.session_ids,
        num_threads=num_threads,
        memory_budget_mb=memory_budget_mb,
    )


def _check_empty(folder: Folder) -> None:
    others = sorted(folder.names("") - {"README.md"})
    if others:
        raise FrameStoreError(
            f"{folder.address}: found {', '.join(others[:5])}; expected an empty folder, or a "
            "store of frames."
        )


def _begin(folder: Folder, manifest: Manifest) -> None:
    readme = _README.format(frames=FRAMES_FOLDER, rows=ROWS_FOLDER)
    for name, text in (("README.md", readme), (MANIFEST_NAME, manifest.to_text())):
        with folder.writing(name) as path:
            path.write_text(text, encoding="utf-8")


def _check_same(folder: Folder, found: Manifest, expected: Manifest) -> None:
    differences = [
        *list_differences(found.release, expected.release),
        *list_differences(found.options, expected.options),
    ]
    if differences:
        raise FrameStoreError(
            f"{folder.address}/{MANIFEST_NAME}: {'; '.join(differences)}. Name another folder."
        )


def _read_versions() -> dict[str, str]:
    return dict(_versions(_PACKAGES))


def _versions(packages: Iterable[str]) -> Iterator[tuple[str, str]]:
    for name in packages:
        try:
            yield name, importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:  # a checkout that is not installed
            yield name, "unknown"


@functools.lru_cache(maxsize=1)
def _open_release(root: str, fingerprint: str) -> Release:
    del fingerprint
    return open_release(root)


def _key(clip: dict[str, Any]) -> tuple[Any, ...]:
    return clip["path"], *((span["start"], span["end"]) for span in clip["intervals"])
