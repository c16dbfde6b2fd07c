"""`evaluate` comparison: two sets of answers to the same questions; is the change real?"""

from __future__ import annotations

import evaluate

import kolab

_DESCRIPTION = """
Whether a second set of predictions (more context, another model) scores differently from a first.
Formula: change = score(predictions2) - score(predictions1), for macro-F1 of labels, for MAE and
Spearman's rho of ratings, or for the scores named. Paired permutation p: the share of changes at
least as large, either way, when the two predictions are swapped for whole participants. Bootstrap:
whole participants are drawn with replacement; the interval is of the change, p is twice the smaller
share of rounds on either side of no change. Range of p (0, 1]; of the change, that of the score.
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions1 (n rows): answers of the first set, as kolab_adoption or kolab_rating take them.
    predictions2 (n rows): answers of the second set, to the same rows.
    references (n rows): true labels or true ratings.
    kind: 'adoption' or 'rating'; None (default) looks at the references. A config name at loading
        says it too.
    scores: names of the scores to compare, any float of kolab_adoption or kolab_rating.
    invalid: 'wrong' (default), 'drop' (rows in which either answer is invalid) or 'error'.
    round: whether fractional ratings are rounded; False by default.
    confidence: share of the interval, 0.95 by default.
    groups (n values): participant ids. None (default): each row is its own, and a note says so.
    method: 'expanded' (default), 'percentile' or 'bca'.
    rounds: rounds of each of the two, 10000 by default. With no more subsets of participants than
        that, all are tried and the permutation p is exact.
    rng: a numpy.random.Generator, or a seed; by default the seed 0.
    runs (n values): run ids; a score is then the mean over the runs.
Returns:
    For each score: "<score>_1", "<score>_2", "<score>_change", "<score>_change_low",
    "<score>_change_high", "<score>_permutation_p", "<score>_bootstrap_p",
    "<score>_detectable": builtin floats.
    "n": rows compared; "n_invalid_1", "n_invalid_2"; "n_groups" with `groups`; "notes".
Degenerate:
    No row: ValueError. One participant: interval and both p are NaN with a note. References of one
    class only: interval and bootstrap p are NaN with a note. Rho of constant ratings: NaN with a
    note. Equal sets: change 0, p 1.
References:
    Phipson and Smyth (2010), doi:10.2202/1544-6115.1585, for p of drawn permutations. Efron (1987),
    doi:10.1080/01621459.1987.10478410, equation 6.6, for 'bca'.
Examples:
    >>> import evaluate
    >>> import kolab
    >>> context = evaluate.load("kolab_context")
    >>> result = context.compute(predictions1=["adopt", "adopt", "adopt"],
    ...                          predictions2=["adopt", "modify", "reject"],
    ...                          references=["adopt", "modify", "reject"],
    ...                          groups=["P01", "P02", "P03"])
    >>> result["macro_f1_2"], result["macro_f1_permutation_p"]
    (1.0, 0.5)
    >>> context.compute(predictions1=[5, 4], predictions2=[5, 4], references=[5, 4],
    ...                 groups=["P01", "P01"])["notes"]
    ['one group only: intervals and p values are nan.']
"""

_CITATION = """
@misc{kolab, title = {Kolab}, eprint = {2610.21109}, archivePrefix = {arXiv}, year = {2026}}
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class KolabContext(kolab.modules.TextInputs, evaluate.Comparison):
    _compute = kolab.modules.computed_by(kolab.scores.compare_predictions)

    def _info(self) -> evaluate.ComparisonInfo:
        return evaluate.ComparisonInfo(
            module_type="comparison",
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=kolab.modules.text_features("predictions1", "predictions2", "references"),
        )
