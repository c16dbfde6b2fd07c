"""Times a store of frames against decoding, bare JPEG decoding, and the many-clips reader.

Usage: python scripts/bench_store.py [--runs 5] [--recording x264_default] [--formats jpeg]
                                      [--config adoption_forecast]

A synthetic release of hour-long sessions gets one of the recordings of bench_clip.py (made once,
into `--folder`) in place of each session's own, and is stored. All that is compared is measured by
turns in the same run, the page cache warm; medians are shown, and what they are divided by.

- `row`: 32 frames of a row, 448 pixels high, from the store; decoded by `clip.sample`; and, where
  torchcodec can be imported (`pip install -e '.[bench]'`), by its settings that were fastest.
- `loader`: all rows of a session through torch's DataLoader with 2 workers, against one that only
  decodes the same JPEG files from memory with Pillow, into the same arrays.
- `writing`: storing a session, against `sample_clips` of the same clips and nothing else.
- `memory`: the peak of a fresh process that stores one session, and of one that stores all four.
- `size`: bytes of a row and of a frame, by format.
"""

from __future__ import annotations

import argparse
import io
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from PIL import Image

import kolab
from kolab_core.frames import FORMATS, QUALITY, ImageKind, StoreOptions, open_store
from kolab_core.release import open_release
from kolab_core.reports.tables import render_table
from kolab_core.rows.experiments import EXPERIMENTS, session_rows
from kolab_core.sampling import centre_times, sample_clips
from kolab_core.store import StoreJob, open_job
from scripts.bench_clip import Samplers
from scripts.clip_bench.contenders import peers
from scripts.clip_bench.media import HOURS, make_hour
from scripts.make_sample import main as make_release

__all__ = ["main"]

SIZE, NUM_FRAMES = 448, 32
BARS = {"row, torchcodec": 100.0, "loader": 1.25, "writing": 1.3}


@dataclass(frozen=True)
class _Session:
    """A session of a release, and the configs whose rows are looked at."""

    root: Path
    id: str
    configs: tuple[str, ...]

    def clips(self) -> list[dict[str, Any]]:
        """Of all rows, in the order of a store's table of rows."""
        release = open_release(self.root)
        return [
            row["video"]
            for config in self.configs
            for row in session_rows(release, self.id, config)
        ]

    def job(self, out: Path, kind: ImageKind) -> StoreJob:
        """A store of its rows."""
        options = StoreOptions(self.configs, NUM_FRAMES, SIZE, kind, QUALITY[kind])
        return open_job(self.root, out, options)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark; exit status 0, whatever the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=5, help="of rows; writing takes a third")
    parser.add_argument("--recording", default=HOURS[0].name, choices=[h.name for h in HOURS])
    parser.add_argument("--formats", nargs="+", default=["jpeg"], choices=FORMATS)
    parser.add_argument("--config", nargs="+", default=list(EXPERIMENTS), choices=EXPERIMENTS)
    parser.add_argument("--no-memory", action="store_true", help="leave out the peaks (minutes)")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "kolab-bench")
    arguments = parser.parse_args(argv)
    warnings.simplefilter("ignore")
    hour = next(hour for hour in HOURS if hour.name == arguments.recording)
    recording = make_hour(hour, arguments.folder)
    recording.read_bytes()  # into the page cache
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        folder = Path(name)
        root = _make_release(folder / "release", recording)
        print(f"{hour.name}, {os.cpu_count()} cores", flush=True)
        session = _Session(root, open_release(root).session_ids[0], tuple(arguments.config))
        _bench_writing(session, folder, arguments.formats, runs=max(1, arguments.runs // 3))
        store = folder / arguments.formats[0]
        _bench_row(session, store, recording, runs=arguments.runs)
        _bench_loader(session, store, runs=arguments.runs)
        if not arguments.no_memory:
            _bench_memory(root, folder)
    return 0


def _make_release(root: Path, recording: Path) -> Path:
    """Four sessions of about an hour, each with the same recording."""
    make_release([str(root), "--participants", "2", "--minutes", "45", "--no-recordings"])
    for session in sorted((root / "sessions").iterdir()):
        os.link(recording, session / f"recording{recording.suffix}")
    return root


def _bench_writing(
    session: _Session, folder: Path, formats: Sequence[ImageKind], *, runs: int
) -> None:
    clips = session.clips()
    unique = list({str(clip["intervals"]): clip for clip in clips}.values())
    stores: list[Path] = []

    def store(kind: ImageKind) -> None:
        stores.append(folder / (kind if not (folder / kind).exists() else f"again{len(stores)}"))
        found = session.job(stores[-1], kind).store(session.id)
        assert found is not None
        sizes[kind] = [kind, found.num_bytes / found.num_rows / 1e6]
        sizes[kind].append(found.num_bytes / found.num_frames / 1e3)
        sizes[kind].append(found.num_rows * NUM_FRAMES / found.num_frames)

    sizes: dict[str, list[Any]] = {}
    jobs: dict[str, Callable[[], object]] = {
        "many-clips reader": lambda: sample_clips(unique, size=SIZE, progress=False)
    }
    for kind in formats:
        jobs[f"store {kind}"] = lambda kind=kind: store(kind)  # type: ignore[misc]  # a default
    medians = _measure(f"writing, {len(clips)} rows", jobs, runs=runs)
    for kind in formats:
        _judge("writing", medians[f"store {kind}"] / medians["many-clips reader"], kind)
    print(render_table(["format", "MB a row", "kB a frame", "times shown"], list(sizes.values())))


def _bench_row(session: _Session, store: Path, recording: Path, *, runs: int) -> None:
    plain = [kolab.Clip(**clip) for clip in session.clips()]
    long = sorted(plain, key=lambda clip: clip.duration)[len(plain) // 2]
    stored = long.stored_in(open_store(str(store)), strict=True)
    times = list(centre_times(long.intervals, NUM_FRAMES))
    with Samplers(recording) as samplers:
        settings = _fastest(samplers, times)
        seconds: dict[str, list[float]] = {}
        for _ in range(runs):
            for name, sample in {
                "store": lambda: stored.sample(NUM_FRAMES, size=SIZE),
                "store, 1 thread": lambda: stored.sample(NUM_FRAMES, size=SIZE, num_threads=1),
                "clip.sample": lambda: long.sample(NUM_FRAMES, size=SIZE),
            }.items():
                seconds.setdefault(name, []).append(_seconds(sample))
            for name in settings:
                seconds.setdefault(name, []).append(samplers.ask(name, [times])["seconds"])
    medians = _show(f"row of {long.duration / 60:.1f} minutes", seconds)
    _judge("row, clip.sample", medians["clip.sample"] / medians["store"])
    if settings:
        best = min(medians[name] for name in settings)
        _judge("row, torchcodec", best / medians["store"])


def _fastest(samplers: Samplers, times: list[float]) -> list[str]:
    """The two of torchcodec's settings that were fastest once; none where it is not."""
    seconds = {}
    for name in peers():
        if name.startswith("torchcodec"):
            samplers.ask(name, [times[:1]])
            seconds[name] = samplers.ask(name, [times]).get("seconds", float("inf"))
    return sorted(seconds, key=lambda name: seconds[name])[:2]


def _bench_loader(session: _Session, store: Path, *, runs: int) -> None:
    try:
        from torch.utils.data import DataLoader
    except ImportError:
        print("loader: torch cannot be imported")
        return
    reader = open_store(str(store))
    clips = [kolab.Clip(**clip).stored_in(reader) for clip in session.clips()]
    pictures = _read_pictures(store, session.id)
    assert len(pictures) == len(clips)

    class Stored:
        def __len__(self) -> int:
            return len(clips)

        def __getitem__(self, index: int) -> Any:
            frames = clips[index].sample(NUM_FRAMES, size=SIZE)
            return frames.images, frames.times

    class Bare:
        def __len__(self) -> int:
            return len(pictures)

        def __getitem__(self, index: int) -> Any:
            files = pictures[index]
            images = np.stack([np.asarray(Image.open(io.BytesIO(data))) for data in files])
            return images, np.zeros(len(files))

    def run(rows: Any) -> Callable[[], object]:
        loader = DataLoader(rows, batch_size=1, num_workers=2)
        return lambda: [batch[0].shape for batch in loader]

    jobs = {"store": run(Stored()), "bare JPEG": run(Bare())}
    medians = _measure(f"loader, {len(clips)} rows", jobs, runs=runs)
    _judge("loader", medians["store"] / medians["bare JPEG"])
    print(f"loader: {len(clips) / medians['store']:.1f} rows a second")


def _read_pictures(store: Path, session_id: str) -> list[list[bytes]]:
    """The picture files of each row, in the order of the table of rows."""
    images = pq.read_table(store / "frames" / f"{session_id}.parquet")["image"].to_pylist()
    rows = pq.read_table(store / "rows" / f"{session_id}.parquet")["frames"].to_pylist()
    return [[images[frame]["bytes"] for frame in row] for row in rows]


def _bench_memory(root: Path, folder: Path) -> None:
    code = (
        "import resource, sys; from kolab_core.commands.cli import main; main(sys.argv[1:]); "
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"
    )
    call = [sys.executable, "-W", "ignore", "-c", code, "frames", "--data-dir", str(root)]
    rows = []
    for name, share in (("1 session", "1/4"), ("4 sessions", "1/1")):
        out = ["--out", str(folder / name), "--shard", share, "--config", "adoption_forecast"]
        said = subprocess.run([*call, *out], check=True, capture_output=True, text=True).stdout
        rows.append([name, float(said.split()[-1])])
    print(render_table(["stored", "peak memory, MiB"], rows), flush=True)


def _seconds(job: Callable[[], object]) -> float:
    start = time.perf_counter()
    job()
    return time.perf_counter() - start


def _measure(label: str, jobs: dict[str, Callable[[], object]], *, runs: int) -> dict[str, float]:
    """Run the jobs by turns; their median seconds."""
    seconds: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(runs):
        for name, job in jobs.items():
            seconds[name].append(_seconds(job))
    return _show(label, seconds)


def _show(label: str, seconds: dict[str, list[float]]) -> dict[str, float]:
    medians = {name: statistics.median(values) for name, values in seconds.items()}
    rows = [[label, name, medians[name], min(values)] for name, values in seconds.items()]
    print(render_table(["job", "by", "median s", "fastest s"], rows), flush=True)
    return medians


def _judge(name: str, ratio: float, of: str = "") -> None:
    bar = f" (bar: {BARS[name]})" if name in BARS else ""
    print(f"{name}{f', {of}' if of else ''}: {ratio:.2f} times{bar}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
