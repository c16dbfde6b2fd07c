"""The templates: texts in files that read as they are sent, and filling in their slots.

A slot is a name in braces. A line whose slot has no value is left out, and so is a paragraph whose
lines all are. What is filled in is never searched for slots.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["PROMPT_VERSION", "Template", "fill", "read_template", "read_text"]

# Any change of what a model is sent changes it: answers of two versions are not to be compared.
PROMPT_VERSION = "1"

_FOLDER = Path(__file__).parent / "templates"
_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Template:
    """An experiment's text.

    Attributes:
        system: What the system message says.
        before: What the user message says before the screen recording.
        after: What it says behind it.
    """

    system: str
    before: str
    after: str


@functools.cache
def read_template(config: str) -> Template:
    """The template of an experiment."""
    head, _, user = read_text(config).partition("\n[user]\n")
    before, _, after = user.partition("\n\n{video}\n\n")
    return Template(head.removeprefix("[system]\n"), before, after)


@functools.cache
def read_text(name: str) -> str:
    """A template's file as it is, without the last line's end."""
    return (_FOLDER / f"{name}.txt").read_text(encoding="utf-8").rstrip("\n")


def fill(text: str, slots: Mapping[str, str | None]) -> str:
    """The text with its slots filled in.

    Args:
        text: Of a template.
        slots: The value of every slot in the text; None leaves out its line.

    Raises:
        KeyError: A slot in the text has no entry.
    """
    paragraphs = (_fill_lines(paragraph, slots) for paragraph in text.split("\n\n"))
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph)


def _fill_lines(paragraph: str, slots: Mapping[str, str | None]) -> str:
    lines = (_fill_line(line, slots) for line in paragraph.split("\n"))
    return "\n".join(line for line in lines if line is not None)


def _fill_line(line: str, slots: Mapping[str, str | None]) -> str | None:
    values = {name: slots[name] for name in _SLOT.findall(line)}
    if None in values.values():
        return None
    return _SLOT.sub(lambda found: values[found[1]] or "", line)
