"""A small export with real recordings, and ways to break it in one place."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import media
import pyarrow as pa
import pyarrow.parquet as pq
import yaml
from datasets import Features
from huggingface_hub import DatasetCardData
from tiny_release import write_release

from kolab_core.export import Exported, HubTarget, data_file, export_release
from kolab_core.export.card.metadata import dataset_infos, viewer_configs

TARGET = HubTarget("someone/kolab", "v1.0")
# A frame a second: as long as the sessions of the release, and a few kilobytes.
RECORDING = media.Kind("recording", pts=tuple(range(60)), time_base=Fraction(1))


def make_release(root: Path) -> Path:
    """Three sessions, of which the last has no recording."""
    write_release(root)
    media.write(RECORDING, root / "sessions" / "P01_S1" / "recording.mp4")
    shutil.copyfile(
        root / "sessions" / "P01_S1" / "recording.mp4",
        root / "sessions" / "P01_S2" / "recording.mp4",
    )
    return root


def make_export(release: Path, out: Path) -> Path:
    export_release(release, TARGET, out, write_card=write_card)
    return out


def write_card(exported: Exported) -> None:
    """A card with YAML alone."""
    data = DatasetCardData(
        configs=viewer_configs(exported.sizes),
        dataset_info=dataset_infos(exported.sizes),
        kolab_export={"repo_id": TARGET.repo_id, "revision": TARGET.revision},
    )
    (exported.folder / "README.md").write_text(f"---\n{data.to_yaml()}\n---\n")


def read_rows(export: Path, config: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(export / data_file(config)).to_pylist()
    return rows


def copy_export(export: Path, out: Path) -> Path:
    return Path(shutil.copytree(export, out))


def edit_yaml(root: Path, change: Callable[[dict[str, Any]], object]) -> None:
    path = root / "README.md"
    card = yaml.safe_load(path.read_text().split("---")[1])
    change(card)
    path.write_text(f"---\n{yaml.safe_dump(card, sort_keys=False)}\n---\n")


def find_entry(card: dict[str, Any], field: str, config: str) -> dict[str, Any]:
    """What `configs` or `dataset_info` says of a config."""
    found: dict[str, Any] = next(e for e in card[field] if e["config_name"] == config)
    return found


def rewrite_table(
    root: Path,
    config: str,
    change: Callable[[pa.Table], pa.Table] = lambda table: table,
    *,
    declare: bool = True,
    **options: Any,
) -> None:
    """Write a config's table anew; the card follows (size, and with `declare` the features)."""
    path = root / data_file(config)
    table = change(pq.read_table(path))
    pq.write_table(table, path, **{"write_page_index": True, **options})

    def follow(card: dict[str, Any]) -> None:
        info = find_entry(card, "dataset_info", config)
        info["download_size"] = path.stat().st_size
        info["splits"][0]["num_examples"] = table.num_rows
        if declare:
            features = Features.from_arrow_schema(table.schema)
            info["features"] = features._to_yaml_list()

    edit_yaml(root, follow)


def edit_rows(
    root: Path, config: str, change: Callable[[list[dict[str, Any]]], object], **options: Any
) -> None:
    """Change a config's rows as Python values, within its schema."""

    def rebuild(table: pa.Table) -> pa.Table:
        rows = table.to_pylist()
        change(rows)
        return pa.Table.from_pylist(rows, schema=table.schema)

    rewrite_table(root, config, rebuild, declare=False, **options)
