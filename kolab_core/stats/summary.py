"""What a tally comes to: shares, means and correlations, as plain records."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import TypeVar

import numpy as np

from kolab_core.release import LABELS
from kolab_core.release.documents import LIKERT_QUESTIONS, Statements
from kolab_core.scores.parsing import RATINGS
from kolab_core.scores.rating import rating_from_counts, spearman_p
from kolab_core.stats.moments import describe, describe_counts
from kolab_core.stats.results import (
    ActorCount,
    ClipLengths,
    ItemAnswers,
    JointRatings,
    LabelCounts,
    RatingCounts,
    Stats,
    TimeSpent,
    ToolCount,
)
from kolab_core.stats.tally import RATING_KINDS, Tally
from kolab_core.stats.tools import is_ai_tool

__all__ = ["clip_minutes", "summarise_tally"]

_Key = TypeVar("_Key")
_MINUTE_MS = 60_000
_CONFIGS = (
    ("adoption_recognition", None),
    ("adoption_forecast", None),
    ("step_n", 1),
    ("step_n", 2),
    ("step_n", 3),
    ("workflow_level", None),
    ("collab_rating", None),
    ("output_quality", None),
    ("sessions", None),
)
_COUNTS = (
    "surveys",
    "turns",
    "steps",
    "segments",
    "segments outside the plan",
    "returns to a step",
    "nodes",
    "edges",
    "branches",
    "loops",
    "responses",
    "responses without a request",
)


def summarise_tally(tally: Tally) -> Stats:
    """Shares, means and correlations of what was counted."""
    tools = _tools(tally)
    return Stats(
        overview=_overview(tally, tools),
        actors=_actors(tally),
        labels=_labels(tally),
        ratings=_ratings(tally),
        joint=_joint(tally),
        clips=tuple(
            ClipLengths(config, steps, describe(tally.clips[config, steps], unit=_MINUTE_MS))
            for config, steps in _CONFIGS
        ),
        tools=tools,
        times=_times(tally),
        statements=_items(tally.statements, tuple(Statements.model_fields)),
        questions=_items(tally.answers, [f"Q{number}" for number in LIKERT_QUESTIONS]),
    )


def clip_minutes(tally: Tally) -> dict[str, list[float]]:
    """The length of each clip in minutes, by the name of its config; the sessions come last."""
    return {
        config if steps is None else f"{config}, {steps} before": [
            length / _MINUTE_MS for length in tally.clips[config, steps]
        ]
        for config, steps in _CONFIGS
    }


def _overview(tally: Tally, tools: tuple[ToolCount, ...]) -> dict[str, int | float]:
    whole = describe(tally.clips["sessions", None], unit=60 * _MINUTE_MS)
    return {
        "participants": len(tally.participants),
        "occupations": len(tally.occupations),
        "sectors": len(tally.sectors),
        "sessions": tally.counts["sessions"],
        "sessions with a recording": tally.counts["sessions with a recording"],
        "sessions with a chat": tally.counts["sessions with a chat"],
        "hours": whole.total,
        **{name: tally.counts[name] for name in _COUNTS},
        "last-step targets": len(tally.clips["workflow_level", None]),
        "softwares": sum(not tool.is_ai for tool in tools),
        "AI tools": sum(tool.is_ai for tool in tools),
    }


def _actors(tally: Tally) -> tuple[ActorCount, ...]:
    found = [
        ActorCount(
            actor=actor,
            actor_type=kind,
            nodes=counts["nodes"],
            occurrences=counts["occurrences"],
            minutes=counts["milliseconds"] / _MINUTE_MS,
        )
        for (kind, actor), counts in tally.actors.items()
    ]
    return tuple(sorted(found, key=lambda a: (a.actor_type != "user", -a.nodes, a.actor)))


def _labels(tally: Tally) -> tuple[LabelCounts, ...]:
    order = ("all", "sector", "session", "agent")
    groups = sorted(
        {(group, name) for group, name, _ in tally.labels},
        key=lambda item: (order.index(item[0]), len(item[1]) if item[0] == "session" else 0, item),
    )
    return tuple(_label_counts(tally, group, name) for group, name in groups)


def _label_counts(tally: Tally, group: str, name: str) -> LabelCounts:
    counts = {label: tally.labels[group, name, label] for label in LABELS}
    return LabelCounts(group, name, counts, _shares(counts))


def _ratings(tally: Tally) -> tuple[RatingCounts, ...]:
    numbers = sorted({session for _, session, _ in tally.ratings})
    found = []
    for kind in RATING_KINDS:
        for session in (None, *numbers):
            chosen = numbers if session is None else [session]
            counts = {r: sum(tally.ratings[kind, s, r] for s in chosen) for r in RATINGS}
            unrated = sum(tally.ratings[kind, s, None] for s in chosen)
            moments = describe_counts(counts)
            found.append(
                RatingCounts(
                    kind, session, counts, _shares(counts), unrated, moments.mean, moments.sd
                )
            )
    return tuple(found)


def _joint(tally: Tally) -> JointRatings:
    counts = [[tally.joint[quality, other] for other in RATINGS] for quality in RATINGS]
    num = sum(map(sum, counts))
    rho = float(rating_from_counts(np.array(counts, dtype=np.float64))["spearman_rho"])
    return JointRatings(tuple(map(tuple, counts)), num, rho, spearman_p(rho, num))


def _tools(tally: Tally) -> tuple[ToolCount, ...]:
    agents = frozenset(actor.casefold() for kind, actor in tally.actors if kind == "ai")
    found = [
        ToolCount(
            tally.spellings[key], is_ai_tool(key, agents), counts["steps"], counts["sessions"]
        )
        for key, counts in tally.tools.items()
    ]
    return tuple(sorted(found, key=lambda tool: (-tool.steps, tool.name)))


def _times(tally: Tally) -> tuple[TimeSpent, ...]:
    numbers = sorted({time.session for time in tally.times})
    return tuple(_time_spent(tally, session) for session in (None, *numbers))


def _time_spent(tally: Tally, session: int | None) -> TimeSpent:
    times = [time for time in tally.times if session in (None, time.session)]
    pairs = [(t.spent, t.estimated) for t in times if t.estimated is not None]
    spent = describe((spent for spent, _ in pairs), unit=_MINUTE_MS)
    estimated = describe((planned for _, planned in pairs), unit=_MINUTE_MS)
    return TimeSpent(
        session=session,
        spent=describe((time.spent for time in times), unit=_MINUTE_MS),
        estimated=estimated,
        spent_of_estimated=spent,
        ratio=spent.total / estimated.total if estimated.total else math.nan,
        num_longer=sum(spent > planned for spent, planned in pairs),
    )


def _items(
    answers: Counter[tuple[str, int]], names: tuple[str, ...] | list[str]
) -> tuple[ItemAnswers, ...]:
    by_name: dict[str, dict[int, int]] = {name: {} for name in names}
    for (name, answer), count in answers.items():
        by_name[name][answer] = count
    return tuple(ItemAnswers(name, describe_counts(by_name[name])) for name in names)


def _shares(counts: Mapping[_Key, int]) -> dict[_Key, float]:
    total = sum(counts.values())
    return {key: count / total if total else math.nan for key, count in counts.items()}
