"""Values as script files beside a page, which a browser loads from `file://` too."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kolab_core.files import write_whole

__all__ = ["PAGE_FILES", "copy_page_files", "fill_page", "script_text", "write_text"]

_PAGE = Path(__file__).resolve().parent / "page"
PAGE_FILES = tuple(sorted(path.name for path in _PAGE.iterdir() if path.suffix != ".html"))
# In a script none of them can end it, open a tag or a comment, or break a line.
_ESCAPED = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}


def script_text(call: str, *values: Any) -> str:
    """A script that calls a function with values, written so that no markup can come of them."""
    texts = (json.dumps(v, ensure_ascii=False, separators=(",", ":")) for v in values)
    return f"{call}({','.join(texts).translate(_ESCAPED)});\n"


def fill_page(name: str, texts: Mapping[str, str]) -> str:
    """A template of a page with each `{{name}}` as its text, escaped."""
    page = (_PAGE / name).read_text(encoding="utf-8")
    for key, text in texts.items():
        page = page.replace("{{" + key + "}}", html.escape(text))
    return page


def copy_page_files(folder: Path) -> None:
    """Copy what all pages share: style, scripts, icon."""
    for name in PAGE_FILES:
        write_text(folder / name, (_PAGE / name).read_text(encoding="utf-8"))


def write_text(path: Path, text: str) -> None:
    """Write a text file whole."""
    with write_whole(path) as temporary:
        temporary.write_bytes(text.encode())
