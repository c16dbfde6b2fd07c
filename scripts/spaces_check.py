"""Load every Space where only its requirements are installed, and compare with the modules here.

    python scripts/spaces_check.py [--keep DIR]

Exports the Spaces, makes a new environment from their requirements.txt, and there computes a case
of each, and runs the examples of each module's description.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

import evaluate  # noqa: E402 - after the path is set

import kolab  # noqa: E402, F401 - teaches evaluate the names
from kolab_core.reports.tables import render_table  # noqa: E402
from scripts.export_spaces import export_space, find_modules  # noqa: E402
from scripts.spaces_probe import run_case  # noqa: E402

__all__ = ["CASES", "compute_here", "main"]

PROBE = ROOT / "scripts" / "spaces_probe.py"

_LABELS = ["adopt", "modify", "reject", "adopt", "modify", "adopt"]
_GROUPS = ["P01", "P01", "P02", "P02", "P03", "P03"]
_INTERVALS: dict[str, Any] = {"groups": _GROUPS, "confidence": 0.9, "rounds": 200, "rng": 5}
_NODE = {"id": "s/n1", "actor_type": "ai"}
_SPANS = [{"start": start, "end": start + 4.5} for start in (30.0, 41.5, 70.25, 71.0)]
_EVENT = {"node_id": "s/n1", "start": 30.0, "end": 34.5}
_ROW = {
    "session_id": "P01_S1",
    "participant_id": "P01",
    "sector": "Building",
    "graph": {
        "nodes": [{**_NODE, "occurrences": _SPANS}, {**_NODE, "id": "s/n2", "occurrences": []}],
        "edges": [{"source": "s/n1", "target": "s/n2", "type": "sequential"}],
    },
    "responses": [
        {
            "node_id": "s/n2",
            "index": 0,
            "label": "adopt",
            "source": None,
            "target": _EVENT,
            "response": _EVENT,
        }
    ],
    "segments": [{"key": "s", "step": 1, "start": 0.0, "end": 90.0}],
}
CASES: dict[str, dict[str, Any]] = {
    "kolab_adoption": {
        "inputs": {
            "predictions": [
                "ADOPT",
                "Modify.",
                "REJECT/BYPASS",
                "modify",
                "adopt, then modify",
                "",
            ],
            "references": _LABELS,
            **_INTERVALS,
        }
    },
    "kolab_rating": {
        "inputs": {
            "predictions": ["4", "Rating: 5", "3/5", 2, "none", "1"],
            "references": [4, 4, 3, 1, 5, 2],
            **_INTERVALS,
        }
    },
    "kolab_baseline": {"inputs": {"references": _LABELS, "kind": "adoption"}},
    "kolab_context": {
        "inputs": {
            "predictions1": ["adopt", "adopt", "adopt", "adopt", "adopt", "modify"],
            "predictions2": _LABELS,
            "references": _LABELS,
            **_INTERVALS,
        }
    },
    "kolab_dynamics": {
        "inputs": {"data": [_ROW, {**_ROW, "session_id": "P01_S2"}], "by": "session"}
    },
    "collab_skill": {
        "inputs": {
            "agents": ["atlas", "atlas", "brook", "brook", "cedar"],
            "humans": ["ada", "ben", "ada", "ben", "ben"],
            "outcomes": [84, 80.5, 79, 76, 90],
            "center": True,
        },
        "calls": [
            ["prob_greater", {"a": "atlas", "b": "brook"}],
            ["stability", {"rounds": 50, "seed": 3}],
        ],
    },
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; 0 if every Space computes what its module does."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--keep", metavar="DIR", help="work there and keep it")
    options = parser.parse_args(arguments)
    evaluate.disable_progress_bar()
    with tempfile.TemporaryDirectory(prefix="kolab-spaces-check-") as temporary:
        work = Path(options.keep or temporary).resolve()
        folders = [export_space(module, work / "spaces") for module in find_modules()]
        (work / "cases.json").write_text(json.dumps(CASES))
        done = _compute_there(work, folders[0] / "requirements.txt")
    if done.returncode:
        print(done.stderr[-4000:], file=sys.stderr)
        return 1
    found, expected = json.loads(done.stdout), compute_here()
    rows = [
        (
            name,
            "the same" if json.dumps(found.get(name)) == json.dumps(expected[name]) else "DIFFERS",
        )
        for name in expected
    ]
    print(render_table(["Space", "computes"], rows))
    return 0 if all(text == "the same" for _, text in rows) else 1


def compute_here() -> dict[str, Any]:
    """The same cases with this project's modules, as JSON gives them back."""
    results = {name: run_case(evaluate.load(name), case) for name, case in CASES.items()}
    return dict(json.loads(json.dumps(results, sort_keys=True)))


def _compute_there(work: Path, requirements: Path) -> subprocess.CompletedProcess[str]:
    environment = work / "environment"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    python = str(environment / "bin" / "python")
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "-r", str(requirements)], check=True)
    kept = {name: text for name, text in os.environ.items() if not name.startswith("HF_")}
    command = [
        python,
        "-I",
        str(PROBE),
        str(work / "spaces"),
        str(work / "cases.json"),
        "--doctest",
    ]
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env={**kept, "HF_HOME": str(work / "cache"), "HF_HUB_OFFLINE": "1"},
    )


if __name__ == "__main__":
    sys.exit(main())
