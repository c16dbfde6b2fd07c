"""The solver that shows a model its frames, and lets go of them once it has answered."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator

import anyio
from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import ChatMessage, Content, ContentText
from inspect_ai.solver import Generate, Solver, TaskState, solver

from kolab_core.harness.inspect_messages import PLACE, without_pictures
from kolab_core.harness.inspect_names import of_kolab

__all__ = ["show_and_ask"]

ReadFrames = Callable[[str], list[Content]]


@solver
@of_kolab
def show_and_ask(read_frames: ReadFrames, *, log_frames: bool = False) -> Solver:
    """Put frames where a sample's input has a place for them, ask the model, take them out again.

    They are decoded in a thread when the sample runs, so that as many samples hold frames as run
    at a time. Neither the sample's messages nor, unless asked for, the log's events keep them.

    Args:
        read_frames: From a sample's id to what is shown in the place.
        log_frames: Whether the log's model events keep the frames and the calls as they were sent.
    """
    # As many at a time as there are cores; made in the loop that the samples run in.
    limiters: list[anyio.CapacityLimiter] = []

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        plain = state.messages
        if not any(_has_place(message) for message in plain):
            return await generate(state)
        limiters.extend([] if limiters else [anyio.CapacityLimiter(os.cpu_count() or 1)])
        shown = await anyio.to_thread.run_sync(
            read_frames, str(state.sample_id), limiter=limiters[0]
        )
        state.messages = [_fill_place(message, shown) for message in plain]
        with contextlib.nullcontext() if log_frames else _unlogged():
            try:
                state = await generate(state)
            finally:
                state.messages = [*plain, *state.messages[len(plain) :]]
        return state

    return solve


def _has_place(message: ChatMessage) -> bool:
    return not isinstance(message.content, str) and any(map(_is_place, message.content))


def _is_place(part: Content) -> bool:
    return isinstance(part, ContentText) and part.text == PLACE


def _fill_place(message: ChatMessage, shown: list[Content]) -> ChatMessage:
    if isinstance(message.content, str):
        return message
    parts = [new for part in message.content for new in (shown if _is_place(part) else [part])]
    return message.model_copy(update={"content": parts})


@contextlib.contextmanager
def _unlogged() -> Iterator[None]:
    """Keep pictures out of the model events made inside, and of the calls recorded with them."""
    record = transcript()
    before = {event.uuid for event in record.events}
    known = set(record.attachments)
    try:
        yield
    finally:
        for event in record.events:
            if isinstance(event, ModelEvent) and event.uuid not in before:
                event.input = without_pictures(event.input)
                event.call = None
        for key in set(record.attachments) - known:
            del record.attachments[key]
