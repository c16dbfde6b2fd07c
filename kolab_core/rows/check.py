"""A whole release, checked: every file, every instance's window, every survey."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from kolab_core.release import FileReader, Issue, Release, ReleaseError, Session, check_survey
from kolab_core.release.root import scan_release
from kolab_core.release.session import load_session
from kolab_core.rows.experiments import EXPERIMENTS, count_rows
from kolab_core.rows.strict import Finding, find_slips

__all__ = ["DurationOf", "Report", "check_release"]

DurationOf = Callable[[Path], float | None]


@dataclass(frozen=True)
class Report:
    """What a check found.

    Attributes:
        errors: What stops, in the order of the release.
        notes: What is odd and stops nothing.
        counts: What there is: sessions, steps, nodes, responses, …, and rows of each experiment.
        findings: What an annotator should look at again, where that was asked for.
    """

    errors: tuple[Issue, ...]
    notes: tuple[Issue, ...]
    counts: Mapping[str, int]
    findings: tuple[Finding, ...] = ()


def check_release(
    root: str | Path, *, duration_of: DurationOf | None = None, strict: bool = False
) -> Report:
    """Read everything in a release, one session at a time, and collect what is wrong or odd.

    Args:
        root: The release's folder.
        duration_of: Gives a recording's duration in seconds, or None if it is not known; without
            it recordings are not opened. What it raises with a message is an error of the file.
        strict: Whether to look for slips of the annotation, too, in the sessions without errors.
            Notes that say the same of the same place are left out.

    Returns:
        The report; a folder that is no release gives a report with that one error.
    """
    scan = scan_release(root)
    release = scan.release
    if release is None:
        return Report(scan.errors, tuple(i for i in scan.issues if i.is_note), {})
    issues = list(scan.issues)
    findings: list[Finding] = []
    counts: Counter[str] = Counter(
        sessions=len(release.session_ids), participants=len(release.participants)
    )
    people = release.participants if scan.has_all_participants else None
    for session_id in release.session_ids:
        reader = FileReader(release.root)
        session = load_session(reader, session_id, people)
        issues += reader.issues
        if session is not None:
            _count(session, counts)
            issues += _check_windows(session, counts)
            issues += _check_recording(release, session, duration_of)
            findings += find_slips(session) if strict else ()
    for participant_id in release.survey_ids:
        reader = FileReader(release.root)
        check_survey(reader, participant_id)
        issues += reader.issues
        counts["surveys"] += 1
    errors = tuple(issue for issue in issues if not issue.is_note)
    said = {(finding.file, finding.where) for finding in findings}
    notes = tuple(i for i in issues if i.is_note and (i.file, i.where) not in said)
    return Report(errors, notes, dict(counts), tuple(findings))


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
            counts[f"rows of {config}"] += count_rows(session, config)
        except ReleaseError as err:
            issues.update(dict.fromkeys(err.issues))
    return tuple(issues)


def _check_recording(
    release: Release, session: Session, duration_of: DurationOf | None
) -> list[Issue]:
    recording = session.recording
    if recording is None or duration_of is None:
        return []
    file = recording.relative_to(release.root).as_posix()
    try:
        duration = duration_of(recording)
    except RuntimeError as err:
        return [Issue(file, "", f"an unreadable recording ({err})", "a video that decodes")]
    latest = _find_latest(session) / 1000
    if duration is None or latest <= duration:
        return []
    found = f"times up to {latest:.3f} s in a recording of {duration:.3f} s"
    expected = "times inside the recording (frames are taken from what is there)"
    return [Issue(file, "", found, expected, is_note=True)]


def _find_latest(session: Session) -> int:
    """The latest time in the graph and the chat, in milliseconds."""
    ends = [segment.span.end for segment in session.segments]
    ends += [span.end for node in session.nodes for span in node.occurrences]
    ends += [time for turn in session.turns for time in (turn.start, turn.end) if time is not None]
    return max(ends, default=0)
