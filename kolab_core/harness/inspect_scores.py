"""The scorer, the reducer that keeps every epoch's answer, and the metric of the score card.

What a log holds of each answer, for whoever scores it later:

- `sample.id` is the row's id, `sample.target` the label's word (`adopt`, `modify`, `reject`) or the
  rating (`"1"` to `"5"`), `sample.epoch` the run, from 1.
- `sample.metadata` is what `describe_question` gives: `config`, `modalities` (the setting's name,
  `video-graph`), `prompt_version`, `participant`, in `step_n` also `context_steps`; and how the
  recording was shown: `frames`, `num_frames`, `size` (where it was).
- `sample.scores["kolab_adoption"]` or `["kolab_rating"]` is the answer: `answer` as it was parsed
  (None for an invalid one), `value` `"C"` or `"I"`, whether it is right; `explanation` the
  model's whole text; `metadata` has the fields of `Answer`.
- `sample.output.completion` is what the model wrote, to be parsed again.
"""

from __future__ import annotations

from typing import Any

from inspect_ai.scorer import (
    CORRECT,
    INCORRECT,
    Metric,
    SampleScore,
    Score,
    Scorer,
    ScoreReducer,
    Target,
    Value,
    metric,
    score_reducer,
    scorer,
)
from inspect_ai.solver import TaskState

from kolab_core.harness.answers import Answer, score_answers
from kolab_core.harness.inspect_names import of_kolab
from kolab_core.scores import parse

__all__ = ["every_answer", "kolab_adoption", "kolab_rating", "score_card"]

_REDUCER = "kolab/every_answer"


@metric
@of_kolab
def score_card(kind: str) -> Metric:
    """The scores of the paper's tables, with participant-clustered intervals.

    With several epochs each is a run: scores are means over them, with standard deviations.

    Args:
        kind: `adoption` or `rating`.
    """

    def measure(scores: list[SampleScore]) -> Value:
        answers = [Answer(**given) for score in scores for given in _answers_in(score.score)]
        return dict(score_answers(answers, kind))

    return measure


@scorer(metrics=[score_card("adoption")])
@of_kolab
def kolab_adoption(config: str) -> Scorer:
    """Parse which label an answer names.

    Args:
        config: The experiment.
    """
    return _make_scorer(config)


@scorer(metrics=[score_card("rating")])
@of_kolab
def kolab_rating(config: str) -> Scorer:
    """Parse which rating an answer gives.

    Args:
        config: The experiment.
    """
    return _make_scorer(config)


@score_reducer(name=_REDUCER)
@of_kolab
def every_answer() -> ScoreReducer:
    """Keep the answers of all epochs; the value is the share of right ones."""

    def reduce(scores: list[Score]) -> Score:
        answers = [given for score in scores for given in _answers_in(score)]
        answers.sort(key=lambda given: int(given["run"]))
        right = sum(given["answer"] == given["truth"] for given in answers)
        return Score(
            value=right / len(answers),
            answer=", ".join(given["answer"] or "invalid" for given in answers),
            metadata={"answers": answers},
        )

    return reduce


def _make_scorer(config: str) -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        parsed = parse(state.output.completion, config)
        given = {
            "answer": None if parsed is None else str(parsed),
            "truth": target.text,
            "participant": state.metadata["participant"],
            "run": state.epoch,
            "context_steps": state.metadata.get("context_steps"),
        }
        return Score(
            value=CORRECT if given["answer"] == given["truth"] else INCORRECT,
            answer=given["answer"],
            explanation=state.output.completion,
            metadata=given,
        )

    return score


def _answers_in(score: Score) -> list[dict[str, Any]]:
    """The answers that a score holds: its own, or those of all epochs.

    Raises:
        ValueError: Another reducer made one answer out of several.
    """
    found = score.metadata or {}
    if "answers" in found:
        return list(found["answers"])
    if score.answer != found["answer"]:
        raise ValueError(
            f"epochs reducer: found one that makes {score.answer!r} of the answers "
            f"{found['answer']!r} and others; expected {_REDUCER!r}, which keeps them. Score the "
            f"log again with --epochs-reducer {_REDUCER}."
        )
    return [found]
