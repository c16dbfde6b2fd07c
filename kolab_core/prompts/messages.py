"""From a row to the messages that a model is sent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kolab_core.clip import Clip
from kolab_core.clip.arguments import check_whole
from kolab_core.prompts.contents import Contents, list_items, write_contents
from kolab_core.prompts.fences import choose_mark, one_line
from kolab_core.prompts.pictures import clip_of, clip_time, describe_clip, video_parts
from kolab_core.prompts.professions import name_profession
from kolab_core.prompts.setting import (
    MODALITIES,
    FrameKind,
    ImageFormat,
    MissingInputError,
    check_pictures,
    find_config,
    order_modalities,
)
from kolab_core.prompts.templates import PROMPT_VERSION, fill, read_template, read_text

__all__ = ["check_options", "find_missing", "render"]

Message = dict[str, Any]
Slots = dict[str, str | None]

_NAMES = ("goal", "ai_action_step", "user_action_step", "step_name")


def render(
    row: Mapping[str, Any],
    modalities: Iterable[str] = MODALITIES,
    *,
    config: str | None = None,
    num_frames: int = 32,
    size: int | None = 448,
    frames: FrameKind = "images",
    image_format: ImageFormat = "jpeg",
    max_chars: int | None = None,
) -> list[Message]:
    """The question of a row as chat messages: a system message, and one of the user in parts.

    Nothing is in them but what a model may be shown: no id, label or rating, and not the
    recording's name, except with `frames="path"`, which names the file.

    Args:
        row: Of an experiment, as `load_dataset("kolab", …)` gives it; `video` may be a plain
            struct.
        modalities: The inputs, one or more of video, graph and chat.
        config: The experiment. Rows of `adoption_recognition` and `step_n` tell it themselves,
            rows of the others share their columns with another one.
        num_frames: Frames at the centres of equal parts of the clip (images).
        size: Their short side in pixels, None for the recording's (images).
        frames: "images" gives `image_url` parts of data URLs, each below its time in the clip;
            "native" one `video_url` part, the clip as an MP4 file in a data URL (near-lossless, in
            the recording's size); "path" one `video` part an interval, with the recording's path
            and its `video_start` and `video_end` in seconds; "none" one `frames` part, which
            `attach_frames` replaces with what "images" gives.
        image_format: "jpeg" (quality 90) or "png" (images).
        max_chars: The most characters that nodes, arrows and turns may take up together; the
            oldest are left out, and the text says how many. None for all.

    Returns:
        Two messages, `{"role", "content"}`. The system's content is a text whose last line
        names `PROMPT_VERSION`, the user's a list of parts `{"type": …}`.

    Raises:
        ClipError: The recording cannot give its frames (images, native).
        MissingInputError: The row has no recording, or no turn of the chat, and the modalities ask
            for it.
        TypeError: An argument of the wrong type.
        ValueError: An argument out of range, a row of no experiment, or a config that is needed
            and missing, or does not fit the row.
    """
    config = find_config(row, config)
    inputs = order_modalities(modalities)
    check_options(
        num_frames=num_frames,
        size=size,
        frames=frames,
        image_format=image_format,
        max_chars=max_chars,
    )
    _check_columns(row, inputs)
    clip = clip_of(row) if "video" in inputs else None
    _check_chat(row, inputs)
    contents = write_contents(row, inputs, max_chars=max_chars)
    slots = _fill_session(row, clip, contents)
    template = read_template(config)
    before = [fill(template.before, slots)]
    after = fill(template.after, slots)
    if clip is None:
        parts = [_text_part("\n\n".join([*before, after]))]
    else:
        before.append(fill(read_text("video"), describe_clip(clip)))
        parts = [_text_part("\n\n".join(before))]
        parts += video_parts(
            clip, frames=frames, num_frames=num_frames, size=size, image_format=image_format
        )
        parts.append(_text_part(after))
    return [
        {"role": "system", "content": fill(template.system, slots)},
        {"role": "user", "content": parts},
    ]


def find_missing(row: Mapping[str, Any], modalities: Iterable[str]) -> MissingInputError | None:
    """The first input among the modalities that the row lacks, as `render` would say it."""
    inputs = order_modalities(modalities)
    try:
        if "video" in inputs:
            clip_of(row)
        _check_chat(row, inputs)
    except MissingInputError as err:
        return err
    return None


def check_options(
    *, num_frames: int, size: int | None, frames: str, image_format: str, max_chars: int | None
) -> None:
    """Whether the options of `render` can be met, whatever the row.

    Raises:
        TypeError: One of the wrong type.
        ValueError: One out of range.
    """
    check_pictures(num_frames=num_frames, size=size, image_format=image_format, frames=frames)
    check_whole("max_chars", max_chars, is_optional=True)
    if max_chars is not None and max_chars < 1:
        raise ValueError(f"max_chars: found {max_chars!r}; expected at least 1, or None.")


def _check_columns(row: Mapping[str, Any], inputs: tuple[str, ...]) -> None:
    for name in ("occupation", "goal", *inputs):
        if name not in row:
            raise ValueError(
                f"row: found no column {name!r}; expected the columns of its experiment."
            )


def _check_chat(row: Mapping[str, Any], inputs: tuple[str, ...]) -> None:
    if "chat" in inputs and not list_items(row["chat"]):
        raise MissingInputError("chat", "a row without a turn of the chat", "one with turns")


def _fill_session(row: Mapping[str, Any], clip: Clip | None, contents: Contents) -> Slots:
    """Every slot of an experiment's template, but for the place of the recording."""
    profession = name_profession(row["occupation"])
    named = {name: one_line(row.get(name) or "") or None for name in _NAMES}
    texts = [profession.phrase, profession.plural, *(text or "" for text in named.values())]
    mark = choose_mark([*texts, *contents.texts])
    target = row.get("target")
    times = None
    if clip is not None and target is not None:
        times = f"{clip_time(clip, target['start'])} to {clip_time(clip, target['end'])}"
    blocks = {"graph": contents.graph, "chat": contents.chat}
    written = {
        name: None if block is None else fill(read_text(name), {**block, "mark": mark})
        for name, block in blocks.items()
    }
    return {
        "version": PROMPT_VERSION,
        "mark": mark,
        "profession": profession.phrase,
        "professionals": profession.plural,
        **named,
        "target_time": times,
        **written,
    }


def _text_part(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}
