"""Room for frames: in memory while a budget lasts, and past it in a temporary file."""

from __future__ import annotations

import errno
import math
import mmap
import os
import tempfile
from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

__all__ = ["FrameRoom"]

Shape = tuple[int, int, int, int]

_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


class FrameRoom:
    """Arrays for frames, of which no more than a budget is in the process's own memory.

    Args:
        budget: bytes.
    """

    def __init__(self, budget: int) -> None:
        self.left = budget
        self._files: list[_FrameFile] = []

    def arrays(self, shapes: Sequence[Shape]) -> list[NDArray[np.uint8]]:
        """Zeroed uint8 arrays; those that do not fit the budget lie in one unnamed file.

        They can be read and written like any other, and the file is gone with the last of them.

        Args:
            shapes: [N, H, W, 3] each.

        Raises:
            MemoryError: the file system of temporary files has no room for the rest.
        """
        left = self.left
        fits = []
        for shape in shapes:
            size = math.prod(shape)
            fits.append(size <= left)
            left -= size if fits[-1] else 0
        rest = [shape for shape, is_in in zip(shapes, fits, strict=True) if not is_in]
        filed = iter(self._filed(rest))
        self.left = left
        return [
            np.zeros(shape, dtype=np.uint8) if is_in else next(filed)
            for shape, is_in in zip(shapes, fits, strict=True)
        ]

    def let_go(self, image: NDArray[np.uint8]) -> None:
        """Tells that an image was written: if its array lies in a file, it need not be here."""
        address = image.ctypes.data
        for file in self._files:
            file.let_go(address, image.nbytes)

    def _filed(self, shapes: Sequence[Shape]) -> list[NDArray[np.uint8]]:
        if not shapes:
            return []
        file = _FrameFile(sum(math.prod(shape) for shape in shapes))
        self._files.append(file)
        ends = accumulate(math.prod(shape) for shape in shapes)
        return [
            file.data[end - math.prod(shape) : end].reshape(shape)
            for shape, end in zip(shapes, ends, strict=True)
        ]


class _FrameFile:
    """An unnamed temporary file as an array.

    Attributes:
        data: uint8 [size], writable.
    """

    def __init__(self, size: int) -> None:
        with tempfile.TemporaryFile(prefix="kolab-frames-") as file:
            _lengthen(file.fileno(), size)
            self._map = mmap.mmap(file.fileno(), size)
        self.data: NDArray[np.uint8] = np.frombuffer(self._map, dtype=np.uint8)
        self._start = self.data.ctypes.data

    def let_go(self, address: int, size: int) -> None:
        """Takes what lies there out of the process's memory; the file keeps it."""
        offset = address - self._start
        if 0 <= offset < len(self._map) and hasattr(mmap, "MADV_DONTNEED"):
            first = offset - offset % mmap.PAGESIZE
            self._map.madvise(mmap.MADV_DONTNEED, first, offset + size - first)


def _lengthen(file: int, size: int) -> None:
    """Gives a file its size, and its place on the disk while there is still somebody to tell."""
    try:
        os.ftruncate(file, size)
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file, 0, size)
    except OSError as err:
        if err.errno not in _NO_ROOM:
            return  # a file system that cannot set room aside
        raise MemoryError(
            f"{tempfile.gettempdir()}: found no room for {size / (1 << 20):.0f} MiB of frames; "
            f"expected it for those past memory_budget_mb ({err.strerror})"
        ) from err
