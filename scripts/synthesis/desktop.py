"""What every frame's desktop is made of: colours, text, windows, the taskbar and the cursor."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from PIL import Image, ImageDraw, ImageFont

__all__ = [
    "THEMES",
    "Box",
    "Color",
    "Pen",
    "Theme",
    "clean_text",
    "draw_cursor",
    "draw_taskbar",
    "draw_window",
    "text_width",
    "wallpaper",
    "wrap_text",
]

Color = tuple[int, int, int]
AnyFont = ImageFont.FreeTypeFont | ImageFont.ImageFont


@dataclass(frozen=True)
class Box:
    """A rectangle in pixels, `[left, right)` by `[top, bottom)`."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        """Pixels from left to right."""
        return self.right - self.left

    @property
    def height(self) -> int:
        """Pixels from top to bottom."""
        return self.bottom - self.top

    @property
    def corners(self) -> tuple[int, int, int, int]:
        """As PIL draws it: both corners included."""
        return self.left, self.top, self.right - 1, self.bottom - 1


@dataclass(frozen=True, kw_only=True)
class Theme:
    """The colours of one desktop."""

    sky: tuple[Color, Color]
    window: Color
    title: Color
    title_text: Color
    panel: Color
    line: Color
    text: Color
    faint: Color
    accent: Color
    on_accent: Color
    bubble: Color
    bar: Color
    is_chat_left: bool = False


THEMES = (
    Theme(
        sky=((41, 74, 112), (122, 158, 186)),
        window=(252, 252, 250),
        title=(226, 231, 238),
        title_text=(46, 56, 70),
        panel=(240, 243, 247),
        line=(203, 210, 219),
        text=(35, 40, 48),
        faint=(112, 121, 134),
        accent=(38, 98, 173),
        on_accent=(255, 255, 255),
        bubble=(235, 238, 243),
        bar=(24, 33, 46),
    ),
    Theme(
        sky=((58, 92, 72), (172, 190, 150)),
        window=(255, 255, 255),
        title=(28, 105, 67),
        title_text=(255, 255, 255),
        panel=(243, 245, 242),
        line=(208, 214, 206),
        text=(33, 37, 33),
        faint=(106, 116, 106),
        accent=(28, 105, 67),
        on_accent=(255, 255, 255),
        bubble=(237, 241, 236),
        bar=(31, 37, 33),
    ),
    Theme(
        sky=((38, 28, 58), (104, 66, 96)),
        window=(30, 31, 40),
        title=(44, 45, 58),
        title_text=(214, 216, 226),
        panel=(37, 38, 49),
        line=(62, 64, 80),
        text=(222, 224, 232),
        faint=(139, 143, 162),
        accent=(128, 96, 200),
        on_accent=(255, 255, 255),
        bubble=(50, 52, 66),
        bar=(17, 17, 23),
        is_chat_left=True,
    ),
)

_PLAIN = {
    "²": "2",
    "–": "-",
    "→": "->",
    "×": "x",
    "€": "EUR",
    "£": "GBP",
    "≤": "<=",
    "≥": ">=",
    "…": "...",
}


@lru_cache(maxsize=64)
def _font(size: int) -> AnyFont:
    """Pillow's own font, which needs no file (Latin letters only, see `clean_text`)."""
    return ImageFont.load_default(size)


class Pen:
    """Draws on an image in the colours of a desktop."""

    def __init__(self, image: Image.Image, theme: Theme, ui: float) -> None:
        """Take an image to draw on.

        Args:
            image: Drawn on in place.
            theme: The colours.
            ui: Scale of text and lines; 1 at a height of 720.
        """
        self.image, self.draw = image, ImageDraw.Draw(image)
        self.theme, self.ui = theme, ui

    def on(self, image: Image.Image) -> Pen:
        """The same pen on another image."""
        return Pen(image, self.theme, self.ui)

    def px(self, units: float) -> int:
        """A length in pixels of this image."""
        return round(units * self.ui)

    def write(
        self,
        at: tuple[float, float],
        text: str,
        size: int,
        fill: Color | None = None,
        anchor: str = "la",
    ) -> None:
        """Write a line of text, `size` in pixels; `anchor` is Pillow's."""
        fill = self.theme.text if fill is None else fill
        self.draw.text(at, text, font=_font(size), fill=fill, anchor=anchor)


def clean_text(text: str) -> str:
    """The text in letters that the font has; what it cannot show becomes plain or `?`."""
    plain = "".join(_PLAIN.get(letter, letter) for letter in text)
    parts = unicodedata.normalize("NFKD", plain.replace("°", "\0"))
    return parts.encode("ascii", "replace").decode().replace("\0", "°")


def text_width(text: str, size: int) -> int:
    """The width of a line of text, in pixels."""
    return round(_font(size).getlength(text))


@lru_cache(maxsize=4096)
def wrap_text(text: str, *, size: int, width: int) -> tuple[str, ...]:
    """Break a text into lines that fit into `width` pixels."""
    lines: list[str] = []
    for paragraph in clean_text(text).splitlines() or [""]:
        line = ""
        for word in paragraph.split(" "):
            longer = f"{line} {word}" if line else word
            if line and text_width(longer, size) > width:
                lines.append(line)
                line = word
            else:
                line = longer
        lines.append(line)
    return tuple(lines)


def wallpaper(width: int, height: int, theme: Theme) -> Image.Image:
    """A quiet picture behind the windows: a slope of colour with two hills."""
    top, bottom = (np.array(color, dtype=float) for color in theme.sky)
    ramp = np.linspace(0, 1, height)[:, None, None]
    pixels = np.broadcast_to(top + (bottom - top) * ramp, (height, width, 3)).astype(np.uint8)
    image = Image.fromarray(np.ascontiguousarray(pixels))
    draw = ImageDraw.Draw(image)
    x = np.arange(0, width + 8, 8)
    for share, lift, phase in ((0.80, 1.06, 0.3), (0.88, 0.9, 2.1)):
        y = height * share - np.sin(x / width * 5 + phase) * height * 0.05
        hill = [(int(a), int(b)) for a, b in zip(x, y, strict=True)]
        color = tuple(min(255, int(c * lift * 0.9)) for c in theme.sky[1])
        draw.polygon([*hill, (width, height), (0, height)], fill=color)
    return image


def draw_window(pen: Pen, box: Box, title: str) -> Box:
    """A window with its title bar and three buttons.

    Returns:
        The room inside, below the title bar.
    """
    draw, theme, bar = pen.draw, pen.theme, pen.px(28)
    draw.rectangle((box.left + 3, box.top + 4, box.right + 2, box.bottom + 3), fill=theme.bar)
    draw.rectangle(box.corners, fill=theme.window, outline=theme.line)
    draw.rectangle((box.left, box.top, box.right - 1, box.top + bar), fill=theme.title)
    middle, reach = box.top + bar // 2, pen.px(4)
    at = (box.left + pen.px(10), middle)
    pen.write(at, clean_text(title), pen.px(13), theme.title_text, "lm")
    for index, kind in enumerate(("close", "grow", "shrink")):
        x = box.right - pen.px(18 + 26 * index)
        left, top, right, bottom = x - reach, middle - reach, x + reach, middle + reach
        if kind == "close":
            draw.line((left, top, right, bottom), theme.title_text)
            draw.line((left, bottom, right, top), theme.title_text)
        elif kind == "grow":
            draw.rectangle((left, top, right, bottom), outline=theme.title_text)
        else:
            draw.line((left, middle, right, middle), theme.title_text)
    return Box(box.left + 1, box.top + bar + 1, box.right - 1, box.bottom - 1)


def draw_taskbar(pen: Pen, box: Box, apps: tuple[str, ...]) -> None:
    """The bar with the running applications; the clock is drawn over it, frame by frame."""
    pen.draw.rectangle(box.corners, fill=pen.theme.bar)
    unit, middle = pen.px(7), (box.top + box.bottom) // 2
    for dx in (0, 1):
        for dy in (0, 1):
            x = box.left + pen.px(14) + dx * (unit + 2)
            y = middle - unit - 1 + dy * (unit + 2)
            pen.draw.rectangle((x, y, x + unit - 1, y + unit - 1), fill=(214, 220, 230))
    x, size = box.left + pen.px(48), pen.px(12)
    for name in apps:
        width = text_width(name, size) + pen.px(20)
        pen.draw.rectangle((x, box.top + 4, x + width, box.bottom - 5), fill=pen.theme.accent)
        pen.write((x + width // 2, middle), name, size, (255, 255, 255), "mm")
        x += width + pen.px(8)


def draw_cursor(pen: Pen, x: int, y: int) -> None:
    """An arrow whose tip is at `(x, y)`."""
    arrow = ((0, 0), (0, 17), (4, 13), (7, 19), (10, 18), (7, 12), (12, 12))
    points = [(x + pen.px(a), y + pen.px(b)) for a, b in arrow]
    pen.draw.polygon(points, fill=(255, 255, 255), outline=(0, 0, 0))
