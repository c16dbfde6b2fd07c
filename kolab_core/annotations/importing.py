"""An ELAN file as a new graph file, validated before it has its name."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from kolab_core.annotations.changes import Change, list_changes
from kolab_core.annotations.elan import read_elan
from kolab_core.annotations.exporting import digest_graph
from kolab_core.annotations.marks import Marks
from kolab_core.annotations.records import make_records
from kolab_core.files import write_whole
from kolab_core.release import (
    GraphRecords,
    Issue,
    Release,
    ReleaseError,
    Session,
    compose_graph,
    name_graph,
    read_graph_text,
    read_session,
)

__all__ = ["Import", "import_annotations", "merge_marks"]


@dataclass(frozen=True)
class Import:
    """What an import did.

    Attributes:
        session_id: Whose graph it is.
        path: The graph file that was written.
        changes: How it differs from the release's.
        notes: What was left out of the ELAN file, and what is odd in the new graph.
    """

    session_id: str
    path: Path
    changes: tuple[Change, ...]
    notes: tuple[Issue, ...]


def import_annotations(release: Release, path: str | Path, out: str | Path) -> Import:
    """Write the graph that an ELAN file describes; the release itself stays as it is.

    The graph is checked with the session's other files as it would be in the release, under a
    temporary name; only a graph without errors is written.

    Args:
        release: The release that the file was exported from.
        path: The ELAN file.
        out: The graph file to make.

    Raises:
        FileExistsError: There is a file `out`.
        ReleaseError: The file cannot be understood, the session's graph is not the one that was
            exported, or the new graph has errors; with all of them.
        OSError: A file cannot be read or written.
        ModuleNotFoundError: pympi-ling is not installed (extra `annotate`).
    """
    target = Path(out)
    _check_new(target)
    file = Path(path).name
    elan = read_elan(path)
    session_id = elan.head.session_id
    if session_id not in release.session_ids:
        expected = "a session of the release"
        raise ReleaseError([Issue(file, "session", repr(session_id), expected)])
    text = read_graph_text(release, session_id)
    if digest_graph(text) != elan.head.digest:
        found = "another graph.json than the one that was exported"
        hint = "Export the session again and mend that."
        raise ReleaseError([Issue(file, f"session {session_id}", found, "the same", hint)])
    old = read_session(release, session_id)
    composed = merge_marks(release, old, elan.marks, text=text, file=file)
    new = read_session(release, session_id, graph=composed)
    with write_whole(target) as temporary:
        temporary.write_text(composed, encoding="utf-8", newline="")
        _check_new(target)
    changes = tuple(list_changes(old, new))
    notes = [note for note in new.notes if note not in old.notes]
    return Import(session_id, target, changes, (*elan.notes, *notes))


def merge_marks(release: Release, old: Session, marks: Marks, *, text: str, file: str) -> str:
    """A graph's text with the marks' records in place of its own.

    Args:
        release: Where the session lies.
        old: The session with the graph `text`.
        marks: What the new graph says.
        text: The old graph.
        file: What messages call the marks' file.

    Raises:
        ReleaseError: As in `import_annotations`.
    """
    records = make_records(marks, old, file=file)
    composed = compose_graph(text, old, records)
    new = read_session(release, old.session_id, graph=composed)
    if not _says(new, records):
        name = name_graph(old.session_id)
        found = "two nodes of one name at one time, in several segments"
        expected = "names or times that tell a response's nodes apart"
        raise ReleaseError([Issue(name, "user_response", found, expected)])
    return composed


def _says(session: Session, records: GraphRecords) -> bool:
    return (
        session.segments == records.segments
        and session.nodes == records.nodes
        and Counter(session.edges) == Counter(records.edges)
        and session.responses == records.responses
    )


def _check_new(path: Path) -> None:
    if path.exists():
        raise FileExistsError(f"{path}: found a file; expected a new name.")
