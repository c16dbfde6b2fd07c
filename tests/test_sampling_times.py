from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kolab_core.sampling import centre_times, regular_times
from kolab_core.sampling.times import as_intervals, first_tick, last_tick

TIME_BASES = [Fraction(1, d) for d in (30, 600, 1000, 12800, 15360, 90000, 1000000)]


def test_centre_times_one_interval_by_hand():
    # 8 s in 4 parts of 2 s, from 10: centres at 11, 13, 15, 17.
    assert centre_times([(10.0, 18.0)], 4).tolist() == [11.0, 13.0, 15.0, 17.0]


def test_centre_times_map_through_the_intervals():
    # 2 s + 4 s in 3 parts of 2 s: centres at 1, 3, 5 of the clip: 1 in the first interval,
    # 1 and 3 s into the second.
    intervals = [{"start": 0.0, "end": 2.0}, {"start": 100.0, "end": 104.0}]
    assert centre_times(intervals, 3).tolist() == [1.0, 101.0, 103.0]


def test_centre_times_on_a_seam_belong_to_the_interval_that_starts():
    assert centre_times([(0.0, 1.0), (5.0, 6.0)], 1).tolist() == [5.0]


def test_regular_times_count_in_the_clips_duration():
    assert regular_times([(0.0, 1.0), (10.0, 11.2)], 0.4).tolist() == pytest.approx(
        [0.0, 0.4, 0.8, 10.2, 10.6, 11.0]
    )
    assert regular_times([(3.0, 4.0)], 5.0).tolist() == [3.0]


def test_regular_times_do_not_reach_the_end():
    # 0.3 is 3 steps of 0.1 in decimal, though not in floating point.
    assert regular_times([(0.0, 0.3)], 0.1).tolist() == pytest.approx([0.0, 0.1, 0.2])


@pytest.mark.parametrize("intervals", [[], [(1.0, 1.0)]], ids=["none", "no length"])
def test_times_of_nothing_are_empty(intervals):
    assert centre_times(intervals, 5).shape == (0,)
    assert regular_times(intervals, 1.0).shape == (0,)
    assert centre_times([(0.0, 1.0)], 0).shape == (0,)


@pytest.mark.parametrize("step", [0.0, -1.0, float("nan"), float("inf")])
def test_regular_times_step_that_is_none_is_refused(step):
    with pytest.raises(ValueError, match="step: found"):
        regular_times([(0.0, 1.0)], step)


def test_centre_times_negative_count_is_refused():
    with pytest.raises(ValueError, match="num_frames: found -1"):
        centre_times([(0.0, 1.0)], -1)


@pytest.mark.parametrize("interval", [(2.0, 1.0), (0.0, float("inf")), (float("nan"), 1.0)])
def test_as_intervals_wrong_interval_is_refused(interval):
    with pytest.raises(ValueError, match=r"intervals\[1\]: found"):
        as_intervals([(0.0, 1.0), interval])


@given(
    st.lists(st.tuples(st.integers(0, 5_000), st.integers(1, 900_000)), min_size=1, max_size=6),
    st.integers(1, 64),
)
def test_centre_times_lie_inside_the_intervals_in_order(gaps, count):
    intervals, position = [], 0
    for gap, length in gaps:
        intervals.append(((position + gap) / 1000, (position + gap + length) / 1000))
        position += gap + length
    times = centre_times(intervals, count)
    assert len(times) == count
    assert (np.diff(times) > 0).all()
    for time in times:
        assert any(start <= time < end for start, end in intervals)


@given(st.sampled_from(TIME_BASES), st.integers(0, 10**9), st.integers(-(10**6), 10**6))
def test_last_tick_float_of_a_ticks_time_is_that_tick(time_base, tick, start):
    zero = start * time_base
    time = float(tick * time_base)
    assume(time < 1 << 22)  # seven weeks; from 14 on the steps between floats exceed a nanosecond
    assert last_tick(time, zero=zero, time_base=time_base) == tick + start
    assert first_tick(time, zero=zero, time_base=time_base) == tick + start


@given(st.sampled_from(TIME_BASES), st.integers(1, 10**8))
def test_last_tick_differences_of_floats_meet_their_tick(time_base, tick):
    zero = Fraction(7, 5)
    time = float(tick * time_base + zero) - float(zero)  # off by some ulps
    assert last_tick(time, zero=Fraction(0), time_base=time_base) == tick


@given(st.sampled_from(TIME_BASES), st.integers(0, 3_600_000))
def test_last_tick_of_whole_milliseconds_is_the_exact_floor(time_base, milliseconds):
    expected = Fraction(milliseconds, 1000) // time_base
    assert last_tick(milliseconds / 1000, zero=Fraction(0), time_base=time_base) == expected
