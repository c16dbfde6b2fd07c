"""A floor of words: how far TF-IDF and a linear model come on the graph and the chat alone."""

from kolab_core.words.answers import MODEL_NAMES, Answers, WordsError, answer_by_words
from kolab_core.words.text import WORD_SETTINGS, WordRow, visible_words

__all__ = [
    "MODEL_NAMES",
    "WORD_SETTINGS",
    "Answers",
    "WordRow",
    "WordsError",
    "answer_by_words",
    "visible_words",
]
