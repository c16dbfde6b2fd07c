"""`kolab score`: a file of predictions against a release's rows, as the paper's table."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from kolab_core.commands.options import (
    CallError,
    add_data_dir_option,
    add_interval_options,
    add_report_options,
    find_release,
    whole_from,
)
from kolab_core.reports.report import emit_report, render_json, render_report
from kolab_core.rows.experiments import EXPERIMENTS

if TYPE_CHECKING:
    from kolab_core.scorecard import Prediction, ScoreOptions

__all__ = ["add_parser"]

_LINES = (
    'A line is {"id": ..., "prediction": ..., "run": 0, "modalities": "video-graph"}; run and '
    "modalities may be left out. Settings: video-only, graph-only, chat-only, video-graph, "
    "video-chat, graph-chat, video-graph-chat; each is scored on the rows that have its inputs."
)


def add_parser(subparsers: Any) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "score",
        help="score a file of predictions",
        description="Score predictions against a release's rows, and print the paper's table: the "
        "baseline above, intervals beside, with --published the paper's rows below.",
        epilog=_LINES,
    )
    parser.add_argument(
        "predictions",
        metavar="FILE",
        nargs="+",
        help=".jsonl (also lmms-eval's samples), .csv or .parquet, or a log of inspect-ai (.eval, "
        ".json); several are runs of the same model",
    )
    parser.add_argument(
        "--config", choices=EXPERIMENTS, required=True, help="which rows the ids are of"
    )
    add_data_dir_option(parser)
    parser.add_argument(
        "--runs",
        nargs="+",
        metavar="RUN",
        default=[],
        help="score these runs only (numbers from 0); or files with further runs of the model",
    )
    parser.add_argument(
        "--compare", metavar="FILE", help="another file: the change from the first to it"
    )
    parser.add_argument(
        "--published", action="store_true", help="print the paper's rows below (Tables 11 to 14)"
    )
    parser.add_argument(
        "--eval-results",
        metavar="FILE",
        help="also write the `model-index` block of the model's card on the Hub there",
    )
    add_report_options(parser)
    parser.add_argument(
        "--invalid",
        choices=("wrong", "drop", "error"),
        default="wrong",
        help="what an answer without a label or rating is (default: wrong)",
    )
    parser.add_argument("--round", action="store_true", help="round fractional ratings")
    add_interval_options(parser)
    parser.add_argument(
        "--ddof",
        type=whole_from(0),
        default=1,
        help="of the standard deviation over runs (default: 1)",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the card; 0 if all could be scored, 1 for bad data, 2 for a bad call."""
    from kolab_core.scorecard import PredictionsError

    location = find_release(arguments.data_dir)
    try:
        return _score(arguments, location)
    except PredictionsError as err:
        sys.stderr.write(f"{err}\n")
        return 1


def _score(arguments: argparse.Namespace, location: Any) -> int:
    from kolab_core import scorecard
    from kolab_core.names.location import SAMPLE_NOTE
    from kolab_core.release import open_release

    options = scorecard.ScoreOptions(
        config=arguments.config,
        invalid=arguments.invalid,
        round=arguments.round,
        confidence=arguments.confidence,
        method=arguments.method,
        rounds=arguments.rounds,
        seed=arguments.seed,
        ddof=arguments.ddof,
    )
    loaded = _read_files(arguments, options)
    release = open_release(location.root)
    targets = scorecard.read_targets(release, arguments.config)
    joined = {name: scorecard.join_model(lines, targets, options) for name, lines in loaded.items()}
    published = scorecard.read_published(arguments.config) if arguments.published else []
    card = scorecard.make_card(joined, targets=targets, options=options, published=published)
    people = len({target.participant_id for target in targets})
    lead = [SAMPLE_NOTE] if location.is_sample else []
    lead.append(
        f"{arguments.config} of {location.root}: {len(targets)} rows of {people} participants."
    )
    if release.missing_session_ids:
        lead.append(f"{len(release.missing_session_ids)} listed sessions are not there.")
    if arguments.published and not published:
        lead.append(f"The paper prints no table of {arguments.config}.")
    if arguments.format == "json":
        about = scorecard.describe_scoring(loaded, options, root=location.root)
        about["sample"] = location.is_sample
        text = render_json(
            {"about": about, "sample": location.is_sample, **scorecard.card_as_json(card)}
        )
    else:
        text = render_report(lead, scorecard.card_sections(card), style=arguments.format)
    if arguments.eval_results:
        name = next(iter(joined))
        block = scorecard.model_index(card, model=name)
        if code := emit_report(block, output=arguments.eval_results, option="--eval-results"):
            return code
    return emit_report(text, output=arguments.output)


def _read_files(
    arguments: argparse.Namespace, options: ScoreOptions
) -> dict[str, list[Prediction]]:
    """Each model's lines by the name to print, of the runs asked for."""
    from kolab_core import scorecard

    numbers = {int(word) for word in arguments.runs if word.isdecimal()}
    further = [word for word in arguments.runs if not word.isdecimal()]
    groups = [[*arguments.predictions, *further]]
    groups += [[arguments.compare]] if arguments.compare else []
    loaded = scorecard.read_models(groups, options)
    if numbers:
        loaded = {name: _select_runs(lines, numbers) for name, lines in loaded.items()}
    return loaded


def _select_runs(lines: list[Prediction], numbers: set[int]) -> list[Prediction]:
    there = {line.run for line in lines}
    if absent := sorted(numbers - there):
        known = ", ".join(str(number) for number in sorted(there))
        file = lines[0].place.rpartition(":")[0]
        raise CallError(f"--runs: found {absent[0]}; expected runs of {file}: {known}.")
    return [line for line in lines if line.run in numbers]
