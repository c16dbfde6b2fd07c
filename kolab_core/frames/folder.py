"""The folder of a store, on this machine or behind fsspec: files whole or not at all, and locks."""

from __future__ import annotations

import functools
import importlib
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kolab_core.files import write_whole

__all__ = ["FRAMES_FOLDER", "ROWS_FOLDER", "Folder"]

FRAMES_FOLDER = "frames"
ROWS_FOLDER = "rows"

_LOCKS = ".locks"
_RANDOM = "[a-z0-9_]{8}"
_fcntl: Any = importlib.import_module("fcntl") if os.name == "posix" else None


class Folder:
    """A folder by its path or address; it holds nothing open and may cross to any process.

    Attributes:
        address: An absolute path, or an address as fsspec takes it (`s3://bucket/frames`).
    """

    def __init__(self, address: str | os.PathLike[str]) -> None:
        text = os.fspath(address).removeprefix("file://")
        self.address = text.rstrip("/") if "://" in text else os.path.abspath(text)  # noqa: PTH100  # links stay

    def __repr__(self) -> str:
        return f"Folder({self.address!r})"

    @property
    def is_local(self) -> bool:
        """Whether the files are this machine's: only there are they locked."""
        return "://" not in self.address

    def names(self, folder: str) -> set[str]:
        """The names of the whole files in a folder of the store; none if it is not there."""
        if self.is_local:
            place = Path(self.address) / folder
            found = [path.name for path in place.iterdir()] if place.is_dir() else []
        else:
            system, root = self._remote()
            try:
                paths = system.ls(f"{root}/{folder}", detail=False, refresh=True)
            except FileNotFoundError:
                paths = []
            found = [path.rstrip("/").rpartition("/")[2] for path in paths]
        return {name for name in found if name and not name.startswith(".")}

    def stamp(self, name: str) -> int | None:
        """What changes with a file's content; None if there is none, 0 where nobody can tell."""
        if not self.is_local:
            return 0
        try:
            return (Path(self.address) / name).stat().st_mtime_ns
        except (FileNotFoundError, NotADirectoryError):
            return None

    def read(self, name: str) -> bytes | None:
        """A file's content; None if there is no such file.

        Raises:
            OSError: It is there, or may be, and cannot be read.
        """
        try:
            if self.is_local:
                return (Path(self.address) / name).read_bytes()
            system, root = self._remote()
            data: bytes = system.cat_file(f"{root}/{name}")
        except (FileNotFoundError, NotADirectoryError):
            return None
        return data

    def read_ranges(self, name: str, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        """The bytes of a file from each offset, as many as the size beside it says.

        Raises:
            OSError: The file is not there or cannot be read.
        """
        if self.is_local:
            with (Path(self.address) / name).open("rb", buffering=0) as file:
                return [_read_at(file.fileno(), offset, size) for offset, size in ranges]
        system, root = self._remote()
        path = f"{root}/{name}"
        starts = [offset for offset, _ in ranges]
        ends = [offset + size for offset, size in ranges]
        return list(system.cat_ranges([path] * len(ranges), starts, ends))

    @contextmanager
    def writing(self, name: str) -> Iterator[Path]:
        """Give a path on this machine to write to; the file shows when the block ends well.

        Raises:
            OSError: There is no room, or the place cannot be written to.
        """
        if self.is_local:
            with write_whole(Path(self.address) / name) as path:
                yield path
            return
        with tempfile.TemporaryDirectory(prefix="kolab-") as folder:
            path = Path(folder) / Path(name).name
            yield path
            system, root = self._remote()
            system.put_file(os.fspath(path), f"{root}/{name}")  # object stores show whole files

    @contextmanager
    def lock(self, name: str, *, waits: bool) -> Iterator[bool]:
        """Hold a name while the block runs, so that no other process on the folder does.

        Where nothing can be locked (another system's folder, an address), everyone holds it.

        Args:
            name: What is locked.
            waits: Whether to wait for another holder to end.

        Yields:
            Whether it is held.
        """
        if not self.is_local or _fcntl is None:
            yield True
            return
        path = Path(self.address) / _LOCKS / name
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = _hold(path, waits=waits)
        try:
            yield handle is not None
        finally:
            if handle is not None:
                path.unlink(missing_ok=True)
                os.close(handle)

    def clear_unfinished(self, name: str) -> None:
        """Remove what killed processes left of a file; the caller holds its lock."""
        target = Path(self.address) / name
        if not self.is_local or not target.parent.is_dir():
            return
        pattern = re.compile(rf"\.{re.escape(target.stem)}-{_RANDOM}{re.escape(target.suffix)}")
        for path in list(target.parent.iterdir()):
            if pattern.fullmatch(path.name):
                path.unlink(missing_ok=True)

    def _remote(self) -> tuple[Any, str]:
        # A forked process needs connections of its own.
        return _open_remote(self.address, os.getpid())


def _hold(path: Path, *, waits: bool) -> int | None:
    """An open file that is locked; None if another process has it and nobody waits."""
    while True:
        handle = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o666)
        try:
            _fcntl.flock(handle, _fcntl.LOCK_EX | (0 if waits else _fcntl.LOCK_NB))
            if os.path.exists(path) and os.path.samestat(os.fstat(handle), os.stat(path)):  # noqa: PTH110, PTH116
                return handle
        except BlockingIOError:
            os.close(handle)
            return None
        except FileNotFoundError:
            pass
        os.close(handle)  # its last holder has removed the file: nobody else would see this lock


def _read_at(handle: int, offset: int, size: int) -> bytes:
    data = os.pread(handle, size, offset) if hasattr(os, "pread") else b""
    if len(data) == size:
        return data
    os.lseek(handle, offset, os.SEEK_SET)
    parts = []
    while size and (part := os.read(handle, size)):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


@functools.lru_cache(maxsize=8)
def _open_remote(address: str, pid: int) -> tuple[Any, str]:
    import fsspec

    del pid
    system, root = fsspec.core.url_to_fs(address)
    return system, str(root).rstrip("/")
