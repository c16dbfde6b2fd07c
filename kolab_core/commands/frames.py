"""`kolab frames`: decode the frames that models are given once, and keep them."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from kolab_core.commands.options import whole_from

__all__ = ["add_parser"]

# Those of `kolab_core.frames`, which the help need not load; a test compares.
FORMATS = ("jpeg", "webp", "png")


def add_parser(subparsers: Any) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "frames",
        help="decode the frames that models are given once, and keep them",
        description=(
            "Decode the frames of all rows, each recording once, and keep them as parquet that "
            "stock `datasets` reads. The same call goes on where a former one was ended, and any "
            "number of calls may work on one folder."
        ),
        epilog="Read them with load_dataset('kolab', CONFIG, frames=DIR) or kolab.with_frames.",
    )
    parser.add_argument("--out", metavar="DIR", required=True, help="a folder, or an address")
    parser.add_argument(
        "--config",
        nargs="+",
        default=["all"],
        help="experiments, or sessions; all: the six experiments (default)",
    )
    parser.add_argument(
        "--data-dir",
        metavar="DIR",
        help="the release; by default KOLAB_DATA_DIR, else the embedded sample",
    )
    parser.add_argument("--num-frames", type=whole_from(1), default=32, help="default: 32")
    parser.add_argument(
        "--size", type=whole_from(0), default=448, help="short side; 0: as recorded (default: 448)"
    )
    parser.add_argument(
        "--format", choices=FORMATS, default="jpeg", help="png is exact (default: jpeg)"
    )
    parser.add_argument("--quality", type=whole_from(1), help="of jpeg and webp (default: 90)")
    parser.add_argument(
        "--num-proc", type=whole_from(1), default=1, help="sessions side by side (default: 1)"
    )
    parser.add_argument(
        "--shard", metavar="I/N", type=_share, default=(1, 1), help="store the Ith of N shares"
    )
    parser.add_argument(
        "--num-threads", type=whole_from(1), help="of each process (default: the cores shared out)"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Store; 0 if all of the share is stored, 1 if not, 2 for a bad call."""
    from kolab_core.frames import FrameStoreError
    from kolab_core.release import ReleaseError
    from kolab_core.store import store_frames

    try:
        report = store_frames(
            arguments.out,
            config=arguments.config,
            data_dir=arguments.data_dir,
            num_frames=arguments.num_frames,
            size=arguments.size or None,
            format=arguments.format,
            quality=arguments.quality,
            num_proc=arguments.num_proc,
            shard=arguments.shard,
            num_threads=arguments.num_threads,
        )
    except (FrameStoreError, MemoryError, OSError, ReleaseError) as err:
        sys.stderr.write(f"{err}\n")
        return 1
    except ValueError as err:
        sys.stderr.write(f"--{str(err).replace('_', '-', 1)}\n")
        return 2
    there = report.num_sessions - report.num_stored
    sys.stdout.write(
        f"{report.num_stored} sessions stored in {report.path}, {there} were there: "
        f"{report.num_frames} frames of {report.num_rows} rows, {report.num_bytes / 1e6:.1f} MB.\n"
    )
    return 0


def _share(text: str) -> tuple[int, int]:
    number, _, count = text.partition("/")
    try:
        shard = int(number), int(count)
    except ValueError:
        shard = 0, 0
    if not 1 <= shard[0] <= shard[1]:
        raise argparse.ArgumentTypeError(f"found {text}; expected I/N, such as 1/4, I from 1 to N")
    return shard
