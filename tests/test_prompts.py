"""What a model is told: golden texts, which experiment, options, missing inputs, pictures."""

from __future__ import annotations

import base64
import io
from pathlib import Path

import datasets
import numpy as np
import pytest
from PIL import Image
from rendered import GOLDEN, list_goldens, sample_rows, show

import kolab
from kolab_core.clip import Clip
from kolab_core.prompts import SETTINGS, MissingInputError, name_setting, render, render_all
from kolab_core.rows.columns import build_features
from kolab_core.rows.experiments import EXPERIMENTS

NUM_GOLDENS = 42
FORECAST = "adoption_forecast"


@pytest.fixture(scope="module")
def row():
    return sample_rows("adoption_recognition")[0]


def user_text(messages):
    return "\n".join(part.get("text", "") for part in messages[1]["content"])


def test_goldens_are_what_is_rendered_now():
    expected = list_goldens()
    assert len(expected) == NUM_GOLDENS
    assert sorted(GOLDEN.glob("*.txt")) == sorted(expected)
    for path, text in expected.items():
        assert path.read_text(encoding="utf-8") == text, path.name


@pytest.mark.parametrize("config", EXPERIMENTS)
@pytest.mark.parametrize("setting", SETTINGS)
def test_render_every_setting_holds_its_inputs_and_no_other(config, setting):
    inputs = SETTINGS[setting]
    system, user = render(sample_rows(config)[0], inputs, config=config, frames="none")
    kinds = [part["type"] for part in user["content"]]
    assert kinds == (["text", "frames", "text"] if "video" in inputs else ["text"])
    assert ("\n<graph>\n" in user_text([system, user])) == ("graph" in inputs)
    assert ("\n<chat>\n" in user_text([system, user])) == ("chat" in inputs)
    assert system["content"].splitlines()[-1] == f"Kolab prompt {kolab.PROMPT_VERSION}"
    assert "{" not in system["content"]
    assert "\n\n\n" not in user_text([system, user])


@pytest.mark.parametrize("config", ["adoption_recognition", "step_n"])
def test_render_config_told_by_the_columns_is_not_needed(config):
    found = sample_rows(config)[0]
    assert render(found, ["graph"]) == render(found, ["graph"], config=config)


@pytest.mark.parametrize(
    ("config", "asked", "message"),
    [
        (FORECAST, None, r"found None .* 'adoption_forecast' or 'workflow_level' share"),
        ("output_quality", None, r"found None .* 'collab_rating' or 'output_quality' share"),
        (FORECAST, "collab_rating", r"found 'collab_rating'; expected 'adoption_forecast' or"),
        ("step_n", FORECAST, r"found 'adoption_forecast'; expected 'step_n', whose"),
        ("step_n", "sessions", r"found 'sessions'; expected one of adoption_recognition, "),
    ],
)
def test_render_config_needed_or_contradicted_is_an_error(config, asked, message):
    with pytest.raises(ValueError, match=message):
        render(sample_rows(config)[0], ["graph"], config=asked)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"modalities": ["sound"]}, ValueError, "modalities: found 'sound'; expected one or more"),
        ({"modalities": []}, ValueError, r"modalities: found \[\]; expected one or more"),
        ({"modalities": ["chat", "chat"]}, ValueError, "each once"),
        ({"modalities": "chat"}, TypeError, "modalities: found 'chat'; expected a sequence"),
        ({"num_frames": 0}, ValueError, "num_frames: found 0; expected at least 1"),
        ({"num_frames": 1.5}, TypeError, "num_frames: found 1.5; expected a whole number"),
        ({"size": 0}, ValueError, "size: found 0; expected at least 1 pixel, or None"),
        ({"frames": "gif"}, ValueError, "frames: found 'gif'; expected one of images, native"),
        ({"image_format": "gif"}, ValueError, "image_format: found 'gif'; expected 'jpeg' or"),
        ({"max_chars": 0}, ValueError, "max_chars: found 0; expected at least 1, or None"),
        ({"max_chars": "9"}, TypeError, "max_chars: found '9'; expected a whole number"),
    ],
)
def test_render_bad_option_is_one_clear_line(row, options, error, message):
    with pytest.raises(error, match=message) as caught:
        render(row, **options)
    assert "\n" not in str(caught.value)
    with pytest.raises(error, match=message):
        render_all([], **options)


def test_render_row_of_no_experiment_is_an_error(row):
    with pytest.raises(ValueError, match="row: found none of the columns user_action_step"):
        render({"session_id": "P01_S1"})
    with pytest.raises(ValueError, match="row: found no column 'graph'"):
        render({name: row[name] for name in row if name != "graph"}, frames="none")


def test_render_missing_input_is_an_error_that_names_it(row):
    no_recording = {**row, "video": {**row["video"], "path": None}}
    with pytest.raises(MissingInputError, match="video: found a row without a recording") as caught:
        render(no_recording, frames="none")
    assert caught.value.modality == "video"
    render(no_recording, ["graph", "chat"])
    with pytest.raises(MissingInputError, match="chat: found a row without a turn"):
        render({**row, "chat": []}, ["chat"])
    with pytest.raises(MissingInputError, match="video: found a clip of no length"):
        render({**row, "video": {**row["video"], "intervals": []}}, frames="none")


def test_render_all_skips_and_counts_rows_that_lack_an_input(row):
    rows = [row, {**row, "chat": []}, {**row, "video": {**row["video"], "path": None}}, row]
    prompts = render_all(rows, missing="skip", frames="none")
    for _ in range(2):
        assert [prompt.index for prompt in prompts] == [0, 3]
        assert prompts.left_out == {"chat": 1, "video": 1}
        assert prompts.num_left_out == 2
    assert next(iter(prompts)).messages == render(row, frames="none")
    with pytest.raises(MissingInputError, match="chat"):
        list(render_all(rows, frames="none"))
    with pytest.raises(ValueError, match="missing: found 'drop'"):
        render_all(rows, missing="drop")


def test_render_all_takes_the_config_from_the_dataset():
    named = datasets.Dataset.from_list(
        [{key: row[key] for key in row if key != "video"} for row in sample_rows(FORECAST)[:2]],
        info=datasets.DatasetInfo(config_name=FORECAST),
    )
    (first, _) = render_all(named, ["graph"])
    assert first.messages == render(sample_rows(FORECAST)[0], ["graph"], config=FORECAST)
    with pytest.raises(ValueError, match="found 'workflow_level'; expected 'adoption_forecast'"):
        render_all(named, ["graph"], config="workflow_level")


@pytest.mark.parametrize("kind", [None, "numpy"])
def test_render_takes_rows_of_any_format(kind):
    rows = sample_rows("adoption_recognition")[:2]
    named = datasets.Dataset.from_list(rows, features=build_features("adoption_recognition"))
    expected = [render(row, frames="none") for row in rows]
    found = [prompt.messages for prompt in render_all(named.with_format(kind), frames="none")]
    assert found == expected


def test_images_are_the_clip_s_frames_each_below_its_time(row):
    parts = render(row, ["video"], num_frames=4, size=48, image_format="png")[1]["content"]
    frames = Clip(**row["video"]).sample(4, size=48)
    assert [part["type"] for part in parts] == ["text", *["text", "image_url"] * 4, "text"]
    # A clip of 18.55 s: centres at 1/8, 3/8, … of it.
    times = ["0:02.3", "0:06.9", "0:11.5", "0:16.2"]
    for index, (time, image) in enumerate(zip(times, frames.images, strict=True)):
        assert parts[1 + 2 * index]["text"] == f"Frame {index + 1} of 4, at {time}:"
        head, _, data = parts[2 + 2 * index]["image_url"]["url"].partition(",")
        assert head == "data:image/png;base64"
        picture = Image.open(io.BytesIO(base64.b64decode(data)))
        np.testing.assert_array_equal(np.asarray(picture), image)


def test_images_jpeg_is_near_the_frame(row):
    parts = render(row, ["video"], num_frames=1, size=240)[1]["content"]
    head, _, data = parts[2]["image_url"]["url"].partition(",")
    assert head == "data:image/jpeg;base64"
    picture = np.asarray(Image.open(io.BytesIO(base64.b64decode(data))), dtype=float)
    image = Clip(**row["video"]).sample(1, size=240).images[0]
    assert np.abs(picture - image).mean() < 4


@pytest.mark.parametrize("image_format", ["jpeg", "png"])
def test_attach_frames_gives_what_images_give(row, image_format):
    options = {"num_frames": 3, "size": 40, "image_format": image_format}
    bare = render(row, frames="none", **options)
    places = [part for part in bare[1]["content"] if part["type"] == "frames"]
    assert places == [{"type": "frames", **options}]
    expected = render(row, **options)
    assert kolab.attach_frames(bare, row) == expected
    assert kolab.attach_frames(render(row, frames="none"), row, **options) == expected
    assert kolab.attach_frames(expected, row) == expected
    assert [part["type"] for part in bare[1]["content"]].count("frames") == 1
    with pytest.raises(ValueError, match="num_frames: found 0"):
        kolab.attach_frames(bare, row, num_frames=0)


def test_native_is_the_clip_as_a_file(row):
    short = {**row, "video": {**row["video"], "intervals": [{"start": 7.0, "end": 8.5}]}}
    parts = render(short, ["video"], frames="native")[1]["content"]
    assert [part["type"] for part in parts] == ["text", "video_url", "text"]
    head, _, data = parts[1]["video_url"]["url"].partition(",")
    assert head == "data:video/mp4;base64"
    found = Clip(bytes=base64.b64decode(data))
    assert found.duration == pytest.approx(1.5, abs=1e-3)


def test_path_names_the_recording_and_each_interval():
    found = sample_rows("step_n")[0]
    parts = render(found, ["video"], frames="path")[1]["content"]
    spans = found["video"]["intervals"]
    assert len(spans) == 2
    assert parts[1]["text"] == "Piece 1 of 2, 0:00.0 to 0:29.9:"
    for part, span in zip(parts[2:5:2], spans, strict=True):
        # Loaders count the frame at the end in; the clip ends before it.
        assert part == {
            "type": "video",
            "video": found["video"]["path"],
            "video_start": span["start"],
            "video_end": pytest.approx(span["end"] - 0.001),
        }
    assert "a clip of 0:42.9, 2 pieces of the session joined." in parts[0]["text"]
    data = Path(found["video"]["path"]).read_bytes()
    in_memory = {**found, "video": {**found["video"], "path": None, "bytes": data}}
    with pytest.raises(ValueError, match="frames: found 'path' with a recording in memory"):
        render(in_memory, ["video"], frames="path")


def test_target_times_are_shown_in_recognition_with_video_alone(row):
    # The clip starts at 6.5 s; the AI acts from 12.25 to 20.05 s.
    assert "in the clip: 0:05.7 to 0:13.5" in user_text(render(row, ["video"], frames="none"))
    assert "in the clip" not in user_text(render(row, ["graph", "chat"]))
    forecast = render(sample_rows(FORECAST)[0], config=FORECAST, frames="none")
    assert "0:05.7" not in user_text(forecast)


def test_max_chars_leaves_out_the_oldest_and_says_so(row):
    whole = user_text(render(row, ["graph", "chat"]))
    assert user_text(render(row, ["graph", "chat"], max_chars=10_000)) == whole
    text = user_text(render(row, ["graph", "chat"], max_chars=650))
    assert "the earliest 2 of 3 nodes, with their arrows." in text
    assert "the earliest 1 of 2 turns." in text
    assert "[n2](user) Takes the list over" in text
    assert "[n1]" not in text
    assert "->" not in text
    assert "[t0]" not in text
    tiny = user_text(render(row, ["chat"], max_chars=60))
    assert "Of turn t1 only the end is shown." in tiny
    shown = tiny.partition("<chat>\n")[2].partition("\n</chat>")[0]
    assert shown.startswith("[t1] AI:  …")
    assert len(shown) < 60


def test_max_chars_takes_graph_and_chat_by_time():
    found = sample_rows("workflow_level")[0]
    text = user_text(render(found, ["graph", "chat"], config="workflow_level", max_chars=800))
    shown = [
        text.partition(f"<{tag}>\n")[2].partition(f"\n</{tag}>")[0] for tag in ("graph", "chat")
    ]
    assert sum(map(len, shown)) <= 800
    assert all("t " in text or text for text in shown)


def test_name_setting_is_that_of_the_published_results():
    assert name_setting(["chat", "video"]) == "video-chat"
    assert [name_setting(inputs) for inputs in SETTINGS.values()] == list(SETTINGS)


def test_render_gives_fresh_messages(row):
    first = render(row, ["graph"])
    first[1]["content"].clear()
    assert render(row, ["graph"])[1]["content"]


def test_show_replaces_pictures(row):
    assert "base64,…]" in show(render(row, ["video"], num_frames=1, size=16))
