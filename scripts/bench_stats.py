"""Times `kolab stats` on releases of up to 10,000 sessions: linear, and within a minute.

Usage: python scripts/bench_stats.py [--sessions 1000 2500 10000] [--runs 3]

The sessions are those of a synthetic release of the paper's size, each copied under new names as
often as needed (documents alone, no recordings). Every measurement is a process of its own; the
table shows the fastest of its runs, imports not counted, and the peak of its memory, all of the
process. The exit code is 1 if the largest release takes more than a minute of the processor, or a
session of it more than half as long again as one of the smallest.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from kolab_core.reports.tables import render_table  # noqa: E402 - after the path is set
from scripts.synthesis import make_release  # noqa: E402

__all__ = ["main", "multiply_release"]

LONGEST_SECONDS = 60.0
LARGEST_RATIO = 1.5

_MEASURE = """
import json, resource, sys, time
from kolab_core.release import open_release
from kolab_core.stats import count_release, summarise_tally
start, used = time.perf_counter(), time.process_time()
stats = summarise_tally(count_release(open_release(sys.argv[1])))
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([time.perf_counter() - start, time.process_time() - used, peak,
                  stats.overview["sessions"], stats.overview["responses"]]))
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table; exit code 1 if it is too slow or grows faster than the sessions."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sessions", type=int, nargs="+", default=[1000, 2500, 10_000])
    parser.add_argument("--runs", type=int, default=3, help="runs of each measurement")
    options = parser.parse_args(argv)
    rows = []
    with tempfile.TemporaryDirectory() as name:
        source = make_release(
            Path(name) / "source", participants=50, marginals="paper", recordings=False
        )
        for number in sorted(options.sessions):
            root = multiply_release(source, Path(name) / str(number), sessions=number)
            rows.append(_measure(root, runs=options.runs))
    columns = ("sessions", "responses", "seconds", "CPU seconds", "ms a session", "peak MB")
    print(render_table(columns, rows))
    ratio = rows[-1][4] / rows[0][4]
    print(f"A session of the largest takes {ratio:.2f} times as long as one of the smallest.")
    return int(rows[-1][3] > LONGEST_SECONDS or ratio > LARGEST_RATIO)


def multiply_release(source: Path, out: Path, *, sessions: int) -> Path:
    """Write a release of any number of sessions whose documents are those of another one.

    Args:
        source: A release whose sessions are called `<participant>_S<number>`.
        out: The folder to make.
        sessions: How many; the source's are taken in turns, each time as new people.

    Returns:
        `out`.
    """
    head = json.loads((source / "release.json").read_text(encoding="utf-8"))
    lines = (source / "participants.jsonl").read_text(encoding="utf-8").splitlines()
    people = {json.loads(line)["participant_id"]: line for line in lines}
    listed: list[str] = []
    written: dict[str, str] = {}
    (out / "surveys").mkdir(parents=True)
    while len(listed) < sessions:
        turn, at = divmod(len(listed), len(head["sessions"]))
        old = head["sessions"][at]
        person = old.partition("_")[0]
        new = f"C{turn}{old}"
        folder = out / "sessions" / new
        folder.mkdir(parents=True)
        for path in (source / "sessions" / old).glob("*.json*"):
            (folder / path.name).write_text(_rename(path, person, turn), encoding="utf-8")
        if f"C{turn}{person}" not in written:
            survey = source / "surveys" / f"{person}.json"
            written[f"C{turn}{person}"] = people[person].replace(f'"{person}', f'"C{turn}{person}')
            target = out / "surveys" / f"C{turn}{person}.json"
            target.write_text(_rename(survey, person, turn), encoding="utf-8")
        listed.append(new)
    (out / "participants.jsonl").write_text("\n".join(written.values()) + "\n", encoding="utf-8")
    (out / "release.json").write_text(json.dumps({**head, "sessions": listed}), encoding="utf-8")
    return out


def _rename(path: Path, person: str, turn: int) -> str:
    """A document with the ids of its session and its person renamed."""
    return path.read_text(encoding="utf-8").replace(f'"{person}', f'"C{turn}{person}')


def _measure(root: Path, *, runs: int) -> list[float]:
    found = []
    for _ in range(runs):
        done = subprocess.run(
            [sys.executable, "-c", _MEASURE, str(root)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        found.append(json.loads(done.stdout))
    seconds, used, peak, sessions, responses = min(found, key=lambda run: run[1])
    return [sessions, responses, seconds, used, 1000 * used / sessions, peak]


if __name__ == "__main__":
    sys.exit(main())
