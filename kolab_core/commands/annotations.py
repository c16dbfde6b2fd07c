"""`kolab annotations`: a session's graph to and from the tool that annotators use."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from kolab_core.annotations import Import, export_session, import_annotations
from kolab_core.commands.options import CallError, add_data_dir_option, find_release
from kolab_core.release import open_release
from kolab_core.reports.tables import render_table

__all__ = ["add_parser"]


def add_parser(subparsers: Any) -> None:
    """Add the subcommand and its two."""
    parser = subparsers.add_parser(
        "annotations",
        help="mend a session's graph in ELAN",
        description=(
            "Write a session's graph as an ELAN file (.eaf) and read it back as a new graph file; "
            "docs/annotations.md says what lies where."
        ),
    )
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    export = actions.add_parser("export", help="write a session's graph as an ELAN file")
    export.add_argument("session", metavar="SESSION", help="as the release lists it")
    export.add_argument("--out", metavar="FILE", required=True, help="the .eaf file to make")
    add_data_dir_option(export)
    export.set_defaults(run=run_export)
    load = actions.add_parser("import", help="make a new graph file of an ELAN file")
    load.add_argument("file", metavar="FILE", help="an exported .eaf file, as ELAN saved it")
    load.add_argument(
        "--out", metavar="FILE", help="the graph file to make (default: beside, .graph.json)"
    )
    add_data_dir_option(load)
    load.set_defaults(run=run_import)


def run_export(arguments: argparse.Namespace) -> int:
    """Write the file; 0 unless the session has errors."""
    release = open_release(find_release(arguments.data_dir).root)
    if arguments.session not in release.session_ids:
        names = ", ".join(release.session_ids[:10])
        found = f"SESSION: found {arguments.session!r}; expected one of the release's: {names}"
        raise CallError(f"{found}{', …' if len(release.session_ids) > 10 else ''}.")
    try:
        session = export_session(release, arguments.session, arguments.out)
    except (FileExistsError, ModuleNotFoundError) as err:
        raise CallError(str(err)) from err
    except OSError as err:
        raise CallError(f"{arguments.out}: not written ({err.strerror}).") from err
    counts = f"{len(session.segments)} segments, {len(session.nodes)} nodes"
    sys.stdout.write(f"{arguments.out}: {counts}, {len(session.responses)} responses.\n")
    return 0


def run_import(arguments: argparse.Namespace) -> int:
    """Write the graph and print what changed; 0 unless there are errors."""
    release = open_release(find_release(arguments.data_dir).root)
    out = arguments.out or Path(arguments.file).with_suffix(".graph.json")
    try:
        done = import_annotations(release, arguments.file, out)
    except (FileExistsError, ModuleNotFoundError) as err:
        raise CallError(str(err)) from err
    except OSError as err:
        raise CallError(f"{err.filename}: neither read nor written ({err.strerror}).") from err
    sys.stdout.write(_as_text(done))
    return 0


def _as_text(done: Import) -> str:
    parts = []
    if done.changes:
        rows = [(c.what, c.name, c.part, c.before, c.after) for c in done.changes]
        parts.append(render_table(["what", "name", "part", "before", "after"], rows))
    parts += [f"note: {note}" for note in done.notes]
    found = f"{len(done.changes)} changes to {done.session_id}"
    parts.append(f"{done.path}: {found}, {len(done.notes)} notes: valid.")
    return "\n\n".join(parts) + "\n"
