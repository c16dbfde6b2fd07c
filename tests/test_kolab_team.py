import pickle
import shutil
from pathlib import Path

import pytest
from datasets import get_dataset_config_names, get_dataset_split_names, load_dataset
from datasets.exceptions import DatasetGenerationError

import kolab
from kolab_core.commands.validate import run as run_validate
from kolab_core.names import location
from kolab_core.release import ReleaseError
from kolab_core.team import build_team_features, find_team_sample, team_rows

pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.fixture
def team(tmp_path):
    return Path(shutil.copytree(find_team_sample(), tmp_path / "team"))


def load(team, **options):
    return load_dataset("kolab", "team_sessions", data_dir=str(team), split="test", **options)


def test_load_team_sessions_gives_the_rows_of_the_files(team):
    rows = load(team)
    assert rows.features == build_team_features()
    assert rows.to_list() == list(team_rows(team))
    assert len(rows) > 10


def test_load_team_sessions_streams_and_survives_pickling(team):
    stream = load(team, streaming=True)
    assert list(pickle.loads(pickle.dumps(stream))) == list(team_rows(team))


def test_team_config_is_not_listed_but_has_its_split(team):
    assert "team_sessions" not in get_dataset_config_names("kolab")
    assert get_dataset_split_names("kolab", "team_sessions", data_dir=str(team)) == ["test"]


def test_team_sample_loads_when_nothing_is_named_and_says_so(monkeypatch):
    monkeypatch.setattr(location, "_said", set())
    with pytest.warns(UserWarning, match="SAMPLE"):
        rows = load_dataset("kolab", "team_sessions", split="test")
    assert len(rows) == len(list(team_rows(find_team_sample())))
    assert rows.info.description.startswith("SAMPLE")


def test_team_variable_counts_only_if_it_names_such_a_release(team, monkeypatch, tmp_path):
    monkeypatch.setenv(location.DATA_DIR_VARIABLE, str(team))
    assert location.resolve_team_dir() == (team.resolve(), False)
    monkeypatch.setenv(location.DATA_DIR_VARIABLE, str(tmp_path))
    assert location.resolve_team_dir().is_sample


def test_team_cache_an_edited_outcome_is_noticed(team):
    before = load(team)[0]["occupation"]
    humans = team / "humans.jsonl"
    humans.write_text(humans.read_text().replace(before, f"Retired {before.lower()}"))
    assert load(team)[0]["occupation"] == f"Retired {before.lower()}"


def test_team_release_with_errors_names_them_all(team):
    sessions = (team / "sessions.jsonl").read_text().splitlines()
    sessions[0] = sessions[0].replace('"human_id": "', '"human_id": "un')
    sessions[1] = sessions[1].replace('"agent": "', '"agent": "un')
    (team / "sessions.jsonl").write_text("\n".join(sessions))
    with pytest.raises(ReleaseError, match=r"2 problems(.|\n)*human_id(.|\n)*agent"):
        load(team)


def test_team_config_with_recordings_and_the_other_way_round_are_clear_errors(team):
    sample = location.find_sample()
    with pytest.raises(ReleaseError, match=r"release\.json: format: found no such key"):
        load(sample)
    with pytest.raises(ReleaseError, match=r"release\.json: name: found .*; expected 'kolab'"):
        load_dataset("kolab", "step_n", data_dir=str(team))
    with pytest.raises(ValueError, match="context_steps: found 2 with the config 'team_sessions'"):
        load(team, context_steps=2)


def test_team_release_that_breaks_while_loading_is_our_error(team, monkeypatch):
    builder = kolab.Kolab(config_name="team_sessions", data_dir=str(team))
    (team / "tasks.jsonl").write_text("[]")
    with pytest.raises(DatasetGenerationError) as raised:
        builder.download_and_prepare()
    assert isinstance(raised.value, ReleaseError)


def test_validate_knows_team_releases(team, capsys):
    class Arguments:
        release = str(team)
        json = False
        no_recordings = True
        strict = False

    assert run_validate(Arguments) == 0
    assert "judgements" in capsys.readouterr().out
    (team / "judgements.jsonl").write_text("")
    assert run_validate(Arguments) == 1
