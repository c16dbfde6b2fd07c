"""A whole release, checked: every file, every instance's window, every survey."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from kolab_core.experiments import EXPERIMENTS, build_rows
from kolab_core.release import (
    FileReader,
    Issue,
    Release,
    ReleaseError,
    Session,
    check_survey,
    open_release,
    read_session,
)

__all__ = ["Report", "check_release"]

DurationOf = Callable[[Path], float | None]


@dataclass(frozen=True)
class Report:
    """What a check found.

    Attributes:
        errors: What stops, in the order of the release.
        notes: What is odd and stops nothing.
        counts: What there is: sessions, steps, nodes, responses, …, and rows of each experiment.
    """

    errors: tuple[Issue, ...]
    notes: tuple[Issue, ...]
    counts: Mapping[str, int]


def check_release(root: str | Path, *, duration_of: DurationOf | None = None) -> Report:
    """Read everything in a release, one session at a time, and collect what is wrong or odd.

    Args:
        root: The release's folder.
        duration_of: Gives a recording's duration in seconds, or None if it is not known; without
            it recordings are not opened. What it raises with a message is an error of the file.

    Returns:
        The report; a folder that is no release gives a report with that one error.
    """
    try:
        release = open_release(root)
    except ReleaseError as err:
        return Report(err.issues, (), {})
    errors: list[Issue] = []
    notes = list(release.notes)
    counts: Counter[str] = Counter(
        sessions=len(release.session_ids), participants=len(release.participants)
    )
    for session_id in release.session_ids:
        try:
            session = read_session(release, session_id)
        except ReleaseError as err:
            errors += err.issues
            continue
        notes += session.notes
        _count(session, counts)
        errors += _check_windows(session, counts)
        if duration_of is not None and session.recording is not None:
            _check_recording(release, session, duration_of, errors, notes)
    for participant_id in release.survey_ids:
        reader = FileReader(release.root)
        check_survey(reader, participant_id)
        errors += reader.errors
        notes += reader.notes
        counts["surveys"] += 1
    return Report(tuple(errors), tuple(notes), dict(counts))


def _count(session: Session, counts: Counter[str]) -> None:
    counts["steps"] += len(session.workflow.steps)
    counts["segments"] += len(session.segments)
    counts["nodes"] += len(session.nodes)
    counts["edges"] += len(session.edges)
    counts["responses"] += len(session.responses)
    counts["turns"] += len(session.turns)
    counts["recordings"] += session.recording is not None


def _check_windows(session: Session, counts: Counter[str]) -> tuple[Issue, ...]:
    """The errors of instances without a window, each once though several experiments meet it."""
    issues: dict[Issue, None] = {}
    for config in EXPERIMENTS:
        try:
            counts[f"rows of {config}"] += len(build_rows(session, config))
        except ReleaseError as err:
            issues.update(dict.fromkeys(err.issues))
    return tuple(issues)


def _check_recording(
    release: Release,
    session: Session,
    duration_of: DurationOf,
    errors: list[Issue],
    notes: list[Issue],
) -> None:
    recording = session.recording
    if recording is None:
        return
    file = recording.relative_to(release.root).as_posix()
    try:
        duration = duration_of(recording)
    except RuntimeError as err:
        errors.append(Issue(file, "", f"an unreadable recording ({err})", "a video that decodes"))
        return
    spans = [segment.span for segment in session.segments]
    spans += [span for node in session.nodes for span in node.occurrences]
    latest = max((span.end for span in spans), default=0) / 1000
    if duration is not None and latest > duration:
        found = f"times up to {latest:.3f} s in a recording of {duration:.3f} s"
        expected = "times inside the recording (frames are taken from what is there)"
        notes.append(Issue(file, "", found, expected, is_note=True))
