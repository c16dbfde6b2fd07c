from collections import Counter

import pytest
from datasets import Dataset, IterableDataset, load_dataset
from hypothesis import given, settings
from hypothesis import strategies as st

import kolab


@pytest.fixture(scope="module")
def load(tmp_path_factory):
    cache = str(tmp_path_factory.mktemp("cache"))

    def load_config(config, **options):
        return load_dataset("kolab", config, split="test", cache_dir=cache, **options)

    return load_config


def make_ratings(ratings, people=None):
    number = len(ratings)
    return Dataset.from_dict(
        {
            "id": [f"S/step-{index}" for index in range(number)],
            "participant_id": people or [f"P{index % 3}" for index in range(number)],
            "rating": ratings,
        }
    )


def test_subset_balanced_has_as_many_of_each_label_in_the_order_of_the_rows(load):
    ds = load("adoption_recognition")
    chosen = kolab.subset(ds, "balanced", per_label=6, seed=3)
    assert Counter(chosen["label"]) == {0: 6, 1: 6, 2: 6}
    place = {name: index for index, name in enumerate(ds["id"])}
    assert sorted(chosen["id"], key=place.__getitem__) == list(chosen["id"])
    assert chosen.features == ds.features
    assert max(Counter(chosen["participant_id"]).values()) == 6  # 18 rows of 3 people


def test_subset_ignores_the_order_of_rows_and_keeps_to_its_seed(load):
    ds = load("adoption_forecast")
    ids = set(kolab.subset(ds, "balanced", per_label=3, seed=1)["id"])
    for seed in range(5):
        assert (
            set(kolab.subset(ds.shuffle(seed=seed), "balanced", per_label=3, seed=1)["id"]) == ids
        )
    assert set(kolab.subset(ds, "balanced", per_label=3, seed=2)["id"]) != ids


def test_subset_step_n_chooses_questions_with_all_their_rows(load):
    chosen = kolab.subset(load("step_n"), "balanced", per_label=2)
    assert Counter(chosen["context_steps"]) == {1: 6, 2: 6, 3: 6}
    one = kolab.subset(load("step_n", context_steps=2), "balanced", per_label=2)
    assert list(one["id"]) == [name for name in chosen["id"] if name.endswith("/context-2")]


def test_subset_rating_tail_has_all_low_ratings_and_some_fives(load):
    chosen = kolab.subset(load("collab_rating"), "rating_tail", top=4)
    assert Counter(chosen["rating"]) == {5: 4, 4: 5, 3: 3, 2: 2}


def test_subset_ratings_of_takes_the_steps_of_the_other_experiment(load):
    collab, quality = load("collab_rating"), load("output_quality")
    steps = set(kolab.subset(collab, "rating_tail", top=4)["id"])
    same = kolab.subset(quality, "rating_tail", top=4, ratings_of=collab)
    assert set(same["id"]) == steps & set(quality["id"])


def test_subset_rating_tail_spreads_the_fives():
    # The fives: P0 has three, P1 one, P2 one; P1 and P2 have a low rating besides. Of four fives
    # P1 and P2 give their only one, and P0 two.
    ds = make_ratings([5, 5, 5, 5, 5, 1, 2], ["P0", "P0", "P0", "P1", "P2", "P1", "P2"])
    chosen = kolab.subset(ds, "rating_tail", top=4)
    assert Counter(chosen["participant_id"]) == {"P0": 2, "P1": 2, "P2": 2}
    assert kolab.subset(ds, "rating_tail", top=0)["rating"] == [1, 2]


@given(
    ratings=st.lists(st.integers(1, 5), min_size=1, max_size=12),
    order=st.randoms(use_true_random=False),
)
@settings(max_examples=30, deadline=None)
def test_subset_rating_tail_is_blind_to_order(ratings, order):
    ds = make_ratings(ratings)
    places = list(range(len(ratings)))
    order.shuffle(places)
    top = ratings.count(5) // 2
    ids = kolab.subset(ds, "rating_tail", top=top)["id"]
    assert set(kolab.subset(ds.select(places), "rating_tail", top=top)["id"]) == set(ids)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        pytest.param("even", {}, "name: found 'even'; expected one of balanced", id="name"),
        pytest.param("balanced", {}, "found no column 'label'", id="no-label"),
        pytest.param("rating_tail", {}, "top: found 30; expected 0 to 2, the number", id="top"),
        pytest.param("rating_tail", {"top": -1}, "top: found -1; expected 0 to 2", id="negative"),
    ],
)
def test_subset_bad_argument_says_what_was_found(name, options, message):
    with pytest.raises(ValueError, match=message):
        kolab.subset(make_ratings([5, 5, 3]), name, **options)


def test_subset_too_few_of_a_label_counts_what_is_there():
    columns = {"id": ["a", "b", "c"], "participant_id": ["P"] * 3, "label": [0, 0, 1]}
    message = "per_label: found 1; expected at most 0, since the rows are 2 adopt, 1 modify, 0 rej"
    with pytest.raises(ValueError, match=message):
        kolab.subset(Dataset.from_dict(columns), "balanced", per_label=1)
    with pytest.raises(ValueError, match="per_label: found 0; expected at least 1"):
        kolab.subset(Dataset.from_dict(columns), "balanced", per_label=0)
    with pytest.raises(ValueError, match="ratings_of: found rows; expected them with 'rating_"):
        kolab.subset(Dataset.from_dict(columns), "balanced", ratings_of=make_ratings([5]))


def test_subset_repeated_id_is_refused():
    ds = make_ratings([5, 3])
    twice = Dataset.from_dict({**ds.to_dict(), "id": ["S/step-0"] * 2})
    with pytest.raises(ValueError, match="found the id 'S/step-0' twice"):
        kolab.subset(twice, "rating_tail", top=0)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        pytest.param(
            IterableDataset.from_generator(lambda: iter(())),
            "ds: found a stream; expected a Dataset",
            id="stream",
        ),
        pytest.param({"test": None}, "ds: found dict; expected a Dataset", id="splits"),
    ],
)
def test_subset_other_than_a_dataset_is_refused(rows, message):
    with pytest.raises(TypeError, match=message):
        kolab.subset(rows, "balanced")
