"""What the task files for lmms-eval call: rows as messages, answers as records, records as scores.

`python -m kolab_core.harness.lmms_eval` prints the folder of the task files, for `--include_path`.

The samples that lmms-eval writes (`--log_samples`) hold under each score's name the same record:
`id`, the row's; `answer` as it was parsed, null for an invalid one; `truth`, a label's word or a
rating as text; and what `describe_question` gives. `filtered_resps` is what the model wrote.
"""

from __future__ import annotations

import base64
import functools
import io
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import datasets
from PIL import Image

from kolab_core.files import find_carried
from kolab_core.harness.answers import Answer, score_answers
from kolab_core.harness.questions import (
    describe_question,
    keep_shown,
    read_modalities,
    true_answer,
)
from kolab_core.prompts import render
from kolab_core.prompts.pictures import clip_of, video_parts
from kolab_core.scorecard.results import TABLE_SCORES
from kolab_core.scores import KIND_OF_CONFIG, parse

__all__ = [
    "MODALITIES_VARIABLE",
    "make_aggregation",
    "record_answer",
    "to_messages",
    "to_pictures",
    "to_questions",
    "to_target",
    "to_text",
]

# lmms-eval has no option of a task's own, and chooses the rows without its options for the model.
MODALITIES_VARIABLE = "KOLAB_MODALITIES"

Row = Mapping[str, Any]
Options = Mapping[str, Any] | None

_DEFAULTS: dict[str, Any] = {"frames": "images", "num_frames": 32, "size": 448, "max_chars": None}
_ENDS = ("", "_low", "_high")


def to_questions(rows: datasets.Dataset) -> datasets.Dataset:
    """The rows that the setting can be shown, each with the name of its config.

    Args:
        rows: As `load_dataset("kolab", config)` gives them.
    """
    questions = keep_shown(rows, str(rows.config_name), _modalities())
    names = [questions.config] * len(questions.rows)
    return questions.rows.add_column("config", names)


def to_messages(row: Row, lmms_eval_specific_kwargs: Options = None) -> list[dict[str, Any]]:
    """A row for models that take messages: pictures among the text, or paths with start and end.

    Args:
        row: Of `to_questions`.
        lmms_eval_specific_kwargs: `frames` (`images`, or `path` for loaders that keep to start and
            end), `num_frames`, `size`, `max_chars`; others are passed over.

    Raises:
        ValueError: An option is none of what is allowed.
    """
    messages = _render(row, _read_options(lmms_eval_specific_kwargs))
    return [
        {"role": message["role"], "content": list(_to_contents(message["content"]))}
        for message in messages
    ]


def to_text(row: Row, options: Options = None) -> str:
    """A row's text for models that take text and pictures apart; see `to_pictures`."""
    messages = _render(row, {**_read_options(options), "frames": "none"})
    parts = [part for message in messages for part in _to_contents(message["content"])]
    return "\n\n".join(part["text"] for part in parts)


def to_pictures(row: Row, options: Options = None) -> list[Image.Image]:
    """A row's frames for models that take text and pictures apart; they have no path with times."""
    if "video" not in _modalities():
        return []
    asked = {name: _read_options(options)[name] for name in ("num_frames", "size")}
    parts = video_parts(clip_of(row), frames="images", image_format="jpeg", **asked)
    return [part["url"] for part in _to_contents(parts) if part["type"] == "image"]


def to_target(row: Row) -> str:
    """A row's label as its word, or its rating."""
    return true_answer(row)


def record_answer(row: Row, results: Sequence[str]) -> dict[str, dict[str, Any]]:
    """An answer as the record that every score is made of, by the scores' names.

    Args:
        row: Of `to_questions`.
        results: What the model wrote, first of all.
    """
    config = row["config"]
    parsed = parse(results[0], config)
    record = {
        "id": row["id"],
        **describe_question(row, config, _modalities()),
        "answer": None if parsed is None else str(parsed),
        "truth": true_answer(row),
    }
    return dict.fromkeys(_score_names(KIND_OF_CONFIG[config]), record)


def make_aggregation(name: str) -> Callable[[Sequence[Row]], float]:
    """From the records of a run to one score.

    Args:
        name: A score of `kolab_adoption` or `kolab_rating` that the paper's tables have, or its
            `_low` or `_high`; or `n_invalid`.

    Raises:
        AttributeError: Another name.
    """
    kinds = [kind for kind in TABLE_SCORES if name in _score_names(kind)]
    if not kinds:
        raise AttributeError(f"found {name!r}; expected the name of a score.")

    def aggregate(records: Sequence[Row]) -> float:
        kind = KIND_OF_CONFIG[records[0]["config"]]
        answers = tuple(
            Answer(answer=each["answer"], truth=each["truth"], participant=each["participant"])
            for each in records
        )
        return _score(answers, kind)[name]

    aggregate.__name__ = name
    return aggregate


@functools.lru_cache(maxsize=2)
def _score(answers: tuple[Answer, ...], kind: str) -> dict[str, float]:
    """All scores at once; each is asked for on its own."""
    return score_answers(answers, kind)


def _score_names(kind: str) -> list[str]:
    return [f"{name}{end}" for name in TABLE_SCORES[kind] for end in _ENDS] + ["n_invalid"]


def _modalities() -> tuple[str, ...]:
    return read_modalities(os.environ.get(MODALITIES_VARIABLE) or "video-graph-chat")


def _read_options(options: Options) -> dict[str, Any]:
    return {name: (options or {}).get(name, default) for name, default in _DEFAULTS.items()}


def _render(row: Row, options: Mapping[str, Any]) -> list[dict[str, Any]]:
    return render(row, _modalities(), config=row["config"], **options)


def _to_contents(content: str | Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """The parts of a message as lmms-eval has them; the place of frames is none."""
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    for part in content:
        if part["type"] == "text":
            yield dict(part)
        elif part["type"] == "image_url":
            data = base64.b64decode(part["image_url"]["url"].partition(",")[2])
            yield {"type": "image", "url": Image.open(io.BytesIO(data)).convert("RGB")}
        elif part["type"] == "video":
            yield {
                "type": "video",
                "url": part["video"],
                "start_time": part["video_start"],
                "end_time": part["video_end"],
            }
        elif part["type"] == "video_url":
            raise ValueError("frames: found 'native'; expected 'images' or 'path'.")


if __name__ == "__main__":
    sys.stdout.write(f"{find_carried('integrations') / 'lmms_eval'}\n")
