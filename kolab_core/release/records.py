"""What the reader gives: a session as plain, frozen records, its times in whole milliseconds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kolab_core.release.documents import Participant, ToolCall, Workflow
from kolab_core.release.issues import Issue
from kolab_core.release.times import Span

__all__ = ["Edge", "Node", "Occurrence", "Response", "Segment", "Session", "SessionFile", "Turn"]


@dataclass(frozen=True)
class Segment:
    """One visit to a step.

    Attributes:
        key: Unique in the session.
        badge: `Step-k` or `Custom-k`, as written.
        step: The planned step's number; None for work outside the plan.
        step_name: What the graph calls the step.
        step_action: What is done in it.
        span: From start to end; without length it is kept as data and counts as none.
    """

    key: str
    badge: str
    step: int | None
    step_name: str
    step_action: str | None
    span: Span


@dataclass(frozen=True)
class Node:
    """A node of the workflow graph.

    Attributes:
        id: `<segment key>/<id in the segment>`, unique in the session.
        name: The id in the segment.
        segment: The segment that holds it.
        actor: `user` or the AI's brand.
        actor_type: `user` or `ai`.
        label: Short text.
        detail: Longer text.
        softwares: What was used, as written.
        occurrences: When it happened, in the order of the file; empty for a node never timed.
    """

    id: str
    name: str
    segment: Segment
    actor: str
    actor_type: str
    label: str
    detail: str | None
    softwares: str | None
    occurrences: tuple[Span, ...]


@dataclass(frozen=True)
class Edge:
    """An edge between two nodes, by their ids in the session."""

    source: str
    target: str
    type: str


@dataclass(frozen=True)
class Occurrence:
    """One occurrence of one node."""

    node: Node
    span: Span


@dataclass(frozen=True)
class Response:
    """What a person did with an AI output: one entry of a node's `user_response`.

    Attributes:
        node: The user's node that carries the entry.
        index: The entry's position there, from 0.
        label: `adopt`, `modify` or `reject`.
        source: The request; None when an earlier output is used again without one.
        target: The AI output.
        response: The occurrence of `node` that acts on it.
    """

    node: Node
    index: int
    label: str
    source: Occurrence | None
    target: Occurrence
    response: Occurrence


@dataclass(frozen=True)
class Turn:
    """A turn of the chat; `start` None: no one knows when, so no model is shown it."""

    role: str
    agent: str | None
    start: int | None
    end: int | None
    content: str | None
    tool_calls: tuple[ToolCall, ...]
    attachments: tuple[str, ...]


@dataclass(frozen=True)
class SessionFile:
    """An input or output file: its path in the session's folder, `input` or `output`, its bytes."""

    path: str
    role: str
    size: int


@dataclass(frozen=True)
class Session:
    """All that the release holds of one session.

    Attributes:
        session_id: As the release lists it.
        participant: Who worked.
        workflow: The workflow document with ratings and rubrics.
        segments: In the order of the file.
        nodes: All segments' nodes in the order of the file.
        edges: All segments' edges in the order of the file.
        responses: All responses, by node in the order of the file, then by index.
        turns: The chat in order of time; a turn without one stays behind its predecessor.
        has_chat_log: Whether a log was kept.
        files: Input and output files, sorted by path.
        recording: The recording's path; None where there is none.
        notes: What is odd and stops nothing.
    """

    session_id: str
    participant: Participant
    workflow: Workflow
    segments: tuple[Segment, ...]
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    responses: tuple[Response, ...]
    turns: tuple[Turn, ...]
    has_chat_log: bool
    files: tuple[SessionFile, ...]
    recording: Path | None
    notes: tuple[Issue, ...]
