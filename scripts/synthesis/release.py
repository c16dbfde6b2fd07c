"""Writing a release: whole or not at all, and never over a folder that is something else."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scripts.synthesis.documents import chat_document, graph_document, workflow_document
from scripts.synthesis.story import Participant, Story
from scripts.synthesis.timeline import Timeline, lay_out

__all__ = ["write_release"]

LICENSE = "Apache-2.0"
Record = Callable[[Timeline, Path], None]


def write_release(
    out: str | Path,
    *,
    participants: Sequence[Participant],
    stories: Iterable[Story],
    record: Record | None,
    version: str = "1.0.0-sample",
) -> Path:
    """Write a release folder; a release that was there is replaced.

    Args:
        out: The folder to make.
        participants: Everyone, in the release's order.
        stories: The sessions, in the release's order; taken one at a time.
        record: Makes a session's recording at the path given (without a suffix); None for a
            release without recordings.
        version: What `release.json` says.

    Returns:
        The folder.

    Raises:
        FileExistsError: `out` is there and is neither empty nor a release.
        ValueError: A story that points at a beat it does not have.
    """
    target = Path(out).absolute()
    with _new_folder(target) as folder:
        sessions = []
        for story in stories:
            _write_session(folder, lay_out(story), record)
            sessions.append(story.session_id)
        _write_people(folder, participants)
        _write_json(
            folder / "release.json",
            {"name": "kolab", "version": version, "license": LICENSE, "sessions": sessions},
        )
    return target


def _write_session(release: Path, timeline: Timeline, record: Record | None) -> None:
    story = timeline.story
    folder = release / "sessions" / story.session_id
    _write_json(folder / "workflow.json", workflow_document(timeline))
    _write_json(folder / "graph.json", graph_document(timeline))
    if story.has_chat:
        _write_lines(folder / "chat.jsonl", chat_document(timeline))
    for name, text in story.files.items():
        _write_text(folder / name, text)
    if record is not None:
        record(timeline, folder / "recording")


def _write_people(release: Path, participants: Sequence[Participant]) -> None:
    lines = []
    for person in participants:
        name = person.participant_id
        survey = {"participant_id": name, "answers": person.answers}
        _write_json(release / "surveys" / f"{name}.json", survey)
        lines.append(
            {
                "participant_id": name,
                "occupation": person.occupation,
                "sector": person.sector,
                "years_experience": person.years_experience,
            }
        )
    _write_lines(release / "participants.jsonl", lines)


@contextmanager
def _new_folder(target: Path) -> Iterator[Path]:
    """Give a temporary folder that takes the target's name when the block ends well."""
    if target.exists() and not _may_replace(target):
        raise FileExistsError(
            f"{target}: found a folder or file that is no release; expected a new name, an empty "
            "folder or a release. Choose another place."
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    new, old = temporary / "new", temporary / "old"
    try:
        new.mkdir()
        yield new
        if target.exists():
            target.rename(old)
        try:
            new.rename(target)
        except OSError:
            if old.exists():
                old.rename(target)
            raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _may_replace(target: Path) -> bool:
    if target.is_symlink() or not target.is_dir():
        return False
    if not any(target.iterdir()):
        return True
    try:
        document = json.loads((target / "release.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(document, dict) and document.get("name") == "kolab"


def _write_json(path: Path, document: dict[str, Any]) -> None:
    _write_text(path, json.dumps(document, ensure_ascii=False, indent=1) + "\n")


def _write_lines(path: Path, records: Iterable[dict[str, Any]]) -> None:
    _write_text(path, "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records))


def _write_text(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
