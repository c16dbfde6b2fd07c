import math

import numpy as np
import pytest
from scipy import stats
from skill_studies import Study, make_study, solve_densely

from kolab_core.skill import (
    SkillModel,
    bootstrap_ranks,
    fit_skill,
    index_sessions,
    leave_one_out,
    naive_averages,
    quartile_wins,
    reweight,
)

MODELS = [SkillModel(), SkillModel(beta=1.5, mu0=2.0, sigma0=0.7, center=True)]


def as_sessions(study):
    return index_sessions(**study.columns(), tasks=study.tasks)


def pick(study, rows):
    return Study(
        agents=[study.agents[i] for i in rows],
        humans=[study.humans[i] for i in rows],
        outcomes=[study.outcomes[i] for i in rows],
        tasks=[study.tasks[i] for i in rows],
    )


def solve_agents(study, names, model):
    """mu and sigma of the named agents by a dense inverse; who has no sessions is at the prior."""
    at, mean, covariance = solve_densely(
        study, beta=model.beta, mu0=model.mu0, sigma0=model.sigma0, center=model.center
    )
    mu, sigma = [], []
    for name in names:
        position = at.get(("agents", name))
        mu.append(model.mu0 if position is None else mean[position])
        sigma.append(
            model.sigma0 if position is None else math.sqrt(covariance[position, position])
        )
    return np.array(mu), np.array(sigma)


@pytest.fixture(params=[False, True], ids=["batched", "one_by_one"])
def either_way(request, monkeypatch):
    if request.param:
        monkeypatch.setattr(reweight, "_MOST_AGENTS", 0)


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize("model", MODELS, ids=["paper", "other"])
def test_resample_equals_dense_inverse_of_the_drawn_sessions(model):
    study = make_study(num_agents=4, num_humans=10, num_sessions=25)
    sessions = as_sessions(study)
    draws = np.random.default_rng(0).integers(25, size=(6, 25))
    draws[0] = draws[0, 0]  # One session over and over: all but one agent are at their prior.
    beliefs = reweight.resample(sessions, model, draws)
    for draw, mu, sigma in zip(draws, beliefs.mu, beliefs.sigma, strict=True):
        expected = solve_agents(pick(study, draw), sessions.agents, model)
        np.testing.assert_allclose(mu, expected[0], atol=1e-9)
        np.testing.assert_allclose(sigma, expected[1], atol=1e-10)


def test_leave_one_out_many_humans_needs_no_table_of_all_pairs(monkeypatch):
    monkeypatch.setattr(reweight, "_MOST_CELLS", 0)
    monkeypatch.setattr(reweight, "weigh", None)  # Nothing is solved on its own.
    study = make_study(num_agents=3, num_humans=30, num_sessions=90)
    found = leave_one_out(as_sessions(study), unit="humans")
    assert len(found.names) == len(set(study.humans))


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize("unit", ["humans", "tasks"])
@pytest.mark.parametrize("model", MODELS, ids=["paper", "other"])
def test_leave_one_out_equals_refitting_without_each(unit, model):
    study = make_study(num_agents=4, num_humans=9, num_sessions=40, seed=5)
    sessions = as_sessions(study)
    found = leave_one_out(sessions, model, unit=unit)
    column = getattr(study, unit)
    base_mu, base_sigma = solve_agents(study, sessions.agents, model)
    base = base_mu - 3 * base_sigma
    assert found.names == tuple(sorted(set(column)))
    ranks, changed = [], []
    for name, tau in zip(found.names, found.kendall_taus, strict=True):
        kept = pick(study, [i for i, other in enumerate(column) if other != name])
        mu, sigma = solve_agents(kept, sessions.agents, model)
        score = mu - 3 * sigma
        assert tau == pytest.approx(stats.kendalltau(score, base).statistic)
        ranks.append(stats.rankdata(-score, method="min"))
        if score.argmax() != base.argmax():
            changed.append(name)
    for entry in found.agents:
        i = sessions.agents.index(entry.name)
        assert entry.mean_rank == pytest.approx(np.mean([row[i] for row in ranks]))
        assert entry.share_first == pytest.approx(np.mean([row[i] == 1 for row in ranks]))
    assert found.changed_first == tuple(changed)
    assert found.mean_kendall_tau == pytest.approx(np.mean(found.kendall_taus))


def test_bootstrap_ranks_equals_a_loop_of_dense_inverses():
    study = make_study(num_agents=4, num_humans=8, num_sessions=30, seed=1)
    sessions, model = as_sessions(study), SkillModel(beta=1.2)
    found = bootstrap_ranks(sessions, model, rounds=40, rng=np.random.default_rng(7))
    draws = np.random.default_rng(7).integers(30, size=(40, 30))
    base_mu, base_sigma = solve_agents(study, sessions.agents, model)
    base = base_mu - 3 * base_sigma
    ranks, taus, mus = [], [], []
    for draw in draws:
        mu, sigma = solve_agents(pick(study, draw), sessions.agents, model)
        ranks.append(stats.rankdata(-(mu - 3 * sigma), method="min"))
        taus.append(stats.kendalltau(mu - 3 * sigma, base).statistic)
        mus.append(mu)
    assert found.mean_kendall_tau == pytest.approx(np.mean(taus))
    for entry in found.agents:
        i = sessions.agents.index(entry.name)
        column = np.array(ranks)[:, i]
        assert entry.mean_rank == pytest.approx(column.mean())
        assert entry.share_first == pytest.approx((column == 1).mean())
        assert entry.rank_shares == pytest.approx([(column == r).mean() for r in (1, 2, 3, 4)])
        assert entry.sd_mu == pytest.approx(np.std(np.array(mus)[:, i], ddof=1))
    assert [entry.rank for entry in found.agents] == [1, 2, 3, 4]


@pytest.mark.parametrize("unit", ["sessions", "humans", "tasks"])
def test_bootstrap_ranks_same_seed_same_answer(unit):
    sessions = as_sessions(make_study(num_agents=3, num_humans=8, num_sessions=30))
    first, second = (
        bootstrap_ranks(sessions, rounds=25, unit=unit, rng=np.random.default_rng(4))
        for _ in range(2)
    )
    assert first == second
    assert (first.rounds, first.unit) == (25, unit)
    assert bootstrap_ranks(sessions, rounds=25, unit=unit, rng=np.random.default_rng(5)) != first


def test_bootstrap_ranks_clear_winner_is_always_first():
    study = make_study(num_agents=3, num_humans=8, num_sessions=60, level=0.0)
    outcomes = [
        y + 50 * (agent == "agent-1") for y, agent in zip(study.outcomes, study.agents, strict=True)
    ]
    sessions = index_sessions(agents=study.agents, humans=study.humans, outcomes=outcomes)
    found = bootstrap_ranks(sessions, rounds=200)
    assert (found.agents[0].name, found.agents[0].share_first) == ("agent-1", 1.0)
    assert found.agents[0].mean_rank == 1.0


def test_stability_of_one_agent_has_no_tau():
    sessions = as_sessions(make_study(num_agents=1, num_humans=4, num_sessions=12))
    assert math.isnan(bootstrap_ranks(sessions, rounds=5).mean_kendall_tau)
    assert bootstrap_ranks(sessions, rounds=5).agents[0].share_first == 1.0


def test_stability_bad_arguments_are_refused():
    study = make_study(num_agents=3, num_humans=1, num_sessions=12)
    sessions = index_sessions(**study.columns())
    with pytest.raises(ValueError, match="humans: found 1; expected at least 2"):
        leave_one_out(sessions, unit="humans")
    with pytest.raises(ValueError, match="tasks: found none; expected a task's name"):
        leave_one_out(sessions, unit="tasks")
    with pytest.raises(ValueError, match="rounds: found 0; expected at least 1"):
        bootstrap_ranks(sessions, rounds=0)
    with pytest.raises(ValueError, match="unit: found 'rows'; expected"):
        bootstrap_ranks(sessions, unit="rows")
    with pytest.raises(ValueError, match="unit: found 'rows'; expected"):
        leave_one_out(sessions, unit="rows")


def test_naive_averages_by_hand():
    # a: mean (1 + 3) / 2 = 2, sd sqrt(2); b and c: mean 5, one session each, no sd.
    sessions = index_sessions(
        agents=["a", "b", "a", "c"], humans=["x", "x", "y", "y"], outcomes=[1, 5, 3, 5]
    )
    found = naive_averages(sessions)
    assert [(e.name, e.mean, e.rank, e.num_sessions) for e in found] == [
        ("b", 5.0, 1, 1),
        ("c", 5.0, 1, 1),
        ("a", 2.0, 3, 2),
    ]
    assert found[2].sd == pytest.approx(math.sqrt(2))
    assert math.isnan(found[0].sd)


def test_quartile_wins_by_hand():
    # Humans h0 < h1 < h2 < h3 by their outcomes, so one a quartile, two sessions each.
    humans = [f"h{i}" for i in range(4) for _ in range(2)]
    outcomes = [10.0, 12.0, 20.0, 22.0, 30.0, 32.0, 40.0, 42.0]
    sessions = index_sessions(agents=["a"] * 8, humans=humans, outcomes=outcomes)
    posterior = fit_skill(agents=["a"] * 8, humans=humans, outcomes=outcomes)
    solo = [11.0, 12.0, 25.0, math.nan, 25.0, 31.0, math.nan, math.nan]
    found = quartile_wins(sessions, posterior, solo)
    assert [entry.quartile for entry in found] == [1, 2, 3, 4]
    assert [(e.num_sessions, e.num_wins, e.num_ties) for e in found] == [
        (2, 0, 1),
        (1, 0, 0),
        (2, 2, 0),
        (0, 0, 0),
    ]
    assert [e.win_rate for e in found[:3]] == [0.0, 0.0, 1.0]
    assert found[2].mean_margin == pytest.approx((5 + 1) / 2)
    # Wilson for 2 of 2 at 95 %: low = n / (n + z^2) = 2 / (2 + 3.8415) = 0.3424.
    assert found[2].win_rate_low == pytest.approx(0.3424, abs=1e-4)
    assert found[2].win_rate_high == pytest.approx(1.0)
    assert math.isnan(found[3].win_rate)
    assert found[0].mean_mu < found[1].mean_mu < found[2].mean_mu < found[3].mean_mu


def test_quartile_wins_bad_arguments_are_refused():
    sessions = index_sessions(agents=["a"] * 3, humans=["x", "y", "z"], outcomes=[1, 2, 3])
    posterior = fit_skill(agents=["a"] * 3, humans=["x", "y", "z"], outcomes=[1, 2, 3])
    with pytest.raises(ValueError, match="solo_scores: found 2 values; expected 3"):
        quartile_wins(sessions, posterior, [1, 2])
    with pytest.raises(ValueError, match="humans: found 3; expected at least 4"):
        quartile_wins(sessions, posterior, [1, 2, 3])
    with pytest.raises(ValueError, match="confidence: found 95; expected a number in"):
        quartile_wins(sessions, posterior, [1, 2, 3], confidence=95)
    other = index_sessions(agents=["a"] * 4, humans=list("xyzw"), outcomes=[1, 2, 3, 4])
    with pytest.raises(ValueError, match="humans: found 'w'; expected those of the posterior"):
        quartile_wins(other, posterior, [1, 2, 3, 4])
