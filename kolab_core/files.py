"""Files written whole or not at all, and the folders that come with the package."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["find_carried", "write_whole"]

_PACKAGE = Path(__file__).resolve().parent


def find_carried(name: str) -> Path:
    """A folder that the wheel carries inside the package, and a checkout has beside it."""
    carried = _PACKAGE / f"_{name}"
    return carried if carried.is_dir() else _PACKAGE.parent / name


@contextmanager
def write_whole(path: str | Path) -> Iterator[Path]:
    """Give a temporary path to write to; it takes the name `path` only when the block ends well.

    The temporary file lies in the same folder (a rename across file systems is a copy) and keeps
    the suffix, since libraries choose a format by it. Missing parent folders are made.

    Args:
        path: The file to make or to replace.

    Yields:
        The temporary path.

    Raises:
        OSError: The folder cannot be made or written to. Whatever the block raises is passed on,
            and the temporary file is removed.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(
        prefix=f".{target.stem}-", suffix=target.suffix, dir=target.parent
    )
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def _umask() -> int:
    """The process's file mode mask (`mkstemp` makes private files; a report is not private)."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
