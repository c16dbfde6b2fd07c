"""`kolab explore`: sessions as pages that one opens in a browser."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from kolab_core.commands.options import CallError, find_release, whole_from
from kolab_core.rows.experiments import DEFAULT_CONFIG, EXPERIMENTS

if TYPE_CHECKING:
    from kolab_core.explore import Answers, Site
    from kolab_core.release import Release

__all__ = ["add_parser"]

Ids = dict[str, list[str]]


def add_parser(subparsers: Any) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "explore",
        help="write sessions as pages to open in a browser",
        description=(
            "Write a page a session, with its recording, timeline, chat and ratings, and an index. "
            "The pages need no server and no network."
        ),
    )
    parser.add_argument(
        "release",
        metavar="DIR",
        nargs="?",
        help="the release; by default KOLAB_DATA_DIR, else the embedded sample",
    )
    parser.add_argument(
        "--session", action="append", metavar="ID", help="only this one (may be given again)"
    )
    parser.add_argument("--row", metavar="ID", help="only its session, with this row opened")
    parser.add_argument(
        "--config", choices=EXPERIMENTS, help="of --row and --predictions (default: whose ids fit)"
    )
    parser.add_argument("--predictions", metavar="FILE", help="answers to show beside the truth")
    parser.add_argument("--out", metavar="FOLDER", default="site", help="default: site")
    parser.add_argument(
        "--no-thumbnails",
        dest="thumbnails",
        action="store_false",
        help="leave out the small pictures of the recordings",
    )
    parser.add_argument(
        "--embed-video", action="store_true", help="copy the recordings instead of linking to them"
    )
    parser.add_argument(
        "--serve", action="store_true", help="serve the pages on this machine until interrupted"
    )
    parser.add_argument(
        "--port", type=whole_from(0), default=8000, help="of --serve; 0: any (default: 8000)"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the pages, and serve them if asked to; 0 when all went well."""
    from kolab_core.explore import OutError, SiteOptions, build_site, page_address
    from kolab_core.release import open_release

    release = open_release(find_release(arguments.release).root)
    names = _find_sessions(release, arguments)
    row_config, answers = _find_row_and_answers(release, names, arguments)
    options = SiteOptions(
        thumbnails=arguments.thumbnails, embed_video=arguments.embed_video, answers=answers
    )
    try:
        site = build_site(release, arguments.out, session_ids=names, options=options)
    except OutError as err:
        raise CallError(f"--out: {err}") from err
    address = "index.html"
    if len(names) == 1:
        address = page_address(names[0], config=row_config, row_id=arguments.row)
    num = len(names)
    sys.stdout.write(f"{num} session{'s' if num != 1 else ''} in {site.folder}\n")
    if answers is not None:
        _tell_answers(answers)
    if arguments.serve:
        return _serve(site, address, arguments.port)
    sys.stdout.write(f"{site.folder.as_uri()}/{address}\n")
    return 0


def _find_sessions(release: Release, arguments: argparse.Namespace) -> list[str]:
    asked: list[str] = arguments.session or []
    if arguments.row is not None:
        name = arguments.row.partition("/")[0]
        if asked not in ([], [name]):
            raise CallError(
                f"--row: found {arguments.row!r} with --session {asked[0]}; expected a row of it."
            )
        asked = [name]
    for name in asked:
        if name not in release.session_ids:
            raise CallError(
                f"--{'session' if arguments.session else 'row'}: found {name!r}; expected one of "
                f"the {len(release.session_ids)} sessions in {release.root}."
            )
    return list(dict.fromkeys(asked)) or list(release.session_ids)


def _find_row_and_answers(
    release: Release, names: list[str], arguments: argparse.Namespace
) -> tuple[str | None, Answers | None]:
    """The experiment of the row, and the answers; None for what is not asked for."""
    if arguments.row is None and arguments.predictions is None:
        return None, None
    from kolab_core.explore import match_answers
    from kolab_core.scorecard import PredictionsError

    ids = _list_ids(release, names, arguments.config)
    answers = None
    if arguments.predictions is not None:
        try:
            answers = match_answers(arguments.predictions, ids)
        except PredictionsError as err:
            raise CallError(f"--predictions: {err}") from err
        ids = {answers.config: ids[answers.config], **ids}
    if arguments.row is None:
        return None, answers
    config = next((config for config, found in ids.items() if arguments.row in found), None)
    if config is None:
        of_config = f" of {arguments.config}" if arguments.config else ""
        raise CallError(f"--row: found {arguments.row!r}; expected the id of a row{of_config}.")
    return config, answers


def _list_ids(release: Release, names: list[str], config: str | None) -> Ids:
    """Row ids by experiment, the default one first."""
    from kolab_core.release import read_session
    from kolab_core.rows.experiments import build_rows

    configs = [config] if config else sorted(EXPERIMENTS, key=lambda name: name != DEFAULT_CONFIG)
    ids: Ids = {name: [] for name in configs}
    for session_id in names:
        session = read_session(release, session_id)
        for name in configs:
            ids[name] += [row["id"] for row in build_rows(session, name)]
    return ids


def _tell_answers(answers: Answers) -> None:
    sys.stdout.write(f"answers shown with {len(answers.lines)} rows of {answers.config}\n")
    if answers.num_unknown:
        sys.stderr.write(f"{answers.num_unknown} answers are for no row of these sessions.\n")


def _serve(site: Site, address: str, port: int) -> int:
    from kolab_core.explore import make_server

    try:
        server, folder = make_server(site, port)
    except (OSError, OverflowError) as err:
        raise CallError(f"--port: found {port}, which cannot be used ({err}).") from err
    sys.stdout.write(f"{folder}{address}\nInterrupt (Ctrl-C) to end.\n")
    sys.stdout.flush()
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
    finally:
        server.server_close()
    return 0
