"""Times sampling by this checkout with an older PyAV against the one that is installed here.

Usage: python scripts/bench_older_av.py PYTHON [--runs 9] [--only x264_default …] [--folder FOLDER]

PYTHON is the interpreter of an environment with Kolab's dependencies and an older PyAV, as
`scripts/check_beside.py --keep` leaves one. The recordings and the jobs are those of
`scripts/bench_clip.py`: 32 frames of a window of 14 minutes, their keyframes, and all rows of a
session. Runs go by turns, and medians are shown, of seconds and of CPU seconds.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kolab_core.reports.tables import render_table
from kolab_core.sampling import centre_times
from scripts.bench_clip import WINDOW, Samplers, session_clips
from scripts.clip_bench.contenders import KOLAB
from scripts.clip_bench.media import HOURS, make_hour

__all__ = ["main"]

FRAMES = 32


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the benchmark; exit status 0, whatever the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("python", metavar="PYTHON", help="of an environment with an older PyAV")
    parser.add_argument("--runs", type=int, default=9, help="of the window; of the rows: a third")
    parser.add_argument("--only", nargs="+", default=[hour.name for hour in HOURS])
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "kolab-bench")
    arguments = parser.parse_args(argv)
    pythons = [sys.executable, arguments.python]
    versions = [_av_version(python) for python in pythons]
    rows: list[list[object]] = []
    for hour in HOURS:
        if hour.name in arguments.only:
            path = make_hour(hour, arguments.folder)
            path.read_bytes()  # into the page cache
            rows += _measure_file(path, pythons, runs=arguments.runs)
    heads = [f"{version} {unit}" for unit in ("s", "CPU s") for version in versions]
    print(render_table(["recording", "job", *heads, "ratio", "CPU ratio"], rows, digits=2))
    return 0


def _measure_file(path: Path, pythons: Sequence[str], *, runs: int) -> list[list[object]]:
    times = [list(centre_times([WINDOW], FRAMES))]
    jobs: list[tuple[str, str, list[Any], int]] = [
        ("window", KOLAB, times, runs),
        ("keyframes", "kolab keyframes", times, runs),
        ("rows", "kolab rows", [session_clips()], max(1, runs // 3)),
    ]
    rows: list[list[object]] = []
    with Samplers(path, pythons[0]) as newest, Samplers(path, pythons[1]) as older:
        for label, sampler, asked, count in jobs:
            runs_of = [[one.ask(sampler, asked) for one in (newest, older)] for _ in range(count)]
            wall, cpu = (
                [statistics.median(run[k][unit] for run in runs_of) for k in (0, 1)]
                for unit in ("seconds", "cpu")
            )
            rows.append([path.stem, label, *wall, *cpu, wall[1] / wall[0], cpu[1] / cpu[0]])
    return rows


def _av_version(python: str) -> str:
    command = [python, "-c", "import av; print(av.__version__)"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
