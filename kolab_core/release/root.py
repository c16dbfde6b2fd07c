"""A release as a folder: its sessions and participants, and a digest of all that rows need."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from kolab_core.release.documents import (
    LIKERT_QUESTIONS,
    NUM_QUESTIONS,
    Participant,
    ReleaseFile,
    Survey,
    to_json_text,
)
from kolab_core.release.issues import Issue, ReleaseError, show_value
from kolab_core.release.parsing import FileReader
from kolab_core.release.places import is_inside
from kolab_core.release.records import Session
from kolab_core.release.session import load_session, name_graph

__all__ = [
    "Release",
    "fingerprint_release",
    "open_release",
    "read_session",
    "read_survey",
    "scan_release",
]


@dataclass(frozen=True)
class Release:
    """A release that is there, at least in part; its sessions are read one at a time.

    Attributes:
        root: The folder, resolved.
        version: As the release says.
        license: As the release says; None if it does not.
        session_ids: The listed sessions whose folders are there, in the release's order.
        missing_session_ids: The listed sessions whose folders are not (a partial download).
        participants: By id, in the order of the file.
        survey_ids: The participants who have a questionnaire, in the order of the participants.
        notes: What is odd and stops nothing.
    """

    root: Path
    version: str
    license: str | None
    session_ids: tuple[str, ...]
    missing_session_ids: tuple[str, ...]
    participants: Mapping[str, Participant]
    survey_ids: tuple[str, ...]
    notes: tuple[Issue, ...]


@dataclass(frozen=True)
class Scan:
    """What lies at a release's root, as far as it could be read.

    Attributes:
        release: The release; None if not even the list of sessions could be read.
        issues: All errors and notes of the root's files.
        has_all_participants: False if a line of `participants.jsonl` has errors.
    """

    release: Release | None
    issues: tuple[Issue, ...]
    has_all_participants: bool

    @property
    def errors(self) -> tuple[Issue, ...]:
        """The issues that stop."""
        return tuple(issue for issue in self.issues if not issue.is_note)


def open_release(root: str | Path) -> Release:
    """Read `release.json` and `participants.jsonl`, and see which sessions are there.

    Args:
        root: The release's folder.

    Raises:
        ReleaseError: The folder is no release, or one of the two files has errors.
    """
    scan = scan_release(root)
    if scan.release is None or scan.errors:
        raise ReleaseError(scan.errors)
    return scan.release


def scan_release(root: str | Path) -> Scan:
    """Read as much of a release's root as there is; what is wrong is in the result's `issues`."""
    path, found = _find_root(root)
    if path is None:
        hint = "docs/release_format.md says what a release holds."
        return Scan(None, (Issue(str(root), "", found, "a Kolab release", hint),), False)
    reader = FileReader(path)
    head = reader.read_document("release.json", ReleaseFile)
    num_errors = len(reader.errors)
    participants = _read_participants(reader)
    has_all = len(reader.errors) == num_errors
    if head is None:
        return Scan(None, tuple(reader.issues), has_all)
    listed = _check_listed(reader, head.sessions)
    there = tuple(name for name in listed if _has_session(reader, name))
    _note_unlisted(reader, set(listed))
    release = Release(
        root=reader.root,
        version=head.version,
        license=head.license,
        session_ids=there,
        missing_session_ids=tuple(name for name in listed if name not in set(there)),
        participants=participants,
        survey_ids=_find_surveys(reader, participants, has_all=has_all),
        notes=tuple(reader.notes),
    )
    return Scan(release, tuple(reader.issues), has_all)


def _find_root(root: str | Path) -> tuple[Path | None, str]:
    """The folder, resolved; or None and what there is instead."""
    try:
        path = Path(root).expanduser().resolve()
        if (path / "release.json").is_file():
            return path, ""
        if path.is_dir():
            return None, "a folder without release.json"
        return None, "a file" if path.exists() else "no such folder"
    except (OSError, RuntimeError, ValueError) as err:
        return None, f"an unusable path ({err})"


def read_session(release: Release, session_id: str, *, graph: str | None = None) -> Session:
    """One session, read and checked.

    Args:
        release: Where it lies.
        session_id: As the release lists it.
        graph: The text of a graph to read in place of the session's own.

    Raises:
        ReleaseError: With all errors of the session's files.
        KeyError: The release does not list the session, or its folder is not there.
    """
    if session_id not in release.session_ids:
        raise KeyError(session_id)
    texts = {} if graph is None else {name_graph(session_id): graph}
    reader = FileReader(release.root, texts=texts)
    session = load_session(reader, session_id, release.participants)
    if session is None:
        raise ReleaseError(reader.errors)
    return session


def read_survey(release: Release, participant_id: str) -> Survey:
    """One participant's questionnaire.

    Raises:
        ReleaseError: With all errors of the file.
    """
    reader = FileReader(release.root)
    survey = check_survey(reader, participant_id)
    if survey is None or reader.errors:
        raise ReleaseError(reader.errors)
    return survey


def check_survey(reader: FileReader, participant_id: str) -> Survey | None:
    """Read a questionnaire; what is wrong or odd goes to the reader."""
    file = f"surveys/{participant_id}.json"
    survey = reader.read_document(file, Survey)
    if survey is None:
        return None
    if survey.participant_id != participant_id:
        found = show_value(survey.participant_id)
        reader.error(file, "participant_id", found, f"{participant_id!r}, as the file is named")
    known = {f"Q{number}" for number in range(1, NUM_QUESTIONS + 1)}
    for key in survey.answers:
        if key not in known:
            reader.note(file, f"answers > {key}", "an unknown key", f"Q1 to Q{NUM_QUESTIONS}")
    for number in LIKERT_QUESTIONS:
        answer = survey.answers.get(f"Q{number}")
        if answer is not None and not (type(answer) is int and 1 <= answer <= 10):
            expected = "a whole number from 1 to 10, or null"
            reader.error(file, f"answers > Q{number}", show_value(answer), expected)
    for key, answer in survey.answers.items():
        try:
            to_json_text(answer)
        except ValueError as err:
            reader.error(file, f"answers > {key}", show_value(answer), str(err))
    return survey


def fingerprint_release(root: str | Path, *, with_times: bool = True) -> str:
    """A digest that changes when anything that rows come from does.

    It covers the content of all JSON files, and the name, size and modification time of
    recordings, input and output files (whose content no row holds). Hours of video are not read.

    Args:
        root: The release's folder.
        with_times: Whether modification times count; without, a copy has the same digest.

    Returns:
        32 hexadecimal digits.
    """
    base = Path(root)
    digest = hashlib.blake2b(digest_size=16)
    resolved = base.resolve()
    for path in _list_paths(base):
        name = path.relative_to(base).as_posix()
        if not is_inside(path, resolved):
            digest.update(
                f"{name}\0a link that is not followed\0".encode("utf-8", "surrogateescape")
            )
            continue
        digest.update(f"{name}\0".encode("utf-8", "surrogateescape"))
        stat = path.stat()
        if path.suffix in (".json", ".jsonl") and "/files/" not in name:
            digest.update(hashlib.blake2b(path.read_bytes()).digest())
        else:
            time = stat.st_mtime_ns if with_times else ""
            digest.update(f"{stat.st_size}\0{time}\0".encode())
    return digest.hexdigest()


def _list_paths(base: Path) -> Iterator[Path]:
    tops = [base / "release.json", base / "participants.jsonl"]
    folders = [*sorted(base.glob("sessions/*")), base / "surveys"]
    yield from (path for path in tops if path.is_file())
    root = base.resolve()
    for folder in (folder for folder in folders if is_inside(folder, root)):
        yield from (path for path in sorted(folder.rglob("*")) if path.is_file())


def _read_participants(reader: FileReader) -> dict[str, Participant]:
    file = "participants.jsonl"
    participants: dict[str, Participant] = {}
    for number, participant in reader.read_lines(file, Participant):
        name = participant.participant_id
        if name in participants:
            where = f"line {number} > participant_id"
            reader.error(file, where, show_value(name), "an id used once")
        participants[name] = participant
    return participants


def _check_listed(reader: FileReader, listed: list[str]) -> tuple[str, ...]:
    unique: dict[str, None] = {}
    for index, name in enumerate(listed):
        if name in unique:
            reader.error("release.json", f"sessions[{index}]", show_value(name), "an id used once")
        unique[name] = None
    return tuple(unique)


def _has_session(reader: FileReader, name: str) -> bool:
    """Whether a session's folder is there; one without both of its documents is not."""
    folder = f"sessions/{name}"
    path = reader.locate(folder)
    if path is None:
        return False
    documents = (path / "workflow.json", path / "graph.json")
    if any(map(os.path.lexists, documents)):
        return True
    found = "no such folder"
    if os.path.lexists(path):
        found = "no workflow.json and no graph.json"
    reader.note(folder, "", found, "the session's folder (its rows are absent)")
    return False


def _note_unlisted(reader: FileReader, listed: set[str]) -> None:
    if not is_inside(reader.root / "sessions", reader.root):
        return
    for path in sorted(reader.root.glob("sessions/*")):
        if path.is_dir() and path.name not in listed:
            expected = "a session that release.json lists (it is left out)"
            reader.note(f"sessions/{path.name}", "", "a folder that is not listed", expected)


def _find_surveys(
    reader: FileReader, participants: Mapping[str, Participant], *, has_all: bool
) -> tuple[str, ...]:
    if reader.locate("surveys") is None:
        return ()
    found = {path.stem for path in reader.root.glob("surveys/*.json")}
    for name in sorted(found - set(participants)) if has_all else ():
        expected = "a participant of participants.jsonl (it is left out)"
        reader.note(f"surveys/{name}.json", "", "an unknown participant's answers", expected)
    return tuple(name for name in participants if name in found)
