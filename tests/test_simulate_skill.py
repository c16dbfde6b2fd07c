import pytest

from scripts.simulate_skill import ASSIGNMENTS, main, simulate


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_simulate_same_seed_same_shares(assignment):
    first, second = (simulate(assignment, studies=5, seed=3) for _ in range(2))
    assert (first.posterior, first.centred, first.naive) == (
        second.posterior,
        second.centred,
        second.naive,
    )
    assert first.sigmas.tolist() == second.sigmas.tolist()
    assert first.sigmas.shape == (5, 5)


def test_simulate_centring_helps_under_random_assignment():
    found = simulate("random and uneven", studies=120, seed=1)
    assert found.centred > found.posterior
    assert 0.14 <= found.sigmas.mean() <= 0.18


def test_simulate_posterior_wins_under_choice_by_ability():
    found = simulate("by ability", studies=120, seed=1)
    assert found.posterior > found.naive
    assert found.centred > found.naive


def test_main_prints_the_bars(capsys):
    main(["--studies", "20"])
    printed = capsys.readouterr().out
    assert "by ability: the posterior wins" in printed
    assert "posterior, centred" in printed
