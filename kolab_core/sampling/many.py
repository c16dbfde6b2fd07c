"""Many clips at once: each recording opened once, each group of pictures decoded once."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from kolab_core.sampling.errors import ClipError
from kolab_core.sampling.frames import Frames
from kolab_core.sampling.picture import check_size
from kolab_core.sampling.recording import open_recording
from kolab_core.sampling.room import FrameRoom
from kolab_core.sampling.sample import Target, fill, frames_shape
from kolab_core.sampling.sink import Place
from kolab_core.sampling.source import Source
from kolab_core.sampling.threads import num_workers
from kolab_core.sampling.times import as_intervals, centre_times

__all__ = ["map_clips", "sample_clips"]

OnError = Literal["raise", "keep"]


@dataclass(frozen=True)
class _Row:
    """One clip: its place in the list, its recording, its intervals and the times asked for."""

    position: int
    source: Source
    intervals: list[tuple[float, float]]
    times: NDArray[np.float64]

    @property
    def first(self) -> float:
        return float(np.min(self.times)) if len(self.times) else 0.0


def sample_clips(
    clips: Iterable[Any],
    *,
    num_frames: int = 32,
    size: int | None = 448,
    exact: bool = True,
    num_threads: int | None = None,
    memory_budget_mb: float = 1024,
    progress: bool = True,
    on_error: OnError = "raise",
) -> list[Any]:
    """Samples each clip at the centres of `num_frames` equal parts of its duration.

    The same frames as one clip at a time, but the clips are sorted by recording, the targets of
    all windows of a recording merged, and each group of pictures that is needed decoded once.
    Clips of any configs may go in together.

    Args:
        clips: in any order; each has `path`, `bytes` and `intervals`, as attributes (a Clip) or
            as keys (what `without_clips` stores).
        num_frames: frames a clip.
        size: as for `sample_times`.
        exact: as for `sample_times`; False keeps to each clip's intervals.
        num_threads: as for `sample_times`.
        memory_budget_mb: MiB that frames may take in memory; those beyond lie in unnamed
            temporary files (in the folder that `tempfile` names), one a recording, from which
            they are read when looked at.
        progress: whether to show a bar on stderr.
        on_error: "raise" a clip's ClipError at once, or "keep" it: it takes the clip's place in
            the list, and the other clips come all the same.

    Returns:
        A list as long as `clips`, in their order, of Frames (or, kept, ClipErrors).

    Raises:
        ClipError: a clip without a recording, a missing, cut or undecodable file.
        MemoryError: no room for the temporary files.
        ValueError: an argument out of range.
    """
    if on_error not in ("raise", "keep"):
        raise ValueError(f"on_error: found {on_error!r}; expected 'raise' or 'keep'.")
    if not memory_budget_mb > 0:
        raise ValueError(f"memory_budget_mb: found {memory_budget_mb!r}; expected above 0.")
    check_size(size)
    results: list[Any] = []
    groups: dict[Any, list[_Row]] = {}
    for position, clip in enumerate(clips):
        row = _row(clip, position, num_frames)
        results.append(None)
        if row is None:
            results[-1] = _no_recording(clip)
            if on_error == "raise":
                raise results[-1]
        else:
            groups.setdefault(_key(row.source), []).append(row)
    total = num_frames * sum(len(rows) for rows in groups.values())
    with _Bar(total, shown=progress) as bar:
        task = _Task(
            size=size,
            exact=exact,
            workers=num_workers(num_threads),
            room=FrameRoom(int(memory_budget_mb * (1 << 20))),
            keeps_errors=on_error == "keep",
            bar=bar,
            results=results,
        )
        for rows in groups.values():
            task.sample(rows)
    return results


def map_clips(
    batch: Mapping[str, Sequence[Any]],
    *,
    column: str = "video",
    num_frames: int = 32,
    size: int | None = 448,
    exact: bool = True,
    num_threads: int | None = None,
    memory_budget_mb: float = 1024,
    on_error: OnError = "raise",
) -> dict[str, list[Any]]:
    """`sample_clips` for `ds.map(map_clips, batched=True, fn_kwargs={...})`.

    The rows of a batch are sampled together, so a batch should hold the rows of a session or more.
    Their clips lie in `column`; the other arguments are those of `sample_clips`. With `on_error`
    "keep" a failed row has null in its two columns, and the column `clip_error` is added: the
    error's text or null.

    Returns:
        New columns: `frames`, uint8 [num_frames, H, W, 3] a row (nested lists in Arrow), and
        `frame_times`, float64 [num_frames].

    Raises:
        KeyError: no such column.
        ClipError: as `sample_clips`.
    """
    sampled = sample_clips(
        batch[column],
        num_frames=num_frames,
        size=size,
        exact=exact,
        num_threads=num_threads,
        memory_budget_mb=memory_budget_mb,
        progress=False,
        on_error=on_error,
    )
    failed = [isinstance(one, ClipError) for one in sampled]
    columns: dict[str, list[Any]] = {
        "frames": [None if bad else one.images for one, bad in zip(sampled, failed, strict=True)],
        "frame_times": [
            None if bad else one.times for one, bad in zip(sampled, failed, strict=True)
        ],
    }
    if on_error == "keep":
        columns["clip_error"] = [
            str(one) if bad else None for one, bad in zip(sampled, failed, strict=True)
        ]
    return columns


@dataclass
class _Task:
    """Sampling the groups of one call; arguments as there.

    Attributes:
        room: where frames lie.
    """

    size: int | None
    exact: bool
    workers: int
    room: FrameRoom
    keeps_errors: bool
    bar: _Bar
    results: list[Any]

    def sample(self, rows: list[_Row]) -> None:
        """All clips of one recording together; each alone where one of them fails."""
        ordered = sorted(rows, key=lambda row: row.first)
        shown, left = self.bar.count, self.room.left
        try:
            frames = self._together(ordered)
        except ClipError as err:
            self.bar.back_to(shown)
            self.room.left = left
            if len(ordered) == 1:
                self._fail(ordered[0], err)
            else:
                for row in ordered:
                    self.sample([row])
        else:
            for row, one in zip(ordered, frames, strict=True):
                self.results[row.position] = one

    def _together(self, rows: list[_Row]) -> list[Frames]:
        """One pass over the recording for the targets of all its clips."""
        with open_recording(rows[0].source, time=rows[0].first) as recording:
            shapes = [frames_shape(recording, len(row.times), self.size) for row in rows]
            frames = [Frames(images, np.zeros(len(images))) for images in self.room.arrays(shapes)]
            targets = [
                Target(float(time), Place(one, position), row.intervals)
                for row, one in zip(rows, frames, strict=True)
                for position, time in enumerate(row.times)
            ]
            fill(
                rows[0].source,
                recording,
                targets,
                exact=self.exact,
                workers=self.workers,
                told=self._filled,
            )
        return frames

    def _filled(self, places: Sequence[Place]) -> None:
        for place in places:
            self.room.let_go(place.frames.images[place.position])
        self.bar.forward(len(places))

    def _fail(self, row: _Row, error: ClipError) -> None:
        if not self.keeps_errors:
            raise error
        self.results[row.position] = error
        self.bar.forward(len(row.times))


class _Bar:
    """A progress bar that many threads may move; without one, their count alone."""

    def __init__(self, total: int, *, shown: bool) -> None:
        from tqdm.auto import tqdm

        self.count = 0
        self._lock = threading.Lock()
        self._bar = tqdm(total=total, unit="frame", desc="sampling clips", disable=not shown)

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.close()

    def forward(self, count: int) -> None:
        """`count` more frames are there."""
        with self._lock:
            self.count += count
            self._bar.update(count)

    def back_to(self, count: int) -> None:
        """Only `count` frames count: the others are decoded again."""
        self.forward(count - self.count)


def _row(clip: Any, position: int, num_frames: int) -> _Row | None:
    """A clip as a row; None if it has no recording."""
    path, data = _field(clip, "path"), _field(clip, "bytes")
    source = data if data is not None else path
    intervals = as_intervals(_field(clip, "intervals") or ())
    times = centre_times(intervals, num_frames)
    return None if source is None else _Row(position, source, intervals, times)


def _no_recording(clip: Any) -> ClipError:
    intervals = as_intervals(_field(clip, "intervals") or ())
    return ClipError("<clip>", intervals[0][0] if intervals else 0.0, "the row has no recording")


def _field(clip: Any, name: str) -> Any:
    if isinstance(clip, Mapping):
        return clip.get(name)
    return getattr(clip, name, None)


def _key(source: Source) -> Any:
    """What clips of one recording have in common."""
    if isinstance(source, str | os.PathLike):
        return os.fspath(source)
    return source if isinstance(source, bytes) else id(source)
