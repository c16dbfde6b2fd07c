"""The two releases this package makes: the sample, and one of any size."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np

from scripts.synthesis.encode import record
from scripts.synthesis.population import people_of, tell_story
from scripts.synthesis.quotas import NUM_PAPER_PARTICIPANTS, free_quotas, paper_quotas
from scripts.synthesis.release import write_release
from scripts.synthesis.stories import PARTICIPANTS, STORIES

__all__ = ["make_release", "make_sample"]

_PAPER_MINUTES = 70.0
_SHORT_MINUTES = 2.0
_LONGEST_MINUTES = 180.0


def make_sample(out: str | Path, *, recordings: bool = True) -> Path:
    """Write the embedded sample: three professionals, two sessions each.

    Args:
        out: The folder to make; a release that is there is replaced.
        recordings: Whether to encode the recordings (a minute or two of work), too.

    Returns:
        The folder.

    Raises:
        FileExistsError: `out` is there and is neither empty nor a release.
    """
    return write_release(
        out,
        participants=PARTICIPANTS,
        stories=STORIES,
        record=record if recordings else None,
    )


def make_release(
    out: str | Path,
    *,
    participants: int,
    seed: int = 0,
    marginals: Literal["paper"] | None = None,
    recordings: bool = True,
    minutes: float | None = None,
) -> Path:
    """Write a synthetic release of any size, two sessions a participant.

    The same arguments give the same metadata, byte for byte; the recordings are the same for one
    version of PyAV.

    Args:
        out: The folder to make; a release that is there is replaced.
        participants: How many, from 1 to 1023; 50 for the paper's marginals.
        seed: Not negative.
        marginals: "paper" deals out the published counts: 508 steps, 692 instances, their labels
            by sector, the ratings, 114 targets in last steps, 90 programs, 9 AI tools. None draws
            in about those proportions.
        recordings: Whether to encode recordings, too (seconds of work for a minute of video).
        minutes: Mean length of a session, above 0 and up to 180; None for 70 with the paper's
            marginals (116.7 hours in all), else 2.

    Returns:
        The folder.

    Raises:
        ValueError: An argument out of its range.
        FileExistsError: `out` is there and is neither empty nor a release.
    """
    mean_minutes = minutes
    if mean_minutes is None:
        mean_minutes = _PAPER_MINUTES if marginals else _SHORT_MINUTES
    _check_arguments(participants, seed, marginals, mean_minutes)
    rng = np.random.default_rng(seed)
    quotas = paper_quotas(rng) if marginals else free_quotas(participants, rng)
    return write_release(
        out,
        participants=people_of(quotas, seed=seed),
        stories=(tell_story(quota, seed=seed, mean_minutes=mean_minutes) for quota in quotas),
        record=record if recordings else None,
        version=f"1.0.0-synthetic-{seed}",
    )


def _check_arguments(
    participants: int, seed: int, marginals: str | None, mean_minutes: float
) -> None:
    if marginals not in (None, "paper"):
        raise ValueError(f"marginals: found {marginals!r}; expected 'paper' or None.")
    if marginals and participants != NUM_PAPER_PARTICIPANTS:
        raise ValueError(
            f"participants: found {participants}; expected {NUM_PAPER_PARTICIPANTS} with the "
            "paper's marginals."
        )
    if not 1 <= participants <= 1023:
        raise ValueError(f"participants: found {participants}; expected 1 to 1023.")
    if seed < 0:
        raise ValueError(f"seed: found {seed}; expected 0 or more.")
    if not 0 < mean_minutes <= _LONGEST_MINUTES:
        raise ValueError(
            f"minutes: found {mean_minutes}; expected more than 0 and at most {_LONGEST_MINUTES:g}."
        )
