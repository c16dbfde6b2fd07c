"""The checks, each with a name of its own, so that a fault says which rule it breaks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from kolab_core.export.viewer import pages, paths, tables
from kolab_core.export.viewer.folder import ExportFolder, Finding, read_folder
from kolab_core.export.viewer.steps import run_steps

__all__ = ["CHECKS", "Finding", "check_export"]

Check = Callable[[ExportFolder], Iterator[Finding]]


def _check_card(folder: ExportFolder) -> Iterator[Finding]:
    yield from folder.faults


CHECKS: dict[str, Check] = {
    "card": _check_card,
    "names": tables.check_names,
    "formats": tables.check_formats,
    "yaml": tables.check_yaml,
    "features": tables.check_features,
    "page-index": pages.check_page_index,
    "row-groups": pages.check_row_groups,
    "first-rows": pages.check_first_rows,
    "paths": paths.check_paths,
    "intervals": paths.check_intervals,
    "viewer-steps": run_steps,
}


def check_export(root: str | Path) -> dict[str, list[Finding]]:
    """Run all checks on an export.

    The last, `viewer-steps`, does with stock `datasets` in a process of its own what the viewer
    does; see `run_steps`. It runs only if the others found nothing, since any of their faults would
    fail it too. Without a card that names configs, the first check is the only one.

    Args:
        root: The export's folder.

    Returns:
        The faults of each check, by the names of `CHECKS`, in order; empty lists mean all is well.
        A check that did not run is absent.
    """
    folder = read_folder(root)
    findings: dict[str, list[Finding]] = {}
    for name, check in CHECKS.items():
        if any(findings.values()) and (name == "viewer-steps" or not folder.configs):
            break
        findings[name] = list(check(folder))
    return findings
