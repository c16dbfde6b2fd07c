"""Which occurrence an entry of `user_response` means."""

import pytest
from releases import make_files, make_node, make_segment, read_files, span

from kolab_core.release import ReleaseError


@pytest.fixture
def resolve(tmp_path):
    """The (node id, start, end) of source, target and response of the session's only entry."""

    def resolve_entry(*segments):
        (response,) = read_files(tmp_path, make_files(list(segments))).responses
        return [
            event and (event.node.id, event.span.start / 1000, event.span.end / 1000)
            for event in (response.source, response.target, response.response)
        ]

    return resolve_entry


def response_node(entry, *times):
    return make_node("r", *(times or [(80, 90)]), user_response=[entry])


def last_segment(*nodes):
    return make_segment("z", "Step-2", 70, 99, list(nodes))


def test_response_names_exact_occurrences_in_earlier_segments(resolve):
    entry = ["q", "a", "adopt", span(1, 2), span(3, 4), span(80, 90)]
    first = make_segment("s", "Step-1", 0, 9, [make_node("q", (1, 2)), make_node("a", (3, 4))])
    found = resolve(first, last_segment(response_node(entry)))
    assert found == [("s/q", 1, 2), ("s/a", 3, 4), ("z/r", 80, 90)]


def test_response_exact_occurrence_wins_over_one_that_contains_it(resolve):
    entry = ["", "a", "adopt", "", span(3, 4), span(80, 90)]
    first = make_segment("s", "Step-1", 0, 9, [make_node("a", (3, 4))])
    # its own segment's node contains the time, but the other has exactly it
    found = resolve(first, last_segment(make_node("a", (0, 60)), response_node(entry)))
    assert found[1] == ("s/a", 3, 4)


def test_response_among_those_that_contain_the_start_the_latest_start_wins(resolve):
    entry = ["", "a", "adopt", "", span(5, 50), span(80, 90)]
    first = make_segment("s", "Step-1", 0, 9, [make_node("a", (0, 20), (4, 6), (5.001, 9))])
    second = make_segment("t", "Step-1", 9, 60, [make_node("a", (3, 30), (2, 5))])
    assert resolve(first, second, last_segment(response_node(entry)))[1] == ("s/a", 4, 6)


def test_response_containing_is_half_open(resolve):
    entry = ["", "a", "adopt", "", span(5, 6), span(80, 90)]
    first = make_segment("s", "Step-1", 0, 9, [make_node("a", (2, 9), (4, 5))])
    assert resolve(first, last_segment(response_node(entry)))[1] == ("s/a", 2, 9)


@pytest.mark.parametrize("quoted", [(5, 10), (6, 7)], ids=["exact", "inside"])
def test_response_tie_is_won_by_its_own_segment(resolve, quoted):
    entry = ["", "a", "adopt", "", span(*quoted), span(80, 90)]
    first = make_segment("s", "Step-1", 0, 9, [make_node("a", (5, 10))])
    found = resolve(first, last_segment(make_node("a", (5, 10)), response_node(entry)))
    assert found[1] == ("z/a", 5, 10)


@pytest.mark.parametrize("quoted", [(5, 10), (6, 7)], ids=["exact", "inside"])
def test_response_tie_between_other_segments_is_an_error(resolve, quoted):
    entry = ["", "a", "adopt", "", span(*quoted), span(80, 90)]
    segments = [make_segment(key, "Step-1", 0, 9, [make_node("a", (5, 10))]) for key in ("s", "t")]
    with pytest.raises(ReleaseError, match=r"found 2 occurrences at .* \(s/a, t/a\); expected one"):
        resolve(*segments, last_segment(response_node(entry)))


def test_response_same_occurrence_written_twice_is_no_tie(resolve):
    entry = ["", "a", "adopt", "", span(5, 10), span(80, 90)]
    first = make_segment("s", "Step-1", 0, 9, [make_node("a", (5, 10), (5, 10))])
    assert resolve(first, last_segment(response_node(entry)))[1] == ("s/a", 5, 10)


def test_response_output_is_looked_for_among_ai_nodes_only(resolve):
    entry = ["", "a", "adopt", "", span(5, 10), span(80, 90)]
    user = make_node("a", (5, 10), actor="user", actor_type="user")
    segments = [
        make_segment("s", "Step-1", 0, 9, [user]),
        make_segment("t", "Step-1", 0, 9, [make_node("a", (5, 10))]),
    ]
    assert resolve(*segments, last_segment(response_node(entry)))[1] == ("t/a", 5, 10)


def test_response_source_may_be_any_node(resolve):
    entry = ["a", "a", "adopt", span(1, 2), span(5, 10), span(80, 90)]
    first = make_segment("s", "Step-1", 0, 9, [make_node("a", (1, 2), (5, 10))])
    found = resolve(first, last_segment(response_node(entry)))
    assert found[:2] == [("s/a", 1, 2), ("s/a", 5, 10)]


def test_response_source_without_time_is_the_only_occurrence_of_the_only_node(resolve):
    entry = ["q", "a", "adopt", "", span(5, 10), span(80, 90)]
    first = make_segment("s", "Step-1", 0, 9, [make_node("q", (1, 2)), make_node("a", (5, 10))])
    assert resolve(first, last_segment(response_node(entry)))[0] == ("s/q", 1, 2)


def test_response_own_occurrence_is_looked_for_in_its_node_only(resolve):
    entry = ["", "a", "adopt", "", span(5, 10), span(85, 86)]
    other = make_segment("t", "Step-1", 0, 9, [make_node("r", (85, 86))])
    first = make_segment("s", "Step-1", 0, 9, [make_node("a", (5, 10))])
    assert resolve(first, other, last_segment(response_node(entry)))[2] == ("z/r", 80, 90)


def test_response_another_agent_is_an_ai_as_well(resolve):
    entry = ["", "g", "adopt", "", span(5, 10), span(80, 90)]
    gemini = make_node("g", (5, 10), actor="gemini", actor_type="ai")
    first = make_segment("s", "Step-1", 0, 9, [gemini])
    assert resolve(first, last_segment(response_node(entry)))[1] == ("s/g", 5, 10)


def test_response_starting_with_its_output_is_legal(resolve):
    entry = ["q", "a", "adopt", span(9.999, 20), span(5, 10), span(5, 5)]
    nodes = [make_node("q", (9.999, 20)), make_node("a", (5, 10)), response_node(entry, (5, 5))]
    # a source may start until a millisecond before the output's end
    found = resolve(make_segment("s", "Step-1", 0, 99, nodes))
    assert found == [("s/q", 9.999, 20), ("s/a", 5, 10), ("s/r", 5, 5)]


def test_responses_are_by_node_in_the_file_then_by_index(tmp_path):
    def entry(label):
        return ["", "a", label, "", span(5, 10), span(80, 90)]

    later = make_node("b", (80, 90), user_response=[entry("reject")])
    first = make_node("r", (80, 90), user_response=[entry("modify"), entry("adopt")])
    nodes = [make_node("a", (5, 10)), first, {**later, "actor": "user", "actor_type": "user"}]
    session = read_files(tmp_path, make_files([make_segment("s", "Step-1", 0, 99, nodes)]))
    found = [(r.node.id, r.index, r.label) for r in session.responses]
    assert found == [("s/r", 0, "modify"), ("s/r", 1, "adopt"), ("s/b", 0, "reject")]
