"""What a command prints: lead lines, titled tables and notes, in one of five formats."""

from __future__ import annotations

import dataclasses
import json
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from kolab_core.files import write_whole
from kolab_core.reports.tables import TableStyle, format_cell, render_table

__all__ = [
    "FORMATS",
    "ReportFormat",
    "Section",
    "emit_report",
    "render_json",
    "render_report",
    "to_plain",
]

ReportFormat = Literal["table", "json", "md", "latex", "csv"]
FORMATS: tuple[ReportFormat, ...] = ("table", "json", "md", "latex", "csv")


@dataclasses.dataclass(frozen=True)
class Section:
    """A titled table with its notes below; without columns it is the notes alone.

    Floats are shown with `digits` decimals.
    """

    title: str
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[object]] = ()
    notes: Sequence[str] = ()
    digits: int = 3


def render_report(
    lead: Sequence[str],
    sections: Sequence[Section],
    *,
    style: TableStyle,
) -> str:
    """The lead lines and the sections as text, with a newline at the end.

    In LaTeX all that is no table is a comment, so that it can be input. CSV is the tables alone,
    with an empty line between two.
    """
    if style == "csv":
        tables = [render_table(s.columns, s.rows, style=style) for s in sections if s.columns]
        return "\n\n".join(tables) + "\n"
    parts = ["\n".join(_mark(line, "lead", style) for line in lead)] if lead else []
    for section in sections:
        lines = [_mark(section.title, "title", style)]
        if section.columns:
            table = render_table(section.columns, section.rows, style=style, digits=section.digits)
            lines += ["", table] if style == "md" else [table]
        if section.notes:
            lines += ["", *(_mark(note, "note", style) for note in section.notes)]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def to_plain(value: object) -> Any:
    """A result as JSON can hold it: dataclasses become objects, and `nan` becomes null."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: to_plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def emit_report(text: str, *, output: str | Path | None = None, option: str = "--output") -> int:
    """Print a report, or write it to a file, whole.

    Args:
        text: The report.
        output: The file; None prints.
        option: Which option named it, for the message.

    Returns:
        The command's exit code: 0, or 2 if the file cannot be written, which is then said.
    """
    if output is None:
        sys.stdout.write(text)
        return 0
    try:
        with write_whole(output) as temporary:
            temporary.write_text(text, encoding="utf-8")
    except OSError as err:
        reason = err.strerror or type(err).__name__
        sys.stderr.write(f"{option} {output}: found {reason!r}; expected a file to write to.\n")
        return 2
    return 0


def format_p(value: float) -> str:
    """A p value with three decimals; `< 0.001` for less."""
    return "< 0.001" if value < 0.001 else format_cell(float(value))


def render_json(value: object) -> str:
    """A result as JSON text, indented, with a newline at the end."""
    return json.dumps(to_plain(value), ensure_ascii=False, indent=2) + "\n"


def _mark(line: str, kind: Literal["lead", "title", "note"], style: str) -> str:
    if style == "latex":
        return f"% {line}"
    if kind == "title":
        return f"## {line}" if style == "md" else line
    if kind == "note":
        return f"- {line}"
    return f"{line}  " if style == "md" else line
