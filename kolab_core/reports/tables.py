"""Tables as text, Markdown or LaTeX, as people read them; or as CSV. One writer for all."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from typing import Literal

__all__ = ["TableStyle", "format_cell", "render_table"]

TableStyle = Literal["table", "md", "latex", "csv"]

_LATEX = str.maketrans(
    {
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "\\": r"\textbackslash{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "±": r"$\pm$",
        "×": r"$\times$",
    }
)


# How a cell begins that a spreadsheet runs.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def format_cell(value: object, *, digits: int = 3) -> str:
    """One value as text: floats with `digits` decimals, whole numbers as they are, None empty."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return "nan" if math.isnan(value) else f"{value:.{digits}f}"
    return str(value)


def render_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[object]],
    *,
    style: TableStyle = "table",
    digits: int = 3,
) -> str:
    """Rows under column heads; columns that hold only numbers are aligned to the right.

    Args:
        columns: The heads.
        rows: One sequence a row, as long as `columns`.
        style: `table` (aligned text), `md` (GitHub Markdown), `latex` (a booktabs tabular) or `csv`
            (floats in full; a text that a spreadsheet would run as a formula is quoted by `'`).
        digits: Decimals of a float.

    Returns:
        The lines, joined, without a newline at the end.

    Raises:
        ValueError: A row is shorter or longer than the heads, or the style is unknown.
    """
    for index, row in enumerate(rows):
        if len(row) != len(columns):
            raise ValueError(f"rows[{index}]: found {len(row)} cells; expected {len(columns)}.")
    if style == "csv":
        return _render_csv(columns, rows)
    cells = [[format_cell(value, digits=digits) for value in row] for row in rows]
    right = [
        bool(rows) and all(row[i] is None or isinstance(row[i], int | float) for row in rows)
        for i in range(len(columns))
    ]
    if style == "table":
        return _render_text(columns, cells, right)
    if style == "md":
        return _render_markdown(columns, cells, right)
    if style == "latex":
        return _render_latex(columns, cells, right)
    raise ValueError(f"style: found {style!r}; expected 'table', 'md', 'latex' or 'csv'.")


def _render_text(columns: Sequence[str], cells: list[list[str]], right: list[bool]) -> str:
    widths = [max(len(head), *(len(row[i]) for row in cells), 0) for i, head in enumerate(columns)]

    def line(row: Sequence[str]) -> str:
        aligned = (
            text.rjust(width) if at_right else text.ljust(width)
            for text, width, at_right in zip(row, widths, right, strict=True)
        )
        return "  ".join(aligned).rstrip()

    return "\n".join([line(columns), "  ".join("-" * w for w in widths), *map(line, cells)])


def _render_markdown(columns: Sequence[str], cells: list[list[str]], right: list[bool]) -> str:
    def line(row: Sequence[str]) -> str:
        return "| " + " | ".join(t.replace("|", r"\|").replace("\n", " ") for t in row) + " |"

    rule = "|" + "|".join(" ---: " if at_right else " --- " for at_right in right) + "|"
    return "\n".join([line(columns), rule, *map(line, cells)])


def _render_csv(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    def show(value: object) -> object:
        if isinstance(value, float) or value is None:
            return value
        text = format_cell(value)
        return f"'{text}" if isinstance(value, str) and text.startswith(_FORMULA) else text

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([show(value) for value in row] for row in (columns, *rows))
    return text.getvalue().removesuffix("\n")


def _render_latex(columns: Sequence[str], cells: list[list[str]], right: list[bool]) -> str:
    def line(row: Sequence[str]) -> str:
        return " & ".join(text.translate(_LATEX) for text in row) + r" \\"

    spec = "".join("r" if at_right else "l" for at_right in right)
    head = [rf"\begin{{tabular}}{{{spec}}}", r"\toprule", line(columns), r"\midrule"]
    return "\n".join([*head, *map(line, cells), r"\bottomrule", r"\end{tabular}"])
