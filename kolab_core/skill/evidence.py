"""What a study tells the skill model: outcomes summed by pair, by agent and by human."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

__all__ = ["Evidence", "Sessions", "as_number", "index_sessions", "merge_evidence", "sum_evidence"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_NAMED_ROWS = 5
# From this many rows on texts go to Arrow; fewer are numbered sooner than it is imported.
_MANY_ROWS = 50_000
# Pairs are counted in a table of all pairs when it has at most this many cells a session.
_DENSE_SHARE = 8


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
        agent_index: int64 [pairs], the agent of each pair that met, sorted; then by human.
        human_index: int64 [pairs], its human.
        pair_counts: float64 [pairs], its sessions, > 0.
        agent_sums: float64 [agents], each agent's summed outcomes.
        human_sums: float64 [humans], each human's summed outcomes.
        total: All outcomes summed.
        n: Number of sessions.
    """

    agents: tuple[str, ...]
    humans: tuple[str, ...]
    agent_index: IntArray
    human_index: IntArray
    pair_counts: FloatArray
    agent_sums: FloatArray
    human_sums: FloatArray
    total: float
    n: int

    @cached_property
    def agent_counts(self) -> FloatArray:
        """float64 [agents], each agent's sessions."""
        return _sum_by(self.agent_index, self.pair_counts, len(self.agents))

    @cached_property
    def human_counts(self) -> FloatArray:
        """float64 [humans], each human's sessions."""
        return _sum_by(self.human_index, self.pair_counts, len(self.humans))

    @cached_property
    def counts(self) -> sparse.csr_array:
        """Sparse float64 [agents, humans], the sessions of each pair."""
        pairs = np.bincount(self.agent_index, minlength=len(self.agents))
        bounds = np.concatenate([[0], np.cumsum(pairs)])
        shape = (len(self.agents), len(self.humans))
        return sparse.csr_array((self.pair_counts, self.human_index, bounds), shape=shape)


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
    order = np.argsort(sessions.outcomes)
    outcomes = sessions.outcomes[order]
    num_agents, num_humans = len(sessions.agents), len(sessions.humans)
    agent_index, human_index, pair_counts = _count_pairs(
        sessions.agent_index * num_humans + sessions.human_index,
        None,
        shape=(num_agents, num_humans),
    )
    return Evidence(
        agents=sessions.agents,
        humans=sessions.humans,
        agent_index=agent_index,
        human_index=human_index,
        pair_counts=pair_counts,
        agent_sums=_sum_by(sessions.agent_index[order], outcomes, num_agents),
        human_sums=_sum_by(sessions.human_index[order], outcomes, num_humans),
        total=float(outcomes.sum()),
        n=len(outcomes),
    )


def merge_evidence(first: Evidence, second: Evidence) -> Evidence:
    """The evidence of both, as if all sessions had been summed at once."""
    agents = tuple(sorted({*first.agents, *second.agents}))
    humans = tuple(sorted({*first.humans, *second.humans}))
    agent_at = {name: i for i, name in enumerate(agents)}
    human_at = {name: i for i, name in enumerate(humans)}
    agent_sums, human_sums = np.zeros(len(agents)), np.zeros(len(humans))
    keys = []
    for part in (first, second):
        rows = np.array([agent_at[name] for name in part.agents], dtype=np.int64)
        columns = np.array([human_at[name] for name in part.humans], dtype=np.int64)
        keys.append(rows[part.agent_index] * len(humans) + columns[part.human_index])
        agent_sums[rows] += part.agent_sums
        human_sums[columns] += part.human_sums
    agent_index, human_index, pair_counts = _count_pairs(
        np.concatenate(keys),
        np.concatenate([first.pair_counts, second.pair_counts]),
        shape=(len(agents), len(humans)),
    )
    return Evidence(
        agents=agents,
        humans=humans,
        agent_index=agent_index,
        human_index=human_index,
        pair_counts=pair_counts,
        agent_sums=agent_sums,
        human_sums=human_sums,
        total=first.total + second.total,
        n=first.n + second.n,
    )


def _count_pairs(
    keys: IntArray, weights: FloatArray | None, *, shape: tuple[int, int]
) -> tuple[IntArray, IntArray, FloatArray]:
    """Summed weights (or rows) of each pair that occurs: agents, humans, sums, sorted by key."""
    cells = shape[0] * shape[1]
    if cells <= _DENSE_SHARE * len(keys):
        table = np.bincount(keys, weights, minlength=cells)
        met = np.flatnonzero(table)
        sums = table[met]
    else:
        met, place = np.unique(keys, return_inverse=True)
        sums = np.bincount(place, weights)
    agent_index, human_index = np.divmod(met, shape[1])
    return agent_index, human_index, sums.astype(np.float64)


def _sum_by(index: IntArray, outcomes: FloatArray, size: int) -> FloatArray:
    return np.asarray(np.bincount(index, outcomes, minlength=size), dtype=np.float64)


def _read_outcomes(outcomes: Sequence[object], faults: list[str]) -> FloatArray:
    try:
        numbers = np.asarray(outcomes, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.array([as_number(value) for value in outcomes])
    if numbers.ndim != 1:
        faults.append(f"outcomes: found shape {numbers.shape}; expected one number a session.")
        return numbers
    bad = np.flatnonzero(~np.isfinite(numbers))
    _report("outcomes", outcomes, bad.tolist(), "a finite number", faults)
    return numbers


def as_number(value: object) -> float:
    """A number, or the number that a text is; NaN for anything else."""
    try:
        return float(value)  # type: ignore[arg-type]  # what is no number is caught below
    except (TypeError, ValueError):
        return math.nan


def _number_names(column: str, values: Any, faults: list[str]) -> tuple[tuple[str, ...], IntArray]:
    """Sorted names and each row's position among them."""
    if callable(convert := getattr(values, "tolist", None)):
        values = convert()
    if len(values) >= _MANY_ROWS and (encoded := _encode_texts(values)):
        return encoded
    try:
        distinct = set(values)
    except TypeError:  # a list or the like is among them: no name
        distinct = {None}
    is_text = set(map(type, distinct)) == {str}
    # The usual case, all of them text, at the speed of C.
    if not all(map(str.strip if is_text else _is_name, distinct)):
        bad = [i for i, value in enumerate(values) if not _is_name(value)]
        _report(column, values, bad, "a name that is not blank", faults)
        return (), np.zeros(0, np.int64)
    names = sorted(distinct if is_text else set(map(str, distinct)))
    position = dict(zip(names, range(len(names)), strict=True))
    if not is_text:
        position = {value: position[str(value)] for value in distinct}
    return tuple(names), np.fromiter(map(position.__getitem__, values), np.int64, len(values))


def _encode_texts(values: Sequence[object]) -> tuple[tuple[str, ...], IntArray] | None:
    """The same by Arrow, which hashes a million texts many times faster; None if it cannot.

    Arrow sorts by bytes of UTF-8, which is the order of code points that Python sorts by.
    """
    import pyarrow as pa
    from pyarrow import compute

    if type(next(iter(values))) is not str:
        return None
    try:
        # The system's pool gives back at once what it held.
        column = pa.array(values, memory_pool=pa.system_memory_pool())
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return None
    if column.type != pa.string() or column.null_count or isinstance(column, pa.ChunkedArray):
        return None
    coded = column.dictionary_encode()
    order = compute.sort_indices(coded.dictionary)
    names = coded.dictionary.take(order).to_pylist()
    if not all(map(str.strip, names)):
        return None
    position = np.empty(len(names), dtype=np.int64)
    position[order.to_numpy()] = np.arange(len(names))
    return tuple(names), position[coded.indices.to_numpy()]


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
