"""Reading a remote file by the ranges that are needed, and little more."""

from __future__ import annotations

import io
from typing import Any

__all__ = ["RangeReader"]

_FIRST_BYTES = 16 << 10
_MOST_BYTES = 1 << 20


class RangeReader:
    """A file for FFmpeg over one that fetches exactly what `read` asks (no read-ahead).

    Inside a planned range, one request fetches up to the range's end and nothing behind it.
    Elsewhere requests grow with what was read in a row: by a quarter of it, between 16 KiB and
    1 MiB, so that reading on costs few requests and stopping wastes little.

    Args:
        file: an open binary file that can seek.
    """

    def __init__(self, file: Any) -> None:
        self._file = file
        self._size = int(file.seek(0, io.SEEK_END))
        self._position = 0
        self._start, self._data = 0, b""
        self._run = 0
        self._plan = (0, 0)
        self._plan_index()

    def plan(self, start: int, stop: int) -> None:
        """Says that bytes [start, stop) will be read next, all of them."""
        self._plan = (start, min(stop, self._size))

    def readable(self) -> bool:
        """Yes."""
        return True

    def seekable(self) -> bool:
        """Yes."""
        return True

    def tell(self) -> int:
        """Where the next byte is read."""
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Moves the position; fetches nothing."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence]
        self._position = base + offset
        return self._position

    def read(self, count: int = -1) -> bytes:
        """At most `count` bytes, fewer where what is at hand ends; nothing only at the end."""
        if self._position >= self._size or count == 0:
            return b""
        offset = self._position - self._start
        if not 0 <= offset < len(self._data):
            self._fetch(count)
            offset = 0
        piece = self._data[offset : offset + count if count > 0 else None]
        self._position += len(piece)
        return piece

    def _fetch(self, count: int) -> None:
        """Puts the bytes from the position on at hand, as many as are wise."""
        start, stop = self._plan
        if start <= self._position < stop:
            want = stop - self._position
        else:
            follows = self._position == self._start + len(self._data)
            self._run = self._run + len(self._data) if follows else 0
            want = max(count, _FIRST_BYTES, min(self._run // 4, _MOST_BYTES))
        self._file.seek(self._position)
        self._start = self._position
        self._data = self._file.read(min(want, self._size - self._position))
        if not self._data:
            raise OSError(f"no bytes at {self._position} of {self._size}")

    def _plan_index(self) -> None:
        """Plans the `moov` box of an mp4, which FFmpeg reads first, wherever it lies."""
        position = 0
        for _ in range(16):
            self.seek(position)
            head = self.read(16)
            if len(head) < 8:
                break
            size = int.from_bytes(head[:4], "big")
            if size == 1:
                size = int.from_bytes(head[8:16], "big")
            if head[4:8] == b"moov":
                self.plan(position, position + size)
                break
            if size < 8 or not head[4:8].isalpha():
                break
            position += size
        self.seek(0)
