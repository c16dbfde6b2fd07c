"""The team release's files as pydantic models, key by key as `docs/team_release_format.md` says."""

from __future__ import annotations

import math
import re
import uuid
from typing import Annotated

from pydantic import Field

from kolab_core.release.documents import Document, Name, Text, TextOrNone, expect
from kolab_core.release.documents import Path as RelativePath

__all__ = [
    "FORMAT",
    "Behavior",
    "Category",
    "Criterion",
    "Human",
    "Judgement",
    "Occupation",
    "SessionLine",
    "SoloLine",
    "SurveyLine",
    "Task",
    "TeamFile",
]

FORMAT = "team_sessions"
NUM_CATEGORIES = 4

_SOC = re.compile(r"\d\d-\d{4}(\.\d\d)?", re.ASCII)


def _is_number(value: object, low: float = -math.inf, high: float = math.inf) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return math.isfinite(value) and low <= value <= high


def _is_uuid(value: object) -> bool:
    try:
        return isinstance(value, str) and str(uuid.UUID(value)) == value.lower()
    except ValueError:
        return False


def _is_answer(value: object) -> bool:
    return value is None or _is_number(value)


def _is_code(value: object) -> bool:
    return isinstance(value, bool) or _is_answer(value)


def _to_float(value: float | None) -> float | None:
    return None if value is None else float(value)


Score = Annotated[float, expect("a number from 0 to 100", lambda v: _is_number(v, 0, 100), float)]
Weight = Annotated[
    float,
    expect("a number above 0, at most 100", lambda v: _is_number(v, 0, 100) and v > 0, float),
]
Minutes = Annotated[
    float | None,
    expect(
        "minutes: a number, 0 or more, or null",
        lambda v: v is None or _is_number(v, 0),
        _to_float,
    ),
]
Number = Annotated[float | None, expect("a number or null", _is_answer, _to_float)]
Code = Annotated[float | None, expect("true, false, a number or null", _is_code, _to_float)]
Uuid = Annotated[str, expect("a UUID such as 1b4e28ba-2fa1-4d5e-8c3f-0a1b2c3d4e5f", _is_uuid)]
Soc = Annotated[
    str,
    expect(
        "an O*NET-SOC code such as 13-1161.00",
        lambda v: isinstance(v, str) and _SOC.fullmatch(v) is not None,
    ),
]
Phase = Annotated[str, expect("'pre' or 'post'", lambda v: v in ("pre", "post"))]
Format = Annotated[str, expect(f"{FORMAT!r}", lambda v: v == FORMAT)]


class TeamFile(Document):
    """`release.json`."""

    format: Format
    name: Text
    version: Text
    license: TextOrNone = None
    agents: list[Name]


class Human(Document):
    """A line of `humans.jsonl`."""

    human_id: Name
    occupation: Text
    years_experience: Number = None


class Occupation(Document):
    """Where a task comes from in O*NET."""

    soc_code: Soc
    occupation: Text
    tasks: list[Text] = Field(default_factory=list)


class Criterion(Document):
    """What a judge gives points for."""

    id: Name
    text: Text
    points: Weight


class Category(Document):
    """One of a rubric's four; its weight is what its criteria add up to."""

    category: Name
    weight: Weight
    criteria: list[Criterion]


class Task(Document):
    """A line of `tasks.jsonl`: a task instance."""

    task_id: Uuid
    title: Text
    prompt: Text
    reference_files: list[RelativePath] = Field(default_factory=list)
    software: list[Text] = Field(default_factory=list)
    deliverables: list[Text]
    onet: Occupation
    rubric: list[Category]


class SessionLine(Document):
    """A line of `sessions.jsonl`."""

    session_id: Name
    task_id: Uuid
    agent: Name
    human_id: Name
    minutes: Minutes = None
    outcome: Score


class Judgement(Document):
    """A line of `judgements.jsonl`: one judge's breakdown of one session."""

    session_id: Name
    judge: Name
    points: dict[str, Score]
    total: Score
    comment: TextOrNone = None


class SurveyLine(Document):
    """A line of `surveys.jsonl`: one human's answers before all sessions, or after them."""

    human_id: Name
    phase: Phase
    answers: dict[str, Number]


class Behavior(Document):
    """A line of `behaviors.jsonl`: what was seen in a session, as codes or counts."""

    session_id: Name
    codes: dict[str, Code]


class SoloLine(Document):
    """A line of `solo.jsonl`: what an agent reached on a task without a human."""

    task_id: Uuid
    agent: Name
    outcome: Score
