"""`kolab check-export`: what would break an export's page on the Hub."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from kolab_core.reports.report import render_json
from kolab_core.reports.tables import render_table

__all__ = ["add_parser"]

# A fault of one kind tends to be in every row; so many of a check are shown.
_SHOWN = 10


def add_parser(subparsers: Any) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "check-export",
        help="check an export before it goes to the Hub",
        description=(
            "Check a folder made by scripts/export_hub.py for what would break its page, and do "
            "with stock `datasets` what the viewer does."
        ),
    )
    parser.add_argument("export", metavar="DIR", help="the export's folder")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print a line a check and a line a fault; 0 without faults, else 1."""
    from kolab_core.export.viewer import CHECKS, check_export  # loads PyAV

    findings = check_export(arguments.export)
    total = sum(map(len, findings.values()))
    if arguments.json:
        sys.stdout.write(render_json({"checks": findings, "num_faults": total}))
        return 1 if total else 0
    rows: list[tuple[str, str, str, str, str]] = []
    for name in CHECKS:
        if name not in findings:
            rows.append((name, "not run", "", "faults above", "none"))
        elif not findings[name]:
            rows.append((name, "ok", "", "", ""))
        faults = findings.get(name, [])
        for fault in faults[:_SHOWN]:
            rows.append((name, "FAULT", fault.where, fault.found, fault.expected))
        if len(faults) > _SHOWN:
            rows.append((name, "FAULT", f"… and {len(faults) - _SHOWN:,} more", "", ""))
    heads = ["check", "result", "where", "found", "expected"]
    verdict = f"{total:,} fault{'s' * (total > 1)}" if total else "ready"
    sys.stdout.write(f"{render_table(heads, rows)}\n\n{arguments.export}: {verdict}.\n")
    return 1 if total else 0
