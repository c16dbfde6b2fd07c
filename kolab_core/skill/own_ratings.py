"""Kolab's own ratings as outcomes: each rated step is a session of a participant and an agent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["RatedSteps", "RatingKind", "collect_ratings"]

RatingKind = Literal["collaboration", "output_quality"]


@dataclass(frozen=True)
class RatedSteps:
    """Rated steps as columns, ready for `fit_skill`.

    Attributes:
        agents: The AI that acted most often in the step.
        humans: The participant.
        outcomes: The rating, 1 to 5.
        steps: `<session_id>/step-<number>`.
        num_skipped: Rated steps that no AI acted in, so that they rate nobody.
    """

    agents: tuple[str, ...]
    humans: tuple[str, ...]
    outcomes: tuple[float, ...]
    steps: tuple[str, ...]
    num_skipped: int


def collect_ratings(
    rows: Iterable[Mapping[str, Any]], *, kind: RatingKind = "collaboration"
) -> RatedSteps:
    """Every rated step with the agent it was done with.

    Args:
        rows: Rows of the `sessions` config.
        kind: Which rating: of the `collaboration`, or of the `output_quality`.

    Returns:
        The rated steps in the order of the rows. A step's agent is the AI whose nodes occur most
        often in the step's segments; of several such the one that the graph names first.

    Raises:
        ValueError: `kind` is neither.
    """
    if kind not in ("collaboration", "output_quality"):
        raise ValueError(f"kind: found {kind!r}; expected 'collaboration' or 'output_quality'.")
    found: list[tuple[str, str, float, str]] = []
    num_skipped = 0
    for row in rows:
        counts = _count_agents(row)
        for step in row["steps"]:
            rating = step[kind]["rating"]
            if rating is None:
                continue
            acting = counts.get(step["number"])
            if not acting:
                num_skipped += 1
                continue
            # `most_common` keeps the order of first mention among equals.
            agent = acting.most_common(1)[0][0]
            name = f"{row['session_id']}/step-{step['number']}"
            found.append((agent, row["participant_id"], float(rating), name))
    agents, humans, outcomes, steps = zip(*found, strict=True) if found else ((), (), (), ())
    return RatedSteps(agents, humans, outcomes, steps, num_skipped)


def _count_agents(row: Mapping[str, Any]) -> dict[int, Counter[str]]:
    """Occurrences of each AI in each planned step."""
    step_of = {segment["key"]: segment["step"] for segment in row["segments"]}
    counts: dict[int, Counter[str]] = {}
    for node in row["graph"]["nodes"]:
        step = step_of.get(node["id"].rpartition("/")[0])
        if node["actor_type"] == "ai" and step is not None and node["occurrences"]:
            counts.setdefault(step, Counter())[node["actor"]] += len(node["occurrences"])
    return counts
