"""Builds the wheel and asks, in fresh environments, whether every name resolves.

Usage: python scripts/check_names.py [--keep FOLDER]

Each environment has another pair of Python and `datasets`, an empty working folder and
HF_HUB_OFFLINE=1. The Pythons are looked for as `python3.10` and `python3.13`, on the PATH and among
those of pyenv. It takes some minutes and several hundred MB.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kolab_core.reports.tables import render_table
from scripts.environments import ROOT, build_wheel, find_python, make_environment


@dataclass(frozen=True)
class Environment:
    """A Python and what is pinned in it."""

    name: str
    python: str
    pins: tuple[str, ...]


ENVIRONMENTS = (
    Environment("oldest", "3.10", ("datasets==4.0.0", "huggingface_hub==0.30.0")),
    Environment("old, hub 1", "3.10", ("datasets==4.0.0", "huggingface_hub>=1,<2")),
    Environment("newest", "3.13", ("datasets>=5,<6", "huggingface_hub>=2,<3")),
)


def main(argv: Sequence[str] | None = None) -> int:
    """Print a table, a row a check; exit code 1 if any failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--keep", type=Path, help="build the environments here and keep them")
    folder = parser.parse_args(argv).keep
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        return check_names(folder.absolute())
    with tempfile.TemporaryDirectory() as name:
        return check_names(Path(name))


def check_names(folder: Path) -> int:
    """Check all environments under `folder`; 1 if a check failed anywhere, else 0."""
    wheel = build_wheel(folder)
    results = {
        env.name: _probe(env, folder / env.name.replace(", ", "-"), wheel) for env in ENVIRONMENTS
    }
    checks = list(dict.fromkeys(check for found in results.values() for check in found))
    missing = {"failed": True, "found": "not run"}
    cells = {check: [found.get(check, missing) for found in results.values()] for check in checks}
    rows = [[check, *("FAILED" if c["failed"] else "ok" for c in cells[check])] for check in checks]
    print(render_table(["check", *results], rows))
    for name, found in results.items():
        print(f"\n{name}: {found.get('versions', missing)['found']}")
        for check, cell in found.items():
            if cell["failed"]:
                print(f"  {check}: {cell['found']}")
    return int(any(cell["failed"] for row in cells.values() for cell in row))


def _probe(environment: Environment, folder: Path, wheel: Path) -> dict[str, dict[str, object]]:
    """What each check found in a fresh environment."""
    print(
        f"{environment.name}: Python {environment.python}, {', '.join(environment.pins)} …",
        flush=True,
    )
    shutil.rmtree(folder, ignore_errors=True)
    interpreter = find_python(environment.python)
    python = make_environment(folder / "venv", interpreter, [wheel, *environment.pins])
    work, home = folder / "work", folder / "home"
    work.mkdir()
    home.mkdir()
    variables = {"HOME": str(home), "HF_HUB_OFFLINE": "1", "PATH": os.environ["PATH"]}
    command: list[str | Path] = [python, "-I", ROOT / "scripts/probe_names.py"]
    done = subprocess.run(
        command,
        cwd=work,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        print(done.stderr, file=sys.stderr)
    return {line["check"]: line for line in lines}


if __name__ == "__main__":
    sys.exit(main())
