"""The windows: which part of a recording each experiment shows, in milliseconds, half-open.

| experiment | window |
|---|---|
| adoption_recognition (1a) | the source's start to the later end of response and AI output |
| adoption_forecast (1b) | the source's start to the AI output's end |
| step_n (1c) | the last step and N steps before it, up to the AI output's end |
| workflow_level (1d) | the first segment's start to the AI output's end |
| collab_rating, output_quality (2a, 2b) | all segments of the step |

Without a source 1a and 1b start at the AI output's start. A segment without length counts as none.
"""

from __future__ import annotations

from dataclasses import dataclass

from kolab_core.release import Response, Segment, Session, Span
from kolab_core.rows.graph import clip_span, merge_spans

__all__ = [
    "StepsWindow",
    "Window",
    "find_last_step",
    "forecast_window",
    "is_last_step_target",
    "recognition_window",
    "session_window",
    "shows_target",
    "step_n_window",
    "step_window",
    "workflow_window",
]

Window = tuple[Span, ...]


@dataclass(frozen=True)
class StepsWindow:
    """The window of 1c and how many preceding steps it could use."""

    window: Window
    num_available: int


def recognition_window(response: Response) -> Window:
    """1a: up to the later end of the person's response and the AI output."""
    end = max(response.response.span.end, response.target.span.end)
    return (Span(_start_of(response), end),)


def forecast_window(response: Response) -> Window:
    """1b: up to the AI output's end, with nothing of the response."""
    return (Span(_start_of(response), response.target.span.end),)


def workflow_window(session: Session, response: Response) -> Window:
    """1d: from the earliest start of a segment; empty if that is not before the AI output's end."""
    segments = _with_length(session)
    end = response.target.span.end
    start = min((segment.span.start for segment in segments), default=end)
    return merge_spans([Span(start, end)])


def step_n_window(session: Session, response: Response, *, num_steps: int) -> StepsWindow:
    """1c: the last step and `num_steps` planned steps before it by number, clipped to the AI end.

    Candidates are the planned steps that have a segment starting before the AI output's end; where
    there are fewer than asked for, all of them are used.
    """
    end = response.target.span.end
    last = find_last_step(session)
    started = [s for s in _with_length(session) if s.step is not None and s.span.start < end]
    preceding = sorted({s.step for s in started if s.step is not None and s.step != last})
    chosen = {*preceding[-num_steps:], last}
    window = merge_spans(clip_span(s.span, end) for s in started if s.step in chosen)
    return StepsWindow(window, min(num_steps, len(preceding)))


def step_window(session: Session, number: int) -> Window:
    """2a and 2b: all segments of a planned step; empty without one."""
    return merge_spans(s.span for s in session.segments if s.step == number)


def session_window(session: Session) -> Window:
    """From the earliest start of a segment to the latest end; empty without segments."""
    segments = _with_length(session)
    if not segments:
        return ()
    return (Span(min(s.span.start for s in segments), max(s.span.end for s in segments)),)


def find_last_step(session: Session) -> int | None:
    """The planned step with the highest number that has a segment; None without one."""
    return max((s.step for s in _with_length(session) if s.step is not None), default=None)


def is_last_step_target(session: Session, response: Response) -> bool:
    """Whether 1c and 1d ask about this response: its source and AI node lie in the last step."""
    last = find_last_step(session)
    return (
        last is not None
        and response.source is not None
        and response.source.node.segment.step == last
        and response.target.node.segment.step == last
    )


def shows_target(window: Window, response: Response) -> bool:
    """Whether a window of 1c or 1d shows the start of the AI output; without it there is no row."""
    return bool(window) and response.target.span.start < window[-1].end


def _with_length(session: Session) -> list[Segment]:
    return [segment for segment in session.segments if segment.span.start < segment.span.end]


def _start_of(response: Response) -> int:
    return response.source.span.start if response.source else response.target.span.start
