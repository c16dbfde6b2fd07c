"""The card as text: a template with marks like `{{ name }}`, its sections, and its open blanks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from kolab_core.export.write import ExportError

__all__ = [
    "TEMPLATE_NAME",
    "fill_front_matter",
    "fill_text",
    "find_template",
    "list_blanks",
    "read_sections",
    "split_front_matter",
]

TEMPLATE_NAME = "dataset_card.md"

_MARK = re.compile(r"\{\{ (\w+) \}\}")
_BLANK = re.compile(r"\[PUBLISHER: [^\]]+\]")
_HEADING = re.compile(r"(#{2,4}) (.+)")
_FENCE = "```"


def find_template() -> Path:
    """The template of this checkout.

    Raises:
        ExportError: There is none, as in an installed package.
    """
    path = Path(__file__).resolve().parents[3] / TEMPLATE_NAME
    if not path.is_file():
        raise ExportError(f"{path}: found no such file; expected the card's template. Use a clone.")
    return path


def split_front_matter(text: str) -> tuple[dict[str, Any], str]:
    """The YAML between the two lines `---` at the top, and the text below them.

    Raises:
        ExportError: The text has no YAML at its top, or none that can be read.
    """
    head, found, body = text.removeprefix("---\n").partition("\n---\n")
    if not text.startswith("---\n") or not found:
        raise ExportError(f"{TEMPLATE_NAME}: found no YAML at the top; expected it between '---'.")
    try:
        data = yaml.safe_load(head)
    except yaml.YAMLError as err:
        raise ExportError(
            f"{TEMPLATE_NAME}: found unreadable YAML ({err}); expected YAML."
        ) from err
    return dict(data), body


def fill_front_matter(data: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """The YAML's data with each value that is a mark replaced, in the same order.

    Raises:
        ExportError: A mark without a value, or a value without its mark.
    """
    marks = {key: _MARK.fullmatch(value) for key, value in data.items() if isinstance(value, str)}
    names = {key: mark[1] for key, mark in marks.items() if mark}
    _check_names(set(names.values()), set(values), "the YAML")
    return {key: values[names[key]] if key in names else value for key, value in data.items()}


def fill_text(body: str, values: Mapping[str, str]) -> str:
    """The text with every mark replaced; a mark that is replaced by nothing leaves no empty lines.

    Raises:
        ExportError: A mark without a value, or a value without its mark.
    """
    _check_names(set(_MARK.findall(body)), set(values), "the text")
    filled = _MARK.sub(lambda mark: values[mark[1]], body)
    return re.sub(r"\n{3,}", "\n\n", filled)


def list_blanks(text: str) -> list[str]:
    """What only the publisher knows and the text still lacks: its marks `[PUBLISHER: …]`."""
    return list(dict.fromkeys(" ".join(blank.split()) for blank in _BLANK.findall(text)))


def read_sections(body: str) -> dict[str, str]:
    """The text under each heading of the levels 2 to 4, without the sections inside it."""
    sections: dict[str, list[str]] = {}
    lines: list[str] = []
    is_code = False
    for line in body.splitlines():
        is_code ^= line.startswith(_FENCE)
        heading = None if is_code else _HEADING.fullmatch(line)
        if heading:
            lines = sections.setdefault(heading[2], [])
        else:
            lines.append(line)
    return {title: "\n".join(content).strip() for title, content in sections.items()}


def _check_names(marks: set[str], values: set[str], where: str) -> None:
    if marks != values:
        differing = ", ".join(sorted(marks ^ values))
        raise ExportError(
            f"{TEMPLATE_NAME}: {where}: found {sorted(marks)} as marks; expected {sorted(values)} "
            f"(different: {differing})."
        )
