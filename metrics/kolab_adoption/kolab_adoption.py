"""`evaluate` module: adoption answers (adopt, modify, reject) against the true labels."""

from __future__ import annotations

import evaluate

import kolab

_DESCRIPTION = """
How well answers say whether a professional adopts, modifies or rejects an AI's output.
Formula, for class c in (adopt, modify, reject), with TP, FP and FN its true positives, false
positives and false negatives: precision TP / (TP + FP), recall TP / (TP + FN), F1
2 TP / (2 TP + FP + FN), each 0 where undefined; macro scores are means over the three classes,
which are fixed even if one is absent. Range [0, 1]; better: higher.
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions (n rows): answers as a model writes them (`ADOPT`, `Modify.`, `REJECT/BYPASS`,
        `"label": "reject"`, a sentence that ends in the label), or class ids 0, 1, 2.
    references (n rows): true labels, as names or as class ids.
    invalid: what an answer is that names two labels, or none. 'wrong' (default): counted in recall
        and accuracy, in no class's predictions; the confusion matrix is 3 x 4, with a last column
        for it. 'drop': the row is left out. 'error': ValueError.
    confidence: share of the intervals, like 0.95; None (default) for none.
    groups (n values): participant ids; the bootstrap draws whole ones. None (default): rows.
    method: 'expanded' (default), 'percentile' or 'bca'.
    rounds: bootstrap rounds, 10000 by default.
    rng: a numpy.random.Generator, or a seed; by default the seed 0.
    runs (n values): run ids; scores become means over runs, with `<score>_std` beside each.
    ddof: for that standard deviation, 1 by default.
    extra: True adds "balanced_accuracy" and "matthews_correlation"; False by default.
    cost: what an answer costs, 3 x 3 true by predicted (or 3 x 4, invalid last); adds "mean_cost".
Returns:
    "macro_precision", "macro_recall", "macro_f1", "accuracy": builtin floats.
    "f1_adopt", "precision_adopt", "recall_adopt", "support_adopt"; so for modify and reject.
    "share_<predicted>_given_<true>": of the rows with this true label, the share so predicted;
        <predicted> is adopt, modify, reject or, with 'wrong', invalid.
    "confusion_matrix": rows true, columns predicted, in the order adopt, modify, reject (invalid).
    "n": rows scored; "n_invalid": invalid answers, dropped ones too; "notes": list of texts.
    "<score>_low", "<score>_high" with `confidence`; "n_groups" with `groups`; "n_runs" with `runs`.
Degenerate:
    No row: ValueError. A class without true rows: its scores are 0, the shares given it NaN, and a
    note says so. All rows dropped: NaN with a note. One group, or references of one class only:
    intervals are NaN with a note.
References:
    Efron (1987), doi:10.1080/01621459.1987.10478410, equation 6.6, for 'bca'. Precision, recall and
    F1 equal scikit-learn's with labels=[0, 1, 2] and zero_division=0.
Examples:
    >>> import evaluate
    >>> import kolab
    >>> adoption = evaluate.load("kolab_adoption")
    >>> result = adoption.compute(predictions=["ADOPT", "Modify.", "REJECT/BYPASS"],
    ...                           references=["adopt", "modify", "modify"])
    >>> result["accuracy"], result["f1_adopt"], result["recall_modify"]
    (0.6666666666666666, 1.0, 0.5)
    >>> adoption.compute(predictions=["adopt or modify", None], references=[0, 0])["n_invalid"]
    2
"""

_CITATION = """
@misc{kolab, title = {Kolab}, eprint = {2610.21109}, archivePrefix = {arXiv}, year = {2026}}
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class KolabAdoption(kolab.modules.TextInputs, evaluate.Metric):
    _compute = kolab.modules.computed_by(kolab.scores.adoption_scores)

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=kolab.modules.text_features("predictions", "references"),
        )
