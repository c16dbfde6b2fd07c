"""Broken releases: each folder of `data/broken` is laid over the base release, and then checked.

A case holds only the files that replace the base's or come on top; `_delete.txt` lists those that
go, one a line; `expected.txt` holds all issues, one a line.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from releases import BASE, DATA

from kolab_core.rows.check import check_release

EXPECTED = "expected.txt"
_DELETE = "_delete.txt"


def list_cases() -> list[Path]:
    """The cases' folders, sorted."""
    return sorted(path for path in (DATA / "broken").iterdir() if path.is_dir())


def lay_over(case: Path, root: Path) -> Path:
    """The base release with a case's changes, written to `root`."""
    shutil.copytree(BASE, root, dirs_exist_ok=True)
    shutil.copytree(
        case, root, dirs_exist_ok=True, ignore=shutil.ignore_patterns(EXPECTED, _DELETE)
    )
    if (case / _DELETE).exists():
        for name in (case / _DELETE).read_text().split():
            (root / name).unlink()
    return root


def render_case(case: Path, root: Path) -> str:
    """All that a check says of a case: errors, then notes, each on a line."""
    report = check_release(lay_over(case, root))
    lines = [f"error: {issue}" for issue in report.errors]
    lines += [f"note: {issue}" for issue in report.notes]
    return "".join(f"{line}\n" for line in lines).replace(str(root), "<release>")
