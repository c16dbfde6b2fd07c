"""From a file of predictions to the paper's table: what `kolab score` does."""

from kolab_core.scorecard.bad_lines import BadLine, PredictionsError
from kolab_core.scorecard.card import card_as_json, make_card
from kolab_core.scorecard.joining import Column, Joined, Target, join_predictions, read_targets
from kolab_core.scorecard.predictions import (
    MODALITY_SETTINGS,
    Prediction,
    read_predictions,
)
from kolab_core.scorecard.published import read_published
from kolab_core.scorecard.results import ScoreOptions, check_answers
from kolab_core.scorecard.tables import card_sections

__all__ = [
    "MODALITY_SETTINGS",
    "BadLine",
    "Column",
    "Joined",
    "Prediction",
    "PredictionsError",
    "ScoreOptions",
    "Target",
    "card_as_json",
    "card_sections",
    "check_answers",
    "join_predictions",
    "make_card",
    "read_predictions",
    "read_published",
    "read_targets",
]
