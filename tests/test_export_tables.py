import errno
import json
import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from datasets import ClassLabel, Features, Video
from exports import TARGET, make_export, make_release, read_rows, write_card
from releases import load_all_rows

from kolab_core.export import (
    ExportError,
    HubTarget,
    data_file,
    export_features,
    export_release,
    split_hub_path,
    tables,
)
from kolab_core.release import ReleaseError
from kolab_core.rows.columns import build_features
from kolab_core.rows.experiments import CONFIG_NAMES

EXPERIMENTS = [name for name in CONFIG_NAMES if name not in ("sessions", "surveys")]
LONG = {"graph", "chat", "steps", "segments", "responses"}


def read_bytes(root):
    files = (path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


def to_stored(config, row):
    """A builder's row as plain values in the types of its columns (a label is a number)."""
    features = build_features(config)
    encoded = features.encode_example(row)
    return pa.Table.from_pylist([encoded], schema=features.arrow_schema).to_pylist()[0]


def address(row):
    """Where the recording of a row's session has to be on the Hub."""
    if not row["has_video"]:
        return None
    return f"hf://datasets/someone/kolab@v1.0/recordings/{row['session_id']}.mp4"


@pytest.mark.parametrize("config", EXPERIMENTS)
def test_experiment_rows_are_the_builders_with_a_pinned_address(config, release, export):
    rows, expected = read_rows(export, config), load_all_rows(release)[config]
    assert len(rows) == len(expected) > 0
    for row, built in zip(rows, expected, strict=True):
        video = row.pop("video")
        stored = to_stored(config, built)
        assert video == {"path": address(row), "intervals": stored.pop("video")["intervals"]}
        assert row == stored


def test_sessions_rows_have_a_video_without_bytes_and_its_intervals(release, export):
    rows, expected = read_rows(export, "sessions"), load_all_rows(release)["sessions"]
    assert [row["has_video"] for row in rows] == [True, True, False]
    for row, built in zip(rows, expected, strict=True):
        stored = to_stored("sessions", built)
        assert row.pop("video_intervals") == stored.pop("video")["intervals"]
        path = address(row)
        assert row.pop("video") == (None if path is None else {"bytes": None, "path": path})
        assert row == stored


def test_surveys_rows_are_the_builders(release, export):
    expected = [to_stored("surveys", row) for row in load_all_rows(release)["surveys"]]
    assert read_rows(export, "surveys") == expected


@pytest.mark.parametrize("config", CONFIG_NAMES)
def test_export_features_are_those_of_the_file_with_long_columns_last(config, export):
    features = export_features(config)
    assert Features.from_arrow_schema(pq.read_schema(export / data_file(config))) == features
    assert list(pq.read_schema(export / data_file(config)).names) == list(features)
    long = [name in LONG for name in features]
    assert long == sorted(long)
    assert (config == "sessions") == any(isinstance(f, Video) for f in features.values())
    if config == "adoption_forecast":
        assert isinstance(features["label"], ClassLabel)


@pytest.mark.parametrize("config", CONFIG_NAMES)
def test_parquet_has_a_page_index_and_small_row_groups(config, export):
    metadata = pq.read_metadata(export / data_file(config))
    assert metadata.num_row_groups > 0
    for index in range(metadata.num_row_groups):
        group = metadata.row_group(index)
        assert group.num_rows <= tables.ROW_GROUP_ROWS
        assert all(group.column(c).has_offset_index for c in range(group.num_columns))


def count_group_rows(path):
    metadata = pq.read_metadata(path)
    return [metadata.row_group(index).num_rows for index in range(metadata.num_row_groups)]


def test_table_writer_gathers_rows_up_to_a_row_group(tmp_path):
    path = tmp_path / "surveys.parquet"
    with tables._TableWriter(path, "surveys") as writer:
        for index in range(250):
            writer.add([{"participant_id": f"P{index:03d}"}])
    assert count_group_rows(path) == [100, 100, 50]
    assert writer.size().num_rows == 250
    assert writer.size().file_bytes == path.stat().st_size
    assert pq.read_table(path)["participant_id"].to_pylist()[::249] == ["P000", "P249"]


@pytest.mark.parametrize(
    ("most_bytes", "num_rows", "groups"),
    # A row has a little more than 5,000 bytes, so that three of them fit, not four.
    [(20_000, 10, [3, 3, 3, 1]), (10, 2, [1, 1])],
    ids=["large rows", "huge rows"],
)
def test_table_writer_makes_smaller_row_groups_of_larger_rows(
    most_bytes, num_rows, groups, tmp_path, monkeypatch
):
    monkeypatch.setattr(tables, "_ROW_GROUP_BYTES", most_bytes)
    path = tmp_path / "surveys.parquet"
    with tables._TableWriter(path, "surveys") as writer:
        writer.add([{"participant_id": f"P{i}", "Q1": "x" * 5_000} for i in range(num_rows)])
    assert count_group_rows(path) == groups


def test_export_holds_tables_recordings_once_and_the_card(export):
    names = {data_file(config) for config in CONFIG_NAMES}
    names |= {"README.md", "recordings/P01_S1.mp4", "recordings/P01_S2.mp4"}
    assert set(read_bytes(export)) == names


def test_export_names_no_place_on_this_machine(release, export):
    places = [os.fsencode(path) for path in (release, export, release.parent)]
    for name, data in read_bytes(export).items():
        assert not any(place in data for place in places), name
    for config in CONFIG_NAMES:
        text = json.dumps(read_rows(export, config))
        assert "hf://" in text or config == "surveys"
        assert not any(os.fsdecode(place) in text for place in places)


def test_recordings_are_linked(release, export):
    original = release / "sessions/P01_S1/recording.mp4"
    assert (export / "recordings/P01_S1.mp4").samefile(original)


def test_recordings_are_copied_on_request(release, tmp_path):
    export_release(release, TARGET, tmp_path / "kolab", write_card=write_card, copy=True)
    original = release / "sessions/P01_S1/recording.mp4"
    copy = tmp_path / "kolab/recordings/P01_S1.mp4"
    assert not copy.samefile(original)
    assert copy.read_bytes() == original.read_bytes()


def test_recordings_are_copied_where_links_fail(release, tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise OSError(errno.EXDEV, "another file system")

    monkeypatch.setattr(os, "link", refuse)
    make_export(release, tmp_path / "kolab")
    original = release / "sessions/P01_S1/recording.mp4"
    assert (tmp_path / "kolab/recordings/P01_S1.mp4").read_bytes() == original.read_bytes()


def test_recording_keeps_its_suffix_in_lower_case(tmp_path):
    release = make_release(tmp_path / "release")
    folder = release / "sessions/P01_S1"
    (folder / "recording.mp4").rename(folder / "recording.MKV")
    export = make_export(release, tmp_path / "kolab")
    assert (export / "recordings/P01_S1.mkv").is_file()
    path = read_rows(export, "sessions")[0]["video"]["path"]
    assert path == "hf://datasets/someone/kolab@v1.0/recordings/P01_S1.mkv"


def test_export_leaves_out_a_config_without_rows(tmp_path):
    release = make_release(tmp_path / "release")
    for path in (release / "surveys").iterdir():
        path.unlink()
    export = make_export(release, tmp_path / "kolab")
    assert sorted(path.name for path in (export / "data").iterdir()) == sorted(
        set(CONFIG_NAMES) - {"surveys"}
    )


def test_export_into_an_empty_folder_is_made_there(release, tmp_path):
    out = tmp_path / "a" / "b"
    out.mkdir(parents=True)
    make_export(release, out)
    assert (out / "README.md").is_file()


def test_export_replaces_an_earlier_one_whole(release, tmp_path):
    out = make_export(release, tmp_path / "kolab")
    (out / "data/stale.parquet").write_bytes(b"")
    make_export(release, out)
    assert not (out / "data/stale.parquet").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["kolab"]


@pytest.mark.parametrize("name", ["kolab", "kolab/README.md"], ids=["file", "folder"])
def test_export_refuses_to_replace_something_else(name, release, tmp_path):
    mine = tmp_path / name
    mine.parent.mkdir(exist_ok=True)
    mine.write_text("# Something else\n")
    with pytest.raises(ExportError, match="found something else; expected a new folder"):
        make_export(release, tmp_path / "kolab")
    assert mine.read_text() == "# Something else\n"


def test_export_refuses_the_release_itself(tmp_path):
    release = make_release(tmp_path / "release")
    (release / "data").mkdir()
    (release / "README.md").write_text("a release that looks like an export\n")
    before = read_bytes(release)
    with pytest.raises(ExportError, match="found something else"):
        make_export(release, release)
    assert read_bytes(release) == before


def test_export_that_fails_leaves_what_was_there(release, tmp_path):
    out = make_export(release, tmp_path / "kolab")
    before = read_bytes(out)

    def fail(_):
        raise RuntimeError("no card")

    with pytest.raises(RuntimeError, match="no card"):
        export_release(release, TARGET, out, write_card=fail)
    assert read_bytes(out) == before
    assert [path.name for path in tmp_path.iterdir()] == ["kolab"]


def test_export_of_a_broken_release_names_the_errors_of_all_sessions(tmp_path):
    release = make_release(tmp_path / "release")
    for name in ("P01_S1", "P02_S1"):
        (release / "sessions" / name / "graph.json").write_text("{")
    with pytest.raises(ReleaseError) as error:
        make_export(release, tmp_path / "kolab")
    assert {issue.file for issue in error.value.issues} == {
        "sessions/P01_S1/graph.json",
        "sessions/P02_S1/graph.json",
    }
    assert not (tmp_path / "kolab").exists()


@pytest.mark.parametrize(
    "repo_id", ["kolab", "a/b/c", "", "/kolab", "me/", "me/ko lab", "me/kolab@v1", "me/ko--lab"]
)
def test_hub_target_refuses_a_name_that_the_hub_would(repo_id):
    with pytest.raises(ValueError, match="expected NAMESPACE/NAME as the Hub allows it"):
        HubTarget(repo_id, "v1")


@pytest.mark.parametrize(
    "revision", ["", " ", "v 1", "refs/pr/1", "v1@2", "a..b", "v1.", "v1.lock", "-v1", "v1#x", "é"]
)
def test_hub_target_refuses_what_is_no_tag(revision):
    with pytest.raises(ValueError, match="expected a tag of letters"):
        HubTarget("me/kolab", revision)


@pytest.mark.parametrize("revision", ["v1", "1", "v1.0.0", "v1.0-rc.1+build", "main", "a" * 40])
def test_hub_target_takes_a_tag(revision):
    target = HubTarget("me/kolab", revision)
    path = target.recording("P01_S1.mp4")
    assert path == f"hf://datasets/me/kolab@{revision}/recordings/P01_S1.mp4"
    assert split_hub_path(path) == (target, "recordings/P01_S1.mp4")


@pytest.mark.parametrize(
    "path",
    [
        "recordings/P01_S1.mp4",
        "https://huggingface.co/datasets/me/kolab/resolve/v1/recordings/P01_S1.mp4",
        "hf://datasets/me/kolab/recordings/P01_S1.mp4",
        "hf://datasets/me/kolab@/recordings/P01_S1.mp4",
        "hf://datasets/me/kolab@v1",
        "hf://datasets/kolab@v1/recordings",
    ],
)
def test_split_hub_path_of_anything_but_a_pinned_address_is_none(path):
    assert split_hub_path(path) is None
