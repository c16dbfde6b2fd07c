"""The instances that several models all answered, and their scores on those."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kolab_core.scores.kinds import find_task
from kolab_core.scores.scoring import score_task
from kolab_core.scores.text import as_text

__all__ = ["common_set", "score_common_set"]


def common_set(answers: Mapping[str, Mapping[Any, object]]) -> list[Any]:
    """The instances that every model answered, in the order of the first model's.

    Args:
        answers: For each model its answers by instance id. None and blank text are no answer; text
            that names no label is one (a wrong one).

    Raises:
        ValueError: No model.

    Examples:
        >>> common_set({"a": {"x": "ADOPT", "y": "MODIFY"}, "b": {"y": "ADOPT", "x": None}})
        ['y']
    """
    if not answers:
        raise ValueError("answers: found 0 models; expected at least 1.")
    first, *others = (
        [key for key, answer in given.items() if as_text(answer).strip()]
        for given in answers.values()
    )
    shared = set(first).intersection(*others)
    return [key for key in first if key in shared]


def score_common_set(
    answers: Mapping[str, Mapping[Any, object]],
    references: Mapping[Any, object],
    *,
    kind: str | None = None,
    groups: Mapping[Any, object] | None = None,
    **options: Any,
) -> dict[str, dict[str, Any]]:
    """Score several models on the instances that all of them answered (the paper's Tables 15, 16).

    Args:
        answers: For each model its answers by instance id.
        references: The true label or rating of each instance; ids beyond the common set are fine.
        kind: `adoption` or `rating`, or a config's name; None looks at the references.
        groups: The participant of each instance, by id.
        **options: Those of `adoption_scores` or `rating_scores`, but `runs`.

    Returns:
        For each model the result of `adoption_scores` or `rating_scores`; `n` is the same in all.

    Raises:
        ValueError: No instance in common, or one without reference or group; and what the scoring
            functions raise.
    """
    ids = common_set(answers)
    if not ids:
        raise ValueError("answers: found no instance that every model answered; expected one.")
    for name, column in (("references", references), ("groups", groups)):
        if column is not None and (missing := [key for key in ids if key not in column]):
            raise ValueError(
                f"{name}: found none for {missing[0]!r} ({len(missing)} such); expected one for "
                "each instance that every model answered."
            )
    task = find_task(kind, [as_text(references[key]) for key in references])
    truth = [references[key] for key in ids]
    group_of = None if groups is None else [groups[key] for key in ids]
    return {
        model: score_task(task, [given[key] for key in ids], truth, groups=group_of, **options)
        for model, given in answers.items()
    }
