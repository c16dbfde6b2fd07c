"""Plausible answers to the questionnaire, `Q1` to `Q42`.

Q13 to Q38 are Likert items from 1 to 10, Q2, Q7, Q11 and Q12 free text; the others are answered
in their own ways (a choice, several choices, a number).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["survey_answers"]

_NUM_QUESTIONS = 42
_LIKERT = range(13, 39)
_FREE_TEXT = {
    "Q2": "Mostly project work with written results.",
    "Q7": "It is quick with drafts; I check every number.",
    "Q11": "I would use it again for first versions.",
    "Q12": "Nothing to add.",
}
_HABITS = ("daily", "several times a week", "weekly", "rarely")
_SINCE = ("less than 6 months", "6 to 12 months", "1 to 2 years", "more than 2 years")
_EDUCATION = ("Bachelor's degree", "Master's degree", "Professional training", "Doctorate")


def survey_answers(*, occupation: str, seed: int, agents: Sequence[str]) -> dict[str, Any]:
    """Answer the questionnaire.

    Args:
        occupation: Asked first, in Q1.
        seed: Decides the Likert answers and choices; the same seed answers the same.
        agents: The AI agents used, of Q5.

    Returns:
        `Q1` to `Q42` in order; one Likert answer is missing (None).
    """
    rng = np.random.default_rng(seed)
    mood = rng.normal(0, 1)
    answers: dict[str, Any] = {}
    for number in range(1, _NUM_QUESTIONS + 1):
        key = f"Q{number}"
        if number in _LIKERT:
            answers[key] = int(np.clip(round(7 + mood + rng.normal(0, 1.3)), 1, 10))
        else:
            answers[key] = _FREE_TEXT.get(key)
    answers |= {
        "Q1": occupation,
        "Q3": str(rng.choice(_EDUCATION)),
        "Q4": str(rng.choice(_HABITS)),
        "Q5": list(agents),
        "Q6": str(rng.choice(_SINCE)),
        "Q8": "yes" if mood > -1 else "not sure",
        "Q9": int(rng.integers(1, 15)),
        "Q10": "the same as before" if rng.random() < 0.5 else "more than before",
        "Q39": str(rng.choice(("session 1", "session 2", "no preference"))),
        "Q40": "no",
        "Q41": {"sound": "off", "screens": int(rng.integers(1, 4))},
        "Q42": "yes",
    }
    answers[f"Q{rng.integers(_LIKERT.start, _LIKERT.stop)}"] = None
    return answers
