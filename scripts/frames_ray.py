"""Stores the frames of a release on a cluster: Ray Data over its sessions.

Usage: python scripts/frames_ray.py --out DIR [--config all] [--data-dir DIR] [--workers 2]

The same as `kolab frames`, a session a task: the same files, and a store that either goes on with.
The release and the store have to be where every worker sees them, at the same paths (a shared
folder; the store also at an address that fsspec writes to). Needs Ray (`pip install -e '.[ray]'`);
`RAY_ADDRESS` names a cluster, without it one of this machine is started.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kolab_core.frames import FORMATS, QUALITY, FrameStoreError, StoreOptions
from kolab_core.names.location import resolve_data_dir
from kolab_core.release import ReleaseError
from kolab_core.sampling import ClipError
from kolab_core.store import StoreJob, choose_configs, open_job

__all__ = ["main", "store_with_ray"]

_ROOT = Path(__file__).resolve().parents[1]


def store_with_ray(job: StoreJob, *, workers: int) -> list[dict[str, Any]]:
    """Store all sessions of a job that are not stored yet.

    Args:
        job: What and where.
        workers: Tasks at a time, a core each.

    Returns:
        A record a session: `session_id`, `num_rows`, `num_frames`, `num_bytes`, and `error`, the
        text of the ClipError if its recording gives no frames, else empty.
    """
    import ray

    def store(session: dict[str, Any]) -> dict[str, Any]:
        name = str(session["item"])
        empty = {"session_id": name, "num_rows": 0, "num_frames": 0, "num_bytes": 0, "error": ""}
        try:
            found = job.store(name)
        except ClipError as err:
            return {**empty, "error": str(err)}
        return empty if found is None else {**empty, **vars(found)}

    open_sessions = job.list_open()
    if not open_sessions:
        return []
    records = ray.data.from_items(open_sessions, override_num_blocks=len(open_sessions)).map(
        store, num_cpus=1, concurrency=workers
    )
    return list(records.take_all())


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; 0 if all is stored, 1 if not, 2 for a bad call."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", required=True, help="the store's folder or address")
    parser.add_argument("--config", nargs="+", default=["all"])
    parser.add_argument("--data-dir", help="the release")
    parser.add_argument("--num-frames", type=int, default=32)
    parser.add_argument("--size", type=int, default=448, help="0: as recorded")
    parser.add_argument("--format", choices=FORMATS, default="jpeg")
    parser.add_argument("--workers", type=int, default=2, help="sessions side by side")
    arguments = parser.parse_args(argv)
    options = StoreOptions(
        configs=choose_configs(arguments.config),
        num_frames=arguments.num_frames,
        size=arguments.size or None,
        format=arguments.format,
        quality=QUALITY[arguments.format],
    )
    try:
        root = resolve_data_dir(arguments.data_dir).root
        job = open_job(root, arguments.out, options, num_threads=1)
    except (FrameStoreError, OSError, ReleaseError) as err:
        sys.stderr.write(f"{err}\n")
        return 1
    import ray

    paths = os.pathsep.join(filter(None, [str(_ROOT), os.environ.get("PYTHONPATH")]))
    ray.init(
        num_cpus=None if os.environ.get("RAY_ADDRESS") else arguments.workers,
        include_dashboard=False,
        runtime_env={"env_vars": {"PYTHONPATH": paths}},
    )
    records = store_with_ray(job, workers=arguments.workers)
    failed = [record for record in records if record["error"]]
    for record in failed:
        sys.stderr.write(f"{record['session_id']}: {record['error']}\n")
    num_frames = sum(int(record["num_frames"]) for record in records)
    print(f"{len(records) - len(failed)} sessions stored in {job.out}: {num_frames} frames.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
