import itertools
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kolab_core.rows.spread import Candidate, spread_choice


def make_candidates(rows_of):
    """`{(person, answer): number}` as candidates with telling ids."""
    return [
        Candidate(f"{person}-{answer}-{index}", person, answer)
        for (person, answer), number in rows_of.items()
        for index in range(number)
    ]


def count_given(chosen):
    """(person, answer) -> how many ids were chosen."""
    return Counter((name.split("-")[0], int(name.split("-")[1])) for name in chosen)


def all_shares(limits, wanted):
    """Every way in which people with these limits give `wanted` rows together."""
    ways = itertools.product(*(range(limit + 1) for limit in limits))
    return [way for way in ways if sum(way) == wanted]


def unevenness(numbers):
    return sum(number**2 for number in numbers)


def test_spread_choice_one_class_goes_round_before_anyone_gives_twice():
    # 5 of A: 4, B: 1, C: 3. One each (3), then A and C have more: 2, 1, 2.
    rows = make_candidates({("A", 0): 4, ("B", 0): 1, ("C", 0): 3})
    given_rows = count_given(spread_choice(rows, wanted={0: 5}, seed=0))
    assert given_rows == {("A", 0): 2, ("B", 0): 1, ("C", 0): 2}


@pytest.mark.parametrize("seed", range(8))
def test_spread_choice_last_rows_even_the_totals(seed):
    # All of class 1 is A's, so the one row of class 0 comes from B, whatever the seed.
    rows = make_candidates({("A", 0): 3, ("B", 0): 3, ("A", 1): 2})
    given_rows = count_given(spread_choice(rows, wanted={0: 1, 1: 1}, seed=seed))
    assert given_rows == {("B", 0): 1, ("A", 1): 1}


@pytest.mark.parametrize("seed", range(8))
def test_spread_choice_first_giver_passes_a_class_on(seed):
    # One row of each of two classes: B has class 0 alone, A both. Had A given class 0 first, it
    # has to give class 1 instead.
    rows = make_candidates({("A", 0): 1, ("A", 1): 1, ("B", 0): 1})
    given_rows = count_given(spread_choice(rows, wanted={0: 1, 1: 1}, seed=seed))
    assert given_rows == {("B", 0): 1, ("A", 1): 1}


def test_spread_choice_seed_moves_what_is_left_to_chance():
    rows = make_candidates({(person, 0): 5 for person in "ABCD"})
    choices = {frozenset(spread_choice(rows, wanted={0: 2}, seed=seed)) for seed in range(20)}
    assert len(choices) > 5
    assert len({frozenset(count_given(choice)) for choice in choices}) > 1


def test_spread_choice_class_not_wanted_gives_none():
    rows = make_candidates({("A", 0): 1, ("A", 1): 1})
    assert spread_choice(rows, wanted={1: 1}, seed=0) == {"A-1-0"}
    assert spread_choice(rows, wanted={0: 0}, seed=0) == set()


_LIMITS = st.dictionaries(
    st.tuples(st.sampled_from("ABCD"), st.integers(0, 2)), st.integers(1, 3), min_size=1
)


@settings(max_examples=120, deadline=None)
@given(limits=_LIMITS, data=st.data(), seed=st.integers(0, 99))
def test_spread_choice_is_as_even_as_any_choice_and_blind_to_order(limits, data, seed):
    rows = make_candidates(limits)
    there = Counter(row.answer for row in rows)
    wanted = {answer: data.draw(st.integers(0, number)) for answer, number in there.items()}
    chosen = spread_choice(rows, wanted=wanted, seed=seed)
    assert spread_choice(data.draw(st.permutations(rows)), wanted=wanted, seed=seed) == chosen
    assert chosen <= {row.id for row in rows}
    numbers = count_given(chosen)
    people = sorted({row.participant_id for row in rows})
    even_ways = []
    for answer, number in wanted.items():
        given_rows = [numbers[person, answer] for person in people]
        assert sum(given_rows) == number
        ways = all_shares([limits.get((person, answer), 0) for person in people], number)
        best = min(map(unevenness, ways))
        assert unevenness(given_rows) == best
        even_ways.append([way for way in ways if unevenness(way) == best])
    totals = [sum(numbers[person, answer] for answer in wanted) for person in people]
    best_total = min(
        unevenness(map(sum, zip(*choice, strict=True))) for choice in itertools.product(*even_ways)
    )
    assert unevenness(totals) == best_total
