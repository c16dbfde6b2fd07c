"""From parsed answers to the numbers that a harness prints: the scores of the paper's tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from kolab_core.scorecard.results import TABLE_SCORES
from kolab_core.scores import KIND_OF_CONFIG, adoption_scores, rating_scores

__all__ = ["Answer", "score_answers"]

_COUNTS = ("n", "n_invalid", "n_groups", "n_runs")
_ENDS = ("", "_std", "_low", "_high")


@dataclass(frozen=True)
class Answer:
    """An answer to one question in one run.

    Attributes:
        answer: A label's word or a rating, or an answer as a model writes it; None for an invalid
            one.
        truth: The label's word, or the rating as text.
        participant: Whom the intervals resample.
        run: Which run it is of.
        context_steps: In `step_n` how many earlier steps were shown, else None.
    """

    answer: str | None
    truth: str
    participant: str
    run: int = 0
    context_steps: int | None = None


def score_answers(
    answers: Iterable[Answer],
    config: str,
    *,
    confidence: float = 0.95,
    rounds: int = 10_000,
    seed: int = 0,
    ddof: int = 1,
) -> dict[str, float]:
    """The scores of a run, or of several as mean and standard deviation, as `kolab score` has them.

    Args:
        answers: Of all runs, in any order.
        config: The experiment, or its kind of answer: `adoption` or `rating`.
        confidence: The share of the intervals, which resample participants.
        rounds: Of the bootstrap.
        seed: Of the bootstrap.
        ddof: Of the standard deviation over runs.

    Returns:
        Numbers alone, named as the metrics `kolab_adoption` and `kolab_rating` name them: the
        scores of the paper's tables, each followed by its `_std` (several runs only), `_low` and
        `_high`; then `n`, `n_invalid`, `n_groups` and, for several runs, `n_runs`. A score that is
        undefined is NaN, and so is an interval that has only one participant. Answers with
        different `context_steps` are scored apart, and each name ends in `_context_<number>`.
        Without any answer nothing.

    Raises:
        ValueError: An unknown config or a truth that is none.

    Examples:
        >>> scores = score_answers(
        ...     [Answer("adopt", "adopt", "P1"), Answer(None, "reject", "P2")], "step_n"
        ... )
        >>> scores["f1_adopt"], scores["n"], scores["n_invalid"]
        (1.0, 2, 1)
    """
    if config not in KIND_OF_CONFIG:
        raise ValueError(f"config: found {config!r}; expected one of {', '.join(KIND_OF_CONFIG)}.")
    resampling = {"confidence": confidence, "rounds": rounds, "rng": seed}
    by_steps: dict[int | None, list[Answer]] = {}
    for answer in answers:
        by_steps.setdefault(answer.context_steps, []).append(answer)
    if len(by_steps) == 1:
        [given] = by_steps.values()
        return _score(given, config, ddof=ddof, **resampling)
    return {
        f"{name}_context_{steps}": value
        for steps in sorted(by_steps, key=lambda steps: steps or 0)
        for name, value in _score(by_steps[steps], config, ddof=ddof, **resampling).items()
    }


def _score(answers: Sequence[Answer], config: str, **options: Any) -> dict[str, float]:
    kind = KIND_OF_CONFIG[config]
    score = adoption_scores if kind == "adoption" else rating_scores
    runs = [answer.run for answer in answers]
    result = score(
        [answer.answer for answer in answers],
        [answer.truth for answer in answers],
        groups=[answer.participant for answer in answers],
        runs=runs if len(set(runs)) > 1 else None,
        **options,
    )
    names = [f"{name}{end}" for name in TABLE_SCORES[kind] for end in _ENDS]
    return {name: result[name] for name in (*names, *_COUNTS) if name in result}
