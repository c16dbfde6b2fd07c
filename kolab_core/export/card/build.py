"""The card of an export: the template, filled with what the exported files hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from huggingface_hub import DatasetCardData

from kolab_core.export.card.columns import render_columns, render_configs
from kolab_core.export.card.examples import render_examples
from kolab_core.export.card.metadata import (
    EXPORT_KEY,
    dataset_infos,
    describe_license,
    size_category,
    viewer_configs,
)
from kolab_core.export.card.statistics import read_statistics
from kolab_core.export.card.tables import render_statistics
from kolab_core.export.card.template import (
    fill_front_matter,
    fill_text,
    find_template,
    split_front_matter,
)
from kolab_core.export.write import Exported, ExportError
from kolab_core.rows.experiments import CONFIG_NAMES

__all__ = ["CANARY", "CARD_NAME", "GATE_PREFIX", "render_card", "write_card"]

CARD_NAME = "README.md"
GATE_PREFIX = "extra_gated_"
# A line that no other text has. It never changes, so that it can be searched for in any corpus.
CANARY = "Kolab evaluation data, not for training. Canary f55a6914-834b-448c-86d4-8061cc7c70bf"

_SAMPLE_NOTICE = """> [!WARNING]
> **SAMPLE: this is NOT the Kolab data.** This export holds a small synthetic sample: made-up
> people, made-up work, painted recordings. It shows the format and lets everything run. Nothing in
> it says anything about people or models, and no number measured on it is a result. Below, the card
> describes the real data; its tables and examples are counted from the sample."""


def render_card(exported: Exported, *, gated: bool = False, template: Path | None = None) -> str:
    """The card's text.

    Args:
        exported: An export whose tables are written.
        gated: Keep the fields for access requests, and show no texts of rows.
        template: The template; by default the one of this checkout.

    Raises:
        ExportError: The export has no rows, or the template lacks a mark or has one too many.
    """
    if not exported.sizes:
        raise ExportError(f"{exported.release.root}: found no rows; expected some to export.")
    path = template or find_template()
    front, body = split_front_matter(path.read_text(encoding="utf-8"))
    return f"{_render_yaml(exported, front, gated)}{_render_body(exported, body, gated)}"


def write_card(exported: Exported, *, gated: bool = False, template: Path | None = None) -> str:
    """Write the card as `README.md` into the export, and give its text; see `render_card`."""
    text = render_card(exported, gated=gated, template=template)
    (exported.folder / CARD_NAME).write_text(text, encoding="utf-8", newline="\n")
    return text


def _render_yaml(exported: Exported, front: dict[str, Any], gated: bool) -> str:
    sizes = exported.sizes
    licence = describe_license(exported.release.license)
    values = {
        "license": licence.fields["license"],
        "size_categories": [size_category(sum(size.num_rows for size in sizes.values()))],
        EXPORT_KEY: {
            "repo_id": exported.target.repo_id,
            "revision": exported.target.revision,
        },
        "configs": viewer_configs(sizes),
        "dataset_info": dataset_infos(sizes),
    }
    filled = fill_front_matter(front, values)
    if exported.is_sample:
        filled["pretty_name"] = f"{filled['pretty_name']} (synthetic SAMPLE)"
    if not gated:
        filled = {key: v for key, v in filled.items() if not key.startswith(GATE_PREFIX)}
    ordered: dict[str, Any] = {}
    for key, value in filled.items():
        ordered |= licence.fields if key == "license" else {key: value}
    yaml_text = DatasetCardData(**ordered).to_yaml(original_order=list(ordered))
    return "\n".join(["---", yaml_text.strip(), *licence.comments, "---", ""])


def _render_body(exported: Exported, body: str, gated: bool) -> str:
    configs = [config for config in CONFIG_NAMES if config in exported.sizes]
    rows = {config: exported.sizes[config].num_rows for config in configs}
    values = {
        "sample_notice": _SAMPLE_NOTICE if exported.is_sample else "",
        "license_text": describe_license(exported.release.license).text,
        "repo_id": exported.target.repo_id,
        "revision": exported.target.revision,
        "version": exported.release.version,
        "canary": CANARY,
        "configs_table": render_configs(rows),
        "columns_table": render_columns(configs),
        "statistics_tables": render_statistics(read_statistics(exported.folder, configs)),
        "examples": render_examples(exported.folder, hide_texts=gated),
    }
    return fill_text(body, values)
