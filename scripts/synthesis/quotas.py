"""What each session of a release has to hold: how many steps, which labels, which ratings.

`paper_quotas` deals out the published counts exactly; `free_quotas` draws any number of sessions
in about the same proportions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np

from scripts.synthesis.story import Label
from scripts.synthesis.trades import SECTORS, Trade, trades_of

__all__ = ["NUM_PAPER_PARTICIPANTS", "Instance", "Quota", "free_quotas", "paper_quotas"]

NUM_PAPER_PARTICIPANTS = 50
_NUM_STEPS = 508
_NUM_LAST_STEP_TARGETS = 114
_NUM_WITHOUT_CHAT = 6
_STEP_RANGE = range(3, 9)
_MOST_TARGETS = 3
_NAMES: list[Label] = ["adopt", "modify", "reject"]

# Labels (adopt, modify, reject) by sector, 456 + 132 + 104 = 692 in all. The paper gives the shares
# of all, the extremes of Adopt (57 % Legal; 79 % in two sectors), Modify in Legal (41 %), and the
# next-highest Modify (22 %, Arts); the other sectors share what is left evenly.
_LABELS: dict[str, tuple[int, int, int]] = {
    "Architecture & Engineering": (44, 12, 12),
    "Arts, Design, Entertainment, Sports & Media": (44, 16, 12),
    "Business & Financial Operations": (43, 11, 14),
    "Computer & Mathematical": (55, 8, 7),
    "Educational Instruction & Library": (44, 12, 12),
    "Healthcare Practitioners & Technical": (43, 11, 14),
    "Legal": (40, 29, 1),
    "Life, Physical & Social Science": (56, 9, 6),
    "Management": (44, 12, 12),
    "Office & Administrative Support": (43, 12, 14),
}
# Ratings 1 to 5 over all steps: 54.9 / 29.7 / 15.3 % for collaboration, 53.5 / 31.0 % for output
# quality, whose mode's errors (MAE 0.682 and 0.735) settle the lower ones as far as integers can.
_COLLABORATION: dict[int | None, int] = {1: 10, 2: 19, 3: 49, 4: 151, 5: 279}
_QUALITY: dict[int | None, int] = {None: 1, 1: 16, 2: 26, 3: 37, 4: 157, 5: 271}

Kind = Literal["own", "reuse", "earlier"]
_T = TypeVar("_T")


@dataclass(frozen=True)
class Instance:
    """A labelled response.

    Its AI output was asked for in this step (`own`), is an older one used again (`reuse`), or
    comes now from a request of an earlier step (`earlier`).
    """

    label: Label
    kind: Kind


@dataclass(frozen=True, kw_only=True)
class Quota:
    """What one session has to hold; the tuples have an entry for each step."""

    participant_index: int
    session: int
    trade: Trade
    instances: tuple[tuple[Instance, ...], ...]
    collaboration: tuple[int | None, ...]
    quality: tuple[int | None, ...]
    has_chat: bool
    length_factor: float
    """Of the release's mean length; their mean is 1."""


@dataclass
class _Draft:
    person: int
    session: int
    trade: Trade
    steps: int
    labels: list[Label]
    targets: int = 0


def paper_quotas(rng: np.random.Generator) -> list[Quota]:
    """Deal out the published counts over 50 participants, two sessions each."""
    drafts = [
        _Draft(person, session, trade, 5, [])
        for person, trade in enumerate(_paper_trades(rng))
        for session in (1, 2)
    ]
    _vary_steps(drafts, rng)
    for sector, counts in _LABELS.items():
        _deal_labels([d for d in drafts if d.trade.sector == sector], counts, rng)
    _deal_targets(drafts, rng)
    without_chat = set(rng.choice(len(drafts), _NUM_WITHOUT_CHAT, replace=False).tolist())
    has_chat = [index not in without_chat for index in range(len(drafts))]
    return _finish(
        drafts,
        collaboration=_shuffled(_repeat(_COLLABORATION), rng),
        quality=_shuffled(_repeat(_QUALITY), rng),
        has_chat=has_chat,
        rng=rng,
    )


def free_quotas(participants: int, rng: np.random.Generator) -> list[Quota]:
    """Draw sessions for any number of participants, in about the published proportions."""
    totals = np.sum(list(_LABELS.values()), axis=0)
    drafts = []
    for person in range(participants):
        sector = SECTORS[person % len(SECTORS)]
        trade = trades_of(sector)[person // len(SECTORS) % 4]
        for session in (1, 2):
            steps = int(rng.integers(3, 7))
            count = int(rng.integers(5, 9)) if session == 1 else steps + int(rng.integers(0, 4))
            labels = rng.choice(_NAMES, size=count, p=totals / totals.sum()).tolist()
            spare = count - (steps - 1 if session == 2 else 1)
            targets = int(rng.integers(1, 1 + min(_MOST_TARGETS, spare)))
            drafts.append(_Draft(person, session, trade, steps, labels, targets))
    num_steps = sum(draft.steps for draft in drafts)
    return _finish(
        drafts,
        collaboration=_draw(_COLLABORATION, num_steps, rng),
        quality=_draw(_QUALITY, num_steps, rng),
        has_chat=[index % 7 != 6 for index in range(len(drafts))],
        rng=rng,
    )


def _paper_trades(rng: np.random.Generator) -> list[Trade]:
    """Forty occupations for fifty people: one occupation of each sector comes twice."""
    trades = []
    for sector in SECTORS:
        four = trades_of(sector)
        trades += [*four, four[int(rng.integers(len(four)))]]
    return _shuffled(trades, rng)


def _vary_steps(drafts: list[_Draft], rng: np.random.Generator) -> None:
    """Spread the number of steps around five, so that they add up to the published number."""
    extra = _NUM_STEPS - sum(draft.steps for draft in drafts)
    for sector in rng.choice(SECTORS, extra, replace=False):
        some = [d for d in drafts if d.trade.sector == sector]
        some[int(rng.integers(len(some)))].steps += 1
    for _ in range(2 * len(drafts)):
        one = drafts[int(rng.integers(len(drafts)))]
        same = [d for d in drafts if (d.trade.sector, d.session) == (one.trade.sector, one.session)]
        other = same[int(rng.integers(len(same)))]
        if one.steps - 1 in _STEP_RANGE and other.steps + 1 in _STEP_RANGE:
            one.steps -= 1
            other.steps += 1


def _deal_labels(
    drafts: list[_Draft], counts: tuple[int, int, int], rng: np.random.Generator
) -> None:
    """Session 1 gets five instances at least, session 2 one for each step."""
    labels = _shuffled(_repeat(dict(zip(_NAMES, counts, strict=True))), rng)
    sizes = [5 if draft.session == 1 else draft.steps for draft in drafts]
    for index in rng.integers(len(drafts), size=len(labels) - sum(sizes)):
        sizes[index] += 1
    for draft, size in zip(drafts, sizes, strict=True):
        draft.labels, labels = labels[:size], labels[size:]


def _deal_targets(drafts: list[_Draft], rng: np.random.Generator) -> None:
    """Say how many instances of a session lie wholly in its last step."""
    first = [draft for draft in drafts if draft.session == 1]
    none = {id(first[index]) for index in rng.choice(len(first), 10, replace=False)}
    for draft in drafts:
        draft.targets = int(id(draft) not in none)
    left = _NUM_LAST_STEP_TARGETS - sum(draft.targets for draft in drafts)
    while left:
        draft = drafts[int(rng.integers(len(drafts)))]
        others = draft.steps - 1 if draft.session == 2 else 2
        if 0 < draft.targets < min(_MOST_TARGETS, len(draft.labels) - others):
            draft.targets += 1
            left -= 1


def _finish(
    drafts: list[_Draft],
    *,
    collaboration: list[int | None],
    quality: list[int | None],
    has_chat: list[bool],
    rng: np.random.Generator,
) -> list[Quota]:
    factors = rng.uniform(0.7, 1.4, size=len(drafts))
    factors /= factors.mean()
    quotas, at = [], 0
    for index, draft in enumerate(drafts):
        steps = slice(at, at + draft.steps)
        at += draft.steps
        quotas.append(
            Quota(
                participant_index=draft.person,
                session=draft.session,
                trade=draft.trade,
                instances=_place(draft, rng),
                collaboration=tuple(collaboration[steps]),
                quality=tuple(quality[steps]),
                has_chat=has_chat[index],
                length_factor=float(factors[index]),
            )
        )
    return quotas


def _place(draft: _Draft, rng: np.random.Generator) -> tuple[tuple[Instance, ...], ...]:
    """Put a session's instances into its steps.

    The last step's targets have their own request; what else lies there is an older output or an
    older request, which makes it no target.
    """
    labels = list(draft.labels)
    last = [Instance(labels.pop(), "own") for _ in range(draft.targets)]
    steps: list[list[Instance]] = [[] for _ in range(draft.steps - 1)]
    order = list(range(draft.steps - 1)) if draft.session == 2 else [0]
    order += rng.integers(draft.steps - 1, size=max(0, len(labels) - len(order))).tolist()
    for step, label in zip(order, labels, strict=True):
        is_free = step > 0 and bool(steps[step]) and rng.random() < 0.2
        kind: Kind = ("reuse", "earlier")[int(rng.integers(2))] if is_free else "own"
        steps[step].append(Instance(label, kind))
    rich = [step for step, held in enumerate(steps) if len(held) > 1]
    if rich and rng.random() < 0.2:
        moved = steps[rich[-1]].pop()
        last.append(Instance(moved.label, "reuse"))
    return tuple(tuple(held) for held in (*steps, last))


def _repeat(counts: dict[_T, int]) -> list[_T]:
    return [value for value, count in counts.items() for _ in range(count)]


def _shuffled(values: list[_T], rng: np.random.Generator) -> list[_T]:
    return [values[index] for index in rng.permutation(len(values))]


def _draw(counts: dict[int | None, int], num: int, rng: np.random.Generator) -> list[int | None]:
    values = _repeat(counts)
    return [values[index] for index in rng.integers(len(values), size=num)]
