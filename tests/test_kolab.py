import json
import pickle
import warnings

import datasets
import pytest
from datasets import (
    get_dataset_config_info,
    get_dataset_config_names,
    get_dataset_default_config_name,
    get_dataset_split_names,
    load_dataset,
    load_dataset_builder,
)
from datasets.exceptions import DatasetGenerationError
from releases import load_rows
from tiny_release import edit_json, write_release

import kolab
from kolab_core.names import location, registry
from kolab_core.release import Issue, ReleaseError, open_release
from kolab_core.rows.columns import build_features
from kolab_core.rows.experiments import CONFIG_NAMES, session_rows

pytestmark = pytest.mark.filterwarnings("ignore:The release at:UserWarning")


@pytest.fixture(autouse=True)
def cache(own_cache, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return own_cache


@pytest.fixture
def root(tmp_path):
    return write_release(tmp_path / "release", num_sessions=5)


def _load(config, root, **options):
    return load_dataset("kolab", config, data_dir=str(root), split="test", **options)


def _plain(loaded):
    """The rows as they are stored, no clip made of the video."""
    return kolab.without_clips(loaded).to_list()


def test_names_are_those_of_the_benchmark(root):
    assert get_dataset_config_names("kolab", data_dir=str(root)) == list(CONFIG_NAMES)
    assert get_dataset_default_config_name("kolab", data_dir=str(root)) == "adoption_forecast"
    assert get_dataset_split_names("kolab", "step_n", data_dir=str(root)) == ["test"]
    assert get_dataset_config_info("kolab", data_dir=str(root)).config_name == "adoption_forecast"


@pytest.mark.parametrize("config", CONFIG_NAMES)
def test_load_gives_the_rows_in_order_however_it_is_asked(root, config):
    expected = load_rows(root, config)
    loaded = _load(config, root)
    assert len(expected) > 1
    assert (
        loaded.features == load_dataset_builder("kolab", config, data_dir=str(root)).info.features
    )
    assert _plain(loaded) == expected
    streamed = _load(config, root, streaming=True)
    assert list(kolab.without_clips(streamed)) == expected


def test_load_with_processes_gives_the_same_rows(root, tmp_path):
    shared = _load("step_n", root, num_proc=2, cache_dir=str(tmp_path / "other"))
    assert shared["id"][:] == [row["id"] for row in load_rows(root, "step_n")]


def test_features_are_the_documented_columns_with_clips(root):
    for config in CONFIG_NAMES:
        features = load_dataset_builder("kolab", config, data_dir=str(root)).info.features
        assert features.arrow_schema.types == build_features(config).arrow_schema.types
        if "video" in features:
            assert isinstance(features["video"], kolab.VideoClip)
    assert features["Q13"] == datasets.Value("int64")


def test_stream_shards_by_session(root):
    assert _load("step_n", root, streaming=True).num_shards == 5


def test_load_sessions_gathers_few_rows_before_they_are_written(tmp_path):
    root = write_release(tmp_path / "many", num_sessions=40)
    loaded = _load("sessions", root)
    batches = loaded.data.to_batches()
    assert loaded["session_id"][:] == list(open_release(root).session_ids)
    assert max(batch.num_rows for batch in batches) <= kolab.Kolab.DEFAULT_WRITER_BATCH_SIZE


def test_load_config_without_rows_is_empty(tmp_path):
    root = write_release(tmp_path / "release", num_sessions=1)
    edit_json(root / "sessions/P01_S1/graph.json", "Step-2", "Custom-1")
    edit_json(root / "sessions/P01_S1/graph.json", "Step-1", "Custom-2")
    loaded = _load("step_n", root)
    assert loaded.num_rows == 0
    assert loaded.column_names == list(build_features("step_n"))
    assert list(_load("step_n", root, streaming=True)) == []


def test_load_no_survey_is_empty(root):
    for file in (root / "surveys").iterdir():
        file.unlink()
    assert _load("surveys", root).num_rows == 0


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_context_steps_keeps_the_rows_of_one_number(root, steps):
    loaded = _load("step_n", root, context_steps=steps)
    assert set(loaded["context_steps"]) == {steps}
    assert loaded.num_rows * 3 == _load("step_n", root).num_rows
    assert _load("step_n", root, context_steps=None).num_rows == 3 * loaded.num_rows


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": "forecast"}, r"config: found 'forecast'; expected one of adoption_recognition, "),
        ({"name": "step_n", "context_steps": 4}, "context_steps: found 4; expected 1, 2, 3 or "),
        ({"name": "step_n", "context_steps": 0}, "context_steps: found 0; expected 1, 2, 3 or "),
        ({"name": "step_n", "context_steps": "2"}, "context_steps: found '2'; expected 1, 2, 3"),
        ({"name": "step_n", "context_steps": True}, "context_steps: found True; expected 1, 2"),
        ({"context_steps": 2}, "context_steps: found 2 with the config 'adoption_forecast'; exp"),
        ({"name": "step_n", "steps": 2}, "steps: found this option, with 2; expected options of"),
        ({"split": "train"}, "train"),
        ({"data_dir": "nowhere"}, "data_dir: found 'nowhere', nothing at .*; expected a release"),
        ({"data_dir": "https://a.org"}, r"data_dir: found 'https://a\.org', an address; expect"),
    ],
    ids=lambda value: json.dumps(value) if isinstance(value, dict) else "",
)
@pytest.mark.parametrize("streaming", [False, True], ids=["load", "stream"])
def test_bad_request_is_one_clear_error(root, options, message, streaming):
    with pytest.raises(ValueError, match=message):
        load_dataset("kolab", streaming=streaming, **{"data_dir": str(root), **options})


def test_bad_request_writes_nothing(root, cache):
    for options in ({"name": "no"}, {"name": "step_n", "context_steps": 9}, {"data_dir": "no"}):
        with pytest.raises(ValueError, match="found"):
            load_dataset("kolab", **{"data_dir": str(root), **options})
    assert not cache.exists()


@pytest.fixture
def broken(root):
    """Two sessions and a survey with a fault each."""
    edit_json(root / "sessions/P01_S2/workflow.json", '"rating": 5', '"rating": 7')
    edit_json(root / "sessions/P02_S2/graph.json", '"adopt"', '"maybe"')
    edit_json(root / "surveys/P03.json", '"Q13": 4', '"Q13": 40')
    return root


@pytest.mark.parametrize(
    "options", [{}, {"num_proc": 2}, {"streaming": True}], ids=["load", "processes", "stream"]
)
def test_broken_release_names_all_problems_and_caches_nothing(broken, cache, options):
    with pytest.raises(kolab.KolabReleaseError) as info:
        list(_load("adoption_forecast", broken, **options))
    assert isinstance(info.value, ReleaseError)
    message = str(info.value)
    for part in ("P01_S2/workflow.json", "found 7", "P02_S2/graph.json", "'maybe'", "found 40"):
        assert part in message
    assert [path for path in cache.rglob("*") if path.suffix in (".arrow", ".json")] == []
    assert [path for path in cache.rglob("*.incomplete*") if path.is_dir()] == []


def test_broken_head_is_reported_before_anything_is_written(root, cache):
    edit_json(root / "release.json", '"version": "1.0.0"', '"version": 1')
    with pytest.raises(ReleaseError, match=r"release\.json.*version.*found 1; expected"):
        _load("adoption_forecast", root)
    assert not cache.exists()


def test_release_error_survives_pickling():
    error = kolab.KolabReleaseError([Issue("a.json", "line 1", "1", "2", "Do z.")])
    back = pickle.loads(pickle.dumps(error))
    assert type(back) is kolab.KolabReleaseError
    assert isinstance(back, DatasetGenerationError)
    assert (back.issues, str(back)) == (error.issues, "a.json: line 1: found 1; expected 2. Do z.")


def test_cache_an_edited_label_is_noticed(root):
    assert _load("adoption_forecast", root)["label"][:] == [0] * 7
    edit_json(root / "sessions/P01_S2/graph.json", "adopt", "modify")
    assert _load("adoption_forecast", root)["label"][:] == [0, 1, 1, 0, 0, 0, 0]


def test_cache_unchanged_release_is_not_built_again(root, monkeypatch):
    first = _load("adoption_forecast", root)
    monkeypatch.setattr(kolab, "session_rows", None)
    assert _load("adoption_forecast", root).cache_files == first.cache_files


def test_cache_copy_at_the_same_relative_path_is_another(tmp_path, monkeypatch):
    write_release(tmp_path / "one/release", label="adopt")
    write_release(tmp_path / "two/release", label="adopt")
    paths = []
    for place in ("one", "two"):
        (tmp_path / place / "release/sessions/P01_S1/recording.mp4").touch()
        monkeypatch.chdir(tmp_path / place)
        paths.append(_plain(_load("adoption_forecast", "release"))[0]["video"]["path"])
    recording = "release/sessions/P01_S1/recording.mp4"
    assert paths == [str((tmp_path / place / recording).resolve()) for place in ("one", "two")]


def test_cache_a_changed_rule_is_noticed(root, monkeypatch):
    old = _load("adoption_forecast", root)["goal"][:]

    def changed_rows(*args, **kwargs):
        return [{**row, "goal": "another"} for row in session_rows(*args, **kwargs)]

    monkeypatch.setattr(kolab, "session_rows", changed_rows)
    assert _load("adoption_forecast", root)["goal"][:] == old
    source = [("experiments.py", b"# the changed rule")]
    monkeypatch.setattr(registry, "_read_source", lambda: iter(source))
    assert set(_load("adoption_forecast", root)["goal"]) == {"another"}


def test_cache_the_variable_may_change(tmp_path, monkeypatch):
    for size in (1, 3):
        monkeypatch.setenv(
            "KOLAB_DATA_DIR", str(write_release(tmp_path / str(size), num_sessions=size))
        )
        assert load_dataset("kolab", "sessions", split="test").num_rows == size


def test_builder_made_by_hand_notices_the_release_too(root):
    builder = kolab.Kolab(config_name="sessions", data_dir=str(root))
    assert builder.hash == registry.hash_release(root.resolve())


def test_partial_release_loads_what_is_there_and_says_so_once(root, monkeypatch):
    monkeypatch.setattr(location, "_said", set())
    (root / "sessions/P01_S2").rename(root / "elsewhere")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        loaded = _load("adoption_forecast", root)
        _load("sessions", root, streaming=True)
    assert [str(w.message) for w in caught if "1 of 5 sessions" in str(w.message)]
    assert len(caught) == 1
    assert set(loaded["session_id"]) == {"P01_S1", "P02_S1", "P02_S2", "P03_S1"}
    assert set(loaded["has_video"]) == {False}


def test_sample_loads_when_nothing_is_named_and_says_so_once(root, monkeypatch):
    monkeypatch.setattr(location, "_said", set())
    monkeypatch.setattr(location, "find_sample", lambda: root)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        loaded = load_dataset("kolab", "collab_rating", split="test")
        warm = load_dataset("kolab", "collab_rating", split="test")
    about = [str(warning.message) for warning in caught if "SAMPLE" in str(warning.message)]
    assert about == [location.SAMPLE_NOTE]
    assert loaded.info.description.startswith("SAMPLE: this is a small synthetic sample")
    assert warm.info.description == loaded.info.description


def test_named_release_is_no_sample(root):
    assert "SAMPLE" not in _load("collab_rating", root).info.description


def test_info_says_what_a_row_is_and_the_licence(root):
    info = load_dataset_builder("kolab", "sessions", data_dir=str(root)).info
    assert "One row is one session" in info.description
    assert info.license == "cc-by-4.0"


def test_embedded_sample_has_rows_in_every_config():
    sample = location.find_sample()
    for config in CONFIG_NAMES:
        assert _load(config, sample).num_rows > 0


def test_every_public_name_is_there():
    assert all(hasattr(kolab, name) for name in kolab.__all__)
