"""From a file of predictions to the paper's table: what `kolab score` does."""

from kolab_core.scorecard.card import Scorecard, card_as_json, make_card
from kolab_core.scorecard.joining import Column, Joined, Target, join_predictions, read_targets
from kolab_core.scorecard.predictions import (
    MODALITY_SETTINGS,
    BadLine,
    Prediction,
    PredictionsError,
    needed_inputs,
    read_predictions,
)
from kolab_core.scorecard.published import PublishedScore, read_published
from kolab_core.scorecard.results import (
    TABLE_SCORES,
    Comparison,
    ScoreOptions,
    check_answers,
    compare_files,
    score_baseline,
    score_column,
)
from kolab_core.scorecard.tables import card_sections

__all__ = [
    "MODALITY_SETTINGS",
    "TABLE_SCORES",
    "BadLine",
    "Column",
    "Comparison",
    "Joined",
    "Prediction",
    "PredictionsError",
    "PublishedScore",
    "ScoreOptions",
    "Scorecard",
    "Target",
    "card_as_json",
    "card_sections",
    "check_answers",
    "compare_files",
    "join_predictions",
    "make_card",
    "needed_inputs",
    "read_predictions",
    "read_published",
    "read_targets",
    "score_baseline",
    "score_column",
]
