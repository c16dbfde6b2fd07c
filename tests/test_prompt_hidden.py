"""What a row hides appears in no byte of its messages: ids, labels, ratings, the file's name."""

from __future__ import annotations

import base64
import json
import shutil
from collections.abc import Mapping

import pytest
from rendered import sample_rows

from kolab_core.prompts import SETTINGS, attach_frames, render
from kolab_core.rows.columns import build_features
from kolab_core.rows.experiments import EXPERIMENTS

SECRET = "s3cr3t"
HIDDEN = {
    "id",
    "session_id",
    "participant_id",
    "session",
    "sector",
    "has_video",
    "has_chat",
    "source",
    "response_overlaps",
    "label",
    "context_steps",
    "context_steps_available",
    "step",
    "rating",
}
SHORT = [{"start": 7.0, "end": 8.0}]


class Guarded(Mapping):
    """A row that tells which columns it has, and shows none of those that are to be hidden."""

    def __init__(self, row):
        self._row = row

    def __getitem__(self, name):
        assert name not in HIDDEN, name
        return self._row[name]

    def __contains__(self, name):
        return name in self._row

    def __iter__(self):
        raise AssertionError("all columns at once")

    def __len__(self):
        raise AssertionError("all columns at once")


def secretive_row(config, folder):
    """A row of the sample whose hidden values say so, with node ids and the recording's place."""
    row = sample_rows(config)[0]
    path = folder / SECRET / f"{SECRET}.mp4"
    path.parent.mkdir()
    shutil.copy(row["video"]["path"], path)
    graph = row["graph"]
    nodes = [
        {**node, "id": f"{SECRET}/{node['id']}", "step": SECRET, "actor_type": SECRET}
        for node in graph["nodes"]
    ]
    edges = [
        {name: f"{SECRET}/{edge[name]}" for name in ("source", "target")} | {"type": SECRET}
        for edge in graph["edges"]
    ]
    return {
        **row,
        **{name: SECRET for name in HIDDEN if name in row},
        "video": {"path": str(path), "bytes": None, "intervals": SHORT},
        "graph": {"nodes": nodes, "edges": edges},
        "chat": [{**turn, "agent": SECRET} for turn in row["chat"]],
    }


def all_bytes(messages):
    """Messages as they are sent, and what their data URLs hold."""
    found = [json.dumps(messages).encode()]
    for part in messages[1]["content"]:
        url = part.get(part["type"])
        if isinstance(url, dict):
            found.append(base64.b64decode(url["url"].partition(",")[2]))
    return found


def test_hidden_columns_are_those_that_are_not_to_be_shown():
    shown = {"goal", "occupation", "video", "graph", "chat", "ai_action_step", "user_action_step"}
    columns = set().union(*map(build_features, EXPERIMENTS))
    assert columns - shown - {"target", "step_name"} == HIDDEN


@pytest.mark.parametrize("config", EXPERIMENTS)
@pytest.mark.parametrize("setting", SETTINGS)
def test_messages_hold_nothing_hidden(config, setting, tmp_path):
    row = secretive_row(config, tmp_path)
    inputs = SETTINGS[setting]
    messages = render(Guarded(row), inputs, config=config, num_frames=2, size=16)
    assert not any(SECRET.encode() in data for data in all_bytes(messages))
    bare = render(Guarded(row), inputs, config=config, frames="none", num_frames=2, size=16)
    assert SECRET not in json.dumps(bare)
    assert attach_frames(bare, Guarded(row)) == messages
    without = {name: value for name, value in row.items() if name not in HIDDEN - {"context_steps"}}
    assert render(without, inputs, config=config, frames="none", num_frames=2, size=16) == bare


@pytest.mark.parametrize("config", EXPERIMENTS)
def test_native_file_holds_nothing_hidden_and_path_holds_its_place_alone(config, tmp_path):
    row = secretive_row(config, tmp_path)
    native = render(Guarded(row), ["video"], config=config, frames="native")
    assert len(all_bytes(native)) == 2
    assert not any(SECRET.encode() in data for data in all_bytes(native))
    path = render(Guarded(row), ["video"], config=config, frames="path")
    assert json.dumps(path).replace(row["video"]["path"], "").count(SECRET) == 0


def test_mistakes_are_told_without_what_is_hidden(tmp_path):
    row = secretive_row("step_n", tmp_path)
    with pytest.raises(ValueError, match="chat: found") as caught:
        render(Guarded({**row, "chat": []}), ["chat"])
    assert SECRET not in str(caught.value)
