"""The `kolab` command: the other files of this folder are its subcommands, found by name.

`options` alone is none: it holds what several of them take.
"""

from __future__ import annotations

import argparse
import importlib
import io
import pkgutil
import sys
from collections.abc import Sequence

from kolab_core import commands
from kolab_core.commands.options import CallError
from kolab_core.release import ReleaseError

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one subcommand.

    Each other module of `kolab_core.commands` has `add_parser(subparsers)`, which sets `run`, a
    function from the parsed arguments to an exit code.

    Args:
        argv: The words after `kolab`; by default those of the process.

    Returns:
        0 when all went well, 1 when the work found problems, 2 when the call's words are off.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal without a "…" or a "±" shows an escape instead of ending the command.
        sys.stdout.reconfigure(errors="backslashreplace")
    parser = argparse.ArgumentParser(prog="kolab", description="The Kolab benchmark's tools.")
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")
    for module in pkgutil.iter_modules(commands.__path__):
        if module.name not in ("cli", "options"):
            importlib.import_module(f"{commands.__name__}.{module.name}").add_parser(subparsers)
    arguments = parser.parse_args(argv)
    try:
        return int(arguments.run(arguments))
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except (CallError, ReleaseError) as err:
        sys.stderr.write(f"{err}\n")
        return 2 if isinstance(err, CallError) else 1


if __name__ == "__main__":
    sys.exit(main())
