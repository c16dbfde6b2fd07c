"""Choosing rows of each class so that no participant weighs more than the data force."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

__all__ = ["Candidate", "spread_choice"]


@dataclass(frozen=True)
class Candidate:
    """A row that may be chosen.

    Attributes:
        id: The row's, or whatever else stands for it; unique.
        participant_id: Whose it is.
        answer: Its class.
    """

    id: str
    participant_id: str
    answer: int


def spread_choice(
    candidates: Sequence[Candidate], *, wanted: Mapping[int, int], seed: int
) -> set[str]:
    """Choose so many candidates of each class, spread evenly over the participants.

    Within a class nobody gives a further row while somebody with rows left has given fewer. Who
    gives the last rows of the classes, where not all of equal standing can, is settled so that the
    sum of the squares of the participants' totals is as small as that allows, and among equals by
    chance, as is which of a participant's rows are taken.

    Args:
        candidates: All rows; their order plays no part.
        wanted: Class -> how many of it, at most as many as there are. A class that is not named
            gives none.
        seed: Of the chance.

    Returns:
        The chosen ids.
    """
    ids: defaultdict[int, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for candidate in candidates:
        if candidate.answer in wanted:
            ids[candidate.answer][candidate.participant_id].append(candidate.id)
    people = sorted({name for by_person in ids.values() for name in by_person}, key=_chance(seed))
    shares = _Shares(people)
    for answer, by_person in ids.items():
        shares.add(answer, {name: len(own) for name, own in by_person.items()}, wanted[answer])
    shares.settle()
    chosen: set[str] = set()
    for answer, by_person in ids.items():
        for name, own in by_person.items():
            number = shares.given[answer][name]
            chosen.update(sorted(own, key=_chance(seed))[:number])
    return chosen


@dataclass
class _Shares:
    """How many rows of each class each participant gives.

    Attributes:
        people: In the order that settles ties.
        given: Class -> participant -> rows.
        open: Class -> rows still to be given, at most one each by those of `able`.
        able: Class -> participants who have a row more than all have given already.
        last: Class -> those of them who give it.
    """

    people: Sequence[str]
    given: dict[int, dict[str, int]] = field(default_factory=dict)
    open: dict[int, int] = field(default_factory=dict)
    able: dict[int, set[str]] = field(default_factory=dict)
    last: dict[int, list[str]] = field(default_factory=dict)

    def add(self, answer: int, rows: Mapping[str, int], wanted: int) -> None:
        """Bring a class as far as all who have rows can go on equally."""
        level = 0
        while sum(min(own, level + 1) for own in rows.values()) <= wanted and level < wanted:
            level += 1
        self.given[answer] = {name: min(own, level) for name, own in rows.items()}
        self.open[answer] = wanted - sum(self.given[answer].values())
        self.able[answer] = {name for name, own in rows.items() if own > level}
        self.last[answer] = []

    def settle(self) -> None:
        """Give out the last rows, each to whoever has the least in total and can take one.

        What can be given to whom is a polymatroid, where going by the least total is the best of
        all ways, if those who gave before may pass a row of one class on for one of another.
        """
        totals = {
            name: sum(by_person.get(name, 0) for by_person in self.given.values())
            for name in self.people
        }
        hopeful = list(self.people)
        while hopeful and any(self.open.values()):
            name = min(hopeful, key=totals.__getitem__)
            if self._take(name, set()):
                totals[name] += 1
            else:
                hopeful.remove(name)
        for answer, names in self.last.items():
            for name in names:
                self.given[answer][name] += 1

    def _take(self, name: str, tried: set[int]) -> bool:
        """Give a participant one more row; those who gave may have to give of another class."""
        for answer in sorted(self.able):
            takers = self.last[answer]
            if answer in tried or name not in self.able[answer] or name in takers:
                continue
            tried.add(answer)
            if self.open[answer]:
                self.open[answer] -= 1
                takers.append(name)
                return True
            for other in tuple(takers):
                if self._take(other, tried):
                    takers[takers.index(other)] = name
                    return True
        return False


def _chance(seed: int) -> Callable[[str], str]:
    """A key that shuffles names by a seed, each alone: what else there is moves nothing."""
    return lambda name: hashlib.sha256(f"{seed}/{name}".encode()).hexdigest()
