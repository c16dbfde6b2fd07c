"""Load Spaces from their folders and compute: a program for where nothing of this project is.

    python scripts/spaces_probe.py SPACES CASES.json [--doctest]

`CASES.json` holds `{module: {"inputs": {…}, "calls": [[method, arguments]]}}`. Prints one JSON
object of what each gave. With `--doctest` the examples of each module run, too, and 1 is returned
if one fails.
"""

from __future__ import annotations

import doctest
import json
import os
import sys
from pathlib import Path
from typing import Any

import evaluate

__all__ = ["main", "run_case"]


def main(arguments: list[str]) -> int:
    """Compute all cases; 1 if an example of a module fails."""
    spaces, cases = Path(arguments[0]).resolve(), json.loads(Path(arguments[1]).read_text())
    evaluate.disable_progress_bar()
    os.chdir(spaces)  # the examples name the folders
    results, num_failed = {}, 0
    for name, case in cases.items():
        module = evaluate.load(str(spaces / name))
        results[name] = run_case(module, case)
        if "--doctest" in arguments:
            num_failed += _run_examples(module, name)
    print(json.dumps(results, sort_keys=True))
    return 1 if num_failed else 0


def run_case(module: Any, case: dict[str, Any]) -> list[Any]:
    """What `compute` gives, and then each method that is called."""
    results = [module.compute(**case["inputs"])]
    for method, arguments in case.get("calls", []):
        results.append(getattr(module, method)(**arguments))
    return results


def _run_examples(module: Any, name: str) -> int:
    """Run the examples in a module's description; the number of those that fail."""
    examples = doctest.DocTestParser().get_doctest(
        module.inputs_description, {"evaluate": evaluate}, name, f"{name}.py", 0
    )
    if not examples.examples:
        print(f"{name}: found no example; expected at least one.", file=sys.stderr)
        return 1
    return doctest.DocTestRunner().run(examples, out=sys.stderr.write).failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
