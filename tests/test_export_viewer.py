import json
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pytest
import yaml
from datasets import Features, Video
from exports import (
    TARGET,
    copy_export,
    edit_rows,
    edit_yaml,
    find_entry,
    rewrite_table,
)

from kolab_core.commands.cli import main
from kolab_core.export import data_file
from kolab_core.export.viewer import CHECKS, check_export, pages, program, steps

FORECAST = "adoption_forecast"
HUB = TARGET.prefix
VIDEO = "recordings/P01_S1.mp4"


@dataclass(frozen=True)
class Fault:
    """One way to break an export.

    Attributes:
        name: of the test.
        check: the one that finds it.
        found: a part of what it says.
        make: breaks the export in a folder.
        limits: of the viewer, lowered so that a small table exceeds them.
    """

    name: str
    check: str
    found: str
    make: Callable[[Path], object]
    limits: dict[str, int] = field(default_factory=dict)


# Breaking one cell, one line of the YAML or one file.


def set_path(path):
    return lambda root: edit_rows(root, FORECAST, lambda rows: rows[1]["video"].update(path=path))


def set_intervals(*intervals):
    new = [{"start": start, "end": end} for start, end in intervals]
    return lambda root: edit_rows(
        root, FORECAST, lambda rows: rows[0]["video"].update(intervals=new)
    )


def in_yaml(field_name, config, **changes):
    """Set fields of a config's entry; those set to None go."""

    def change(card):
        entry = find_entry(card, field_name, config)
        entry.update(changes)
        for name in [name for name, value in entry.items() if value is None]:
            del entry[name]

    return lambda root: edit_yaml(root, change)


def repeat_entry(field_name, **changes):
    def change(card):
        card[field_name].append({**card[field_name][-1], **changes})

    return lambda root: edit_yaml(root, change)


def drop_info(root):
    edit_yaml(root, lambda card: card["dataset_info"].pop())


def declare(root, config, column, dtype):
    """Another type of a column, in the YAML alone."""

    def change(card):
        features = find_entry(card, "dataset_info", config)["features"]
        next(feature for feature in features if feature["name"] == column)["dtype"] = dtype

    edit_yaml(root, change)


def write_card_text(text):
    return lambda root: (root / "README.md").write_text(text)


def write_in_place_of(name, text):
    def write(root):
        (root / name).unlink()
        (root / name).write_text(text)

    return write


def leave_out_index(root):
    rewrite_table(root, "step_n", write_page_index=False)


def write_large_groups(**options):
    return lambda root: rewrite_table(
        root,
        "step_n",
        lambda table: pa.concat_tables([table] * 200),
        use_dictionary=False,
        **options,
    )


def make_video_column(root):
    """The column as Video, in the file and in the YAML."""

    def change(table):
        features = Features({**Features.from_arrow_schema(table.schema), "video": Video()})
        rows = [
            {**row, "video": {"path": row["video"]["path"], "bytes": None}}
            for row in table.to_pylist()
        ]
        return pa.Table.from_pylist(rows, schema=features.arrow_schema)

    rewrite_table(root, FORECAST, change)


def embed_bytes(root):
    edit_rows(root, "sessions", lambda rows: rows[0]["video"].update(bytes=b"a recording"))


FAULTS = [
    Fault("no_card", "card", "no such file", lambda root: (root / "README.md").unlink()),
    Fault("card_without_yaml", "card", "configs", write_card_text("# Kolab\n")),
    Fault("card_with_broken_yaml", "card", "unreadable", write_card_text("---\na: [\n---\n")),
    Fault("config_name_a_number", "card", "7", in_yaml("configs", "surveys", config_name=7)),
    Fault(
        "config_without_files", "card", "data_files", in_yaml("configs", "surveys", data_files=None)
    ),
    Fault(
        "no_parquet_inside", "card", "no parquet", write_in_place_of(data_file("surveys"), "{}\n")
    ),
    Fault("config_twice", "names", "2 times", repeat_entry("configs")),
    Fault("no_default", "names", "no default", in_yaml("configs", FORECAST, default=None)),
    Fault("two_defaults", "names", "surveys", in_yaml("configs", "surveys", default=True)),
    Fault("yaml_without_a_config", "yaml", "nothing", drop_info),
    Fault(
        "yaml_of_another_config",
        "yaml",
        "a config that",
        repeat_entry("dataset_info", config_name="earlier"),
    ),
    Fault(
        "yaml_of_nothing",
        "yaml",
        "nothing",
        lambda root: edit_yaml(root, lambda card: card.update(dataset_info=["surveys"])),
    ),
    Fault("video_in_an_experiment", "features", "Video", make_video_column),
    Fault("no_page_index", "page-index", "no page index", leave_out_index),
    Fault(
        "row_groups_too_large",
        "row-groups",
        "row groups of",
        write_large_groups(),
        {"ROW_GROUP_BYTES": 60_000},
    ),
    Fault(
        "row_groups_too_large_for_a_page",
        "row-groups",
        "row groups of",
        write_large_groups(row_group_size=20),
        {"ROW_GROUP_BYTES": 60_000},
    ),
    Fault("absolute_path", "paths", "absolute", set_path("/data/P01_S1.mp4")),
    Fault("relative_path", "paths", "relative", set_path(VIDEO)),
    Fault("foreign_path", "paths", "foreign", set_path(f"https://host/{VIDEO}")),
    Fault(
        "other_repository",
        "paths",
        "another repository",
        set_path(f"hf://datasets/other/kolab@v1.0/{VIDEO}"),
    ),
    Fault("other_tag", "paths", "or tag", set_path(f"hf://datasets/someone/kolab@v2/{VIDEO}")),
    Fault("unpinned_path", "paths", "not pinned", set_path(f"hf://datasets/someone/kolab/{VIDEO}")),
    Fault("path_out_of_the_export", "paths", "no file", set_path(f"{HUB}../README.md")),
    Fault("promised_without_path", "paths", "has_video", set_path(None)),
    Fault(
        "missing_recording",
        "paths",
        f"no file {VIDEO}",
        lambda root: (root / VIDEO).unlink(),
    ),
    Fault("bytes_in_video_cell", "paths", "bytes", embed_bytes),
    Fault("interval_past_the_end", "intervals", "an end at 500.000 s", set_intervals((2, 500))),
    Fault("interval_backwards", "intervals", "9.0-5.0", set_intervals((9, 5))),
    Fault("interval_before_zero", "intervals", "-1.0-5.0", set_intervals((-1, 5))),
    Fault("interval_endless", "intervals", "inf", set_intervals((1, float("inf")))),
    Fault("intervals_out_of_order", "intervals", "9.0-12.0", set_intervals((9, 12), (1, 3))),
    Fault("intervals_overlap", "intervals", "1.0-5.0", set_intervals((1, 5), (4, 8))),
    Fault("recording_no_video", "intervals", VIDEO, write_in_place_of(VIDEO, "not a video")),
]


@pytest.fixture(autouse=True)
def _fast_yaml(monkeypatch):
    """The same YAML by libyaml, ten times faster than in Python."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    monkeypatch.setattr(yaml, "safe_load", lambda text: yaml.load(text, Loader=loader))


def test_check_export_of_a_good_export_finds_nothing(export):
    findings = check_export(export)
    assert list(findings) == list(CHECKS)
    assert not any(findings.values())


def test_faults_cover_every_check():
    assert {fault.check for fault in FAULTS} == set(CHECKS) - {"viewer-steps"}
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_check_export_fault_fails_alone(fault, export, tmp_path, monkeypatch):
    root = copy_export(export, tmp_path / "kolab")
    fault.make(root)
    for name, limit in fault.limits.items():
        monkeypatch.setattr(pages, name, limit)
    findings = check_export(root)
    assert [name for name, faults in findings.items() if faults] == [fault.check]
    assert any(fault.found in f"{f.where}: {f.found}" for f in findings[fault.check])


def test_viewer_steps_tell_what_stock_datasets_makes_of_each_config(export, tmp_path):
    root = copy_export(export, tmp_path / "kolab")
    edit_rows(root, FORECAST, lambda rows: rows[0].update(label=7))
    declare(root, "adoption_recognition", "goal", "int64")
    (root / data_file("collab_rating")).unlink()
    rewrite_table(root, "output_quality", lambda table: table.slice(0, 0))
    splits = [{"name": "train", "num_examples": 3, "num_bytes": 1}]
    in_yaml("dataset_info", "sessions", splits=splits)(root)
    splits = [{"name": "test", "num_examples": 999, "num_bytes": 1}]
    in_yaml("dataset_info", "step_n", splits=splits)(root)
    declare(root, "surveys", "Q13", "string")
    files = [{"split": "all", "path": data_file("workflow_level")}]
    in_yaml("configs", "workflow_level", data_files=files)(root)
    findings = check_export(root)
    assert [name for name, faults in findings.items() if faults] == ["viewer-steps"]
    told = [f"{fault.where} | {fault.found}" for fault in findings["viewer-steps"]]
    for part in (
        f"{FORECAST}, test: classes of label | the classes [7]",
        "adoption_recognition | ",
        "collab_rating | ",
        "output_quality | ",
        "sessions | ",
        "step_n | ",
        f"dataset_info of surveys | other types than {data_file('surveys')}: Q13",
        "workflow_level | ",
    ):
        assert any(part in line for line in told), (part, told)
    assert len(told) == 8


def test_viewer_steps_tell_what_stock_datasets_does_not_read_at_all(export, tmp_path):
    root = copy_export(export, tmp_path / "kolab")
    declare(root, "surveys", "Q1", "VideoClip")
    (fault,) = check_export(root)["viewer-steps"]
    assert (fault.where, fault.expected) == ("config names", "the card's configs")
    assert "Videoclip" in fault.found


def test_viewer_steps_need_nothing_of_this_package():
    text = Path(program.__file__).read_text()
    imported = re.findall(r"^\s*(?:from|import)\s+(\w+)", text, flags=re.MULTILINE)
    assert set(imported) == {"json", "os", "sys", "typing", "datasets", "pyarrow"}


def test_viewer_steps_leave_out_variables_of_the_hub(monkeypatch):
    monkeypatch.setenv("HF_DATASETS_CACHE", "/elsewhere")
    monkeypatch.setenv("HF_TOKEN", "not for a check")
    environment = steps.plain_environment("/cache")
    assert environment["HF_HOME"] == "/cache"
    assert environment["HF_HUB_OFFLINE"] == "1"
    assert "HF_DATASETS_CACHE" not in environment
    assert "HF_TOKEN" not in environment


def test_command_of_a_good_export_prints_a_table_and_returns_0(export, capsys, monkeypatch):
    monkeypatch.setitem(CHECKS, "viewer-steps", lambda folder: iter(()))
    assert main(["check-export", str(export)]) == 0
    out = capsys.readouterr().out
    assert [line.split()[:2] for line in out.splitlines()[2:-2]] == [[n, "ok"] for n in CHECKS]
    assert out.endswith("ready.\n")


def test_command_of_a_broken_export_names_the_fault_and_returns_1(export, tmp_path, capsys):
    root = copy_export(export, tmp_path / "kolab")
    set_path(VIDEO)(root)
    assert main(["check-export", str(root)]) == 1
    out = capsys.readouterr().out
    assert f"{FORECAST}[1] > video" in out
    assert "viewer-steps  not run" in out
    assert out.endswith("1 fault.\n")
    assert main(["check-export", str(root), "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["num_faults"] == 1
    assert report["checks"]["paths"][0]["where"] == f"{FORECAST}[1] > video"


def test_command_of_many_faults_shows_some_and_counts_the_rest(export, tmp_path, capsys):
    root = copy_export(export, tmp_path / "kolab")
    shutil.rmtree(root / "recordings")
    assert main(["check-export", str(root)]) == 1
    out = capsys.readouterr().out
    assert sum(line.startswith("paths") for line in out.splitlines()) == 11
    assert "more" in out


def test_command_of_no_export_says_so(tmp_path, capsys):
    assert main(["check-export", str(tmp_path / "nothing")]) == 1
    assert "README.md  no such file" in capsys.readouterr().out
