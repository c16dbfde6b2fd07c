"""The viewer's own steps with stock `datasets`, in a process that knows nothing of this package."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from kolab_core.export.viewer.folder import ExportFolder, Finding

__all__ = ["run_steps"]

_SECONDS = 600
# Runs with -I: no working folder on the path and no variables, so that only installed libraries
# answer. Prints one JSON line a fault.
_PROGRAM = """
import json, sys
import datasets
from datasets import get_dataset_config_names, get_dataset_split_names, load_dataset
import pyarrow.compute as pc

folder, declared = sys.argv[1], json.loads(sys.argv[2])
def fault(where, found, expected):
    print(json.dumps([where, found, expected]), flush=True)

def statistics(table, where):
    for name in table.column_names:
        column = table[name]
        pc.count(column, mode="only_null")
        kind = str(column.type)
        if kind in ("int64", "float64"):
            pc.min_max(column), pc.mean(column)
        elif kind in ("string", "large_string"):
            pc.mean(pc.utf8_length(column))
        elif kind.startswith("list"):
            pc.list_value_length(column)

try:
    names = get_dataset_config_names(folder)
except Exception as err:
    fault("config names", f"{type(err).__name__}: {err}", "the card's configs")
    names = []
if names and sorted(names) != sorted(declared):
    fault("config names", str(sorted(names)), str(sorted(declared)))
for name in names:
    try:
        splits = get_dataset_split_names(folder, name)
        if sorted(splits) != sorted(declared.get(name, splits)):
            fault(f"{name}: split names", str(splits), str(declared.get(name)))
        for split in splits:
            rows = load_dataset(folder, name, split=split, streaming=True)
            for column, feature in (rows.features or {}).items():
                if isinstance(feature, datasets.Video):
                    rows = rows.cast_column(column, datasets.Video(decode=False))
            for row in rows.take(100):
                pass
            table = load_dataset(folder, name, split=split).data.table
            statistics(table, name)
    except Exception as err:
        fault(name, f"{type(err).__name__}: {err}", "rows that stock datasets reads")
"""


def run_steps(folder: ExportFolder) -> Iterator[Finding]:
    """Config names, split names, 100 rows streamed, and statistics, as the viewer asks for them."""
    declared = {config.name: sorted(config.splits) for config in folder.configs}
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "HF_HOME": cache, "HF_HUB_OFFLINE": "1"}
        environment["HF_DATASETS_DISABLE_PROGRESS_BARS"] = "1"
        environment["HF_DATASETS_CACHE"] = cache
        command = [sys.executable, "-I", "-c", _PROGRAM, str(folder.root.resolve())]
        try:
            done = subprocess.run(
                [*command, json.dumps(declared)],
                capture_output=True,
                text=True,
                check=False,
                cwd=cache,
                env=environment,
                timeout=_SECONDS,
            )
        except subprocess.TimeoutExpired:
            found = f"no end after {_SECONDS} s"
            yield Finding("viewer-steps", "all steps", found, "an answer")
            return
    for line in done.stdout.splitlines():
        where, found, expected = json.loads(line)
        yield Finding("viewer-steps", where, found, expected)
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        yield Finding("viewer-steps", "all steps", last, "an exit code of 0")
