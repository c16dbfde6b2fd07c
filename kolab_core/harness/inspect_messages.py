"""A prompt's chat messages in inspect-ai's own types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    Content,
    ContentImage,
    ContentText,
    ContentVideo,
)

__all__ = ["PLACE", "to_contents", "to_messages", "without_pictures"]

# Where a sample's input has a recording to come; as it stands in the log.
PLACE = "[The recording is shown here when the sample runs.]"
# As inspect-ai itself writes where it is told not to log images.
_REMOVED = "<base64-data-removed>"


def to_messages(rendered: Iterable[Mapping[str, Any]]) -> list[ChatMessage]:
    """What `kolab.render` gives, as messages; `PLACE` stands where frames are still to come."""
    kinds = {"system": ChatMessageSystem, "user": ChatMessageUser}
    return [
        kinds[message["role"]](
            content=message["content"]
            if isinstance(message["content"], str)
            else to_contents(message["content"])
        )
        for message in rendered
    ]


def to_contents(parts: Iterable[Mapping[str, Any]]) -> list[Content]:
    """The parts of a message's content."""
    return [_to_content(part) for part in parts]


def without_pictures(messages: Iterable[ChatMessage]) -> list[ChatMessage]:
    """The messages with a note in place of each picture's and each video's data."""
    return [
        message
        if isinstance(message.content, str)
        else message.model_copy(update={"content": [_strip(part) for part in message.content]})
        for message in messages
    ]


def _to_content(part: Mapping[str, Any]) -> Content:
    if part["type"] == "text":
        return ContentText(text=part["text"])
    if part["type"] == "image_url":
        return ContentImage(image=part["image_url"]["url"])
    if part["type"] == "video_url":
        return ContentVideo(video=part["video_url"]["url"], format="mp4")
    return ContentText(text=PLACE)


def _strip(part: Content) -> Content:
    if isinstance(part, ContentImage):
        return part.model_copy(update={"image": _REMOVED})
    if isinstance(part, ContentVideo):
        return part.model_copy(update={"video": _REMOVED})
    return part
