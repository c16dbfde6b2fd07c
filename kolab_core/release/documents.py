"""The release's files as pydantic models, key by key as `docs/release_format.md` lists them.

The models are strict (a number in quotes is not a number) and let unknown keys through, which the
reader then reports as notes. Each field's type says what it expects in words a person can act on.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, PlainValidator
from pydantic_core import PydanticCustomError

from kolab_core.release.times import Span, parse_occurrence, parse_seconds

__all__ = [
    "Chat",
    "Collaboration",
    "Document",
    "GraphDocument",
    "GraphEdge",
    "GraphNode",
    "GraphSegment",
    "Participant",
    "ReleaseFile",
    "Statements",
    "Survey",
    "ToolCall",
    "Workflow",
    "WorkflowStep",
    "expect",
    "is_text",
    "to_json_text",
]

NUM_QUESTIONS = 42
LIKERT_QUESTIONS = range(13, 39)
_LARGEST = 10**9
_DEEPEST = 50


class Document(BaseModel):
    """What all the models share."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)


def expect(
    expected: str, test: Callable[[Any], bool], read: Callable[[Any], Any] | None = None
) -> PlainValidator:
    """A field type that gives the value (or `read` of it) if `test` holds; else says `expected`."""

    def check(value: Any) -> Any:
        if not test(value):
            raise PydanticCustomError("expected", "{rule}", {"rule": expected})
        return value if read is None else read(value)

    return PlainValidator(check)


def _is_whole(value: object, low: int, high: int) -> bool:
    return type(value) is int and low <= value <= high


def is_text(value: object) -> bool:
    """Whether a value is text that UTF-8 can write (no half of a surrogate pair)."""
    return isinstance(value, str) and (value.isascii() or _is_encodable(value))


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_name(value: object) -> bool:
    """A name that can be a folder and a part of a row's id."""
    return (
        is_text(value)
        and isinstance(value, str)
        and value not in ("", ".", "..")
        and value.isprintable()
        and not any(c in value for c in "/\\")
    )


def _is_node_name(value: object) -> bool:
    """A name inside a session's graph; a row's ids join two of them with '/'."""
    return is_text(value) and isinstance(value, str) and value != "" and "/" not in value


def _one_of(*names: str | None) -> PlainValidator:
    words = ["null" if name is None else repr(name) for name in names]
    allowed = set(names)
    return expect(
        ", ".join(words[:-1]) + f" or {words[-1]}",
        lambda value: (value is None or isinstance(value, str)) and value in allowed,
    )


def _read_by(read: Callable[[Any], Any], expected: str | None = None) -> PlainValidator:
    """A field type that gives `read` of the value; its ValueError says `expected`, or itself."""

    def check(value: Any) -> Any:
        try:
            return read(value)
        except ValueError as err:
            rule = expected or str(err)
            raise PydanticCustomError("expected", "{rule}", {"rule": rule}) from err

    return PlainValidator(check)


def _seconds_or_none(value: object) -> int | None:
    return None if value is None else parse_seconds(value)


def _minutes_or_none(value: object) -> int | None:
    """Minutes as milliseconds."""
    return None if value is None else parse_seconds(value) * 60


def to_json_text(value: object) -> str | None:
    """Text as it is, null as null, anything else as JSON text.

    Raises:
        ValueError: No column can hold it; the message says what is expected instead.
    """
    if not _is_shallow(value, _DEEPEST):
        raise ValueError(f"JSON nested at most {_DEEPEST} deep")
    if value is None or isinstance(value, str):
        text = value
    else:
        try:
            text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        except ValueError as err:  # 1e400
            raise ValueError("numbers that a float can hold") from err
    if text is not None and not is_text(text):
        raise ValueError("text that is valid Unicode")
    return text


def _is_shallow(value: object, levels: int) -> bool:
    if not isinstance(value, dict | list):
        return True
    items = value.values() if isinstance(value, dict) else value
    return levels > 0 and all(_is_shallow(item, levels - 1) for item in items)


Text = Annotated[str, expect("text", is_text)]
TextOrNone = Annotated[str | None, expect("text or null", lambda v: v is None or is_text(v))]
Name = Annotated[str, expect("a name: printable text, not empty, without '/' or '\\'", _is_name)]
NodeName = Annotated[str, expect("an id: text, not empty, without '/'", _is_node_name)]
Path = Annotated[
    str,
    expect(
        "a relative path that stays inside (no '..', no scheme)",
        lambda v: is_text(v) and _is_inside(v),
    ),
]
Count = Annotated[int, expect("a whole number, 1 or more", lambda v: _is_whole(v, 1, _LARGEST))]
Rating = Annotated[
    int | None,
    expect("a whole number from 1 to 5, or null", lambda v: v is None or _is_whole(v, 1, 5)),
]
Years = Annotated[
    int | None,
    expect("a whole number of years, or null", lambda v: v is None or _is_whole(v, 0, 150)),
]
Answer = Annotated[str | None, _one_of("yes", "no", "partly", None)]
Seconds = Annotated[int, _read_by(parse_seconds, "seconds: a number, 0 or more")]
SecondsOrNone = Annotated[
    int | None, _read_by(_seconds_or_none, "seconds: a number, 0 or more, or null")
]
MinutesOrNone = Annotated[
    int | None, _read_by(_minutes_or_none, "minutes: a number, 0 or more, or null")
]
Occurrence = Annotated[Span, _read_by(parse_occurrence)]
JsonText = Annotated[str | None, _read_by(to_json_text)]


def _is_inside(path: str) -> bool:
    parts = path.replace("\\", "/").split("/")
    return (
        bool(path)
        and "\0" not in path
        and ":" not in parts[0]
        and parts[0] != ""
        and ".." not in parts
    )


class ReleaseFile(Document):
    """`release.json`."""

    name: Annotated[str, expect("'kolab'", lambda v: v == "kolab")]
    version: Text
    license: TextOrNone = None
    sessions: list[Name]


class Participant(Document):
    """A line of `participants.jsonl`."""

    participant_id: Name
    occupation: Text
    sector: Text
    years_experience: Years = None


class GoalAnswer(Document):
    """An answer with its reason."""

    answer: Answer = None
    reason: TextOrNone = None


class OutputQuality(Document):
    """How good a step's output was, by its author."""

    rating: Rating = None
    reason: TextOrNone = None
    rubrics_satisfied: list[Count] = Field(default_factory=list)


class Statements(Document):
    """The questionnaire's seven statements about the agent, 1–5."""

    understood: Rating = None
    adapted: Rating = None
    reduced_effort: Rating = None
    proactive: Rating = None
    trustworthy: Rating = None
    smooth: Rating = None
    controllable: Rating = None


class Collaboration(Document):
    """How the collaboration in a step was, by its author."""

    rating: Rating = None
    task_completed: GoalAnswer = Field(default_factory=GoalAnswer)
    statements: Statements = Field(default_factory=Statements)


class WorkflowStep(Document):
    """A planned step; how long it should take in milliseconds."""

    number: Count
    name: Text
    action: TextOrNone = None
    input: TextOrNone = None
    output: TextOrNone = None
    estimated_minutes: MinutesOrNone = None
    softwares: list[Text] = Field(default_factory=list)
    rubric: list[Text] = Field(default_factory=list)
    output_quality: OutputQuality = Field(default_factory=OutputQuality)
    collaboration: Collaboration = Field(default_factory=Collaboration)


class Workflow(Document):
    """`workflow.json`."""

    session_id: Name
    participant_id: Name
    session: Count
    goal: Text
    context: TextOrNone = None
    goal_achieved: GoalAnswer = Field(default_factory=GoalAnswer)
    steps: list[WorkflowStep]


class GraphNode(Document):
    """A node of the workflow graph, as written."""

    id: NodeName
    actor: Text
    actor_type: Annotated[str, _one_of("user", "ai")]
    label: Text
    detail: TextOrNone = None
    time: list[Occurrence] | None = None
    softwares: TextOrNone = None
    source_steps: TextOrNone = None
    user_response: list[Any] | None = None


class GraphEdge(Document):
    """An edge of the workflow graph, as written."""

    source: Text = Field(alias="from")
    target: Text = Field(alias="to")
    type: Annotated[str, _one_of("sequential", "loop")]


class GraphSegment(Document):
    """One visit to a step, as written."""

    key: NodeName
    badge: Text
    step_name: Text
    step_action: TextOrNone = None
    time_range: TextOrNone = None
    start_seconds: Seconds
    end_seconds: Seconds
    nodes: list[GraphNode]
    edges: list[GraphEdge]


class GraphDocument(Document):
    """`graph.json`."""

    session_id: Name
    participant_id: Name
    title: TextOrNone = None
    goal: TextOrNone = None
    steps: list[GraphSegment]


class ToolCall(Document):
    """A tool that the agent called; input and output that are not text are kept as JSON text."""

    name: Text
    input: JsonText = None
    output: JsonText = None


class Chat(Document):
    """A line of `chat.jsonl`: one turn; times in milliseconds."""

    role: Annotated[str, _one_of("human", "ai")]
    agent: TextOrNone = None
    start_seconds: SecondsOrNone = None
    end_seconds: SecondsOrNone = None
    content: TextOrNone = None
    tool_calls: list[ToolCall] | None = None
    attachments: list[Path] | None = None


class Survey(Document):
    """`surveys/<participant>.json`."""

    participant_id: Name
    answers: dict[str, Any]
