from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from datasets import Features, Value, Video
from exports import (
    TARGET,
    copy_export,
    edit_rows,
    edit_yaml,
    find_entry,
    make_export,
    make_release,
    rewrite_table,
)

from kolab_core.clip import VideoClip
from kolab_core.commands.cli import main
from kolab_core.export import data_file
from kolab_core.export.viewer import CHECKS, check_export, pages, program, steps
from kolab_core.export.viewer.folder import read_folder
from kolab_core.export.viewer.pages import (
    ShownRow,
    cut_first_rows,
    first_rows_size,
    read_first_rows,
    rows_room,
)

STATIC = [name for name in CHECKS if name != "viewer-steps"]
FORECAST = "adoption_forecast"


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


def set_path(config: str, path: str | None) -> Callable[[Path], object]:
    def change(rows: list[dict[str, Any]]) -> None:
        rows[1]["video"]["path"] = path

    return lambda root: edit_rows(root, config, change)


def set_intervals(*intervals: tuple[float, float]) -> Callable[[Path], object]:
    def change(rows: list[dict[str, Any]]) -> None:
        rows[0]["video"]["intervals"] = [{"start": a, "end": b} for a, b in intervals]

    return lambda root: edit_rows(root, FORECAST, change)


def in_yaml(field_name: str, config: str, **changes: Any) -> Callable[[Path], object]:
    """Set fields of a config's entry; those set to None go."""

    def change(card: dict[str, Any]) -> None:
        entry = find_entry(card, field_name, config)
        entry.update(changes)
        for name in [name for name, value in entry.items() if value is None]:
            del entry[name]

    return lambda root: edit_yaml(root, change)


def rename_config(root: Path) -> None:
    def change(card: dict[str, Any]) -> None:
        for name in ("configs", "dataset_info"):
            find_entry(card, name, "surveys")["config_name"] = "sur/veys"

    edit_yaml(root, change)


def rename_split(new: str) -> Callable[[Path], object]:
    def change(card: dict[str, Any]) -> None:
        find_entry(card, "configs", "surveys")["data_files"][0]["split"] = new
        find_entry(card, "dataset_info", "surveys")["splits"][0]["name"] = new

    return lambda root: edit_yaml(root, change)


def repeat_config(root: Path) -> None:
    edit_yaml(root, lambda card: card["configs"].append(card["configs"][-1]))


def set_split(**changes: Any) -> Callable[[Path], object]:
    def change(card: dict[str, Any]) -> None:
        find_entry(card, "dataset_info", "surveys")["splits"][0].update(changes)

    return lambda root: edit_yaml(root, change)


def set_feature(index: int, **feature: Any) -> Callable[[Path], object]:
    def change(card: dict[str, Any]) -> None:
        find_entry(card, "dataset_info", "surveys")["features"][index] = feature

    return lambda root: edit_yaml(root, change)


def drop_info(root: Path) -> None:
    edit_yaml(root, lambda card: card["dataset_info"].pop())


def rename_info(root: Path) -> None:
    def change(card: dict[str, Any]) -> None:
        card["dataset_info"].append({**card["dataset_info"][0], "config_name": "earlier"})

    edit_yaml(root, change)


def write_csv(root: Path) -> None:
    path = root / "data/surveys/test.csv"
    path.write_text("participant_id\nP01\n")
    in_yaml("configs", "surveys", data_files=[{"split": "test", "path": "data/surveys/*.csv"}])(
        root
    )


def write_text_as_parquet(root: Path) -> None:
    (root / data_file("surveys")).write_text('{"participant_id": "P01"}\n')


def hide_file(root: Path) -> None:
    path = root / data_file("surveys")
    path.rename(path.with_suffix(".bak"))


def empty_table(root: Path) -> None:
    rewrite_table(root, "surveys", lambda table: table.slice(0, 0))


def leave_out_index(root: Path) -> None:
    rewrite_table(root, "step_n", write_page_index=False)


def repeat_rows(times: int) -> Callable[[pa.Table], pa.Table]:
    return lambda table: pa.concat_tables([table] * times)


def add_columns(number: int, name: str = "column") -> Callable[[Path], object]:
    def change(table: pa.Table) -> pa.Table:
        rows = pa.concat_tables([table.select(["participant_id"])] * 10)
        for index in range(number):
            rows = rows.append_column(f"{name}{index}", rows["participant_id"])
        return rows.replace_schema_metadata()

    return lambda root: rewrite_table(root, "surveys", change)


def with_feature(name: str, feature: Any, values: Callable[[Any], Any]) -> Callable[[Path], object]:
    """The column as another feature, in the file and in the YAML."""

    def change(table: pa.Table) -> pa.Table:
        features = Features({**Features.from_arrow_schema(table.schema), name: feature})
        rows = [{**row, name: values(row[name])} for row in table.to_pylist()]
        return pa.Table.from_pylist(rows, schema=features.arrow_schema)

    return lambda root: rewrite_table(root, FORECAST, change)


def embed_bytes(root: Path) -> None:
    def change(rows: list[dict[str, Any]]) -> None:
        rows[0]["video"]["bytes"] = b"a recording"

    edit_rows(root, "sessions", change)


def embed_bytes_in_struct(root: Path) -> None:
    plain = {"path": Value("string"), "bytes": Value("binary"), "intervals": [{}]}
    plain["intervals"] = [{"start": Value("float64"), "end": Value("float64")}]
    with_feature("video", plain, lambda video: {**video, "bytes": b"a recording"})(root)


def remove_recording(root: Path) -> None:
    (root / "recordings/P01_S2.mp4").unlink()


def spoil_recording(root: Path) -> None:
    path = root / "recordings/P01_S2.mp4"
    path.unlink()
    path.write_text("not a video")


def contradict_features(root: Path) -> None:
    """Features, in the file and in the YAML, that are not what the file holds."""

    def change(table: pa.Table) -> pa.Table:
        features = Features({**Features.from_arrow_schema(table.schema), "goal": Value("int64")})
        return table.replace_schema_metadata(features.arrow_schema.metadata)

    rewrite_table(root, FORECAST, change, declare=False)
    path = root / data_file(FORECAST)
    stored = json.loads(pq.read_schema(path).metadata[b"huggingface"])["info"]["features"]
    listed = Features.from_dict(stored)._to_yaml_list()
    in_yaml("dataset_info", FORECAST, features=listed)(root)


def set_label(label: int) -> Callable[[Path], object]:
    return lambda root: edit_rows(root, FORECAST, lambda rows: rows[0].update(label=label))


def write_card_text(text: str) -> Callable[[Path], object]:
    return lambda root: (root / "README.md").write_text(text)


HUB = TARGET.prefix
VIDEO = "recordings/P01_S1.mp4"
FAULTS = [
    Fault("no_card", "card", "no such file", lambda root: (root / "README.md").unlink()),
    Fault("card_without_yaml", "card", "no YAML `configs`", write_card_text("# Kolab\n")),
    Fault("card_with_broken_yaml", "card", "unreadable", write_card_text("---\na: [\n---\n")),
    Fault("config_name_a_number", "card", "found", in_yaml("configs", "surveys", config_name=7)),
    Fault(
        "config_without_files", "card", "data_files", in_yaml("configs", "surveys", data_files=None)
    ),
    Fault("config_name_with_slash", "names", "'sur/veys'", rename_config),
    Fault("config_twice", "names", "2 times", repeat_config),
    Fault("split_name_with_dash", "names", "'test-1'", rename_split("test-1")),
    Fault("split_name_reserved", "names", "'all'", rename_split("all")),
    Fault("no_default", "names", "no default", in_yaml("configs", FORECAST, default=None)),
    Fault("two_defaults", "names", "surveys", in_yaml("configs", "surveys", default=True)),
    Fault("mixed_formats", "formats", "a .csv file", write_csv),
    Fault("no_parquet_inside", "formats", "no parquet", write_text_as_parquet),
    Fault("no_file", "formats", "no file", hide_file),
    Fault("no_rows", "formats", "no rows", empty_table),
    Fault("yaml_num_examples", "yaml", "9 examples", set_split(num_examples=9)),
    Fault("yaml_split_name", "yaml", "splits", set_split(name="train")),
    Fault(
        "yaml_download_size",
        "yaml",
        "download_size",
        in_yaml("dataset_info", "surveys", download_size=1),
    ),
    Fault(
        "yaml_dataset_size",
        "yaml",
        "dataset_size",
        in_yaml("dataset_info", "surveys", dataset_size=1),
    ),
    Fault("yaml_feature_type", "yaml", "Q1", set_feature(1, name="Q1", dtype="int64")),
    Fault("yaml_feature_name", "yaml", "Q99", set_feature(1, name="Q99", dtype="string")),
    Fault("yaml_without_a_config", "yaml", "nothing", drop_info),
    Fault("yaml_of_another_config", "yaml", "a config that", rename_info),
    Fault(
        "yaml_unknown_type", "features", "Videoclip", set_feature(1, name="Q1", dtype="VideoClip")
    ),
    Fault(
        "type_of_this_package",
        "features",
        "VideoClip",
        with_feature("video", VideoClip(), lambda video: {**video, "bytes": None}),
    ),
    Fault(
        "video_in_an_experiment",
        "features",
        "Video",
        with_feature("video", Video(), lambda video: {"path": video["path"], "bytes": None}),
    ),
    Fault("no_page_index", "page-index", "no page index", leave_out_index),
    Fault(
        "row_groups_too_large",
        "row-groups",
        "row groups of",
        lambda root: rewrite_table(root, "step_n", repeat_rows(200), use_dictionary=False),
        {"ROW_GROUP_BYTES": 60_000},
    ),
    Fault(
        "row_groups_too_large_for_a_page",
        "row-groups",
        "row groups of",
        lambda root: rewrite_table(
            root, "step_n", repeat_rows(200), use_dictionary=False, row_group_size=20
        ),
        {"ROW_GROUP_BYTES": 60_000},
    ),
    Fault("too_many_columns", "first-rows", "columns", add_columns(1_000)),
    Fault("long_column_name", "first-rows", "a column name", add_columns(1, "x" * 500)),
    Fault("first_rows_too_large", "first-rows", "every cell cut", add_columns(900, "x" * 20)),
    Fault(
        "first_rows_too_large_by_their_columns",
        "first-rows",
        "every cell cut",
        lambda root: None,
        {"FIRST_ROWS_BYTES": 2_000},
    ),
    Fault("absolute_path", "paths", "absolute", set_path(FORECAST, "/data/P01_S1.mp4")),
    Fault("relative_path", "paths", "relative", set_path(FORECAST, VIDEO)),
    Fault("foreign_path", "paths", "foreign", set_path(FORECAST, f"https://host/{VIDEO}")),
    Fault(
        "other_repository",
        "paths",
        "another repository",
        set_path(FORECAST, f"hf://datasets/other/kolab@v1.0/{VIDEO}"),
    ),
    Fault(
        "other_tag",
        "paths",
        "or tag",
        set_path(FORECAST, f"hf://datasets/someone/kolab@v2/{VIDEO}"),
    ),
    Fault(
        "unpinned_path",
        "paths",
        "not pinned",
        set_path(FORECAST, f"hf://datasets/someone/kolab/{VIDEO}"),
    ),
    Fault("path_out_of_the_export", "paths", "no file", set_path(FORECAST, f"{HUB}../README.md")),
    Fault("promised_without_path", "paths", "has_video", set_path(FORECAST, None)),
    Fault("missing_recording", "paths", "no file recordings/P01_S2.mp4", remove_recording),
    Fault("bytes_in_video_cell", "paths", "bytes", embed_bytes),
    Fault("bytes_in_struct", "paths", "bytes", embed_bytes_in_struct),
    Fault("interval_past_the_end", "intervals", "an end at 500.000 s", set_intervals((2, 500))),
    Fault("interval_backwards", "intervals", "9.0-5.0", set_intervals((9, 5))),
    Fault("interval_before_zero", "intervals", "-1.0-5.0", set_intervals((-1, 5))),
    Fault("interval_endless", "intervals", "inf", set_intervals((1, float("inf")))),
    Fault("intervals_out_of_order", "intervals", "9.0-12.0", set_intervals((9, 12), (1, 3))),
    Fault("intervals_overlap", "intervals", "1.0-5.0", set_intervals((1, 5), (4, 8))),
    Fault("recording_no_video", "intervals", "P01_S2.mp4", spoil_recording),
]
LATE_FAULTS = [
    Fault("features_contradict_the_data", "viewer-steps", FORECAST, contradict_features),
    Fault("label_out_of_range", "viewer-steps", "7", set_label(7)),
]


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_release(tmp_path_factory.mktemp("release"))


@pytest.fixture(scope="module")
def export(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_export(release, tmp_path_factory.mktemp("exports") / "kolab")


@pytest.fixture(autouse=True)
def _fast_yaml(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same YAML by libyaml, ten times faster than in Python."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    monkeypatch.setattr(yaml, "safe_load", lambda text: yaml.load(text, Loader=loader))


def check_statically(root: Path) -> dict[str, list[str]]:
    """What each check but the viewer's own steps finds; checks without a finding left out."""
    folder = read_folder(root)
    findings = {name: [str(fault) for fault in CHECKS[name](folder)] for name in STATIC}
    return {name: faults for name, faults in findings.items() if faults}


def read_bytes(root: Path) -> dict[str, bytes]:
    files = (path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


def mend(root: Path, export: Path) -> None:
    """Put back what the export has and the broken copy has differently, and nothing else."""
    good, broken = read_bytes(export), read_bytes(root)
    for name in broken.keys() - good.keys():
        (root / name).unlink()
    for name, data in good.items():
        if broken.get(name) != data:
            (root / name).write_bytes(data)


def test_check_export_of_a_good_export_finds_nothing(export: Path) -> None:
    findings = check_export(export)
    assert list(findings) == list(CHECKS)
    assert not any(findings.values())


def test_faults_cover_every_check() -> None:
    assert {fault.check for fault in [*FAULTS, *LATE_FAULTS]} == set(CHECKS)
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_check_export_fault_fails_alone_and_passes_when_mended(
    fault: Fault, export: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = copy_export(export, tmp_path / "kolab")
    fault.make(root)
    with monkeypatch.context() as patch:
        for name, limit in fault.limits.items():
            patch.setattr(pages, name, limit)
        findings = check_export(root)
    assert [name for name, faults in findings.items() if faults] == [fault.check]
    assert any(fault.found in f"{f.where}: {f.found}" for f in findings[fault.check])
    mend(root, export)
    assert check_statically(root) == {}


@pytest.mark.parametrize("fault", LATE_FAULTS, ids=lambda fault: fault.name)
def test_viewer_steps_find_what_only_loading_shows(
    fault: Fault, export: Path, tmp_path: Path
) -> None:
    root = copy_export(export, tmp_path / "kolab")
    fault.make(root)
    assert check_statically(root) == {}
    findings = check_export(root)
    assert [name for name, faults in findings.items() if faults] == ["viewer-steps"]
    assert all(found.where.startswith(FORECAST) for found in findings["viewer-steps"])
    assert any(fault.found in f"{f.where} {f.found}" for f in findings["viewer-steps"])


def test_viewer_steps_need_nothing_of_this_package(export: Path, tmp_path: Path) -> None:
    code = (
        "import runpy, sys\n"
        "sys.modules['kolab'] = sys.modules['kolab_core'] = None\n"
        "sys.argv = sys.argv[1:]\n"
        "runpy.run_path(sys.argv[0], run_name='__main__')\n"
    )
    file = str(export / data_file("surveys"))
    request = {"configs": {"surveys": ["test"]}, "files": {"surveys/test": [file, file]}}
    command = [sys.executable, "-I", "-c", code, program.__file__, str(export), json.dumps(request)]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=True,
        env=steps._environment(str(tmp_path)),
    )
    # The request names one config of eight, and its file twice: both are noticed, nothing else.
    told = [line for line in done.stdout.splitlines() if line.startswith("fault")]
    assert any("config names" in line for line in told)
    assert any("parquet index" in line and "4 rows" in line for line in told)


def test_viewer_steps_leave_out_variables_of_the_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_DATASETS_CACHE", "/elsewhere")
    monkeypatch.setenv("HF_TOKEN", "not for a check")
    environment = steps._environment("/cache")
    assert environment["HF_HOME"] == "/cache"
    assert environment["HF_HUB_OFFLINE"] == "1"
    assert "HF_DATASETS_CACHE" not in environment
    assert "HF_TOKEN" not in environment


def test_command_of_a_good_export_prints_a_table_and_returns_0(
    export: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(CHECKS, "viewer-steps", lambda folder: iter(()))
    assert main(["check-export", str(export)]) == 0
    out = capsys.readouterr().out
    assert [line.split()[:2] for line in out.splitlines()[2:-2]] == [[n, "ok"] for n in CHECKS]
    assert out.endswith("ready.\n")


def test_command_of_a_broken_export_names_the_fault_and_returns_1(
    export: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = copy_export(export, tmp_path / "kolab")
    set_path(FORECAST, VIDEO)(root)
    assert main(["check-export", str(root)]) == 1
    out = capsys.readouterr().out
    assert f"{FORECAST}[1] > video" in out
    assert "viewer-steps  not run" in out
    assert out.endswith("1 fault.\n")
    assert main(["check-export", str(root), "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["num_faults"] == 1
    assert report["checks"]["paths"][0]["where"] == f"{FORECAST}[1] > video"


def test_command_of_many_faults_shows_some_and_counts_the_rest(
    export: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = copy_export(export, tmp_path / "kolab")
    shutil.rmtree(root / "recordings")
    assert main(["check-export", str(root)]) == 1
    out = capsys.readouterr().out
    assert sum(line.startswith("paths") for line in out.splitlines()) == 11
    assert "more" in out


def test_command_of_no_export_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check-export", str(tmp_path / "nothing")]) == 1
    assert "README.md  no such file" in capsys.readouterr().out


def json_size(value: object) -> int:
    return len(json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode())


def as_answer(shown: list[ShownRow]) -> list[dict[str, Any]]:
    """The list of rows as the viewer's answer holds it."""
    return [
        {"row_idx": index, "row": dict(row.cells), "truncated_cells": list(row.cut)}
        for index, row in enumerate(shown)
    ]


@pytest.fixture
def long_rows() -> list[dict[str, Any]]:
    return [{"id": f"r{i}", "text": "é" * 50 * (i + 1), "n": i} for i in range(30)]


def test_cut_first_rows_with_room_keeps_all(long_rows: list[dict[str, Any]]) -> None:
    shown = cut_first_rows(long_rows, 200_000)
    assert [dict(row.cells) for row in shown] == long_rows
    assert not any(row.cut for row in shown)


def test_first_rows_size_is_that_of_the_json(long_rows: list[dict[str, Any]]) -> None:
    shown = cut_first_rows(long_rows, 200_000)
    # The viewer counts a comma after the last row, too.
    assert first_rows_size(shown) == json_size(as_answer(shown)) + 1


def test_cut_first_rows_leaves_out_rows_before_it_cuts(long_rows: list[dict[str, Any]]) -> None:
    room = json_size(as_answer([ShownRow(row) for row in long_rows[:14]])) + 2
    shown = cut_first_rows(long_rows, room)
    assert len(shown) == 14
    assert not any(row.cut for row in shown)


def test_cut_first_rows_cuts_the_last_rows_first(long_rows: list[dict[str, Any]]) -> None:
    whole = [ShownRow(row) for row in long_rows[:10]]
    shown = cut_first_rows(long_rows, first_rows_size(whole) - 1_000)
    assert len(shown) == 10
    # The last row's text of 1,000 bytes is cut to 100, which is not enough; so the row before it.
    assert [row.cut for row in shown] == [()] * 8 + [("text",)] * 2
    # 100 bytes of JSON text: a quotation mark and 49 letters of two bytes, the 50th cut in half.
    assert shown[-1].cells["text"] == '"' + "é" * 49
    assert shown[-1].cells["id"] == "r9"


def test_cut_first_rows_without_room_cuts_every_long_cell(long_rows: list[dict[str, Any]]) -> None:
    shown = cut_first_rows(long_rows, 10)
    assert len(shown) == 10
    # The first row's text has 102 bytes of JSON.
    assert all(row.cut == ("text",) for row in shown)


def test_cut_first_rows_of_no_rows_is_empty() -> None:
    assert cut_first_rows([], 10) == []


def test_rows_room_is_what_the_columns_leave(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"n": [1]}), path)
    kind = {"dtype": "int64", "_type": "Value"}
    assert rows_room(path) == 200_000 - json_size([{"feature_idx": 0, "name": "n", "type": kind}])


def test_read_first_rows_stops_at_a_page(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"n": list(range(250))}), path, row_group_size=30)
    assert [row["n"] for row in read_first_rows(path)] == list(range(100))
    assert len(read_first_rows(path, 7)) == 7
