"""`kolab baseline`: what words alone achieve on an experiment, as the paper's table."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kolab_core.commands.options import (
    add_data_dir_option,
    add_interval_options,
    add_report_options,
    find_release,
    whole_from,
)
from kolab_core.files import write_whole
from kolab_core.reports.report import emit_report, render_json, render_report
from kolab_core.rows.experiments import EXPERIMENTS

if TYPE_CHECKING:
    from kolab_core.scorecard import Prediction, Target
    from kolab_core.words import WordRow

__all__ = ["add_parser"]


def add_parser(subparsers: Any) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "baseline",
        help="score the constant answer, and a model of words alone",
        description=(
            "Score the majority label or mode rating, and TF-IDF over the visible graph and chat "
            "with logistic (labels) or ridge (ratings) regression, each participant's rows "
            "answered by a model that learnt from others'. A model's lift is what it has above."
        ),
    )
    parser.add_argument(
        "config", metavar="CONFIG", choices=EXPERIMENTS, help=", ".join(EXPERIMENTS)
    )
    add_data_dir_option(parser)
    parser.add_argument(
        "--folds",
        type=whole_from(2),
        default=5,
        help="of the cross-validation; at most as many as participants (default: 5)",
    )
    parser.add_argument(
        "--answers", metavar="FILE", help="also write the answers there, as kolab score reads them"
    )
    parser.add_argument(
        "--published", action="store_true", help="print the paper's rows below (Tables 11 to 14)"
    )
    add_report_options(parser)
    add_interval_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the card; 0 if there is one, 1 for bad data, 2 for a bad call."""
    from kolab_core import scorecard
    from kolab_core.names.location import SAMPLE_NOTE
    from kolab_core.release import open_release
    from kolab_core.words import MODEL_NAMES

    location = find_release(arguments.data_dir)
    release = open_release(location.root)
    targets, rows = _read(release, arguments.config)
    lines, notes = _answer(targets, rows, arguments)
    if not lines:
        sys.stderr.write("\n".join([*notes, f"{location.root}: nothing can be learnt.\n"]))
        return 1
    if arguments.answers and not _write_answers(arguments.answers, lines):
        return 2
    options = scorecard.ScoreOptions(
        config=arguments.config,
        confidence=arguments.confidence,
        method=arguments.method,
        rounds=arguments.rounds,
        seed=arguments.seed,
    )
    card = scorecard.make_card(
        {MODEL_NAMES[options.kind]: scorecard.join_predictions(lines, targets)},
        targets=targets,
        options=options,
        published=scorecard.read_published(arguments.config) if arguments.published else [],
    )
    people = len({target.participant_id for target in targets})
    lead = [SAMPLE_NOTE] if location.is_sample else []
    lead.append(
        f"{arguments.config} of {location.root}: {len(targets)} rows of {people} participants."
    )
    lead += notes
    if arguments.format == "json":
        plain = {"sample": location.is_sample, "notes": notes, **scorecard.card_as_json(card)}
        text = render_json(plain)
    else:
        text = render_report(lead, scorecard.card_sections(card), style=arguments.format)
    return emit_report(text, output=arguments.output)


def _read(release: Any, config: str) -> tuple[list[Target], dict[str, WordRow]]:
    """The config's rows, for scoring and (by id) for learning."""
    from kolab_core.rows.experiments import session_rows
    from kolab_core.scorecard import read_targets
    from kolab_core.words import WordRow, visible_words

    targets = read_targets(release, config)
    truth = {target.id: target for target in targets}
    rows = {}
    for session_id in release.session_ids:
        for row in session_rows(release, session_id, config):
            target = truth[row["id"]]
            words = visible_words(row)
            rows[target.id] = WordRow(target.id, target.participant_id, words, target.answer)
    return targets, rows


def _answer(
    targets: Sequence[Target], rows: dict[str, WordRow], arguments: argparse.Namespace
) -> tuple[list[Prediction], list[str]]:
    """The answers of every setting (and context) that is words alone, and what to know of them."""
    from kolab_core.scorecard import Column, Prediction
    from kolab_core.words import WORD_SETTINGS, WordsError, answer_by_words

    lines: list[Prediction] = []
    notes: dict[str, None] = {}
    for setting, inputs in WORD_SETTINGS.items():
        for context in dict.fromkeys(target.context_steps for target in targets):
            column = Column(setting, context)
            asked = [rows[target.id] for target in column.rows_of(targets)]
            try:
                found = answer_by_words(
                    asked, config=arguments.config, inputs=inputs, folds=arguments.folds
                )
            except WordsError as err:
                notes[f"{column.label}: {err}"] = None
                continue
            if found.num_folds < arguments.folds:
                notes[
                    f"{found.num_folds} folds instead of {arguments.folds}: there are no more "
                    "participants."
                ] = None
            lines += [
                Prediction(
                    id=name,
                    answer=answer,
                    run=0,
                    modalities=setting,
                    config=arguments.config,
                    place="",
                )
                for name, answer in found.answers.items()
            ]
    return lines, list(notes)


def _write_answers(path: str, lines: Sequence[Prediction]) -> bool:
    records = (
        {"id": line.id, "prediction": line.answer, "modalities": line.modalities} for line in lines
    )
    try:
        with write_whole(path) as temporary:
            temporary.write_text("".join(json.dumps(record) + "\n" for record in records))
    except OSError as err:
        reason = err.strerror or type(err).__name__
        sys.stderr.write(f"--answers {path}: found {reason!r}; expected a file to write to.\n")
        return False
    return True
