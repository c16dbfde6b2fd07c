"""One session's files, checked against the format and against one another."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from kolab_core.release.documents import Chat, GraphDocument, Participant, Workflow, is_text
from kolab_core.release.graph_file import GraphRecords, build_graph, check_head
from kolab_core.release.issues import show_value
from kolab_core.release.parsing import FileReader
from kolab_core.release.pieces import salvage_graph, split_graph
from kolab_core.release.records import Session, SessionFile, Turn

__all__ = ["RECORDING_SUFFIXES", "load_session", "name_graph"]

RECORDING_SUFFIXES = (".mp4", ".webm", ".mkv", ".mov")


def name_graph(session_id: str) -> str:
    """The graph file of a session, as a path in the release."""
    return f"sessions/{session_id}/graph.json"


def load_session(
    reader: FileReader, session_id: str, participants: Mapping[str, Participant] | None
) -> Session | None:
    """Read and check one session; None if there are errors, all of which the reader then has.

    Args:
        reader: A fresh reader of the release; its issues are the session's.
        session_id: A session whose folder is there.
        participants: The release's participants by id; None if their file has errors itself, so
            that no session is complete.
    """
    folder = f"sessions/{session_id}"
    workflow = reader.read_document(f"{folder}/workflow.json", Workflow)
    if workflow is not None:
        _check_workflow(reader, f"{folder}/workflow.json", workflow, session_id, participants)
    parts = _read_graph(reader, name_graph(session_id), workflow, session_id)
    has_chat_log = os.path.lexists(reader.root / folder / "chat.jsonl")
    turns = _read_turns(reader, folder) if has_chat_log else ()
    recording = _find_recording(reader, folder)
    files = tuple(_list_files(reader, folder))
    if reader.errors or workflow is None or participants is None:
        return None
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


def _read_graph(
    reader: FileReader, file: str, workflow: Workflow | None, session_id: str
) -> GraphRecords:
    document = reader.read_document(file, GraphDocument)
    if document is None:
        pieces = salvage_graph(FileReader(reader.root, texts=reader.texts).read_raw(file))
    else:
        pieces = split_graph(document)
        check_head(reader, file, document, workflow=workflow, session_id=session_id)
    return build_graph(reader, file, pieces, workflow=workflow, session_id=session_id)


def _find_recording(reader: FileReader, folder: str) -> Path | None:
    names = sorted(path.name for path in (reader.root / folder).glob("recording.*"))
    names = [name for name in names if not name.endswith(".part")]
    if len(names) > 1:
        hint = "Keep one, or give the others another name."
        reader.error(folder, "", f"several recordings: {', '.join(names)}", "one recording.*", hint)
        return None
    if not names:
        reader.note(folder, "", "no recording", "a recording (rows have `has_video` false)")
        return None
    file = f"{folder}/{names[0]}"
    path = reader.locate(file)
    if Path(file).suffix.lower() not in RECORDING_SUFFIXES:
        expected = f"one of {', '.join(RECORDING_SUFFIXES)} (rows have `has_video` false)"
        reader.note(file, "", "a format that is not read", expected)
    elif path is not None and path.is_file():
        return path
    elif path is not None and path.exists():
        reader.error(file, "", "a folder", "a recording")
    elif path is not None:
        expected = "a recording (rows have `has_video` false)"
        reader.note(file, "", "a link to a file that is not there", expected)
    return None


def _list_files(reader: FileReader, folder: str) -> Iterator[SessionFile]:
    base = reader.root / folder
    for role in ("input", "output"):
        if reader.locate(f"{folder}/files/{role}") is None:
            continue
        for path in sorted((base / "files" / role).rglob("*")):
            name = path.relative_to(base).as_posix()
            if not is_text(name):
                reader.error(f"{folder}/{name}", "", "a name that is not UTF-8", "a UTF-8 name")
            elif reader.locate(f"{folder}/{name}") is not None and path.is_file():
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
        for index, attachment in enumerate(document.attachments or ()):
            path = f"{folder}/{attachment}"
            if reader.locate(path) is not None:
                _note_missing(reader, file, f"{where} > attachments[{index}]", path)
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
    if not os.path.exists(reader.root / path):  # noqa: PTH110  # pathlib's raises on long names
        reader.note(file, where, f"no file {show_value(path)}", "an attachment that is there")


def _check_workflow(
    reader: FileReader,
    file: str,
    workflow: Workflow,
    session_id: str,
    participants: Mapping[str, Participant] | None,
) -> None:
    if workflow.session_id != session_id:
        found = show_value(workflow.session_id)
        reader.error(file, "session_id", found, f"{session_id!r}, as the folder is named")
    if participants is not None and workflow.participant_id not in participants:
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
