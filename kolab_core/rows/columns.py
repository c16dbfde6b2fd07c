"""The columns of every config, written once, for the builder, the export and the documents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from datasets import ClassLabel, Features, List, Value

from kolab_core.release import LABELS
from kolab_core.release.documents import LIKERT_QUESTIONS, NUM_QUESTIONS, Statements

__all__ = ["CONFIG_DESCRIPTIONS", "VIDEO_STORAGE", "build_features"]

CONFIG_DESCRIPTIONS = {
    "adoption_recognition": "One row is one human response to an AI output: was it adopted, "
    "modified or rejected? The clip shows the response.",
    "adoption_forecast": "One row is one AI output: will it be adopted, modified or rejected? "
    "The clip ends with the output, before the response.",
    "step_n": "One row is one AI output in a session's last step, with 1, 2 or 3 earlier steps as "
    "context (context_steps=N keeps one of the three): will it be adopted, modified or rejected?",
    "workflow_level": "One row is one AI output in a session's last step, with the whole workflow "
    "up to its end as context: will it be adopted, modified or rejected?",
    "collab_rating": "One row is one step: how did the human rate the collaboration, 1 to 5?",
    "output_quality": "One row is one step: how did the human rate its output, 1 to 5?",
    "sessions": "One row is one session: everything that the release holds of it.",
    "surveys": "One row is one participant: the answers to the questionnaire, Q1 to Q42.",
}

_TEXT = Value("string")
_WHOLE = Value("int64")
_SECONDS = Value("float64")
_FLAG = Value("bool")
_SPAN = {"start": _SECONDS, "end": _SECONDS}
_EVENT = {"node_id": _TEXT, **_SPAN}
_ANSWER = {"answer": _TEXT, "reason": _TEXT}
_LABEL = ClassLabel(names=list(LABELS))

# How a clip lies in a file: also what a table for those without this package shows.
VIDEO_STORAGE = {"path": _TEXT, "bytes": Value("binary"), "intervals": List(_SPAN)}

_NODE = {
    "id": _TEXT,
    "actor": _TEXT,
    "actor_type": _TEXT,
    "label": _TEXT,
    "detail": _TEXT,
    "step": _TEXT,
    "occurrences": List(_SPAN),
}
_EDGE = {"source": _TEXT, "target": _TEXT, "type": _TEXT}
_TURN = {
    "role": _TEXT,
    "agent": _TEXT,
    **_SPAN,
    "content": _TEXT,
    "tool_calls": List({"name": _TEXT, "input": _TEXT, "output": _TEXT}),
}
_STEP = {
    "number": _WHOLE,
    "name": _TEXT,
    "action": _TEXT,
    "input": _TEXT,
    "output": _TEXT,
    "softwares": List(_TEXT),
    "rubric": List(_TEXT),
    "output_quality": {"rating": _WHOLE, "reason": _TEXT, "rubrics_satisfied": List(_WHOLE)},
    "collaboration": {
        "rating": _WHOLE,
        "task_completed": _ANSWER,
        "statements": dict.fromkeys(Statements.model_fields, _WHOLE),
    },
}
_SEGMENT = {
    "key": _TEXT,
    "badge": _TEXT,
    "step": _WHOLE,
    "step_name": _TEXT,
    "step_action": _TEXT,
    **_SPAN,
}
_RESPONSE = {
    "node_id": _TEXT,
    "index": _WHOLE,
    "label": _TEXT,
    "source": _EVENT,
    "target": _EVENT,
    "response": _EVENT,
}


def build_features(config: str, *, video: Any = None) -> Features:
    """The columns of `config` in order, with their types. Any value may be null.

    Args:
        config: A key of `CONFIG_DESCRIPTIONS`.
        video: The feature of the column `video`; by default the plain struct `VIDEO_STORAGE`.

    Raises:
        KeyError: No such config.
    """
    return Features(_COLUMNS[config](VIDEO_STORAGE if video is None else video))


def _experiment_columns(video: Any) -> dict[str, Any]:
    return {
        "id": _TEXT,
        "session_id": _TEXT,
        "participant_id": _TEXT,
        "session": _WHOLE,
        "occupation": _TEXT,
        "sector": _TEXT,
        "goal": _TEXT,
        "video": video,
        "graph": {"nodes": List(_NODE), "edges": List(_EDGE)},
        "chat": List(_TURN),
        "has_video": _FLAG,
        "has_chat": _FLAG,
    }


def _forecast_columns(video: Any) -> dict[str, Any]:
    return {
        **_experiment_columns(video),
        "ai_action_step": _TEXT,
        "source": _EVENT,
        "target": _EVENT,
        "response_overlaps": _FLAG,
        "label": _LABEL,
    }


def _recognition_columns(video: Any) -> dict[str, Any]:
    columns = _forecast_columns(video)
    start = list(columns).index("ai_action_step") + 1
    items = list(columns.items())
    return dict([*items[:start], ("user_action_step", _TEXT), *items[start:]])


def _step_n_columns(video: Any) -> dict[str, Any]:
    return {**_forecast_columns(video), "context_steps": _WHOLE, "context_steps_available": _WHOLE}


def _rating_columns(video: Any) -> dict[str, Any]:
    return {**_experiment_columns(video), "step": _WHOLE, "step_name": _TEXT, "rating": _WHOLE}


def _session_columns(video: Any) -> dict[str, Any]:
    return {
        "session_id": _TEXT,
        "participant_id": _TEXT,
        "session": _WHOLE,
        "occupation": _TEXT,
        "sector": _TEXT,
        "years_experience": _WHOLE,
        "goal": _TEXT,
        "context": _TEXT,
        "goal_achieved": _ANSWER,
        "steps": List(_STEP),
        "segments": List(_SEGMENT),
        "graph": {"nodes": List({**_NODE, "softwares": _TEXT}), "edges": List(_EDGE)},
        "responses": List(_RESPONSE),
        "chat": List({**_TURN, "attachments": List(_TEXT)}),
        "files": List({"path": _TEXT, "role": _TEXT, "size": _WHOLE}),
        "video": video,
        "has_video": _FLAG,
        "has_chat": _FLAG,
    }


def _survey_columns(video: Any) -> dict[str, Any]:
    del video
    answers = {
        f"Q{number}": _WHOLE if number in LIKERT_QUESTIONS else _TEXT
        for number in range(1, NUM_QUESTIONS + 1)
    }
    return {"participant_id": _TEXT, **answers}


_COLUMNS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "adoption_recognition": _recognition_columns,
    "adoption_forecast": _forecast_columns,
    "step_n": _step_n_columns,
    "workflow_level": _forecast_columns,
    "collab_rating": _rating_columns,
    "output_quality": _rating_columns,
    "sessions": _session_columns,
    "surveys": _survey_columns,
}
