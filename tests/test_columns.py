import pyarrow as pa
import pytest
from datasets import Features, Value
from releases import load_rows
from tiny_release import write_release

from kolab_core.rows.columns import CONFIG_DESCRIPTIONS, VIDEO_STORAGE, build_features
from kolab_core.rows.experiments import CONFIG_NAMES

COMMON = (
    "id session_id participant_id session occupation sector goal video graph chat has_video "
    "has_chat"
)
FORECAST = "ai_action_step source target response_overlaps label"
RATING = "step step_name rating"
EXTRA = {
    "adoption_recognition": "ai_action_step user_action_step source target response_overlaps label",
    "adoption_forecast": FORECAST,
    "step_n": f"{FORECAST} context_steps context_steps_available",
    "workflow_level": FORECAST,
    "collab_rating": RATING,
    "output_quality": RATING,
}


@pytest.mark.parametrize("config", EXTRA)
def test_build_features_experiment_has_the_documented_columns(config):
    assert list(build_features(config)) == [*COMMON.split(), *EXTRA[config].split()]


def test_build_features_survey_likert_questions_are_whole_numbers():
    features = build_features("surveys")
    assert list(features) == ["participant_id", *(f"Q{n}" for n in range(1, 43))]
    whole = [name for name, feature in features.items() if feature == Value("int64")]
    assert whole == [f"Q{n}" for n in range(13, 39)]


def test_build_features_has_every_config_and_no_other():
    assert tuple(CONFIG_DESCRIPTIONS) == CONFIG_NAMES
    with pytest.raises(KeyError):
        build_features("other")


def test_build_features_takes_another_video_feature():
    plain = build_features("sessions")
    other = build_features("sessions", video=Value("string"))
    assert plain["video"] == Features({"video": VIDEO_STORAGE})["video"]
    assert other == Features({**plain, "video": Value("string")})


@pytest.mark.parametrize("config", CONFIG_NAMES)
def test_build_features_rows_come_back_from_arrow_as_they_were(tmp_path, config):
    rows = load_rows(write_release(tmp_path), config)
    schema = build_features(config).arrow_schema
    assert len(rows) > 1
    assert all(set(row) == set(schema.names) for row in rows)
    assert pa.Table.from_pylist(rows, schema=schema).to_pylist() == rows
