"""What a release counts, as plain records: `to_plain` makes them JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kolab_core.stats.moments import Moments

__all__ = [
    "ActorCount",
    "ClipLengths",
    "ItemAnswers",
    "JointRatings",
    "LabelCounts",
    "RatingCounts",
    "Stats",
    "TimeSpent",
    "ToolCount",
]


@dataclass(frozen=True)
class ActorCount:
    """An actor's nodes, how often they occurred, and for how many minutes in all."""

    actor: str
    actor_type: str
    nodes: int
    occurrences: int
    minutes: float


@dataclass(frozen=True)
class LabelCounts:
    """The labels of a group of responses.

    Attributes:
        group: `all`, `sector`, `session` or `agent`.
        name: Which one.
        counts: Label → responses.
        shares: Label → share of the group.
    """

    group: str
    name: str
    counts: Mapping[str, int]
    shares: Mapping[str, float]


@dataclass(frozen=True)
class RatingCounts:
    """The ratings of one kind in all sessions or in those of one number.

    Attributes:
        kind: `collaboration` or `output_quality`.
        session: The sessions' number; None for all.
        counts: Rating → steps.
        shares: Rating → share of the rated steps.
        unrated: Steps without a rating.
        mean: Of the rated steps.
        sd: Of the rated steps, with n - 1.
    """

    kind: str
    session: int | None
    counts: Mapping[int, int]
    shares: Mapping[int, float]
    unrated: int
    mean: float
    sd: float


@dataclass(frozen=True)
class JointRatings:
    """Both ratings of the steps that have both.

    Attributes:
        counts: [output quality - 1][collaboration - 1] → steps.
        num: Their number.
        rho: Spearman's; `nan` where one of the two is constant.
        p_value: Two-sided, taking the steps as independent.
    """

    counts: tuple[tuple[int, ...], ...]
    num: int
    rho: float
    p_value: float


@dataclass(frozen=True)
class ClipLengths:
    """The lengths of a config's clips, in minutes; in `step_n` of one number of steps."""

    config: str
    context_steps: int | None
    minutes: Moments


@dataclass(frozen=True)
class ToolCount:
    """A program: in how many steps and sessions its name stands."""

    name: str
    is_ai: bool
    steps: int
    sessions: int


@dataclass(frozen=True)
class TimeSpent:
    """The time of planned steps, in all sessions or in those of one number; in minutes.

    Attributes:
        session: The sessions' number; None for all.
        spent: Of the steps that have a segment.
        estimated: Of those whose plan says how long they should take.
        spent_of_estimated: What those took.
        ratio: Time spent for each minute estimated; `nan` without an estimate.
        num_longer: How many of them took longer than estimated.
    """

    session: int | None
    spent: Moments
    estimated: Moments
    spent_of_estimated: Moments
    ratio: float
    num_longer: int


@dataclass(frozen=True)
class ItemAnswers:
    """The answers to one statement (1 to 5) or question (1 to 10)."""

    name: str
    answers: Moments


@dataclass(frozen=True)
class Stats:
    """What a release counts.

    Attributes:
        overview: What → how many; hours are from each session's first segment to its last.
        actors: By type and number of nodes.
        labels: Of all responses, by sector, by session, by agent.
        ratings: By kind and session.
        joint: Output quality against collaboration.
        clips: By config.
        tools: The most used first.
        times: Of all sessions, then by their number.
        statements: The seven, in the questionnaire's order.
        questions: Q13 to Q38.
    """

    overview: Mapping[str, int | float]
    actors: tuple[ActorCount, ...]
    labels: tuple[LabelCounts, ...]
    ratings: tuple[RatingCounts, ...]
    joint: JointRatings
    clips: tuple[ClipLengths, ...]
    tools: tuple[ToolCount, ...]
    times: tuple[TimeSpent, ...]
    statements: tuple[ItemAnswers, ...]
    questions: tuple[ItemAnswers, ...]
