"""Many rows as messages, one at a time, with the rows that lack an input left out and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from kolab_core.prompts.messages import check_options, render
from kolab_core.prompts.setting import (
    MODALITIES,
    FrameKind,
    ImageFormat,
    MissingInputError,
    order_modalities,
)
from kolab_core.rows.experiments import EXPERIMENTS

__all__ = ["Prompt", "Prompts", "render_all"]


@dataclass(frozen=True)
class Prompt:
    """A row's messages.

    Attributes:
        index: The row's place in the dataset, from 0.
        row: The row.
        messages: What `render` gives for it.
    """

    index: int
    row: Mapping[str, Any]
    messages: list[dict[str, Any]]


class Prompts:
    """The rows of a dataset as messages, each made when it is reached.

    It can be gone through again and again; `left_out` tells of the latest time.

    Attributes:
        left_out: How many rows have been left out so far, by the input that they lack.
    """

    def __init__(
        self, rows: Iterable[Mapping[str, Any]], *, is_skipping: bool, options: dict[str, Any]
    ) -> None:
        self._rows = rows
        self._is_skipping = is_skipping
        self._options = options
        self.left_out: Counter[str] = Counter()

    @property
    def num_left_out(self) -> int:
        """How many rows have been left out so far."""
        return self.left_out.total()

    def __iter__(self) -> Iterator[Prompt]:
        self.left_out.clear()
        for index, row in enumerate(self._rows):
            try:
                messages = render(row, **self._options)
            except MissingInputError as err:
                if not self._is_skipping:
                    raise
                self.left_out[err.modality] += 1
            else:
                yield Prompt(index, row, messages)


def render_all(
    ds: Iterable[Mapping[str, Any]],
    modalities: Iterable[str] = MODALITIES,
    *,
    missing: Literal["raise", "skip"] = "raise",
    config: str | None = None,
    num_frames: int = 32,
    size: int | None = 448,
    frames: FrameKind = "images",
    image_format: ImageFormat = "jpeg",
    max_chars: int | None = None,
) -> Prompts:
    """`render` for every row, one at a time.

    Args:
        ds: Rows of one experiment: a dataset, a stream, or a list.
        modalities: As in `render`.
        missing: "raise" stops at a row that lacks an input that the modalities ask for; "skip"
            leaves it out and counts it.
        config: As in `render`; by default the dataset's own name, where it has one.
        num_frames: As in `render`.
        size: As in `render`.
        frames: As in `render`.
        image_format: As in `render`.
        max_chars: As in `render`.

    Returns:
        An iterable of `Prompt` (`index`, `row`, `messages`) with the counts `left_out`.

    Raises:
        TypeError: As in `render`.
        ValueError: `missing` is neither, `config` contradicts the dataset's name, or an option is
            out of range. What a row lacks is raised when it is reached.
    """
    if missing not in ("raise", "skip"):
        raise ValueError(f"missing: found {missing!r}; expected 'raise' or 'skip'.")
    options: dict[str, Any] = {
        "num_frames": num_frames,
        "size": size,
        "frames": frames,
        "image_format": image_format,
        "max_chars": max_chars,
    }
    inputs = order_modalities(modalities)
    check_options(**options)
    return Prompts(
        ds,
        is_skipping=missing == "skip",
        options={"modalities": inputs, "config": _choose_config(ds, config), **options},
    )


def _choose_config(ds: object, config: str | None) -> str | None:
    """The config asked for, or the dataset's own where it tells one."""
    own = getattr(ds, "config_name", None)
    if own not in EXPERIMENTS:
        return config
    if config not in (None, own):
        raise ValueError(f"config: found {config!r}; expected {own!r}, the dataset's own, or None.")
    return str(own)
