"""How long the clip of each row is, without making the rows."""

from __future__ import annotations

from collections.abc import Iterator

from kolab_core.release import Session
from kolab_core.rows import windows
from kolab_core.rows.experiments import CONTEXT_STEPS
from kolab_core.rows.windows import Window

__all__ = ["ClipKind", "clip_lengths"]

ClipKind = tuple[str, int | None]
"""A config, and in `step_n` the number of preceding steps."""


def clip_lengths(session: Session) -> Iterator[tuple[ClipKind, int]]:
    """The summed length of each row's intervals, in milliseconds, and of the whole session.

    A row that cannot be made (its window does not show its AI output) has none.
    """
    yield ("sessions", None), _length(windows.session_window(session))
    for response in session.responses:
        yield ("adoption_recognition", None), _length(windows.recognition_window(response))
        yield ("adoption_forecast", None), _length(windows.forecast_window(response))
        if not windows.is_last_step_target(session, response):
            continue
        for number in CONTEXT_STEPS:
            window = windows.step_n_window(session, response, num_steps=number).window
            if windows.shows_target(window, response):
                yield ("step_n", number), _length(window)
        window = windows.workflow_window(session, response)
        if windows.shows_target(window, response):
            yield ("workflow_level", None), _length(window)
    for step in session.workflow.steps:
        window = windows.step_window(session, step.number)
        ratings = (step.collaboration.rating, step.output_quality.rating)
        for config, rating in zip(("collab_rating", "output_quality"), ratings, strict=True):
            if rating is not None and window:
                yield (config, None), _length(window)


def _length(window: Window) -> int:
    return sum(part.end - part.start for part in window)
