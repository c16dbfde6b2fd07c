"""`kolab dynamics`: the dynamics of a release's sessions, and the paper's relations in it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kolab_core.commands.options import add_interval_options, add_report_options, find_release
from kolab_core.reports.report import Section, emit_report, format_p, render_json, render_report

__all__ = ["add_parser"]

# Head of a column -> the field that it shows.
_COLUMNS = {
    "B": "burstiness",
    "W": "topology",
    "R_A": "retention_adopt",
    "R_M": "retention_modify",
    "lead-in": "solo_lead_in",
    "events": "num_events",
    "edges": "num_edges",
    "responses": "num_responses",
    "steps": "num_steps",
}
_LEGEND = (
    "B: burstiness of the interaction events, -1 (regular) to 1 (bursts); W: branching nodes per "
    "edge; R_A, R_M: share of responses that adopt, that modify; lead-in: share of a step before "
    "its first AI interaction.",
    "all: the means of the sessions that have a value; R_A and R_M of all responses together.",
)


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand's words."""
    parser = subparsers.add_parser(
        "dynamics",
        help="burstiness, topology, retention and lead-in of a release, and their relations",
        description=(
            "Measure how the sessions of a release unfold, and set the paper's relations beside "
            "those found in it (Spearman, p, interval resampling participants)."
        ),
    )
    parser.add_argument(
        "data_dir",
        nargs="?",
        metavar="DIR",
        help="the release; by default KOLAB_DATA_DIR, else the embedded sample",
    )
    parser.add_argument(
        "--by",
        choices=("session", "step", "participant", "sector"),
        default="session",
        help="what a line stands for (default: session)",
    )
    add_report_options(parser)
    add_interval_options(parser)
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from kolab_core import dynamics
    from kolab_core.names.location import SAMPLE_NOTE
    from kolab_core.release import open_release
    from kolab_core.rows.experiments import survey_rows

    location = find_release(arguments.data_dir)
    release = open_release(location.root)
    rows = list(_read_rows(release))
    surveys = list(survey_rows(release))
    if not rows:
        sys.stderr.write(f"{location.root}: found no session; expected at least 1.\n")
        return 1
    sessions = dynamics.measure_dynamics(rows)
    units = dynamics.measure_dynamics(rows, by=arguments.by)
    whole = dynamics.pool_dynamics(sessions, unit="all")
    relations = dynamics.relate(
        rows,
        surveys=surveys,
        confidence=arguments.confidence,
        method=arguments.method,
        rounds=arguments.rounds,
        rng=arguments.seed,
    )
    lead = [SAMPLE_NOTE] if location.is_sample else []
    lead.append(f"Dynamics of {location.root}: {len(rows)} sessions.")
    if release.missing_session_ids:
        lead.append(
            f"{len(release.missing_session_ids)} listed sessions are not there, and left out."
        )
    if arguments.format == "json":
        result = {"sample": location.is_sample, "all": whole, f"per_{arguments.by}": units}
        text = render_json({**result, "relations": relations})
    else:
        sections = [
            _measure_section(units, whole, by=arguments.by),
            _relation_section(relations, arguments),
        ]
        text = render_report(lead, sections, style=arguments.format)
    return emit_report(text, output=arguments.output)


def _read_rows(release: Any) -> Iterator[Mapping[str, Any]]:
    """The sessions, one at a time, without what the measures don't need (chat, files, video)."""
    from kolab_core.dynamics import trim_row
    from kolab_core.rows.experiments import session_rows

    for session_id in release.session_ids:
        for row in session_rows(release, session_id, "sessions"):
            yield trim_row(row)


def _measure_section(units: Sequence[Any], whole: Any, *, by: str) -> Section:
    lines = [*units, whole]
    return Section(
        title=f"Measures by {by}",
        columns=(by, *_COLUMNS),
        rows=[[line.unit, *(getattr(line, name) for name in _COLUMNS.values())] for line in lines],
        notes=[*_LEGEND, *(f"{line.unit}: {note}" for line in lines for note in line.notes)],
    )


def _relation_section(relations: Sequence[Any], arguments: argparse.Namespace) -> Section:
    rows = [
        [
            relation.name,
            relation.rho,
            format_p(relation.p_value),
            relation.low,
            relation.high,
            relation.num_pairs,
            relation.num_participants,
            relation.published_rho,
            relation.published_p,
        ]
        for relation in relations
    ]
    level = f"{arguments.confidence * 100:g} %"
    return Section(
        title="Relations (Spearman), the paper's beside",
        columns=("relation", "rho", "p", "low", "high", "n", "people", "paper rho", "paper p"),
        rows=rows,
        notes=[
            f"low, high: {level} {arguments.method} interval, {arguments.rounds:,} rounds that "
            f"resample participants, seed {arguments.seed}; p takes the pairs as independent.",
            *(f"{relation.name}: {note}" for relation in relations for note in relation.notes),
        ],
    )
