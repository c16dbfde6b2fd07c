"""`make demo`: load all six experiments, decode frames, score the baselines, print the tables.

    python scripts/demo.py [DIR]

Without DIR it takes what `load_dataset("kolab", …)` takes: `KOLAB_DATA_DIR`, else the sample.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import datasets
import evaluate

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import kolab  # noqa: F401  # teaches datasets and evaluate the names
from kolab_core.names.location import SAMPLE_NOTE, resolve_data_dir
from kolab_core.reports.tables import render_table
from kolab_core.rows.experiments import CONFIG_NAMES, EXPERIMENTS
from scripts.synthesis.strip import StripError, read_strip

_FRAMES = 8
_BASELINE_SCORES = ("n", "macro_f1", "accuracy", "mae", "exact_accuracy", "within_1_accuracy")
_TOLERANCE_S = 0.0015  # the strip holds whole milliseconds


def main() -> int:
    """Print the tables; 1 if a frame came back that is not the one asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("release", nargs="?", metavar="DIR", help="a release's folder")
    location = resolve_data_dir(parser.parse_args().release)
    datasets.disable_progress_bars()
    if location.is_sample:
        print(SAMPLE_NOTE)
        warnings.filterwarnings("ignore", message="SAMPLE")  # said just now
    print(f"Release: {location.root}\n")
    data_dir = None if location.is_sample else str(location.root)
    rows = {config: load_rows(config, data_dir) for config in CONFIG_NAMES}
    print(render_table(["config", "rows", "clip hours", "labels or ratings"], summaries(rows)))
    frames, num_wrong = frame_lines(rows)
    print("\nOne frame of one row of each config, asked for in the middle of its clip; a synthetic")
    print(
        "recording paints its session and time into each frame, so the picture says what it is:\n"
    )
    heads = ["config", "row", "asked (s)", "frame (s)", "painted", "painted (s)", "size", ""]
    print(render_table(heads, frames))
    which = "SAMPLE" if location.is_sample else "the release"
    print(f"\nBaselines, from the references alone ({which}):\n")
    print(render_table(["config", "always answers", *_BASELINE_SCORES], baseline_lines(rows)))
    return 1 if num_wrong else 0


def load_rows(config: str, data_dir: str | None) -> datasets.Dataset:
    """All rows of a config."""
    return datasets.load_dataset("kolab", config, data_dir=data_dir, split="test")


def summaries(rows: dict[str, datasets.Dataset]) -> list[tuple[str, int, float | None, str]]:
    """A line a config: rows, hours of clip, how often each label or rating occurs."""
    lines = []
    for config, ds in rows.items():
        hours = None
        if "video" in ds.column_names:
            hours = sum(clip.duration for clip in ds["video"]) / 3600
        lines.append((config, len(ds), hours, _count_answers(ds)))
    return lines


def frame_lines(rows: dict[str, datasets.Dataset]) -> tuple[list[tuple[Any, ...]], int]:
    """For one row of each config with a recording, the frame in the middle of its clip.

    Returns:
        The lines, and how many frames are not the ones asked for.
    """
    lines: list[tuple[Any, ...]] = []
    num_wrong = 0
    for config, ds in rows.items():
        if "video" not in ds.column_names:
            continue
        with_video = [i for i, has in enumerate(ds["has_video"]) if has]
        if not with_video:
            continue
        row = ds[with_video[len(with_video) // 2]]
        clip = row["video"]
        name = row.get("id", row["session_id"])
        start, end = clip.intervals[len(clip.intervals) // 2]
        asked = round((start + end) / 2, 3)
        shown = clip.at([asked])
        sampled = clip.sample(_FRAMES, size=224)
        size = f"{shown.images.shape[2]}x{shown.images.shape[1]}"
        try:
            read = read_strip(shown.images[0])
        except StripError:
            lines.append((config, name, asked, float(shown.times[0]), "", None, size, "no strip"))
            continue
        right = read.session_id == row["session_id"] and _is_shown(
            read.seconds, shown.times[0], asked
        )
        right &= all(
            abs(read_strip(image).seconds - time) <= _TOLERANCE_S
            for image, time in zip(sampled.images, sampled.times, strict=True)
        )
        num_wrong += not right
        verdict = f"right, so are {_FRAMES} sampled" if right else "WRONG"
        lines.append(
            (
                config,
                name,
                asked,
                float(shown.times[0]),
                read.session_id,
                read.seconds,
                size,
                verdict,
            )
        )
    return lines, num_wrong


def baseline_lines(rows: dict[str, datasets.Dataset]) -> list[tuple[Any, ...]]:
    """What always answering the commonest label, or the commonest rating, scores."""
    baseline = evaluate.load("kolab_baseline")
    lines = []
    for config in EXPERIMENTS:
        ds = rows[config]
        if not len(ds):
            continue
        column = "label" if "label" in ds.column_names else "rating"
        kind = "adoption" if column == "label" else "rating"
        result = baseline.compute(references=ds[column][:], kind=kind)
        answer = result.get("majority_class", result.get("mode_rating"))
        lines.append((config, str(answer), *(result.get(score) for score in _BASELINE_SCORES)))
    return lines


def _is_shown(painted: float, frame_time: float, asked: float) -> bool:
    return abs(painted - frame_time) <= _TOLERANCE_S and frame_time <= asked + _TOLERANCE_S


def _count_answers(ds: datasets.Dataset) -> str:
    if "label" in ds.column_names:
        names = ds.features["label"].names
        counts = Counter(ds["label"])
        return ", ".join(f"{name} {counts[i]}" for i, name in enumerate(names))
    if "rating" in ds.column_names:
        counts = Counter(ds["rating"])
        return ", ".join(f"{rating}: {counts[rating]}" for rating in sorted(counts))
    return ""


if __name__ == "__main__":
    sys.exit(main())
