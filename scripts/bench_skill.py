"""What the skill model costs, beside a dense inverse and beside other rating systems.

In one run: the exact posterior against a dense inverse on the paper's size (and equal to it), the
cost of an outcome against `trueskill` and `openskill`, 10,000 bootstrap rounds against a loop of
dense inverses, two studies of a million outcomes each in a fresh process (time and peak memory),
and what the `evaluate` module adds.

`trueskill` and `openskill` rate wins, not outcomes, so each outcome becomes a match: the two-member
team (agent, human) against one fixed opponent whose rating is never updated, won if y exceeds the
median. Only the cost is compared, not the ratings. On the larger studies they rate a tenth of the
outcomes, and their time is counted per outcome. Ours starts from the same lists of names.

Times are medians of several turns; the systems take turns, and a turn repeats what is short until
it has run for 20 ms, so that each is timed as warm as the others.

Needs `pip install 'kolab[bench-skill]'`. Run: python scripts/bench_skill.py
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from kolab_core.reports.tables import render_table
from kolab_core.skill import (
    SkillModel,
    bootstrap_ranks,
    fit_skill,
    index_sessions,
)

__all__ = ["main"]

FloatArray = npt.NDArray[np.float64]
Names = list[str]

PAPER = (386, 5, 93)
MIDDLE = (100_000, 50, 5_000)
LARGE = ((1_000_000, 50, 100_000), (1_000_000, 5_000, 20_000))
ROUNDS = 10_000
# The peers rate this share of the larger studies' outcomes.
PEER_SHARE = 10
# The loop of dense inverses runs this share of the rounds; its time is scaled.
LOOP_SHARE = 10
# A turn runs at least this many seconds.
TURN = 0.02
# How many times faster than either peer, per outcome, at every size.
LEAST_RATIO = 50


def main(argv: list[str] | None = None) -> int:
    """Print the measures and whether the bars hold; 0 if they do."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--large", metavar="N,A,H", help="measure one large study and stop")
    arguments = parser.parse_args(argv)
    if arguments.large:
        _measure_large(*map(int, arguments.large.split(",")))
        return 0
    bars = {
        **_compare_dense(arguments.repeats),
        **_compare_peers(arguments.repeats),
        **_compare_bootstrap(arguments.repeats),
        **_run_large(),
    }
    _time_module()
    print()
    for bar, holds in bars.items():
        print(f"{'ok  ' if holds else 'FAIL'}  {bar}")
    return 0 if all(bars.values()) else 1


def _make(size: tuple[int, int, int], seed: int = 0) -> tuple[list[str], list[str], FloatArray]:
    num_sessions, num_agents, num_humans = size
    rng = np.random.default_rng(seed)
    agents = rng.integers(num_agents, size=num_sessions)
    humans = rng.integers(num_humans, size=num_sessions)
    skill_a, skill_h = rng.normal(size=num_agents), rng.normal(size=num_humans)
    outcomes = 78.6 + skill_a[agents] + skill_h[humans] + rng.normal(size=num_sessions)
    return agents.astype(str).tolist(), humans.astype(str).tolist(), outcomes


def _clock(*functions: Callable[[], object], repeats: int) -> list[float]:
    """Median seconds of a call of each function; the functions take turns of TURN seconds."""
    spent: list[list[float]] = [[] for _ in functions]
    for _ in range(repeats):
        for times, function in zip(spent, functions, strict=True):
            start, calls = time.perf_counter(), 0
            while calls == 0 or time.perf_counter() - start < TURN:
                function()
                calls += 1
            times.append((time.perf_counter() - start) / calls)
    return [statistics.median(times) for times in spent]


def _solve_densely(
    agents: npt.NDArray[np.int64], humans: npt.NDArray[np.int64], outcomes: FloatArray, size: int
) -> tuple[FloatArray, FloatArray]:
    """Means and standard deviations by inverting the whole precision."""
    design = np.zeros((len(outcomes), size))
    rows = np.arange(len(outcomes))
    design[rows, agents] = design[rows, humans] = 1
    covariance = np.linalg.inv(np.eye(size) + design.T @ design)
    return covariance @ (design.T @ outcomes), np.sqrt(np.diag(covariance))


def _compare_dense(repeats: int) -> dict[str, bool]:
    agents, humans, outcomes = _make(PAPER)
    sessions = index_sessions(agents=agents, humans=humans, outcomes=outcomes.tolist())
    num_agents = len(sessions.agents)
    size = num_agents + len(sessions.humans)
    shifted = sessions.human_index + num_agents
    posterior = fit_skill(agents=agents, humans=humans, outcomes=outcomes.tolist())
    mean, sigma = _solve_densely(sessions.agent_index, shifted, outcomes, size)
    gaps = []
    for side, offset in ((posterior.agents, 0), (posterior.humans, num_agents)):
        gaps.append(np.abs(side.mu - mean[side.order + offset]).max())
        gaps.append(np.abs(side.sigma - sigma[side.order + offset]).max())
    ours, dense = _clock(
        lambda: fit_skill(agents=agents, humans=humans, outcomes=outcomes.tolist()),
        lambda: _solve_densely(sessions.agent_index, shifted, outcomes, size),
        repeats=repeats,
    )
    gap = float(max(gaps))
    print(f"{PAPER[0]} outcomes of {num_agents} agents and {size - num_agents} humans:")
    print(f"  ours, from names     {ours * 1e3:8.2f} ms")
    print(f"  dense inverse alone  {dense * 1e3:8.2f} ms")
    print(f"  largest difference   {gap:8.1e}")
    return {"equal to the dense inverse to 1e-10": gap <= 1e-10}


def _compare_peers(repeats: int) -> dict[str, bool]:
    try:
        import trueskill
        from openskill.models import PlackettLuce
    except ImportError as error:
        raise SystemExit(f"{error.name}: missing; `pip install 'kolab[bench-skill]'`.") from error
    model = PlackettLuce()

    def by_trueskill(agents: Names, humans: Names, won: list[bool]) -> None:
        ratings = {name: trueskill.Rating() for name in _entities(agents, humans)}
        opponent = (trueskill.Rating(), trueskill.Rating())
        for agent, human, is_won in zip(agents, humans, won, strict=True):
            team = (ratings["a" + agent], ratings["h" + human])
            ranks = (0, 1) if is_won else (1, 0)
            after, _ = trueskill.rate((team, opponent), ranks=ranks)
            ratings["a" + agent], ratings["h" + human] = after

    def by_openskill(agents: Names, humans: Names, won: list[bool]) -> None:
        ratings = {name: model.rating() for name in _entities(agents, humans)}
        opponent = [model.rating(), model.rating()]
        for agent, human, is_won in zip(agents, humans, won, strict=True):
            team = [ratings["a" + agent], ratings["h" + human]]
            after, _ = model.rate([team, opponent], ranks=[1, 2] if is_won else [2, 1])
            ratings["a" + agent], ratings["h" + human] = after

    peers = {"trueskill": by_trueskill, "openskill": by_openskill}
    print("\nCost of an outcome (they rate wins, see the head of this script):")
    bars = {}
    for size in (PAPER, MIDDLE, LARGE[0]):
        # The short ones take more turns, for a steadier median.
        share, turns = (1, repeats * 5) if size == PAPER else (PEER_SHARE, repeats)
        least = _compare_costs(size, peers, repeats=turns, share=share)
        head = f"{LEAST_RATIO} times faster per outcome than either, on {size[0]:,}"
        bars[f"{head} ({least:.0f})"] = least >= LEAST_RATIO
    return bars


def _compare_costs(
    size: tuple[int, int, int],
    peers: Mapping[str, Callable[[Names, Names, list[bool]], None]],
    *,
    repeats: int,
    share: int,
) -> float:
    """Print microseconds an outcome; give the faster peer's as a multiple of ours."""
    agents, humans, outcomes = _make(size)
    numbers = outcomes.tolist()
    won = (outcomes > np.median(outcomes)).tolist()
    part = len(numbers) // share

    def run(rate: Callable[[Names, Names, list[bool]], None]) -> Callable[[], None]:
        return lambda: rate(agents[:part], humans[:part], won[:part])

    ours, *theirs = _clock(
        lambda: fit_skill(agents=agents, humans=humans, outcomes=numbers),
        *map(run, peers.values()),
        repeats=repeats,
    )
    cost = ours / len(numbers)
    rows = [["ours", cost * 1e6, 1.0]]
    rows += [
        [name, seconds / part * 1e6, seconds / part / cost]
        for name, seconds in zip(peers, theirs, strict=True)
    ]
    head = f"{size[0]:,} outcomes of {size[1]} agents and {size[2]:,} humans"
    print(f"  {head}" + (f" (the others on 1/{share} of the outcomes)" if share > 1 else ""))
    print(render_table(["system", "µs", "times ours"], rows, digits=2))
    return min(theirs) / part / cost


def _entities(agents: Names, humans: Names) -> Names:
    return ["a" + name for name in set(agents)] + ["h" + name for name in set(humans)]


def _compare_bootstrap(repeats: int) -> dict[str, bool]:
    agents, humans, outcomes = _make(PAPER)
    sessions = index_sessions(agents=agents, humans=humans, outcomes=outcomes.tolist())
    num_agents = len(sessions.agents)
    size = num_agents + len(sessions.humans)
    shifted = sessions.human_index + num_agents

    def loop() -> FloatArray:
        rng = np.random.default_rng(0)
        ranks = np.empty((ROUNDS // LOOP_SHARE, num_agents))
        for i in range(len(ranks)):
            draw = rng.integers(len(outcomes), size=len(outcomes))
            mean, sigma = _solve_densely(
                sessions.agent_index[draw], shifted[draw], outcomes[draw], size
            )
            score = (mean - 3 * sigma)[:num_agents]
            ranks[i] = 1 + (score[None] > score[:, None]).sum(axis=1)
        return ranks

    ours, part = _clock(
        lambda: bootstrap_ranks(
            sessions, SkillModel(), rounds=ROUNDS, rng=np.random.default_rng(0)
        ),
        loop,
        repeats=repeats,
    )
    looped = part * LOOP_SHARE
    print(f"\n{ROUNDS} bootstrap rounds (means, sigmas and ranks of the agents):")
    print(f"  ours                     {ours:7.3f} s")
    print(f"  loop of dense inverses   {looped:7.3f} s (a tenth of the rounds, scaled)")
    return {
        f"bootstrap 10 times faster than the loop ({looped / ours:.0f})": looped >= 10 * ours,
        f"bootstrap under 1 s ({ours:.2f})": ours < 1,
    }


def _run_large() -> dict[str, bool]:
    """Each large study in a process of its own, so that its peak memory is its own."""
    bars = {}
    print("\nA million outcomes (a fresh process each; memory is the peak of the whole process):")
    for size in LARGE:
        words = ",".join(map(str, size))
        command = [sys.executable, str(Path(__file__)), "--large", words]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        seconds, megabytes = map(float, output.split())
        name = f"{size[2]:,} humans, {size[1]:,} agents"
        print(f"  {name}: {seconds:.1f} s, {megabytes:.0f} MB")
        bars[f"{name}: under 1 GB ({megabytes:.0f} MB)"] = megabytes < 1000
        bars[f"{name}: seconds ({seconds:.1f})"] = seconds < 30
    return bars


def _measure_large(num_sessions: int, num_agents: int, num_humans: int) -> None:
    agents, humans, outcomes = _make((num_sessions, num_agents, num_humans))
    start = time.perf_counter()
    fit_skill(agents=agents, humans=humans, outcomes=outcomes.tolist())
    seconds = time.perf_counter() - start
    print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def _time_module() -> None:
    """What going through `evaluate` adds: texts, an Arrow file, a table of dictionaries."""
    import evaluate

    module = Path(__file__).resolve().parent.parent / "metrics" / "collab_skill"
    rating = evaluate.load(str(module))
    print("\nThe evaluate module against the plain function:")
    for size in (PAPER, LARGE[0]):
        agents, humans, outcomes = _make(size)
        columns = {"agents": agents, "humans": humans, "outcomes": outcomes.tolist()}
        start = time.perf_counter()
        fit_skill(**columns)
        middle = time.perf_counter()
        rating.compute(**columns)
        end = time.perf_counter()
        plain, whole = middle - start, end - middle
        print(f"  {size[0]:>9,} outcomes: {plain:.3f} s plain, {whole:.3f} s with evaluate")


if __name__ == "__main__":
    sys.exit(main())
