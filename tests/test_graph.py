from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from releases import make_files, make_node, make_segment, read_files

from kolab_core.release import Occurrence, Span
from kolab_core.rows.graph import clip_span, cut_chat, cut_graph, merge_spans


@pytest.fixture
def read(tmp_path):
    def read_segments(*segments, chat=None):
        return read_files(tmp_path, make_files(list(segments), chat=chat))

    return read_segments


def cut(session, *window, hidden=None):
    """The kept occurrences by node name, and the kept edges, in seconds."""
    spans = [Span(round(s * 1000), round(e * 1000)) for s, e in window]
    graph = cut_graph(session, spans, hidden=hidden)
    occurrences = {
        item.node.name: [(s.start / 1000, s.end / 1000) for s in item.occurrences]
        for item in graph.nodes
    }
    return occurrences, [(e.source[-1], e.target[-1], e.type) for e in graph.edges]


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        pytest.param((0, 10), None, id="ends where the window starts"),
        pytest.param((0, 10.001), (0, 10.001), id="reaches a millisecond in, its start unclipped"),
        pytest.param((12, 15), (12, 15), id="inside"),
        pytest.param((15, 99), (15, 20), id="ends after the cut: clipped"),
        pytest.param((19.999, 20), (19.999, 20), id="the last millisecond"),
        pytest.param((20, 25), None, id="starts at the cut"),
        pytest.param((5, 99), (5, 20), id="around the window"),
        pytest.param((10, 10), (10, 10), id="an instant at the start"),
        pytest.param((20, 20), None, id="an instant at the cut"),
        pytest.param((9.999, 9.999), None, id="an instant before"),
    ],
)
def test_cut_graph_keeps_occurrences_that_overlap_and_clips_ends(read, times, expected):
    session = read(make_segment("s", "Step-1", 0, 100, [make_node("n", times)]))
    occurrences, _ = cut(session, (10, 20))
    assert occurrences == ({} if expected is None else {"n": [expected]})


def test_cut_graph_gap_between_intervals_does_not_show(read):
    session = read(
        make_segment("s", "Step-1", 0, 100, [make_node("n", (12, 18), (15, 21), (25, 99))])
    )
    occurrences, _ = cut(session, (0, 10), (20, 30))
    # [12, 18) lies in the gap; [15, 21) reaches into the second interval; [25, 99) ends at the cut
    assert occurrences == {"n": [(15, 21), (25, 30)]}


def test_cut_graph_end_in_a_gap_is_not_clipped(read):
    session = read(make_segment("s", "Step-1", 0, 100, [make_node("n", (5, 15))]))
    assert cut(session, (0, 10), (20, 30))[0] == {"n": [(5, 15)]}


def test_cut_graph_nodes_by_earliest_kept_start_then_file(read):
    nodes = [
        make_node("late", (1, 2), (30, 31)),
        make_node("tie1", (20, 21)),
        make_node("first", (25, 26), (15, 16)),
        make_node("tie2", (20, 22)),
        make_node("never"),
    ]
    session = read(make_segment("s", "Step-1", 0, 100, nodes))
    # with the window from 10 on, "late" counts from 30 (its first occurrence is not kept)
    assert list(cut(session, (10, 40))[0]) == ["first", "tie1", "tie2", "late"]


def test_cut_graph_occurrences_keep_the_order_of_the_file(read):
    session = read(make_segment("s", "Step-1", 0, 100, [make_node("n", (25, 26), (15, 16))]))
    assert cut(session, (10, 40))[0] == {"n": [(25, 26), (15, 16)]}


@pytest.mark.parametrize(
    ("u", "v", "is_kept"),
    [
        pytest.param([(1, 2)], [(2, 3)], True, id="after"),
        pytest.param([(1, 5)], [(1, 2)], True, id="starts together"),
        pytest.param([(2, 3)], [(1, 9)], False, id="before"),
        pytest.param([(2, 3)], [(1, 2), (5, 6)], True, id="again after"),
        pytest.param([(2, 3)], [(1, 2), (11, 12)], False, id="again only after the cut"),
        pytest.param([(2, 3)], [(11, 12)], False, id="target after the cut"),
        pytest.param([(11, 12)], [(2, 3)], False, id="source after the cut"),
    ],
)
def test_cut_graph_edge_stays_if_it_was_walked_by_the_cut(read, u, v, is_kept):
    nodes = [make_node("u", *u), make_node("v", *v)]
    session = read(make_segment("s", "Step-1", 0, 100, nodes, [("u", "v", "sequential")]))
    assert cut(session, (0, 10))[1] == ([("u", "v", "sequential")] if is_kept else [])


@pytest.mark.parametrize(
    ("times", "is_kept"),
    [([(1, 2)], False), ([(1, 2), (11, 12)], False), ([(1, 2), (5, 6)], True)],
    ids=["once", "twice but once by the cut", "twice"],
)
def test_cut_graph_self_loop_needs_two_kept_occurrences(read, times, is_kept):
    session = read(
        make_segment("s", "Step-1", 0, 100, [make_node("u", *times)], [("u", "u", "loop")])
    )
    assert bool(cut(session, (0, 10))[1]) is is_kept


def test_cut_graph_edges_keep_the_order_of_the_file_and_cross_segments(read):
    session = read(
        make_segment("s", "Step-1", 0, 10, [make_node("u", (1, 2))], [("v", "u", "loop")]),
        make_segment(
            "t",
            "Step-2",
            10,
            20,
            [make_node("v", (11, 12))],
            [("u", "v", "loop"), ("u", "v", "sequential")],
        ),
    )
    # v -> u was never walked: u does not start again
    assert cut(session, (0, 20))[1] == [("u", "v", "loop"), ("u", "v", "sequential")]


def test_cut_graph_hidden_occurrence_goes_and_its_node_if_none_is_left(read):
    nodes = [make_node("r", (1, 2), (5, 6)), make_node("v", (5, 6))]
    session = read(make_segment("s", "Step-1", 0, 100, nodes, [("v", "r", "loop")]))
    r, v = session.nodes
    occurrences, edges = cut(session, (0, 10), hidden=Occurrence(r, Span(5_000, 6_000)))
    assert occurrences == {"r": [(1, 2)], "v": [(5, 6)]}
    assert edges == []  # without the hidden occurrence r does not follow v
    occurrences, _ = cut(session, (0, 10), hidden=Occurrence(v, Span(5_000, 6_000)))
    assert occurrences == {"r": [(1, 2), (5, 6)]}


def test_cut_graph_step_name_of_a_segment_that_has_not_begun_is_null(read):
    session = read(
        make_segment("s", "Step-1", 0, 10, [make_node("u", (1, 2))]),
        make_segment("t", "Step-2", 10, 20, [make_node("v", (3, 4))]),  # runs ahead of its segment
    )
    names = {n.node.name: n.step_name for n in cut_graph(session, [Span(0, 10_000)]).nodes}
    assert names == {"u": "name of s", "v": None}
    names = {n.node.name: n.step_name for n in cut_graph(session, [Span(0, 10_001)]).nodes}
    assert names == {"u": "name of s", "v": "name of t"}


def turn(start, end=None, role="human"):
    return {"role": role, "start_seconds": start, "end_seconds": end, "content": f"{start}"}


def cut_turns(session, *window, hidden=None):
    spans = [Span(round(s * 1000), round(e * 1000)) for s, e in window]
    return [(t.content, t.end) for t in cut_chat(session.turns, spans, hidden=hidden)]


def test_cut_chat_keeps_turns_that_start_inside_and_clips_their_ends(read):
    chat = [turn(s, e) for s, e in [(9.999, 15), (10, 12), (15, None), (19.999, 99), (20, 21)]]
    session = read(make_segment("s", "Step-1", 0, 100), chat=chat)
    expected = [("10", 12_000), ("15", None), ("19.999", 20_000)]
    assert cut_turns(session, (10, 20)) == expected


def test_cut_chat_gap_and_untimed_turns_never_show(read):
    chat = [turn(5), turn(None), turn(15), turn(None, 99), turn(25)]
    session = read(make_segment("s", "Step-1", 0, 100), chat=chat)
    assert cut_turns(session, (0, 10), (20, 30)) == [("5", None), ("25", None)]


def test_cut_chat_hidden_stretch_takes_human_turns_only(read):
    chat = [turn(5), turn(5, role="ai"), turn(6), turn(7), turn(8)]
    session = read(make_segment("s", "Step-1", 0, 100), chat=chat)
    found = cut_turns(session, (0, 20), hidden=Span(5_000, 7_000))
    assert [content for content, _ in found] == ["5", "7", "8"]
    found = cut_turns(session, (0, 20), hidden=Span(6_000, 6_000))  # an instant
    assert [content for content, _ in found] == ["5", "5", "7", "8"]


def test_merge_spans_merges_touching_and_drops_empty_ones():
    spans = [Span(30, 40), Span(0, 10), Span(10, 12), Span(5, 5), Span(20, 20), Span(35, 36)]
    assert merge_spans(spans) == (Span(0, 12), Span(30, 40))
    assert merge_spans([]) == ()


def test_clip_span_ends_at_the_cut():
    assert clip_span(Span(5, 9), 7) == Span(5, 7)
    assert clip_span(Span(5, 9), 9) == Span(5, 9)
    assert clip_span(Span(5, 9), 3) == Span(3, 3)


TIMES = st.integers(0, 60)


@given(st.lists(st.tuples(TIMES, TIMES)))
def test_merge_spans_are_sorted_apart_and_cover_the_same(pairs):
    spans = [Span(min(pair), max(pair)) for pair in pairs]
    merged = merge_spans(spans)
    covered = {t for s in spans for t in range(s.start, s.end)}
    assert covered == {t for s in merged for t in range(s.start, s.end)}
    assert all(a.end < b.start for a, b in pairwise(merged))
    assert all(s.start < s.end for s in merged)
