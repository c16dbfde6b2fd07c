"""`kolab compare`: every two of several models on the rows that both answered."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from kolab_core.commands.options import (
    add_data_dir_option,
    add_interval_options,
    add_report_options,
    find_release,
)
from kolab_core.reports.report import emit_report, render_json, render_report
from kolab_core.rows.experiments import EXPERIMENTS

__all__ = ["add_parser"]


def add_parser(subparsers: Any) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "compare",
        help="compare models, pair by pair",
        description="Compare every two models on the rows that both answered: the change with its "
        "interval, a p value from permuting whole participants, the same adjusted for the number "
        "of pairs, and the change that could have been seen.",
    )
    parser.add_argument(
        "predictions", metavar="FILE", nargs="+", help="a model each, as `kolab score` reads them"
    )
    parser.add_argument(
        "--config", choices=EXPERIMENTS, required=True, help="which rows the ids are of"
    )
    add_data_dir_option(parser)
    parser.add_argument(
        "--all-scores", action="store_true", help="compare all of the table's scores"
    )
    add_report_options(parser)
    add_interval_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the changes; 0 if all could be compared, 1 for bad data, 2 for a bad call."""
    from kolab_core import scorecard
    from kolab_core.release import open_release
    from kolab_core.scores.context import DEFAULT_SCORES

    if len(arguments.predictions) < 2:
        sys.stderr.write("FILE: found 1; expected at least 2 to compare.\n")
        return 2
    location = find_release(arguments.data_dir)
    options = scorecard.ScoreOptions(
        config=arguments.config,
        confidence=arguments.confidence,
        method=arguments.method,
        rounds=arguments.rounds,
        seed=arguments.seed,
    )
    try:
        models = scorecard.read_models([[file] for file in arguments.predictions], options)
        about = scorecard.describe_scoring(models, options, root=location.root)
        targets = scorecard.read_targets(open_release(location.root), arguments.config)
        joined = {
            name: scorecard.join_model(lines, targets, options) for name, lines in models.items()
        }
    except scorecard.PredictionsError as err:
        sys.stderr.write(f"{err}\n")
        return 1
    card = scorecard.make_card(joined, targets=targets, options=options)
    scores = None if arguments.all_scores else DEFAULT_SCORES[options.kind]
    if arguments.format == "json":
        text = render_json({"about": about, **scorecard.card_as_json(card)})
    else:
        section = scorecard.comparison_section(card, scores)
        text = render_report([], [section], style=arguments.format)
    return emit_report(text, output=arguments.output)
