"""Pictures of a screen at work: somebody reads, scrolls and types while an agent answers.

What a codec makes of a recording follows from what moves in it: most of the time little does,
text comes in words and characters, pages scroll in short bursts. `media.py` says how near that
comes to real recordings.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

__all__ = ["HEIGHT", "RATE", "WIDTH", "Picture", "screens"]

WIDTH, HEIGHT = 1920, 1080
RATE = 30

Picture = NDArray[np.uint8]

_LINE, _PAGE_LINES, _CHAT_LINES = 34, 110, 400
_SHADES = (252, 246, 34)
_WORDS = (
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
)


def screens() -> Iterator[Picture]:
    """Frames, uint8 [1080, 1920, 3], 30 a second, without end and the same every time."""
    rng = np.random.default_rng(11)
    desk = _Desk(rng)
    acts = (desk.rest, desk.point, desk.scroll, desk.type, desk.answer, desk.turn_page, desk.drag)
    while True:
        yield from acts[int(rng.choice(len(acts), p=(0.2, 0.22, 0.15, 0.14, 0.18, 0.06, 0.05)))]()


class _Desk:
    """A document and a chat on a wallpaper, a pointer, and what can be done with them.

    Args:
        rng: decides what it shows, and how long each act takes.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._wallpaper = _blurred(rng, WIDTH, HEIGHT, low=40, high=110)
        self._pages = [_text(rng, 1200, _PAGE_LINES, shade) for shade in _SHADES]
        self._chat = _text(rng, 560, _CHAT_LINES, 238)
        self._pointer = _arrow()
        self._page, self._offset = 0, 0
        self._told, self._column = 12, 0
        self._typed, self._left, self._turn = 0, 40, 0
        self._x, self._y = 900.0, 500.0

    def rest(self) -> Iterator[Picture]:
        """Reading: only the caret blinks."""
        for frame in range(self._frames(1.0, 4.0)):
            yield self._shown(has_caret=frame // 15 % 2 == 0)

    def point(self) -> Iterator[Picture]:
        """The pointer goes somewhere, fast and then slow."""
        x, y = float(self._rng.integers(60, 1840)), float(self._rng.integers(60, 1000))
        for part in _eased(self._frames(0.4, 0.9)):
            self._x, self._y = self._x + (x - self._x) * part, self._y + (y - self._y) * part
            yield self._shown()

    def scroll(self) -> Iterator[Picture]:
        """A turn of the wheel: the page runs and slows down."""
        goal = int(np.clip(self._offset + self._rng.integers(-500, 900), 0, 2_600))
        start = self._offset
        for part in _eased(self._frames(0.3, 0.8)):
            self._offset = start + round((goal - start) * part)
            yield self._shown()

    def type(self) -> Iterator[Picture]:
        """Characters into the line at the document's foot."""
        for frame in range(self._frames(2.0, 5.0)):
            self._typed = (self._typed + 11) % 1_000 if frame % 4 == 0 else self._typed
            yield self._shown(has_caret=True)

    def answer(self) -> Iterator[Picture]:
        """The agent thinks, a sign turning, and then answers word by word."""
        for _ in range(self._frames(0.5, 2.0)):
            self._turn += 1
            yield self._shown()
        for frame in range(self._frames(3.0, 7.0)):
            if frame % 4 == 0:
                self._column += int(self._rng.integers(40, 90))
            if self._column > 500:
                self._told, self._column = (self._told + 1) % (_CHAT_LINES - 40), 0
            yield self._shown()

    def turn_page(self) -> Iterator[Picture]:
        """Another document."""
        self._page, self._offset = (self._page + 1) % len(self._pages), 0
        for _ in range(self._frames(0.5, 2.0)):
            yield self._shown()

    def drag(self) -> Iterator[Picture]:
        """The document's window is drawn aside."""
        start, goal = self._left, int(self._rng.integers(10, 90))
        for part in _eased(self._frames(0.4, 0.8)):
            self._left = start + round((goal - start) * part)
            yield self._shown()

    def _frames(self, low: float, high: float) -> int:
        """How many frames an act of `low` to `high` seconds takes."""
        return int(self._rng.uniform(low, high) * RATE)

    def _shown(self, *, has_caret: bool = False) -> Picture:
        screen: Picture = self._wallpaper.copy()
        page = self._pages[self._page]
        window = screen[60:1060, self._left : self._left + 1200]
        window[:940] = page[self._offset : self._offset + 940]
        window[940:] = page[-1, 0]
        caret = 60 + self._typed
        window[950 : 950 + _LINE, :caret] = page[:_LINE, :caret]
        if has_caret:
            window[952:978, caret : caret + 2] = (90, 90, 240)
        first = max(0, self._told - 27)
        shown = self._chat[first * _LINE : (self._told + 1) * _LINE].copy()
        shown[-_LINE:, 60 + self._column :] = 238
        screen[60 : 60 + len(shown), 1300:1860] = shown
        angle = self._turn / 5
        x, y = 1330 + round(10 * np.cos(angle)), 1040 + round(10 * np.sin(angle))
        screen[y - 3 : y + 3, x - 3 : x + 3] = (60, 120, 220)
        self._point(screen)
        return screen

    def _point(self, screen: Picture) -> None:
        x, y = int(self._x), int(self._y)
        height, width = self._pointer.shape
        place = screen[y : y + height, x : x + width]
        place[self._pointer == 1] = 250
        place[self._pointer == 2] = 10


def _eased(count: int) -> Iterator[float]:
    """From above 0 to 1, fast and then slow."""
    for frame in range(1, count + 1):
        yield 1 - (1 - frame / count) ** 3


def _arrow() -> Picture:
    """A pointer's shape: 0 nothing, 1 its inside, 2 its edge."""
    image = Image.new("L", (14, 21), 0)
    ImageDraw.Draw(image).polygon([(0, 0), (0, 19), (5, 14), (13, 13)], fill=1, outline=2)
    return np.asarray(image)


def _blurred(rng: np.random.Generator, width: int, height: int, *, low: int, high: int) -> Picture:
    """Soft clouds of colour with some grain, as in a wallpaper or a photograph."""
    coarse = rng.integers(low, high, size=(4, 6, 3), dtype=np.uint8)
    image = Image.fromarray(coarse).resize((width, height), Image.Resampling.BICUBIC)
    grain = rng.integers(0, 2, size=(height, width, 1), dtype=np.uint8)
    return np.asarray(image) + grain


def _text(rng: np.random.Generator, width: int, num_lines: int, shade: int) -> Picture:
    """Lines of words, with headings and pictures here and there."""
    image = Image.new("RGB", (width, num_lines * _LINE), (shade, shade, shade))
    draw = ImageDraw.Draw(image)
    ink = (20, 20, 30) if shade > 128 else (220, 220, 210)
    line = 0
    while line < num_lines - 8:
        draws, top = rng.random(), line * _LINE
        if draws < 0.05 and width > 600:
            picture = _blurred(rng, width - 400, 6 * _LINE, low=60, high=220)
            image.paste(Image.fromarray(picture), (200, top))
            line += 7
            continue
        size = 30 if draws > 0.94 else 20
        count = int(rng.integers(2, width // 95)) if draws > 0.2 or width < 600 else 0
        words = [str(rng.choice(_WORDS)) for _ in range(count)]
        draw.text((60, top + 4), " ".join(words), fill=ink, font_size=size)
        line += 1
    return np.asarray(image)
