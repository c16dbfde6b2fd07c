"""`evaluate` module: predicted ratings from 1 to 5 against the true ones."""

from __future__ import annotations

import evaluate

import kolab

_DESCRIPTION = """
How close predicted ratings come to the true ones, from 1 (low) to 5 (high).
Formula, for predictions p and references r: MAE mean |p - r|, range [0, 4], better: lower; exact
accuracy share of p = r and within-1 accuracy share of |p - r| <= 1, range [0, 1], better: higher;
Spearman's rho, Pearson's correlation of midranks, range [-1, 1], better: higher. MAE is also given
for the rows of each band of true ratings (1-2, 3, 4, 5), and the mean prediction for each rating.
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions (n rows): answers as a model writes them ("4", "Rating: 4", "4/5"), or numbers.
    references (n rows): true ratings, whole numbers from 1 to 5.
    invalid: what an answer is that gives no rating, two, or one out of range. 'wrong' (default):
        exact and within-1 count 0, MAE takes the largest error that the reference allows; rho and
        the mean predictions leave the row out. 'drop': the row is left out. 'error': ValueError.
    round: whether fractional answers are rounded (a half to the even number). False (default): a
        fraction in text is invalid, a fractional number is a ValueError that names the row.
    confidence: share of the intervals, like 0.95; None (default) for none.
    groups (n values): participant ids; the bootstrap draws whole ones. None (default): rows.
    method: 'expanded' (default), 'percentile' or 'bca'.
    rounds: bootstrap rounds, 10000 by default.
    rng: a numpy.random.Generator, or a seed; by default the seed 0.
    runs (n values): run ids; scores become means over runs, with `<score>_std` beside each.
    ddof: for that standard deviation, 1 by default.
    extra: True adds "quadratic_weighted_kappa"; False by default.
Returns:
    "mae", "exact_accuracy", "within_1_accuracy", "spearman_rho": builtin floats.
    "spearman_p": two-sided p of rho (Student's t with n_rho - 2 degrees of freedom).
    "mae_low_1_2", "mae_moderate_3", "mae_moderately_high_4", "mae_high_5": MAE by true rating.
    "mean_prediction_1" to "mean_prediction_5": mean valid prediction for each true rating.
    "n": rows scored; "n_rho": rows in rho; "n_invalid": invalid answers, dropped ones too.
    "notes": list of texts.
    "<score>_low", "<score>_high" with `confidence`; "n_groups" with `groups`; "n_runs" with `runs`.
Degenerate:
    No row: ValueError. Constant predictions or references: rho is NaN and a note says so. A band or
    rating without rows: NaN with a note. All rows dropped: NaN with a note. Fewer than three rows:
    the p value is NaN. One group: intervals are NaN with a note. Ties: midranks.
References:
    Efron (1987), doi:10.1080/01621459.1987.10478410, equation 6.6, for 'bca'. Rho and p equal
    scipy.stats.spearmanr's.
Examples:
    >>> import evaluate
    >>> import kolab
    >>> rating = evaluate.load("kolab_rating")
    >>> result = rating.compute(predictions=["4", "Rating: 5", 2], references=[4, 4, 1])
    >>> result["exact_accuracy"], result["within_1_accuracy"], result["mae_low_1_2"]
    (0.3333333333333333, 1.0, 1.0)
    >>> rating.compute(predictions=[5, 5], references=[5, 4])["notes"][0]
    'spearman_rho is nan: every prediction is 5.'
"""

_CITATION = """
@misc{kolab, title = {Kolab}, eprint = {2610.21109}, archivePrefix = {arXiv}, year = {2026}}
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class KolabRating(kolab.modules.TextInputs, evaluate.Metric):
    _compute = kolab.modules.computed_by(kolab.scores.rating_scores)

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=kolab.modules.text_features("predictions", "references"),
        )
