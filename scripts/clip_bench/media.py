"""One-hour 1080p recordings that look like a screen at work, made once into a folder.

Two minutes are drawn and encoded, and their packets repeated thirty times with later timestamps:
an hour to read, seek and decode, without an hour of encoding. Every repetition starts with a
keyframe, as each group of pictures does, so decoders see nothing unusual.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

__all__ = ["HOURS", "Hour", "make_hour"]

WIDTH, HEIGHT = 1920, 1080
TIME_BASE = Fraction(1, 1000)
SEGMENT_MS, REPEATS = 120_000, 30
RATE = 30
_WORDS = [
    "survey",
    "budget",
    "draft",
    "review",
    "chart",
    "agent",
    "export",
    "patient",
    "ledger",
    "router",
    "lesson",
    "invoice",
]


@dataclass(frozen=True)
class Hour:
    """A recording.

    Attributes:
        name: of the file, without its suffix.
        suffix: of the file, which decides the container.
        codec: FFmpeg's encoder.
        options: of the encoder; none are x264's defaults.
        is_variable: whether frames come only when something changes.
        group_ms: a keyframe is forced this often, or never.
    """

    name: str
    suffix: str
    codec: str
    options: dict[str, str]
    is_variable: bool = False
    group_ms: int | None = None


HOURS = (
    Hour("x264_default", ".mp4", "libx264", {}),
    Hour("two_second_groups", ".mp4", "libx264", {"g": "60", "bf": "0"}),
    Hour("variable_rate", ".mp4", "libx264", {"g": "99999"}, is_variable=True, group_ms=30_000),
    Hour(
        "vp9",
        ".webm",
        "libvpx-vp9",
        {"deadline": "realtime", "cpu-used": "8", "crf": "32", "b": "0", "row-mt": "1"},
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
        stream.codec_context.time_base = stream.time_base = TIME_BASE
        next_key = 0
        for image, time_ms in zip(_screens(), _times(hour), strict=False):
            frame = av.VideoFrame.from_ndarray(image, format="rgb24").reformat(format="yuv420p")
            frame.pts, frame.time_base = time_ms, TIME_BASE
            if hour.group_ms and time_ms >= next_key:
                frame.pict_type = av.video.frame.PictureType.I
                next_key += hour.group_ms
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
        shift = int(Fraction(SEGMENT_MS, 1000) / model.time_base)
        for round_index in range(REPEATS):
            for original in packets:
                packet = av.Packet(bytes(original))
                packet.pts = None if original.pts is None else original.pts + round_index * shift
                packet.dts = None if original.dts is None else original.dts + round_index * shift
                packet.time_base, packet.is_keyframe = model.time_base, original.is_keyframe
                packet.stream = stream
                target.mux(packet)


def _times(hour: Hour) -> Iterator[int]:
    """Milliseconds of the segment's frames."""
    if not hour.is_variable:
        yield from (frame * 1000 // RATE for frame in range(SEGMENT_MS * RATE // 1000))
        return
    rng = np.random.default_rng(7)
    time = 0
    while time < SEGMENT_MS:
        yield time
        time += int(rng.choice([33, 34, 50, 100, 250, 900], p=[0.3, 0.25, 0.2, 0.15, 0.07, 0.03]))


def _screens() -> Iterator[NDArray[np.uint8]]:
    """A document that scrolls now and then, a chat that is typed into, windows that change."""
    rng = np.random.default_rng(11)
    pages = [_page(rng, 1200, 4000, shade) for shade in (252, 246, 30)]
    chat = _page(rng, 560, 6000, 238)
    screen = np.full((HEIGHT, WIDTH, 3), 60, dtype=np.uint8)
    page, offset, typed, goal = 0, 0, 400, 0
    x, y = 900.0, 500.0
    aim = (300.0, 300.0)
    while True:
        for step in range(600):
            if step % 150 == 0:
                goal = int(rng.integers(0, 2900))
                aim = (float(rng.integers(50, 1850)), float(rng.integers(50, 1000)))
            offset += int(np.clip(goal - offset, -12, 12)) if step % 150 < 60 else 0
            typed += 2 if step % 5 == 0 and typed < 4900 else 0
            x, y = x + (aim[0] - x) / 12, y + (aim[1] - y) / 12
            screen[60:1060, 40:1240] = pages[page][offset : offset + 1000]
            screen[60:1060, 1300:1860] = chat[typed : typed + 1000]
            shown = screen.copy()
            shown[int(y) : int(y) + 18, int(x) : int(x) + 12] = (250, 80, 40)
            yield shown
        page = (page + 1) % len(pages)


def _page(rng: np.random.Generator, width: int, height: int, shade: int) -> NDArray[np.uint8]:
    """Lines of text with a coloured figure here and there."""
    image = Image.new("RGB", (width, height), (shade, shade, shade))
    draw = ImageDraw.Draw(image)
    ink = (20, 20, 30) if shade > 128 else (220, 220, 210)
    for top in range(30, height - 30, 34):
        if rng.random() < 0.3:
            continue
        count = int(rng.integers(2, width // 110))
        words: Sequence[str] = [str(rng.choice(_WORDS)) for _ in range(count)]
        draw.text((60, top), " ".join(words), fill=ink, font_size=20)
        if rng.random() < 0.04:
            colour = tuple(int(v) for v in rng.integers(40, 220, size=3))
            draw.rectangle((60, top, width - 60, top + 90), fill=colour)
    return np.asarray(image)
