"""A session on the clock: every beat with its time.

Times are whole milliseconds of the recording, so that no sum of floats decides what is before
what.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from scripts.synthesis.story import Beat, Look, Story

__all__ = ["Act", "Segment", "Timeline", "lay_out"]


@dataclass(frozen=True)
class Act:
    """A beat with its time `[start, end)` and its name, `<segment key>/<node id>#<occurrence>`."""

    beat: Beat
    name: str
    start: int
    end: int
    is_typed: bool = True
    """False for what was said, but not in the chat's window."""

    @property
    def is_ai(self) -> bool:
        """Whether an AI acts."""
        return self.beat.actor != "user"


@dataclass(frozen=True)
class Segment:
    """A visit with its time and its acts."""

    key: str
    badge: str
    name: str
    action: str
    start: int
    end: int
    acts: tuple[Act, ...]


@dataclass(frozen=True)
class Timeline:
    """A whole session on the clock; `duration` is the recording's length."""

    session_id: str
    look: Look
    segments: tuple[Segment, ...]
    duration: int

    @property
    def acts(self) -> list[Act]:
        """All acts, by start."""
        acts = (act for segment in self.segments for act in segment.acts)
        return sorted(acts, key=lambda act: act.start)


def lay_out(story: Story) -> Timeline:
    """Put a story on the clock.

    Segments follow one another without a gap; a beat with a negative gap starts before the one
    in front of it ends.
    """
    clock = story.lead_in_ms
    segments: list[Segment] = []
    for visit, badge in zip(story.visits, _badges(story), strict=True):
        start, acts, counts = clock, [], Counter[str]()
        for beat in visit.beats:
            begin = max(0, clock + round(beat.gap * 1000))
            counts[beat.node] += 1
            name = f"{visit.key}/{beat.node}#{counts[beat.node]}"
            acts.append(Act(beat, name, begin, begin + round(beat.seconds * 1000)))
            clock = max(clock, acts[-1].end)
        planned = story.plan[visit.step - 1] if visit.step else None
        segments.append(
            Segment(
                key=visit.key,
                badge=badge,
                name=planned.name if planned else visit.name,
                action=planned.action if planned else visit.action,
                start=start,
                end=clock,
                acts=tuple(acts),
            )
        )
    return Timeline(story.session_id, story.look, tuple(segments), clock + story.lead_in_ms)


def _badges(story: Story) -> list[str]:
    badges, customs = [], 0
    for visit in story.visits:
        customs += visit.step is None
        badges.append(f"Custom-{customs}" if visit.step is None else f"Step-{visit.step}")
    return badges
