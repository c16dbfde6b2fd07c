"""Export the sample and read it where nothing of this project is installed.

    python scripts/export_check.py [RELEASE] [--datasets VERSION] [--keep DIR]

Makes the export, checks it as the viewer would, and then, in a new environment with stock
`datasets`, DuckDB and polars and an empty cache, loads and streams every config and compares each
value with the builder's rows. Last, clips of the export are decoded and compared here.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402 - after the path is set
from datasets import disable_progress_bars, load_dataset  # noqa: E402

import kolab  # noqa: E402
from kolab_core.commands.cli import main as kolab_command  # noqa: E402
from kolab_core.export import HubTarget  # noqa: E402
from kolab_core.export.hub import export_hub  # noqa: E402
from kolab_core.export.viewer.steps import plain_environment  # noqa: E402
from kolab_core.names.location import find_sample  # noqa: E402
from kolab_core.rows.experiments import CONFIG_NAMES  # noqa: E402
from scripts.environments import make_environment  # noqa: E402

__all__ = ["compare_clips", "expected_rows", "main"]

TARGET = HubTarget("kolab/kolab", "v0")
READER = ROOT / "scripts" / "export_reader.py"
PACKAGES = ("duckdb", "polars")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; 0 if everything agrees."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("release", nargs="?", default=str(find_sample()), metavar="RELEASE")
    parser.add_argument("--datasets", default="", metavar="VERSION", help="by default the newest")
    parser.add_argument("--keep", metavar="DIR", help="work there and keep it")
    options = parser.parse_args(arguments)
    disable_progress_bars()
    with tempfile.TemporaryDirectory(prefix="kolab-export-check-") as temporary:
        work = Path(options.keep or temporary).resolve()
        export = work / "kolab"
        release = Path(options.release).resolve()
        export_hub(release, TARGET, export, is_sample=release == find_sample().resolve())
        cache = str(work / "cache")
        (work / "expected.json").write_text(json.dumps(expected_rows(release, TARGET, cache)))
        codes = [
            kolab_command(["check-export", str(export)]),
            _read_elsewhere(work, options.datasets),
            compare_clips(release, export, cache),
        ]
    print("\nAll agree." if not any(codes) else "\nSomething differs: see above.")
    return max(codes)


def expected_rows(release: Path, target: HubTarget, cache: str) -> dict[str, list[dict[str, Any]]]:
    """What an export's files have to hold, from the rows that the builder makes of the release.

    Configs without rows are left out.
    """
    expected = {}
    for config in CONFIG_NAMES:
        rows = load_dataset("kolab", config, split="test", data_dir=str(release), cache_dir=cache)
        plain = kolab.without_clips(rows)
        expected[config] = [_as_exported(dict(row), config, target) for row in plain]
    return {config: rows for config, rows in expected.items() if rows}


def compare_clips(release: Path, export: Path, cache: str) -> int:
    """Decode one frame of every clip of the export and of the builder's row; 1 if any differs."""
    code = 0
    for config in CONFIG_NAMES:
        built = load_dataset("kolab", config, split="test", data_dir=str(release), cache_dir=cache)
        if "video" not in built.features:
            continue
        loaded = load_dataset(str(export), config, split="test", cache_dir=cache)
        pairs = list(zip(kolab.with_clips(loaded, root=export), built, strict=True))
        decoded = [pair for pair in pairs if pair[1]["has_video"] and pair[1]["video"].duration]
        same = all(ours["video"].intervals == row["video"].intervals for ours, row in pairs)
        for ours, row in decoded:
            images = [clip.sample(1, size=64).images for clip in (ours["video"], row["video"])]
            same = same and bool(np.array_equal(*images))
        print(f"clips of {config}: {len(decoded)} decoded, {'the same' if same else 'DIFFERENT'}")
        code = max(code, not same)
    return code


def _read_elsewhere(work: Path, version: str) -> int:
    stock = f"datasets=={version}" if version else "datasets"
    python = make_environment(work / "stock", sys.executable, [stock, *PACKAGES])
    empty = work / "empty"
    empty.mkdir()
    environment = plain_environment(str(work / "stock-cache"))
    print("\nWith nothing of this project installed:\n", flush=True)
    command = [str(python), "-I", str(READER), str(work / "kolab"), str(work / "expected.json")]
    code = subprocess.run(command, cwd=empty, env=environment, check=False).returncode
    print(flush=True)
    return code


def _as_exported(row: dict[str, Any], config: str, target: HubTarget) -> dict[str, Any]:
    """A builder's row with its video as the export holds it: pinned, and without bytes."""
    if "video" not in row:
        return row
    video = row["video"]
    path, intervals = video["path"], video["intervals"]
    if path is not None:
        path = target.recording(f"{row['session_id']}{Path(path).suffix.lower()}")
    if config != "sessions":
        return {**row, "video": {"path": path, "intervals": intervals}}
    cell = None if path is None else {"bytes": None, "path": path}
    return {**row, "video": cell, "video_intervals": intervals}


if __name__ == "__main__":
    sys.exit(main())
