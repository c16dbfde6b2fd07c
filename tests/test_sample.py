"""The embedded sample: every case of the format, and recordings that say which frame is which."""

import json
from collections import Counter
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image
from releases import nodes_of, read_json, responses_of

from kolab_core.rows.check import check_release
from scripts.synthesis import make_sample, read_strip
from scripts.synthesis.chat_pane import chat_state
from scripts.synthesis.sample import read_timeline
from scripts.synthesis.screen import Screen

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "sample"
SESSIONS = ["P01_S1", "P01_S2", "P02_S1", "P02_S2", "P03_S1", "P03_S2"]


def graph_of(session_id):
    return read_json(SAMPLE / "sessions" / session_id / "graph.json")


def workflow_of(session_id):
    return read_json(SAMPLE / "sessions" / session_id / "workflow.json")


def chat_of(session_id):
    path = SAMPLE / "sessions" / session_id / "chat.jsonl"
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def recording_of(session_id):
    (path,) = (SAMPLE / "sessions" / session_id).glob("recording.*")
    return path


def all_responses():
    return [
        (session_id, *found)
        for session_id in SESSIONS
        for found in responses_of(graph_of(session_id))
    ]


def all_steps():
    return [step for session_id in SESSIONS for step in workflow_of(session_id)["steps"]]


def seconds_of(span):
    start, end = (
        sum(float(part) * 60**power for power, part in enumerate(reversed(clock.split(":"))))
        for clock in span.split("-")
    )
    return start, end


# -- the sample's cases -------------------------------------------------------------------------


def test_sample_release_lists_three_participants_with_two_sessions_each():
    release = read_json(SAMPLE / "release.json")
    assert release["name"] == "kolab"
    assert release["sessions"] == SESSIONS
    lines = (SAMPLE / "participants.jsonl").read_text(encoding="utf-8").splitlines()
    people = [json.loads(line) for line in lines]
    assert [person["participant_id"] for person in people] == ["P01", "P02", "P03"]
    assert len({person["sector"] for person in people}) == 3


def test_sample_is_valid_with_the_deliberate_notes_only():
    report = check_release(SAMPLE)
    assert report.errors == ()
    assert [(note.file, note.where) for note in report.notes] == [
        ("sessions/P01_S1/graph.json", "steps[3] seg1b > step_name"),
        ("sessions/P03_S2/graph.json", "steps[4] k4b > step_name"),
        ("sessions/P03_S2/chat.jsonl", "line 5"),
    ]


def test_sample_has_rows_in_every_experiment():
    counts = check_release(SAMPLE).counts
    assert counts["responses"] == 35
    assert counts["rows of step_n"] == 3 * counts["rows of workflow_level"] == 30
    assert counts["rows of collab_rating"] == counts["rows of output_quality"] == 20


def test_sample_has_a_revisited_step():
    badges = [segment["badge"] for segment in graph_of("P01_S1")["steps"]]
    assert badges == ["Step-1", "Step-2", "Step-3", "Step-2", "Custom-1", "Step-4"]


def test_sample_has_custom_segments():
    customs = {
        session_id
        for session_id in SESSIONS
        for segment in graph_of(session_id)["steps"]
        if segment["badge"].startswith("Custom-")
    }
    assert customs == {"P01_S1", "P03_S1"}


def test_sample_has_loop_edges_to_earlier_nodes():
    (segment,) = (s for s in graph_of("P01_S1")["steps"] if s["key"] == "seg2a")
    assert {"from": "n3", "to": "n1", "type": "loop"} in segment["edges"]
    loops = [e for s in SESSIONS for g in graph_of(s)["steps"] for e in g["edges"]]
    assert sum(edge["type"] == "loop" for edge in loops) >= 3


def test_sample_has_an_edge_into_another_segment():
    graph = graph_of("P01_S2")
    *_, last = graph["steps"]
    outside = [e for e in last["edges"] if e["to"] not in {node["id"] for node in last["nodes"]}]
    assert outside == [{"from": "n13", "to": "n6", "type": "loop"}]
    assert sum(node["id"] == "n6" for _, node in nodes_of(graph)) == 1


def test_sample_has_empty_sources():
    empty = [(s, entry) for s, _, _, entry in all_responses() if entry[0] == ""]
    assert {session_id for session_id, _ in empty} == {"P02_S1", "P02_S2", "P03_S2"}
    assert all(entry[3] == "" for _, entry in empty)


def test_sample_has_a_source_in_an_earlier_step():
    found = []
    for session_id, segment, _, entry in all_responses():
        if entry[3]:
            start = seconds_of(entry[3])[0]
            found.append((session_id, start < segment["start_seconds"]))
    assert [session_id for session_id, is_earlier in found if is_earlier] == ["P01_S2"]


def test_sample_has_a_source_without_time():
    untimed = [(s, entry[0]) for s, _, _, entry in all_responses() if entry[0] and not entry[3]]
    assert untimed == [("P01_S2", "n7")]
    assert sum(node["id"] == "n7" for _, node in nodes_of(graph_of("P01_S2"))) == 1


def test_sample_has_two_labels_on_one_node():
    pairs = [
        [entry[2] for entry in node["user_response"]]
        for s in SESSIONS
        for _, node in nodes_of(graph_of(s))
        if len({tuple(entry[4:]) for entry in node.get("user_response", [])})
        < len(node.get("user_response", []))
    ]
    assert ["adopt", "modify"] in pairs


def test_sample_has_sources_that_only_time_tells_apart():
    graph = graph_of("P01_S1")
    ambiguous = 0
    for _, _, entry in responses_of(graph):
        same_id = [node for _, node in nodes_of(graph) if node["id"] == entry[0]]
        exact = [node for node in same_id if entry[3] in node.get("time", [])]
        assert len(exact) == 1
        ambiguous += len(same_id) > 1
    assert ambiguous >= 5


def test_sample_has_an_output_quoted_inside_its_occurrence():
    inexact = [
        entry
        for session_id, _, _, entry in all_responses()
        if not any(entry[4] in node.get("time", []) for _, node in nodes_of(graph_of(session_id)))
    ]
    assert len(inexact) == 1


def test_sample_has_several_ai_brands():
    actors = {node["actor"] for s in SESSIONS for _, node in nodes_of(graph_of(s))}
    assert actors == {"user", "claude", "chatgpt", "gemini"}
    agents = {turn["agent"] for s in SESSIONS for turn in chat_of(s) if turn["role"] == "ai"}
    assert agents == {"claude", "chatgpt", "gemini"}


def test_sample_has_tool_calls_with_text_and_with_json():
    calls = [call for s in SESSIONS for turn in chat_of(s) for call in turn["tool_calls"]]
    assert {type(call["input"]) for call in calls} == {str, dict}
    assert {type(call["output"]) for call in calls} == {str, dict}


def test_sample_has_an_untimed_and_an_open_turn_and_a_session_without_chat():
    turns = [(s, turn) for s in SESSIONS for turn in chat_of(s)]
    assert [s for s, turn in turns if turn["start_seconds"] is None] == ["P03_S2"]
    is_open = [s for s, t in turns if t["start_seconds"] is not None and t["end_seconds"] is None]
    assert is_open == ["P01_S2"]
    assert [s for s in SESSIONS if not chat_of(s)] == ["P02_S2"]


def test_sample_has_missing_ratings_and_every_rating_from_2_to_5():
    for kind in ("output_quality", "collaboration"):
        counts = Counter(step[kind]["rating"] for step in all_steps())
        assert counts[None] == 1
        assert set(counts) == {None, 2, 3, 4, 5}


def test_sample_has_all_three_labels():
    counts = Counter(entry[2] for *_, entry in all_responses())
    assert set(counts) == {"adopt", "modify", "reject"}
    assert min(counts.values()) >= 7


def test_sample_has_overlapping_responses():
    overlapping = {
        session_id
        for session_id, _, _, entry in all_responses()
        if seconds_of(entry[5])[0] < seconds_of(entry[4])[1]
    }
    assert overlapping == {"P01_S2", "P03_S1"}


def test_sample_has_nodes_of_several_occurrences_without_time_and_without_length():
    spans = [(s, node.get("time")) for s in SESSIONS for _, node in nodes_of(graph_of(s))]
    counts = [len(times or []) for _, times in spans]
    assert counts.count(2) == 3
    assert counts.count(3) == 3
    assert [s for s, times in spans if times is None] == ["P01_S2"]
    instants = [s for s, times in spans for a, b in map(seconds_of, times or []) if a == b]
    assert instants == ["P02_S1"]


def test_sample_attachments_and_files_are_there():
    attached = {
        f"sessions/{s}/{name}" for s in SESSIONS for t in chat_of(s) for name in t["attachments"]
    }
    assert len(attached) == 4
    files = {path.relative_to(SAMPLE).as_posix() for path in SAMPLE.rglob("files/*/*")}
    assert attached < files
    assert {Path(name).suffix for name in files} == {".csv", ".txt", ".md"}
    assert {Path(name).parent.name for name in files} == {"input", "output"}


def test_sample_surveys_answer_42_questions():
    nulls = 0
    for participant in ("P01", "P02", "P03"):
        survey = read_json(SAMPLE / "surveys" / f"{participant}.json")
        assert survey["participant_id"] == participant
        assert list(survey["answers"]) == [f"Q{number}" for number in range(1, 43)]
        for number in range(13, 39):
            answer = survey["answers"][f"Q{number}"]
            assert answer is None or 1 <= answer <= 10
        nulls += sum(answer is None for answer in survey["answers"].values())
    assert nulls == 3


def test_sample_has_targets_with_one_two_and_three_preceding_steps():
    assert {s: len(workflow_of(s)["steps"]) for s in SESSIONS} == {
        "P01_S1": 4,
        "P01_S2": 3,
        "P02_S1": 5,
        "P02_S2": 2,
        "P03_S1": 3,
        "P03_S2": 4,
    }


# -- the sample's recordings --------------------------------------------------------------------


def decode(path):
    """Every frame with its time from the first one's."""
    with av.open(path) as container:
        first = None
        for frame in container.decode(video=0):
            first = frame.time if first is None else first
            yield frame.time - first, frame


def shrink(image, filter_):
    height, width = image.shape[:2]
    size = (round(width * 224 / height / 2) * 2, 224)
    return np.asarray(Image.fromarray(image).resize(size, filter_))


@pytest.mark.parametrize("session_id", SESSIONS)
def test_recording_frames_say_their_session_and_time(session_id):
    timeline = read_timeline(SAMPLE, session_id)
    spec = timeline.look.recording
    read, screen = 0, Screen(timeline, width=spec.width, height=spec.height)
    for index, (time, frame) in enumerate(decode(recording_of(session_id))):
        if index % 90:
            continue
        image = frame.to_ndarray(format="rgb24")
        for view in (image, *(shrink(image, f) for f in Image.Resampling if f.name != "HAMMING")):
            reading = read_strip(view)
            assert reading.session_id == session_id
            assert reading.seconds == pytest.approx(time, abs=0.0006)
        read += 1
        if read == 3:  # the picture is what the painter paints, up to the coding's loss
            painted = screen.paint(round(time * 1000)).astype(np.int16)
            assert np.abs(painted - image).mean() < 4
    assert read >= 5


def test_sample_recordings_differ_as_real_ones_do():
    kinds, rates, starts = set(), {}, {}
    for session_id in SESSIONS:
        with av.open(recording_of(session_id)) as container:
            stream = container.streams.video[0]
            kinds.add((recording_of(session_id).suffix, stream.codec_context.name))
            packets = [packet for packet in container.demux(stream) if packet.pts is not None]
            times = sorted(float(packet.pts * packet.time_base) for packet in packets)
            rates[session_id] = float(np.ptp(np.diff(times)))
            starts[session_id] = times[0]
            assert 60 < times[-1] - times[0] < 180
    assert kinds == {
        (".mp4", "h264"),
        (".webm", "vp9"),
        (".mkv", "h264"),
        (".mov", "h264"),
        (".webm", "vp8"),
    }
    assert [s for s in SESSIONS if rates[s] > 0.3] == ["P01_S2", "P02_S1", "P03_S1", "P03_S2"]
    assert {s: start for s, start in starts.items() if start} == {"P02_S2": 0.25}


def test_sample_recordings_cover_every_annotated_time():
    for session_id in SESSIONS:
        with av.open(recording_of(session_id)) as container:
            duration = float(container.duration) / av.time_base
        last = max(segment["end_seconds"] for segment in graph_of(session_id)["steps"])
        assert last < duration


def test_sample_is_smaller_than_6_megabytes():
    sizes = [path.stat().st_size for path in SAMPLE.rglob("*") if path.is_file()]
    assert len(sizes) > 30
    assert sum(sizes) < 6_000_000


def test_make_sample_copies_everything_but_the_recordings(tmp_path):
    made = make_sample(tmp_path / "sample", recordings=False)

    def contents(folder):
        files = (path for path in folder.rglob("*") if path.is_file())
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}

    committed = contents(SAMPLE)
    assert contents(made) == {n: b for n, b in committed.items() if "recording." not in n}


def test_recording_shows_what_no_chat_log_kept():
    said = [act for act in read_timeline(SAMPLE, "P02_S2").acts if act.beat.says]
    assert [act.name for act in said if act.is_ai] == ["w1/a3#1", "w1/a5#1", "w2/b2#1", "w2/b5#1"]
    assert len(said) == 7
    acts = read_timeline(SAMPLE, "P03_S2").acts
    (dictated,) = (act for act in acts if not act.is_typed)
    assert (dictated.name, dictated.beat.says[:10]) == ("k2/n3#1", "(dictated ")


def test_chat_pane_shows_nothing_before_it_is_said():
    acts = [act for act in read_timeline(SAMPLE, "P01_S1").acts if act.beat.says]
    turns = [("claude", act) for act in acts]
    first, second = acts[:2]
    assert chat_state(turns, first.start - 1).typed == ""
    assert chat_state(turns, first.start - 1).bubbles == ()
    typing = chat_state(turns, (first.start + first.end) // 2)
    assert typing.bubbles == ()
    assert 0 < len(typing.typed) < len(first.beat.says)
    assert first.beat.says.startswith(typing.typed)
    answering = chat_state(turns, (second.start + second.end) // 2).bubbles[-1]
    assert answering.is_ai
    assert second.beat.says.startswith(answering.text)
    assert answering.text != second.beat.says
