"""Write again what tests expect: of broken releases the messages, of a sample row the prompts.

Usage: python scripts/update_golden.py; then read the difference: each message of
`tests/data/broken` is to be right and helpful, each prompt of `tests/data/prompts` what a model
should be sent. If prompts changed, so must `PROMPT_VERSION`. Tests compare with these files and
never write them.
"""

from __future__ import annotations

import importlib
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]


def main() -> int:
    """Rewrite each file that has changed."""
    expected = {**_broken_releases(), **_prompts()}
    num_changed = 0
    for path, text in expected.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            num_changed += 1
            print(path.relative_to(ROOT))
    print(f"{num_changed} of {len(expected)} files changed.")
    return 0


def _broken_releases() -> dict[Path, str]:
    broken = importlib.import_module("broken")  # in tests/, which is no package
    expected = {}
    for case in broken.list_cases():
        with tempfile.TemporaryDirectory() as folder:
            expected[case / broken.EXPECTED] = broken.render_case(case, Path(folder))
    return expected


def _prompts() -> dict[Path, str]:
    found: dict[Path, str] = importlib.import_module("rendered").list_goldens()
    return found


if __name__ == "__main__":
    sys.exit(main())
