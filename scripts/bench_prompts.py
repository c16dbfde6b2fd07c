"""Times rendering: the texts of 692 rows, and what pictures add to the sampler's own time.

Usage: python scripts/bench_prompts.py [--data-dir RELEASE] [--runs 7]

Texts: graph and chat of every row, read through `datasets`; without `--data-dir` of a synthetic
release of the paper's size (692 labelled AI outputs, no recordings). Pictures: 32 frames of a
14-minute window of a one-hour 1080p recording, which is made once (a few minutes) into `--folder`,
rendered and merely sampled by turns; the ratio is that of each pair. Below them the same of the
sample's first recording, of two minutes, where there is least to decode. Medians are shown. Exit
code 1 if the texts of `adoption_forecast` take 2 s or more, or pictures of the hour over 15 % more
than sampling.
"""

from __future__ import annotations

import argparse
import functools
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import datasets

import kolab
from kolab_core.names.location import find_sample
from kolab_core.release import open_release
from kolab_core.reports.tables import render_table
from kolab_core.rows.experiments import EXPERIMENTS
from scripts.clip_bench.media import HOURS, make_hour
from scripts.synthesis import make_release

MOST_SECONDS = 2.0
MOST_RATIO = 1.15
WINDOW = (1_000.0, 1_840.0)
_TEXTS = ("graph", "chat")


def main(argv: Sequence[str] | None = None) -> int:
    """Print both tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data-dir", type=Path, help="a release; by default one is made")
    parser.add_argument("--runs", type=int, default=7, help="runs of each measurement")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "kolab-bench")
    options = parser.parse_args(argv)
    warnings.simplefilter("ignore")
    datasets.disable_progress_bars()
    with tempfile.TemporaryDirectory() as name:
        root = options.data_dir or make_release(
            Path(name) / "release", participants=50, marginals="paper", recordings=False
        )
        seconds = bench_texts(root, Path(name) / "cache", runs=options.runs)
    ratio = bench_pictures(options.folder, runs=options.runs)
    is_good = seconds < MOST_SECONDS and ratio <= MOST_RATIO
    print(
        f"texts {seconds:.2f} s, under {MOST_SECONDS:.0f} s wanted; pictures {ratio:.2f} of the "
        f"sampler's time, at most {MOST_RATIO} wanted"
    )
    return int(not is_good)


def bench_texts(root: Path, cache: Path, *, runs: int) -> float:
    """Seconds for the texts of all rows of `adoption_forecast`; prints those of every config."""
    table, found = [], {}
    for config in EXPERIMENTS:
        rows = datasets.load_dataset(
            "kolab", config, split="test", data_dir=str(root), cache_dir=str(cache)
        )
        prompts = kolab.render_all(rows, _TEXTS, missing="skip")
        count = sum(1 for _ in prompts)
        reading = _median(runs, functools.partial(_go_through, rows))
        found[config] = _median(runs, functools.partial(_go_through, prompts))
        table.append([config, count, prompts.num_left_out, reading, found[config]])
    heads = ["config", "prompts", "rows left out", "reading alone s", "reading and rendering s"]
    print(render_table(heads, table, digits=2))
    return found["adoption_forecast"]


def bench_pictures(folder: Path, *, runs: int) -> float:
    """The median ratio of rendering with 32 frames to sampling them, of the hour; prints both."""
    sample = find_sample()
    first = open_release(sample).session_ids[0]
    clips = {
        "14 minutes of an hour": kolab.Clip(make_hour(HOURS[0], folder), [WINDOW]),
        "the sample, whole": kolab.Clip(sample / "sessions" / first / "recording.mp4"),
    }
    table = [[name, *_time_pictures(clip, runs=runs)] for name, clip in clips.items()]
    heads = ["32 frames of", "sampling s", "rendering s", "ratio"]
    print(render_table(heads, table, digits=3))
    return float(table[0][-1])


def _time_pictures(clip: kolab.Clip, *, runs: int) -> list[Any]:
    """Medians of the seconds of sampling and of rendering, and of the ratios of pairs."""
    row = {"video": clip, "step_name": "Draw", "occupation": "Architect", "goal": "A plan"}
    pairs = []
    for _ in range(runs + 1):
        sampling = _seconds(lambda: clip.sample(32, size=448))
        rendering = _seconds(lambda: kolab.render(row, ["video"], config="collab_rating"))
        pairs.append((sampling, rendering))
    del pairs[0]  # it warms the page cache
    ratio = statistics.median(rendering / sampling for sampling, rendering in pairs)
    return [*(statistics.median(times) for times in zip(*pairs, strict=True)), ratio]


def _go_through(items: Iterable[Any]) -> None:
    for _ in items:
        pass


def _median(runs: int, work: Callable[[], Any]) -> float:
    return statistics.median(_seconds(work) for _ in range(runs))


def _seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    sys.exit(main())
