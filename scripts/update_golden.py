"""Write again what `kolab validate` says of each broken release in `tests/data/broken`.

Usage: python scripts/update_golden.py; then read the difference: each message is to be right and
helpful. Tests compare with these files and never write them.
"""

from __future__ import annotations

import importlib
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]


def main() -> int:
    """Rewrite each `expected.txt` that has changed."""
    broken = importlib.import_module("broken")  # in tests/, which is no package
    cases = broken.list_cases()
    num_changed = 0
    for case in cases:
        with tempfile.TemporaryDirectory() as folder:
            text = broken.render_case(case, Path(folder))
        path = case / broken.EXPECTED
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            num_changed += 1
            print(path.relative_to(ROOT))
    print(f"{num_changed} of {len(cases)} files changed.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
