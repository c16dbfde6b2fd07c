"""Each rule of the windows, worked by hand; times in seconds, windows in milliseconds."""

import pytest
from releases import make_entry, make_files, make_node, make_segment, read_files, segment_with

from kolab_core.release import Span
from kolab_core.rows import windows


def seconds(window):
    return [(span.start / 1000, span.end / 1000) for span in window]


@pytest.fixture
def read(tmp_path):
    def read_segments(*segments):
        return read_files(tmp_path, make_files(list(segments)))

    return read_segments


@pytest.mark.parametrize(
    ("source", "own", "recognition", "forecast"),
    [
        # recognition: [source start, response end); forecast: [source start, output end)
        pytest.param((5, 10), (25, 31.5), (5, 31.5), (5, 20), id="one after the other"),
        # recognition ends at the later of the two ends: max(15, 20) = 20
        pytest.param((5, 10), (13, 15), (5, 20), (5, 20), id="response ends before the output"),
        pytest.param((5, 10), (13, 99), (5, 99), (5, 20), id="response overlaps the output"),
        pytest.param(None, (25, 30), (12, 30), (12, 20), id="no source: from the output on"),
    ],
)
def test_recognition_and_forecast_windows(read, source, own, recognition, forecast):
    session = read(segment_with("s", "Step-1", 0, 99, source=source, ai=(12, 20), own=own))
    assert seconds(windows.recognition_window(session.responses[0])) == [recognition]
    assert seconds(windows.forecast_window(session.responses[0])) == [forecast]


def test_forecast_window_repeated_node_uses_the_occurrence_named(read):
    nodes = [
        make_node("q", (0, 2), (30, 32)),
        make_node("a", (2, 4), (32, 35)),
        make_node("r", (5, 6), (36, 37), user_response=[make_entry((30, 32), (32, 35), (36, 37))]),
    ]
    session = read(make_segment("s", "Step-1", 0, 60, nodes))
    # the second occurrences: [30, 35), not [0, 4)
    assert windows.forecast_window(session.responses[0]) == (Span(30_000, 35_000),)


def test_forecast_window_crosses_segments_as_one_interval(read):
    session = read(
        make_segment("s", "Step-1", 0, 10, [make_node("q", (5, 6))]),
        make_segment("t", "Custom-1", 10, 40, [make_node("x", (11, 12))]),
        make_segment(
            "u",
            "Step-2",
            40,
            60,
            [
                make_node("a", (41, 45)),
                make_node("r", (50, 51), user_response=[make_entry((5, 6), (41, 45), (50, 51))]),
            ],
        ),
    )
    assert windows.forecast_window(session.responses[0]) == (Span(5_000, 45_000),)


def test_workflow_window_starts_at_the_earliest_segment(read):
    session = read(
        segment_with("s", "Step-2", 30, 60, source=(31, 32), ai=(33, 40), own=(41, 42)),
        make_segment("t", "Custom-1", 4, 9),
        make_segment("u", "Step-1", 10, 20),
        make_segment("z", "Step-1", 1, 1),  # without length: counts as none
    )
    # min(30, 4, 10) = 4, not the 1 of the segment without length
    assert windows.workflow_window(session, session.responses[0]) == (Span(4_000, 40_000),)


def test_workflow_window_no_segment_before_the_output_end_is_empty(read):
    session = read(segment_with("s", "Step-1", 50, 60, source=(1, 2), ai=(3, 4), own=(5, 6)))
    assert windows.workflow_window(session, session.responses[0]) == ()


FIVE_STEPS = [
    make_segment("s1", "Step-1", 0, 10),
    make_segment("c", "Custom-1", 10, 15),
    make_segment("s2", "Step-2", 15, 20),
    make_segment("s1b", "Step-1", 20, 24),
    make_segment("s3", "Step-3", 30, 40),
]


def last_segment(ai=(54, 60)):
    return segment_with("s4", "Step-4", 50, 80, source=(52, 53), ai=ai, own=(62, 70))


def steps_of(session, *, num_steps=1):
    """The window of the session's only response in seconds, and the steps that it had."""
    found = windows.step_n_window(session, session.responses[0], num_steps=num_steps)
    return seconds(found.window), found.num_available


@pytest.mark.parametrize(
    ("num_steps", "expected", "num_available"),
    [
        # the last step's [50, 80) as far as the AI end, 60
        (1, [(30, 40), (50, 60)], 1),
        (2, [(15, 20), (30, 40), (50, 60)], 2),
        # Step 1's two visits; the second touches Step 2's [15, 20), and they become one
        (3, [(0, 10), (15, 24), (30, 40), (50, 60)], 3),
    ],
)
def test_step_n_window_holds_the_steps_before_by_number(read, num_steps, expected, num_available):
    session = read(*FIVE_STEPS, last_segment())
    assert steps_of(session, num_steps=num_steps) == (expected, num_available)


def test_step_n_window_fewer_steps_than_asked_uses_all_and_counts_them(read):
    session = read(make_segment("s1", "Step-1", 0, 10), last_segment())
    assert steps_of(session, num_steps=3) == ([(0, 10), (50, 60)], 1)


def test_step_n_window_step_begun_at_the_output_end_is_no_context(read):
    # Step 3 begins at 60, where the AI output ends; half-open, so it has not begun. Step 2 begins
    # a millisecond before and shows that millisecond, inside the last step's own interval.
    session = read(
        make_segment("s1", "Step-1", 0, 10),
        make_segment("s2", "Step-2", 59.999, 90),
        make_segment("s3", "Step-3", 60, 90),
        last_segment(),
    )
    assert steps_of(session) == ([(50, 60)], 1)
    assert steps_of(session, num_steps=3) == ([(0, 10), (50, 60)], 2)


def test_step_n_window_later_visits_of_the_last_step_do_not_show(read):
    session = read(last_segment(), make_segment("s4b", "Step-4", 90, 95))
    assert steps_of(session) == ([(50, 60)], 0)


def test_step_n_window_never_fills_the_gap_between_visits(read):
    session = read(make_segment("s4a", "Step-4", 0, 10), last_segment())
    assert steps_of(session) == ([(0, 10), (50, 60)], 0)


def test_step_n_window_custom_and_lengthless_segments_are_no_steps(read):
    session = read(
        make_segment("c", "Custom-1", 0, 10), make_segment("z", "Step-3", 20, 20), last_segment()
    )
    assert steps_of(session) == ([(50, 60)], 0)


def test_step_n_window_segments_out_of_order_are_sorted(read):
    session = read(last_segment(), *reversed(FIVE_STEPS))
    assert steps_of(session) == ([(30, 40), (50, 60)], 1)


def test_find_last_step_is_the_highest_number_with_a_segment(read):
    session = read(
        make_segment("b", "Step-3", 0, 10),
        make_segment("a", "Step-2", 10, 20),
        make_segment("z", "Step-4", 20, 20),  # without length: counts as none
        make_segment("c", "Custom-5", 20, 30),
    )
    assert windows.find_last_step(session) == 3


def test_find_last_step_without_planned_segment_is_none(read):
    assert windows.find_last_step(read(make_segment("c", "Custom-1", 0, 9))) is None


@pytest.mark.parametrize(
    ("badges", "source", "expected"),
    [
        pytest.param(("Step-2", "Step-2"), (1, 2), True, id="both in the last step"),
        pytest.param(("Step-1", "Step-2"), (1, 2), False, id="source before it"),
        pytest.param(("Step-2", "Step-1"), (1, 2), False, id="output before it"),
        pytest.param(("Step-2", "Step-2"), None, False, id="no source"),
        pytest.param(("Step-2", "Custom-1"), (1, 2), False, id="output outside the plan"),
    ],
)
def test_is_last_step_target_needs_source_and_output_in_it(read, badges, source, expected):
    nodes = [
        make_node("a", (11, 12)),
        make_node("r", (13, 14), user_response=[make_entry(source, (11, 12), (13, 14))]),
    ]
    session = read(
        make_segment("s", badges[0], 0, 10, [make_node("q", (1, 2))]),
        make_segment("t", badges[1], 10, 20, nodes),
        make_segment("u", "Step-2", 20, 30),
    )
    assert windows.is_last_step_target(session, session.responses[0]) is expected


def test_step_window_holds_all_visits_in_order_and_merges_those_that_touch(read):
    session = read(
        make_segment("c", "Step-1", 30, 40),
        make_segment("a", "Step-1", 0, 10),
        make_segment("x", "Step-2", 12, 18),
        make_segment("b", "Step-1", 10, 12),
        make_segment("d", "Step-1", 35, 37),
        make_segment("z", "Step-1", 20, 20),
    )
    # [0, 10) and [10, 12) touch; [35, 37) lies inside [30, 40); [20, 20) is nothing
    assert windows.step_window(session, 1) == (Span(0, 12_000), Span(30_000, 40_000))
    assert windows.step_window(session, 3) == ()


def test_session_window_runs_from_first_start_to_last_end(read):
    session = read(make_segment("b", "Step-1", 9, 30), make_segment("a", "Custom-1", 2.5, 10))
    assert windows.session_window(session) == (Span(2_500, 30_000),)
    assert windows.session_window(read()) == ()
