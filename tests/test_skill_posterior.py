import json
import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skill_studies import Study, make_study, solve_densely

from kolab_core.skill import (
    SkillModel,
    fit_skill,
    index_sessions,
    observe_outcome,
    start_state,
    sum_evidence,
)
from kolab_core.skill.solve import BipartiteSystem, SolvedPair

OPTIONS = [
    {},
    {"beta": 2.5},
    {"mu0": 40.0, "sigma0": 3.0},
    {"center": True},
    {"beta": 0.5, "mu0": -1.0, "sigma0": 0.7, "center": True},
]
SHAPES = [
    pytest.param(5, 93, 386, id="paper"),
    pytest.param(30, 4, 100, id="more_agents"),
    pytest.param(1, 6, 9, id="one_agent"),
    pytest.param(6, 1, 9, id="one_human"),
    pytest.param(40, 50, 60, id="many_groups"),
]


def assert_as_dense(study, posterior, **options):
    at, mean, covariance = solve_densely(study, **options)
    table = posterior.as_dict()
    found = {(side, row["name"]): row for side in ("agents", "humans") for row in table[side]}
    assert set(found) == set(at)
    for entity, position in at.items():
        assert found[entity]["mu"] == pytest.approx(mean[position], abs=1e-10)
        sigma = math.sqrt(covariance[position, position])
        assert found[entity]["sigma"] == pytest.approx(sigma, abs=1e-10)
        score = mean[position] - 3 * sigma
        assert found[entity]["score"] == pytest.approx(score, abs=1e-10)


def test_fit_skill_two_sessions_by_hand():
    # One agent a with humans x (y = 3) and z (y = 0), beta = sigma0 = 1, mu0 = 0.
    # Precision [[3, 1, 1], [1, 2, 0], [1, 0, 2]], eta [3, 3, 0]. Eliminating the humans:
    # (3 - 1/2 - 1/2) s_a = 3 - 3/2, so s_a = 3/4; s_x = (3 - 3/4)/2 = 9/8; s_z = -3/8.
    # Variances: a 1/2; humans 1/2 + (1/2)^2 / 2 = 5/8.
    table = fit_skill(agents=["a", "a"], humans=["x", "z"], outcomes=[3, 0]).as_dict()
    agent, (first, second) = table["agents"][0], table["humans"]
    assert agent == {
        "name": "a",
        "mu": pytest.approx(0.75),
        "sigma": pytest.approx(math.sqrt(0.5)),
        "score": pytest.approx(0.75 - 3 * math.sqrt(0.5)),
        "rank": 1,
        "num_sessions": 2,
    }
    assert (first["name"], first["rank"], second["name"], second["rank"]) == ("x", 1, "z", 2)
    assert (first["mu"], second["mu"]) == (pytest.approx(1.125), pytest.approx(-0.375))
    assert first["sigma"] == pytest.approx(math.sqrt(0.625))
    assert table["n"] == 2
    assert set(table) == {"agents", "humans", "n", "groups"}


@pytest.mark.parametrize(("num_agents", "num_humans", "num_sessions"), SHAPES)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_fit_skill_any_shape_equals_dense_inverse(num_agents, num_humans, num_sessions, options):
    study = make_study(num_agents=num_agents, num_humans=num_humans, num_sessions=num_sessions)
    assert_as_dense(study, fit_skill(**study.columns(), **options), **options)


@settings(max_examples=40, deadline=None)
@given(
    rows=st.lists(
        st.tuples(st.integers(0, 6), st.integers(0, 6), st.floats(0, 100)), min_size=2, max_size=40
    )
)
def test_fit_skill_random_sessions_equal_dense_inverse(rows):
    study = Study(
        agents=[f"a{a}" for a, _, _ in rows],
        humans=[f"h{h}" for _, h, _ in rows],
        outcomes=[y for _, _, y in rows],
        tasks=[],
    )
    assert_as_dense(study, fit_skill(**study.columns()))


def test_kalman_one_outcome_at_a_time_gives_the_posterior():
    study = make_study(num_agents=4, num_humans=9, num_sessions=60)
    model = SkillModel(beta=1.4, mu0=2.0, sigma0=0.8)
    at, mean, covariance = solve_densely(study, beta=1.4, mu0=2.0, sigma0=0.8)
    state = start_state(len(at), model)
    for agent, human, outcome in zip(study.agents, study.humans, study.outcomes, strict=True):
        state = observe_outcome(
            state, outcome, agent=at["agents", agent], human=at["humans", human]
        )
    np.testing.assert_allclose(state.mean, mean, atol=1e-9)
    np.testing.assert_allclose(state.covariance, covariance, atol=1e-9)
    posterior = fit_skill(**study.columns(), beta=1.4, mu0=2.0, sigma0=0.8)
    for name, mu, sigma in zip(
        posterior.agents.names, posterior.agents.mu, posterior.agents.sigma, strict=True
    ):
        position = at["agents", name]
        assert mu == pytest.approx(state.mean[position], abs=1e-9)
        assert sigma == pytest.approx(math.sqrt(state.covariance[position, position]), abs=1e-9)


@pytest.mark.parametrize("kind", ["dense", "sparse", "plain"])
@pytest.mark.parametrize("shape", [(350, 250), (250, 350)], ids=["tall", "wide"])
def test_bipartite_system_both_sides_large_equals_dense_inverse(shape, kind):
    rng = np.random.default_rng(1)
    sessions = index_sessions(
        agents=rng.integers(shape[0], size=450),
        humans=rng.integers(shape[1], size=450),
        outcomes=rng.normal(size=450),
    )
    evidence = sum_evidence(sessions)
    num_agents, num_humans = evidence.counts.shape
    counts = evidence.counts.toarray() if kind == "plain" else evidence.counts
    system = BipartiteSystem(counts, ridge=0.5, max_dense=0 if kind == "sparse" else 8000)
    dense = np.zeros((num_agents + num_humans,) * 2)
    dense[:num_agents, num_agents:] = evidence.counts.toarray()
    dense += dense.T
    dense += np.diag(0.5 + dense.sum(axis=1))
    inverse = np.linalg.inv(dense)
    right = rng.normal(size=len(dense))
    solved = system.solve(SolvedPair(right[:num_agents], right[num_agents:]))
    variances = system.variances()
    np.testing.assert_allclose(
        np.concatenate([solved.agents, solved.humans]), inverse @ right, atol=1e-10
    )
    np.testing.assert_allclose(
        np.concatenate([variances.agents, variances.humans]), np.diag(inverse), atol=1e-10
    )


def test_fit_skill_row_order_changes_no_bit():
    study = make_study(num_agents=5, num_humans=20, num_sessions=100)
    order = np.random.default_rng(3).permutation(100)
    shuffled = {name: [column[i] for i in order] for name, column in study.columns().items()}
    assert fit_skill(**study.columns()).as_dict() == fit_skill(**shuffled).as_dict()


def test_fit_skill_result_is_json_of_builtin_numbers():
    table = fit_skill(
        agents=np.array(["a", "b"]), humans=np.array([1, 2]), outcomes=np.array([3.0, 4.0])
    ).as_dict()
    assert json.loads(json.dumps(table)) == table
    assert type(table["agents"][0]["rank"]) is int
    assert type(table["humans"][0]["mu"]) is float
    assert {row["name"] for row in table["humans"]} == {"1", "2"}


def test_fit_skill_equal_scores_share_the_better_rank():
    table = fit_skill(
        agents=["b", "a", "c"], humans=["x", "y", "z"], outcomes=[50, 50, 40]
    ).as_dict()
    assert [(row["name"], row["rank"]) for row in table["agents"]] == [("a", 1), ("b", 1), ("c", 3)]


def test_fit_skill_centred_is_fit_of_differences_from_the_mean():
    study = make_study(num_agents=3, num_humans=7, num_sessions=30)
    mean = np.mean(study.outcomes)
    centred = fit_skill(**study.columns(), center=True).agents.mu
    shifted = fit_skill(**{**study.columns(), "outcomes": study.outcomes - mean}).agents.mu
    np.testing.assert_allclose(centred, shifted, atol=1e-12)


def test_groups_without_a_shared_partner_are_separate():
    posterior = fit_skill(
        agents=["a", "b", "b", "c"],
        humans=["x", "x", "y", "z"],
        outcomes=[1, 2, 3, 4],
    )
    assert posterior.as_dict()["groups"] == [
        {"agents": ["b", "a"], "humans": ["y", "x"], "num_sessions": 3},
        {"agents": ["c"], "humans": ["z"], "num_sessions": 1},
    ]
    assert not posterior.prob_greater("a", "c").comparable
    assert posterior.prob_greater("a", "b").comparable


@pytest.mark.parametrize("side", ["agents", "humans"])
def test_prob_greater_is_the_difference_of_two_correlated_gaussians(side):
    study = make_study(num_agents=4, num_humans=6, num_sessions=30, seed=2)
    at, mean, covariance = solve_densely(study)
    posterior = fit_skill(**study.columns())
    stem = side[:-1]
    for i, j in [(0, 1), (1, 0), (3, 2)]:
        a, b = at[side, f"{stem}-{i}"], at[side, f"{stem}-{j}"]
        found = posterior.prob_greater(f"{stem}-{i}", f"{stem}-{j}", side=side)
        apart = covariance[a, a] + covariance[b, b]
        sd = math.sqrt(apart - 2 * covariance[a, b])
        difference = mean[a] - mean[b]
        assert found.difference == pytest.approx(difference, abs=1e-10)
        assert found.sd == pytest.approx(sd, abs=1e-10)
        assert found.probability == pytest.approx(NormalDist().cdf(difference / sd), abs=1e-10)
        assert found.probability_independent == pytest.approx(
            NormalDist().cdf(difference / math.sqrt(apart)), abs=1e-10
        )
        correlation = covariance[a, b] / math.sqrt(covariance[a, a] * covariance[b, b])
        assert found.correlation == pytest.approx(correlation, abs=1e-10)


@pytest.mark.parametrize(
    ("a", "b", "side", "message"),
    [
        ("a", "q", "agents", "'q': found no such name among the agents; expected of a, b"),
        ("a", "a", "agents", "found 'a' twice; expected two different names"),
        ("a", "b", "tasks", "side: found 'tasks'; expected 'agents' or 'humans'"),
    ],
)
def test_prob_greater_bad_names_are_refused(a, b, side, message):
    posterior = fit_skill(agents=["a", "b"], humans=["x", "x"], outcomes=[1, 2])
    with pytest.raises(ValueError, match=message):
        posterior.prob_greater(a, b, side=side)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"outcomes": [1, math.nan]}, r"outcomes\[1\]: found nan; expected a finite number"),
        ({"outcomes": ["x", None]}, r"outcomes\[1\]: found None; expected a finite number"),
        ({"outcomes": [1]}, "outcomes: found 1 values; expected 2, one a session as in agents"),
        ({"outcomes": [[1], [2]]}, r"outcomes: found shape \(2, 1\); expected one number"),
        ({"humans": [" ", "x"]}, r"humans\[0\]: found ' '; expected a name that is not blank"),
        ({"agents": ["a"], "humans": ["x"], "outcomes": [1]}, "found 1 session; expected at least"),
        ({"beta": 0}, "beta: found 0; expected a finite number > 0"),
        ({"sigma0": math.nan}, "sigma0: found nan; expected a finite number > 0"),
        ({"mu0": math.inf}, "mu0: found inf; expected a finite number"),
        ({"beta": 1e-8}, "beta / sigma0: found 1e-08; expected a ratio between"),
    ],
    ids=str,
)
def test_fit_skill_bad_input_says_what_and_where(change, message):
    good = {"agents": ["a", "b"], "humans": ["x", "x"], "outcomes": [1, 2]}
    with pytest.raises(ValueError, match=message):
        fit_skill(**{**good, **change})


@pytest.mark.parametrize("value", ["1", None, True])
def test_fit_skill_constant_that_is_no_number_is_a_type_error(value):
    with pytest.raises(TypeError, match=r"beta: found .*; expected a number"):
        fit_skill(agents=["a", "b"], humans=["x", "x"], outcomes=[1, 2], beta=value)


def test_index_sessions_names_every_faulty_column_and_few_rows():
    with pytest.raises(ValueError, match="outcomes") as caught:
        index_sessions(agents=[""] * 8, humans=["x"] * 8, outcomes=[math.nan] * 8)
    lines = str(caught.value).splitlines()
    assert len(lines) == 12
    assert lines[5] == "outcomes: 3 more rows like these."
    assert lines[-1] == "agents: 3 more rows like these."


# Names that order differently by UTF-16, by locale or without case, and one that Arrow cannot hold.
ODD_NAMES = ["b", "B", "a ", "é", "z", "\ufffd", "\U0001f600", "10", "9"]


@pytest.mark.parametrize("size", [30, 50_000], ids=["few", "many"])
@pytest.mark.parametrize(
    "more", [[], ["\ud800"], [7, np.int64(9)]], ids=["text", "surrogate", "numbers"]
)
def test_index_sessions_numbers_names_in_order_of_code_points(more, size):
    names = [*ODD_NAMES, *more]
    humans = [names[i] for i in np.random.default_rng(0).integers(len(names), size=size)]
    sessions = index_sessions(agents=["a"] * size, humans=humans, outcomes=[1.0] * size)
    assert sessions.humans == tuple(sorted(set(map(str, humans))))
    assert [sessions.humans[i] for i in sessions.human_index] == list(map(str, humans))


@pytest.mark.parametrize("value", ["", "\u2003", None, b"x", 1.5, True, ["x"]], ids=repr)
@pytest.mark.parametrize("size", [3, 50_000], ids=["few", "many"])
@pytest.mark.parametrize("row", [0, 2])
def test_index_sessions_one_bad_name_is_found_among_few_and_many(size, row, value):
    agents = ["a"] * size
    agents[row] = value
    with pytest.raises(ValueError, match="expected a name") as caught:
        index_sessions(agents=agents, humans=["x"] * size, outcomes=[1.0] * size)
    message = f"agents[{row}]: found {value!r}; expected a name that is not blank."
    assert str(caught.value) == message


def test_observe_outcome_bad_input_is_refused():
    state = start_state(3, SkillModel())
    with pytest.raises(ValueError, match="found 1 twice; expected two positions"):
        observe_outcome(state, 1.0, agent=1, human=1)
    with pytest.raises(ValueError, match="outcome: found nan; expected a finite number"):
        observe_outcome(state, math.nan, agent=0, human=1)
    with pytest.raises(ValueError, match="size: found 1; expected at least 2"):
        start_state(1, SkillModel())
