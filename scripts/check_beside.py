"""Asks, in fresh environments, what Kolab can share one with, and which PyAV its clips work with.

Usage: python scripts/check_beside.py [--only NAME …] [--keep FOLDER]

`lmms-eval` and `lerobot` come with several GB of torch, so pip only says what it would install
beside the wheel. `inspect-ai` is installed, and then every name of Kolab is tried, as
`scripts/check_names.py` does. Last, the tests of clips and sampling run from this checkout, beside
the oldest PyAV that is supported and up to the newest. It takes some ten minutes and a GB.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from kolab_core.reports.tables import render_table
from scripts.environments import ROOT, build_wheel, make_environment

TESTS = ("test_sampling*.py", "test_clip*.py", "test_sheet.py")
SHOWN = ("av", "datasets", "huggingface_hub")


@dataclass(frozen=True)
class Found:
    """What came of a check.

    Attributes:
        versions: of the packages in the environment, by name.
        result: in a few words.
        failure: what was said, or nothing.
    """

    versions: dict[str, str]
    result: str
    failure: str = ""


@dataclass(frozen=True)
class Neighbour:
    """What is to be in an environment with Kolab, and what is asked there."""

    name: str
    requirements: tuple[str, ...]
    check: Callable[[Neighbour, Path, Path], Found]


def main(argv: Sequence[str] | None = None) -> int:
    """Print a table, a row an environment; exit code 1 if any failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    names = [one.name for one in NEIGHBOURS]
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="NAME")
    parser.add_argument("--keep", type=Path, help="build the environments here and keep them")
    options = parser.parse_args(argv)
    chosen = [one for one in NEIGHBOURS if one.name in options.only]
    if options.keep is not None:
        options.keep.mkdir(parents=True, exist_ok=True)
        return check_beside(options.keep.absolute(), chosen)
    with tempfile.TemporaryDirectory() as name:
        return check_beside(Path(name), chosen)


def check_beside(folder: Path, neighbours: Sequence[Neighbour]) -> int:
    """Check the neighbours under `folder`; 1 if one failed, else 0."""
    wheel = build_wheel(folder)
    rows: list[list[object]] = []
    failures: list[str] = []
    for one in neighbours:
        print(f"{one.name}: {', '.join(one.requirements)} …", flush=True)
        found = one.check(one, folder / re.sub(r"\W", "-", one.name), wheel)
        versions = (found.versions.get(name, "") for name in SHOWN)
        rows.append([one.name, *versions, "FAILED" if found.failure else "ok", found.result])
        failures += [f"\n{one.name}: {found.failure}"] if found.failure else []
    print(render_table(["beside", *SHOWN, "", "what was asked"], rows))
    print(*failures, sep="\n", end="")
    return int(bool(failures))


def _resolved(neighbour: Neighbour, folder: Path, wheel: Path) -> Found:
    """What pip would install; nothing of it is."""
    # An old pip would fetch every wheel to look into it.
    python = make_environment(folder, sys.executable, ["--upgrade", "pip"])
    report = folder / "report.json"
    pip = (python, "-m", "pip", "install", "--quiet", "--dry-run", "--report", report)
    done = _run([*pip, wheel, *neighbour.requirements])
    if done.returncode:
        return Found({}, "pip finds no versions", done.stderr)
    found = [one["metadata"] for one in json.loads(report.read_text())["install"]]
    versions = {one["name"].lower().replace("-", "_"): str(one["version"]) for one in found}
    return Found(versions, f"pip would install {len(versions)} packages")


def _installed(neighbour: Neighbour, folder: Path, wheel: Path) -> Found:
    """Whether all names of Kolab resolve once the neighbour is installed too."""
    python = make_environment(folder, sys.executable, [wheel, *neighbour.requirements])
    work, home = folder / "work", folder / "home"
    work.mkdir()
    home.mkdir()
    agrees = _run([python, "-m", "pip", "check"])
    variables = {"HOME": str(home), "HF_HUB_OFFLINE": "1", "PATH": os.environ["PATH"]}
    done = _run([python, "-I", ROOT / "scripts/probe_names.py"], cwd=work, env=variables)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    failed = [f"{line['check']}: {line['found']}" for line in lines if line["failed"]]
    failed += [agrees.stdout] if agrees.returncode else []
    failed += [] if lines else [done.stderr]
    result = f"installed; {len(lines)} checks of names, {len(failed)} failed"
    return Found(_versions(python), result, "\n".join(failed))


def _tested(neighbour: Neighbour, folder: Path, wheel: Path) -> Found:
    """Whether the tests of clips and sampling pass."""
    requirements = [f"kolab[dev] @ {wheel.as_uri()}", *neighbour.requirements]
    python = make_environment(folder, sys.executable, requirements)
    files = sorted(path for name in TESTS for path in (ROOT / "tests").glob(name))
    done = _run([python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files], cwd=ROOT)
    last = done.stdout.strip().splitlines()[-1:] or [""]
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    failure = "\n".join(failed) or done.stderr or last[0]
    return Found(_versions(python), last[0].strip("= "), failure if done.returncode else "")


def _versions(python: Path) -> dict[str, str]:
    listed = json.loads(_run([python, "-m", "pip", "list", "--format", "json"]).stdout)
    return {one["name"].lower().replace("-", "_"): one["version"] for one in listed}


def _run(
    command: Sequence[str | Path], *, cwd: Path | None = None, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)


NEIGHBOURS = (
    Neighbour("lmms-eval", ("lmms-eval==0.7.3",), _resolved),
    Neighbour("lerobot", ("lerobot==0.4.4",), _resolved),
    Neighbour("inspect-ai", ("inspect-ai>=0.3,<0.4",), _installed),
    # With what lerobot pins, which is the oldest of everything.
    Neighbour("av 15", ("av>=15,<16", "datasets>=4,<5", "huggingface_hub<0.36"), _tested),
    Neighbour("av 16", ("av>=16,<17",), _tested),
    Neighbour("newest av", ("av",), _tested),
)


if __name__ == "__main__":
    sys.exit(main())
