"""Publish an export on the Hub: recordings, then tables and card, then the tag.

python scripts/publish.py EXPORT --dry-run    # what would go, without any request
python scripts/publish.py EXPORT              # to a private repository
python scripts/publish.py EXPORT --public     # asks first

Repository and tag are those that the export was made for. The token is the one of `hf auth login`
or of the variable HF_TOKEN. A push that stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from huggingface_hub import HfApi, get_token  # noqa: E402 - after the path is set

from kolab_core.export import ExportError  # noqa: E402
from kolab_core.export.publish import Plan, push, read_plan, render_plan  # noqa: E402
from kolab_core.export.viewer import check_export  # noqa: E402

__all__ = ["main"]


class _RefusedError(Exception):
    """A push that is not begun; the text says why."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Returns:
        0 when all is published (or shown, with `--dry-run`), 1 when the export has faults or the
        push stopped, 2 on a wrong argument or without consent to a public push.
    """
    options = _parser().parse_args(arguments)
    try:
        plan = read_plan(options.export)
        faults = [fault for found in check_export(options.export).values() for fault in found]
        if faults:
            print(f"{options.export}: {len(faults)} faults; see `kolab check-export`:")
            print(
                "\n".join(f"  {f.where}: found {f.found}; expected {f.expected}." for f in faults)
            )
            return 1
        print(render_plan(plan))
        _report_blanks(plan)
        if options.dry_run:
            print("Dry run: nothing was sent.")
            return 0
        _ask(plan, options)
        push(plan, api=HfApi(), private=not options.public)
    except _RefusedError as err:
        print(err, file=sys.stderr)
        return 2
    except (ExportError, OSError) as err:
        print(err, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped. The same command goes on where it was.", file=sys.stderr)
        return 1
    print(f"https://huggingface.co/datasets/{plan.target.repo_id}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="publish.py", description="Publish an export on the Hub.")
    parser.add_argument("export", metavar="EXPORT", help="a folder made by export_hub.py")
    parser.add_argument("--dry-run", action="store_true", help="show what would go, send nothing")
    parser.add_argument("--yes", action="store_true", help="do not ask before a public push")
    parser.add_argument(
        "--allow-blanks", action="store_true", help="push publicly with open [PUBLISHER: …] marks"
    )
    visibility = parser.add_mutually_exclusive_group()
    visibility.add_argument("--private", action="store_true", help="for its owners (the default)")
    visibility.add_argument("--public", action="store_true", help="for everyone")
    return parser


def _report_blanks(plan: Plan) -> None:
    if plan.blanks:
        print(f"\n{len(plan.blanks)} marks in the card are left for the publisher:")
        print("\n".join(f"  {blank}" for blank in plan.blanks))


def _ask(plan: Plan, options: argparse.Namespace) -> None:
    """Whether the push may begin.

    Raises:
        _RefusedError: There is no token, or no consent to a public push.
    """
    if options.public and plan.blanks and not options.allow_blanks:
        raise _RefusedError(
            f"--public: found {len(plan.blanks)} open marks in the card; expected none. Fill them "
            "in, or say --allow-blanks."
        )
    if not get_token():
        raise _RefusedError(
            "token: found none; expected one of `hf auth login` or of the variable HF_TOKEN."
        )
    if not options.public or options.yes:
        return
    if not sys.stdin.isatty():
        raise _RefusedError("--public: found no terminal to ask on; expected --yes without one.")
    gate = "on request" if plan.is_gated else "to everyone at once"
    print(f"\nThis publishes {len(plan.recordings)} recordings of people, {gate}.")
    if input(f"Type {plan.target.repo_id} to go on: ").strip() != plan.target.repo_id:
        raise _RefusedError("Nothing was sent.")


if __name__ == "__main__":
    sys.exit(main())
