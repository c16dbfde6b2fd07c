"""Runs the task files with lmms-eval itself: its task manager, its evaluator, and mock models.

Usage: python scripts/check_lmms_eval.py [--keep FOLDER] [--torch REQUIREMENT]

It makes an environment with what lmms-eval needs to load tasks and to score, asks every task of the
embedded sample, and compares the scores with those of the same answers in `kolab_core.scores`.
PyTorch from PyPI brings several GB for GPUs; with a build for CPUs, such as
`--torch torch==2.13.0+cpu` where pip finds one, all is about 2 GB.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LMMS_EVAL = "lmms-eval==0.7.3"
# What it imports to load tasks and to score; its own list also has every model's needs.
# filelock 4 has no `_api`, which it reaches into.
NEEDS = (
    *("accelerate", "av<16", "filelock<4", "httpx", "jsonlines", "latex2sympy2", "loguru"),
    *("numexpr", "openai", "pytablewriter", "python-dotenv", "pytz", "sacrebleu", "sympy"),
    *("tenacity", "tiktoken", "transformers", "zstandard"),
)


def main(argv: Sequence[str] | None = None) -> int:
    """Print a line a check; exit code 1 if any failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--keep", type=Path, help="build the environment here and keep it")
    parser.add_argument("--torch", default="torch", help="what to install as PyTorch")
    arguments = parser.parse_args(argv)
    if arguments.keep is not None:
        return check_tasks(arguments.keep.absolute(), torch=arguments.torch)
    with tempfile.TemporaryDirectory() as name:
        return check_tasks(Path(name), torch=arguments.torch)


def check_tasks(folder: Path, *, torch: str) -> int:
    """Run the probe in an environment under `folder`, which is made if it is not there."""
    python = folder / "bin/python"
    if not python.exists():
        _run([sys.executable, "-m", "venv", folder])
        install: list[str | Path] = [python, "-m", "pip", "install", "--quiet"]
        _run([*install, ROOT, torch, *NEEDS])
        _run([*install, "--no-deps", LMMS_EVAL])
    variables = {**os.environ, "HF_HUB_OFFLINE": "1", "PYTHONPATH": str(ROOT)}
    command: list[str | Path] = [python, "-W", "ignore", ROOT / "scripts/probe_lmms_eval.py"]
    return subprocess.run(command, env=variables, check=False).returncode


def _run(command: Sequence[str | Path]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stdout, done.stderr, sep="\n", file=sys.stderr)
        raise SystemExit(f"{' '.join(map(str, command))}: exit code {done.returncode}")


if __name__ == "__main__":
    sys.exit(main())
