"""Contact sheets: frames in a grid with their times, as a picture or as HTML for a notebook."""

from __future__ import annotations

import base64
import html
import io
import math
from typing import Any, Protocol

import numpy as np
from PIL import Image, ImageDraw, ImageFont

__all__ = ["TimedImages", "format_time", "note_html", "sheet_html", "sheet_image"]

_GAP = 8
_PAPER = (246, 246, 244)
_EDGE = (196, 196, 192)
_INK = (34, 34, 34)
_ASPECT = 1.5  # width over height that a sheet aims at
_HTML_BOX = (256, 192)
_HTML_CAPTION = 20
_HTML_BLOCK = '<div style="font:13px/1.4 system-ui,sans-serif;margin:4px 0 10px">{}</div>'
_HTML_FRAMES = 24


class TimedImages(Protocol):
    """What a sheet shows: `images`, uint8 [N, H, W, 3], and `times`, [N] in seconds."""

    @property
    def images(self) -> np.ndarray[Any, Any]:
        """The pictures."""

    @property
    def times(self) -> np.ndarray[Any, Any]:
        """Where in the recording each is shown."""


def format_time(seconds: float) -> str:
    """A recording time as `m:ss.mmm`, with hours in front from one hour on.

    >>> format_time(62.5), format_time(3723.0004), format_time(-0.25)
    ('1:02.500', '1:02:03.000', '-0:00.250')
    """
    milliseconds = round(abs(seconds) * 1000)
    minutes, milliseconds = divmod(milliseconds, 60_000)
    hours, minutes = divmod(minutes, 60)
    sign = "-" if seconds < 0 and (hours or minutes or milliseconds) else ""
    clock = f"{hours}:{minutes:02}" if hours else f"{minutes}"
    return f"{sign}{clock}:{milliseconds // 1000:02}.{milliseconds % 1000:03}"


def sheet_image(frames: TimedImages, *, size: int | None = None) -> Image.Image:
    """The frames in reading order, each above its own time, on one RGB picture.

    Args:
        frames: Any number of frames; none gives a sheet that says so.
        size: The short side of a frame on the sheet, in pixels; None leaves the frames as they
            are. Frames are never enlarged.

    Raises:
        ValueError: `size` is below 1.
    """
    pictures = [_shrink(image, size) for image in frames.images]
    if not pictures:
        return _empty_sheet()
    width, height = pictures[0].size
    font = ImageFont.load_default(size=max(12.0, min(width, height) / 12))
    caption = math.ceil(font.getbbox("0:00")[3] * 1.6)
    columns = _num_columns(len(pictures), width / (height + caption))
    rows = math.ceil(len(pictures) / columns)
    step_x, step_y = width + _GAP, height + caption + _GAP
    sheet = Image.new("RGB", (columns * step_x + _GAP, rows * step_y + _GAP), _PAPER)
    draw = ImageDraw.Draw(sheet)
    for index, (picture, time) in enumerate(zip(pictures, frames.times, strict=True)):
        x, y = _GAP + index % columns * step_x, _GAP + index // columns * step_y
        draw.rectangle((x - 1, y - 1, x + width, y + height), outline=_EDGE)
        sheet.paste(picture, (x, y))
        where = (x + width / 2, y + height + caption / 2)
        draw.text(where, format_time(float(time)), fill=_INK, font=font, anchor="mm")
    return sheet


def sheet_html(frames: TimedImages, *, title: str | None = None) -> str:
    """The frames as a wrapping grid of pictures with their times, for a notebook.

    Pictures lie in the page itself (JPEG data URLs of at most 256 × 192 pixels); of more than 24
    frames, 24 evenly spread ones are shown and the count is said. Takes the page's own colours.

    Args:
        frames: Any number of frames.
        title: A line above them; escaped here.
    """
    count = len(frames.images)
    if count == 0:
        return note_html("no frames", title=title)
    shown = np.unique(np.linspace(0, count - 1, min(count, _HTML_FRAMES)).round().astype(int))
    notes = [] if title is None else [f"<b>{html.escape(title)}</b>"]
    if len(shown) < count:
        notes.append(f"{len(shown)} of {count} frames")
    head = f'<div style="margin:0 0 6px">{" · ".join(notes)}</div>' if notes else ""
    pictures = [_thumbnail(frames.images[i]) for i in shown]
    cells = [_html_cell(p, float(frames.times[i])) for p, i in zip(pictures, shown, strict=True)]
    width, height = pictures[0].size
    columns = max(3, _num_columns(len(cells), width / (height + _HTML_CAPTION)))
    return _HTML_BLOCK.format(
        f'{head}<div style="display:flex;flex-wrap:wrap;gap:{_GAP}px;'
        f'max-width:{columns * (width + _GAP + 2)}px">{"".join(cells)}</div>'
    )


def note_html(text: str, *, title: str | None = None) -> str:
    """A line of text where a sheet would be, in the same clothes.

    Args:
        text: Escaped here.
        title: A line above it; escaped here.
    """
    head = "" if title is None else f"<b>{html.escape(title)}</b><br>"
    return _HTML_BLOCK.format(head + html.escape(text))


def _thumbnail(image: np.ndarray[Any, Any]) -> Image.Image:
    picture = Image.fromarray(np.asarray(image, dtype=np.uint8))
    picture.thumbnail(_HTML_BOX, Image.Resampling.LANCZOS)
    return picture


def _html_cell(picture: Image.Image, seconds: float) -> str:
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=85)
    data = base64.b64encode(buffer.getvalue()).decode("ascii")
    return (
        f'<figure style="margin:0" title="{seconds:.3f} s">'
        f'<img src="data:image/jpeg;base64,{data}" width="{picture.width}" '
        f'height="{picture.height}" alt="frame at {seconds:.3f} s" '
        'style="display:block;max-width:100%;border:1px solid rgba(128,128,128,.4)">'
        '<figcaption style="text-align:center;font-variant-numeric:tabular-nums">'
        f"{format_time(seconds)}</figcaption></figure>"
    )


def _shrink(image: np.ndarray[Any, Any], size: int | None) -> Image.Image:
    """The frame as a picture whose short side is at most `size`."""
    if size is not None and size < 1:
        raise ValueError(f"size: found {size}; expected at least 1 pixel.")
    picture = Image.fromarray(np.asarray(image, dtype=np.uint8))
    short = min(picture.size)
    if size is None or short <= size:
        return picture
    width, height = (max(1, round(side * size / short)) for side in picture.size)
    return picture.resize((width, height), Image.Resampling.LANCZOS)


def _num_columns(count: int, cell_aspect: float) -> int:
    """The columns whose grid is nearest to the sheet's aspect and leaves few cells empty."""

    def cost(columns: int) -> float:
        rows = math.ceil(count / columns)
        empty = 1 - count / (columns * rows)
        return abs(math.log(columns * cell_aspect / rows / _ASPECT)) + 2 * empty

    return min(range(1, count + 1), key=cost)


def _empty_sheet() -> Image.Image:
    sheet = Image.new("RGB", (240, 60), _PAPER)
    font = ImageFont.load_default(size=14.0)
    ImageDraw.Draw(sheet).text((120, 30), "no frames", fill=_INK, font=font, anchor="mm")
    return sheet
