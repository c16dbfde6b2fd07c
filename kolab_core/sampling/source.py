"""Opening a recording wherever it lies: a local path, bytes, a file object, an fsspec URL."""

from __future__ import annotations

import io
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import IO, Any, TypeAlias

import av
from av.container import InputContainer

from kolab_core.sampling.ranges import RangeReader

__all__ = ["Source", "opened", "source_name"]

Source: TypeAlias = "str | os.PathLike[str] | bytes | IO[bytes]"
"""A recording: a local path, an URL for fsspec (`zip://a.mp4::x.zip` too), bytes, a binary file."""

_SPOOL_BYTES = 32 << 20
_BUFFER_BYTES = 32 << 10
_REMOTE_BUFFER_BYTES = 4 << 10


def source_name(source: Source) -> str:
    """How messages call the recording."""
    if isinstance(source, str | os.PathLike):
        return os.fspath(source)
    if isinstance(source, bytes | bytearray | memoryview):
        return "<bytes>"
    return str(getattr(source, "name", "<file>"))


@contextmanager
def opened(source: Source) -> Iterator[tuple[InputContainer, RangeReader | None]]:
    """The recording's container, open, and the reader of its byte ranges if it is remote.

    A file object is read from its start and stays open; one that cannot seek is first copied
    to memory, past 32 MiB to a temporary file.

    Raises:
        Exception: whatever opening raises; the caller tells it as a ClipError.
    """
    with ExitStack() as stack:
        file, reader = _readable(source, stack)
        buffer = _REMOTE_BUFFER_BYTES if reader else _BUFFER_BYTES
        container = av.open(file, mode="r", buffer_size=buffer, metadata_errors="replace")
        stack.callback(container.close)
        yield container, reader


def _readable(source: Source, stack: ExitStack) -> tuple[Any, RangeReader | None]:
    """What `av.open` takes, closed with the stack."""
    if isinstance(source, bytes | bytearray | memoryview):
        return io.BytesIO(source), None
    if isinstance(source, str) and ("://" in source or "::" in source):
        return _remote(source, stack)
    if isinstance(source, str | os.PathLike):
        return _local(os.fspath(source)), None
    if not hasattr(source, "read"):
        raise TypeError(f"found {type(source).__name__}; expected a path, bytes or a binary file")
    return _rewound(source, stack), None


def _local(path: str) -> str:
    """A path that FFmpeg takes for a file, whatever colons it holds."""
    with open(path, "rb") as file:  # noqa: PTH123 - says what is wrong better than FFmpeg does
        if not file.read(1):
            raise OSError("the file is empty")
    return f"file:{os.path.abspath(path)}"  # noqa: PTH100 - resolving links is not wanted


def _remote(url: str, stack: ExitStack) -> tuple[Any, RangeReader | None]:
    """An fsspec file without read-ahead, under a reader that fetches only what is needed."""
    import fsspec
    from fsspec.implementations.local import LocalFileSystem

    file_system, path = fsspec.core.url_to_fs(url)
    if isinstance(file_system, LocalFileSystem):
        return _local(path), None
    file = stack.enter_context(file_system.open(path, "rb", cache_type="none"))
    if not file.seekable():
        return _rewound(file, stack), None
    reader = RangeReader(file)
    return reader, reader


def _rewound(file: Any, stack: ExitStack) -> Any:
    """The file at its start, able to seek."""
    seekable = getattr(file, "seekable", None)
    if hasattr(file, "seek") and hasattr(file, "tell") and (seekable is None or seekable()):
        file.seek(0)
        return file
    spool = tempfile.SpooledTemporaryFile(max_size=_SPOOL_BYTES)  # noqa: SIM115 - see next line
    stack.callback(spool.close)
    shutil.copyfileobj(file, spool)
    spool.seek(0)
    return _Seekable(spool)


class _Seekable:
    """A spooled file as FFmpeg wants it (before Python 3.11 it has no `seekable`)."""

    def __init__(self, file: Any) -> None:
        self.read, self.tell, self._seek = file.read, file.tell, file.seek

    def seek(self, offset: int, whence: int = 0) -> int:
        self._seek(offset, whence)
        return int(self.tell())
