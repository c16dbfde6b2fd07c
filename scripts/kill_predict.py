"""Kill `kolab.predict` with -9 again and again: its file must end as if nothing had happened.

A child process asks a model that answers each question in its own way, in a few milliseconds, from
several threads. It is killed at random moments, started anew, and at last left alone. After each
kill every answer that was in the file must still be there, and no question may be asked again that
had its answer in the file when the child started; in the end the file must be, byte for byte, that
of a child that nobody disturbed.

Run: python scripts/kill_predict.py            # 50 kills
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kolab_core.reports.tables import render_table

__all__ = ["Toll", "main", "torment"]

_THREADS = 4
_LONGEST_LIFE_S = 0.3


@dataclass
class Toll:
    """What the kills did.

    Attributes:
        num_kills: Children that were killed while they worked.
        num_torn: Kills that left an unfinished last line.
        num_repeated: Questions asked more than once: under way when a kill came.
        num_lost: Answers that a kill took out of the file; must be 0.
        num_asked_in_vain: Questions asked although the file had their answer; must be 0.
        is_same: Whether the file ends like that of an undisturbed child.
    """

    num_kills: int = 0
    num_torn: int = 0
    num_repeated: int = 0
    num_lost: int = 0
    num_asked_in_vain: int = 0
    is_same: bool = False

    @property
    def is_clean(self) -> bool:
        """Whether nothing was lost, asked in vain or changed."""
        return self.is_same and not self.num_lost and not self.num_asked_in_vain


def torment(folder: Path, *, kills: int, runs: int, seed: int = 0) -> Toll:
    """Kill so many children, let the last one finish, and compare.

    Args:
        folder: For the files.
        kills: How many.
        runs: How often each of the sample's rows is asked about; more make more work.
        seed: Of the moments.
    """
    chance = random.Random(seed)
    toll = Toll()
    undisturbed, tormented = folder / "undisturbed.jsonl", folder / "tormented.jsonl"
    log = folder / "asked.txt"
    _start(undisturbed, folder / "asked_undisturbed.txt", runs).wait()
    # Two rows may ask the same words.
    wanted = Counter(question for question, _ in _answers(undisturbed).values())
    while toll.num_kills < kills:
        before, asked_before = _answers(tormented), _asked(log)
        child = _start(tormented, log, runs)
        time.sleep(chance.uniform(0, _LONGEST_LIFE_S))
        was_at_work = child.poll() is None
        child.kill()
        child.wait()
        toll.num_kills += was_at_work
        after = _answers(tormented)
        toll.num_torn += tormented.exists() and not tormented.read_bytes().endswith(b"\n")
        toll.num_lost += sum(after.get(key) != answer for key, answer in before.items())
        open_before = Counter(wanted)
        open_before.subtract(question for question, _ in before.values())
        asked = _asked(log) - asked_before
        toll.num_asked_in_vain += sum(
            max(asked[question] - number, 0) for question, number in open_before.items()
        )
        if not was_at_work:
            break
    _start(tormented, log, runs).wait()
    toll.num_repeated = _asked(log).total() - len(_answers(tormented))
    toll.is_same = tormented.read_bytes() == undisturbed.read_bytes()
    return toll


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; 0 if the file came through all kills."""
    parser = argparse.ArgumentParser(description="Kill kolab.predict, and look at its file.")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--runs", type=int, default=60, help="of 31 questions each")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--child", nargs=2, metavar=("OUT", "LOG"), help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.child:
        return _be_child(*map(Path, options.child), runs=options.runs)
    with tempfile.TemporaryDirectory() as folder:
        toll = torment(Path(folder), kills=options.kills, runs=options.runs, seed=options.seed)
    rows = [
        ("kills at work", toll.num_kills),
        ("torn last lines", toll.num_torn),
        ("asked again, under way at a kill", toll.num_repeated),
        ("answers lost", toll.num_lost),
        ("asked although answered", toll.num_asked_in_vain),
        ("same file as undisturbed", toll.is_same),
    ]
    print(render_table(["what", "found"], rows))
    return 0 if toll.is_clean else 1


def _answers(path: Path) -> dict[tuple[str, int], tuple[str, str]]:
    """Row and run -> the question's digest and the answer, of all lines that are whole."""
    if not path.exists():
        return {}
    lines = [line for line in path.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")]
    records = map(json.loads, lines)
    return {(r["id"], r["run"]): (r["question"], r["prediction"]) for r in records}


def _asked(log: Path) -> Counter[str]:
    """A question's digest -> how often it has been asked."""
    return Counter(log.read_text().split()) if log.exists() else Counter()


def _start(out: Path, log: Path, runs: int) -> subprocess.Popen[bytes]:
    """A child that has loaded its rows and begins to ask."""
    call = [sys.executable, __file__, "--child", str(out), str(log), "--runs", str(runs)]
    child = subprocess.Popen(call, stdout=subprocess.PIPE)
    assert child.stdout is not None
    with child.stdout as said:
        said.readline()
    return child


def _be_child(out: Path, log: Path, *, runs: int) -> int:
    import kolab
    from kolab_core.release import open_release
    from kolab_core.rows.experiments import session_rows

    warnings.simplefilter("ignore")
    release = open_release(Path(__file__).resolve().parents[1] / "sample")
    rows = [
        row
        for name in release.session_ids
        for row in session_rows(release, name, "adoption_forecast")
        if row["has_chat"]
    ]
    with log.open("ab", buffering=0) as stream:

        def answer(messages: list[dict[str, Any]]) -> str:
            text = json.dumps(messages, sort_keys=True)
            digest = hashlib.sha256(text.encode()).hexdigest()[:16]  # as the file has it
            stream.write(f"{digest}\n".encode())
            time.sleep(int(digest[:2], 16) / 20_000)
            return f"<think>…{digest[:4]}\n</think>ADOPT"

        print("ready", flush=True)
        kolab.predict(
            rows,
            answer,
            out,
            config="adoption_forecast",
            modalities=["graph", "chat"],
            runs=runs,
            concurrency=_THREADS,
            progress=False,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
