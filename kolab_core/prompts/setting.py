"""What is asked for: which experiment, which inputs, and how pictures come; checked first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from kolab_core.clip.arguments import check_whole
from kolab_core.release import show_value
from kolab_core.rows.experiments import EXPERIMENTS

__all__ = [
    "MODALITIES",
    "SETTINGS",
    "FrameKind",
    "ImageFormat",
    "MissingInputError",
    "check_pictures",
    "find_config",
    "name_setting",
    "order_modalities",
]

FrameKind = Literal["images", "native", "path", "none"]
ImageFormat = Literal["jpeg", "png"]

MODALITIES = ("video", "graph", "chat")
# The seven input settings, by the names that published results have for them.
SETTINGS: Mapping[str, tuple[str, ...]] = {
    "video-only": ("video",),
    "graph-only": ("graph",),
    "chat-only": ("chat",),
    "video-graph": ("video", "graph"),
    "video-chat": ("video", "chat"),
    "graph-chat": ("graph", "chat"),
    "video-graph-chat": MODALITIES,
}


class MissingInputError(ValueError):
    """A row lacks an input that the setting needs; `modality` says which."""

    def __init__(self, modality: str, found: str, expected: str) -> None:
        self.modality = modality
        self.found = found
        self.expected = expected
        super().__init__(modality, found, expected)

    def __str__(self) -> str:
        return (
            f"{self.modality}: found {self.found}; expected {self.expected}. Leave "
            f"{self.modality!r} out of the modalities, or leave such rows out."
        )


@dataclass(frozen=True)
class _Mark:
    """Columns that tell an experiment's rows, and the experiments whose rows have them."""

    column: str
    configs: tuple[str, ...]


# The first that fits decides: the more special column comes first.
_MARKS = (
    _Mark("user_action_step", ("adoption_recognition",)),
    _Mark("context_steps", ("step_n",)),
    _Mark("ai_action_step", ("adoption_forecast", "workflow_level")),
    _Mark("step_name", ("collab_rating", "output_quality")),
)


def find_config(row: Mapping[str, Any], config: str | None = None) -> str:
    """The experiment whose question a row asks.

    Args:
        row: A row of an experiment.
        config: Its name. Rows of `adoption_recognition` and `step_n` tell it by their columns;
            for the others it is needed.

    Raises:
        ValueError: An unknown name, one that the row's columns contradict, none where it is
            needed, or a row of no experiment.
    """
    if config is not None and config not in EXPERIMENTS:
        raise ValueError(
            f"config: found {show_value(config)}; expected one of {', '.join(EXPERIMENTS)}."
        )
    fitting = next((mark.configs for mark in _MARKS if mark.column in row), None)
    if fitting is None:
        columns = ", ".join(mark.column for mark in _MARKS)
        raise ValueError(
            f"row: found none of the columns {columns}; expected a row of an experiment "
            f"({', '.join(EXPERIMENTS)})."
        )
    words = " or ".join(repr(name) for name in fitting)
    if config is None and len(fitting) > 1:
        raise ValueError(
            f"config: found None with a row whose columns {words} share; expected the name of one "
            "of the two. Give config=…"
        )
    if config is not None and config not in fitting:
        raise ValueError(f"config: found {config!r}; expected {words}, whose columns the row has.")
    return fitting[0] if config is None else config


def order_modalities(modalities: Iterable[str]) -> tuple[str, ...]:
    """The inputs in the order video, graph, chat.

    Raises:
        TypeError: Not a sequence of names.
        ValueError: An unknown name, a name twice, or none at all.
    """
    expected = "one or more of 'video', 'graph', 'chat', each once"
    if isinstance(modalities, str) or not isinstance(modalities, Iterable):
        raise TypeError(
            f"modalities: found {show_value(modalities)}; expected a sequence with {expected}."
        )
    asked = list(modalities)
    for name in asked:
        if name not in MODALITIES:
            raise ValueError(f"modalities: found {show_value(name)}; expected {expected}.")
    if not asked or len(set(asked)) < len(asked):
        raise ValueError(f"modalities: found {show_value(asked)}; expected {expected}.")
    return tuple(name for name in MODALITIES if name in asked)


def name_setting(modalities: Iterable[str]) -> str:
    """The setting's name as published results have it, such as `video-graph` or `chat-only`.

    Raises:
        TypeError: As in `order_modalities`.
        ValueError: As in `order_modalities`.
    """
    ordered = order_modalities(modalities)
    return next(name for name, inputs in SETTINGS.items() if inputs == ordered)


def check_pictures(
    *, num_frames: int, size: int | None, image_format: str, frames: str = "images"
) -> None:
    """Whether pictures can come as asked.

    Raises:
        TypeError: `num_frames` or `size` is no whole number.
        ValueError: One of the four is none of what is allowed.
    """
    check_whole("num_frames", num_frames)
    check_whole("size", size, is_optional=True)
    if num_frames < 1:
        raise ValueError(f"num_frames: found {num_frames!r}; expected at least 1.")
    if size is not None and size < 1:
        raise ValueError(f"size: found {size!r}; expected at least 1 pixel, or None.")
    _check_one_of("frames", frames, get_args(FrameKind))
    _check_one_of("image_format", image_format, get_args(ImageFormat))


def _check_one_of(name: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        words = " or ".join(map(repr, allowed)) if len(allowed) < 3 else ", ".join(allowed)
        lead = "" if len(allowed) < 3 else "one of "
        raise ValueError(f"{name}: found {show_value(value)}; expected {lead}{words}.")
