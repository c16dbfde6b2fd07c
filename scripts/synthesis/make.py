"""Synthetic releases of any size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Literal

import numpy as np

from scripts.synthesis.documents import chat_document, graph_document, workflow_document
from scripts.synthesis.encode import record
from scripts.synthesis.folder import new_release, write_json, write_lines
from scripts.synthesis.population import people_of, tell_story
from scripts.synthesis.quotas import NUM_PAPER_PARTICIPANTS, free_quotas, paper_quotas
from scripts.synthesis.story import Participant, Story
from scripts.synthesis.timeline import lay_out

__all__ = ["make_release"]

_PAPER_MINUTES = 70.0
_SHORT_MINUTES = 2.0
_LONGEST_MINUTES = 180.0


def make_release(
    out: str | Path,
    *,
    participants: int,
    seed: int = 0,
    marginals: Literal["paper"] | None = None,
    recordings: bool = True,
    minutes: float | None = None,
) -> Path:
    """Write a synthetic release of any size, two sessions a participant.

    The same arguments give the same metadata, byte for byte; the recordings are the same for one
    version of PyAV.

    Args:
        out: The folder to make; a release that is there is replaced.
        participants: How many, from 1 to 1023; 50 for the paper's marginals.
        seed: Not negative.
        marginals: "paper" deals out the published counts: 508 steps, 692 instances, their labels
            by sector, the ratings, 114 targets in last steps, 90 programs, 9 AI tools. None draws
            in about those proportions.
        recordings: Whether to encode recordings, too (seconds of work for a minute of video).
        minutes: Mean length of a session, above 0 and up to 180; None for 70 with the paper's
            marginals (116.7 hours in all), else 2.

    Returns:
        The folder.

    Raises:
        ValueError: An argument out of its range.
        FileExistsError: `out` is there and is neither empty nor a release.
    """
    mean_minutes = minutes
    if mean_minutes is None:
        mean_minutes = _PAPER_MINUTES if marginals else _SHORT_MINUTES
    _check_arguments(participants, seed, marginals, mean_minutes)
    rng = np.random.default_rng(seed)
    quotas = paper_quotas(rng) if marginals else free_quotas(participants, rng)
    with new_release(out) as folder:
        sessions = []
        for quota in quotas:
            story = tell_story(quota, seed=seed, mean_minutes=mean_minutes)
            _write_session(folder / "sessions" / story.session_id, story, recordings=recordings)
            sessions.append(story.session_id)
        _write_people(folder, people_of(quotas, seed=seed))
        head = {
            "name": "kolab",
            "version": f"1.0.0-synthetic-{seed}",
            "license": "Apache-2.0",
            "sessions": sessions,
        }
        write_json(folder / "release.json", head)
    return Path(out).absolute()


def _write_session(folder: Path, story: Story, *, recordings: bool) -> None:
    timeline = lay_out(story)
    write_json(folder / "workflow.json", workflow_document(story))
    write_json(folder / "graph.json", graph_document(story, timeline))
    if story.has_chat:
        write_lines(folder / "chat.jsonl", chat_document(timeline))
    if recordings:
        record(timeline, folder)


def _write_people(release: Path, participants: Sequence[Participant]) -> None:
    lines = []
    for person in participants:
        line = asdict(person)
        survey = {"participant_id": person.participant_id, "answers": line.pop("answers")}
        write_json(release / "surveys" / f"{person.participant_id}.json", survey)
        lines.append(line)
    write_lines(release / "participants.jsonl", lines)


def _check_arguments(
    participants: int, seed: int, marginals: str | None, mean_minutes: float
) -> None:
    if marginals not in (None, "paper"):
        raise ValueError(f"marginals: found {marginals!r}; expected 'paper' or None.")
    if marginals and participants != NUM_PAPER_PARTICIPANTS:
        raise ValueError(
            f"participants: found {participants}; expected {NUM_PAPER_PARTICIPANTS} with the "
            "paper's marginals."
        )
    if not 1 <= participants <= 1023:
        raise ValueError(f"participants: found {participants}; expected 1 to 1023.")
    if seed < 0:
        raise ValueError(f"seed: found {seed}; expected 0 or more.")
    if not 0 < mean_minutes <= _LONGEST_MINUTES:
        raise ValueError(
            f"minutes: found {mean_minutes}; expected more than 0 and at most {_LONGEST_MINUTES:g}."
        )
