"""A session's screen at any time: desktop, application, chat, cursor, clock and strip."""

from __future__ import annotations

import binascii
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PIL import Image

from scripts.synthesis.chat_pane import ChatState, brand_of, chat_state, draw_chat
from scripts.synthesis.desktop import (
    THEMES,
    Box,
    Pen,
    clean_text,
    draw_cursor,
    draw_taskbar,
    draw_window,
    wallpaper,
    wrap_text,
)
from scripts.synthesis.panes import STEPS_PER_ITEM, draw_pane
from scripts.synthesis.strip import STRIP_HEIGHT, paint_strip
from scripts.synthesis.timeline import Act, Timeline

__all__ = ["Screen"]

_MOVE_MS = 700
_WORK_MOVE_EVERY_MS = 1900


@dataclass(frozen=True)
class _Still:
    """Everything but the cursor, the clock and the strip."""

    chat: ChatState
    steps: int
    caption: tuple[str, str]
    other: Act | None
    """Work in another application than the main one, which comes in a window of its own."""


@dataclass(frozen=True)
class _Move:
    start: int
    x: float
    y: float


class Screen:
    """Paints the frames of one session; the layers that stay the same are kept."""

    def __init__(self, timeline: Timeline, *, width: int, height: int) -> None:
        """Lay out the desktop.

        Args:
            timeline: The session.
            width: Of the frames, even.
            height: Of the frames, even.
        """
        self._timeline, self._look = timeline, timeline.look
        theme = THEMES[self._look.theme % len(THEMES)]
        self._size = width, height
        self._background = Pen(
            wallpaper(width, height, theme), theme, min(height / 720, width / 1152)
        )
        strip = max(1, round(height * STRIP_HEIGHT))
        bar, gap = self._background.px(34), self._background.px(12)
        self._bar = Box(0, height - strip - bar, width, height - strip)
        split = round(width * (0.36 if theme.is_chat_left else 0.635))
        left = Box(gap, gap, split - gap // 2, self._bar.top - gap)
        right = Box(split + gap // 2, gap + gap, width - gap, self._bar.top - round(2.2 * gap))
        self._chat_box, self._app_box = (left, right) if theme.is_chat_left else (right, left)
        self._acts = timeline.acts
        self._turns = _turns(self._acts)
        names = [act.beat.softwares for act in self._acts if _is_work(act) and act.beat.softwares]
        self._main_app = clean_text(max(names, key=names.count) if names else "Notes")
        self._moves = self._plan_moves()
        self._still: tuple[_Still, Image.Image] | None = None
        self._minute = binascii.crc32(self._timeline.session_id.encode()) % 360 + 8 * 60

    def paint(self, now: int) -> npt.NDArray[np.uint8]:
        """The frame at a time of the recording, in milliseconds, as `[H, W, 3]` RGB."""
        state = _Still(
            chat=chat_state(self._turns, now),
            steps=self._steps(now),
            caption=self._caption(now),
            other=self._other(now),
        )
        if self._still is None or self._still[0] != state:
            self._still = state, self._paint_still(state)
        pen = self._background.on(self._still[1].copy())
        self._draw_clock(pen, now)
        x, y = self._cursor(now)
        draw_cursor(pen, round(x), round(y))
        pixels = np.array(pen.image)
        paint_strip(pixels, session_id=self._timeline.session_id, milliseconds=now)
        return pixels

    def is_busy(self, now: int) -> bool:
        """Whether the picture moves at a time (which a recorder of variable rate notices)."""
        move = self._last_move(now)
        if move is not None and now - self._moves[move].start < _MOVE_MS:
            return True
        return any(act.beat.says and act.start <= now < act.end for act in self._acts)

    def _paint_still(self, state: _Still) -> Image.Image:
        pen = self._background.on(self._background.image.copy())
        brand = brand_of(state.chat)[0]
        inside = draw_window(pen, self._app_box, f"{self._look.document} - {self._main_app}")
        draw_pane(pen, inside, self._look, state.steps, state.caption)
        if state.other is not None:
            self._paint_other(pen, state.other)
        draw_chat(pen, draw_window(pen, self._chat_box, brand), state.chat)
        other = (clean_text(state.other.beat.softwares),) if state.other is not None else ()
        draw_taskbar(pen, self._bar, tuple(dict.fromkeys((self._main_app, *other, brand))))
        return pen.image

    def _paint_other(self, pen: Pen, act: Act) -> None:
        box = self._app_box
        frame = Box(
            box.left + round(box.width * 0.3),
            box.top + round(box.height * 0.4),
            box.right - pen.px(28),
            box.bottom - pen.px(56),
        )
        title = f"{clean_text(act.beat.softwares)} - {act.beat.label}"
        inside = draw_window(pen, frame, title)
        size, line, pad = pen.px(14), pen.px(24), pen.px(16)
        lines = wrap_text(act.beat.detail, size=size, width=inside.width - 2 * pad)
        left, right = inside.left + pad, inside.right - pad
        for index in range((inside.height - pad) // line):
            y = inside.top + pad + index * line
            pen.draw.line((left, y + line - 4, right, y + line - 4), fill=pen.theme.line)
            if index < len(lines):
                pen.write((left, y), lines[index], size)

    def _draw_clock(self, pen: Pen, now: int) -> None:
        minute = self._minute + now // 60000
        middle, right, size = (self._bar.top + self._bar.bottom) // 2, self._bar.right, pen.px(15)
        clock = f"{minute // 60 % 24:02d}:{minute % 60:02d}"
        pen.write((right - pen.px(12), middle), clock, size, (235, 238, 244), "rm")
        seconds, rest = divmod(now, 1000)
        stamp = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{rest:03d}"
        x = right - pen.px(286)
        dot = (x, middle - 5 * pen.ui, x + 10 * pen.ui, middle + 5 * pen.ui)
        pen.draw.ellipse(dot, fill=(226, 62, 56))
        text = f"{self._timeline.session_id}   {stamp}"
        pen.write((x + pen.px(18), middle), text, size, (255, 255, 255), "lm")

    def _steps(self, now: int) -> int:
        """How much of the canvas is there: it grows while somebody works in the application."""
        work = [act for act in self._acts if _is_work(act)]
        total = sum(act.end - act.start for act in work) or 1
        done = sum(max(0, min(now, act.end) - act.start) for act in work)
        return len(self._look.canvas) * STEPS_PER_ITEM * done // total

    def _caption(self, now: int) -> tuple[str, str]:
        segment = next((s for s in reversed(self._timeline.segments) if s.start <= now), None)
        if segment is None:
            return "Ready", ""
        act = self._act(now)
        return f"{segment.badge}: {segment.name}", "" if act is None else _label(act, segment.acts)

    def _other(self, now: int) -> Act | None:
        act = self._act(now)
        if act is None or not _is_work(act) or not act.beat.detail:
            return None
        return act if clean_text(act.beat.softwares) not in ("", self._main_app) else None

    def _act(self, now: int) -> Act | None:
        begun = [act for act in self._acts if act.start <= now < act.end]
        return begun[-1] if begun else None

    def _plan_moves(self) -> list[_Move]:
        """Where the cursor goes, and when: into the chat to write, over the canvas to work."""
        rng = np.random.default_rng(binascii.crc32(self._timeline.session_id.encode()))
        moves = []
        for act in self._acts:
            if act.beat.says and not act.is_ai:
                box = Box(
                    self._chat_box.left, self._chat_box.bottom - 60, *self._chat_box.corners[2:]
                )
            else:
                box = self._chat_box if act.is_ai else self._app_box
            every = _WORK_MOVE_EVERY_MS if _is_work(act) else act.end - act.start + 1
            for start in range(act.start, max(act.end, act.start + 1), every):
                x = box.left + box.width * rng.uniform(0.25, 0.85)
                y = box.top + box.height * rng.uniform(0.25, 0.85)
                moves.append(_Move(start, x, y))
        return sorted(moves, key=lambda move: move.start)

    def _last_move(self, now: int) -> int | None:
        begun = [index for index, move in enumerate(self._moves) if move.start <= now]
        return begun[-1] if begun else None

    def _cursor(self, now: int) -> tuple[float, float]:
        index = self._last_move(now)
        centre = self._size[0] / 2, self._size[1] / 2
        if index is None:
            return centre
        move = self._moves[index]
        x0, y0 = (self._moves[index - 1].x, self._moves[index - 1].y) if index else centre
        share = min(1.0, (now - move.start) / _MOVE_MS)
        eased = share * share * (3 - 2 * share)
        return x0 + (move.x - x0) * eased, y0 + (move.y - y0) * eased


def _is_work(act: Act) -> bool:
    """Whether somebody works in an application, and not in the chat."""
    return not act.is_ai and not act.beat.says


def _label(act: Act, acts: tuple[Act, ...]) -> str:
    """The label of an act's node, which only the node's first act carries."""
    return next((a.beat.label for a in acts if a.beat.node == act.beat.node and a.beat.label), "")


def _turns(acts: list[Act]) -> list[tuple[str, Act]]:
    """Every act that says something, with the brand of AI it talks to."""
    turns, brand = [], "claude"
    for act in reversed(acts):
        if act.is_ai:
            brand = act.beat.actor
        if act.beat.says and act.is_typed:
            turns.append((brand, act))
    return turns[::-1]
