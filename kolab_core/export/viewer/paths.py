"""Videos that play: pinned addresses of this repository, and recordings that are long enough.

The viewer plays a video only from `hf://datasets/<this repository>@<revision>/…`; a relative path
shows as null and an address without a revision is an error.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq

from kolab_core.export.layout import EXPORT_KEY, HubTarget, split_hub_path
from kolab_core.export.viewer.folder import ExportFolder, Finding
from kolab_core.sampling import ClipError, probe
from kolab_core.sampling.errors import told_as_clip_error
from kolab_core.sampling.recording import open_recording

__all__ = ["check_intervals", "check_paths"]

# Annotations have a resolution of one second, so an interval may end that much after the recording.
_SLACK_S = 1.0
_EXPECTED = "hf://datasets/<this repository>@<revision>/recordings/<name>"
_COLUMNS = ("video", "video_intervals", "has_video")


@dataclass(frozen=True)
class _Cell:
    """A video of a row, and what the row says besides."""

    where: str
    path: str | None
    has_bytes: bool
    intervals: list[tuple[float, float]]
    is_promised: bool


def check_paths(folder: ExportFolder) -> Iterator[Finding]:
    """Each address pinned, of this repository at one revision, and its recording in the folder."""
    prefix = _stated_prefix(folder)
    for cell in _video_cells(folder):
        if cell.has_bytes:
            yield Finding("paths", cell.where, "a recording's bytes", "its address alone")
        if cell.path is None:
            if cell.is_promised and not cell.has_bytes:
                yield Finding("paths", cell.where, "no address, but has_video", _EXPECTED)
            continue
        place = split_hub_path(cell.path)
        if place is None:
            yield Finding("paths", cell.where, _describe(cell.path), _EXPECTED)
            continue
        target, inside = place
        prefix = prefix or target.prefix
        if target.prefix != prefix:
            found = f"another repository or tag, {target.prefix}"
            yield Finding("paths", cell.where, found, prefix)
        elif not _is_file(folder, inside):
            yield Finding("paths", cell.where, f"no file {inside}", "the recording in the export")


def check_intervals(folder: ExportFolder) -> Iterator[Finding]:
    """Intervals inside their recordings, in order, with a length; recordings that can be read."""
    durations: dict[str, float] = {}
    for cell in _video_cells(folder):
        if not _are_ordered(cell.intervals):
            found = ", ".join(f"{start}-{end}" for start, end in cell.intervals[:3])
            expected = "starts before ends, 0 or more, in order"
            yield Finding("intervals", cell.where, found, expected)
            continue
        place = split_hub_path(cell.path or "")
        if place is None or not cell.intervals or not _is_file(folder, place[1]):
            continue
        inside, last = place[1], cell.intervals[-1][1]
        if inside not in durations:
            try:
                durations[inside] = _read_duration(folder.root / inside)
            except ClipError as err:
                durations[inside] = math.inf
                yield Finding("intervals", inside, str(err), "a video that can be read")
        if last > durations[inside] + _SLACK_S:
            expected = f"at most the recording's end, {durations[inside]:.3f} s"
            yield Finding("intervals", cell.where, f"an end at {last:.3f} s", expected)


def _stated_prefix(folder: ExportFolder) -> str | None:
    """The address of the repository and tag that the card says the export is made for."""
    stated = folder.card.get(EXPORT_KEY)
    if not isinstance(stated, dict):
        return None
    try:
        return HubTarget(str(stated.get("repo_id")), str(stated.get("revision"))).prefix
    except ValueError:
        return None


def _video_cells(folder: ExportFolder) -> Iterator[_Cell]:
    """The video cells with their places; those of `sessions` together with their intervals."""
    for table in folder.tables:
        file = pq.ParquetFile(table.path)
        columns = [name for name in _COLUMNS if name in file.schema_arrow.names]
        batches = file.iter_batches(columns=columns)
        rows = (row for batch in batches for row in batch.to_pylist())
        for index, row in enumerate(rows if "video" in columns else ()):
            video = row["video"] if isinstance(row["video"], dict) else {"path": row["video"]}
            intervals = video.get("intervals") or row.get("video_intervals") or []
            yield _Cell(
                f"{table.config}[{index}] > video",
                video.get("path"),
                video.get("bytes") is not None,
                [(part["start"], part["end"]) for part in intervals],
                row.get("has_video") is True,
            )


def _read_duration(path: Path) -> float:
    """Seconds as the container states them; else to the last packet's start.

    Raises:
        ClipError: No video that can be read.
    """
    stated = probe(path).duration_s
    if stated is not None:
        return stated
    with open_recording(path, time=0.0) as recording, told_as_clip_error(str(path), 0.0):
        ticks = [packet.pts for packet in recording.packets() if packet.pts is not None]
        return recording.seconds(max(ticks, default=recording.first_pts))


def _is_file(folder: ExportFolder, inside: str) -> bool:
    return ".." not in Path(inside).parts and (folder.root / inside).is_file()


def _are_ordered(intervals: list[tuple[float, float]]) -> bool:
    flat = [0.0, *(second for interval in intervals for second in interval)]
    return (
        all(math.isfinite(second) for second in flat)
        and all(start < end for start, end in intervals)
        and flat == sorted(flat)
    )


def _describe(path: str) -> str:
    if path.startswith("hf://"):
        return f"an address that is not pinned, {path!r}"
    if "://" in path:
        return f"a foreign address, {path!r}"
    kind = "absolute" if Path(path).is_absolute() else "relative"
    return f"a path that is {kind}, {path!r}"
