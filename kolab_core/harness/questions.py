"""The questions of a run: an experiment's rows that a setting can be shown, and their answers."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import datasets

from kolab_core.names import registry
from kolab_core.prompts import MODALITIES, PROMPT_VERSION, SETTINGS, name_setting
from kolab_core.release import LABELS
from kolab_core.rows.subsets import SubsetName, subset

__all__ = [
    "Questions",
    "describe_question",
    "keep_shown",
    "load_questions",
    "read_modalities",
    "true_answer",
]


@dataclass(frozen=True)
class Questions:
    """What is asked in a run.

    Attributes:
        config: The experiment.
        modalities: What is shown: one or more of video, graph and chat, in this order.
        rows: The rows that have all of it, in the dataset's order.
        num_left_out: How many rows lack a recording or a chat that is to be shown.
    """

    config: str
    modalities: tuple[str, ...]
    rows: datasets.Dataset
    num_left_out: int

    @property
    def setting(self) -> str:
        """The setting's name, as `kolab score` has it: `video-graph`, `chat-only`."""
        return name_setting(self.modalities)


def read_modalities(modalities: str | Sequence[str]) -> tuple[str, ...]:
    """What is to be shown, from a list or from the words of a call.

    Args:
        modalities: Names in a list; or in a text, parted by commas (`video,chat`); or a setting's
            name (`video-chat`, `chat-only`).

    Returns:
        One or more of video, graph and chat, in this order.

    Raises:
        ValueError: Another name, one that is given twice, or none.
        TypeError: Neither a text nor names.

    Examples:
        >>> read_modalities("chat, video"), read_modalities("graph-only"), read_modalities(["chat"])
        (('video', 'chat'), ('graph',), ('chat',))
    """
    if isinstance(modalities, str):
        words = [word.strip() for word in modalities.split(",")]
        modalities = SETTINGS.get(modalities.strip(), words)
    return SETTINGS[name_setting(modalities)]


def load_questions(
    config: str,
    *,
    modalities: str | Sequence[str] = MODALITIES,
    data_dir: str | None = None,
    context_steps: int | None = None,
    subset_name: SubsetName | None = None,
    seed: int = 0,
) -> Questions:
    """The rows of a run.

    Args:
        config: One of the six experiments.
        modalities: What is shown; see `read_modalities`.
        data_dir: The release; by default `KOLAB_DATA_DIR`, else the embedded sample.
        context_steps: For `step_n` alone: how many earlier steps are shown; None asks all three.
        subset_name: One of the paper's subsets, chosen among the rows that have the inputs.
        seed: Of the subset.

    Raises:
        ValueError: One of them is none of what is allowed, or does not fit the config.
        ReleaseError: `data_dir` is no release, or it has errors.
    """
    shown = read_modalities(modalities)
    registry.install()
    options = {} if context_steps is None else {"context_steps": context_steps}
    rows = datasets.load_dataset(
        registry.DATASET_NAME, config, split="test", data_dir=data_dir, **options
    )
    questions = keep_shown(rows, config, shown)
    if subset_name is None:
        return questions
    return dataclasses.replace(questions, rows=subset(questions.rows, subset_name, seed=seed))


def keep_shown(rows: datasets.Dataset, config: str, modalities: Sequence[str]) -> Questions:
    """The rows that have what the modalities show.

    Args:
        rows: Of an experiment.
        config: Its name.
        modalities: One or more of video, graph and chat, in this order.
    """
    there = rows.select_columns(["has_video", "has_chat"])[:]
    lacking = [
        ("video" in modalities and not has_video) or ("chat" in modalities and not has_chat)
        for has_video, has_chat in zip(there["has_video"], there["has_chat"], strict=True)
    ]
    kept = rows.select([place for place, is_lacking in enumerate(lacking) if not is_lacking])
    return Questions(config, tuple(modalities), kept, num_left_out=sum(lacking))


def true_answer(row: Mapping[str, Any]) -> str:
    """A row's label as its word, or its rating, as text."""
    return str(row["rating"]) if "rating" in row else LABELS[row["label"]]


def describe_question(
    row: Mapping[str, Any], config: str, modalities: Sequence[str]
) -> dict[str, Any]:
    """What a harness writes beside an answer, so that it can be scored later.

    Args:
        row: The row that is asked.
        config: The experiment.
        modalities: What is shown of it.

    Returns:
        `config`; `modalities`, the setting's name; `prompt_version`; `participant`, whom intervals
        resample; in `step_n` also `context_steps`.
    """
    described = {
        "config": config,
        "modalities": name_setting(modalities),
        "prompt_version": PROMPT_VERSION,
        "participant": row["participant_id"],
    }
    if "context_steps" in row:
        described["context_steps"] = row["context_steps"]
    return described
