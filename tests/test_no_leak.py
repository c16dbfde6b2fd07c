"""No leak: nothing at or after a forecasting row's cut changes what a model is shown for the row.

Random legal releases are changed at random after a row's cut; the row's model-visible columns must
stay the same, byte for byte, and so must the messages of every setting. The same property must fail
for each of many leaky ways to cut, and for messages that tell what a row hides.
"""

import dataclasses
import functools
import json
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from mutants import MUTATIONS, mutate_release
from oracle import NoRowError, World
from random_releases import make_release
from releases import SESSION, read_files

from kolab_core.prompts import SETTINGS, messages, render
from kolab_core.prompts.messages import find_missing
from kolab_core.release import ReleaseError, Span
from kolab_core.rows import cells, experiments, graph, windows
from kolab_core.rows.experiments import build_rows

CONFIGS = ("adoption_forecast", "step_n", "workflow_level")
NUM_RELEASES = 60
FEWEST_MUTANTS = 200


def changes(configs, names):
    """A release, one of its rows, and mutations with their seed."""
    return st.tuples(
        st.integers(0, NUM_RELEASES - 1),
        st.sampled_from(configs),
        st.integers(0, 999),
        st.lists(st.sampled_from(names), min_size=1, max_size=4),
        st.integers(0, 2**32),
    )


def visible_bytes(row):
    """All that a model may be shown of a forecasting row, as bytes."""
    target = row["target"]
    shown = {key: row[key] for key in ("graph", "chat", "goal", "occupation", "ai_action_step")}
    shown["intervals"] = row["video"]["intervals"]
    shown["target"] = [target["start"], target["end"]]
    return json.dumps(shown).encode()


def told_bytes(row, config):
    """The messages of every setting that the row has the inputs for, as bytes."""
    row = {**row, "video": {**row["video"], "path": "recording.mp4"}}
    settings = {name: inputs for name, inputs in SETTINGS.items() if not find_missing(row, inputs)}
    told = {
        name: [
            render(row, inputs, config=config, frames="none", max_chars=max_chars)
            for max_chars in (None, 60)
        ]
        for name, inputs in settings.items()
    }
    assert {"graph-only", "video-only", "video-graph"} <= set(told)
    return json.dumps(told).encode()


def make_rows(files, *configs):
    """Each config's rows by id; None if the release is not legal (any more)."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            session = read_files(Path(folder), files)
            tables = [build_rows(session, config) for config in configs]
        except ReleaseError:
            return None
    return [{row["id"]: row for row in table} for table in tables]


@functools.cache
def legal_releases():
    """Random releases that have rows in all three configs, and these rows."""
    found = []
    for seed in range(10_000):
        files = make_release(seed)
        tables = make_rows(files, *CONFIGS)
        if tables is not None and all(tables):
            found.append((files, dict(zip(CONFIGS, tables, strict=True))))
        if len(found) == NUM_RELEASES:
            return found
    raise AssertionError("too few random releases have rows")


def find_own(files, row_id):
    """The row's entry (segment key, node id, index), and the occurrences it means."""
    _, key, name, index = row_id.split("/")[:4]
    world = World(files, SESSION)
    (node,) = [n for n in world.nodes if n["full_id"] == f"{key}/{name}"]
    found = world.resolve(node, node["user_response"][int(index)])
    return (key, name, int(index)), found


def find_horizon(row, found):
    """The time from which a release may change.

    It is the row's cut. Where the output goes on past the last interval (it outlasts the segments
    of its step), its end is, since a step that is taken up before that belongs to the window.
    """
    cut = round(row["video"]["intervals"][-1]["end"] * 1000)
    return max(cut, found["target"][1][1])


def means_the_same(before, after, horizon):
    """Whether the row still asks the same: a response stays on its side of the horizon."""

    def outline(found):
        source, target, own = found["source"], found["target"], found["own"]
        start = min(own[1][0], horizon)
        return (
            source and (source[0]["full_id"], source[1][0]),
            (target[0]["full_id"], target[1]),
            (own[0]["full_id"], start),
        )

    return outline(before) == outline(after)


def check_change(change, counts):
    """The property, for one change."""
    number, config, pick, names, seed = change
    files, tables = legal_releases()[number]
    row_id, before = list(tables[config].items())[pick % len(tables[config])]
    own, found = find_own(files, row_id)
    horizon = find_horizon(before, found)
    mutant = mutate_release(files, horizon=horizon, own=own, names=names, seed=seed)
    if json.dumps(mutant, default=repr) == json.dumps(files, default=repr):
        counts["unchanged"] += 1
        return
    table = make_rows(mutant, config)
    if table is None or row_id not in table[0]:
        counts["not legal" if table is None else "row gone"] += 1
        return
    try:
        if not means_the_same(found, find_own(mutant, row_id)[1], horizon):
            counts["another question"] += 1
            return
    except NoRowError:
        raise AssertionError("the reader and the oracle disagree") from None
    counts["compared"] += 1
    counts.update(names)
    counts[config] += 1
    assert visible_bytes(table[0][row_id]) == visible_bytes(before), (row_id, names)
    assert told_bytes(table[0][row_id], config) == told_bytes(before, config), (row_id, names)


def run_property(num_examples, configs=CONFIGS, names=tuple(MUTATIONS)):
    """Check the property on many changes, the same ones each time.

    Raises:
        AssertionError: A change was seen.
    """
    counts = Counter()

    @settings(
        max_examples=num_examples,
        derandomize=True,
        deadline=None,
        phases=[Phase.generate],
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(changes(configs, names))
    def check(change):
        check_change(change, counts)

    check()
    return counts


def test_forecasting_rows_nothing_at_or_after_the_cut_is_seen():
    counts = run_property(500)
    assert counts["compared"] >= FEWEST_MUTANTS
    assert counts["another question"] < counts["compared"] / 10
    for config in CONFIGS:
        assert counts[config] >= 50
    for name in MUTATIONS:
        assert counts[name] >= 10, name


STEP_N_WINDOW = windows.step_n_window


# Ways to cut that leak. Each replaces one thing by something that is plausible and wrong.


def cut_graph_at_the_end(session, window, *, hidden=None):
    """One millisecond late: the occurrences that start at the cut."""
    last = window[-1]
    return graph.cut_graph(session, [*window[:-1], Span(last.start, last.end + 1)], hidden=hidden)


def cut_graph_with_all_step_names(session, window, *, hidden=None):
    cut = graph.cut_graph(session, window, hidden=hidden)
    nodes = [dataclasses.replace(n, step_name=n.node.segment.step_name) for n in cut.nodes]
    return dataclasses.replace(cut, nodes=tuple(nodes))


def cut_graph_with_the_response(session, window, *, hidden=None):
    return graph.cut_graph(session, window)


def cut_graph_with_labels(session, window, *, hidden=None):
    cut = graph.cut_graph(session, window, hidden=hidden)
    told = {r.target.node.id: r.label for r in session.responses}
    nodes = [
        dataclasses.replace(n, node=dataclasses.replace(n.node, detail=told.get(n.node.id)))
        for n in cut.nodes
    ]
    return dataclasses.replace(cut, nodes=tuple(nodes))


def cut_graph_in_order_of_all_occurrences(session, window, *, hidden=None):
    cut = graph.cut_graph(session, window, hidden=hidden)
    nodes = sorted(cut.nodes, key=lambda n: max(s.start for s in n.node.occurrences))
    return dataclasses.replace(cut, nodes=tuple(nodes))


def cut_chat_later(turns, window, *, hidden=None):
    last = window[-1]
    return graph.cut_chat(turns, [*window[:-1], Span(last.start, last.end + 50)], hidden=hidden)


def cut_chat_with_the_response(turns, window, *, hidden=None):
    return graph.cut_chat(turns, window)


def cut_chat_with_untimed_turns(turns, window, *, hidden=None):
    return (*graph.cut_chat(turns, window, hidden=hidden), *(t for t in turns if t.start is None))


def step_n_window_of_all_steps(session, response, *, num_steps):
    """The steps before the last one, also those that have not begun yet."""
    found = STEP_N_WINDOW(session, response, num_steps=num_steps)
    planned = {s.step for s in session.segments if s.step and s.span.start < s.span.end}
    earlier = sorted(planned - {windows.find_last_step(session)})[-num_steps:]
    chosen = {*earlier, windows.find_last_step(session)}
    window = graph.merge_spans(
        graph.clip_span(s.span, response.target.span.end)
        for s in session.segments
        if s.step in chosen and s.span.start < response.target.span.end
    )
    return dataclasses.replace(found, window=window)


def workflow_window_to_the_end(session, response):
    return windows.session_window(session)


def is_edge_between_kept_nodes(edge, kept):
    return edge.source in kept and edge.target in kept


LEAKS = {
    "graph cut 1 ms later": (experiments, "cut_graph", cut_graph_at_the_end),
    "later steps' names": (experiments, "cut_graph", cut_graph_with_all_step_names),
    "the response in the graph": (experiments, "cut_graph", cut_graph_with_the_response),
    "labels in the graph": (experiments, "cut_graph", cut_graph_with_labels),
    "nodes by their last start": (experiments, "cut_graph", cut_graph_in_order_of_all_occurrences),
    "chat cut later": (experiments, "cut_chat", cut_chat_later),
    "the response in the chat": (experiments, "cut_chat", cut_chat_with_the_response),
    "untimed turns": (experiments, "cut_chat", cut_chat_with_untimed_turns),
    "ends of occurrences": (graph, "clip_span", lambda span, cut: span),
    "ends of turns": (graph, "_end_at", lambda turn, end: turn),
    "edges not walked yet": (graph, "_is_walked", is_edge_between_kept_nodes),
    "steps not begun": (windows, "step_n_window", step_n_window_of_all_steps),
    "the whole session": (windows, "workflow_window", workflow_window_to_the_end),
    "the last step's whole segments": (windows, "clip_span", lambda span, cut: span),
}


# Where a leak shows in few changes, those that can show it.
FOCUS = {
    "steps not begun": (("step_n",), ("add_segment", "delete_segment", "rename_segment")),
    "the response in the chat": (CONFIGS, ("edit_response",)),
}


@pytest.mark.parametrize("leak", LEAKS)
def test_property_fails_for_a_leaky_cut(leak, monkeypatch):
    module, name, leaky = LEAKS[leak]
    legal_releases()  # made with the right cut
    monkeypatch.setattr(module, name, leaky)
    with pytest.raises(AssertionError, match=r"add_|delete_|edit_|move_|rename_"):
        run_property(1000, *FOCUS.get(leak, ()))


def test_property_fails_for_messages_that_show_the_label(monkeypatch):
    legal_releases()
    fill = messages._fill_session

    def leaky(row, clip, contents):
        return {**fill(row, clip, contents), "goal": str(row["label"])}

    monkeypatch.setattr(messages, "_fill_session", leaky)
    with pytest.raises(AssertionError, match=r"add_|delete_|edit_|move_|rename_"):
        run_property(1000)


def test_visible_bytes_hold_nothing_else_of_the_row():
    _, tables = legal_releases()[0]
    row = next(iter(tables["adoption_forecast"].values()))
    first = visible_bytes(row)
    hidden = ("id", "session_id", "label", "response_overlaps", "has_video", "has_chat", "source")
    assert visible_bytes({**row, **dict.fromkeys(hidden)}) == first
    assert visible_bytes({**row, "video": {**row["video"], "path": "x"}}) == first
    assert cells.video_cell(None, [])["intervals"] == []
