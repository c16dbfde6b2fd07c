"""The rows: which ones each config has, with which window, and which columns.

One row is one question to a model (an AI output's fate, a step's rating) with all that may be
shown of the session up to the row's cut; or, for `sessions` and `surveys`, what a release holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from kolab_core.release import (
    LABELS,
    Issue,
    Occurrence,
    Release,
    ReleaseError,
    Response,
    Session,
    Span,
    read_session,
)
from kolab_core.rows import windows
from kolab_core.rows.cells import graph_cell, occurrence_cell, turn_cell, video_cell
from kolab_core.rows.contents import make_session_row, make_survey_rows
from kolab_core.rows.graph import cut_chat, cut_graph

__all__ = [
    "CONFIG_NAMES",
    "CONTEXT_STEPS",
    "DEFAULT_CONFIG",
    "EXPERIMENTS",
    "build_rows",
    "count_rows",
    "session_rows",
    "survey_rows",
]

EXPERIMENTS = (
    "adoption_recognition",
    "adoption_forecast",
    "step_n",
    "workflow_level",
    "collab_rating",
    "output_quality",
)
CONFIG_NAMES = (*EXPERIMENTS, "sessions", "surveys")
DEFAULT_CONFIG = "adoption_forecast"
CONTEXT_STEPS = (1, 2, 3)

Row = dict[str, Any]


def session_rows(
    release: Release, session_id: str, config: str, *, context_steps: int | None = None
) -> list[Row]:
    """The rows of one session in a config other than `surveys`, in the config's order.

    Args:
        release: An open release.
        session_id: One of its `session_ids`.
        config: One of `CONFIG_NAMES` but `surveys`.
        context_steps: In `step_n` the one number of preceding steps to keep; None keeps 1, 2 and 3.

    Raises:
        ReleaseError: The session's files have errors, or a row has no window.
        ValueError: An unknown config.
    """
    return build_rows(read_session(release, session_id), config, context_steps=context_steps)


def survey_rows(release: Release) -> Iterator[Row]:
    """The rows of `surveys`, one a participant who answered.

    Raises:
        ReleaseError: A questionnaire has errors.
    """
    return make_survey_rows(release)


def build_rows(session: Session, config: str, *, context_steps: int | None = None) -> list[Row]:
    """`session_rows` of a session that has been read already.

    Raises:
        ReleaseError: A row has no window; every instance without one is named.
        ValueError: An unknown config.
    """
    issues: list[Issue] = []
    rows = list(_each_row(session, config, context_steps, issues))
    if issues:
        raise ReleaseError(dict.fromkeys(issues))
    return rows


def count_rows(session: Session, config: str) -> int:
    """How many rows `build_rows` gives; one of them is in memory at a time.

    Raises:
        ReleaseError: As there.
        ValueError: As there.
    """
    issues: list[Issue] = []
    count = sum(1 for _ in _each_row(session, config, None, issues))
    if issues:
        raise ReleaseError(dict.fromkeys(issues))
    return count


def _each_row(
    session: Session, config: str, context_steps: int | None, issues: list[Issue]
) -> Iterator[Row]:
    """The rows in order; instances without a window go to `issues`."""
    if config == "sessions":
        yield make_session_row(session)
    elif config in _RATINGS:
        yield from _rating_rows(session, _RATINGS[config])
    elif config in _ADOPTIONS:
        for response in session.responses:
            yield from _ADOPTIONS[config](session, response, issues, context_steps)
    else:
        raise ValueError(f"config: found {config!r}; expected one of {', '.join(CONFIG_NAMES)}.")


def _recognition_rows(
    session: Session, response: Response, _issues: list[Issue], _steps: int | None
) -> Iterator[Row]:
    window = windows.recognition_window(response)
    row = _adoption_row(session, response, window, hidden=None)
    row["user_action_step"] = response.node.segment.step_name
    yield row


def _forecast_rows(
    session: Session, response: Response, _issues: list[Issue], _steps: int | None
) -> Iterator[Row]:
    yield _forecast_row(session, response, windows.forecast_window(response))


def _step_n_rows(
    session: Session, response: Response, issues: list[Issue], steps: int | None
) -> Iterator[Row]:
    if not windows.is_last_step_target(session, response):
        return
    for num_steps in CONTEXT_STEPS if steps is None else (steps,):
        found = windows.step_n_window(session, response, num_steps=num_steps)
        if _has_target(session, response, found.window, issues):
            row = _forecast_row(session, response, found.window)
            row["id"] += f"/context-{num_steps}"
            row["context_steps"] = num_steps
            row["context_steps_available"] = found.num_available
            yield row


def _workflow_rows(
    session: Session, response: Response, issues: list[Issue], _steps: int | None
) -> Iterator[Row]:
    if windows.is_last_step_target(session, response):
        window = windows.workflow_window(session, response)
        if _has_target(session, response, window, issues):
            yield _forecast_row(session, response, window)


_ADOPTIONS: dict[str, Callable[[Session, Response, list[Issue], int | None], Iterator[Row]]] = {
    "adoption_recognition": _recognition_rows,
    "adoption_forecast": _forecast_rows,
    "step_n": _step_n_rows,
    "workflow_level": _workflow_rows,
}
_RATINGS = {"collab_rating": "collaboration", "output_quality": "output_quality"}


def _rating_rows(session: Session, kind: str) -> Iterator[Row]:
    for step in sorted(session.workflow.steps, key=lambda step: step.number):
        rating = getattr(step, kind).rating
        window = windows.step_window(session, step.number)
        if rating is None or not window:
            continue
        yield {
            **_common_columns(session, f"step-{step.number}", window),
            "step": step.number,
            "step_name": step.name,
            "rating": rating,
        }


def _forecast_row(session: Session, response: Response, window: Sequence[Span]) -> Row:
    """A row that must not show the response, also where it starts before the AI output ends."""
    hidden = response.response if _overlaps(response) else None
    return _adoption_row(session, response, window, hidden=hidden)


def _adoption_row(
    session: Session, response: Response, window: Sequence[Span], *, hidden: Occurrence | None
) -> Row:
    cut = window[-1].end
    name = f"{response.node.id}/{response.index}"
    return {
        **_common_columns(session, name, window, hidden=hidden),
        "ai_action_step": response.target.node.segment.step_name,
        "source": occurrence_cell(response.source, cut=cut),
        "target": occurrence_cell(response.target, cut=cut),
        "response_overlaps": _overlaps(response),
        "label": LABELS.index(response.label),
    }


def _common_columns(
    session: Session, name: str, window: Sequence[Span], *, hidden: Occurrence | None = None
) -> Row:
    """What every experiment's row has; the graph and the chat as the window shows them."""
    participant = session.participant
    turns = cut_chat(session.turns, window, hidden=hidden.span if hidden else None)
    return {
        "id": f"{session.session_id}/{name}",
        "session_id": session.session_id,
        "participant_id": participant.participant_id,
        "session": session.workflow.session,
        "occupation": participant.occupation,
        "sector": participant.sector,
        "goal": session.workflow.goal,
        "video": video_cell(session.recording, window),
        "graph": graph_cell(cut_graph(session, window, hidden=hidden)),
        "chat": [turn_cell(turn) for turn in turns],
        "has_video": session.recording is not None,
        "has_chat": bool(turns),
    }


def _overlaps(response: Response) -> bool:
    return response.response.span.start < response.target.span.end


def _has_target(
    session: Session, response: Response, window: windows.Window, issues: list[Issue]
) -> bool:
    """Whether the window shows the start of the AI output; an issue if it does not."""
    if windows.shows_target(window, response):
        return True
    start = response.target.span.start
    if not window:
        found = "an empty window"
    else:
        found = f"an AI output at {start / 1000:.3f} s, after the window's end"
        found += f" ({window[-1].end / 1000:.3f} s)"
    where = f"instance {session.session_id}/{response.node.id}/{response.index}"
    file = f"sessions/{session.session_id}/graph.json"
    expected = "an AI output inside the segments of the last step"
    issues.append(Issue(file, where, found, expected))
    return False
