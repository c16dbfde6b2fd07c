"""`evaluate` module: what the majority class or the mode rating scores, from references alone."""

from __future__ import annotations

from typing import Any

import evaluate

import kolab

_DESCRIPTION = """
What a constant answer scores: the most frequent label, or the most frequent rating.
Formula: the value v with the highest count among the references (or a training set) is the
prediction of every row; of equally frequent values the lower one. Ranges and directions of the
scores are those of kolab_adoption and kolab_rating.
"""

_KWARGS_DESCRIPTION = """
Args:
    references (n rows): true labels (names or class ids), or true ratings from 1 to 5. Predictions
        given beside them are not looked at, so that the module combines with the others.
    training (any number of values): where the most frequent value is looked for; by default in the
        references themselves.
    kind: 'adoption' or 'rating'; None (default) looks at the references, and is a ValueError if
        they hold only 1 and 2. A config name at loading says it too
        (`evaluate.load("kolab_baseline", "collab_rating")`).
    confidence: share of the intervals, like 0.95; None (default) for none.
    groups (n values): participant ids; the bootstrap draws whole ones. None (default): rows.
    method: 'expanded' (default), 'percentile' or 'bca'.
    rounds: bootstrap rounds, 10000 by default.
    rng: a numpy.random.Generator, or a seed; by default the seed 0.
    runs (n values): run ids, where references are repeated for each run.
    ddof: for the standard deviation over runs, 1 by default.
    invalid, round: taken for the sake of `evaluate.combine`; no constant answer is invalid.
Returns:
    "majority_class": the label, or "mode_rating": the rating.
    Every key of kolab_adoption or of kolab_rating, for that answer.
Degenerate:
    No row: ValueError. A tie: the lower value (adopt before modify before reject), and a note says
    so. Spearman's rho: NaN with a note, for the answer is constant.
References:
    The baselines of the Kolab paper's tables.
Examples:
    >>> import evaluate
    >>> import kolab
    >>> baseline = evaluate.load("kolab_baseline")
    >>> result = baseline.compute(references=["adopt", "adopt", "reject"])
    >>> result["majority_class"], result["f1_adopt"], result["f1_reject"]
    ('adopt', 0.8, 0.0)
    >>> baseline.compute(references=[4, 5, 5, 4])["notes"][0]
    '4 and 5 are equally frequent (2 of 4 each): the lower, 4, is taken.'
"""

_CITATION = """
@misc{kolab, title = {Kolab}, eprint = {2610.21109}, archivePrefix = {arXiv}, year = {2026}}
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class KolabBaseline(kolab.modules.TextInputs, evaluate.Metric):
    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=kolab.modules.text_features("references"),
        )

    def _compute(
        self,
        references: list[str],
        *,
        training: Any = None,
        kind: str | None = None,
        confidence: float | None = None,
        groups: Any = None,
        method: str = "expanded",
        rounds: int = 10_000,
        rng: Any = None,
        runs: Any = None,
        ddof: int = 1,
        invalid: str = "wrong",
        round: bool = False,
    ) -> dict[str, Any]:
        if kind is None and self.config_name != "default":
            kind = self.config_name
        return kolab.scores.baseline_scores(
            references,
            training=training,
            kind=kind,
            confidence=confidence,
            groups=groups,
            method=method,
            rounds=rounds,
            rng=rng,
            runs=runs,
            ddof=ddof,
        )
