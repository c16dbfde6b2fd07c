"""A story on the clock: every beat with its time, and every response with what it points at.

Times are whole milliseconds of the recording, so that no sum of floats decides what is before
what.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from scripts.synthesis.story import Beat, Response, Story, Visit

__all__ = ["Act", "Segment", "Timeline", "lay_out"]


@dataclass(frozen=True)
class Act:
    """A beat with its time `[start, end)` and its place."""

    beat: Beat
    segment_key: str
    start: int
    end: int

    @property
    def is_ai(self) -> bool:
        """Whether an AI acts."""
        return self.beat.actor != "user"


@dataclass(frozen=True)
class Segment:
    """A visit with its time and its acts, in the order of telling."""

    visit: Visit
    badge: str
    name: str
    action: str
    start: int
    end: int
    acts: tuple[Act, ...]


@dataclass(frozen=True)
class Timeline:
    """A whole session on the clock; `duration` is the recording's length."""

    story: Story
    segments: tuple[Segment, ...]
    duration: int
    _by_name: dict[str, Act] = field(repr=False)

    @property
    def acts(self) -> list[Act]:
        """All acts that have a time, by start."""
        acts = (act for segment in self.segments for act in segment.acts if act.beat.has_time)
        return sorted(acts, key=lambda act: act.start)

    def find(self, name: str) -> Act:
        """The act that `<segment key>/<node id>[#occurrence]` names.

        Raises:
            ValueError: The story has no such beat.
        """
        try:
            return self._by_name[name if "#" in name else f"{name}#1"]
        except KeyError as err:
            raise ValueError(
                f"{self.story.session_id}: found the beat name {name!r}; "
                "expected '<segment key>/<node id>' or that with '#<occurrence>' behind it."
            ) from err


def lay_out(story: Story) -> Timeline:
    """Put a story on the clock.

    Segments follow one another without a gap; a beat with a negative gap starts before the one
    in front of it ends.

    Raises:
        ValueError: A response of the story points at a beat that is not there, or that is not an
            AI's.
    """
    clock = story.lead_in_ms
    segments: list[Segment] = []
    names: dict[str, Act] = {}
    for visit, badge in zip(story.visits, _badges(story), strict=True):
        start, acts = clock, []
        for beat in visit.beats:
            act, clock = _place(beat, visit.key, clock)
            acts.append(act)
            count = 1 + sum(other.beat.node == beat.node for other in acts[:-1])
            names[f"{visit.key}/{beat.node}#{count}"] = act
        clock = max([clock, *(act.end for act in acts)])
        planned = story.plan[visit.step - 1] if visit.step else None
        segments.append(
            Segment(
                visit=visit,
                badge=badge,
                name=visit.name or (planned.name if planned else ""),
                action=visit.action or (planned.action if planned else ""),
                start=start,
                end=clock,
                acts=tuple(acts),
            )
        )
    timeline = Timeline(story, tuple(segments), clock + story.lead_in_ms, names)
    for act in names.values():
        for response in act.beat.responses:
            _check_response(timeline, act, response)
    return timeline


def _place(beat: Beat, key: str, clock: int) -> tuple[Act, int]:
    if not beat.has_time:
        return Act(beat, key, clock, clock), clock
    start = max(0, clock + round(beat.gap * 1000))
    act = Act(beat, key, start, start + round(beat.seconds * 1000))
    return act, max(clock, act.end)


def _badges(story: Story) -> list[str]:
    badges, customs = [], 0
    for visit in story.visits:
        customs += visit.step is None
        badges.append(f"Custom-{customs}" if visit.step is None else f"Step-{visit.step}")
    return badges


def _check_response(timeline: Timeline, act: Act, response: Response) -> None:
    output = timeline.find(response.output)
    if not output.is_ai or act.is_ai or output.start > act.start:
        raise ValueError(
            f"{timeline.story.session_id}: {act.segment_key}/{act.beat.node} > responses: found "
            f"{response.output!r}; expected an AI's beat that starts before this user's beat."
        )
    if response.source:
        timeline.find(response.source)
