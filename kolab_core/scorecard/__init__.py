"""From a file of predictions to the paper's table: what `kolab score` does."""

from kolab_core.scorecard.bad_lines import BadLine, PredictionsError
from kolab_core.scorecard.card import card_as_json, make_card
from kolab_core.scorecard.eval_results import model_index
from kolab_core.scorecard.joining import Column, Joined, Target, join_predictions, read_targets
from kolab_core.scorecard.leaderboard import leaderboard_section, make_leaderboard
from kolab_core.scorecard.loading import describe_scoring, join_model, read_models
from kolab_core.scorecard.predictions import (
    MODALITY_SETTINGS,
    Prediction,
    read_predictions,
)
from kolab_core.scorecard.published import read_published
from kolab_core.scorecard.results import ScoreOptions, check_answers
from kolab_core.scorecard.tables import card_sections, comparison_section

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
    "comparison_section",
    "describe_scoring",
    "join_model",
    "join_predictions",
    "leaderboard_section",
    "make_card",
    "make_leaderboard",
    "model_index",
    "read_models",
    "read_predictions",
    "read_published",
    "read_targets",
]
