"""`kolab predict`: ask a program about every row of an experiment, and keep its answers."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from kolab_core.commands.options import (
    CallError,
    add_data_dir_option,
    find_release,
    whole_from,
)
from kolab_core.release import ReleaseError
from kolab_core.rows.experiments import CONTEXT_STEPS, EXPERIMENTS

__all__ = ["add_parser"]

_HOW = (
    "The program is started once a question, gets the messages as JSON on its standard input (a "
    'list of {"role", "content"}, as OpenAI\'s chat takes them), and prints its answer. It runs '
    "without a shell; sh -c '…' is one. The same call goes on where a former one was ended."
)


def add_parser(subparsers: Any) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "predict",
        help="ask a program about every row, and keep its answers",
        description="Ask a program about every row of an experiment, and keep its answers in a "
        "file that kolab score reads.",
        epilog=_HOW,
    )
    parser.add_argument("--config", choices=EXPERIMENTS, required=True, help="the experiment")
    parser.add_argument("--command", required=True, help="the program and its arguments")
    parser.add_argument(
        "--out", metavar="FILE", default="answers.jsonl", help="default: answers.jsonl"
    )
    _add_row_options(parser)
    _add_prompt_options(parser)
    _add_asking_options(parser)
    parser.set_defaults(run=run)


def _add_row_options(parser: argparse.ArgumentParser) -> None:
    add_data_dir_option(parser)
    parser.add_argument(
        "--context-steps",
        type=int,
        choices=CONTEXT_STEPS,
        help="for step_n: only these rows (default: all three)",
    )
    parser.add_argument(
        "--subset", choices=("balanced", "rating_tail"), help="ask this subset of the paper only"
    )
    parser.add_argument("--per-label", type=whole_from(1), default=25, help="of balanced (25)")
    parser.add_argument(
        "--top", type=whole_from(0), default=30, help="of rating_tail (default: 30)"
    )
    parser.add_argument("--seed", type=whole_from(0), default=0, help="of the subset (default: 0)")


def _add_prompt_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--modalities",
        default="video-graph-chat",
        metavar="SETTING",
        help="what is shown: video-graph-chat (default), or another setting, such as chat-only or "
        "video,chat",
    )
    parser.add_argument("--num-frames", type=whole_from(1), default=32, help="default: 32")
    parser.add_argument(
        "--size", type=whole_from(0), default=448, help="short side; 0: as recorded (default: 448)"
    )
    parser.add_argument(
        "--frames",
        choices=("images", "native", "path", "none"),
        default="images",
        help="how the recording is sent (default: images)",
    )
    parser.add_argument("--image-format", choices=("jpeg", "png"), default="jpeg")
    parser.add_argument(
        "--max-chars", type=whole_from(1), help="of graph and chat; the oldest are left out"
    )


def _add_asking_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--runs", type=whole_from(1), default=1, help="default: 1")
    parser.add_argument(
        "--concurrency", type=whole_from(1), default=1, help="programs side by side (default: 1)"
    )
    parser.add_argument(
        "--retries", type=whole_from(0), default=2, help="after a failure (default: 2)"
    )
    parser.add_argument(
        "--timeout", type=float, metavar="SECONDS", help="of one answer (default: none)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Ask and keep; 0 if every question has its answer, 1 if not, 2 for a bad call."""
    from kolab_core.clip import ClipError
    from kolab_core.predict import AnswersFileError, PredictError, Program, predict

    find_release(arguments.data_dir)
    try:
        program = Program(arguments.command, timeout_s=arguments.timeout)
        rows, shown, num_left_out = _load_rows(arguments)
    except ReleaseError:
        raise
    except ValueError as err:
        raise CallError(f"--{str(err).replace('_', '-', 1)}") from err
    if not len(rows):
        return _fail(f"{arguments.config}: found no row that has {' and '.join(shown)}.")
    try:
        found = predict(
            rows,
            program,
            arguments.out,
            modalities=shown,
            config=arguments.config,
            runs=arguments.runs,
            concurrency=arguments.concurrency,
            retries=arguments.retries,
            num_frames=arguments.num_frames,
            size=arguments.size or None,
            frames=arguments.frames,
            image_format=arguments.image_format,
            max_chars=arguments.max_chars,
        )
    except (AnswersFileError, ClipError, OSError, PredictError) as err:
        return _fail(err)
    except KeyboardInterrupt:
        return _fail(f"Stopped. What was answered is in {arguments.out}; the same call goes on.")
    left_out = f"; {num_left_out} rows lack an input and are left out" if num_left_out else ""
    sys.stdout.write(
        f"{found.num_answers} answers in {found.path}, {found.num_asked} of them new{left_out}.\n"
        f"kolab score {found.path} --config {arguments.config} scores them.\n"
    )
    return 0


def _fail(error: object) -> int:
    sys.stderr.write(f"{error}\n")
    return 1


def _load_rows(arguments: argparse.Namespace) -> tuple[Any, tuple[str, ...], int]:
    """The rows to ask about, what is shown of them, and how many lack a part of it."""
    from kolab_core.harness import load_questions
    from kolab_core.rows.subsets import subset

    questions = load_questions(
        arguments.config,
        modalities=arguments.modalities,
        data_dir=arguments.data_dir,
        context_steps=arguments.context_steps,
    )
    rows = questions.rows
    if arguments.subset is not None:
        sizes = {"per_label": arguments.per_label, "top": arguments.top}
        rows = subset(rows, arguments.subset, seed=arguments.seed, **sizes)
    return rows, questions.modalities, questions.num_left_out
