"""The screen recording in a message: frames as pictures, the clip as a file, or its place."""

from __future__ import annotations

import base64
import functools
import io
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from kolab_core.clip import Clip
from kolab_core.prompts.setting import FrameKind, ImageFormat, MissingInputError, check_pictures
from kolab_core.sampling.threads import num_workers
from kolab_core.sampling.times import as_intervals

__all__ = ["JPEG_QUALITY", "attach_frames", "clip_of", "clip_time", "describe_clip", "video_parts"]

Part = dict[str, Any]
Message = dict[str, Any]

# Of Pillow; colours are kept at half the resolution, as recordings have them.
JPEG_QUALITY = 90
_PLACE = "frames"
# Loaders take the frame at `video_end` as part of the clip, ours ends before it.
_LAST_S = Fraction(1, 1000)


def clip_of(row: Mapping[str, Any]) -> Clip:
    """The row's clip, also of a row that holds it as a plain struct.

    Raises:
        MissingInputError: No recording, or intervals of no length.
    """
    stored = row["video"]
    clip = stored if isinstance(stored, Clip) else Clip(**(stored or {}))
    if not clip.has_recording:
        raise MissingInputError("video", "a row without a recording", "one with a recording")
    if not as_intervals(clip.intervals) or clip.duration <= 0:
        raise MissingInputError("video", "a clip of no length", "one with frames")
    return clip


def clip_time(clip: Clip, seconds: float) -> str:
    """A time of the recording as one of the clip: `m:ss.t` from its start, gaps left out."""
    passed = [min(max(_exact(seconds), start), end) - start for start, end in _spans(clip)]
    return _clock(sum(passed, Fraction(0)))


def describe_clip(clip: Clip) -> dict[str, str | None]:
    """What fills the slots of the template `video`."""
    count = len(clip.intervals)
    return {
        "length": _clock(_length(clip)),
        "pieces": "in one piece" if count == 1 else f"{count} pieces of the session joined",
    }


def video_parts(
    clip: Clip, *, frames: FrameKind, num_frames: int, size: int | None, image_format: ImageFormat
) -> list[Part]:
    """The clip as parts of a message; see `render` for what each kind is.

    Raises:
        ClipError: The recording cannot give its frames.
        ValueError: `frames="path"` of a recording in memory.
    """
    if frames == "images":
        return _image_parts(clip, num_frames=num_frames, size=size, image_format=image_format)
    if frames == "native":
        return [_file_part(clip)]
    if frames == "path":
        return _path_parts(clip)
    place = {"num_frames": num_frames, "size": size, "image_format": image_format}
    return [{"type": _PLACE, **place}]


def attach_frames(
    messages: Sequence[Message],
    row: Mapping[str, Any],
    *,
    num_frames: int | None = None,
    size: int | None = None,
    image_format: ImageFormat | None = None,
) -> list[Message]:
    """Put the row's frames where `render(…, frames="none")` left their place.

    The result is that of `render(…, frames="images")`, byte for byte.

    Args:
        messages: From `render`; they stay as they are. Without a place they come back alike.
        row: The row that they were rendered from.
        num_frames: As in `render`; by default as there.
        size: As in `render`; by default as there.
        image_format: As in `render`; by default as there.

    Raises:
        ClipError: The recording cannot give its frames.
        MissingInputError: There is a place for frames, and the row has no recording.
        TypeError: `num_frames` or `size` is no whole number.
        ValueError: One of the options is out of range.
    """
    given = {"num_frames": num_frames, "size": size, "image_format": image_format}
    asked = {name: value for name, value in given.items() if value is not None}

    def attach(part: Part) -> list[Part]:
        if part["type"] != _PLACE:
            return [part]
        options = {**{name: part[name] for name in given}, **asked}
        check_pictures(**options)
        return _image_parts(clip_of(row), **options)

    attached = []
    for message in messages:
        content = message["content"]
        if not isinstance(content, str):
            content = [new for part in content for new in attach(part)]
        attached.append({**message, "content": content})
    return attached


def _image_parts(
    clip: Clip, *, num_frames: int, size: int | None, image_format: ImageFormat
) -> list[Part]:
    """Each frame below a line with its time: that at which the clip shows it."""
    images = clip.sample(num_frames, size=size).images
    encode = functools.partial(_encode_image, image_format=image_format)
    with ThreadPoolExecutor(num_workers(None)) as pool:  # the encoders let other threads work
        urls = list(pool.map(encode, images))
    length = _length(clip)
    parts: list[Part] = []
    for index, url in enumerate(urls):
        time = _clock(length * (2 * index + 1) / (2 * num_frames))
        parts.append({"type": "text", "text": f"Frame {index + 1} of {num_frames}, at {time}:"})
        parts.append({"type": "image_url", "image_url": {"url": url}})
    return parts


def _encode_image(image: NDArray[np.uint8], *, image_format: ImageFormat) -> str:
    """The picture as a data URL."""
    buffer = io.BytesIO()
    options = {"quality": JPEG_QUALITY} if image_format == "jpeg" else {}
    Image.fromarray(image).save(buffer, image_format, **options)
    return _data_url(f"image/{image_format}", buffer.getvalue())


def _file_part(clip: Clip) -> Part:
    with tempfile.TemporaryDirectory() as folder:
        data = clip.save(Path(folder) / "clip.mp4").read_bytes()
    return {"type": "video_url", "video_url": {"url": _data_url("video/mp4", data)}}


def _path_parts(clip: Clip) -> list[Part]:
    if clip.path is None or clip["bytes"] is not None:
        raise ValueError(
            "frames: found 'path' with a recording in memory; expected 'images', 'native' or "
            "'none', or a recording that is a file."
        )
    spans = _spans(clip)
    parts: list[Part] = []
    before = Fraction(0)
    for index, (start, end) in enumerate(spans):
        if len(spans) > 1:
            times = f"{_clock(before)} to {_clock(before + end - start)}"
            text = f"Piece {index + 1} of {len(spans)}, {times}:"
            parts.append({"type": "text", "text": text})
        last = max(end - _LAST_S, (start + end) / 2)
        times_s = {"video_start": float(start), "video_end": float(last)}
        parts.append({"type": "video", "video": clip.path, **times_s})
        before += end - start
    return parts


def _data_url(kind: str, data: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(data).decode('ascii')}"


def _spans(clip: Clip) -> list[tuple[Fraction, Fraction]]:
    return [(_exact(start), _exact(end)) for start, end in clip.intervals]


def _length(clip: Clip) -> Fraction:
    return sum((end - start for start, end in _spans(clip)), Fraction(0))


def _exact(seconds: float) -> Fraction:
    """Seconds as the decimal number that the float stands for."""
    return Fraction(repr(float(seconds)))


def _clock(seconds: Fraction) -> str:
    """`m:ss.t`; tenths are cut, so that no time lies at or past the clip's end."""
    minutes, tenths = divmod(int(seconds * 10), 600)
    return f"{minutes}:{tenths // 10:02}.{tenths % 10}"
