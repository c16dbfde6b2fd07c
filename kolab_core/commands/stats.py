"""`kolab stats`: what a release counts, the paper's figures beside."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from kolab_core.commands.options import add_report_options, find_release
from kolab_core.reports.report import emit_report, render_json, render_report

__all__ = ["add_parser"]


def add_parser(subparsers: Any) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "stats",
        help="count a release: size, labels, ratings, clips, tools, answers",
        description=(
            "Count what a release holds: its size, nodes by actor, labels, ratings alone and "
            "jointly, the length of each config's clips, time spent, tools and answers; the "
            "paper's figures beside, where it states one."
        ),
    )
    parser.add_argument(
        "data_dir",
        nargs="?",
        metavar="DIR",
        help="the release; by default KOLAB_DATA_DIR, else the embedded sample",
    )
    parser.add_argument("--no-published", action="store_true", help="leave the paper's figures out")
    add_report_options(parser)
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from kolab_core import stats
    from kolab_core.names.location import SAMPLE_NOTE
    from kolab_core.release import open_release

    location = find_release(arguments.data_dir)
    release = open_release(location.root)
    if not release.session_ids:
        sys.stderr.write(f"{location.root}: found no session; expected at least 1.\n")
        return 1
    found = stats.summarise_tally(stats.count_release(release))
    published = {} if arguments.no_published else stats.read_published_counts()
    lead = [SAMPLE_NOTE] if location.is_sample else []
    lead.append(f"What {location.root} counts: {found.overview['sessions']} sessions.")
    if release.missing_session_ids:
        lead.append(
            f"{len(release.missing_session_ids)} listed sessions are not there, and left out."
        )
    if arguments.format == "json":
        text = render_json({"sample": location.is_sample, "stats": found, "published": published})
    else:
        most = None if arguments.format == "csv" else 20
        sections = stats.stats_sections(found, published, most_tools=most)
        text = render_report(lead, sections, style=arguments.format)
    return emit_report(text, output=arguments.output)
