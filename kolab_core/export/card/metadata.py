"""The card's YAML: what `datasets` and the viewer read before they open a file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from datasets import DatasetInfo, SplitDict, SplitInfo
from datasets.info import DatasetInfosDict
from datasets.utils.metadata import MetadataConfigs
from huggingface_hub import DatasetCardData

from kolab_core.export.layout import EXPORT_KEY, SPLIT, HubTarget, data_file
from kolab_core.export.tables import TableSize, export_features
from kolab_core.export.write import ExportError
from kolab_core.rows.experiments import DEFAULT_CONFIG

__all__ = [
    "EXPORT_KEY",
    "HUB_LICENSES",
    "License",
    "dataset_infos",
    "describe_license",
    "read_target",
    "size_category",
    "viewer_configs",
]

# The identifiers that the Hub accepts as `license` and that a data set may have.
_LICENSES = """
    afl-3.0 agpl-3.0 apache-2.0 artistic-2.0 bsd bsd-2-clause bsd-3-clause bsd-3-clause-clear
    bsl-1.0 c-uda cc cc-by-2.0 cc-by-2.5 cc-by-3.0 cc-by-4.0 cc-by-nc-2.0 cc-by-nc-3.0 cc-by-nc-4.0
    cc-by-nc-nd-3.0 cc-by-nc-nd-4.0 cc-by-nc-sa-2.0 cc-by-nc-sa-3.0 cc-by-nc-sa-4.0 cc-by-nd-4.0
    cc-by-sa-3.0 cc-by-sa-4.0 cc0-1.0 cdla-permissive-1.0 cdla-permissive-2.0 cdla-sharing-1.0
    ecl-2.0 epl-1.0 epl-2.0 etalab-2.0 eupl-1.1 gfdl gpl gpl-2.0 gpl-3.0 isc lgpl lgpl-2.1 lgpl-3.0
    lgpl-lr lppl-1.3c mit mpl-2.0 ms-pl ncsa odbl odc-by ofl-1.1 openrail osl-3.0 pddl postgresql
    unlicense wtfpl zlib
"""
HUB_LICENSES = frozenset(_LICENSES.split())
_SIZES = ("1K", "10K", "100K", "1M", "10M", "100M", "1B")


@dataclass(frozen=True)
class License:
    """A release's licence for the card.

    Attributes:
        fields: `license`, and with `other` its `license_name` if there is any.
        comments: Lines of YAML comment: the fields that only the publisher can fill.
        text: The same for people.
    """

    fields: Mapping[str, str]
    comments: tuple[str, ...]
    text: str


def describe_license(stated: str | None) -> License:
    """The licence as the release states it; what it does not state is left as a marked blank.

    Args:
        stated: The text of `release.json`.
    """
    name = (stated or "").strip()
    if name.lower() in HUB_LICENSES:
        return License({"license": name.lower()}, (), f"{name}, as the release states")
    link = "# license_link: [PUBLISHER: LICENSE, or the address of the licence's text]"
    if name:
        slug = re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-.") or "custom"
        text = f"{name}, as the release states: [PUBLISHER: where its text is]"
        return License({"license": "other", "license_name": slug}, (link,), text)
    comments = ("# license_name: [PUBLISHER: name of the licence]", link)
    text = "[PUBLISHER: licence of the recordings and tables; the release states none]"
    return License({"license": "other"}, comments, text)


def size_category(num_rows: int) -> str:
    """The Hub's name for a number of rows.

    >>> size_category(999), size_category(1_000), size_category(25_000)
    ('n<1K', '1K<n<10K', '10K<n<100K')
    """
    power = max(len(str(num_rows)) - 3, 0)
    if power == 0:
        return f"n<{_SIZES[0]}"
    if power >= len(_SIZES):
        return f"{_SIZES[-1]}<n<10B"
    return f"{_SIZES[power - 1]}<n<{_SIZES[power]}"


def viewer_configs(configs: Mapping[str, TableSize]) -> list[dict[str, Any]]:
    """The YAML field `configs`: which file holds which split of which config."""
    data = DatasetCardData()
    default = DEFAULT_CONFIG if DEFAULT_CONFIG in configs else next(iter(configs))
    metadata = {
        name: {
            "data_files": [{"split": SPLIT, "path": data_file(name)}],
            **({"default": True} if name == default else {}),
        }
        for name in configs
    }
    MetadataConfigs(metadata).to_dataset_card_data(data)
    fields: list[dict[str, Any]] = data["configs"]
    return fields


def dataset_infos(configs: Mapping[str, TableSize]) -> Any:
    """The YAML field `dataset_info`: features, rows and bytes; a list if configs are several."""
    data = DatasetCardData()
    infos = {}
    for name, size in configs.items():
        split = SplitInfo(name=SPLIT, num_bytes=size.num_bytes, num_examples=size.num_rows)
        infos[name] = DatasetInfo(
            features=export_features(name),
            splits=SplitDict({SPLIT: split}),
            download_size=size.file_bytes,
            dataset_size=size.num_bytes,
        )
    DatasetInfosDict(infos).to_dataset_card_data(data)
    return data["dataset_info"]


def read_target(data: Mapping[str, Any]) -> HubTarget:
    """The repository and tag that an export is made for, from its card's YAML.

    Raises:
        ExportError: The YAML does not say, or not as the Hub would take it.
    """
    stated = data.get(EXPORT_KEY)
    try:
        if not isinstance(stated, dict):
            raise ValueError(f"found {stated!r}")
        return HubTarget(str(stated.get("repo_id", "")), str(stated.get("revision", "")))
    except ValueError as err:
        rule = "repo_id and revision, as scripts/export_hub.py writes them"
        raise ExportError(f"README.md: {EXPORT_KEY}: {err}; expected {rule}.") from err
