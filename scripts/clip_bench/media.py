"""One-hour 1080p recordings that look like a screen at work, made once into a folder.

Two minutes are drawn and encoded, and their packets repeated thirty times with later timestamps:
an hour to read, seek and decode, without an hour of encoding. Every repetition starts with a
keyframe, as each group of pictures does, so decoders see nothing unusual.

How fast one sampler is against another depends on what is on the screen, so what is drawn was set
beside seven real recordings (terminals, browsers, an editor, a telephone), brought to 1080p and 30
frames a second one after the other. With x264's defaults other frames refer to 52 % of theirs and
51 % of ours, of 12 and 10 kbit on average; in groups of two seconds frames have 18 and 20 kbit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np

from scripts.clip_bench.screens import HEIGHT, RATE, WIDTH, Picture, screens

__all__ = ["HOURS", "Hour", "make_hour"]

MILLISECONDS = Fraction(1, 1000)
SEGMENT_S, REPEATS = 120, 30


@dataclass(frozen=True)
class Hour:
    """A recording; the suffix decides the container, and no options are the encoder's defaults.

    Attributes:
        is_variable: whether frames come only when something changes.
        group_s: seconds; a keyframe is forced this often, or never.
    """

    name: str
    suffix: str
    codec: str
    options: dict[str, str]
    is_variable: bool = False
    group_s: int | None = None


HOURS = (
    Hour("x264_default", ".mp4", "libx264", {}),
    Hour("two_second_groups", ".mp4", "libx264", {"g": "60", "bf": "0"}),
    Hour("variable_rate", ".mp4", "libx264", {"g": "99999"}, is_variable=True, group_s=30),
    Hour(
        "vp9",
        ".webm",
        "libvpx-vp9",
        {"crf": "32", "b": "0", "cpu-used": "4", "row-mt": "1", "threads": "2"},
    ),
)


def make_hour(hour: Hour, folder: Path) -> Path:
    """The recording's file, made unless it is there; half a file is never left behind."""
    path = folder / f"{hour.name}{hour.suffix}"
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    segment, unfinished = (path.with_name(f"{part}-{path.name}") for part in ("segment", "half"))
    _encode(hour, segment)
    _repeat(segment, unfinished)
    segment.unlink()
    unfinished.replace(path)
    return path


def _encode(hour: Hour, path: Path) -> None:
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream(hour.codec, rate=RATE, options=hour.options)
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        time_base = MILLISECONDS if hour.is_variable else Fraction(1, RATE)
        stream.codec_context.time_base = stream.time_base = time_base
        next_key = Fraction(0)
        for image, pts in _changes() if hour.is_variable else _regular():
            frame = av.VideoFrame.from_ndarray(image, format="rgb24").reformat(format="yuv420p")
            frame.pts, frame.time_base = pts, time_base
            if hour.group_s and pts * time_base >= next_key:
                frame.pict_type = av.video.frame.PictureType.I
                next_key += hour.group_s
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))


def _repeat(segment: Path, path: Path) -> None:
    """Writes the segment's packets again and again, each time later."""
    with av.open(str(segment)) as source, av.open(str(path), "w") as target:
        model = source.streams.video[0]
        stream = target.add_stream_from_template(model)
        packets = [packet for packet in source.demux(model) if packet.size]
        if model.time_base is None:
            raise ValueError(f"{segment}: no time base")
        shift = int(SEGMENT_S / model.time_base)
        for round_index in range(REPEATS):
            for original in packets:
                packet = av.Packet(bytes(original))
                packet.pts = None if original.pts is None else original.pts + round_index * shift
                packet.dts = None if original.dts is None else original.dts + round_index * shift
                packet.time_base, packet.is_keyframe = model.time_base, original.is_keyframe
                packet.stream = stream
                target.mux(packet)


def _regular() -> Iterator[tuple[Picture, int]]:
    """The segment's frames and their numbers."""
    yield from zip(screens(), range(SEGMENT_S * RATE), strict=False)


def _changes() -> Iterator[tuple[Picture, int]]:
    """Frames that differ from the one before, at milliseconds as uneven as a recorder's, from 0."""
    rng = np.random.default_rng(7)
    before = None
    for image, number in _regular():
        late = int(rng.integers(0, 8)) if number else 0
        if before is None or not np.array_equal(image, before):
            yield image, number * 1000 // RATE + late
        before = image
