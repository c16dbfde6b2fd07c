"""Reading a remote file by the ranges that are needed, and little more."""

from __future__ import annotations

import io
from typing import Any

__all__ = ["RangeReader"]

_LEAST_BYTES = 4 << 10
_MOST_BYTES = 1 << 20


class RangeReader:
    """A file for FFmpeg over one that fetches exactly what `read` asks (no read-ahead).

    Inside a planned range, one request fetches up to the range's end and nothing behind it.
    Elsewhere requests grow with what was read in a row: an eighth of it, between 4 KiB and 1 MiB,
    so that reading on costs few requests and stopping wastes little. The file's first bytes are
    fetched once and kept, and so is its first packet.

    Args:
        file: an open binary file that can seek.
    """

    def __init__(self, file: Any) -> None:
        self._file = file
        self._size = int(file.seek(0, io.SEEK_END))
        self._position = 0
        self._kept = [(0, self._fetched(0, _LEAST_BYTES))]
        self._is_opening = True
        self._start, self._data = self._kept[0]
        self._run = 0
        self._plan = (0, 0)
        self._plan_index()

    def plan(self, start: int, stop: int) -> None:
        """Says that bytes [start, stop) will be read next, all of them."""
        self._plan = (start, min(stop, self._size))

    def keep_only(self, start: int, stop: int) -> None:
        """Of what opening the file fetched, keeps the pieces of bytes [start, stop) at hand."""
        self._is_opening = False
        self._kept = [
            piece
            for piece in self._kept
            if piece[0] == 0 or (piece[0] < stop and start < piece[0] + len(piece[1]))
        ]

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
        start, data = self._at_hand() or self._fetch(count)
        offset = self._position - start
        piece = data[offset : offset + count if count > 0 else None]
        self._position += len(piece)
        return piece

    def _at_hand(self) -> tuple[int, bytes] | None:
        """The piece that holds the position's byte, if one does."""
        for piece in ((self._start, self._data), *self._kept):
            if piece[0] <= self._position < piece[0] + len(piece[1]):
                return piece
        return None

    def _fetch(self, count: int) -> tuple[int, bytes]:
        """Fetches the bytes from the position on, as many as are wise."""
        follows = self._position == self._start + len(self._data)
        self._run = self._run + len(self._data) if follows else 0
        start, stop = self._plan
        if start <= self._position < stop:
            want = stop - self._position
        else:
            want = max(count, _LEAST_BYTES, min(self._run // 8, _MOST_BYTES))
        self._start, self._data = self._position, self._fetched(self._position, want)
        if self._is_opening:
            self._kept.append((self._start, self._data))
        return self._start, self._data

    def _fetched(self, start: int, count: int) -> bytes:
        self._file.seek(start)
        data: bytes = self._file.read(min(count, self._size - start))
        if not data:
            raise OSError(f"no bytes at {start} of {self._size}")
        return data

    def _plan_index(self) -> None:
        """Plans the `moov` box of an mp4, which FFmpeg reads first, wherever it lies."""
        position = 0
        for _ in range(16):
            head = self._data[position : position + 16]
            if position + 16 > len(self._data):
                if position + 16 > self._size:
                    return
                head = self._fetched(position, 16)
            size = int.from_bytes(head[:4], "big")
            if size == 1:
                size = int.from_bytes(head[8:16], "big")
            if head[4:8] == b"moov":
                self.plan(position, position + size)
                return
            if size < 8 or not head[4:8].isalpha():
                return
            position += size
