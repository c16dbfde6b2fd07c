"""The chat beside the application: bubbles, tool calls, and the line where one types."""

from __future__ import annotations

from dataclasses import dataclass

from PIL import Image, ImageDraw

from scripts.synthesis.desktop import Box, Theme, font, text_width, wrap_text
from scripts.synthesis.timeline import Act

__all__ = ["BRANDS", "ChatState", "chat_state", "draw_chat"]

BRANDS = {
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


def _share(act: Act, now: int) -> float:
    if now >= act.end:
        return 1.0
    tick = 1000 // _UPDATES_HZ
    return (now - act.start) // tick * tick / max(1, act.end - act.start)


def draw_chat(image: Image.Image, box: Box, *, state: ChatState, theme: Theme, ui: float) -> None:
    """The chat window's inside, scrolled to its end."""
    draw = ImageDraw.Draw(image)
    name, color = BRANDS.get(state.brand, (state.brand.title(), theme.accent))
    head, size, pad = round(36 * ui), round(13 * ui), round(9 * ui)
    draw.rectangle(box.corners, fill=theme.window)
    middle = box.top + head // 2
    radius = round(10 * ui)
    x = box.left + pad + radius
    draw.ellipse((x - radius, middle - radius, x + radius, middle + radius), fill=color)
    draw.text((x, middle), name[0], font=font(size), fill=(255, 255, 255), anchor="mm")
    title = (x + radius + pad, middle)
    draw.text(title, name, font=font(round(14 * ui)), fill=theme.text, anchor="lm")
    draw.line((box.left, box.top + head, box.right, box.top + head), fill=theme.line)
    composer = _draw_composer(draw, box, state.typed, color, theme, ui)
    room = Box(box.left, box.top + head + 1, box.right, composer.top - pad)
    if room.height > 0:
        _paste_bubbles(image, room, state, color, theme, ui)


def _draw_composer(
    draw: ImageDraw.ImageDraw,
    box: Box,
    typed: str,
    color: tuple[int, int, int],
    theme: Theme,
    ui: float,
) -> Box:
    size, pad = round(13 * ui), round(9 * ui)
    width = box.width - 5 * pad - round(22 * ui)
    lines = wrap_text(typed, size=size, width=width)[-3:] if typed else ("Write a message",)
    height = round((14 + 18 * len(lines)) * ui)
    frame = Box(box.left + pad, box.bottom - pad - height, box.right - pad, box.bottom - pad)
    outline = color if typed else theme.line
    radius = round(10 * ui)
    draw.rounded_rectangle(frame.corners, radius=radius, fill=theme.panel, outline=outline)
    for index, line in enumerate(lines):
        at = (frame.left + pad, frame.top + round((7 + 18 * index) * ui))
        draw.text(at, line, font=font(size), fill=theme.text if typed else theme.faint)
    if typed:
        x = frame.left + pad + text_width(lines[-1], size) + 2
        draw.line((x, frame.bottom - round(24 * ui), x, frame.bottom - round(8 * ui)), theme.text)
    x, y, radius = frame.right - round(18 * ui), frame.bottom - round(16 * ui), round(9 * ui)
    fill = color if typed else theme.line
    draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=fill)
    reach = round(4 * ui)
    draw.polygon(((x - reach, y + reach), (x + reach, y), (x - reach, y - reach)), (255, 255, 255))
    return frame


def _paste_bubbles(
    image: Image.Image,
    room: Box,
    state: ChatState,
    color: tuple[int, int, int],
    theme: Theme,
    ui: float,
) -> None:
    """Bubbles from the top down, or the last ones where there are too many."""
    size, line, pad = round(13 * ui), round(18 * ui), round(9 * ui)
    inner = round(room.width * 0.80) - 2 * pad
    wrapped = [(bubble, wrap_text(bubble.text, size=size, width=inner)) for bubble in state.bubbles]
    chip = line + round(6 * ui)
    heights = [len(lines) * line + 2 * pad + len(b.tools) * chip for b, lines in wrapped]
    top = pad + min(0, room.height - pad - sum(heights))
    layer = Image.new("RGB", (room.width, room.height), theme.window)
    draw = ImageDraw.Draw(layer)
    for (bubble, lines), height in zip(wrapped, heights, strict=True):
        y = top
        for tool in bubble.tools:
            label, small = f"used {tool}", round(12 * ui)
            frame = (pad, y, pad + text_width(label, small) + 2 * pad, y + line)
            draw.rounded_rectangle(frame, radius=line // 2, outline=color)
            draw.text((2 * pad, y + line // 2), label, font=font(small), fill=color, anchor="lm")
            y += chip
        width = max(text_width(text, size) for text in lines) + 2 * pad
        left = pad if bubble.is_ai else room.width - pad - width
        fill = theme.bubble if bubble.is_ai else theme.accent
        ink = theme.text if bubble.is_ai else theme.on_accent
        frame = (left, y, left + width, y + len(lines) * line + pad)
        draw.rounded_rectangle(frame, radius=round(9 * ui), fill=fill)
        for index, text in enumerate(lines):
            at = (left + pad, y + pad // 2 + index * line)
            draw.text(at, text, font=font(size), fill=ink)
        top += height
    image.paste(layer, (room.left, room.top))
