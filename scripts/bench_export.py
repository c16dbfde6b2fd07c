"""Time the export of 100 sessions' tables, and a first page from parquet beside JSON lines.

    python scripts/bench_export.py [--participants 50] [--rounds 5]

The release is synthetic, with the paper's counts and without recordings. Parquet and JSON lines
hold the same rows in the same order; each round takes all ways in turn, and medians are printed. A
page is 100 rows as Python values, read from the file's place in them as the viewer does.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

import datasets  # noqa: E402 - after the path is set
import pyarrow.parquet as pq  # noqa: E402

from kolab_core.export import HubTarget, data_file, write_tables  # noqa: E402
from kolab_core.export.hub import export_hub  # noqa: E402
from kolab_core.release import open_release  # noqa: E402
from kolab_core.reports.tables import render_table  # noqa: E402
from scripts.synthesis import make_release  # noqa: E402

__all__ = ["main"]

TARGET = HubTarget("kolab/kolab", "v0")
CONFIGS = ("adoption_forecast", "workflow_level", "sessions")
PAGE_ROWS = 100

Rows = list[dict[str, Any]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--participants", type=int, default=50, metavar="N", help="two sessions each"
    )
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="of each measurement")
    options = parser.parse_args(arguments)
    datasets.disable_progress_bars()
    with tempfile.TemporaryDirectory(prefix="kolab-bench-export-") as temporary:
        work = Path(temporary)
        marginals: Any = "paper" if options.participants == 50 else None
        release = make_release(
            work / "release",
            participants=options.participants,
            marginals=marginals,
            recordings=False,
        )
        _time_export(release, work, options.rounds)
        for config in CONFIGS:
            _time_pages(work / "kolab", work, config, options.rounds)
    return 0


def _time_export(release: Path, work: Path, rounds: int) -> None:
    opened = open_release(release)

    def tables(index: int) -> None:
        write_tables(opened, TARGET, {}, work / f"tables-{index}")

    def whole(index: int) -> None:
        export_hub(release, TARGET, work / "kolab")

    seconds = _medians({"tables": tables, "tables, card, croissant.json": whole}, rounds)
    sizes = {"release": release, "tables": work / "tables-0", "export": work / "kolab"}
    print(f"{len(opened.session_ids)} sessions without recordings, medians of {rounds}:\n")
    print(render_table(["written", "seconds"], [(k, f"{v:.2f}") for k, v in seconds.items()]))
    rows = [(name, f"{_size(path) / 1e6:.2f}") for name, path in sizes.items()]
    print("\n" + render_table(["on disk", "MB"], rows))


def _time_pages(export: Path, work: Path, config: str, rounds: int) -> None:
    parquet, lines = export / data_file(config), work / f"{config}.jsonl"
    all_rows = pq.read_table(parquet).to_pylist()
    with lines.open("w", encoding="utf-8") as file:
        file.writelines(f"{json.dumps(row, ensure_ascii=False)}\n" for row in all_rows)
    last = max(0, (len(all_rows) - 1) // PAGE_ROWS * PAGE_ROWS)
    print(
        f"\n{config}: {len(all_rows)} rows, parquet {parquet.stat().st_size / 1e6:.2f} MB, "
        f"JSON lines {lines.stat().st_size / 1e6:.2f} MB\n"
    )
    names = ["session_id", "has_video"]
    ways: list[tuple[str, Callable[[], Rows], Callable[[], Rows]]] = [
        # The viewer reads parquet by its index, and streams anything else through `datasets`.
        (
            "as the viewer serves each",
            partial(_page, parquet, 0),
            partial(_streamed, "json", lines),
        ),
        (
            "streamed by datasets",
            partial(_streamed, "parquet", parquet),
            partial(_streamed, "json", lines),
        ),
        ("by pyarrow and json", partial(_page, parquet, 0), partial(_page_of_lines, lines, 0)),
        (
            "the same, last page",
            partial(_page, parquet, last),
            partial(_page_of_lines, lines, last),
        ),
        (
            "the same, 2 columns",
            partial(_page, parquet, 0, names),
            partial(_page_of_lines, lines, 0, names),
        ),
    ]
    table = []
    for what, ours, theirs in ways:
        if _plain(ours()) != _plain(theirs()):
            raise ValueError(f"{config}, {what}: found different rows; expected the same.")
        seconds = _medians({"parquet": _ignoring(ours), "lines": _ignoring(theirs)}, rounds)
        fast, slow = seconds["parquet"], seconds["lines"]
        table.append((what, f"{fast * 1e3:.1f}", f"{slow * 1e3:.1f}", f"{slow / fast:.2f}"))
    print(render_table(["first page", "parquet, ms", "JSON lines, ms", "ratio"], table))


def _page(path: Path, first: int, columns: Sequence[str] | None = None) -> Rows:
    """The rows from `first` on, of the row groups that hold them."""
    file = pq.ParquetFile(path)
    groups, skipped = [], 0
    start = 0
    for index in range(file.metadata.num_row_groups):
        end = start + file.metadata.row_group(index).num_rows
        if end > first and start < first + PAGE_ROWS:
            groups.append(index)
        elif end <= first:
            skipped = end
        start = end
    table = file.read_row_groups(groups, columns=columns)
    rows: Rows = table.slice(first - skipped, PAGE_ROWS).to_pylist()
    return rows


def _page_of_lines(path: Path, first: int, columns: Sequence[str] | None = None) -> Rows:
    with path.open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in islice(file, first, first + PAGE_ROWS)]
    return rows if columns is None else [{name: row[name] for name in columns} for row in rows]


def _streamed(kind: str, path: Path) -> Rows:
    rows = datasets.load_dataset(kind, data_files=str(path), split="train", streaming=True)
    if rows.features and isinstance(rows.features.get("video"), datasets.Video):
        rows = rows.cast_column("video", datasets.Video(decode=False))
    return list(rows.take(PAGE_ROWS))


def _plain(rows: Rows) -> str:
    return json.dumps(rows, sort_keys=True)


def _ignoring(read: Callable[[], Rows]) -> Callable[[int], None]:
    def run(_: int) -> None:
        read()

    return run


def _medians(ways: Mapping[str, Callable[[int], None]], rounds: int) -> dict[str, float]:
    """Seconds of each way, the ways taken in turn."""
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for index in range(rounds):
        for name, run in ways.items():
            start = time.perf_counter()
            run(index)
            seconds[name].append(time.perf_counter() - start)
    return {name: statistics.median(values) for name, values in seconds.items()}


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


if __name__ == "__main__":
    sys.exit(main())
