"""One session's files, checked against the format and against one another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from kolab_core.release.documents import Chat, GraphDocument, Participant, Workflow
from kolab_core.release.graph_file import build_graph
from kolab_core.release.issues import ReleaseError, show_value
from kolab_core.release.parsing import FileReader
from kolab_core.release.records import Session, SessionFile, Turn

__all__ = ["RECORDING_SUFFIXES", "load_session"]

RECORDING_SUFFIXES = (".mp4", ".webm", ".mkv", ".mov")


def load_session(
    reader: FileReader, session_id: str, participants: Mapping[str, Participant]
) -> Session:
    """Read and check one session.

    Args:
        reader: A fresh reader of the release; its issues are the session's.
        session_id: A session whose folder is there.
        participants: The release's participants by id.

    Raises:
        ReleaseError: With all errors of the session's files.
    """
    folder = f"sessions/{session_id}"
    workflow = reader.read_document(f"{folder}/workflow.json", Workflow)
    graph = reader.read_document(f"{folder}/graph.json", GraphDocument)
    recording = _find_recording(reader, folder)
    files = tuple(_list_files(reader, folder))
    has_chat_log = (reader.root / folder / "chat.jsonl").exists()
    turns = _read_turns(reader, folder) if has_chat_log else ()
    if workflow is not None:
        _check_workflow(reader, f"{folder}/workflow.json", workflow, session_id, participants)
    if workflow is None or graph is None or workflow.participant_id not in participants:
        raise ReleaseError(reader.errors)
    parts = build_graph(reader, f"{folder}/graph.json", graph, workflow, session_id)
    if reader.errors:
        raise ReleaseError(reader.errors)
    return Session(
        session_id=session_id,
        participant=participants[workflow.participant_id],
        workflow=workflow,
        segments=parts.segments,
        nodes=parts.nodes,
        edges=parts.edges,
        responses=parts.responses,
        turns=turns,
        has_chat_log=has_chat_log,
        files=files,
        recording=recording,
        notes=tuple(reader.notes),
    )


def _find_recording(reader: FileReader, folder: str) -> Path | None:
    path = reader.root / folder
    recordings = sorted(p.name for p in path.glob("recording.*") if not p.name.endswith(".part"))
    usable = [name for name in recordings if Path(name).suffix.lower() in RECORDING_SUFFIXES]
    for name in recordings:
        if name not in usable:
            expected = f"one of {', '.join(RECORDING_SUFFIXES)}"
            reader.note(f"{folder}/{name}", "", "a format that is not read", expected)
    if len(usable) > 1:
        reader.error(folder, "", f"several recordings: {', '.join(usable)}", "one")
    if not usable:
        reader.note(folder, "", "no recording", "a recording (rows have `has_video` false)")
        return None
    return reader.locate(f"{folder}/{usable[0]}")


def _list_files(reader: FileReader, folder: str) -> Iterator[SessionFile]:
    base = reader.root / folder
    for role in ("input", "output"):
        for path in sorted((base / "files" / role).rglob("*")):
            name = path.relative_to(base).as_posix()
            if reader.locate(f"{folder}/{name}") is not None and path.is_file():
                yield SessionFile(path=name, role=role, size=path.stat().st_size)


def _read_turns(reader: FileReader, folder: str) -> tuple[Turn, ...]:
    """The chat in order of time; a turn without one keeps its place behind its predecessor."""
    file = f"{folder}/chat.jsonl"
    turns: list[tuple[int, Turn]] = []
    latest = placed_at = -1
    for number, document in reader.read_lines(file, Chat):
        start, end = document.start_seconds, document.end_seconds
        where = f"line {number}"
        if start is None:
            reader.note(file, where, "a turn without a time", "one (no model is shown this turn)")
        elif end is not None and end < start:
            reader.error(
                file, f"{where} > end_seconds", f"{end / 1000}", f"at least {start / 1000}"
            )
        if start is not None:
            if start < latest:
                expected = f"{latest / 1000} or later (turns are sorted)"
                reader.note(file, f"{where} > start_seconds", f"{start / 1000}", expected)
            latest = max(latest, start)
            placed_at = start
        for attachment in document.attachments or ():
            if reader.locate(f"{folder}/{attachment}") is not None:
                _note_missing(reader, file, f"{where} > attachments", f"{folder}/{attachment}")
        turn = Turn(
            role=document.role,
            agent=document.agent,
            start=start,
            end=end,
            content=document.content,
            tool_calls=tuple(document.tool_calls or ()),
            attachments=tuple(document.attachments or ()),
        )
        turns.append((placed_at, turn))
    turns.sort(key=lambda item: item[0])
    return tuple(turn for _, turn in turns)


def _note_missing(reader: FileReader, file: str, where: str, path: str) -> None:
    if not (reader.root / path).exists():
        reader.note(file, where, f"no file {show_value(path)}", "an attachment that is there")


def _check_workflow(
    reader: FileReader,
    file: str,
    workflow: Workflow,
    session_id: str,
    participants: Mapping[str, Participant],
) -> None:
    if workflow.session_id != session_id:
        reader.error(file, "session_id", show_value(workflow.session_id), repr(session_id))
    if workflow.participant_id not in participants:
        found = show_value(workflow.participant_id)
        reader.error(file, "participant_id", found, "a participant of participants.jsonl")
    numbers = [step.number for step in workflow.steps]
    if sorted(numbers) != list(range(1, len(numbers) + 1)):
        reader.error(file, "steps > number", show_value(numbers), f"1 to {len(numbers)}, each once")
    for index, step in enumerate(workflow.steps):
        beyond = [n for n in step.output_quality.rubrics_satisfied if n > len(step.rubric)]
        if beyond:
            where = f"steps[{index}] (number {step.number}) > output_quality > rubrics_satisfied"
            reader.note(file, where, show_value(beyond), f"numbers from 1 to {len(step.rubric)}")
