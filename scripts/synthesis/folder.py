"""The folder of a release: made whole or not at all, and never over one that is something else."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["new_release", "write_json", "write_lines"]


@contextmanager
def new_release(out: str | Path, *, name: str = "kolab") -> Iterator[Path]:
    """Give a temporary folder that takes the place of `out` when the block ends well.

    Args:
        out: The folder to make.
        name: What `release.json` calls a release that may be replaced.

    Raises:
        FileExistsError: `out` is there and is neither empty nor such a release.
    """
    target = Path(out).absolute()
    if target.exists() and not _may_replace(target, name):
        raise FileExistsError(
            f"{target}: found a folder or file that is no release; expected a new name, an empty "
            "folder or a release. Choose another place."
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    new, old = temporary / "new", temporary / "old"
    try:
        new.mkdir()
        yield new
        if target.exists():
            target.rename(old)
        try:
            new.rename(target)
        except OSError:
            if old.exists():
                old.rename(target)
            raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def write_json(path: Path, document: dict[str, Any]) -> None:
    """Write a document, indented by one."""
    _write_text(path, json.dumps(document, ensure_ascii=False, indent=1) + "\n")


def write_lines(path: Path, records: Iterable[dict[str, Any]]) -> None:
    """Write JSON lines."""
    _write_text(path, "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records))


def _may_replace(target: Path, name: str) -> bool:
    if target.is_symlink() or not target.is_dir():
        return False
    if not any(target.iterdir()):
        return True
    try:
        document = json.loads((target / "release.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(document, dict) and document.get("name") == name


def _write_text(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
