"""Scores as a model card holds them: the Hub's `model-index` block."""

from __future__ import annotations

import math
from collections.abc import Iterator

from huggingface_hub import EvalResult, ModelCardData

from kolab_core.scorecard.card import Scorecard
from kolab_core.scorecard.results import TABLE_SCORES

__all__ = ["model_index"]


def model_index(card: Scorecard, *, model: str, dataset: str = "kolab") -> str:
    """The `model-index` block of a model's card, as YAML.

    Args:
        card: The scores of one file.
        model: The model's name on the Hub.
        dataset: The data set's, such as `owner/kolab`.

    Returns:
        YAML to stand between the two `---` of the model's README; it parses back with
        `huggingface_hub.ModelCardData`. A score that is NaN is left out.
    """
    results = list(_results(card, dataset))
    return str(ModelCardData(model_name=model, eval_results=results).to_yaml()) + "\n"


def _results(card: Scorecard, dataset: str) -> Iterator[EvalResult]:
    options = card.options
    scores = next(iter(card.scores.values()))
    for column, result in scores.items():
        if result is None:
            continue
        for score in TABLE_SCORES[options.kind]:
            if math.isnan(value := result[score]):
                continue
            low, high = result[f"{score}_low"], result[f"{score}_high"]
            interval = {"confidence": options.confidence, "low": low, "high": high}
            yield EvalResult(
                task_type="video-classification",
                task_name=f"{options.config}, {column.label}",
                dataset_type=dataset,
                dataset_name="Kolab",
                dataset_config=options.config,
                dataset_split="test",
                metric_type=score,
                metric_value=value,
                # Beside the metric, as results of one data set and config are merged.
                metric_args={
                    "setting": column.label,
                    "n": result["n"],
                    **({} if math.isnan(low) else interval),
                },
            )
