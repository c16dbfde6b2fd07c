"""How far annotators agree who labelled or rated the same instances."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kolab_core.scores.bootstrap import Clusters, Resampling, cluster_intervals
from kolab_core.scores.extra import divide, weighted_kappa
from kolab_core.scores.kinds import find_task
from kolab_core.scores.scoring import UNGROUPED_NOTE
from kolab_core.scores.tasks import Task, read_groups
from kolab_core.scores.text import text_column

__all__ = ["annotator_agreement"]

Counts = NDArray[np.float64]

_NO_PAIR = "no instance has two annotations: nothing can agree."
_ONE_VALUE = "every annotation is the same: alpha is nan."


def annotator_agreement(
    annotations: Mapping[str, object],
    *,
    kind: str | None = None,
    confidence: float | None = None,
    groups: object | None = None,
    method: str = "expanded",
    rounds: int = 10_000,
    rng: np.random.Generator | int | None = None,
) -> dict[str, Any]:
    """Krippendorff's alpha of all annotators, and Cohen's kappa of every two.

    Labels are nominal: any difference counts 1. Ratings are ordinal in alpha, and weighted by the
    square of their distance in kappa.

    Args:
        annotations: Annotator → one label or rating an instance, in one order for all; None or
            blank where the annotator gave none. At least two annotators.
        kind: `adoption` or `rating`, or a config's name; None looks at the annotations.
        confidence: The share of the intervals, like 0.95; None for none.
        groups: One participant id an instance; whole participants are resampled.
        method: `expanded`, `percentile` or `bca`.
        rounds: Bootstrap rounds.
        rng: A generator, or a seed for one; None is seed 0.

    Returns:
        `krippendorff_alpha` (1 is full agreement, 0 that of chance), `cohen_kappa`: a list of
        `{"first", "second", "cohen_kappa", "n"}` over the instances that both annotated; `n`
        instances with two annotations or more, `n_annotators`, with `groups` `n_groups`, with
        `confidence` also `<score>_low` and `<score>_high`; `notes`. NaN, with a note, where every
        annotation is the same, or no instance has two.

    Raises:
        ValueError: Fewer than two annotators, lengths that differ, an annotation that is no label
            or rating (annotator and row are named), an option out of its range.
        TypeError: An input is no column.

    Examples:
        >>> both = {"ann": ["adopt", "modify", "reject"], "bob": ["adopt", "modify", None]}
        >>> annotator_agreement(both)["krippendorff_alpha"]
        1.0

    References:
        Krippendorff (2019), Content Analysis, 4th edition, chapter 12.
        Cohen (1960), doi:10.1177/001316446002000104; (1968), doi:10.1037/h0026256.
    """
    resampling = Resampling(confidence=confidence, method=method, rounds=rounds, rng=rng)
    if len(annotations) < 2:
        raise ValueError(f"annotations: found {len(annotations)} annotators; expected at least 2.")
    task, codes = _read(annotations, kind)
    num_rows = codes.shape[1]
    group_of = read_groups("groups", groups, num_rows=num_rows)
    _, cluster_of = np.unique(group_of or np.arange(num_rows), return_inverse=True)

    def resample(name: str, counts: Counts, statistic: Any) -> tuple[dict[str, Any], list[str]]:
        """One score of counts a row, and its interval if one is asked for."""
        found: dict[str, Any] = {name: float(statistic(counts.sum(axis=0)[None])[name][0])}
        if confidence is None:
            return found, []
        by_group = np.zeros((cluster_of.max(initial=0) + 1, counts.shape[1]))
        np.add.at(by_group, cluster_of, counts)
        distinct, times = np.unique(by_group.round(9), axis=0, return_counts=True)
        clusters = Clusters(distinct, times.astype(np.int64))
        ends = cluster_intervals(statistic, clusters, resampling=resampling)
        found |= {f"{name}_low": ends.low[name], f"{name}_high": ends.high[name]}
        return found, ends.notes

    values = len(task.values)
    coincidences = _coincidences(codes, values)
    result, notes = resample("krippendorff_alpha", coincidences, _alpha_of(task))
    pairs = []
    for (first, a), (second, b) in combinations(zip(annotations, codes, strict=True), 2):
        both = (a >= 0) & (b >= 0)
        table = np.zeros((num_rows, values * values))
        table[both, a[both] * values + b[both]] = 1
        kappa, _ = resample("cohen_kappa", table, _kappa_of(task))
        pairs.append({"first": first, "second": second} | kappa | {"n": int(both.sum())})
    num = int((coincidences.sum(axis=1) > 0).sum())
    if np.isnan(result["krippendorff_alpha"]):
        notes = [_ONE_VALUE if num else _NO_PAIR]
    if confidence is not None and group_of is None:
        notes.append(UNGROUPED_NOTE)
    result |= {"cohen_kappa": pairs, "n": num, "n_annotators": len(annotations)}
    if group_of is not None:
        result["n_groups"] = len(set(group_of))
    return result | {"notes": notes}


def _read(annotations: Mapping[str, object], kind: str | None) -> tuple[Task, NDArray[np.intp]]:
    """The task, and codes of shape [annotators, instances]; -1 where there is none."""
    texts = {name: text_column(name, column) for name, column in annotations.items()}
    lengths = {name: len(column) for name, column in texts.items()}
    if len(set(lengths.values())) > 1:
        found = ", ".join(f"{length} of {name}" for name, length in lengths.items())
        raise ValueError(f"annotations: found {found}; expected as many of each.")
    present = [text for column in texts.values() for text in column if text.strip()]
    if not present:
        raise ValueError("annotations: found none; expected at least 1.")
    task = find_task(kind, present)
    codes = np.full((len(texts), len(next(iter(texts.values())))), -1, dtype=np.intp)
    for row, (name, column) in enumerate(texts.items()):
        given = [index for index, text in enumerate(column) if text.strip()]
        for index in given:
            try:
                codes[row, index] = task.read_references([column[index]])[0]
            except ValueError as err:
                raise ValueError(f"{name}[{index}]: {str(err).partition(': ')[2]}") from None
    return task, codes


def _coincidences(codes: NDArray[np.intp], values: int) -> Counts:
    """Each instance's pairs of annotations, 1 / (m - 1) for each of m (m - 1); [rows, values²]."""
    counts = (codes[:, :, None] == np.arange(values)).sum(axis=0).astype(np.float64)
    num = counts.sum(axis=1)
    pairs = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(values)
    usable = num > 1
    pairs[usable] /= (num[usable] - 1)[:, None, None]
    return np.where(usable[:, None, None], pairs, 0).reshape(len(num), -1)


def _alpha_of(task: Task) -> Any:
    values = len(task.values)

    def alpha(flat: Counts) -> dict[str, Counts]:
        pairs = flat.reshape(-1, values, values)
        margin = pairs.sum(axis=-1)
        total = margin.sum(axis=-1)
        if task.kind == "adoption":
            gap = np.broadcast_to(1 - np.eye(values), pairs.shape)
        else:
            # The number of annotations between two ranks, half of each rank's own taken off.
            upto = np.cumsum(margin, axis=-1) - margin / 2
            gap = (upto[:, :, None] - upto[:, None, :]) ** 2
        seen = (pairs * gap).sum(axis=(-2, -1)) * (total - 1)
        expected = (margin[:, :, None] * margin[:, None, :] * gap).sum(axis=(-2, -1))
        return {"krippendorff_alpha": 1 - divide(seen, expected, empty=np.nan)}

    return alpha


def _kappa_of(task: Task) -> Any:
    values, power = len(task.values), 0 if task.kind == "adoption" else 2

    def kappa(flat: Counts) -> dict[str, Counts]:
        return {"cohen_kappa": weighted_kappa(flat.reshape(-1, values, values), power=power)}

    return kappa
