"""The functions that the task files name; lmms-eval imports this file by its path."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import kolab  # noqa: F401  # teaches `datasets` the name that the tasks load
from kolab_core.harness.lmms_eval import (
    make_aggregation,
    record_answer,
    to_messages,
    to_pictures,
    to_questions,
    to_target,
    to_text,
)

__all__ = [
    "record_answer",
    "to_messages",
    "to_pictures",
    "to_questions",
    "to_target",
    "to_text",
]


def __getattr__(name: str) -> Callable[..., Any]:
    """The aggregation of a score, by the score's name."""
    return make_aggregation(name)
