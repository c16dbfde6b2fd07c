"""Every metric and baseline as a plain function; `docs/scores.md` has the formulas."""

from __future__ import annotations

from kolab_core.scores.adoption import adoption_scores
from kolab_core.scores.agreement import annotator_agreement
from kolab_core.scores.baseline import baseline_scores
from kolab_core.scores.common import common_set, score_common_set
from kolab_core.scores.context import compare_predictions
from kolab_core.scores.kinds import KIND_OF_CONFIG, parse
from kolab_core.scores.pairs import compare_models, holm
from kolab_core.scores.parsing import LABELS, RATINGS, parse_label, parse_rating
from kolab_core.scores.probabilities import answer_shares, probability_scores
from kolab_core.scores.rating import BANDS, rating_scores, spearman_p
from kolab_core.scores.runs import summarise_runs

__all__ = [
    "BANDS",
    "KIND_OF_CONFIG",
    "LABELS",
    "RATINGS",
    "adoption_scores",
    "annotator_agreement",
    "answer_shares",
    "baseline_scores",
    "common_set",
    "compare_models",
    "compare_predictions",
    "holm",
    "parse",
    "parse_label",
    "parse_rating",
    "probability_scores",
    "rating_scores",
    "score_common_set",
    "spearman_p",
    "summarise_runs",
]
