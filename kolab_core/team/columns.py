"""The config `team_sessions`: one row is one judged session of a human with an agent."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from datasets import Features, List, Value

from kolab_core.release.documents import Document
from kolab_core.team.documents import Judgement, Task
from kolab_core.team.reader import TeamRelease, TeamSession, open_team

__all__ = [
    "TEAM_DESCRIPTION",
    "build_team_features",
    "list_behaviors",
    "list_solo_outcomes",
    "list_survey_answers",
    "team_rows",
]

TEAM_DESCRIPTION = (
    "One row is one session of a human with an agent on a task: its outcome from 0 to 100, the "
    "judges' breakdowns that it averages, the task with its rubric, surveys and behaviour."
)

_TEXT = Value("string")
_NUMBER = Value("float64")

Row = dict[str, Any]
Answers = dict[str, dict[str, float | None]]


def build_team_features() -> Features:
    """The columns in order, with their types. Any value may be null.

    Columns: `session_id`, `agent`, `human_id`, `occupation` (the human's), `years_experience`,
    `minutes`, `outcome` (0 to 100, the mean of the judges' totals), `solo_outcome` (what the agent
    reached on the task alone), `task_id`, `task` (the instance with its rubric), `judgements`,
    `survey` (the human's answers before and after), `behaviors`.
    """
    criterion = {"id": _TEXT, "text": _TEXT, "points": _NUMBER}
    category = {"category": _TEXT, "weight": _NUMBER, "criteria": List(criterion)}
    return Features(
        {
            "session_id": _TEXT,
            "agent": _TEXT,
            "human_id": _TEXT,
            "occupation": _TEXT,
            "years_experience": _NUMBER,
            "minutes": _NUMBER,
            "outcome": _NUMBER,
            "solo_outcome": _NUMBER,
            "task_id": _TEXT,
            "task": {
                "title": _TEXT,
                "prompt": _TEXT,
                "reference_files": List(_TEXT),
                "software": List(_TEXT),
                "deliverables": List(_TEXT),
                "onet": {"soc_code": _TEXT, "occupation": _TEXT, "tasks": List(_TEXT)},
                "rubric": List(category),
            },
            "judgements": List(
                {
                    "judge": _TEXT,
                    "total": _NUMBER,
                    "categories": List({"category": _TEXT, "points": _NUMBER}),
                    "criteria": List({"id": _TEXT, "points": _NUMBER}),
                    "comment": _TEXT,
                }
            ),
            "survey": List({"question": _TEXT, "pre": _NUMBER, "post": _NUMBER}),
            "behaviors": List({"code": _TEXT, "value": _NUMBER}),
        }
    )


def team_rows(root: str | Path) -> Iterator[Row]:
    """The rows, in the order of `sessions.jsonl`; they fit `build_team_features`.

    Args:
        root: The release's folder.

    Yields:
        One session: plain values; `reference_files` are paths inside the release. Codes that are
        true or false become 1 and 0.

    Raises:
        ReleaseError: The release has errors; all of them are named before the first row.
    """
    release = open_team(root)
    for session in release.sessions:
        yield _make_row(release, session)


def list_survey_answers(release: TeamRelease, phase: str) -> Answers:
    """Every question's answers by human, `pre` or `post`: what `compare_pre_post` takes.

    Questions asked in one phase only are kept; whoever was not asked has no entry.
    """
    answers: Answers = {}
    for human_id, surveys in release.surveys.items():
        for question, value in surveys.get(phase, {}).items():
            answers.setdefault(question, {})[human_id] = value
    return answers


def list_behaviors(release: TeamRelease) -> dict[str, list[float | None]]:
    """Every code's value by session, in the order of the sessions; None where it was not taken."""
    codes = {code: None for session in release.sessions for code in session.behaviors}
    return {code: [session.behaviors.get(code) for session in release.sessions] for code in codes}


def list_solo_outcomes(release: TeamRelease) -> list[float]:
    """For each session what its agent reached on its task alone; NaN where that is not known."""
    return [
        release.solo.get((session.task.task_id.lower(), session.line.agent), math.nan)
        for session in release.sessions
    ]


def _make_row(release: TeamRelease, session: TeamSession) -> Row:
    line, human, task = session.line, session.human, session.task
    cell = _cell(task)
    del cell["task_id"]
    return {
        "session_id": line.session_id,
        "agent": line.agent,
        "human_id": line.human_id,
        "occupation": human.occupation,
        "years_experience": human.years_experience,
        "minutes": line.minutes,
        "outcome": line.outcome,
        "solo_outcome": release.solo.get((task.task_id.lower(), line.agent)),
        "task_id": task.task_id,
        "task": cell,
        "judgements": [_judgement_cell(entry, task) for entry in session.judgements],
        "survey": _survey_cell(release.surveys.get(line.human_id, {})),
        "behaviors": [{"code": code, "value": v} for code, v in session.behaviors.items()],
    }


def _cell(value: Any) -> Any:
    """A document's known keys as a struct, and those of the documents inside it."""
    if isinstance(value, Document):
        return {name: _cell(getattr(value, name)) for name in type(value).model_fields}
    return [_cell(part) for part in value] if isinstance(value, list) else value


def _judgement_cell(judgement: Judgement, task: Task) -> Row:
    """A breakdown in the rubric's order, with each category's sum."""
    points = judgement.points
    return {
        "judge": judgement.judge,
        "total": judgement.total,
        "categories": [
            {
                "category": category.category,
                "points": math.fsum(points[criterion.id] for criterion in category.criteria),
            }
            for category in task.rubric
        ],
        "criteria": [
            {"id": criterion.id, "points": points[criterion.id]}
            for category in task.rubric
            for criterion in category.criteria
        ],
        "comment": judgement.comment,
    }


def _survey_cell(surveys: Mapping[str, Mapping[str, float | None]]) -> list[Row]:
    pre, post = surveys.get("pre", {}), surveys.get("post", {})
    questions = [*pre, *(question for question in post if question not in pre)]
    return [{"question": q, "pre": pre.get(q), "post": post.get(q)} for q in questions]
