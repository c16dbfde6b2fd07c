import json
from pathlib import Path

import pytest
from releases import (
    BASE,
    CHAT,
    FOLDER,
    GRAPH,
    SESSION,
    SURVEY,
    WORKFLOW,
    load_base,
    load_rows,
    make_files,
    make_node,
    make_segment,
    read_files,
    segment_with,
    span,
    write_files,
)

from kolab_core.release import ReleaseError, open_release
from kolab_core.rows.experiments import (
    CONFIG_NAMES,
    EXPERIMENTS,
    build_rows,
    session_rows,
    survey_rows,
)

GOLDEN = Path(__file__).parents[2] / "shared" / "golden"
FORECASTS = ("adoption_forecast", "step_n", "workflow_level")


def times(cell):
    return cell["start"], cell["end"]


def rows_of(tmp_path, segments, config="adoption_forecast", **more):
    options = {"chat": more.pop("chat", None), "rating": more.pop("rating", None)}
    session = read_files(tmp_path, make_files(segments, **options))
    return build_rows(session, config, **more)


def overlapping_segment():
    """The response [14, 30) starts before its output [12, 20) ends; it has happened before, too."""
    entry = ["q", "a", "reject", span(5, 10), span(12, 20), span(14, 30)]
    nodes = [
        make_node("q", (5, 10)),
        make_node("a", (12, 20)),
        make_node("r", (7, 8), (14, 30), user_response=[entry]),
        make_node("s", (14, 30)),
    ]
    return make_segment("s", "Step-1", 0, 60, nodes, [("a", "r", "sequential")])


OVERLAP_CHAT = [
    {"role": role, "start_seconds": start, "content": f"{role} at {start}"}
    for role, start in [("human", 6), ("human", 14), ("ai", 15), ("human", 19), ("human", 30)]
]


@pytest.mark.parametrize("config", FORECASTS)
def test_forecast_rows_hide_a_response_that_starts_before_the_output_ends(config, tmp_path):
    row = rows_of(tmp_path, [overlapping_segment()], config, chat=OVERLAP_CHAT)[0]
    assert row["response_overlaps"] is True
    occurrences = {n["id"]: [*map(times, n["occurrences"])] for n in row["graph"]["nodes"]}
    # only the very occurrence goes: r's earlier one and the other node at the same time stay
    assert occurrences == {"s/q": [(5, 10)], "s/a": [(12, 20)], "s/r": [(7, 8)], "s/s": [(14, 20)]}
    assert row["graph"]["edges"] == []
    # human turns that start inside [14, 30) go, the AI's stay
    assert [turn["content"] for turn in row["chat"]] == ["human at 6", "ai at 15"]


def test_recognition_rows_show_a_response_that_starts_before_the_output_ends(tmp_path):
    (row,) = rows_of(tmp_path, [overlapping_segment()], "adoption_recognition", chat=OVERLAP_CHAT)
    assert row["response_overlaps"] is True
    occurrences = {n["id"]: [*map(times, n["occurrences"])] for n in row["graph"]["nodes"]}
    assert occurrences["s/r"] == [(7, 8), (14, 30)]
    assert row["graph"]["edges"] == [{"source": "s/a", "target": "s/r", "type": "sequential"}]
    assert [turn["content"] for turn in row["chat"]][:4] == [
        "human at 6",
        "human at 14",
        "ai at 15",
        "human at 19",
    ]


def test_forecast_rows_response_at_the_output_end_does_not_overlap(tmp_path):
    segment = segment_with("s", "Step-1", 0, 60, source=None, ai=(12, 20), own=(20, 30))
    (row,) = rows_of(tmp_path, [segment])
    assert row["response_overlaps"] is False
    assert row["source"] is None


def test_forecast_rows_text_that_spans_the_cut_is_whole(tmp_path):
    segment = segment_with("s", "Step-1", 0, 60, source=None, ai=(12, 20), own=(20, 30))
    segment["nodes"].append(make_node("x", (15, 40), label="all of it"))
    chat = [{"role": "ai", "start_seconds": 19, "end_seconds": 50, "content": "all of this"}]
    (row,) = rows_of(tmp_path, [segment], chat=chat)
    assert [(n["label"], *map(times, n["occurrences"])) for n in row["graph"]["nodes"]] == [
        ("label of a", (12, 20)),
        ("all of it", (15, 20)),
    ]
    assert [(t["content"], t["start"], t["end"]) for t in row["chat"]] == [("all of this", 19, 20)]


def test_adoption_rows_times_are_those_of_the_occurrence_found_clipped_to_the_cut(tmp_path):
    # Quoted to the second, and longer than they are: found by their start.
    entry = ["q", "a", "adopt", span(5, 9), span(13, 19), span(21, 22)]
    nodes = [
        make_node("q", (4.5, 40)),
        make_node("a", (12.25, 20.125)),
        make_node("r", (21, 30), user_response=[entry]),
    ]
    segments = [make_segment("s", "Step-1", 0, 18, nodes)]
    (row,) = rows_of(tmp_path, segments)
    assert times(row["source"]) == (4.5, 20.125)
    assert times(row["target"]) == (12.25, 20.125)
    (row,) = rows_of(tmp_path, segments, "adoption_recognition")
    assert times(row["source"]) == (4.5, 30)
    # the last step's segment ends at 18, before the output does: there is the cut of 1c
    row = rows_of(tmp_path, segments, "step_n")[0]
    assert times(row["target"]) == (12.25, 18)


@pytest.mark.parametrize("config", ["step_n", "workflow_level"])
def test_last_step_rows_output_outside_every_segment_is_an_error_naming_it(config, tmp_path):
    start = 100 if config == "workflow_level" else 0
    times = {"source": (52, 53), "ai": (55, 58), "own": (59, 60)}
    segments = [segment_with("s", "Step-1", start, start + 50, **times)]
    with pytest.raises(ReleaseError, match=r"instance P01_S1/s/r/0: found ") as caught:
        rows_of(tmp_path, segments, config)
    assert len(caught.value.issues) == 1  # said once, though three rows of 1c lack a window
    assert len(rows_of(tmp_path, segments)) == 1  # 1b has its window


def test_last_step_rows_without_planned_segment_there_are_none(tmp_path):
    times = {"source": (5, 10), "ai": (12, 20), "own": (20, 30)}
    segments = [segment_with("s", "Custom-1", 0, 60, **times)]
    assert rows_of(tmp_path, segments, "step_n") == []
    assert rows_of(tmp_path, segments, "workflow_level") == []


def test_step_n_rows_are_three_a_target_and_context_steps_keeps_one():
    release = open_release(BASE)
    rows = session_rows(release, SESSION, "step_n")
    assert [(row["id"], row["context_steps"], row["context_steps_available"]) for row in rows] == [
        ("P01_S1/seg2/m3/0/context-1", 1, 1),
        ("P01_S1/seg2/m3/0/context-2", 2, 1),
        ("P01_S1/seg2/m3/0/context-3", 3, 1),
    ]
    assert session_rows(release, SESSION, "step_n", context_steps=2) == rows[1:2]


def test_adoption_rows_ids_and_order_follow_the_file():
    rows = session_rows(open_release(BASE), SESSION, "adoption_recognition")
    assert [(row["id"], row["label"]) for row in rows] == [
        ("P01_S1/seg0/n3/0", 0),
        ("P01_S1/seg2/m3/0", 1),
        ("P01_S1/seg2/m3/1", 2),
    ]
    # the third acts on an output of an earlier step
    assert rows[2]["ai_action_step"] == "Read the brief"
    assert rows[2]["user_action_step"] == "Draw the plan"


def test_rating_rows_by_step_number_without_unrated_and_unseen_steps(tmp_path):
    files = make_files(
        [make_segment("b", "Step-2", 10, 20), make_segment("a", "Step-1", 0, 10)], num_steps=3
    )
    for step, rating in zip(files[WORKFLOW]["steps"], [4, None, 5], strict=True):
        step["collaboration"]["rating"] = rating
        step["output_quality"]["rating"] = 1
    files[WORKFLOW]["steps"].reverse()
    session = read_files(tmp_path, files)
    rows = build_rows(session, "collab_rating")  # Step 2 has no rating, Step 3 no segment
    assert [(r["id"], r["step"], r["step_name"], r["rating"]) for r in rows] == [
        ("P01_S1/step-1", 1, "plan 1", 4)
    ]
    assert [r["step"] for r in build_rows(session, "output_quality")] == [1, 2]


def test_rows_without_recording_keep_their_intervals(tmp_path):
    files = load_base()
    del files[f"{FOLDER}/recording.mp4"]
    with_it = session_rows(open_release(BASE), SESSION, "adoption_forecast")[0]
    without = build_rows(read_files(tmp_path, files), "adoption_forecast")[0]
    assert with_it["has_video"] is True
    assert with_it["video"]["path"] == str(BASE.resolve() / FOLDER / "recording.mp4")
    assert without["has_video"] is False
    assert without["video"] == {**with_it["video"], "path": None}


def test_rows_has_chat_is_whether_the_row_keeps_a_turn():
    rows = session_rows(open_release(BASE), SESSION, "adoption_forecast")
    assert [(len(row["chat"]), row["has_chat"]) for row in rows] == [
        (2, True),
        (2, True),
        (0, False),
    ]


def test_rows_columns_that_could_tell_the_answer_are_only_the_documented_ones():
    rows = session_rows(open_release(BASE), SESSION, "adoption_forecast")
    text = json.dumps([{k: v for k, v in row.items() if k not in ("label", "id")} for row in rows])
    assert "redraw the walls" not in text  # the response's own label
    assert "user_response" not in text
    assert "modify" not in text


@pytest.mark.parametrize("config", CONFIG_NAMES)
def test_rows_are_plain_json(config):
    rows = load_rows(BASE, config)
    assert rows
    assert json.loads(json.dumps(rows, allow_nan=False)) == rows


def test_build_rows_unknown_config_is_refused():
    with pytest.raises(ValueError, match="config: found 'adoption'; expected one of adoption_rec"):
        session_rows(open_release(BASE), SESSION, "adoption")


def test_sessions_row_equals_the_files_read_back():
    files = load_base()
    workflow, graph, person = files[WORKFLOW], files[GRAPH], files["participants.jsonl"][0]
    (row,) = session_rows(open_release(BASE), SESSION, "sessions")
    assert {key: row[key] for key in person} == person
    assert {key: row[key] for key in workflow} == workflow
    assert [s["key"] for s in row["segments"]] == ["seg0", "seg1", "seg2"]
    for found, written in zip(row["segments"], graph["steps"], strict=True):
        same = ("key", "badge", "step_name", "step_action")
        assert {key: found[key] for key in same} == {key: written[key] for key in same}
        assert times(found) == (written["start_seconds"], written["end_seconds"])
    assert [s["step"] for s in row["segments"]] == [1, None, 2]
    written = [(step, node) for step in graph["steps"] for node in step["nodes"]]
    same = ("actor", "actor_type", "label", "detail", "softwares")
    for found, (step, node) in zip(row["graph"]["nodes"], written, strict=True):
        assert {key: found[key] for key in same} == {key: node[key] for key in same}
        assert found["id"] == f"{step['key']}/{node['id']}"
        assert found["step"] == step["step_name"]
        assert [span(*times(o)) for o in found["occurrences"]] == [
            span(*map(_seconds, text.split("-"))) for text in node["time"]
        ]
    assert row["graph"]["edges"] == [
        {
            "source": f"{step['key']}/{edge['from']}",
            "target": f"{step['key']}/{edge['to']}",
            "type": edge["type"],
        }
        for step in graph["steps"]
        for edge in step["edges"]
    ]


def _seconds(clock):
    hours, minutes, seconds = clock.split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(seconds)


def test_sessions_row_holds_responses_chat_and_files():
    (row,) = session_rows(open_release(BASE), SESSION, "sessions")
    assert row["responses"][1:] == [
        {
            "node_id": "seg2/m3",
            "index": 0,
            "label": "modify",
            "source": {"node_id": "seg2/n1", "start": 70, "end": 80.5},
            "target": {"node_id": "seg2/m2", "start": 80.5, "end": 100},
            "response": {"node_id": "seg2/m3", "start": 100, "end": 120},
        },
        {
            "node_id": "seg2/m3",
            "index": 1,
            "label": "reject",
            "source": None,
            "target": {"node_id": "seg0/n2", "start": 40, "end": 45},
            "response": {"node_id": "seg2/m3", "start": 100, "end": 120},
        },
    ]
    written = load_base()[CHAT]
    for found, turn in zip(row["chat"], written, strict=True):
        same = ("role", "agent", "content", "attachments")
        assert {key: found[key] for key in same} == {key: turn[key] for key in same}
        assert times(found) == (turn["start_seconds"], turn["end_seconds"])
    # a tool's input that is not text is kept as JSON text
    (call,) = row["chat"][1]["tool_calls"]
    assert (call["name"], json.loads(call["input"]), call["output"]) == (
        "read",
        {"path": "brief.txt"},
        "120 m²",
    )
    size = (BASE / FOLDER / "files/input/brief.txt").stat().st_size
    assert row["files"] == [{"path": "files/input/brief.txt", "role": "input", "size": size}]
    assert row["video"]["intervals"] == [{"start": 0, "end": 180}]
    assert (row["has_video"], row["has_chat"]) == (True, True)


def test_sessions_row_keeps_untimed_turns_and_sorts_the_others(tmp_path):
    files = load_base()
    starts = [30, None, 10, None, 20, 10]
    files[CHAT] = [
        {"role": "ai", "start_seconds": start, "content": str(i)} for i, start in enumerate(starts)
    ]
    (row,) = build_rows(read_files(tmp_path, files), "sessions")
    # sorted and stable; a turn without a time stays behind the one before it
    assert [turn["content"] for turn in row["chat"]] == ["2", "3", "5", "4", "0", "1"]
    assert [turn["start"] for turn in row["chat"]] == [10, None, 10, 20, 30, None]


def test_surveys_row_equals_the_file_read_back():
    answers = load_base()[SURVEY]["answers"]
    (row,) = survey_rows(open_release(BASE))
    assert list(row) == ["participant_id", *(f"Q{n}" for n in range(1, 43))]
    assert row.pop("participant_id") == "P01"
    for key, value in row.items():
        answer = answers.get(key)
        is_likert = 13 <= int(key[1:]) <= 38
        if answer is None or isinstance(answer, str) or is_likert:
            assert value == answer
        else:
            assert json.loads(value) == answer
    assert row["Q3"] == '["Claude", "Gemini"]'
    assert row["Q5"] == "12"
    assert row["Q13"] == 7


def test_survey_rows_in_the_order_of_participants_with_those_who_answered(tmp_path):
    files = load_base()
    person = files["participants.jsonl"][0]
    names = ["P03", "P01", "P02"]
    files["participants.jsonl"] = [{**person, "participant_id": name} for name in names]
    files["surveys/P03.json"] = {"participant_id": "P03", "answers": {}}
    rows = list(survey_rows(open_release(write_files(tmp_path, files))))
    assert [row["participant_id"] for row in rows] == ["P03", "P01"]
    assert set(rows[0].values()) == {"P03", None}


def _compared(row):
    """A row as the golden file writes it."""
    same = (
        "id session_id label rating ai_action_step user_action_step response_overlaps step "
        "step_name context_steps context_steps_available"
    )
    result = {key: row[key] for key in same.split() if key in row}
    for key in ("source", "target"):
        if key in row:
            event = row[key]
            result[key] = event and [event["node_id"], *times(event)]
    return {
        **result,
        "intervals": [[*times(i)] for i in row["video"]["intervals"]],
        "nodes": {n["id"]: [[*times(o)] for o in n["occurrences"]] for n in row["graph"]["nodes"]},
        "edges": sorted([e["source"], e["target"], e["type"]] for e in row["graph"]["edges"]),
        "chat": [[turn["content"], *times(turn)] for turn in row["chat"]],
    }


@pytest.mark.skipif(not GOLDEN.is_dir(), reason="the golden rows are not part of the project")
@pytest.mark.parametrize("config", EXPERIMENTS)
def test_rows_equal_the_golden_rows(config):
    expected = json.loads((GOLDEN / "expected.json").read_text())[config]
    found = load_rows(GOLDEN / "release", config)
    assert len(expected) > 20
    assert [_compared(row) for row in found] == expected
