"""The stories of the sample: three professionals, two sessions each."""

from __future__ import annotations

from scripts.synthesis.stories import accountant, architect, writer
from scripts.synthesis.story import Participant, Story

__all__ = ["PARTICIPANTS", "STORIES"]

PARTICIPANTS: tuple[Participant, ...] = (
    architect.PARTICIPANT,
    accountant.PARTICIPANT,
    writer.PARTICIPANT,
)
STORIES: tuple[Story, ...] = (*architect.SESSIONS, *accountant.SESSIONS, *writer.SESSIONS)
