"""The viewer's own steps with stock `datasets`, in a process that knows nothing of this package."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from kolab_core.export.viewer.folder import ExportFolder, Finding

__all__ = ["plain_environment", "run_steps"]

_SECONDS = 600
_MARK = "fault "
_PROGRAM = Path(__file__).with_name("program.py")


def run_steps(folder: ExportFolder) -> Iterator[Finding]:
    """What the viewer asks for, in its order, with an empty cache and without a network.

    The names of configs and splits, the first 100 rows streamed, all rows loaded, whether the
    card's types are the files', and the classes of each column of labels.
    """
    with tempfile.TemporaryDirectory() as cache:
        try:
            done = subprocess.run(
                # -I: neither the working folder nor a variable adds to what can be imported.
                [sys.executable, "-I", str(_PROGRAM), str(folder.root.resolve())],
                capture_output=True,
                text=True,
                check=False,
                cwd=cache,
                env=plain_environment(cache),
                timeout=_SECONDS,
            )
        except subprocess.TimeoutExpired:
            found = f"no end after {_SECONDS} s"
            yield Finding("viewer-steps", "all steps", found, "an answer")
            return
    for line in done.stdout.splitlines():
        if line.startswith(_MARK):
            where, found, expected = json.loads(line[len(_MARK) :])
            yield Finding("viewer-steps", where, found, expected)
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        yield Finding("viewer-steps", "all steps", last, "an exit code of 0")


def plain_environment(cache: str) -> dict[str, str]:
    """This process's variables without those that lead the libraries elsewhere."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("HF_")}
    return {
        **kept,
        "HF_HOME": cache,
        "HF_HUB_OFFLINE": "1",
        "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
    }
