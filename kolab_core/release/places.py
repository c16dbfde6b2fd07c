"""Where a release's files may lie: in its folder, or in the blobs of the Hub's cache around it.

The cache keeps what was downloaded in `datasets--<owner>--<name>/blobs`, and a revision in
`snapshots/<commit>` beside it as links to those. A release in there is read where it lies; a link
to anywhere else, in there too, is not followed.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

__all__ = ["is_inside"]

_KINDS = ("datasets--", "models--", "spaces--")


def is_inside(path: Path, root: Path) -> bool:
    """Whether a path, with its links followed, lies where files of the release may.

    Args:
        path: It need not exist.
        root: The release's folder, resolved.
    """
    try:
        target = path.resolve()
    except (OSError, RuntimeError, ValueError):  # links in a circle; a NUL
        return False
    if target.is_relative_to(root):
        return True
    blobs = _find_blobs(root)
    return blobs is not None and target.parent == blobs


@lru_cache(maxsize=64)
def _find_blobs(root: Path) -> Path | None:
    """The folder that the Hub's cache links a snapshot's files to; None outside of a cache."""
    for folder in (root, *root.parents):
        repository = folder.parent.parent
        if folder.parent.name == "snapshots" and repository.name.startswith(_KINDS):
            blobs = repository / "blobs"
            return blobs if blobs.is_dir() and blobs.resolve() == blobs else None
    return None
