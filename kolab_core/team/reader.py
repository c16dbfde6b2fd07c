"""Reads a team release whole, checks it against itself, and gives typed records."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from kolab_core.files import find_carried
from kolab_core.release import FileReader, Issue, ReleaseError, show_value
from kolab_core.release.documents import Document
from kolab_core.release.places import is_inside
from kolab_core.team.checks import (
    check_breakdowns,
    check_known,
    check_outcomes,
    check_pairs,
    check_reference_files,
    check_rubric,
)
from kolab_core.team.documents import (
    FORMAT,
    Behavior,
    Human,
    Judgement,
    SessionLine,
    SoloLine,
    SurveyLine,
    Task,
    TeamFile,
)

__all__ = [
    "FORMAT",
    "TEAM_FILES",
    "TeamRelease",
    "TeamSession",
    "find_team_sample",
    "fingerprint_team",
    "is_team_release",
    "open_team",
]

TEAM_FILES = (
    "release.json",
    "humans.jsonl",
    "tasks.jsonl",
    "sessions.jsonl",
    "judgements.jsonl",
    "surveys.jsonl",
    "behaviors.jsonl",
    "solo.jsonl",
)
_OPTIONAL = ("surveys.jsonl", "behaviors.jsonl", "solo.jsonl")

LineT = TypeVar("LineT", bound=Document)


@dataclass(frozen=True)
class TeamSession:
    """One session with all that refers to it.

    Attributes:
        line: Its line of `sessions.jsonl`.
        judgements: Each judge's breakdown, in order of the file.
        behaviors: Codes seen in the session; empty where none were taken.
    """

    line: SessionLine
    task: Task
    human: Human
    judgements: tuple[Judgement, ...]
    behaviors: Mapping[str, float | None]


@dataclass(frozen=True)
class TeamRelease:
    """A checked release.

    Attributes:
        root: Its folder, resolved.
        license: None if the release names none.
        tasks: By id, in lower case; all else by id as it stands, in the order of the file.
        surveys: By human, then `pre` and `post`: the answers by question.
        solo: By task id and agent: what the agent reached alone.
        notes: What is odd and stops nothing.
    """

    root: Path
    name: str
    version: str
    license: str | None
    agents: tuple[str, ...]
    humans: Mapping[str, Human]
    tasks: Mapping[str, Task]
    sessions: tuple[TeamSession, ...]
    surveys: Mapping[str, Mapping[str, Mapping[str, float | None]]]
    solo: Mapping[tuple[str, str], float]
    notes: tuple[Issue, ...]


def find_team_sample() -> Path:
    """The embedded sample's folder: inside the installed package, or beside it in a checkout."""
    return find_carried("sample_team")


def is_team_release(root: str | Path) -> bool:
    """Whether the folder's `release.json` calls itself one (nothing else is read)."""
    path = Path(root).expanduser()
    if not (path / "release.json").is_file():
        return False
    head = FileReader(path.resolve()).read_raw("release.json")
    return isinstance(head, dict) and head.get("format") == FORMAT


def fingerprint_team(root: str | Path) -> str:
    """A digest of all that rows come from: 32 hexadecimal digits."""
    digest = hashlib.blake2b(digest_size=16)
    base = Path(root).resolve()
    for name in TEAM_FILES:
        path = base / name
        is_there = path.is_file() and is_inside(path, base)
        content = path.read_bytes() if is_there else b""
        digest.update(f"{name}\0{is_there}\0".encode())
        digest.update(hashlib.blake2b(content).digest())
    return digest.hexdigest()


def open_team(root: str | Path) -> TeamRelease:
    """Read and check a release of rated team sessions.

    Args:
        root: Its folder.

    Returns:
        All of it; only the reference files stay on disk.

    Raises:
        ReleaseError: The folder is none, or its files have errors: all of them, with their places.
    """
    path = Path(root).expanduser()
    if not (path / "release.json").is_file():
        found = "a folder without release.json" if path.is_dir() else "no such folder"
        hint = "docs/team_release_format.md says what it holds."
        raise ReleaseError([Issue(str(root), "", found, "a release of team sessions", hint)])
    reader = FileReader(path.resolve())
    head = reader.read_document("release.json", TeamFile)
    if head is None:
        raise ReleaseError(reader.errors)
    release = _assemble(reader, head)
    if reader.errors:
        raise ReleaseError(reader.errors)
    return release


def _assemble(reader: FileReader, head: TeamFile) -> TeamRelease:
    """Read every file and check it; problems go to the reader, and what is sound is kept."""
    agents = set(head.agents)
    if not agents:
        reader.error("release.json", "agents", "an empty list", "at least one agent")
    humans = _read_keyed(reader, "humans.jsonl", Human, lambda line: (line.human_id,))
    tasks = _read_keyed(reader, "tasks.jsonl", Task, lambda line: (line.task_id.lower(),))
    sessions = _read_keyed(reader, "sessions.jsonl", SessionLine, lambda line: (line.session_id,))
    judged = _read_keyed(
        reader, "judgements.jsonl", Judgement, lambda line: (line.session_id, line.judge)
    )
    surveys = _read_keyed(
        reader, "surveys.jsonl", SurveyLine, lambda line: (line.human_id, line.phase)
    )
    seen = _read_keyed(reader, "behaviors.jsonl", Behavior, lambda line: (line.session_id,))
    solo = _read_keyed(
        reader, "solo.jsonl", SoloLine, lambda line: (line.task_id.lower(), line.agent)
    )
    # Ids of lines that could not be read are unknown, and not the fault of who refers to them.
    broken = {issue.file for issue in reader.errors}
    for number, task in tasks.values():
        check_rubric(reader, number, task)
        check_reference_files(reader, number, task)
    known = {
        ("task_id", "tasks.jsonl"): {key for (key,) in tasks},
        ("human_id", "humans.jsonl"): {key for (key,) in humans},
        ("session_id", "sessions.jsonl"): {key for (key,) in sessions},
        ("agent", "release.json"): agents,
    }
    known = {of: names for of, names in known.items() if of[1] not in broken}
    for file, lines in (
        ("sessions.jsonl", sessions),
        ("judgements.jsonl", judged),
        ("surveys.jsonl", surveys),
        ("behaviors.jsonl", seen),
        ("solo.jsonl", solo),
    ):
        check_known(reader, file, lines.values(), known)
    if not sessions and not reader.errors:
        reader.error("sessions.jsonl", "", "no session", "at least one")
    check_breakdowns(reader, sessions, tasks, judged)
    if "judgements.jsonl" not in broken:
        check_outcomes(reader, sessions, judged)
    if "surveys.jsonl" not in broken:
        check_pairs(reader, surveys)
    return TeamRelease(
        root=reader.root,
        name=head.name,
        version=head.version,
        license=head.license,
        agents=tuple(head.agents),
        humans={key: line for (key,), (_, line) in humans.items()},
        tasks={key: line for (key,), (_, line) in tasks.items()},
        sessions=tuple(_join(sessions, tasks, humans, judged, seen)),
        surveys=_group_surveys(surveys),
        solo={(task, agent): line.outcome for (task, agent), (_, line) in solo.items()},
        notes=tuple(reader.notes),
    )


Keyed = dict[tuple[str, ...], tuple[int, LineT]]


def _read_keyed(
    reader: FileReader, file: str, model: type[LineT], key_of: Callable[[LineT], tuple[str, ...]]
) -> Keyed[LineT]:
    """A file's lines with their numbers, by key; a key that comes again is an error."""
    if file in _OPTIONAL and not (reader.root / file).exists():
        return {}
    found: Keyed[LineT] = {}
    for number, line in reader.read_lines(file, model):
        key = key_of(line)
        if key in found:
            again = " and ".join(show_value(part) for part in key)
            reader.error(
                file, f"line {number}", f"{again} as in line {found[key][0]}", "each only once"
            )
            continue
        found[key] = (number, line)
    return found


def _join(
    sessions: Keyed[SessionLine],
    tasks: Keyed[Task],
    humans: Keyed[Human],
    judged: Keyed[Judgement],
    seen: Keyed[Behavior],
) -> list[TeamSession]:
    """The sessions with their parts; those that refer to what is not there are left out."""
    by_session: dict[str, list[Judgement]] = {}
    for _, judgement in judged.values():
        by_session.setdefault(judgement.session_id, []).append(judgement)
    joined = []
    for (session_id,), (_, line) in sessions.items():
        task, human = tasks.get((line.task_id.lower(),)), humans.get((line.human_id,))
        if task is None or human is None:
            continue
        codes = seen[(session_id,)][1].codes if (session_id,) in seen else {}
        joined.append(
            TeamSession(line, task[1], human[1], tuple(by_session.get(session_id, ())), codes)
        )
    return joined


def _group_surveys(
    surveys: Keyed[SurveyLine],
) -> dict[str, dict[str, Mapping[str, float | None]]]:
    grouped: dict[str, dict[str, Mapping[str, float | None]]] = {}
    for (human_id, phase), (_, line) in surveys.items():
        grouped.setdefault(human_id, {})[phase] = line.answers
    return grouped
