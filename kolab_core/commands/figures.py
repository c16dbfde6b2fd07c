"""`kolab figures`: the figures of a release, and of files that `kolab score` wrote."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kolab_core.commands.options import CallError, find_release

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from kolab_core.release import Release

__all__ = ["add_parser"]

_FORMATS = ("pdf", "svg", "png")
_Named = Iterator[tuple[str, Callable[[], "Figure"]]]


def add_parser(subparsers: Any) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "figures",
        help="draw a release's figures, and those of scores",
        description=(
            "Draw what a release counts and how its sessions unfold, and from files of `kolab "
            "score --format json` what models score, each as PDF, SVG and PNG. Needs the extra "
            "`plot`."
        ),
    )
    parser.add_argument(
        "data_dir",
        nargs="?",
        metavar="DIR",
        help="the release; by default KOLAB_DATA_DIR, else the embedded sample",
    )
    parser.add_argument("--out", required=True, metavar="DIR", help="the folder to write to")
    parser.add_argument(
        "--scores",
        nargs="+",
        default=[],
        metavar="FILE",
        help="what `kolab score --format json` wrote; a figure's name starts with the file's",
    )
    parser.add_argument("--formats", nargs="+", choices=_FORMATS, default=list(_FORMATS))
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from kolab_core.figures import save_figure
    from kolab_core.figures.style import need_matplotlib
    from kolab_core.names.location import SAMPLE_NOTE
    from kolab_core.release import open_release

    try:
        need_matplotlib()
    except ModuleNotFoundError as err:
        raise CallError(str(err)) from err
    cards = {path: _read_card(path) for path in arguments.scores}
    location = find_release(arguments.data_dir)
    release = open_release(location.root)
    if location.is_sample:
        sys.stdout.write(f"{SAMPLE_NOTE}\n")
    out = Path(arguments.out)
    figures = [*_release_figures(release), *_score_figures(cards)]
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name, draw in figures:
            paths = save_figure(draw(), out, name, formats=arguments.formats)
            sys.stdout.write(f"{', '.join(map(str, paths))}\n")
    except OSError as err:
        raise CallError(f"--out {out}: found {err.strerror!r}; expected a folder.") from err
    return 0


def _release_figures(release: Release) -> _Named:
    """The name of each figure of a release that has something to show, and how it is drawn."""
    from kolab_core import figures, stats

    tally = stats.count_release(release)
    found = stats.summarise_tally(tally)
    by_sector = [c for c in found.labels if c.group in ("all", "sector")]
    steps = int(found.overview["steps"])
    if by_sector:
        yield "labels_by_sector", partial(figures.plot_labels, by_sector)
    if found.overview["steps"]:
        yield "ratings", partial(figures.plot_ratings, found.ratings)
        yield "joint_ratings", partial(figures.plot_joint_ratings, found.joint)
    minutes = stats.clip_minutes(tally)
    if any(minutes.values()):
        yield "clip_lengths", partial(figures.plot_clip_lengths, minutes)
    if tally.times:
        yield "time_spent", partial(figures.plot_time_spent, tally.times)
    if any(time.estimated for time in tally.times):
        yield "time_estimates", partial(figures.plot_time_estimates, tally.times)
    if found.tools:
        yield "tools", partial(figures.plot_tools, found.tools, num_steps=steps)
    if any(item.answers.num for item in found.statements):
        yield (
            "statements",
            partial(figures.plot_answers, found.statements, highest=5, unit="steps"),
        )
    if any(item.answers.num for item in found.questions):
        yield (
            "questionnaire",
            partial(figures.plot_answers, found.questions, highest=10, unit="participants"),
        )
    yield from _relation_figures(release)


def _relation_figures(release: Release) -> _Named:
    from kolab_core import dynamics, figures
    from kolab_core.rows.experiments import session_rows, survey_rows

    rows = (
        dynamics.trim_row(row)
        for session_id in release.session_ids
        for row in session_rows(release, session_id, "sessions")
    )
    names = ("burstiness_sessions", "burstiness_lead_in", "lead_in_plan", "topology_rating")
    relations = dynamics.relation_pairs(rows, surveys=survey_rows(release))
    for name, relation in zip(names, relations, strict=True):
        if relation.x:
            yield name, partial(figures.plot_relation, relation)


def _score_figures(cards: Mapping[str, Any]) -> _Named:
    """The figures of each file, and one of all that show contexts of several lengths."""
    from kolab_core import figures
    from kolab_core.figures.cards import read_series

    contexts = []
    for path, card in cards.items():
        stem, config = Path(path).stem, card["options"]["config"]
        series = read_series(card)
        if not series:
            sys.stderr.write(f"{path}: found no scores; nothing is drawn of it.\n")
            continue
        yield f"{stem}_modalities", partial(figures.plot_modalities, card)
        if config in ("collab_rating", "output_quality"):
            yield f"{stem}_mean_predictions", partial(figures.plot_mean_predictions, card)
            continue
        yield f"{stem}_predicted_labels", partial(figures.plot_predicted_labels, card)
        if len({s.modalities for s in series}) > 1:
            yield f"{stem}_class_changes", partial(figures.plot_class_changes, card)
        if config in ("step_n", "workflow_level"):
            contexts.append(card)
    if contexts:
        yield "context_curve", partial(figures.plot_context_curve, contexts)


def _read_card(path: str) -> Any:
    from kolab_core.figures.cards import check_card

    try:
        card = json.loads(Path(path).read_text(encoding="utf-8"))
        check_card(card)
    except OSError as err:
        raise CallError(f"--scores {path}: found {err.strerror!r}; expected a file.") from err
    except (ValueError, AttributeError) as err:
        expected = "what `kolab score --format json` writes"
        raise CallError(f"--scores {path}: found something else; expected {expected}.") from err
    return card
