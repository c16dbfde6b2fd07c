"""`kolab.store_frames`: the frames of all rows, decoded once and kept."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace

from tqdm import tqdm

from kolab_core.frames import FORMATS, QUALITY, FrameStoreError, ImageKind, StoreOptions
from kolab_core.names.location import resolve_data_dir
from kolab_core.release import show_value
from kolab_core.rows.experiments import EXPERIMENTS
from kolab_core.sampling import ClipError
from kolab_core.sampling.picture import check_size
from kolab_core.sampling.threads import num_workers
from kolab_core.store.job import SessionStored, StoreJob, open_job

__all__ = ["StoreReport", "choose_configs", "store_frames"]

_ALL = "all"
_WITH_CLIPS = (*EXPERIMENTS, "sessions")
_QUALITIES = range(1, 101)
_NAMED = 5


@dataclass(frozen=True)
class StoreReport:
    """What a call of `store_frames` came to.

    Attributes:
        path: The store.
        num_sessions: Sessions of this call's share.
        num_stored: Those that it stored; the others were there already.
        num_rows: Rows of these.
        num_frames: Different frames of these.
        num_bytes: Of their files.
    """

    path: str
    num_sessions: int
    num_stored: int
    num_rows: int
    num_frames: int
    num_bytes: int


def store_frames(
    out: str | os.PathLike[str],
    *,
    config: str | Sequence[str] = _ALL,
    data_dir: str | None = None,
    num_frames: int = 32,
    size: int | None = 448,
    format: ImageKind = "jpeg",
    quality: int | None = None,
    num_proc: int = 1,
    shard: tuple[int, int] = (1, 1),
    num_threads: int | None = None,
    memory_budget_mb: float = 1024,
    progress: bool = True,
) -> StoreReport:
    """Decode the frames that models are given once, and keep them for `kolab.with_frames`.

    A session's recording is read in one pass for all its rows of all configs, and a frame that
    several rows show is stored once. A session is stored whole or not at all: whatever ends the
    process, the same call goes on where it stopped. Any number of processes may work on one folder
    at a time; none stores what another is at or has done (where folders cannot be locked, behind
    an address, give each a `shard`).

    Args:
        out: A folder, or an address that fsspec writes to (`s3://bucket/frames`); new, empty, or a
            store of the same release and options.
        config: Whose rows: experiments or `sessions`, one or several; "all" is the six experiments.
        data_dir: The release; by default `KOLAB_DATA_DIR`, else the embedded sample.
        num_frames: Frames of each row, as in `clip.sample`.
        size: The short side in pixels; None for native size.
        format: "png" is exact, "jpeg" and "webp" are not, and smaller.
        quality: Of "jpeg" and "webp", 1 to 100; None is 90.
        num_proc: Processes, each at one session. They start anew, so a script that asks for several
            needs `if __name__ == "__main__":`.
        shard: `(i, n)` takes the `i`th share (from 1) of `n`.
        num_threads: Decoding threads of each process; None shares the cores out.
        memory_budget_mb: MiB of frames in memory, of each process; see `sample_clips`.
        progress: Whether to show a bar.

    Raises:
        FrameStoreError: The folder holds the frames of another release or of other options, and
            stays as it is. Or recordings of some sessions give no frames; all others are stored.
        OSError: There is no room, or the folder cannot be written to; what was stored is whole.
        ReleaseError: `data_dir` is no release, or a session's files have errors.
        TypeError: An argument of the wrong type.
        ValueError: An argument out of range.
    """
    options = StoreOptions(
        configs=choose_configs(config),
        num_frames=_check_count("num_frames", num_frames),
        size=size,
        format=format,
        quality=_choose_quality(format, quality),
    )
    check_size(size)
    _check_count("num_proc", num_proc)
    _check_shard(shard)
    job = open_job(
        resolve_data_dir(data_dir).root,
        out,
        options,
        num_threads=num_threads,
        memory_budget_mb=memory_budget_mb,
    ).share(*shard)
    return _store_all(job, num_proc=num_proc, is_shown=progress)


def choose_configs(config: str | Sequence[str]) -> tuple[str, ...]:
    """The configs of a store, in the order of the dataset; "all" is the six experiments.

    Raises:
        ValueError: One of them has no clips, or there is none.
    """
    asked = [config] if isinstance(config, str) else list(config)
    wanted = {name for one in asked for name in (EXPERIMENTS if one == _ALL else (one,))}
    if not wanted or not wanted <= set(_WITH_CLIPS):
        raise ValueError(
            f"config: found {show_value(config)}; expected {_ALL}, or one or more of "
            f"{', '.join(_WITH_CLIPS)}."
        )
    return tuple(name for name in _WITH_CLIPS if name in wanted)


def _store_all(job: StoreJob, *, num_proc: int, is_shown: bool) -> StoreReport:
    """Store what is open; first what no other process is at, then what none has finished."""
    stored: list[SessionStored] = []
    failures: dict[str, ClipError] = {}
    left = job.list_open()
    num_sessions = len(job.session_ids)
    with tqdm(
        total=num_sessions,
        initial=num_sessions - len(left),
        desc="storing frames",
        unit="session",
        disable=not is_shown,
    ) as bar:
        for waits in (False, True):
            for session_id, outcome in _outcomes(job, left, num_proc=num_proc, waits=waits):
                if isinstance(outcome, ClipError):
                    failures[session_id] = outcome
                elif outcome is not None:
                    stored.append(outcome)
                bar.update(outcome is not None)
            left = [name for name in job.list_open() if name not in failures]
        bar.update(num_sessions - len(failures) - bar.n + len(failures))
    if failures:
        raise _name_failures(job, failures)
    return StoreReport(
        path=job.out,
        num_sessions=num_sessions,
        num_stored=len(stored),
        num_rows=sum(one.num_rows for one in stored),
        num_frames=sum(one.num_frames for one in stored),
        num_bytes=sum(one.num_bytes for one in stored),
    )


def _outcomes(
    job: StoreJob, session_ids: Sequence[str], *, num_proc: int, waits: bool
) -> Iterator[tuple[str, SessionStored | ClipError | None]]:
    if num_proc == 1 or len(session_ids) < 2:
        for session_id in session_ids:
            yield session_id, _store_one(job, session_id, waits)
        return
    threads = job.num_threads or max(1, num_workers(None) // num_proc)
    part = replace(job, num_threads=threads)
    with ProcessPoolExecutor(
        min(num_proc, len(session_ids)), mp_context=multiprocessing.get_context("spawn")
    ) as pool:
        futures: dict[Future[SessionStored | ClipError | None], str] = {
            pool.submit(_store_one, part, session_id, waits): session_id
            for session_id in session_ids
        }
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _store_one(job: StoreJob, session_id: str, waits: bool) -> SessionStored | ClipError | None:
    try:
        return job.store(session_id, waits=waits)
    except ClipError as err:
        return err


def _name_failures(job: StoreJob, failures: dict[str, ClipError]) -> FrameStoreError:
    named = [f"{name}: {failures[name]}" for name in sorted(failures)[:_NAMED]]
    if len(failures) > _NAMED:
        named.append(f"and {len(failures) - _NAMED} more")
    return FrameStoreError(
        f"{job.out}: found {len(failures)} of {len(job.session_ids)} sessions whose recordings "
        f"give no frames; expected frames of all. The others are stored. {'; '.join(named)}"
    )


def _choose_quality(format: str, quality: int | None) -> int | None:
    if format not in FORMATS:
        raise ValueError(f"format: found {show_value(format)}; expected {', '.join(FORMATS)}.")
    default = QUALITY[format]
    if quality is None:
        return default
    if default is None:
        raise ValueError(f"quality: found {quality!r} with exact {format!r}; expected None.")
    if isinstance(quality, bool) or quality not in _QUALITIES:
        raise ValueError(f"quality: found {show_value(quality)}; expected 1 to 100, or None.")
    return quality


def _check_count(name: str, value: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name}: found {show_value(value)}; expected a whole number.")
    if value < 1:
        raise ValueError(f"{name}: found {value}; expected at least 1.")
    return value


def _check_shard(shard: tuple[int, int]) -> None:
    number, count = shard
    if not 1 <= number <= count:
        raise ValueError(f"shard: found {shard!r}; expected (i, n), i from 1 to n.")
