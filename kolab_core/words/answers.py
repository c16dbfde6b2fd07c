"""TF-IDF and a linear model, in cross-validation that keeps each participant's rows together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kolab_core.scores import KIND_OF_CONFIG, LABELS, RATINGS
from kolab_core.words.text import WordRow

__all__ = ["MODEL_NAMES", "Answers", "WordsError", "answer_by_words"]

MODEL_NAMES = {
    "adoption": "TF-IDF + logistic regression",
    "rating": "TF-IDF + ridge regression",
}


class WordsError(ValueError):
    """Rows that no such model can be learnt from."""


@dataclass(frozen=True)
class Answers:
    """What the model answered to rows that it had not learnt from.

    Attributes:
        answers: Row id -> a label or a rating.
        num_folds: In how many parts the participants were dealt.
    """

    answers: dict[str, str | int]
    num_folds: int


def answer_by_words(
    rows: Sequence[WordRow], *, config: str, inputs: Sequence[str], folds: int = 5
) -> Answers:
    """Answer each row by a model that learnt from the rows of other participants.

    Words and pairs of words are weighted by TF-IDF (sublinear, learnt inside each fold). Labels
    come from logistic regression whose classes weigh the same however frequent they are, since
    macro-F1 counts them so; ratings from ridge regression, rounded and brought into 1 to 5. The
    strengths are scikit-learn's defaults: nothing is tuned on the answers.

    Args:
        rows: Of one experiment; the order plays no part.
        config: The experiment, or `adoption` or `rating`.
        inputs: Which texts to read: `graph`, `chat` or both.
        folds: How many; with fewer participants, as many as there are.

    Returns:
        An answer for every row.

    Raises:
        WordsError: Fewer than two participants, rows without a word, or a fold whose other folds
            hold one label only.
    """
    from sklearn.model_selection import GroupKFold, cross_val_predict

    rows = sorted(rows, key=lambda row: row.id)
    groups = [row.participant_id for row in rows]
    texts = ["\n".join(row.words[name] for name in inputs) for row in rows]
    truth = np.array([row.answer for row in rows])
    num_people = len(set(groups))
    if num_people < 2:
        people = f"{num_people} participant{'s' * (num_people != 1)}"
        raise WordsError(f"found {people}; expected at least 2, to learn from others.")
    kind = KIND_OF_CONFIG[config]
    parts = GroupKFold(n_splits=min(folds, num_people))
    splits = list(parts.split(texts, truth, groups))
    for learnt_from, _ in splits:
        _check_fold(kind, truth[learnt_from], [texts[index] for index in learnt_from])
    found = cross_val_predict(_make_model(kind), texts, truth, cv=splits)
    return Answers(
        answers={row.id: _as_answer(kind, value) for row, value in zip(rows, found, strict=True)},
        num_folds=len(splits),
    )


def _make_model(kind: str) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.pipeline import make_pipeline

    words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
    if kind == "rating":
        return make_pipeline(words, Ridge())
    return make_pipeline(words, LogisticRegression(class_weight="balanced", max_iter=1000))


def _check_fold(kind: str, truth: Any, texts: Sequence[str]) -> None:
    if kind == "adoption" and len(set(truth)) < 2:
        raise WordsError(
            f"found a fold that would learn from {LABELS[truth[0]]} alone; expected two labels at "
            "least."
        )
    if not any(re.search(r"\w\w", text) for text in texts):  # what TfidfVectorizer takes for one
        raise WordsError("found a fold that would learn from rows without words; expected some.")


def _as_answer(kind: str, value: float) -> str | int:
    if kind == "adoption":
        return str(LABELS[int(value)])
    return int(np.clip(np.rint(value), min(RATINGS), max(RATINGS)))
