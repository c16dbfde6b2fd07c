"""Which task a column of references belongs to, where a caller does not say."""

from __future__ import annotations

from collections.abc import Sequence

from kolab_core.scores.adoption import ADOPTION
from kolab_core.scores.parsing import (
    LABELS,
    FractionalRatingError,
    parse_label,
    parse_rating,
)
from kolab_core.scores.rating import RATING
from kolab_core.scores.tasks import Task

__all__ = [
    "KIND_OF_CONFIG",
    "find_task",
    "parse",
]

KIND_OF_CONFIG = {
    "adoption": "adoption",
    "adoption_recognition": "adoption",
    "adoption_forecast": "adoption",
    "step_n": "adoption",
    "workflow_level": "adoption",
    "rating": "rating",
    "collab_rating": "rating",
    "output_quality": "rating",
}

_TASKS = {"adoption": ADOPTION, "rating": RATING}
_NAMES = {*LABELS, "reject/bypass", "bypass", "0", "0.0"}
_EITHER = {"1", "1.0", "2", "2.0"}
_HIGH_RATINGS = {f"{rating}{end}" for rating in (3, 4, 5) for end in ("", ".0")}


def parse(answer: object, config: str) -> str | int | None:
    r"""What a model's answer says, as the scores, the command and every harness read it.

    Args:
        answer: As the model wrote it, reasoning included.
        config: The experiment that it answers, like `adoption_forecast`.

    Returns:
        `adopt`, `modify` or `reject`; for `collab_rating` and `output_quality` a whole number from
        1 to 5; None for an invalid answer, a fraction among them.

    Raises:
        ValueError: `config` is no experiment.

    Examples:
        >>> parse("I considered reject, but final answer: **ADOPT**", "adoption_forecast")
        'adopt'
        >>> parse("Score: 4\nReason: step 2 took 3 tries", "output_quality")
        4
    """
    if config not in KIND_OF_CONFIG:
        raise ValueError(f"config: found {config!r}; expected one of {', '.join(KIND_OF_CONFIG)}.")
    if KIND_OF_CONFIG[config] == "adoption":
        label = parse_label(answer)
        return None if label is None else LABELS[label]
    try:
        return parse_rating(answer)
    except FractionalRatingError:
        return None


def find_task(kind: str | None, references: Sequence[str]) -> Task:
    """The task of a kind, or of a config's name; else the one that the references belong to.

    Args:
        kind: `adoption` or `rating`, or the name of a config that holds it; None to look.
        references: The true values as texts. A label's name or a 0 makes them labels; a 3, 4 or 5
            makes them ratings.

    Raises:
        ValueError: An unknown kind, or references that may be either (only 1 and 2) or neither.
    """
    if kind is not None:
        if kind not in KIND_OF_CONFIG:
            raise ValueError(f"kind: found {kind!r}; expected 'adoption' or 'rating'.")
        return _TASKS[KIND_OF_CONFIG[kind]]
    found = {text.strip().lower() for text in references}
    is_labels, is_ratings = bool(found & _NAMES), bool(found & _HIGH_RATINGS)
    if is_labels and not is_ratings:
        return ADOPTION
    if is_ratings and not is_labels:
        return RATING
    sample = ", ".join(sorted(found, key=lambda text: (len(text), text))[:5])
    if found <= _EITHER:
        raise ValueError(
            f"references: found only {sample}, which may be labels or ratings; "
            "expected kind='adoption' or kind='rating' beside them."
        )
    raise ValueError(
        f"references: found {sample}; expected labels (adopt, modify, reject, or 0 to 2) or "
        "ratings (1 to 5), one kind alone."
    )
