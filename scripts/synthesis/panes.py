"""The applications people work in: a floor plan, a spreadsheet, a text editor.

Each draws its canvas as far as the work has come: `shown` items, the last of them in part.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from scripts.synthesis.desktop import Box, Color, Pen, Theme, clean_text, text_width
from scripts.synthesis.story import AppKind, Look

__all__ = ["STEPS_PER_ITEM", "draw_pane"]

STEPS_PER_ITEM = 8
"""An item (a room, a row, a line) appears in so many steps."""


def draw_pane(pen: Pen, box: Box, look: Look, steps: int, caption: tuple[str, str]) -> None:
    """An application window's inside.

    Args:
        pen: Draws.
        box: The inside of the window.
        look: Says which application, and what is in it.
        steps: How much of that is there, `STEPS_PER_ITEM` to an item.
        caption: What the status bar says, left and right.
    """
    bar, theme = pen.px(24), pen.theme
    room = Box(box.left, box.top, box.right, box.bottom - bar)
    _PANES[look.app](pen, room, look.canvas, steps)
    pen.draw.rectangle((box.left, room.bottom, box.right - 1, box.bottom - 1), fill=theme.accent)
    size, middle, margin = pen.px(12), room.bottom + bar // 2, pen.px(9)
    left, right = (clean_text(text) for text in caption)
    pen.write((box.left + margin, middle), left, size, theme.on_accent, "lm")
    space = box.width - text_width(left, size) - 4 * margin
    while right and text_width(right, size) > space:
        right = right[:-4].rstrip(" .") + "..." if len(right) > 8 else ""
    pen.write((box.right - margin, middle), right, size, theme.on_accent, "rm")


_INKS = {
    "gold": ((146, 92, 10), (233, 182, 97)),
    "red": ((190, 45, 40), (236, 120, 112)),
    "green": ((20, 104, 84), (158, 206, 190)),
}


def _ink(theme: Theme, name: str) -> Color:
    """A colour that can be read on the theme's windows, be they light or dark."""
    return _INKS[name][int(sum(theme.window) < 3 * 128)]


def _ribbon(pen: Pen, box: Box, tools: tuple[str, ...]) -> Box:
    draw, theme = pen.draw, pen.theme
    height, x, size = pen.px(34), box.left + pen.px(8), pen.px(12)
    draw.rectangle((box.left, box.top, box.right - 1, box.top + height), fill=theme.panel)
    draw.line((box.left, box.top + height, box.right - 1, box.top + height), fill=theme.line)
    for index, tool in enumerate(tools):
        width = text_width(tool, size) + pen.px(16)
        if x + width > box.right:
            break
        is_chosen = index == 1
        frame = (x, box.top + pen.px(6), x + width, box.top + height - pen.px(6))
        fill = theme.accent if is_chosen else theme.window
        draw.rounded_rectangle(frame, radius=pen.px(4), fill=fill, outline=theme.line)
        color = theme.on_accent if is_chosen else theme.text
        pen.write((x + width // 2, box.top + height // 2), tool, size, color, "mm")
        x += width + pen.px(6)
    return Box(box.left, box.top + height + 1, box.right, box.bottom)


def _sidebar(pen: Pen, box: Box, entries: tuple[str, ...], width: int) -> Box:
    theme, right = pen.theme, box.left + width
    pen.draw.rectangle((box.left, box.top, right, box.bottom - 1), fill=theme.panel)
    pen.draw.line((right, box.top, right, box.bottom - 1), fill=theme.line)
    y = box.top + pen.px(8)
    for entry in entries:
        depth = len(entry) - len(entry.lstrip())
        at = (box.left + pen.px(8 + 9 * depth), y)
        pen.write(at, clean_text(entry.strip()), pen.px(12), None if depth else theme.faint)
        y += pen.px(20)
    return Box(right + 1, box.top, box.right, box.bottom)


_ROOM_FILLS = ((214, 229, 244), (246, 230, 205), (221, 238, 214), (240, 220, 226), (229, 224, 242))


def _draw_plan(pen: Pen, box: Box, canvas: tuple[str, ...], steps: int) -> None:
    draw, theme = pen.draw, pen.theme
    room = _ribbon(pen, box, ("Select", "Room", "Wall", "Door", "Measure", "Tag"))
    names = tuple(f" {item.split('|')[0]}" for item in canvas)
    room = _sidebar(pen, room, ("Drawing", *names), pen.px(124))
    for x in range(room.left + 10, room.right, pen.px(20)):
        for y in range(room.top + 10, room.bottom, pen.px(20)):
            draw.point((x, y), fill=theme.line)
    margin = pen.px(26)
    sheet = Box(
        room.left + margin, room.top + pen.px(34), room.right - margin, room.bottom - margin
    )
    draw.rectangle(sheet.corners, outline=theme.text, width=max(2, pen.px(3)))
    for index, item in enumerate(canvas):
        done = min(STEPS_PER_ITEM, steps - index * STEPS_PER_ITEM)
        if done > 0:
            fill = _ROOM_FILLS[index % len(_ROOM_FILLS)]
            _draw_room(pen, sheet, item.split("|"), done / STEPS_PER_ITEM, fill)
    draw.line((sheet.left, sheet.top - 12, sheet.right, sheet.top - 12), fill=theme.accent)
    for x in (sheet.left, sheet.right):
        draw.line((x - 3, sheet.top - 9, x + 3, sheet.top - 15), fill=theme.accent)
    at = ((sheet.left + sheet.right) // 2, sheet.top - pen.px(21))
    pen.write(at, "1:100", pen.px(12), theme.accent, "mm")


def _draw_room(pen: Pen, sheet: Box, item: list[str], done: float, fill: Color) -> None:
    name, x, y, width, height = item[0], *(float(number) for number in item[1:5])
    left = sheet.left + sheet.width * x / 100
    bottom = sheet.bottom - sheet.height * y / 100
    right = left + sheet.width * width / 100 * done
    top = bottom - sheet.height * height / 100 * done
    is_done = done == 1
    pen.draw.rectangle(
        (round(left), round(top), round(right) - 1, round(bottom) - 1),
        fill=fill if is_done else None,
        outline=pen.theme.text if is_done else pen.theme.accent,
        width=max(2, pen.px(3 if is_done else 1.5)),
    )
    if not is_done:
        return
    x, y = (left + right) / 2, (top + bottom) / 2
    area = f"{item[5]} m2" if len(item) > 5 and item[5] else ""
    size = pen.px(13)
    while size > 8 and text_width(clean_text(name), size) > right - left - 8:
        size -= 1
    up = size * 0.6 if area else 0
    pen.write((x, y - up), clean_text(name), size, (35, 40, 48), "mm")
    pen.write((x, y + size * 0.7), area, size - 1, (90, 98, 110), "mm")


def _draw_sheet(pen: Pen, box: Box, canvas: tuple[str, ...], steps: int) -> None:
    draw, theme = pen.draw, pen.theme
    room = _ribbon(pen, box, ("Home", "Formulas", "Insert", "Data", "Review"))
    rows = [row.split("|") for row in canvas]
    num_columns = max(len(row) for row in rows)
    line, head = pen.px(24), pen.px(34)
    size, top = pen.px(13), room.top + line
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
        pen.write(middle, chr(65 + column), size, theme.faint, "mm")
        draw.line((a, top, a, room.bottom - 1), fill=theme.line)
    for row in range((room.bottom - top) // line):
        y = top + row * line
        draw.line((room.left, y, room.right - 1, y), fill=theme.line)
        if row:
            middle = (room.left + head // 2, y + line // 2)
            pen.write(middle, str(row), size, theme.faint, "mm")
    selected, formula = (0, 0), ""
    for index, row_cells in enumerate(rows):
        done = min(STEPS_PER_ITEM, steps - index * STEPS_PER_ITEM)
        count = -(-done * len(row_cells) // STEPS_PER_ITEM)
        for column, cell in enumerate(row_cells[: max(0, count)]):
            frame = Box(edges[column], top + (index + 1) * line, edges[column + 1], 0)
            _draw_cell(pen, frame, cell, index == 0, line)
            selected, formula = (index, column), cell
    a, y = edges[selected[1]], top + (selected[0] + 1) * line
    draw.rectangle((a, y, edges[selected[1] + 1], y + line), outline=theme.accent, width=2)
    address = f"{chr(65 + selected[1])}{selected[0] + 1}"
    draw.rectangle((room.left, room.top, room.right - 1, top - 1), fill=theme.window)
    text = f"{address}    fx   {formula}"
    pen.write((room.left + 9, room.top + line // 2), text, size, anchor="lm")


def _draw_cell(pen: Pen, frame: Box, cell: str, is_head: bool, line: int) -> None:
    theme, middle, margin = pen.theme, frame.top + line // 2, pen.px(6)
    is_number = cell.lstrip("-").replace(".", "").isdigit()
    if is_head:
        inside = (frame.left + 1, frame.top + 1, frame.right - 1, frame.top + line - 1)
        pen.draw.rectangle(inside, fill=theme.bubble)
    color = _ink(theme, "red") if is_number and cell.startswith("-") else theme.text
    x, anchor = (frame.right - margin, "rm") if is_number else (frame.left + margin, "lm")
    text = clean_text(cell)
    size = pen.px(13)
    while size > 9 and text_width(text, size) > frame.width - margin:
        size -= 1
    pen.write((x, middle), text, size, color, anchor)


def _draw_editor(pen: Pen, box: Box, canvas: tuple[str, ...], steps: int) -> None:
    files = (
        "docs",
        " index.md",
        " install.md",
        " release_4.md",
        " terms.md",
        "images",
        " front.png",
    )
    theme, room = pen.theme, _sidebar(pen, box, files, pen.px(120))
    line, size, margin = pen.px(24), pen.px(14), pen.px(38)
    y = room.top + pen.px(10)
    for index, item in enumerate(canvas):
        done = min(STEPS_PER_ITEM, steps - index * STEPS_PER_ITEM)
        if done <= 0 and index:
            break
        if y + line > room.bottom:
            break
        number = (room.left + margin - pen.px(12), y)
        pen.write(number, str(index + 1), size, theme.faint, "ra")
        text = clean_text(item)
        shown = text[: len(text) * max(0, done) // STEPS_PER_ITEM]
        while text_width(shown, size) > room.width - margin - 8:
            shown = shown[:-1]
        color = theme.text
        if item.startswith(("#", ">")):
            color = _ink(theme, "gold" if item.startswith("#") else "red")
        elif item[:1] in "-123456789" and item:
            color = _ink(theme, "green")
        pen.write((room.left + margin, y), shown, size, color)
        if done < STEPS_PER_ITEM:
            x = room.left + margin + text_width(shown, size) + 2
            pen.draw.line((x, y, x, y + size + 2), fill=theme.on_accent, width=2)
        y += line


_PANES: dict[AppKind, Callable[[Pen, Box, tuple[str, ...], int], None]] = {
    "plan": _draw_plan,
    "sheet": _draw_sheet,
    "editor": _draw_editor,
}
