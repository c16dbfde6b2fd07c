"""Times sampling frames of one-hour 1080p recordings against other samplers and its own bound.

Usage: python scripts/bench_clip.py [--runs 9] [--frames 8 32 128] [--only x264_default ...]

The recordings are made once (a few minutes each) into `--folder`; nothing is installed:
torchcodec, decord and OpenCV take part where they can be imported (`pip install -e '.[bench]'`
brings torch 2.13.0 and torchcodec 0.13.0). Each sampler is a process of its own that opens the
file anew for every run, the page cache warm; runs go by turns, and medians are shown. Of
torchcodec's settings ({exact, approximate} x {1, 2 threads} x {its Resize, native size}) the two
whose fastest of three runs was best go on, of those that give the right frames; which do not is
printed. Peak memory is that of a fresh process at 32 frames.

The window is 14 minutes long. `bound` decodes the very packets that Kolab chooses, with as many
decoders, and does nothing else. `rows` are those that all experiments have of a session of the
sample, stretched to an hour, sampled together by Kolab and one by one by torchcodec;
`linear pass` decodes every packet of the groups of pictures that they need. `keyframes` are
previews (`exact=False`). Last, how far Kolab's resize filter is from torch's antialiased one.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kolab_core.names.location import find_sample
from kolab_core.release import open_release, read_session
from kolab_core.reports.tables import render_table
from kolab_core.rows.experiments import EXPERIMENTS, build_rows
from kolab_core.sampling import RESIZE_FILTER, centre_times, sample_times
from scripts.clip_bench.contenders import KOLAB, peers
from scripts.clip_bench.media import HOURS, make_hour

__all__ = ["WINDOW", "Samplers", "main", "session_clips"]

WINDOW = (1_000.0, 1_840.0)
SIZE = 448
ROWS_SESSION, HOUR_S = "P02_S1", 3_600.0
BARS = {"x264_default": 2.5, "variable_rate": 2.5, "two_second_groups": 1.7, "vp9": 1.6}
ROWS_BARS = {"x264_default": 3.0}


class Samplers:
    """Worker processes, one a sampler, kept while their file is measured.

    Args:
        path: the recording.
        python: the interpreter that runs them.
    """

    def __init__(self, path: Path, python: str = sys.executable) -> None:
        self._path, self._python = path, python
        self._running: dict[str, subprocess.Popen[str]] = {}

    def __enter__(self) -> Samplers:
        return self

    def __exit__(self, *error: object) -> None:
        for process in self._running.values():
            self._end(process)

    def ask(self, name: str, times: Sequence[Any], *, is_fresh: bool = False) -> dict[str, Any]:
        """One run: seconds, cpu, peak_mb, or the error."""
        process = None if is_fresh else self._running.get(name)
        if process is None:
            process = subprocess.Popen(
                [self._python, "-m", "scripts.clip_bench.contenders"],
                cwd=Path(__file__).parents[1],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            if not is_fresh:
                self._running[name] = process
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("a worker process without pipes")
        request = {"name": name, "path": str(self._path), "times": times, "size": SIZE}
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
        if not line:
            self._running.pop(name, None)
        if is_fresh:
            self._end(process)
        answer: dict[str, Any] = json.loads(line) if line else {"error": "the process died"}
        return answer

    @staticmethod
    def _end(process: subprocess.Popen[str]) -> None:
        if process.stdin is not None:
            process.stdin.close()
        process.wait()


class Table:
    """Medians of one file, collected run by run."""

    def __init__(self) -> None:
        self.rows: list[list[object]] = []
        self.failed: list[str] = []

    def show(self, verdicts: Sequence[str]) -> None:
        """Prints what was measured since the last time, what failed, and the verdicts."""
        print(render_table(["job", "sampler", "median s", "fastest s", "CPU s"], self.rows))
        print("\n".join([*verdicts, *sorted(set(self.failed))]), flush=True)
        self.rows, self.failed = [], []

    def measure(
        self, samplers: Samplers, label: str, jobs: dict[str, list[Any]], *, runs: int
    ) -> dict[str, float]:
        """Runs the jobs by turns; their median seconds by name."""
        answers: dict[str, list[dict[str, Any]]] = {name: [] for name in jobs}
        for _ in range(runs):
            for name, times in jobs.items():
                answer = samplers.ask(name, times)
                if "error" in answer:
                    self.failed.append(f"{label}, {name}: {answer['error']}")
                else:
                    answers[name].append(answer)
        medians = {}
        for name, given in answers.items():
            if not given:
                continue
            seconds = [answer["seconds"] for answer in given]
            medians[name] = statistics.median(seconds)
            cpu = statistics.median(answer["cpu"] for answer in given)
            self.rows.append([label, name, medians[name], min(seconds), cpu])
        return medians


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the benchmark; exit status 0, whatever the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=9, help="at 32 frames; others: a third")
    parser.add_argument("--frames", type=int, nargs="+", default=[8, 32, 128])
    parser.add_argument("--only", nargs="+", default=[hour.name for hour in HOURS])
    parser.add_argument(
        "--no-rows", action="store_true", help="leave out the rows of a session (minutes)"
    )
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "kolab-bench")
    arguments = parser.parse_args(argv)
    for hour in HOURS:
        if hour.name in arguments.only:
            print(f"\n{hour.name}: making it unless it is there", flush=True)
            path = make_hour(hour, arguments.folder)
            path.read_bytes()  # into the page cache
            has_rows = not arguments.no_rows
            _measure_file(
                hour.name, path, runs=arguments.runs, frames=arguments.frames, has_rows=has_rows
            )
    return 0


def _measure_file(
    name: str, path: Path, *, runs: int, frames: Sequence[int], has_rows: bool
) -> None:
    table = Table()
    verdicts: list[str] = []
    with Samplers(path) as samplers:
        others = _fastest(samplers, list(centre_times([WINDOW], 32)))
        for count in frames:
            times = [list(centre_times([WINDOW], count))]
            jobs = {KOLAB: times, "bound": times, **dict.fromkeys(others, times)}
            if count == 32:
                jobs["kolab keyframes"] = times
            part = runs if count == 32 else max(1, runs // 3)
            medians = table.measure(samplers, f"{count} frames", jobs, runs=part)
            if count == 32:
                verdicts += _judge_window(name, medians)
        # The rows' peer is the fastest by what was measured last.
        others.sort(key=lambda one: medians.get(one, float("inf")))
        for one in (KOLAB, *others):
            answer = samplers.ask(one, [list(centre_times([WINDOW], 32))], is_fresh=True)
            peak = answer.get("peak_mb", float("nan"))
            verdicts.append(f"peak memory, 32 frames, {one}: {peak:.0f} MiB")
        table.show([*verdicts, *_resize_difference(path)])
        if has_rows:
            table.show(_judge_rows(name, table, samplers, others, runs=max(1, runs // 3)))


def _fastest(samplers: Samplers, times: list[float]) -> list[str]:
    """Of torchcodec's right settings the two fastest in three runs after a warm-up; all others."""
    right = samplers.ask(KOLAB, [times])["frame_times"]
    seconds: dict[str, float] = {}
    for name in peers():
        samplers.ask(name, [times[:1]])
        # The fastest of three: one run may be disturbed.
        answers = [samplers.ask(name, [times]) for _ in range(3)]
        answer = min(answers, key=lambda one: one.get("seconds", float("inf")))
        came = answer.get("frame_times")
        num_wrong = int((np.abs(np.subtract(came, right)) > 1e-6).sum()) if came else 0
        fault = answer.get("error") or (f"{num_wrong} wrong frames" if num_wrong else "")
        print(f"{name}: {answer.get('seconds', float('nan')):.2f} s", fault, flush=True)
        if not fault:
            seconds[name] = answer["seconds"]
    settings = [one for one in seconds if one.startswith("torchcodec")]
    settings.sort(key=lambda one: seconds[one])
    return settings[:2] + [one for one in seconds if one in ("decord", "opencv")]


def _best_torchcodec(medians: dict[str, float]) -> float | None:
    found = [took for name, took in medians.items() if name.startswith("torchcodec")]
    return min(found) if found else None


def _judge_window(name: str, medians: dict[str, float]) -> list[str]:
    ours, previews = medians[KOLAB], medians["kolab keyframes"]
    lines = [
        f"bound: {ours / medians['bound']:.2f} times it (bar: at most 1.15)",
        f"keyframes: {ours / previews:.1f} times faster than exact sampling (bar on x264: 5)",
    ]
    peer = _best_torchcodec(medians)
    if peer is not None:
        lines += [
            f"torchcodec's best / ours: {peer / ours:.2f} (bar: {BARS[name]})",
            f"torchcodec's best / keyframes: {peer / previews:.1f} (bar on x264: 10)",
        ]
    return lines


def _judge_rows(
    name: str, table: Table, samplers: Samplers, others: Sequence[str], *, runs: int
) -> list[str]:
    clips = session_clips()
    each = [list(centre_times(clip, 32)) for clip in clips]
    merged = [sorted({time for times in each for time in times})]
    jobs: dict[str, list[Any]] = {"kolab rows": [clips], "linear pass": merged}
    settings = [one for one in others if one.startswith("torchcodec")][:1]
    jobs |= dict.fromkeys(settings, each)
    medians = table.measure(samplers, f"{len(clips)} rows", jobs, runs=runs)
    ours = medians["kolab rows"]
    minutes = sum(end - start for clip in clips for start, end in clip) / 60 / len(clips)
    lines = [
        f"rows: {len(clips)} of {minutes:.1f} minutes on average",
        f"rows: {ours / medians['linear pass']:.2f} times one linear pass (bar: 1.3)",
    ]
    peer = _best_torchcodec(medians)
    if peer is not None:
        lines.append(
            f"rows, torchcodec / ours: {peer / ours:.1f} (bar: {ROWS_BARS.get(name, 2.0)})"
        )
    return lines


def session_clips() -> list[list[tuple[float, float]]]:
    """The intervals of a session's rows in all experiments, as if it had lasted an hour."""
    session = read_session(open_release(find_sample()), ROWS_SESSION)
    rows = [row for config in EXPERIMENTS for row in build_rows(session, config)]
    clips = [[(i["start"], i["end"]) for i in row["video"]["intervals"]] for row in rows]
    stretch = HOUR_S / max(clip[-1][1] for clip in clips)
    return [[(start * stretch, end * stretch) for start, end in clip] for clip in clips]


def _resize_difference(path: Path) -> list[str]:
    """How far our frames are from torch's antialiased bilinear resize of the native frames."""
    try:
        import torch
        from torch.nn.functional import interpolate
    except ImportError:
        return []
    times = centre_times([WINDOW], 4)
    ours = sample_times(path, times, size=SIZE).images
    native = torch.from_numpy(sample_times(path, times).images).permute(0, 3, 1, 2).float()
    theirs = interpolate(native, size=ours.shape[1:3], mode="bilinear", antialias=True)
    theirs = theirs.round().clamp(0, 255).permute(0, 2, 3, 1).numpy()
    difference = np.abs(ours.astype(np.float64) - theirs)
    noise = 10 * np.log10(255**2 / np.mean(difference**2))
    return [
        f"resize: swscale's {RESIZE_FILTER} against torch's antialiased bilinear: mean difference "
        f"{difference.mean():.2f}, 99.9 % below {np.quantile(difference, 0.999):.0f}, of 255; "
        f"PSNR {noise:.1f} dB"
    ]


if __name__ == "__main__":
    sys.exit(main())
