"""What is asked: rows that load one at a time, and the wording that makes questions of them."""

from __future__ import annotations

import functools
import hashlib
import json
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from datasets import Dataset

from kolab_core.predict.answers_file import Key, Setup
from kolab_core.prompts import PROMPT_VERSION, name_setting, render
from kolab_core.prompts.setting import FrameKind, ImageFormat, find_config
from kolab_core.rows.experiments import EXPERIMENTS

__all__ = ["Messages", "Question", "Row", "Rows", "Wording", "choose_config"]

Messages = list[dict[str, Any]]
Row = Mapping[str, Any]

_DIGITS = 16


@dataclass(frozen=True)
class Question:
    """A row to ask about in one run.

    Attributes:
        key: The row's id, and the run.
        load: Gives the row.
    """

    key: Key
    load: Callable[[], Row]


@dataclass(frozen=True)
class Wording:
    """How a row becomes messages: `render` with all its options."""

    config: str
    modalities: Iterable[str]
    num_frames: int
    size: int | None
    frames: FrameKind
    image_format: ImageFormat
    max_chars: int | None

    @property
    def setup(self) -> Setup:
        """What the answers' file says of it; what makes no difference in the setting is left out.

        Raises:
            TypeError: A modality or a number is none.
            ValueError: A modality is none.
        """
        setting = name_setting(self.modalities)
        options: dict[str, Any] = {"max_chars": _plain(self.max_chars)}
        if "video" in self.modalities:
            options |= {
                "frames": self.frames,
                "num_frames": _plain(self.num_frames),
                "size": _plain(self.size),
                "image_format": self.image_format,
            }
        return Setup(self.config, setting, PROMPT_VERSION, options)

    def write(self, row: Row) -> Messages:
        """The messages to send."""
        return self._render(row, self.frames)

    def digest(self, row: Row) -> str:
        """What tells one question from another: all that is said, without the pictures."""
        asked = self._render(row, "none")
        text = json.dumps(asked, sort_keys=True, default=operator.index)  # NumPy's numbers
        return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]

    def _render(self, row: Row, frames: FrameKind) -> Messages:
        return render(
            row,
            self.modalities,
            config=self.config,
            num_frames=self.num_frames,
            size=self.size,
            frames=frames,
            image_format=self.image_format,
            max_chars=self.max_chars,
        )


class Rows:
    """Rows that can be gone through again and again, each loaded when somebody asks for it.

    Attributes:
        first: The first row.
        ids: Those of all rows, where they are known beforehand.
    """

    def __init__(self, ds: Iterable[Row]) -> None:
        """Look at the first row.

        Raises:
            TypeError: `ds` is no rows, or can be gone through once only.
            ValueError: There is no row.
        """
        if isinstance(ds, Mapping | str) or not isinstance(ds, Iterable) or iter(ds) is ds:
            raise TypeError(
                f"ds: found {type(ds).__name__}; expected the rows of one split: a dataset, a "
                "stream of `datasets`, or a list."
            )
        self._ds = ds.with_format(None) if isinstance(ds, Dataset) else ds
        first = next(iter(self._ds), None)
        if first is None:
            raise ValueError("ds: found no row; expected at least 1.")
        self.first: Row = first
        self.ids: list[str] | None = None
        if isinstance(ds, Dataset):
            self.ids = ds.select_columns(["id"]).with_format("arrow")[:]["id"].to_pylist()

    def __iter__(self) -> Iterator[tuple[str, Callable[[], Row]]]:
        """Each row's id, and what gives the row.

        Raises:
            ValueError: An id that occurs twice.
        """
        seen: set[str] = set()
        for name, load in self._each():
            if name in seen:
                raise ValueError(f"ds: found the id {name!r} twice; expected it once.")
            seen.add(name)
            yield name, load

    def _each(self) -> Iterator[tuple[str, Callable[[], Row]]]:
        if self.ids is None:
            for row in self._ds:
                yield row["id"], functools.partial(_itself, row)
        else:
            for index, name in enumerate(self.ids):
                yield name, functools.partial(_load, self._ds, index)


def choose_config(ds: object, first: Row, config: str | None) -> str:
    """The experiment: the one asked for, the dataset's own, or the one that the rows tell.

    Raises:
        ValueError: They contradict each other, or none of them tells.
    """
    own = getattr(ds, "config_name", None)
    if own in EXPERIMENTS:
        if config not in (None, own):
            raise ValueError(f"config: found {config!r}; expected {own!r}, the dataset's own.")
        config = str(own)
    return find_config(first, config)


def _itself(row: Row) -> Row:
    return row


def _load(ds: Any, index: int) -> Row:
    row: Row = ds[index]
    return row


def _plain(value: Any) -> int | None:
    """A whole number as JSON can hold it, whatever library it comes from."""
    return None if value is None else operator.index(value)
