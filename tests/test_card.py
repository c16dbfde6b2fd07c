"""The card of an export: parsed as the Hub and `datasets` do, and counted from the tables."""

import json
import re
from pathlib import Path

import huggingface_hub
import pytest
from datasets import load_dataset
from datasets.info import DatasetInfosDict
from datasets.utils.metadata import MetadataConfigs
from exports import TARGET
from huggingface_hub import DatasetCard, DatasetCardData
from tiny_release import edit_json, write_release

from kolab_core.export import ExportError, data_file, export_features
from kolab_core.export.card import (
    CANARY,
    EXPORT_KEY,
    describe_column,
    list_blanks,
    read_sections,
    read_target,
    render_card,
    split_front_matter,
)
from kolab_core.export.card.statistics import read_statistics
from kolab_core.export.hub import export_hub
from kolab_core.names.location import find_sample
from kolab_core.rows.columns import CONFIG_DESCRIPTIONS
from kolab_core.rows.experiments import CONFIG_NAMES, DEFAULT_CONFIG, EXPERIMENTS

TASKS = ["video-text-to-text", "video-classification", "text-classification"]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    release = write_release(tmp_path_factory.mktemp("tiny"))
    return export_hub(release, TARGET, tmp_path_factory.mktemp("out") / "kolab")


def _read(exported):
    return (exported.folder / "README.md").read_text(encoding="utf-8")


def _parse(exported):
    return DatasetCard(_read(exported), ignore_metadata_errors=False)


def _table(text, title):
    """The rows of the Markdown table under a line of text or a heading."""
    lines = text[text.index(title) :].splitlines()
    start = next(index for index, line in enumerate(lines) if line.startswith("|"))
    rows = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return [rows[0], *rows[2:]]


def test_card_yaml_is_what_the_hub_takes(sample):
    data = _parse(sample).data
    assert isinstance(data, DatasetCardData)
    assert data.task_categories == TASKS
    assert data.language == ["en"]
    assert data.license == "apache-2.0"
    assert data.size_categories == ["n<1K"]
    assert data.source_datasets == ["original"]
    assert all(re.fullmatch(r"[a-z0-9-]+", tag) for tag in data["tags"])
    assert not any(key.startswith("extra_gated") for key in data.to_dict())
    again = DatasetCard(f"---\n{data.to_yaml()}\n---\n", ignore_metadata_errors=False)
    assert again.data.to_dict() == data.to_dict()


def test_card_configs_are_read_by_datasets(sample):
    configs = MetadataConfigs.from_dataset_card_data(_parse(sample).data)
    assert set(configs) == set(CONFIG_NAMES)
    assert configs.get_default_config_name() == DEFAULT_CONFIG
    for name, config in configs.items():
        assert config["data_files"] == [{"split": "test", "path": data_file(name)}]
        assert (sample.folder / data_file(name)).is_file()


def test_card_dataset_info_is_that_of_the_files(sample):
    infos = DatasetInfosDict.from_dataset_card_data(_parse(sample).data)
    assert set(infos) == set(CONFIG_NAMES)
    for name, info in infos.items():
        size = sample.sizes[name]
        assert info.features == export_features(name)
        assert list(info.features) == list(export_features(name))
        assert set(info.splits) == {"test"}
        assert info.splits["test"].num_examples == size.num_rows
        assert info.splits["test"].num_bytes == info.dataset_size == size.num_bytes
        assert info.download_size == (sample.folder / data_file(name)).stat().st_size


@pytest.mark.parametrize("config", ["adoption_forecast", "collab_rating", "surveys"])
def test_export_loads_with_its_card(sample, tmp_path, config):
    rows = load_dataset(
        str(sample.folder), config, split="test", cache_dir=str(tmp_path), streaming=True
    )
    assert rows.features == export_features(config)
    assert len(list(rows)) == sample.sizes[config].num_rows


def test_card_has_every_section_of_the_hubs_template_filled(sample):
    folder = Path(huggingface_hub.__file__).parent / "templates"
    template = (folder / "datasetcard_template.md").read_text(encoding="utf-8")
    wanted = re.findall(r"^#{2,4} (.+)$", template, flags=re.MULTILINE)
    labels = re.findall(r"^(?:- )?\*\*(.+?):\*\*", template, flags=re.MULTILINE)
    assert len(wanted) > 15
    assert len(labels) > 8
    text = _parse(sample).text
    sections = read_sections(text)
    for title in wanted:
        title = title.removesuffix(" [optional]")
        assert title in sections, title
        inside = text[text.index(f"# {title}\n") + len(title) + 2 :].strip()
        assert not inside.startswith("## "), title
    for label in labels:
        label = label.removesuffix(" [optional]")
        assert re.search(rf"\*\*{re.escape(label)}:\*\*\s+\S", text), label
    assert [t for t, content in sections.items() if not content] == [
        "Dataset Details",
        "Uses",
        "Dataset Creation",
        "Source Data",
        "Annotations",
    ]


def test_card_has_no_mark_and_no_blank_that_is_not_the_publishers(sample):
    text = _read(sample)
    assert "{{" not in text
    assert "}}" not in text
    for word in ("More Information Needed", "TODO", "TBD", "XXX", "…]"):
        assert word not in text
    assert text.count("[PUBLISHER:") == len(list_blanks(text))
    assert all(len(blank) > len("[PUBLISHER: ]") for blank in list_blanks(text))
    assert not re.search(r"\n{3,}", text)


@pytest.mark.parametrize(
    "words",
    [
        "institutional review",
        "The paper states that personal information was removed",
        "The paper states how",
        "recruited and paid",
        "contact for withdrawal",
        "No re-identification",
        "Evaluation only",
        "individual workers",
        "torchcodec",
        "Video(decode=False)",
        "kolab.with_clips",
        "skewed",
        "2610.21109",
        "2606.09833",
        CANARY,
    ],
)
def test_card_says(sample, words):
    assert words in " ".join(_read(sample).replace("> ", "").split())


def test_card_of_the_sample_says_so_loudly_and_of_another_release_never(sample, tiny):
    first = _parse(sample).text.strip().splitlines()[2:4]
    assert first[0] == "> [!WARNING]"
    assert "SAMPLE" in first[1]
    assert "SAMPLE" in _parse(sample).data.pretty_name
    assert "SAMPLE" not in _read(tiny)
    assert "synthetic" not in _read(tiny)


def test_card_gated_has_the_fields_and_shows_no_texts(sample):
    data = DatasetCard(render_card(sample, gated=True), ignore_metadata_errors=False).data
    keys = {key for key in data.to_dict() if key.startswith("extra_gated_")}
    assert keys == {
        "extra_gated_heading",
        "extra_gated_prompt",
        "extra_gated_description",
        "extra_gated_button_content",
        "extra_gated_fields",
    }
    kinds = {"text", "checkbox", "country"}
    assert set(data["extra_gated_fields"].values()) == kinds
    goal = json.loads((find_sample() / "sessions/P01_S1/workflow.json").read_text())["goal"]
    assert goal in _read(sample)
    gated = render_card(sample, gated=True)
    assert goal not in gated
    assert f"({len(goal)} characters)" in gated


def test_card_counts_rows_labels_and_ratings_of_the_tables(tiny):
    text = _parse(tiny).text
    rows = {line[0].strip("`"): line for line in _table(text, "\nRows:")[1:]}
    assert set(rows) == set(CONFIG_NAMES)
    # Three sessions with 1, 2 and 1 labels, each with two rated steps; no recordings.
    assert rows["adoption_forecast"][1:] == ["4", "692", "3", "2", "0", "4"]
    assert rows["step_n"][1] == "12"
    assert rows["collab_rating"][1:] == ["6", "–", "3", "2", "0", "3"]
    assert rows["surveys"][1:] == ["2", "50", "–", "2", "–", "–"]
    labels = _table(text, "\nLabels, percent")
    assert labels[0] == ["config", "adopt", "modify", "reject"]
    assert ["`adoption_forecast`", "100.0", "0.0", "0.0"] in labels
    assert labels[labels.index(["`adoption_forecast`", "100.0", "0.0", "0.0"]) + 1] == [
        "– in the paper",
        "65.9",
        "19.1",
        "15.0",
    ]
    ratings = _table(text, "\nRatings, percent")
    assert ["`collab_rating`", "0.0", "0.0", "0.0", "50.0", "50.0", "0.0"] in ratings
    assert ["– in the paper", "–", "–", "–", "29.7", "54.9", "15.3"] in ratings


def test_card_counts_clips_of_the_tables(tiny):
    lengths = {line[0]: line[1:] for line in _table(_parse(tiny).text, "\nClips:")[1:]}
    # From the request at 20 s to the end of the AI output at 40 s, in each of four rows.
    assert lengths["`adoption_forecast`"] == ["0.02", "0.33", "0.00", "0.33"]
    # Each session's work runs from 0 to 60 s.
    assert lengths["`sessions`"] == ["0.05", "1.0", "0.00", "1.0"]
    found = read_statistics(tiny.folder, ["collab_rating"])["collab_rating"]
    # Steps of 20 and 40 s, in three sessions: mean 30, variance (6 × 10²)/5 = 120.
    assert found.mean_minutes == pytest.approx(0.5)
    assert found.sd_minutes == pytest.approx(120**0.5 / 60)
    assert found.max_minutes == pytest.approx(40 / 60)
    assert found.hours == pytest.approx(180 / 3600)


def test_card_follows_an_edited_label(tmp_path, tiny):
    release = write_release(tmp_path / "release", label="reject")
    exported = export_hub(release, TARGET, tmp_path / "kolab")
    assert ["`adoption_forecast`", "0.0", "0.0", "100.0"] in _table(_read(exported), "\nLabels")
    assert re.search(r"^label +reject$", _read(exported), flags=re.MULTILINE)
    assert re.search(r"^label +adopt$", _read(tiny), flags=re.MULTILINE)


def test_card_of_a_release_without_sessions_has_the_surveys_alone(tmp_path):
    release = write_release(tmp_path / "release", num_sessions=1)
    edit_json(release / "release.json", '["P01_S1"]', "[]")
    exported = export_hub(release, TARGET, tmp_path / "kolab")
    assert _read(exported).count("This export has no row here.") == 2
    data = _parse(exported).data
    assert MetadataConfigs.from_dataset_card_data(data).get_default_config_name() == "surveys"
    assert set(DatasetInfosDict.from_dataset_card_data(data)) == {"surveys"}
    assert [line[0] for line in _table(_read(exported), "### Configs")[1:]] == ["`surveys`"]


def test_export_without_any_row_is_refused(tmp_path):
    release = write_release(tmp_path / "release", num_sessions=0)
    with pytest.raises(ExportError, match="found no rows"):
        export_hub(release, TARGET, tmp_path / "kolab")
    assert not (tmp_path / "kolab").exists()


def test_card_describes_every_column(sample):
    named = {line[0].strip("`"): line for line in _table(_read(sample), "### Columns")[1:]}
    for config in CONFIG_NAMES:
        for name in export_features(config):
            assert describe_column(config, name)
            if not (config == "surveys" and name.startswith("Q")):
                assert name in named
    assert named["rating"][2] == "`collab_rating`, `output_quality`"
    assert named["goal"][2] == "all experiments, `sessions`"
    assert named["target"][2] == "the adoption experiments"
    assert named["label"][1] == "class: 0 adopt, 1 modify, 2 reject"
    assert "Q1 … Q42" in named


def test_card_lists_every_config_with_its_rows(sample):
    lines = {line[0].strip("`"): line for line in _table(_read(sample), "### Configs")[1:]}
    assert list(lines) == list(CONFIG_NAMES)
    for config, line in lines.items():
        assert line[1] == str(sample.sizes[config].num_rows)
        assert CONFIG_DESCRIPTIONS[config].endswith(line[2])


def test_card_examples_are_first_rows(sample):
    text = read_sections(_parse(sample).text)["Examples"]
    rows = load_dataset("parquet", data_files=str(sample.folder / data_file(DEFAULT_CONFIG)))
    row = rows["train"][0]
    assert row["id"] in text
    assert row["graph"]["nodes"][0]["label"] in text
    assert row["chat"][0]["content"][:100] in text
    assert row["video"]["path"].rpartition("/")[2] in text


def test_export_again_is_the_same_byte_for_byte(tmp_path):
    release = write_release(tmp_path / "release")
    (release / "sessions" / "P01_S1" / "recording.mp4").write_bytes(b"x")
    first = export_hub(release, TARGET, tmp_path / "a", gated=True).folder
    second = export_hub(release, TARGET, tmp_path / "b", gated=True, copy=True).folder
    export_hub(release, TARGET, tmp_path / "b", gated=True, copy=True)
    contents = [
        {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
        for folder in (first, second)
    ]
    assert contents[0] == contents[1]
    assert len(contents[0]) == len(CONFIG_NAMES) + 3


def test_card_names_the_target(sample):
    front, _ = split_front_matter(_read(sample))
    assert read_target(front) == TARGET
    assert front[EXPORT_KEY] == {"repo_id": "someone/kolab", "revision": "v1.0"}
    assert 'load_dataset("someone/kolab", "adoption_forecast", split="test", revision="v1.0")' in (
        _read(sample)
    )


def test_card_of_a_release_without_licence_leaves_marked_blanks(tmp_path):
    release = write_release(tmp_path / "release")
    edit_json(release / "release.json", '"license": "cc-by-4.0", ', "")
    exported = export_hub(release, TARGET, tmp_path / "kolab")
    assert _parse(exported).data.license == "other"
    assert "[PUBLISHER: name of the licence]" in list_blanks(_read(exported))


def test_every_experiment_has_statistics_of_its_answers(sample):
    counted = read_statistics(sample.folder, EXPERIMENTS)
    for config in EXPERIMENTS:
        found = counted[config]
        assert sum(found.answers.values()) == found.num_rows == len(found.minutes) > 0
        assert sum(found.share(name) or 0 for name in found.answers) == pytest.approx(100)
