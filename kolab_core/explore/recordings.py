"""A session's recording beside its page: the link, what is known of it, and its small pictures."""

from __future__ import annotations

import math
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from kolab_core.files import write_whole
from kolab_core.sampling import ClipError, RecordingInfo, probe, sample_times

__all__ = ["MOST_THUMBNAILS", "Thumbnail", "describe_recording", "link_to", "write_thumbnails"]

MOST_THUMBNAILS = 120
_LEAST_APART_S = 2.0
_SIZE = 108
_SIZE_INSTEAD = 360
_QUALITY = 70
_FORMATS = {".mp4": "video/mp4", ".mov": "video/mp4", ".webm": "video/webm"}
# What at least one of the common browsers plays.
_PLAYED = ("h264", "vp8", "vp9", "av1")


@dataclass(frozen=True)
class Thumbnail:
    """A keyframe as a small JPEG: since when it is shown (milliseconds), and its file's name."""

    time: int
    name: str


def describe_recording(path: Path | None, folder: Path, *, copied: bool) -> dict[str, Any] | None:
    """What a page has to know of its recording; None without one.

    Args:
        path: The recording.
        folder: Where the page lies.
        copied: Whether to copy the recording there, instead of linking to it.

    Returns:
        `src`, relative to the page; `name`; of a recording that can be read also `codec`, `width`,
        `height`, `duration` and `first`, the first frame's time, in milliseconds of the release
        (from which the page finds out what the player's clock is off by); of others `error`.
    """
    if path is None:
        return None
    described: dict[str, Any] = {"name": path.name, "src": link_to(path, folder)}
    if copied:
        target = folder / path.name
        with write_whole(target) as temporary:
            shutil.copyfile(path, temporary)
        described["src"] = quote(path.name)
    try:
        info = probe(path)
    except ClipError as err:
        return {**described, "error": err.cause}
    return {
        **described,
        "codec": info.codec,
        "width": info.width,
        "height": info.height,
        "duration": None if info.duration_s is None else round(info.duration_s * 1000),
        "first": info.first_frame_s * 1000,
    }


def link_to(path: Path, folder: Path) -> str:
    """The relative address of a file from a page in a folder; absolute on another drive."""
    try:
        relative = os.path.relpath(path.resolve(), folder.resolve())
    except ValueError:
        return path.resolve().as_uri()
    return quote(Path(relative).as_posix())


def write_thumbnails(path: Path, folder: Path) -> list[Thumbnail]:
    """Write keyframes of a recording as JPEGs, at most `MOST_THUMBNAILS`; none if it has none.

    They are small, but for a recording that browsers do not play, whose place they take.
    """
    try:
        info = probe(path)
        return list(_write(path, folder, info))
    except ClipError:
        return []


def _write(path: Path, folder: Path, info: RecordingInfo) -> Iterator[Thumbnail]:
    from PIL import Image

    length = info.duration_s or 0.0
    count = max(1, min(MOST_THUMBNAILS, math.ceil(length / _LEAST_APART_S)))
    times = np.arange(count) * length / count
    size = _SIZE if info.codec in _PLAYED else _SIZE_INSTEAD
    frames = sample_times(path, times, size=size, exact=False)
    last = None
    for image, time in zip(frames.images, frames.times, strict=True):
        milliseconds = round(float(time) * 1000)
        if milliseconds == last:
            continue
        last = milliseconds
        name = f"{max(0, milliseconds):08d}.jpg"
        with write_whole(folder / name) as temporary:
            Image.fromarray(image).save(temporary, quality=_QUALITY, optimize=True)
        yield Thumbnail(milliseconds, name)
