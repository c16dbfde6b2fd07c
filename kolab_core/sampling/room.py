"""Room for frames: in memory while a budget lasts, and past it in a temporary file."""

from __future__ import annotations

import errno
import math
import mmap
import os
import tempfile
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["FrameRoom"]

Shape = tuple[int, int, int, int]

_CANNOT_SET_ASIDE = {errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP}


class FrameRoom:
    """Arrays for frames, of which no more than a budget is in the process's own memory.

    Args:
        budget: bytes.

    Attributes:
        left: bytes of it; whoever lets arrays fall that were given out may set it back.
    """

    def __init__(self, budget: int) -> None:
        self.left = budget
        self._file: _FrameFile | None = None

    def arrays(self, shapes: Sequence[Shape]) -> list[NDArray[np.uint8]]:
        """Zeroed uint8 arrays; those that do not fit the budget lie in one unnamed file.

        They can be read and written like any other, and the file is gone with the last of them.

        Args:
            shapes: [N, H, W, 3] each.

        Raises:
            MemoryError: the file system of temporary files has no room for the rest.
        """
        offsets: list[int | None] = []  # in the file; None is in memory
        left, filed = self.left, 0
        for size in map(math.prod, shapes):
            if size <= left:
                offsets.append(None)
                left -= size
            else:
                offsets.append(filed)
                filed += size
        file = self._file = _FrameFile(filed) if filed else None
        self.left = left
        return [
            np.zeros(shape, dtype=np.uint8)
            if file is None or offset is None
            else file.array(offset, shape)
            for shape, offset in zip(shapes, offsets, strict=True)
        ]

    def let_go(self, image: NDArray[np.uint8]) -> None:
        """Tells that an image of the arrays given out last was written.

        If it lies in a file, it need not be in memory any longer.
        """
        if self._file is not None:
            self._file.let_go(image.ctypes.data, image.nbytes)


class _FrameFile:
    """An unnamed temporary file of `size` bytes that arrays lie in."""

    def __init__(self, size: int) -> None:
        try:
            with tempfile.TemporaryFile(prefix="kolab-frames-") as file:
                _lengthen(file.fileno(), size)
                self._map = mmap.mmap(file.fileno(), size)
        except OSError as err:
            raise MemoryError(
                f"{tempfile.tempdir or 'temporary folder'}: found no room for "
                f"{size / (1 << 20):.0f} MiB of frames; expected it for those past "
                f"memory_budget_mb ({err.strerror or err})"
            ) from err
        self._start = self.array(0, (size,)).ctypes.data

    def array(self, offset: int, shape: tuple[int, ...]) -> NDArray[np.uint8]:
        """What lies at an offset; it can be written."""
        flat = np.frombuffer(self._map, dtype=np.uint8, count=math.prod(shape), offset=offset)
        return flat.reshape(shape)

    def let_go(self, address: int, size: int) -> None:
        """Takes what lies there out of the process's memory; the file keeps it."""
        offset = address - self._start
        if 0 <= offset < len(self._map) and hasattr(mmap, "MADV_DONTNEED"):
            first = offset - offset % mmap.PAGESIZE
            self._map.madvise(mmap.MADV_DONTNEED, first, offset + size - first)


def _lengthen(file: int, size: int) -> None:
    """Gives a file its size, and its place on the disk while there is still somebody to tell."""
    os.ftruncate(file, size)
    if hasattr(os, "posix_fallocate"):
        try:
            os.posix_fallocate(file, 0, size)
        except OSError as err:
            if err.errno not in _CANNOT_SET_ASIDE:
                raise
