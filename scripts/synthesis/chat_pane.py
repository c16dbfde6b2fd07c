"""The chat beside the application: bubbles, tool calls, and the line where one types."""

from __future__ import annotations

from dataclasses import dataclass

from PIL import Image

from scripts.synthesis.desktop import Box, Color, Pen, text_width, wrap_text
from scripts.synthesis.timeline import Act

__all__ = ["ChatState", "brand_of", "chat_state", "draw_chat"]

_BRANDS = {
    "claude": ("Claude", (193, 106, 74)),
    "chatgpt": ("ChatGPT", (28, 140, 110)),
    "gemini": ("Gemini", (66, 114, 214)),
    "grok": ("Grok", (92, 96, 104)),
}
_THINKING_SHARE = 0.12
_UPDATES_HZ = 4


@dataclass(frozen=True)
class _Bubble:
    is_ai: bool
    text: str
    tools: tuple[str, ...]


@dataclass(frozen=True)
class ChatState:
    """What the chat shows at one moment: two equal states look the same."""

    brand: str
    bubbles: tuple[_Bubble, ...]
    typed: str


def chat_state(turns: list[tuple[str, Act]], now: int) -> ChatState:
    """The chat at a time.

    Args:
        turns: `(brand, act)` of every act that says something, by start.
        now: Milliseconds of the recording.

    Returns:
        The last brand talked to, its turns so far (an AI's turn grows while it lasts, a human's
        appears when it is sent), and what stands in the line where one types.
    """
    begun = [(brand, act) for brand, act in turns if act.start <= now]
    brand = begun[-1][0] if begun else (turns[0][0] if turns else "claude")
    bubbles, typed = [], ""
    for turn_brand, act in begun:
        share = _share(act, now)
        if turn_brand != brand:
            continue
        if not act.is_ai:
            if share < 1:
                typed = act.beat.says[: round(len(act.beat.says) * share)]
            else:
                bubbles.append(_Bubble(False, act.beat.says, ()))
            continue
        tools = tuple(tool.name for tool in act.beat.tools) if share > _THINKING_SHARE / 2 else ()
        spoken = max(0.0, (share - _THINKING_SHARE) / (1 - _THINKING_SHARE))
        text = act.beat.says[: round(len(act.beat.says) * spoken)] or "..."
        bubbles.append(_Bubble(True, text, tools))
    return ChatState(brand, tuple(bubbles), typed)


def brand_of(state: ChatState) -> tuple[str, Color]:
    """The name and the colour of the brand that is talked to."""
    return _BRANDS.get(state.brand, (state.brand.title(), (92, 96, 104)))


def _share(act: Act, now: int) -> float:
    if now >= act.end:
        return 1.0
    tick = 1000 // _UPDATES_HZ
    return (now - act.start) // tick * tick / max(1, act.end - act.start)


def draw_chat(pen: Pen, box: Box, state: ChatState) -> None:
    """The chat window's inside, scrolled to its end."""
    name, color = brand_of(state)
    head, pad, radius = pen.px(36), pen.px(9), pen.px(10)
    pen.draw.rectangle(box.corners, fill=pen.theme.window)
    middle = box.top + head // 2
    x = box.left + pad + radius
    pen.draw.ellipse((x - radius, middle - radius, x + radius, middle + radius), fill=color)
    pen.write((x, middle), name[0], pen.px(13), (255, 255, 255), "mm")
    pen.write((x + radius + pad, middle), name, pen.px(14), anchor="lm")
    pen.draw.line((box.left, box.top + head, box.right, box.top + head), fill=pen.theme.line)
    composer = _draw_composer(pen, box, state.typed, color)
    room = Box(box.left, box.top + head + 1, box.right, composer.top - pad)
    if room.height > 0:
        _paste_bubbles(pen, room, state, color)


def _draw_composer(pen: Pen, box: Box, typed: str, color: Color) -> Box:
    draw, theme = pen.draw, pen.theme
    size, pad = pen.px(13), pen.px(9)
    width = box.width - 5 * pad - pen.px(22)
    lines = wrap_text(typed, size=size, width=width)[-3:] if typed else ("Write a message",)
    height = pen.px(14 + 18 * len(lines))
    frame = Box(box.left + pad, box.bottom - pad - height, box.right - pad, box.bottom - pad)
    bright = color if typed else theme.line
    draw.rounded_rectangle(frame.corners, radius=pen.px(10), fill=theme.panel, outline=bright)
    for index, line in enumerate(lines):
        at = (frame.left + pad, frame.top + pen.px(7 + 18 * index))
        pen.write(at, line, size, theme.text if typed else theme.faint)
    if typed:
        x = frame.left + pad + text_width(lines[-1], size) + 2
        draw.line((x, frame.bottom - pen.px(24), x, frame.bottom - pen.px(8)), theme.text)
    x, y, radius = frame.right - pen.px(18), frame.bottom - pen.px(16), pen.px(9)
    draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=bright)
    reach = pen.px(4)
    draw.polygon(((x - reach, y + reach), (x + reach, y), (x - reach, y - reach)), (255, 255, 255))
    return frame


def _paste_bubbles(pen: Pen, room: Box, state: ChatState, color: Color) -> None:
    """Bubbles from the top down, or the last ones where there are too many."""
    theme = pen.theme
    size, line, pad = pen.px(13), pen.px(18), pen.px(9)
    inner = round(room.width * 0.80) - 2 * pad
    wrapped = [(bubble, wrap_text(bubble.text, size=size, width=inner)) for bubble in state.bubbles]
    chip = line + pen.px(6)
    heights = [len(lines) * line + 2 * pad + len(b.tools) * chip for b, lines in wrapped]
    top = pad + min(0, room.height - pad - sum(heights))
    layer = pen.on(Image.new("RGB", (room.width, room.height), theme.window))
    for (bubble, lines), height in zip(wrapped, heights, strict=True):
        y = top
        for tool in bubble.tools:
            label, small = f"used {tool}", pen.px(12)
            frame = (pad, y, pad + text_width(label, small) + 2 * pad, y + line)
            layer.draw.rounded_rectangle(frame, radius=line // 2, outline=color)
            layer.write((2 * pad, y + line // 2), label, small, color, "lm")
            y += chip
        width = max(text_width(text, size) for text in lines) + 2 * pad
        left = pad if bubble.is_ai else room.width - pad - width
        fill = theme.bubble if bubble.is_ai else theme.accent
        ink = theme.text if bubble.is_ai else theme.on_accent
        frame = (left, y, left + width, y + len(lines) * line + pad)
        layer.draw.rounded_rectangle(frame, radius=pen.px(9), fill=fill)
        for index, text in enumerate(lines):
            layer.write((left + pad, y + pad // 2 + index * line), text, size, ink)
        top += height
    pen.image.paste(layer.image, (room.left, room.top))
