"""The map in CONTRIBUTING.md: its table and its drawing say what the rooms import."""

import ast
import re
from pathlib import Path

import kolab
from kolab_core.names import registry

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
MAP = TEXT.partition("## The map")[2].partition("\n## ")[0]


def room_of(module):
    """The room of a dotted module name, or None if it is not of this house."""
    top, _, rest = module.partition(".")
    if top == "kolab":
        return "kolab.py"
    if top == "kolab_core":
        return rest.partition(".")[0] or None
    return "metrics" if top == "metrics" else None


def imported_modules(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module == "kolab_core":
            yield from (f"kolab_core.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import, which the map cannot follow"
            yield node.module


def read_arrows():
    """Room -> the rooms that its files import."""
    arrows = {}
    for path in [ROOT / "kolab.py", *ROOT.glob("kolab_core/**/*.py"), *ROOT.glob("metrics/*/*.py")]:
        room = room_of(".".join(path.relative_to(ROOT).with_suffix("").parts))
        targets = {room_of(module) for module in imported_modules(path)}
        arrows.setdefault(room, set()).update(targets - {room, None, "__version__"})
    return {room: targets for room, targets in arrows.items() if room != "__init__"}


def read_table():
    rows = re.findall(r"^\| `([\w.]+)` \|[^|]+\| ([\w., ]*)\|$", MAP, flags=re.MULTILINE)
    return {room: set(re.findall(r"[\w.]+", targets)) for room, targets in rows}


def read_floors():
    """Room -> its line in the drawing, counted from the top."""
    drawing = MAP.split("```")[1]
    floors = [line.partition("    ")[0] for line in drawing.splitlines() if re.match(r"\w", line)]
    return {room: floor for floor, line in enumerate(floors) for room in line.split()}


def test_map_table_names_every_arrow_and_no_other():
    arrows = read_arrows()
    assert len(arrows) > 10
    assert read_table() == arrows


def test_map_drawing_has_every_room_and_arrows_point_down():
    arrows, floors = read_arrows(), read_floors()
    assert set(floors) == set(arrows)
    up = [f"{a} -> {b}" for a in arrows for b in arrows[a] if floors[a] >= floors[b]]
    assert not up


def test_rooms_that_rows_come_from_stand_on_no_other():
    rooms = {name.removesuffix(".py") for name in registry._ROW_ROOMS}
    assert set().union(*(read_arrows()[room] for room in rooms)) <= rooms
    not_for_rows = {"names", *(path.split(".")[1] for path in kolab._ON_DEMAND.values())}
    assert read_arrows()["kolab.py"] - not_for_rows <= rooms
