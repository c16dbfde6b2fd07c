"""Opening a recording wherever it lies: a local path, bytes, a file object, an fsspec URL."""

from __future__ import annotations

import io
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import IO, Any, TypeAlias

import av
from av.container import InputContainer

from kolab_core.sampling.older_av import may_change_decoder, shows_extradata
from kolab_core.sampling.ranges import RangeReader

__all__ = ["Opened", "Source", "opened", "source_name"]

Source: TypeAlias = "str | os.PathLike[str] | bytes | IO[bytes]"
"""A recording: a local path, an URL for fsspec (`zip://a.mp4::x.zip` too), bytes, a binary file."""

_SPOOL_BYTES = 32 << 20
_BUFFER_BYTES = 32 << 10
_HEAD_BYTES = 256
_REMOTE_BUFFER_BYTES = 4 << 10


def source_name(source: Source) -> str:
    """How messages call the recording.

    Raises:
        TypeError: it is nothing that can be read.
    """
    if isinstance(source, str | os.PathLike):
        return os.fspath(source)
    if isinstance(source, bytes | bytearray | memoryview):
        return "<bytes>"
    if not hasattr(source, "read"):
        raise TypeError(
            f"source: found {type(source).__name__}; expected a path, bytes or a binary file."
        )
    return str(getattr(source, "name", "<file>"))


@dataclass(frozen=True)
class Opened:
    """A recording's container, open.

    Attributes:
        container: PyAV's.
        reader: what fetches its byte ranges, if it is remote.
        head: its first bytes.
        may_change_decoder: whether a packet may bring the decoder another set-up unsaid.
    """

    container: InputContainer
    reader: RangeReader | None
    head: bytes
    may_change_decoder: bool

    @property
    def is_short(self) -> bool:
        """Whether a Matroska file says that it is longer than it is (live ones do not say)."""
        stated = _stated_matroska_size(self.head)
        return stated is not None and 0 < (self.container.size or 0) < stated


# Broken text in a container's metadata is no reason not to decode it. From PyAV 19 on it never is.
_METADATA_OPTIONS: dict[str, Any] = (
    {"metadata_errors": "replace"} if int(av.__version__.split(".")[0]) < 19 else {}
)


@contextmanager
def opened(source: Source) -> Iterator[Opened]:
    """The recording's container, open, at its start.

    A file object is read from its start and stays open; one that cannot seek is first copied
    to memory, past 32 MiB to a temporary file.

    Raises:
        Exception: whatever opening raises; the caller tells it as a ClipError.
    """
    with ExitStack() as stack:
        file, reader, head = _readable(source, stack)
        may_change = not shows_extradata() and may_change_decoder(file, head)
        buffer = _REMOTE_BUFFER_BYTES if reader else _BUFFER_BYTES
        container = av.open(file, mode="r", buffer_size=buffer, **_METADATA_OPTIONS)
        stack.callback(container.close)
        yield Opened(container, reader, head, may_change)


def _readable(source: Source, stack: ExitStack) -> tuple[Any, RangeReader | None, bytes]:
    """What `av.open` takes, closed with the stack; what reads its ranges; its first bytes."""
    if isinstance(source, bytes | bytearray | memoryview):
        return io.BytesIO(source), None, bytes(source[:_HEAD_BYTES])
    if isinstance(source, str) and ("://" in source or "::" in source):
        return _remote(source, stack)
    if isinstance(source, str | os.PathLike):
        return _local(os.fspath(source))
    file = _rewound(source, stack)
    return file, None, _head(file)


def _local(path: str) -> tuple[str, None, bytes]:
    """A path that FFmpeg takes for a file, whatever colons it holds."""
    found = os.stat(path)  # noqa: PTH116 - says what is wrong better than FFmpeg does
    if not stat.S_ISREG(found.st_mode):
        raise OSError("not a file")
    if not found.st_size:
        raise OSError("the file is empty")
    with open(path, "rb") as file:  # noqa: PTH123 - a path as FFmpeg will take it
        head = file.read(_HEAD_BYTES)
    return f"file:{os.path.abspath(path)}", None, head  # noqa: PTH100 - links stay as they are


def _remote(url: str, stack: ExitStack) -> tuple[Any, RangeReader | None, bytes]:
    """An fsspec file without read-ahead, under a reader that fetches only what is needed."""
    import fsspec
    from fsspec.implementations.local import LocalFileSystem

    file_system, path = fsspec.core.url_to_fs(url)
    if isinstance(file_system, LocalFileSystem):
        return _local(path)
    stack.callback(lambda: file_system)  # a chained one closes its archive when it is collected
    file = stack.enter_context(file_system.open(path, "rb", cache_type="none"))
    if not file.seekable():
        spool = _rewound(file, stack)
        return spool, None, _head(spool)
    reader = RangeReader(file)
    return reader, reader, _head(reader)


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


def _head(file: Any) -> bytes:
    """A file's first bytes; it is left at its start."""
    head: bytes = file.read(_HEAD_BYTES)
    file.seek(0)
    return head


def _stated_matroska_size(head: bytes) -> int | None:
    """The end of a Matroska file's segment, as its header states it."""
    if head[:4] != b"\x1a\x45\xdf\xa3":
        return None
    size, width = _ebml_number(head, 4)
    position = 4 + width + (size or 0)
    if head[position : position + 4] != b"\x18\x53\x80\x67":
        return None
    size, width = _ebml_number(head, position + 4)
    return None if size is None else position + 4 + width + size


def _ebml_number(data: bytes, position: int) -> tuple[int | None, int]:
    """(value, bytes used) of an EBML size; None if it is unknown (all ones) or not there."""
    first = data[position] if position < len(data) else 0
    width = 9 - first.bit_length()
    if not first or position + width > len(data):
        return None, width
    value = int.from_bytes(data[position : position + width], "big") & ((1 << 7 * width) - 1)
    return (None if value == (1 << 7 * width) - 1 else value), width


class _Seekable:
    """A spooled file as FFmpeg wants it (before Python 3.11 it has no `seekable`)."""

    def __init__(self, file: Any) -> None:
        self.read, self.tell, self._seek = file.read, file.tell, file.seek

    def seek(self, offset: int, whence: int = 0) -> int:
        self._seek(offset, whence)
        return int(self.tell())
