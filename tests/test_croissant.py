"""`croissant.json`: what it says of an export; `mlcroissant` takes it and reads the rows."""

import hashlib
import importlib.util
import json
import subprocess
import sys

import pytest
from datasets import load_dataset
from exports import TARGET
from tiny_release import edit_json, write_release

from kolab_core.export import data_file, export_features
from kolab_core.export.croissant import CROISSANT_NAME, describe_rai
from kolab_core.export.hub import export_hub
from kolab_core.rows.experiments import CONFIG_NAMES

# Runs by itself: the library and what it imports warn of their own affairs.
_READ = """
import json, sys
import mlcroissant
from etils import epath

folder = epath.Path(sys.argv[1])
configs = json.loads(sys.argv[2])
places = {f"{config}.parquet": folder / path for config, path in configs.items()}
data = mlcroissant.Dataset(jsonld=folder / "croissant.json", mapping=places)
def plain(value):
    if isinstance(value, dict):
        return {key.rpartition("/")[2]: plain(part) for key, part in value.items()}
    if isinstance(value, list):
        return [plain(part) for part in value]
    return value.decode() if isinstance(value, bytes) else value
records = {config: [plain(row) for row in data.records(config)] for config in configs}
issues = data.metadata.ctx.issues
print(json.dumps({
    "errors": sorted(issues.errors),
    "warnings": sorted(issues.warnings),
    "biases": data.metadata.data_biases,
    "records": records,
}, default=str))
"""


def _read(exported):
    content = json.loads((exported.folder / CROISSANT_NAME).read_text())
    return content


def _fields(fields):
    for field in fields:
        yield field
        yield from _fields(field.get("subField", []))


def test_croissant_names_each_table_with_digest_and_pinned_address(sample):
    files = {item["@id"]: item for item in _read(sample)["distribution"]}
    for config in CONFIG_NAMES:
        content = (sample.folder / data_file(config)).read_bytes()
        file = files[f"{config}.parquet"]
        assert file["sha256"] == hashlib.sha256(content).hexdigest()
        assert file["contentSize"] == f"{len(content)} B"
        hub = "https://huggingface.co/datasets/someone/kolab/resolve/v1.0/"
        assert file["contentUrl"] == f"{hub}{data_file(config)}"
    assert files["recordings"]["includes"] == "recordings/*"


def test_croissant_has_all_columns_with_meanings(sample):
    sets = {item["@id"]: item for item in _read(sample)["recordSet"]}
    assert set(sets) == set(CONFIG_NAMES)
    for config, record_set in sets.items():
        assert [field["name"] for field in record_set["field"]] == list(export_features(config))
        ids = [field["@id"] for field in _fields(record_set["field"])]
        assert len(set(ids)) == len(ids)
        assert all(field["description"] for field in _fields(record_set["field"]))
        assert record_set["key"]["@id"] in ids


def test_croissant_rai_fields_are_the_cards_words(sample):
    content = _read(sample)
    card = (sample.folder / "README.md").read_text(encoding="utf-8")
    fields = {name: value for name, value in content.items() if name.startswith("rai:")}
    assert fields == describe_rai(card)
    assert len(fields) >= 10
    for value in fields.values():
        for text in [value] if isinstance(value, str) else value:
            assert len(text) > 5
            assert not set(text) & set("`\n|")
            assert "**" not in text
    said = " ".join(fields["rai:personalSensitiveInformation"])
    assert "[PUBLISHER: contact for withdrawal" in said
    assert "The paper states that personal information was removed" in said
    limits = fields["rai:dataLimitations"][0]
    assert "An output that is used again without a request has no source: its window" in limits


def test_croissant_of_the_sample_says_so(sample):
    assert _read(sample)["name"] == "kolab-sample"
    assert _read(sample)["description"].startswith("SAMPLE")


def test_croissant_without_recordings_or_licence_names_none(tmp_path):
    release = write_release(tmp_path / "release")
    edit_json(release / "release.json", '"license": "cc-by-4.0", ', "")
    content = _read(export_hub(release, TARGET, tmp_path / "kolab"))
    assert "license" not in content
    assert all(item["@type"] == "cr:FileObject" for item in content["distribution"])
    assert len(content["distribution"]) == len(CONFIG_NAMES)


@pytest.mark.skipif(importlib.util.find_spec("mlcroissant") is None, reason="needs mlcroissant")
def test_croissant_is_valid_and_reads_as_the_tables(sample, tmp_path):
    configs = {config: data_file(config) for config in CONFIG_NAMES}
    command = [sys.executable, "-c", _READ, str(sample.folder), json.dumps(configs)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["errors"] == []
    # No date: an export of the same release is the same bytes on any day.
    assert len(found["warnings"]) == 1
    assert "datePublished" in found["warnings"][0]
    assert "skewed" in found["biases"][0]
    for config, rows in found["records"].items():
        assert len(rows) == sample.sizes[config].num_rows
    parquet = str(sample.folder / data_file("adoption_forecast"))
    table = load_dataset("parquet", data_files=parquet, split="train", cache_dir=str(tmp_path))
    for record, row in zip(found["records"]["adoption_forecast"], table, strict=True):
        for name in ("id", "goal", "label", "target", "response_overlaps"):
            assert record[name] == row[name]
        assert [turn["content"] for turn in record.get("chat") or []] == [
            turn["content"] for turn in row["chat"]
        ]
