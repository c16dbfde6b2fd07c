"""`kolab validate`: what is wrong or odd in a release, as a table or for machines."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from kolab_core.release import Issue, ReleaseError
from kolab_core.reports.report import render_json
from kolab_core.reports.tables import render_table
from kolab_core.rows.check import DurationOf, Report, check_release
from kolab_core.team import is_team_release, open_team

__all__ = ["add_parser"]


def add_parser(subparsers: Any) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "validate",
        help="check a release's files",
        description=(
            "Read every file of a release and print all problems with their places. "
            "Errors stop loading; notes only inform."
        ),
    )
    parser.add_argument("release", metavar="DIR", help="the release's folder")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    parser.add_argument(
        "--strict",
        action="store_true",
        help="look for slips of the annotation, too: overlaps, loops without a loop edge, …",
    )
    parser.add_argument(
        "--no-recordings", action="store_true", help="do not open the recordings for their length"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the report; 0 without errors and without findings, else 1."""
    duration_of = None if arguments.no_recordings else _make_duration_of()
    if is_team_release(arguments.release):
        report = _check_team(arguments.release)
    else:
        report = check_release(arguments.release, duration_of=duration_of, strict=arguments.strict)
    fields = _finding_fields(report) if arguments.strict else {}
    text = _as_json(report, fields) if arguments.json else _as_text(report, arguments.release)
    sys.stdout.write(text)
    return 1 if report.errors or report.findings else 0


def _make_duration_of() -> DurationOf:
    def duration_of(path: Path) -> float | None:
        from kolab_core.sampling import probe  # PyAV loads slowly; only needed where recordings are

        return probe(path).duration_s

    return duration_of


def _check_team(root: str) -> Report:
    """The report of a release of rated team sessions."""
    try:
        team = open_team(root)
    except ReleaseError as err:
        return Report(err.issues, (), {})
    counts = {
        "sessions": len(team.sessions),
        "agents": len(team.agents),
        "humans": len(team.humans),
        "tasks": len(team.tasks),
        "judgements": sum(len(session.judgements) for session in team.sessions),
    }
    return Report((), team.notes, counts)


def _finding_fields(report: Report) -> dict[str, Any]:
    findings = [asdict(finding) for finding in report.findings]
    return {"findings": findings, "num_findings": len(findings)}


def _as_json(report: Report, more: Mapping[str, Any]) -> str:
    return render_json(
        {
            "errors": [_issue_fields(issue) for issue in report.errors],
            "notes": [_issue_fields(issue) for issue in report.notes],
            "counts": report.counts,
            "num_errors": len(report.errors),
            "num_notes": len(report.notes),
            **more,
        }
    )


def _issue_fields(issue: Issue) -> dict[str, Any]:
    fields = asdict(issue)
    del fields["is_note"]
    return fields


def _as_text(report: Report, root: str) -> str:
    parts = []
    issues: Sequence[Issue] = [*report.errors, *report.notes]
    if issues:
        rows = [
            (
                "note" if issue.is_note else "ERROR",
                issue.file,
                issue.where,
                issue.found,
                " ".join(filter(None, [issue.expected, issue.hint])),
            )
            for issue in issues
        ]
        parts.append(render_table(["", "file", "where", "found", "expected"], rows))
    if report.findings:
        rows = [(f.kind, f.where, f.found, f.expected, f.page) for f in report.findings]
        parts.append(render_table(["slip", "where", "found", "expected", "page"], rows))
    if report.counts:
        parts.append(render_table(["what", "number"], list(report.counts.items())))
    verdict = "not usable" if report.errors else "valid"
    numbers = f"{len(report.errors)} errors, {len(report.notes)} notes"
    if report.findings:
        numbers += f", {len(report.findings)} slips"
    parts.append(f"{root}: {numbers}: {verdict}.")
    return "\n\n".join(parts) + "\n"
