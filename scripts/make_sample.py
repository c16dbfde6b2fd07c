"""Make the embedded sample, or a synthetic release of any size.

python scripts/make_sample.py                                   # paints sample/'s recordings again
python scripts/make_sample.py OUT --participants 50 --marginals paper --no-recordings
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from scripts.synthesis import make_release, make_sample  # noqa: E402 - after the path is set

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; 0 when the release is written, 2 on a wrong argument."""
    parser = _parser()
    options = parser.parse_args(arguments)
    only_sized = [
        name for name in ("seed", "minutes", "marginals") if getattr(options, name) is not None
    ]
    if options.participants is None and only_sized:
        names = ", ".join(f"--{name}" for name in only_sized)
        parser.error(f"{names}: found without --participants; expected both, or neither.")
    out = options.out if options.out is not None else ROOT / "sample"
    if options.out is None and options.participants is not None:
        parser.error("OUT: found nothing; expected a folder to write the release to.")
    try:
        if options.participants is None:
            folder = make_sample(out, recordings=options.recordings)
        else:
            folder = make_release(
                out,
                participants=options.participants,
                seed=options.seed or 0,
                marginals=options.marginals,
                recordings=options.recordings,
                minutes=options.minutes,
            )
    except (ValueError, OSError) as error:
        parser.error(str(error))
    _report(folder)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="make_sample.py", description="Make the sample, or a synthetic release of any size."
    )
    parser.add_argument("out", nargs="?", type=Path, help="the folder to write (default: sample/)")
    parser.add_argument("--participants", type=int, help="how many; without it, the sample's three")
    parser.add_argument("--marginals", choices=["paper"], help="match the published counts")
    parser.add_argument("--seed", type=int, help="of all choices (default: 0)")
    parser.add_argument("--minutes", type=float, help="mean length of a session")
    parser.add_argument(
        "--no-recordings", dest="recordings", action="store_false", help="metadata files only"
    )
    return parser


def _report(folder: Path) -> None:
    files = [path for path in folder.rglob("*") if path.is_file()]
    recordings = sorted(path for path in files if path.stem == "recording")
    for path in recordings[:12]:
        print(f"{path.relative_to(folder).as_posix():<40} {path.stat().st_size / 1e3:9.1f} kB")
    sessions = len(list((folder / "sessions").iterdir()))
    total = sum(path.stat().st_size for path in files)
    print(
        f"{folder}: {sessions} sessions, {len(recordings)} recordings, {len(files)} files, "
        f"{total / 1e6:.2f} MB"
    )


if __name__ == "__main__":
    sys.exit(main())
