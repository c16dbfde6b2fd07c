"""The samplers that are compared; each opens its file anew and gives frames for given times.

Run as a module it is a worker: it reads one request a line (JSON) on stdin and answers with
seconds, CPU seconds, the process's peak memory and, where a sampler says so, the times of the
frames that came last; or with the error.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import resource
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from kolab_core.sampling import sample_clips, sample_times
from kolab_core.sampling.recording import open_recording
from kolab_core.sampling.runs import Run, RunDecoder
from kolab_core.sampling.threads import num_workers
from kolab_core.sampling.walk import Walk

__all__ = ["KOLAB", "TORCHCODEC", "peers"]

KOLAB = "kolab"
TORCHCODEC = tuple(
    f"torchcodec {mode} {threads} {resize}"
    for mode, threads, resize in product(("exact", "approximate"), (1, 2), ("resize", "native"))
)
_MODULES = {"torchcodec": "torchcodec", "decord": "decord", "opencv": "cv2"}

Sampler = Callable[[str, Sequence[float], int], Callable[[], object]]


def peers() -> tuple[str, ...]:
    """The other samplers that can be imported here."""
    found = [n for n, module in _MODULES.items() if importlib.util.find_spec(module) is not None]
    return tuple(name for name in (*TORCHCODEC, "decord", "opencv") if name.split(" ")[0] in found)


def _kolab(
    path: str, times: Sequence[float], size: int, *, exact: bool = True
) -> Callable[[], object]:
    return lambda: sample_times(path, times, size=size, exact=exact)


class _Collected(RunDecoder):
    """Keeps the runs instead of decoding them."""

    def __init__(self, stream: Any) -> None:
        super().__init__(stream, workers=1, deliver=lambda pts, frame: None)
        self.runs: list[Run] = []

    def start(self) -> Run:
        run = Run()
        run.chunks.maxsize = 0
        self.runs.append(run)
        return run


def _bound(
    path: str, times: Sequence[float], size: int, *, skips: bool = True
) -> Callable[[], object]:
    """Decoding the packets that sampling chooses, as many decoders at a time, and no more.

    Without `skips` all packets of their groups of pictures are decoded, up to the last target.
    """
    with open_recording(path, time=0.0) as recording:
        limits = sorted({max(recording.last_tick(t), recording.first_pts) for t in times})
        collected = _Collected(recording.stream)
        Walk(recording, decoder=collected, limits=limits, slots={}).choose()
    keep = recording

    def decode() -> None:
        with RunDecoder(
            keep.stream, workers=num_workers(None), deliver=lambda pts, frame: None
        ) as decoder:
            if not skips:
                decoder.can_skip = False
            for run in collected.runs:
                started = decoder.start()
                for steps in list(run.chunks.queue):
                    started.put(steps or [])
                started.chunks.put(None)
            decoder.finish()

    return decode


def _torchcodec(
    path: str, times: Sequence[float], size: int, *, setting: str
) -> Callable[[], object]:
    decoders = importlib.import_module("torchcodec.decoders")
    transforms = importlib.import_module("torchcodec.transforms")
    _, mode, threads, resize = setting.split(" ")
    short, long = size, 2 * round(size * 1920 / 1080 / 2)

    def decode() -> object:
        resized = [transforms.Resize((short, long))] if resize == "resize" else None
        decoder = decoders.VideoDecoder(
            path, seek_mode=mode, num_ffmpeg_threads=int(threads), transforms=resized
        )
        return decoder.get_frames_played_at(seconds=list(times))

    return decode


def _decord(path: str, times: Sequence[float], size: int) -> Callable[[], object]:
    decord = importlib.import_module("decord")

    def decode() -> object:
        reader = decord.VideoReader(path, width=2 * round(size * 8 / 9), height=size)
        rate = reader.get_avg_fps()
        return reader.get_batch([min(int(t * rate), len(reader) - 1) for t in times])

    return decode


def _opencv(path: str, times: Sequence[float], size: int) -> Callable[[], object]:
    cv2 = importlib.import_module("cv2")

    def decode() -> object:
        reader = cv2.VideoCapture(path)
        frames = []
        for t in sorted(times):
            reader.set(cv2.CAP_PROP_POS_MSEC, t * 1000)
            frames.append(cv2.resize(reader.read()[1], (2 * round(size * 8 / 9), size)))
        return frames

    return decode


def _rows(path: str, clips: Sequence[Any], size: int) -> Callable[[], object]:
    rows = [{"path": path, "intervals": intervals} for intervals in clips]
    return lambda: sample_clips(rows, size=size, progress=False)


def _sampler(name: str) -> Sampler:
    if name.startswith("torchcodec"):
        return partial(_torchcodec, setting=name)
    samplers: dict[str, Sampler] = {
        KOLAB: _kolab,
        "kolab keyframes": partial(_kolab, exact=False),
        "kolab rows": _rows,
        "bound": _bound,
        "linear pass": partial(_bound, skips=False),
        "decord": _decord,
        "opencv": _opencv,
    }
    return samplers[name]


def _cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    sampler = _sampler(request["name"])
    jobs = [sampler(request["path"], times, request["size"]) for times in request["times"]]
    cpu, start = _cpu(), time.perf_counter()
    given: object = None
    for job in jobs:
        given = None
        given = job()
    seconds, spent = time.perf_counter() - start, _cpu() - cpu
    answer = {"seconds": seconds, "cpu": spent, "peak_mb": _peak_mb()}
    frame_times: Any = getattr(given, "times", getattr(given, "pts_seconds", None))
    return answer if frame_times is None else {**answer, "frame_times": frame_times.tolist()}


def _peak_mb() -> float:
    """The process's own peak; what getrusage says may be that of the process that started it."""
    status = Path("/proc/self/status")
    if status.exists():
        fields = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return int(fields["VmHWM"].split()[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    for line in sys.stdin:
        try:
            answer = _answer(json.loads(line))
        except Exception as err:  # noqa: BLE001 - a peer may fail in any way; the table says so
            answer = {"error": f"{type(err).__name__}: {str(err)[:80]}"}
        print(json.dumps(answer), flush=True)
