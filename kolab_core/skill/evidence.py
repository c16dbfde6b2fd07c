"""What a study tells the skill model: outcomes summed by pair, by agent and by human."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

__all__ = ["Evidence", "Sessions", "index_sessions", "merge_evidence", "sum_evidence"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_NAMED_ROWS = 5


@dataclass(frozen=True, eq=False)
class Sessions:
    """Checked sessions, one a row; names are sorted, so that the order of rows plays no part.

    Attributes:
        agents: The agents' names, sorted.
        humans: The humans' names, sorted.
        agent_index: int64 [n], positions in `agents`.
        human_index: int64 [n], positions in `humans`.
        outcomes: float64 [n], finite.
        tasks: One label a session, or empty where none were given.
    """

    agents: tuple[str, ...]
    humans: tuple[str, ...]
    agent_index: IntArray
    human_index: IntArray
    outcomes: FloatArray
    tasks: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Evidence:
    """Sufficient statistics of the model: with these, the rows themselves are not needed.

    Attributes:
        agents: The agents' names, sorted.
        humans: The humans' names, sorted.
        counts: Sparse float64 [agents, humans], sessions of each pair.
        agent_sums: float64 [agents], each agent's summed outcomes.
        human_sums: float64 [humans], each human's summed outcomes.
        total: All outcomes summed.
        n: Number of sessions.
    """

    agents: tuple[str, ...]
    humans: tuple[str, ...]
    counts: sparse.csr_array
    agent_sums: FloatArray
    human_sums: FloatArray
    total: float
    n: int


def index_sessions(
    *,
    agents: Sequence[object],
    humans: Sequence[object],
    outcomes: Sequence[object],
    tasks: Sequence[object] | None = None,
    min_sessions: int = 2,
) -> Sessions:
    """Check the columns of a study and number its names.

    Args:
        agents: An agent's name a session: text that is not blank, or a whole number.
        humans: A human's name a session, likewise.
        outcomes: A finite number a session, or its text.
        tasks: A task's name a session, likewise; by default none.
        min_sessions: The fewest sessions that make sense.

    Returns:
        The sessions in the order given.

    Raises:
        ValueError: Lengths differ, there are too few sessions, a name is blank, an outcome is not
            a finite number. Names every faulty column and its first faulty rows.
    """
    columns = {"agents": agents, "humans": humans, "outcomes": outcomes}
    if tasks is not None:
        columns["tasks"] = tasks
    n = len(agents)
    faults = [
        f"{name}: found {len(column)} values; expected {n}, one a session as in agents."
        for name, column in columns.items()
        if len(column) != n
    ]
    if faults:
        raise ValueError("\n".join(faults))
    if n < min_sessions:
        expected = f"at least {min_sessions}" if min_sessions > 1 else "at least one"
        raise ValueError(f"outcomes: found {n} session{'s'[: n != 1]}; expected {expected}.")
    numbers = _read_outcomes(outcomes, faults)
    agent_names, agent_index = _number_names("agents", agents, faults)
    human_names, human_index = _number_names("humans", humans, faults)
    labels: tuple[str, ...] = ()
    if tasks is not None:
        names, index = _number_names("tasks", tasks, faults)
        labels = tuple(names[i] for i in index.tolist()) if names else ()
    if faults:
        raise ValueError("\n".join(faults))
    return Sessions(agent_names, human_names, agent_index, human_index, numbers, labels)


def sum_evidence(sessions: Sessions) -> Evidence:
    """Sum the sessions; outcomes are added from the lowest up, so row order changes no bit."""
    order = np.argsort(sessions.outcomes, kind="stable")
    outcomes = sessions.outcomes[order]
    agent_index = sessions.agent_index[order]
    human_index = sessions.human_index[order]
    shape = (len(sessions.agents), len(sessions.humans))
    pairs = sparse.coo_array((np.ones(len(outcomes)), (agent_index, human_index)), shape=shape)
    return Evidence(
        agents=sessions.agents,
        humans=sessions.humans,
        counts=pairs.tocsr(),
        agent_sums=_sum_by(agent_index, outcomes, shape[0]),
        human_sums=_sum_by(human_index, outcomes, shape[1]),
        total=float(outcomes.sum()),
        n=len(outcomes),
    )


def merge_evidence(first: Evidence, second: Evidence) -> Evidence:
    """The evidence of both, as if all sessions had been summed at once."""
    agents = tuple(sorted({*first.agents, *second.agents}))
    humans = tuple(sorted({*first.humans, *second.humans}))
    agent_at = {name: i for i, name in enumerate(agents)}
    human_at = {name: i for i, name in enumerate(humans)}
    counts = sparse.csr_array((len(agents), len(humans)), dtype=np.float64)
    agent_sums = np.zeros(len(agents))
    human_sums = np.zeros(len(humans))
    for part in (first, second):
        rows = np.array([agent_at[name] for name in part.agents], dtype=np.int64)
        columns = np.array([human_at[name] for name in part.humans], dtype=np.int64)
        pairs = part.counts.tocoo()
        counts = counts + sparse.coo_array(
            (pairs.data, (rows[pairs.row], columns[pairs.col])), shape=counts.shape
        )
        agent_sums[rows] += part.agent_sums
        human_sums[columns] += part.human_sums
    return Evidence(
        agents=agents,
        humans=humans,
        counts=counts.tocsr(),
        agent_sums=agent_sums,
        human_sums=human_sums,
        total=first.total + second.total,
        n=first.n + second.n,
    )


def _sum_by(index: IntArray, outcomes: FloatArray, size: int) -> FloatArray:
    return np.asarray(np.bincount(index, outcomes, minlength=size), dtype=np.float64)


def _read_outcomes(outcomes: Sequence[object], faults: list[str]) -> FloatArray:
    try:
        numbers = np.asarray(outcomes, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.array([_as_number(value) for value in outcomes])
    if numbers.ndim != 1:
        faults.append(f"outcomes: found shape {numbers.shape}; expected one number a session.")
        return numbers
    bad = np.flatnonzero(~np.isfinite(numbers))
    _report("outcomes", outcomes, bad.tolist(), "a finite number", faults)
    return numbers


def _as_number(value: object) -> float:
    try:
        return float(value)  # type: ignore[arg-type]  # what is no number is caught below
    except (TypeError, ValueError):
        return math.nan


def _number_names(column: str, values: Any, faults: list[str]) -> tuple[tuple[str, ...], IntArray]:
    """Sorted names and each row's position; a dictionary beats sorting a million texts."""
    if callable(convert := getattr(values, "tolist", None)):
        values = convert()
    seen: dict[object, int] = {}
    try:
        codes = np.fromiter(
            (seen.setdefault(value, len(seen)) for value in values), np.int64, len(values)
        )
    except TypeError:
        bad = [i for i, value in enumerate(values) if not _is_name(value)]
        _report(column, values, bad, "a name", faults)
        return (), np.zeros(0, np.int64)
    unnamed = np.array([not _is_name(value) for value in seen], dtype=bool)
    if unnamed.any():
        bad = np.flatnonzero(unnamed[codes]).tolist()
        _report(column, values, bad, "a name that is not blank", faults)
        return (), codes
    names = tuple(sorted({str(value) for value in seen}))
    position = {name: i for i, name in enumerate(names)}
    return names, np.array([position[str(value)] for value in seen], dtype=np.int64)[codes]


def _is_name(value: object) -> bool:
    if isinstance(value, str):
        return bool(value.strip())
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _report(
    column: str, values: Sequence[object], bad: Iterable[int], expected: str, faults: list[str]
) -> None:
    rows = list(bad)
    for row in rows[:_NAMED_ROWS]:
        faults.append(f"{column}[{row}]: found {repr(values[row])[:80]}; expected {expected}.")
    if len(rows) > _NAMED_ROWS:
        faults.append(f"{column}: {len(rows) - _NAMED_ROWS} more rows like these.")
