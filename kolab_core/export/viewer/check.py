"""The checks, each with a name of its own, so that a fault says which rule it breaks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from kolab_core.export.viewer import pages, paths
from kolab_core.export.viewer.folder import ExportFolder, Finding, read_folder, stored_features
from kolab_core.export.viewer.steps import run_steps
from kolab_core.rows.experiments import DEFAULT_CONFIG

__all__ = ["CHECKS", "Finding", "check_export"]

Check = Callable[[ExportFolder], Iterator[Finding]]


def check_export(root: str | Path) -> dict[str, list[Finding]]:
    """Run all checks on an export.

    The last, `viewer-steps`, does with stock `datasets` in a process of its own what the viewer
    does; see `run_steps`. It runs only if the others found nothing, since it takes longest. With a
    fault of `card`, that check is the only one.

    Args:
        root: The export's folder.

    Returns:
        The faults of each check, by the names of `CHECKS`, in order; empty lists mean all is well.
        A check that did not run is absent.
    """
    folder = read_folder(root)
    findings: dict[str, list[Finding]] = {}
    for name, check in CHECKS.items():
        if any(findings.values()) and (name == "viewer-steps" or folder.faults):
            break
        findings[name] = list(check(folder))
    return findings


def _check_card(folder: ExportFolder) -> Iterator[Finding]:
    """A card that can be read, and parquet throughout: the other checks read nothing else."""
    yield from folder.faults


def _check_names(folder: ExportFolder) -> Iterator[Finding]:
    """Each config once, and one to show first."""
    configs = folder.card["configs"]
    for name, times in Counter(config["config_name"] for config in configs).items():
        if times > 1:
            yield Finding("names", "README.md: configs", f"{name!r} {times} times", "each once")
    marked = [config["config_name"] for config in configs if config.get("default") is True]
    if marked != [DEFAULT_CONFIG]:
        found = f"the default {', '.join(marked)}" if marked else "no default config"
        expected = f"`default: true` at {DEFAULT_CONFIG} alone"
        yield Finding("names", "README.md: configs", found, expected)


def _check_yaml(folder: ExportFolder) -> Iterator[Finding]:
    """Something said of each config and of no other; what is said, `datasets` compares."""
    declared = folder.card.get("dataset_info") or []
    listed = declared if isinstance(declared, list) else [declared]
    described = {str(info.get("config_name")) for info in listed if isinstance(info, dict)}
    names = {config["config_name"] for config in folder.card["configs"]}
    for name in sorted(names ^ described):
        where = f"README.md: dataset_info of {name}"
        if name in names:
            yield Finding("yaml", where, "nothing", "splits and features")
        else:
            found = "a config that `configs` does not have"
            yield Finding("yaml", where, found, "the same configs")


def _check_features(folder: ExportFolder) -> Iterator[Finding]:
    """Video in `sessions` alone."""
    for table in folder.tables:
        video = stored_features(table.metadata.metadata).get("video") or {}
        if table.config != "sessions" and video.get("_type") == "Video":
            found = "a Video column, which makes plain datasets demand torchcodec for any row"
            yield Finding("features", folder.name(table.path), found, "a struct {path, intervals}")


CHECKS: dict[str, Check] = {
    "card": _check_card,
    "names": _check_names,
    "yaml": _check_yaml,
    "features": _check_features,
    "page-index": pages.check_page_index,
    "row-groups": pages.check_row_groups,
    "paths": paths.check_paths,
    "intervals": paths.check_intervals,
    "viewer-steps": run_steps,
}
