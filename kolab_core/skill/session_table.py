"""Sessions as a CSV file: one line a session, with the agent, the human, the outcome, the task."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kolab_core.skill.evidence import as_number

__all__ = ["SessionTable", "read_session_table"]

_NAMES = {
    "agents": ("agent", "agents"),
    "humans": ("human", "humans", "human_id", "participant_id"),
    "outcomes": ("outcome", "outcomes", "y"),
    "tasks": ("task", "tasks", "task_id"),
}
_MOST_SHOWN = 20


@dataclass(frozen=True)
class SessionTable:
    """Columns of equal length; `tasks` is None where the file has none."""

    agents: tuple[str, ...]
    humans: tuple[str, ...]
    outcomes: tuple[float, ...]
    tasks: tuple[str, ...] | None


def read_session_table(path: str | Path) -> SessionTable:
    """Read a CSV file with a head: `agent`, `human`, `outcome` and, if you like, `task`.

    Args:
        path: The file, UTF-8; other columns are left out, empty lines too. The names `agents`,
            `humans`, `human_id`, `participant_id`, `outcomes`, `y`, `tasks` and `task_id` will do.

    Returns:
        The columns, in the order of the lines.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: No such column, or lines that cannot be used: all of them, the first 20 named.
    """
    with Path(path).open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, strict=True)
        try:
            return _read(path, reader)
        except csv.Error as error:
            raise ValueError(
                f"{path}:line {reader.line_num}: found {error}; expected CSV."
            ) from error
        except UnicodeDecodeError as error:
            raise ValueError(f"{path}: found bytes that are not UTF-8; expected UTF-8.") from error


def _read(path: str | Path, reader: Iterator[list[str]]) -> SessionTable:
    head = next(reader, [])
    places = _find_columns(path, head)
    heads = {name: head[i].strip() for name, i in places.items()}
    columns: dict[str, list[str]] = {name: [] for name in places}
    outcomes: list[float] = []
    faults: list[str] = []
    for row in reader:
        if not any(cell.strip() for cell in row):
            continue
        line = getattr(reader, "line_num", 0)
        cells = {name: row[i].strip() if i < len(row) else "" for name, i in places.items()}
        faults += [
            f"{path}:line {line} > {heads[name]}: found {cell[:80]!r}; expected {expected}."
            for name, cell in cells.items()
            if (expected := _fault(name, cell))
        ]
        for name, cell in cells.items():
            columns[name].append(cell)
        outcomes.append(as_number(cells["outcomes"]))
    if faults:
        more = len(faults) - _MOST_SHOWN
        tail = [f"{path}: {more} more problems like these."] if more > 0 else []
        raise ValueError("\n".join([*faults[:_MOST_SHOWN], *tail]))
    return SessionTable(
        agents=tuple(columns["agents"]),
        humans=tuple(columns["humans"]),
        outcomes=tuple(outcomes),
        tasks=tuple(columns["tasks"]) if "tasks" in columns else None,
    )


def _find_columns(path: str | Path, head: list[str]) -> dict[str, int]:
    """Position of each column that is there."""
    at = {cell.strip().lower(): i for i, cell in reversed(list(enumerate(head)))}
    places = {
        column: at[name] for column, names in _NAMES.items() for name in names[::-1] if name in at
    }
    missing = [names[0] for column, names in _NAMES.items() if column not in places]
    if missing and missing != ["task"]:
        found = ", ".join(head) or "an empty file"
        wanted = ", ".join(repr(name) for name in missing if name != "task")
        raise ValueError(f"{path}:line 1: found {found[:80]!r}; expected a column {wanted}.")
    return places


def _fault(name: str, cell: str) -> str:
    if name == "outcomes":
        return "" if math.isfinite(as_number(cell)) else "a finite number"
    return "" if cell else "a name that is not blank"
