"""Fresh environments to try the package in: its wheel, a Python, and what runs in them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

__all__ = ["ROOT", "build_wheel", "find_python", "make_environment", "run"]

ROOT = Path(__file__).resolve().parent.parent


def build_wheel(folder: Path) -> Path:
    """The package's wheel, built into `folder`/wheel."""
    target = folder / "wheel"
    shutil.rmtree(target, ignore_errors=True)
    run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", target, ROOT])
    (wheel,) = target.glob("*.whl")
    return wheel


def make_environment(folder: Path, python: str | Path, requirements: Sequence[str | Path]) -> Path:
    """A new environment at `folder` with what is required; its Python."""
    shutil.rmtree(folder, ignore_errors=True)
    run([python, "-m", "venv", folder])
    inside = folder / "bin/python"
    run([inside, "-m", "pip", "install", "--quiet", *requirements])
    return inside


def find_python(version: str) -> str:
    """A Python of this minor version, on the PATH or of pyenv.

    Raises:
        SystemExit: There is none.
    """
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    on_path = shutil.which(f"python{version}")
    installed = [str(path) for path in sorted(pyenv.glob(f"{version}.*/bin/python"))]
    for candidate in [on_path, *installed] if on_path else installed:
        command = [candidate, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
        found = subprocess.run(command, capture_output=True, text=True, check=False)
        if found.stdout.strip() == version:
            return candidate
    raise SystemExit(f"python{version}: found none; expected it on the PATH or among pyenv's.")


def run(command: Sequence[str | Path]) -> None:
    """Runs a command to its end.

    Raises:
        SystemExit: It failed; what it said is on stderr.
    """
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stdout, done.stderr, sep="\n", file=sys.stderr)
        raise SystemExit(f"{' '.join(map(str, command))}: exit code {done.returncode}")
