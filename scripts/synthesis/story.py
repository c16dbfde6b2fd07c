"""What a session's author writes: a plan, and visits to its steps made of short beats.

A beat is one thing somebody does for some seconds. Everything else follows from the beats: the
clock, the graph's nodes and edges, the chat, and what the recording shows (see `timeline`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

__all__ = [
    "AppKind",
    "Beat",
    "Label",
    "Look",
    "Participant",
    "Plan",
    "RecordingSpec",
    "Response",
    "Story",
    "Tool",
    "Visit",
]

Label = Literal["adopt", "modify", "reject"]
AppKind = Literal["plan", "sheet", "editor"]


@dataclass(frozen=True, kw_only=True)
class Participant:
    """One professional: a line of `participants.jsonl` and a survey."""

    participant_id: str
    occupation: str
    sector: str
    years_experience: int
    answers: dict[str, Any]
    """The survey's answers, `Q1` to `Q42`."""


@dataclass(frozen=True)
class Tool:
    """A tool call of an AI turn; what is not text is written as JSON."""

    name: str
    input: Any
    output: Any


@dataclass(frozen=True, kw_only=True)
class Response:
    """What the beat that carries it does to an AI output.

    `output` and `source` name a beat as `<segment key>/<node id>#<occurrence>`, counted from 1. An
    empty source stands for an output used again without a request.
    """

    label: Label
    output: str
    source: str = ""


@dataclass(frozen=True, kw_only=True)
class Beat:
    """One occurrence of a node: the first one of a node names it, a later one only repeats it."""

    node: str
    seconds: float
    actor: str = "user"
    label: str = ""
    detail: str = ""
    softwares: str = ""
    gap: float = 0.4
    """Seconds between the beat before and this one; negative where the two overlap."""
    says: str = ""
    """The chat turn of this beat: its writer's, over the beat's own time."""
    tools: tuple[Tool, ...] = ()
    responses: tuple[Response, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Plan:
    """One planned step with its ratings, as `workflow.json` keeps it."""

    name: str
    action: str
    input: str
    output: str
    softwares: tuple[str, ...]
    rubric: tuple[str, ...]
    quality: int | None
    quality_reason: str
    satisfied: tuple[int, ...]
    collaboration: int | None
    completed: str | None
    completed_reason: str
    statements: tuple[int | None, ...]
    """The seven statements, in the questionnaire's order."""
    estimated_minutes: float | None = None
    """How long the author expects the step to take."""


@dataclass(frozen=True, kw_only=True)
class Visit:
    """One segment: a visit to step `step`, or to work outside the plan where it is None."""

    key: str
    step: int | None
    beats: tuple[Beat, ...]
    name: str = ""
    """The segment's own name; else the planned step's."""
    action: str = ""


@dataclass(frozen=True, kw_only=True)
class RecordingSpec:
    """How a session was recorded.

    `rate_hz` is the frame rate, or the highest one of a variable rate. `start_ms` is where the
    container's clock starts (a player shows that as time zero).
    """

    suffix: Literal[".mp4", ".mov", ".mkv", ".webm"] = ".mp4"
    codec: str = "libx264"
    width: int = 1280
    height: int = 720
    rate_hz: float = 8.0
    is_variable: bool = False
    keyframe_every: int = 120
    num_bframes: int = 0
    start_ms: int = 0


@dataclass(frozen=True, kw_only=True)
class Look:
    """What a session's recording shows beside the beats, and how it was recorded."""

    app: AppKind
    document: str
    """The name in the application's title bar."""
    canvas: tuple[str, ...]
    """What appears in the application as the work goes on: rooms, rows or lines."""
    theme: int
    recording: RecordingSpec


@dataclass(frozen=True, kw_only=True)
class Story:
    """One session, as its author tells it."""

    session_id: str
    participant_id: str
    session: int
    title: str
    goal: str
    context: str
    achieved: tuple[str | None, str]
    plan: tuple[Plan, ...]
    visits: tuple[Visit, ...]
    look: Look
    has_chat: bool
    lead_in_ms: int
    """Recording time before the first segment, and after the last."""
