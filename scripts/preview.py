"""Render the first page of each config of an export as the Hub's viewer would show it.

    python scripts/preview.py EXPORT [--out preview.html] [--rows 10]

One HTML page that needs nothing else but the export's recordings: cells are cut where the viewer
cuts them, and each video plays in its row's window, by a media fragment `#t=start,end`.
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

import pyarrow.parquet as pq

from kolab_core.export.layout import split_hub_path
from kolab_core.export.viewer.folder import Config, ExportFolder, read_folder
from kolab_core.export.viewer.pages import cut_first_rows, read_first_rows
from kolab_core.files import write_whole

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
section { margin: 20px 32px 36px; }
h2 { margin: 0 0 8px; font-size: 17px; }
h2 small { font-weight: normal; color: var(--soft); }
.scroll { overflow-x: auto; background: #fff; border: 1px solid var(--line); border-radius: 8px; }
table { border-collapse: collapse; }
th, td { padding: 8px 10px; text-align: left; vertical-align: top; border-bottom: 1px solid
  var(--line); border-right: 1px solid var(--line); max-width: 320px; }
th { background: #f3f4f6; white-space: nowrap; }
th small { display: block; font-weight: normal; color: var(--soft); }
td div { max-height: 150px; overflow: auto; overflow-wrap: anywhere; }
td.json div { min-width: 240px; font: 12px/1.4 ui-monospace, monospace; color: #374151; }
td.none { color: var(--soft); font-style: italic; }
td video { display: block; width: 280px; background: #000; border-radius: 4px; }
td video + small { color: var(--soft); }
"""


def main() -> int:
    """Write the page; 1 if the folder is no export."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("export", metavar="EXPORT", help="a folder made by export_hub.py")
    parser.add_argument("--out", metavar="FILE", help="the page; by default EXPORT.html")
    parser.add_argument("--rows", type=int, default=10, help="rows shown of a config (default 10)")
    arguments = parser.parse_args()
    folder = read_folder(arguments.export)
    if folder.faults:
        for fault in folder.faults:
            print(
                f"{fault.where}: found {fault.found}; expected {fault.expected}.", file=sys.stderr
            )
        return 1
    out = Path(arguments.out or f"{str(folder.root).rstrip('/')}.html")
    with write_whole(out) as temporary:
        temporary.write_text(render_page(folder, out, arguments.rows), encoding="utf-8")
    print(out)
    return 0


def render_page(folder: ExportFolder, out: Path, num_rows: int) -> str:
    """The page as HTML, for a file at `out` (videos are linked relative to it)."""
    title = html.escape(str(folder.card.get("pretty_name", folder.root.name)))
    links = "".join(f'<a href="#{c.name}">{html.escape(c.name)}</a>' for c in folder.configs)
    sections = "".join(_section(folder, config, out, num_rows) for config in folder.configs)
    return (
        f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>{title}</title>'
        f"<style>{_STYLE}</style>\n<header><h1>{title}</h1>"
        f"<p>The first page of each config, as the viewer would show it.</p></header>"
        f"<nav>{links}</nav>\n{sections}</html>\n"
    )


def _section(folder: ExportFolder, config: Config, out: Path, num_rows: int) -> str:
    parts = []
    for split, path in config.files():
        rows = read_first_rows(path)
        shown = cut_first_rows(rows)
        total = pq.read_metadata(path).num_rows
        kinds = {field.name: str(field.type) for field in pq.read_schema(path)}
        heads = "".join(
            f"<th>{html.escape(name)}<small>{html.escape(_short_kind(kind))}</small></th>"
            for name, kind in kinds.items()
        )
        body = "".join(
            _row(row, whole, folder, out)
            for row, whole in zip(shown[:num_rows], rows, strict=False)
        )
        parts.append(
            f'<section id="{html.escape(config.name)}"><h2>{html.escape(config.name)} <small>split '
            f"{html.escape(split)} · {total:,} rows · {len(shown)} fit on the first page"
            f'</small></h2><div class="scroll"><table><tr>{heads}</tr>{body}</table></div>'
            "</section>\n"
        )
    return "".join(parts)


def _row(
    shown: Mapping[str, str], whole: Mapping[str, Any], folder: ExportFolder, out: Path
) -> str:
    cells = []
    for name, text in shown.items():
        value = whole[name]
        if name == "video" and value and value.get("path"):
            intervals = value.get("intervals") or whole.get("video_intervals")
            cells.append(f"<td>{_video(value['path'], intervals, folder, out)}</td>")
        elif value is None:
            cells.append('<td class="none">null</td>')
        elif isinstance(value, dict | list):
            cells.append(f'<td class="json"><div>{html.escape(text)}</div></td>')
        else:
            plain = json.loads(text) if not text.endswith("…") else text
            cells.append(f"<td><div>{html.escape(str(plain))}</div></td>")
    return f"<tr>{''.join(cells)}</tr>"


def _video(
    address: str, intervals: Sequence[Mapping[str, float]] | None, folder: ExportFolder, out: Path
) -> str:
    """A player for each interval, of which the window is all that it plays."""
    place = split_hub_path(address)
    if place is None:
        return f"<div>{html.escape(address)}</div>"
    path = os.path.relpath(folder.root.resolve() / place[1], out.resolve().parent)
    players = []
    for part in intervals or [{}]:
        window = f"#t={part['start']:g},{part['end']:g}" if part else ""
        label = f"{part['start']:g}–{part['end']:g} s" if part else "the whole recording"
        source = html.escape(quote(path) + window)
        players.append(
            f'<video src="{source}" controls muted preload="metadata"></video>'
            f"<small>{label}</small>"
        )
    return "".join(players)


def _short_kind(kind: str) -> str:
    return kind if len(kind) <= 24 else f"{kind.split('<')[0]}<…>"


if __name__ == "__main__":
    sys.exit(main())
