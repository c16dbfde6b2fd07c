"""The applications people work in: a floor plan, a spreadsheet, a text editor.

Each draws its canvas as far as the work has come: `shown` items, the last of them in part.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from PIL import ImageDraw

from scripts.synthesis.desktop import Box, Theme, clean_text, font, text_width
from scripts.synthesis.story import AppKind

__all__ = ["PANES", "STEPS_PER_ITEM", "draw_pane"]

Draw = ImageDraw.ImageDraw
STEPS_PER_ITEM = 8
"""An item (a room, a row, a line) appears in so many steps."""


def draw_pane(
    draw: Draw,
    box: Box,
    *,
    kind: AppKind,
    canvas: tuple[str, ...],
    steps: int,
    caption: tuple[str, str],
    theme: Theme,
    ui: float,
) -> None:
    """An application window's inside.

    Args:
        draw: Where to draw.
        box: The inside of the window.
        kind: Which application.
        canvas: Its content.
        steps: How much of it is there, `STEPS_PER_ITEM` to an item.
        caption: What the status bar says, left and right.
        theme: Colours.
        ui: Scale of text and lines; 1 at a height of 720.
    """
    bar = round(24 * ui)
    room = Box(box.left, box.top, box.right, box.bottom - bar)
    PANES[kind](draw, room, canvas, steps, theme, ui)
    draw.rectangle((box.left, room.bottom, box.right - 1, box.bottom - 1), fill=theme.accent)
    size, middle, margin = round(12 * ui), room.bottom + bar // 2, round(9 * ui)
    left, right = (clean_text(text) for text in caption)
    draw.text((box.left + margin, middle), left, font=font(size), fill=theme.on_accent, anchor="lm")
    space = box.width - text_width(left, size) - 4 * margin
    while right and text_width(right, size) > space:
        right = right[:-4].rstrip(" .") + "..." if len(right) > 8 else ""
    draw.text(
        (box.right - margin, middle), right, font=font(size), fill=theme.on_accent, anchor="rm"
    )


_INKS = {
    "gold": ((146, 92, 10), (233, 182, 97)),
    "red": ((190, 45, 40), (236, 120, 112)),
    "green": ((20, 104, 84), (158, 206, 190)),
}


def _ink(theme: Theme, name: str) -> tuple[int, int, int]:
    """A colour that can be read on the theme's windows, be they light or dark."""
    return _INKS[name][int(sum(theme.window) < 3 * 128)]


def _ribbon(draw: Draw, box: Box, tools: tuple[str, ...], theme: Theme, ui: float) -> Box:
    height, x, size = round(34 * ui), box.left + round(8 * ui), round(12 * ui)
    draw.rectangle((box.left, box.top, box.right - 1, box.top + height), fill=theme.panel)
    draw.line((box.left, box.top + height, box.right - 1, box.top + height), fill=theme.line)
    for index, tool in enumerate(tools):
        width = text_width(tool, size) + round(16 * ui)
        if x + width > box.right:
            break
        frame = (x, box.top + round(6 * ui), x + width, box.top + height - round(6 * ui))
        draw.rounded_rectangle(
            frame,
            radius=round(4 * ui),
            fill=theme.accent if index == 1 else theme.window,
            outline=theme.line,
        )
        color = theme.on_accent if index == 1 else theme.text
        draw.text(
            (x + width // 2, box.top + height // 2), tool, font=font(size), fill=color, anchor="mm"
        )
        x += width + round(6 * ui)
    return Box(box.left, box.top + height + 1, box.right, box.bottom)


def _sidebar(
    draw: Draw, box: Box, entries: tuple[str, ...], width: int, theme: Theme, ui: float
) -> Box:
    draw.rectangle((box.left, box.top, box.left + width, box.bottom - 1), fill=theme.panel)
    draw.line((box.left + width, box.top, box.left + width, box.bottom - 1), fill=theme.line)
    y = box.top + round(8 * ui)
    for entry in entries:
        depth = len(entry) - len(entry.lstrip())
        draw.text(
            (box.left + round((8 + 9 * depth) * ui), y),
            clean_text(entry.strip()),
            font=font(round(12 * ui)),
            fill=theme.text if depth else theme.faint,
        )
        y += round(20 * ui)
    return Box(box.left + width + 1, box.top, box.right, box.bottom)


_ROOM_FILLS = ((214, 229, 244), (246, 230, 205), (221, 238, 214), (240, 220, 226), (229, 224, 242))


def _draw_plan(
    draw: Draw, box: Box, canvas: tuple[str, ...], steps: int, theme: Theme, ui: float
) -> None:
    room = _ribbon(draw, box, ("Select", "Room", "Wall", "Door", "Measure", "Tag"), theme, ui)
    names = tuple(f" {item.split('|')[0]}" for item in canvas)
    room = _sidebar(draw, room, ("Drawing", *names), round(124 * ui), theme, ui)
    for x in range(room.left + 10, room.right, round(20 * ui)):
        for y in range(room.top + 10, room.bottom, round(20 * ui)):
            draw.point((x, y), fill=theme.line)
    sheet = Box(
        room.left + round(26 * ui),
        room.top + round(34 * ui),
        room.right - round(26 * ui),
        room.bottom - round(26 * ui),
    )
    wall = max(2, round(3 * ui))
    draw.rectangle(sheet.corners, outline=theme.text, width=wall)
    for index, item in enumerate(canvas):
        done = min(STEPS_PER_ITEM, steps - index * STEPS_PER_ITEM)
        if done > 0:
            fill = _ROOM_FILLS[index % len(_ROOM_FILLS)]
            _draw_room(draw, sheet, item.split("|"), done / STEPS_PER_ITEM, fill, theme, ui)
    draw.line((sheet.left, sheet.top - 12, sheet.right, sheet.top - 12), fill=theme.accent)
    for x in (sheet.left, sheet.right):
        draw.line((x - 3, sheet.top - 9, x + 3, sheet.top - 15), fill=theme.accent)
    draw.text(
        ((sheet.left + sheet.right) // 2, sheet.top - round(21 * ui)),
        "1:100",
        font=font(round(12 * ui)),
        fill=theme.accent,
        anchor="mm",
    )


def _draw_room(
    draw: Draw,
    sheet: Box,
    item: list[str],
    done: float,
    fill: tuple[int, int, int],
    theme: Theme,
    ui: float,
) -> None:
    name, x, y, width, height = item[0], *(float(number) for number in item[1:5])
    left = sheet.left + sheet.width * x / 100
    bottom = sheet.bottom - sheet.height * y / 100
    right = left + sheet.width * width / 100 * done
    top = bottom - sheet.height * height / 100 * done
    is_done = done == 1
    draw.rectangle(
        (round(left), round(top), round(right) - 1, round(bottom) - 1),
        fill=fill if is_done else None,
        outline=theme.text if is_done else theme.accent,
        width=max(2, round((3 if is_done else 1.5) * ui)),
    )
    if not is_done:
        return
    centre = (left + right) / 2, (top + bottom) / 2
    area = f"{item[5]} m2" if len(item) > 5 and item[5] else ""
    size = round(13 * ui)
    while size > 8 and text_width(clean_text(name), size) > right - left - 8:
        size -= 1
    draw.text(
        (centre[0], centre[1] - (size * 0.6 if area else 0)),
        clean_text(name),
        font=font(size),
        fill=(35, 40, 48),
        anchor="mm",
    )
    draw.text(
        (centre[0], centre[1] + size * 0.7),
        area,
        font=font(size - 1),
        fill=(90, 98, 110),
        anchor="mm",
    )


def _draw_sheet(
    draw: Draw, box: Box, canvas: tuple[str, ...], steps: int, theme: Theme, ui: float
) -> None:
    room = _ribbon(draw, box, ("Home", "Formulas", "Insert", "Data", "Review"), theme, ui)
    rows = [row.split("|") for row in canvas]
    num_columns = max(len(row) for row in rows)
    line, head = round(24 * ui), round(34 * ui)
    size, top = round(13 * ui), room.top + line
    weights = [
        1 + (max(len(row[column]) for row in rows if column < len(row)) > 12)
        for column in range(num_columns)
    ] + [1]
    scale = (room.width - head) / sum(weights)
    edges = [room.left + head]
    for weight in weights:
        edges.append(edges[-1] + round(weight * scale))
    draw.rectangle((room.left, top, room.right - 1, top + line), fill=theme.panel)
    draw.rectangle((room.left, top, room.left + head, room.bottom - 1), fill=theme.panel)
    for column, (a, b) in enumerate(pairwise(edges)):
        middle = ((a + b) // 2, top + line // 2)
        draw.text(middle, chr(65 + column), font=font(size), fill=theme.faint, anchor="mm")
        draw.line((a, top, a, room.bottom - 1), fill=theme.line)
    for row in range((room.bottom - top) // line):
        y = top + row * line
        draw.line((room.left, y, room.right - 1, y), fill=theme.line)
        if row:
            middle = (room.left + head // 2, y + line // 2)
            draw.text(middle, str(row), font=font(size), fill=theme.faint, anchor="mm")
    selected, formula = (0, 0), ""
    for index, row_cells in enumerate(rows):
        done = min(STEPS_PER_ITEM, steps - index * STEPS_PER_ITEM)
        count = -(-done * len(row_cells) // STEPS_PER_ITEM)
        for column, cell in enumerate(row_cells[: max(0, count)]):
            frame = Box(edges[column], top + (index + 1) * line, edges[column + 1], 0)
            _draw_cell(draw, frame, cell, index == 0, line, theme, ui)
            selected, formula = (index, column), cell
    a, y = edges[selected[1]], top + (selected[0] + 1) * line
    draw.rectangle((a, y, edges[selected[1] + 1], y + line), outline=theme.accent, width=2)
    address = f"{chr(65 + selected[1])}{selected[0] + 1}"
    draw.rectangle((room.left, room.top, room.right - 1, top - 1), fill=theme.window)
    text = f"{address}    fx   {formula}"
    draw.text(
        (room.left + 9, room.top + line // 2), text, font=font(size), fill=theme.text, anchor="lm"
    )


def _draw_cell(
    draw: Draw, frame: Box, cell: str, is_head: bool, line: int, theme: Theme, ui: float
) -> None:
    middle, margin = frame.top + line // 2, round(6 * ui)
    is_number = cell.lstrip("-").replace(".", "").isdigit()
    if is_head:
        draw.rectangle(
            (frame.left + 1, frame.top + 1, frame.right - 1, frame.top + line - 1),
            fill=theme.bubble,
        )
    color = _ink(theme, "red") if is_number and cell.startswith("-") else theme.text
    x, anchor = (frame.right - margin, "rm") if is_number else (frame.left + margin, "lm")
    text = clean_text(cell)
    size = round(13 * ui)
    while size > 9 and text_width(text, size) > frame.width - margin:
        size -= 1
    draw.text((x, middle), text, font=font(size), fill=color, anchor=anchor)


def _draw_editor(
    draw: Draw, box: Box, canvas: tuple[str, ...], steps: int, theme: Theme, ui: float
) -> None:
    files = (
        "docs",
        " index.md",
        " install.md",
        " release_4.md",
        " terms.md",
        "images",
        " front.png",
    )
    room = _sidebar(draw, box, files, round(120 * ui), theme, ui)
    line, size, margin = round(24 * ui), round(14 * ui), round(38 * ui)
    y = room.top + round(10 * ui)
    for index, item in enumerate(canvas):
        done = min(STEPS_PER_ITEM, steps - index * STEPS_PER_ITEM)
        if done <= 0 and index:
            break
        if y + line > room.bottom:
            break
        number = (room.left + margin - round(12 * ui), y)
        draw.text(number, str(index + 1), font=font(size), fill=theme.faint, anchor="ra")
        text = clean_text(item)
        text = text[: len(text) * max(0, done) // STEPS_PER_ITEM]
        shown = text
        while text_width(shown, size) > room.width - margin - 8:
            shown = shown[:-1]
        color = theme.text
        if item.startswith(("#", ">")):
            color = _ink(theme, "gold" if item.startswith("#") else "red")
        elif item[:1] in "-123456789" and item:
            color = _ink(theme, "green")
        draw.text((room.left + margin, y), shown, font=font(size), fill=color)
        if done < STEPS_PER_ITEM:
            x = room.left + margin + text_width(shown, size) + 2
            draw.line((x, y, x, y + size + 2), fill=theme.on_accent, width=2)
        y += line


Painter = Callable[[Draw, Box, tuple[str, ...], int, Theme, float], None]
PANES: dict[AppKind, Painter] = {"plan": _draw_plan, "sheet": _draw_sheet, "editor": _draw_editor}
