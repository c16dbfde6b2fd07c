"""Running models: the tasks of inspect-ai, the parts that lmms-eval's tasks call."""

from kolab_core.harness.answers import Answer, score_answers
from kolab_core.harness.questions import (
    Questions,
    describe_question,
    keep_shown,
    load_questions,
    read_modalities,
    true_answer,
)

__all__ = [
    "Answer",
    "Questions",
    "describe_question",
    "keep_shown",
    "load_questions",
    "read_modalities",
    "score_answers",
    "true_answer",
]
