"""The two releases this package makes: the sample, and one of any size."""

from __future__ import annotations

from pathlib import Path

from scripts.synthesis.encode import record
from scripts.synthesis.release import write_release
from scripts.synthesis.stories import PARTICIPANTS, STORIES

__all__ = ["make_sample"]


def make_sample(out: str | Path, *, recordings: bool = True) -> Path:
    """Write the embedded sample: three professionals, two sessions each.

    Args:
        out: The folder to make; a release that is there is replaced.
        recordings: Whether to encode the recordings (minutes of work), too.

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
