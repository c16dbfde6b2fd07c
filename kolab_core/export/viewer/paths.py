"""Videos that play: pinned addresses of this repository, and recordings that are long enough.

The viewer plays a video only from `hf://datasets/<this repository>@<revision>/…`; a relative path
shows as null and an address without a revision is an error.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from kolab_core.export.layout import split_hub_path
from kolab_core.export.viewer.folder import ExportFolder, Finding
from kolab_core.sampling import ClipError, probe

__all__ = ["check_intervals", "check_paths"]

# Annotations have a resolution of one second, so an interval may end that much after the recording.
_SLACK_S = 1.0
_EXPECTED = "hf://datasets/<this repository>@<revision>/recordings/<name>"


def check_paths(folder: ExportFolder) -> Iterator[Finding]:
    """Each address pinned, of one repository at one revision, and its recording in the folder."""
    first: str | None = None
    for where, cell in _video_cells(folder):
        if cell.get("bytes") is not None:
            yield Finding("paths", where, "a recording's bytes", "its address alone")
        path = cell.get("path")
        if path is None:
            continue
        place = split_hub_path(path)
        if place is None:
            yield Finding("paths", where, _describe(path), _EXPECTED)
            continue
        target, inside = place
        first = first or target.prefix
        if target.prefix != first:
            yield Finding("paths", where, f"another repository or tag, {target.prefix}", first)
        elif not (folder.root / inside).is_file():
            yield Finding("paths", where, f"no file {inside}", "the recording in the export")


def check_intervals(folder: ExportFolder) -> Iterator[Finding]:
    """Intervals inside their recordings, in order, with a length."""
    durations: dict[str, float | None] = {}
    for where, cell in _video_cells(folder):
        intervals = [(part["start"], part["end"]) for part in cell.get("intervals") or []]
        if any(not 0 <= start < end for start, end in intervals) or intervals != sorted(intervals):
            expected = "starts before ends, 0 or more, in order"
            yield Finding("intervals", where, _show(intervals), expected)
            continue
        place = split_hub_path(cell.get("path") or "")
        if place is None or not intervals:
            continue
        inside = place[1]
        if inside not in durations:
            durations[inside] = _duration(folder.root / inside)
        duration = durations[inside]
        if duration is not None and intervals[-1][1] > duration + _SLACK_S:
            found = f"an end at {intervals[-1][1]:.3f} s"
            expected = f"at most the recording's end, {duration:.3f} s"
            yield Finding("intervals", where, found, expected)


def _video_cells(folder: ExportFolder) -> Iterator[tuple[str, dict[str, Any]]]:
    """The video cells with their places; those of `sessions` together with their intervals."""
    for config, _, path, metadata in folder.tables():
        names = metadata.schema.to_arrow_schema().names
        if "video" not in names:
            continue
        columns = [name for name in ("video", "video_intervals") if name in names]
        index = 0
        for batch in pq.ParquetFile(path).iter_batches(columns=columns):
            for row in batch.to_pylist():
                cell = row["video"]
                if isinstance(cell, str):
                    cell = {"path": cell}
                if cell is not None:
                    cell.setdefault("intervals", row.get("video_intervals"))
                    yield f"{config.name}[{index}] > video", cell
                index += 1


def _duration(path: Path) -> float | None:
    try:
        return probe(path).duration_s
    except ClipError:
        return None


def _describe(path: str) -> str:
    if path.startswith("hf://"):
        return f"an address without a revision, {path!r}"
    if "://" in path:
        return f"a foreign address, {path!r}"
    return (
        f"an absolute path, {path!r}" if Path(path).is_absolute() else f"a relative path, {path!r}"
    )


def _show(intervals: list[tuple[float, float]]) -> str:
    return ", ".join(f"{start}-{end}" for start, end in intervals[:3])
