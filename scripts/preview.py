"""Render the first page of each config of an export as the Hub's viewer would show it.

    python scripts/preview.py EXPORT [--out preview.html] [--rows 100]

One HTML page that needs nothing else but the export's recordings: rows and cells are cut where the
viewer cuts them, and each video plays in its row's window, by a media fragment `#t=start,end`.
"""

from __future__ import annotations

import argparse
import html
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

import pyarrow.parquet as pq  # noqa: E402 - after the path is set

from kolab_core.export import split_hub_path  # noqa: E402
from kolab_core.export.viewer.folder import (  # noqa: E402
    ExportFolder,
    Table,
    read_folder,
    stored_features,
)
from kolab_core.export.viewer.pages import PAGE_ROWS  # noqa: E402
from kolab_core.files import write_whole  # noqa: E402
from scripts.first_page import ShownRow, cut_first_rows, read_first_rows, rows_room  # noqa: E402

__all__ = ["main", "render_page"]

_SHORT = 24
_STYLE = """
:root { color-scheme: light; --line: #e5e7eb; --soft: #6b7280; --accent: #d97706; }
* { box-sizing: border-box; }
body { margin: 0; font: 14px/1.45 system-ui, sans-serif; color: #111827; background: #f9fafb; }
header { padding: 24px 32px 8px; }
h1 { margin: 0 0 4px; font-size: 22px; }
header p { margin: 0; color: var(--soft); }
nav { position: sticky; top: 0; z-index: 2; display: flex; gap: 6px; flex-wrap: wrap;
  padding: 10px 32px; background: #f9fafbee; border-bottom: 1px solid var(--line); }
nav a { padding: 3px 10px; border: 1px solid var(--line); border-radius: 999px; background: #fff;
  color: inherit; text-decoration: none; }
nav a:hover { border-color: var(--accent); }
section { margin: 20px 32px 36px; scroll-margin-top: 60px; }
h2 { margin: 0 0 8px; font-size: 17px; }
h2 small { font-weight: normal; color: var(--soft); }
.scroll { overflow: auto; max-height: 85vh; background: #fff; border: 1px solid var(--line);
  border-radius: 8px; }
table { border-collapse: collapse; }
th, td { padding: 8px 10px; text-align: left; vertical-align: top; border-bottom: 1px solid
  var(--line); border-right: 1px solid var(--line); max-width: 320px; }
th { background: #f3f4f6; white-space: nowrap; }
th small { display: block; font-weight: normal; color: var(--soft); }
thead th { position: sticky; top: 0; }
td > div { max-height: 172px; overflow: auto; overflow-wrap: break-word; }
td.json > div { min-width: 260px; overflow-wrap: anywhere; color: #374151;
  font: 12px/1.4 ui-monospace, monospace; }
td.text > div { min-width: 200px; }
td.none { color: var(--soft); font-style: italic; }
.players { display: flex; flex-direction: column; gap: 8px; }
figure { margin: 0; }
video { display: block; width: 240px; aspect-ratio: 16 / 9; background: #000; border-radius: 4px; }
figcaption { color: var(--soft); font-size: 12px; }
.unplayable figcaption::after { content: " (this browser cannot play the recording)"; }
"""


# A player loads nothing before it is seen: a page may hold hundreds of them.
_SCRIPT = """
const seen = new IntersectionObserver((entries) => {
  for (const entry of entries) if (entry.isIntersecting) {
    entry.target.preload = "metadata";
    seen.unobserve(entry.target);
  }
});
for (const video of document.querySelectorAll("video")) {
  seen.observe(video);
  video.addEventListener("error", () => video.parentElement.classList.add("unplayable"));
}
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page; 1 if the folder is no export."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("export", metavar="EXPORT", help="a folder made by export_hub.py")
    parser.add_argument("--out", metavar="FILE", help="the page; by default EXPORT.html")
    parser.add_argument(
        "--rows",
        type=int,
        default=PAGE_ROWS,
        metavar="N",
        help=f"rows shown of a config, at most (default {PAGE_ROWS}, the viewer's page)",
    )
    options = parser.parse_args(arguments)
    folder = read_folder(options.export)
    if folder.faults:
        for fault in folder.faults:
            print(
                f"{fault.where}: found {fault.found}; expected {fault.expected}.", file=sys.stderr
            )
        return 1
    out = Path(options.out or f"{str(folder.root).rstrip('/')}.html")
    with write_whole(out) as temporary:
        temporary.write_text(render_page(folder, out, options.rows), encoding="utf-8")
    print(out)
    return 0


def render_page(folder: ExportFolder, out: Path, num_rows: int = PAGE_ROWS) -> str:
    """The page as HTML, for a file at `out` (videos are linked relative to it)."""
    title = html.escape(str(folder.card.get("pretty_name", folder.root.name)))
    names = dict.fromkeys(html.escape(table.config) for table in folder.tables)
    links = "".join(f'<a href="#{name}">{name}</a>' for name in names)
    sections = "".join(_section(folder, table, out, num_rows) for table in folder.tables)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{_STYLE}</style></head><body>\n<header><h1>{title}</h1>"
        "<p>The first page of each config, as the viewer would show it; here each interval plays "
        f"by itself.</p></header>\n<nav>{links}</nav>\n{sections}<script>{_SCRIPT}</script>"
        "</body></html>\n"
    )


def _section(folder: ExportFolder, table: Table, out: Path, num_rows: int) -> str:
    rows = read_first_rows(table.path)
    page = cut_first_rows(rows, rows_room(table.path))
    schema = pq.read_schema(table.path)
    features = stored_features(schema.metadata)
    heads = "".join(
        f"<th>{html.escape(field.name)}"
        f"<small>{html.escape(_describe_kind(features.get(field.name), field.type))}</small>"
        "</th>"
        for field in schema
    )
    lines = "".join(
        _row(shown, whole, features, folder, out)
        for shown, whole in zip(page[:num_rows], rows, strict=False)
    )
    config = html.escape(table.config)
    cut = sum(bool(shown.cut) for shown in page)
    note = f" · long cells cut in {cut} of them" if cut else ""
    return (
        f'<section id="{config}"><h2>{config} <small>split {html.escape(table.split)} · '
        f"{table.metadata.num_rows:,} rows · {len(page)} on the first page{note}"
        f'</small></h2><div class="scroll"><table><thead><tr>{heads}</tr></thead>'
        f"<tbody>{lines}</tbody></table></div></section>\n"
    )


def _row(
    shown: ShownRow,
    whole: Mapping[str, Any],
    features: Mapping[str, Any],
    folder: ExportFolder,
    out: Path,
) -> str:
    cells = []
    for name, value in shown.cells.items():
        video = whole[name] if name == "video" else None
        if isinstance(video, dict) and video.get("path"):
            intervals = video.get("intervals") or whole.get("video_intervals")
            cells.append(f"<td>{_players(video['path'], intervals, folder, out)}</td>")
        elif value is None:
            cells.append('<td class="none">null</td>')
        elif name in shown.cut:
            cells.append(f'<td class="json"><div>{html.escape(value)}…</div></td>')
        elif isinstance(value, dict | list):
            text = html.escape(json.dumps(value, ensure_ascii=False))
            cells.append(f'<td class="json"><div>{text}</div></td>')
        else:
            text = _describe_value(value, features.get(name))
            kind = ' class="text"' if len(text) > _SHORT else ""
            cells.append(f"<td{kind}><div>{html.escape(text)}</div></td>")
    return f"<tr>{''.join(cells)}</tr>"


def _players(
    address: str, intervals: Sequence[Mapping[str, float]] | None, folder: ExportFolder, out: Path
) -> str:
    """A player for each interval, of which the window is all that it plays."""
    place = split_hub_path(address)
    if place is None:
        return f"<div>{html.escape(address)}</div>"
    path = os.path.relpath(folder.root.resolve() / place[1], out.resolve().parent)
    players = []
    for part in intervals or [{}]:
        window = f"#t={part['start']:.10g},{part['end']:.10g}" if part else ""
        label = f"{part['start']:.10g}–{part['end']:.10g} s" if part else "the whole recording"
        source = html.escape(quote(Path(path).as_posix()) + window)
        players.append(
            f'<figure><video src="{source}" controls muted preload="none"></video>'
            f"<figcaption>{label}</figcaption></figure>"
        )
    return f'<div class="players">{"".join(players)}</div>'


def _describe_value(value: object, feature: Mapping[str, Any] | None) -> str:
    """A number, text or truth value; a class with its name behind it, as the viewer has it."""
    names = (feature or {}).get("names")
    if isinstance(names, list) and isinstance(value, int) and 0 <= value < len(names):
        return f"{value} {names[value]}"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _describe_kind(feature: Mapping[str, Any] | None, kind: object) -> str:
    """The type in a word or two."""
    names = (feature or {}).get("names")
    if isinstance(names, list):
        return f"class, {len(names)} values"
    if (feature or {}).get("_type") == "Video":
        return "video"
    text = str(kind)
    return {"struct": "dict", "list": "list"}.get(text.partition("<")[0], text)


if __name__ == "__main__":
    sys.exit(main())
