"""Times building and reopening every config against the JSON builder of `datasets`.

Usage: python scripts/bench_load.py [--data-dir RELEASE] [--runs 5]

Without `--data-dir` the release is a synthetic one of the paper's size: 100 sessions, 692 labelled
AI outputs, no recordings. The peer reads the very same rows as JSON lines. Every measurement is a
process of its own with a cache of its own, Kolab's and the peer's by turns; the table shows medians
of seconds (imports are not counted), of peak memory (all of the process, imports too), and of the
ratio of each pair of runs.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from kolab_core.release import open_release
from kolab_core.reports.tables import render_table
from kolab_core.rows.experiments import CONFIG_NAMES, session_rows, survey_rows
from scripts.synthesis import make_release

LARGEST_RATIO = 3.0

# One cold build and one warm opening; prints what they took.
_MEASURE = """
import json, resource, sys, time, warnings
import datasets, kolab
warnings.simplefilter("ignore")
datasets.disable_progress_bars()
arguments = json.loads(sys.argv[1])
times = []
for _ in range(2):
    start = time.perf_counter()
    rows = datasets.load_dataset(**arguments)
    times.append(time.perf_counter() - start)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"cold": times[0], "warm": times[1], "peak": peak, "rows": len(rows)}))
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table; exit code 1 if a config takes more than three times as long as its peer."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data-dir", type=Path, help="a release; by default one is made")
    parser.add_argument("--runs", type=int, default=5, help="runs of each measurement")
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as name:
        root = options.data_dir or make_release(
            Path(name) / "release", participants=50, marginals="paper", recordings=False
        )
        return bench_load(root.absolute(), Path(name), runs=options.runs)


def bench_load(root: Path, folder: Path, *, runs: int) -> int:
    """Measure every config of the release at `root`; files go to `folder`."""
    rows = []
    ratios = []
    for config in CONFIG_NAMES:
        peer = _write_peer(root, config, folder / f"{config}.jsonl")
        ours = {"path": "kolab", "name": config, "data_dir": str(root), "split": "test"}
        theirs = {"path": "json", "data_files": str(peer), "split": "train"}
        runs_of: dict[str, list[dict[str, Any]]] = {"kolab": [], "json": []}
        for _ in range(runs):
            runs_of["kolab"].append(_measure(ours))
            runs_of["json"].append(_measure(theirs))
        pairs = zip(runs_of["kolab"], runs_of["json"], strict=True)
        kolab, json_lines = (_median(found) for found in runs_of.values())
        if kolab["rows"] != json_lines["rows"]:
            raise SystemExit(
                f"{config}: found {kolab['rows']} rows; expected {json_lines['rows']}."
            )
        ratios.append(statistics.median(a["cold"] / b["cold"] for a, b in pairs))
        rows.append(
            [
                config,
                int(kolab["rows"]),
                peer.stat().st_size / 1e6,
                *(kolab[key] for key in ("cold", "warm", "peak")),
                *(json_lines[key] for key in ("cold", "warm", "peak")),
                ratios[-1],
            ]
        )
    heads = ["config", "rows", "MB of JSON", "cold s", "warm s", "peak MB"]
    heads += ["JSON: cold s", "warm s", "peak MB", "ratio (cold)"]
    print(render_table(heads, rows, digits=2))
    print(f"largest ratio {max(ratios):.2f}; at most {LARGEST_RATIO:.0f} wanted")
    return int(max(ratios) > LARGEST_RATIO)


def _write_peer(root: Path, config: str, path: Path) -> Path:
    """The config's rows as JSON lines."""
    with path.open("w", encoding="utf-8") as file:
        for row in _read_rows(root, config):
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    return path


def _read_rows(root: Path, config: str) -> Iterator[dict[str, Any]]:
    release = open_release(root)
    if config == "surveys":
        yield from survey_rows(release)
        return
    for session_id in release.session_ids:
        yield from session_rows(release, session_id, config)


def _measure(arguments: dict[str, Any]) -> dict[str, Any]:
    """One process that loads twice from a fresh cache."""
    with tempfile.TemporaryDirectory() as cache:
        text = json.dumps({**arguments, "cache_dir": cache})
        command = [sys.executable, "-c", _MEASURE, text]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _median(runs: list[dict[str, Any]]) -> dict[str, float]:
    return {key: statistics.median(run[key] for run in runs) for key in runs[0]}


if __name__ == "__main__":
    sys.exit(main())
