"""The configs `sessions` and `surveys`: all that a release holds, a row a session or a person."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kolab_core.release import Release, Response, Segment, Session, Turn, WorkflowStep, read_survey
from kolab_core.release.documents import LIKERT_QUESTIONS, NUM_QUESTIONS, GoalAnswer
from kolab_core.rows.cells import (
    answer_cell,
    edge_cell,
    node_cell,
    occurrence_cell,
    span_cell,
    turn_cell,
    video_cell,
)
from kolab_core.rows.windows import session_window

__all__ = ["make_session_row", "make_survey_rows"]

Row = dict[str, Any]


def make_session_row(session: Session) -> Row:
    """All of one session: plan, ratings, graph, responses, chat, files."""
    workflow = session.workflow
    participant = session.participant
    return {
        "session_id": session.session_id,
        "participant_id": participant.participant_id,
        "session": workflow.session,
        "occupation": participant.occupation,
        "sector": participant.sector,
        "years_experience": participant.years_experience,
        "goal": workflow.goal,
        "context": workflow.context,
        "goal_achieved": _goal_cell(workflow.goal_achieved),
        "steps": [_step_cell(step) for step in workflow.steps],
        "segments": [_segment_cell(segment) for segment in session.segments],
        "graph": {
            "nodes": [
                {
                    **node_cell(node, node.occurrences, step_name=node.segment.step_name),
                    "softwares": node.softwares,
                }
                for node in session.nodes
            ],
            "edges": [edge_cell(edge) for edge in session.edges],
        },
        "responses": [_response_cell(response) for response in session.responses],
        "chat": [_whole_turn_cell(turn) for turn in session.turns],
        "files": [{"path": f.path, "role": f.role, "size": f.size} for f in session.files],
        "video": video_cell(session.recording, session_window(session)),
        "has_video": session.recording is not None,
        "has_chat": bool(session.turns),
    }


def make_survey_rows(release: Release) -> Iterator[Row]:
    """The questionnaires, a row a participant, in the order of the participants.

    Raises:
        ReleaseError: A questionnaire has errors.
    """
    for participant_id in release.survey_ids:
        answers = read_survey(release, participant_id).answers
        row: Row = {"participant_id": participant_id}
        for number in range(1, NUM_QUESTIONS + 1):
            answer = answers.get(f"Q{number}")
            row[f"Q{number}"] = answer if number in LIKERT_QUESTIONS else answer_cell(answer)
        yield row


def _goal_cell(answer: GoalAnswer) -> Row:
    return {"answer": answer.answer, "reason": answer.reason}


def _step_cell(step: WorkflowStep) -> Row:
    quality, collaboration = step.output_quality, step.collaboration
    return {
        "number": step.number,
        "name": step.name,
        "action": step.action,
        "input": step.input,
        "output": step.output,
        "softwares": list(step.softwares),
        "rubric": list(step.rubric),
        "output_quality": {
            "rating": quality.rating,
            "reason": quality.reason,
            "rubrics_satisfied": list(quality.rubrics_satisfied),
        },
        "collaboration": {
            "rating": collaboration.rating,
            "task_completed": _goal_cell(collaboration.task_completed),
            "statements": {
                name: getattr(collaboration.statements, name)
                for name in type(collaboration.statements).model_fields
            },
        },
    }


def _segment_cell(segment: Segment) -> Row:
    return {
        "key": segment.key,
        "badge": segment.badge,
        "step": segment.step,
        "step_name": segment.step_name,
        "step_action": segment.step_action,
        **span_cell(segment.span),
    }


def _response_cell(response: Response) -> Row:
    return {
        "node_id": response.node.id,
        "index": response.index,
        "label": response.label,
        "source": occurrence_cell(response.source),
        "target": occurrence_cell(response.target),
        "response": occurrence_cell(response.response),
    }


def _whole_turn_cell(turn: Turn) -> Row:
    return {**turn_cell(turn), "attachments": list(turn.attachments)}
