"""The paper's subsets of an experiment: as many of each label, or all low ratings and some high."""

from __future__ import annotations

import operator
from collections import Counter
from typing import Any, Literal

from datasets import Dataset, IterableDataset

from kolab_core.release import LABELS
from kolab_core.rows.spread import Candidate, spread_choice

__all__ = ["SUBSETS", "SubsetName", "subset"]

SubsetName = Literal["balanced", "rating_tail"]
SUBSETS: tuple[SubsetName, ...] = ("balanced", "rating_tail")

_ANSWER_OF = {"balanced": "label", "rating_tail": "rating"}
_HIGHEST = 5


def subset(
    ds: Dataset,
    name: SubsetName,
    *,
    per_label: int = 25,
    top: int = 30,
    seed: int = 0,
    ratings_of: Dataset | None = None,
) -> Dataset:
    """One of the paper's subsets, on which it scores models that are dear to run.

    `balanced` is as many rows of each label; `rating_tail` is every step rated 1 to 4 and some of
    those rated 5. The rows of a class are spread over the participants: nobody gives a further one
    while somebody with rows left has given fewer; what that leaves open evens the participants'
    totals, and then falls to chance. In `step_n` a question is chosen with all its rows.

    Args:
        ds: Rows of an experiment, all or some.
        name: `balanced` (adoption experiments) or `rating_tail` (rating experiments).
        per_label: How many of each label, at least 1; for `balanced` alone.
        top: How many of the rating 5, at least 0; for `rating_tail` alone.
        seed: Of what falls to chance.
        ratings_of: For `rating_tail` alone: rows of another rating experiment, by whose ratings
            the steps are chosen. The paper chooses the steps of `output_quality` by
            `collab_rating`; those without a row in `ds` drop out.

    Returns:
        The chosen rows in the order of `ds`. Which ones does not depend on that order.

    Raises:
        TypeError: `ds` is no `Dataset`, such as a stream, which would have to be read to its end.
        ValueError: An unknown name, a column is missing, an id occurs twice, a number is out of its
            range, or there are fewer rows of a label, or of the rating 5, than asked for.

    Examples:
        >>> ds = Dataset.from_dict(
        ...     {
        ...         "id": ["a", "b", "c", "d"],
        ...         "participant_id": ["P1", "P1", "P1", "P2"],
        ...         "rating": [5, 5, 3, 5],
        ...     }
        ... )
        >>> list(subset(ds, "rating_tail", top=1)["id"])
        ['c', 'd']
    """
    if name not in SUBSETS:
        raise ValueError(f"name: found {name!r}; expected one of {', '.join(SUBSETS)}.")
    if ratings_of is not None and name != "rating_tail":
        raise ValueError("ratings_of: found rows; expected them with 'rating_tail' only.")
    questions = _read_questions("ds", ds)
    if ratings_of is None:
        candidates = _read_candidates("ds", ds, name)
    else:
        candidates = _read_candidates("ratings_of", ratings_of, name)
    if name == "balanced":
        wanted = _count_labels(candidates, per_label)
    else:
        wanted = _count_ratings(candidates, top)
    chosen = spread_choice(candidates, wanted=wanted, seed=operator.index(seed))
    return ds.select([place for place, question in enumerate(questions) if question in chosen])


def _read_columns(argument: str, ds: Dataset, names: list[str]) -> list[dict[str, Any]]:
    """Some columns of all rows as plain values, without a look at the others."""
    if isinstance(ds, IterableDataset):
        raise TypeError(
            f"{argument}: found a stream; expected a Dataset, since choosing needs all rows. Load "
            "without streaming."
        )
    if not isinstance(ds, Dataset):
        raise TypeError(
            f"{argument}: found {type(ds).__name__}; expected a Dataset, the rows of one split."
        )
    if absent := [name for name in names if name not in ds.column_names]:
        raise ValueError(
            f"{argument}: found no column {absent[0]!r}; expected the rows of an experiment that "
            "has it."
        )
    plain: list[dict[str, Any]] = ds.select_columns(names).with_format("arrow")[:].to_pylist()
    return plain


def _read_questions(argument: str, ds: Dataset) -> list[str]:
    """What each row asks: its id, in `step_n` without the context, so that it is chosen whole."""
    has_context = isinstance(ds, Dataset) and "context_steps" in ds.column_names
    rows = _read_columns(argument, ds, ["id", "context_steps"] if has_context else ["id"])
    seen: set[str] = set()
    for row in rows:
        if row["id"] in seen:
            raise ValueError(f"{argument}: found the id {row['id']!r} twice; expected it once.")
        seen.add(row["id"])
    return [row["id"].removesuffix(f"/context-{row.get('context_steps')}") for row in rows]


def _read_candidates(argument: str, ds: Dataset, name: SubsetName) -> list[Candidate]:
    """One candidate a question."""
    column = _ANSWER_OF[name]
    questions = _read_questions(argument, ds)
    rows = _read_columns(argument, ds, ["participant_id", column])
    return list(
        {
            question: Candidate(question, row["participant_id"], row[column])
            for question, row in zip(questions, rows, strict=True)
        }.values()
    )


def _count_labels(candidates: list[Candidate], per_label: int) -> dict[int, int]:
    if per_label < 1:
        raise ValueError(f"per_label: found {per_label}; expected at least 1.")
    there = Counter(candidate.answer for candidate in candidates)
    fewest = min(range(len(LABELS)), key=lambda code: there[code])
    if there[fewest] < per_label:
        counts = ", ".join(f"{there[code]} {label}" for code, label in enumerate(LABELS))
        raise ValueError(
            f"per_label: found {per_label}; expected at most {there[fewest]}, since the rows are "
            f"{counts}."
        )
    return dict.fromkeys(range(len(LABELS)), per_label)


def _count_ratings(candidates: list[Candidate], top: int) -> dict[int, int]:
    there = Counter(candidate.answer for candidate in candidates)
    if not 0 <= top <= there[_HIGHEST]:
        raise ValueError(
            f"top: found {top}; expected 0 to {there[_HIGHEST]}, the number of rows rated "
            f"{_HIGHEST}."
        )
    return {**there, _HIGHEST: top}
