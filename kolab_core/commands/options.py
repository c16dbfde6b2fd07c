"""Options that several commands have: one meaning, one range and one message each."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from kolab_core.names.location import ReleaseLocation, resolve_data_dir
from kolab_core.release import ReleaseError
from kolab_core.reports.report import FORMATS

__all__ = [
    "CallError",
    "add_data_dir_option",
    "add_interval_options",
    "add_report_options",
    "add_seed_option",
    "find_release",
    "whole_from",
]

# Those of the scores, which a command's help need not load; a test compares.
METHODS = ("expanded", "percentile", "bca")


class CallError(ValueError):
    """The words of a call are off; `main` says how, and ends with 2."""


def add_data_dir_option(parser: argparse.ArgumentParser) -> None:
    """Add `--data-dir`, as `find_release` takes it."""
    parser.add_argument(
        "--data-dir",
        metavar="DIR",
        help="the release; by default KOLAB_DATA_DIR, else the embedded sample",
    )


def find_release(data_dir: str | None) -> ReleaseLocation:
    """Where the release lies that a call names.

    Raises:
        CallError: It names what is no release.
    """
    try:
        return resolve_data_dir(data_dir)
    except ReleaseError as err:
        raise CallError(str(err)) from err


def add_interval_options(parser: argparse.ArgumentParser) -> None:
    """Add `--confidence`, `--method`, `--rounds` and `--seed`, as the scores take them."""
    parser.add_argument(
        "--confidence", type=_share, default=0.95, help="level of the intervals (default: 0.95)"
    )
    parser.add_argument(
        "--method",
        choices=METHODS,
        default=METHODS[0],
        help=f"of the intervals (default: {METHODS[0]})",
    )
    parser.add_argument(
        "--rounds", type=whole_from(1), default=10_000, help="of the bootstrap (default: 10000)"
    )
    add_seed_option(parser)


def add_seed_option(parser: argparse.ArgumentParser) -> None:
    """Add `--seed`."""
    parser.add_argument(
        "--seed", type=whole_from(0), default=0, help="of the bootstrap (default: 0)"
    )


def add_report_options(parser: argparse.ArgumentParser) -> None:
    """Add `--format` and `--output`, as `emit_report` takes them."""
    parser.add_argument("--format", choices=FORMATS, default="table", help="default: table")
    parser.add_argument("--output", metavar="FILE", help="write there instead of printing")


def whole_from(least: int) -> Callable[[str], int]:
    """An option's type: a whole number that is `least` or more."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number < least:
            raise argparse.ArgumentTypeError(f"found {text}; expected a whole number from {least}")
        return number

    return read


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = 0.0
    if not 0 < share < 1:
        raise argparse.ArgumentTypeError(
            f"found {text}; expected a number between 0 and 1, like 0.95"
        )
    return share
