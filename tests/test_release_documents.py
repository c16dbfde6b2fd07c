"""The documents say what the code does: every key of a file and every column is in them."""

import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from kolab_core.release import documents
from kolab_core.rows.columns import build_features
from kolab_core.rows.experiments import CONFIG_NAMES, EXPERIMENTS

DOCS = Path(__file__).parents[1] / "docs"
MODELS = [
    model
    for model in vars(documents).values()
    if isinstance(model, type) and issubclass(model, BaseModel) and model.model_fields
]


def words(name):
    return set(re.findall(r"\w+", (DOCS / name).read_text(encoding="utf-8")))


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_release_format_page_names_every_key(model):
    keys = {field.alias or name for name, field in model.model_fields.items()}
    assert keys <= words("release_format.md")


@pytest.mark.parametrize("config", CONFIG_NAMES)
def test_rows_page_names_every_column(config):
    columns = set(build_features(config))
    if config == "surveys":
        columns = {"participant_id", "Q1", "Q42"}
    assert columns <= words("rows.md")
    assert config in words("rows.md")


def test_rows_page_says_for_every_experiment_column_what_it_is():
    text = (DOCS / "rows.md").read_text(encoding="utf-8")
    described = set(re.findall(r"`(\w+)`", " ".join(re.findall(r"(?m)^\| (`.*?) \|", text))))
    for config in EXPERIMENTS:
        assert set(build_features(config)) <= described
