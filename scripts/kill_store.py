"""Kill `kolab.store_frames` with -9 again and again: its store must end as if nothing had happened.

A child process stores the frames of a release of many short sessions. It is killed at random
moments, started anew, and at last left alone. After each kill every file that shows must be, byte
for byte, that of a store that nobody disturbed, and whatever was stored before must not have been
written again; in the end the two stores must be the same, with nothing half-written in either.

Run: python scripts/kill_store.py            # 50 kills
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kolab_core.names.location import find_sample
from kolab_core.reports.tables import render_table
from kolab_core.store import store_frames
from scripts.synthesis import make_release

__all__ = ["Toll", "main", "torment"]

_LONGEST_LIFE_S = 2.0
_RECORDED = "P01_S2"


@dataclass
class Toll:
    """What the kills did.

    Attributes:
        num_kills: Children that were killed while they worked.
        num_torn: Kills that left half a file under a hidden name.
        num_wrong: Files that showed after a kill and were not whole; must be 0.
        num_redone: Files of stored sessions that were written again; must be 0.
        is_same: Whether the store ends like the one that nobody disturbed.
    """

    num_kills: int = 0
    num_torn: int = 0
    num_wrong: int = 0
    num_redone: int = 0
    is_same: bool = False

    @property
    def is_clean(self) -> bool:
        """Whether nothing was torn for others to see, redone or changed."""
        return self.is_same and not self.num_wrong and not self.num_redone


def torment(folder: Path, *, kills: int, participants: int, seed: int = 0) -> Toll:
    """Kill so many children, let the last one finish, and compare.

    Args:
        folder: For the files.
        kills: How many; fewer if all is stored before.
        participants: Of the release, two sessions each; more make more work.
        seed: Of the moments.
    """
    chance = random.Random(seed)
    toll = Toll()
    root = _make_release(folder / "release", participants)
    undisturbed, tormented = folder / "undisturbed", folder / "tormented"
    _start(root, undisturbed).wait()
    right = _contents(undisturbed)
    while toll.num_kills < kills:
        before = _stored(tormented)
        child = _start(root, tormented)
        time.sleep(chance.uniform(0, _LONGEST_LIFE_S))
        was_at_work = child.poll() is None
        child.kill()
        child.wait()
        toll.num_kills += was_at_work
        found = _contents(tormented)
        toll.num_torn += any(_is_hidden(name) for name in found)
        toll.num_wrong += sum(
            data != right.get(name) for name, data in found.items() if not _is_hidden(name)
        )
        after = _stored(tormented)
        toll.num_redone += sum(after.get(name) != written for name, written in before.items())
        if not was_at_work:
            break
    _start(root, tormented).wait()
    toll.is_same = _contents(tormented) == right
    return toll


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; 0 if the store came through all kills."""
    parser = argparse.ArgumentParser(description="Kill kolab.store_frames, and look at its store.")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--participants", type=int, default=40, help="two sessions each")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--child", nargs=2, metavar=("RELEASE", "OUT"), help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.child:
        return _be_child(*options.child)
    with tempfile.TemporaryDirectory() as folder:
        toll = torment(
            Path(folder),
            kills=options.kills,
            participants=options.participants,
            seed=options.seed,
        )
    rows = [
        ("kills at work", toll.num_kills),
        ("half files left, hidden", toll.num_torn),
        ("files that showed and were not whole", toll.num_wrong),
        ("files written again", toll.num_redone),
        ("same store as undisturbed", toll.is_same),
    ]
    print(render_table(["what", "found"], rows))
    return 0 if toll.is_clean else 1


def _make_release(root: Path, participants: int) -> Path:
    """Short sessions, each with a recording of the sample."""
    make_release(root, participants=participants, seed=0, minutes=2, recordings=False)
    [recording] = (find_sample() / "sessions" / _RECORDED).glob("recording.*")
    for session in (root / "sessions").iterdir():
        shutil.copyfile(recording, session / recording.name)
    return root


def _contents(store: Path) -> dict[str, bytes]:
    """All files of a store but its locks."""
    return {
        path.relative_to(store).as_posix(): path.read_bytes()
        for path in store.rglob("*")
        if path.is_file() and path.parent.name != ".locks"
    }


def _is_hidden(name: str) -> bool:
    return name.rpartition("/")[2].startswith(".")


def _stored(store: Path) -> dict[str, tuple[int, int]]:
    """Which files the stored sessions have, and what changes when one is written again."""
    found = {}
    for rows in (store / "rows").glob("[!.]*.parquet"):
        for path in (rows, store / "frames" / rows.name):
            if path.exists():
                stat = path.stat()
                found[path.relative_to(store).as_posix()] = (stat.st_ino, stat.st_mtime_ns)
    return found


def _start(root: Path, out: Path) -> subprocess.Popen[bytes]:
    """A child that has loaded what it needs and begins to store."""
    call = [sys.executable, __file__, "--child", str(root), str(out)]
    path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    child = subprocess.Popen(call, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": path})
    assert child.stdout is not None
    with child.stdout as said:
        said.readline()
    return child


def _be_child(root: str, out: str) -> int:
    print("ready", flush=True)
    store_frames(out, data_dir=root, config="collab_rating", num_frames=4, size=224, progress=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
