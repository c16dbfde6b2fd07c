"""The embedded sample: its own files are the source, and only the recordings are made from them.

What a recording shows and the release does not say stands in `sample.json`: the application with
its content, how the session was recorded, and the turns of a chat that kept no log.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kolab_core.release import Node, Session, Span, Turn, open_release, read_session
from scripts.synthesis.encode import record
from scripts.synthesis.folder import new_release
from scripts.synthesis.story import Beat, Look, RecordingSpec, Tool
from scripts.synthesis.timeline import Act, Segment, Timeline

__all__ = ["SAMPLE", "make_sample", "read_timeline"]

SAMPLE = Path(__file__).resolve().parents[2] / "sample"
_LOOKS = Path(__file__).with_name("sample.json")


def make_sample(out: str | Path, *, recordings: bool = True) -> Path:
    """Write the embedded sample with its recordings painted anew.

    Args:
        out: The folder to make; a release that is there (the sample itself, too) is replaced.
        recordings: Whether to encode the recordings (a minute or two of work), too.

    Returns:
        The folder.

    Raises:
        FileExistsError: `out` is there and is neither empty nor a release.
        ReleaseError: The sample's files are not as the format wants them.
    """
    with new_release(out) as folder:
        without = shutil.ignore_patterns("recording.*")
        shutil.copytree(SAMPLE, folder, ignore=without, dirs_exist_ok=True)
        for session_id in open_release(folder).session_ids if recordings else ():
            record(read_timeline(folder, session_id), folder / "sessions" / session_id)
    return Path(out).absolute()


def read_timeline(release: str | Path, session_id: str) -> Timeline:
    """A session of the sample on the clock, as its recording shows it.

    The recording goes on after the last segment for as long as it went before the first one.

    Args:
        release: The sample's folder.
        session_id: One of its sessions.
    """
    look = json.loads(_LOOKS.read_text(encoding="utf-8"))[session_id]
    unlogged: dict[str, str] = look.pop("unlogged_turns", {})
    session = read_session(open_release(release), session_id)
    acts = _acts(session, unlogged)
    segments = tuple(
        Segment(
            key=segment.key,
            badge=segment.badge,
            name=segment.step_name,
            action=segment.step_action or "",
            start=segment.span.start,
            end=segment.span.end,
            acts=tuple(act for act in acts if act.name.startswith(f"{segment.key}/")),
        )
        for segment in session.segments
    )
    return Timeline(session_id, _look(look), segments, segments[-1].end + segments[0].start)


def _look(document: dict[str, Any]) -> Look:
    spec = RecordingSpec(**document.pop("recording"))
    return Look(recording=spec, canvas=tuple(document.pop("canvas")), **document)


def _acts(session: Session, unlogged: Mapping[str, str]) -> list[Act]:
    """Every occurrence of every node, by start, with what is said in it."""
    times = [
        (node, number, span)
        for node in session.nodes
        for number, span in enumerate(node.occurrences, start=1)
    ]
    times.sort(key=lambda item: item[2].start)
    starts = [span.start for _, _, span in times]
    turns: dict[int, Turn] = {}
    at = -1
    for turn in session.turns:
        # A turn without a time was said in the act after the turn before it.
        at = at + 1 if turn.start is None else starts.index(turn.start)
        turns[at] = turn
    return [
        _act(node, number, span, turns.get(at), unlogged.get(node.id, ""))
        for at, (node, number, span) in enumerate(times)
    ]


def _act(node: Node, number: int, span: Span, turn: Turn | None, unlogged: str) -> Act:
    is_first = number == 1
    beat = Beat(
        node=node.name,
        seconds=(span.end - span.start) / 1000,
        actor=node.actor,
        label=node.label if is_first else "",
        detail=node.detail or "" if is_first else "",
        softwares=node.softwares or "" if is_first else "",
        says=turn.content or "" if turn else unlogged,
        tools=tuple(Tool(c.name, c.input, c.output) for c in turn.tool_calls) if turn else (),
    )
    is_typed = turn is None or turn.start is not None
    return Act(beat, f"{node.id}#{number}", span.start, span.end, is_typed)
