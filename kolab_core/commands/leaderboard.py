"""`kolab leaderboard`: models ranked by the results of `kolab score`."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from kolab_core.commands.options import add_report_options, add_seed_option, whole_from
from kolab_core.reports.report import emit_report, render_json, render_report

__all__ = ["add_parser"]


def add_parser(subparsers: Any) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "leaderboard",
        help="rank models by their results",
        description="Rank models in each setting, with the interval of their score and the range "
        "of ranks that resampled participants give.",
    )
    parser.add_argument(
        "results", metavar="FILE", nargs="+", help="what `kolab score --format json` wrote"
    )
    parser.add_argument(
        "--score", help="by which to rank (default: macro_f1, of ratings mae)", metavar="NAME"
    )
    parser.add_argument(
        "--published", action="store_true", help="add the paper's rows, which have no rank"
    )
    add_report_options(parser)
    parser.add_argument(
        "--rounds", type=whole_from(1), default=10_000, help="of the bootstrap (default: 10000)"
    )
    add_seed_option(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the board; 0 if there is one, 1 for results that cannot stand side by side."""
    from kolab_core import scorecard

    try:
        board = scorecard.make_leaderboard(
            arguments.results,
            score=arguments.score,
            rounds=arguments.rounds,
            seed=arguments.seed,
        )
    except scorecard.PredictionsError as err:
        sys.stderr.write(f"{err}\n")
        return 1
    section = scorecard.leaderboard_section(board, published=arguments.published)
    if arguments.format == "json":
        rows = [dict(zip(section.columns, row, strict=True)) for row in section.rows]
        text = render_json({"title": section.title, "rows": rows, "notes": section.notes})
    else:
        text = render_report([], [section], style=arguments.format)
    return emit_report(text, output=arguments.output)
