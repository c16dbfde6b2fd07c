"""Rows of an export as a person reads them, for the card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from kolab_core.export.layout import data_file
from kolab_core.release import LABELS

__all__ = ["EXAMPLE_CONFIGS", "render_examples"]

EXAMPLE_CONFIGS = ("adoption_forecast", "collab_rating")

_ITEMS_SHOWN = 6
_TEXT_SHOWN = 160
_CELLS = ("id", "occupation", "goal", "ai_action_step", "step_name")


def render_examples(folder: Path, *, hide_texts: bool = False) -> str:
    """The first row of two configs as indented text.

    Args:
        folder: The export.
        hide_texts: Say how long each text is instead of showing it: everyone can read a card, also
            where the data themselves are behind a gate.
    """
    parts = []
    for config in EXAMPLE_CONFIGS:
        path = folder / data_file(config)
        text = "This export has no row here."
        if path.is_file():
            row = pq.ParquetFile(path).read_row_group(0).slice(0, 1).to_pylist()[0]
            text = "\n".join(["```text", *_render_row(row, hide_texts), "```"])
        parts.append(f"`{config}`:\n\n{text}")
    return "\n\n".join(parts)


def _render_row(row: Mapping[str, Any], hide_texts: bool) -> list[str]:
    def show(text: object) -> str:
        return _show_text("" if text is None else str(text), hide_texts)

    width = max(len(name) for name in _CELLS)
    lines = [f"{name:<{width}}  {show(row[name])}" for name in _CELLS if row.get(name) is not None]
    intervals = [_show_span(part) for part in row["video"]["intervals"]]
    file = row["video"]["path"] or "no recording"
    lines.append(f"{'video':<{width}}  {', '.join(intervals)} of {file.rpartition('/')[2]}")
    if "target" in row:
        lines.append(f"{'target':<{width}}  {_show_span(row['target'])} {row['target']['node_id']}")
    lines += _render_list("graph", row["graph"]["nodes"], lambda node: _node_line(node, show))
    lines += _render_list("chat", row["chat"], lambda turn: _turn_line(turn, show))
    answer = LABELS[row["label"]] if "label" in row else str(row["rating"])
    lines.append(f"{'label' if 'label' in row else 'rating':<{width}}  {answer}")
    return lines


def _render_list(name: str, items: Sequence[Mapping[str, Any]], line: Any) -> list[str]:
    lines = [name, *(f"  {line(item)}" for item in items[:_ITEMS_SHOWN])]
    if len(items) > _ITEMS_SHOWN:
        lines.append(f"  … {len(items) - _ITEMS_SHOWN} more")
    return lines if items else [f"{name} (empty)"]


def _node_line(node: Mapping[str, Any], show: Any) -> str:
    times = ", ".join(map(_show_span, node["occurrences"]))
    return f"{times} [{node['actor']}] {show(node['label'])}"


def _turn_line(turn: Mapping[str, Any], show: Any) -> str:
    return f"{turn['start']:g} s [{turn['agent'] or turn['role']}] {show(turn['content'])}"


def _show_span(span: Mapping[str, float]) -> str:
    return f"{span['start']:g}–{span['end']:g} s"


def _show_text(text: str, is_hidden: bool) -> str:
    if is_hidden:
        return f"({len(text)} characters)"
    line = " ".join(text.split()).replace("```", "'''")
    return line if len(line) <= _TEXT_SHOWN else f"{line[: _TEXT_SHOWN - 1]}…"
