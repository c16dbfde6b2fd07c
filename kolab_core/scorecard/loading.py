"""The files of several models, read and joined; every bad line of every file is reported."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kolab_core import __version__
from kolab_core.release import fingerprint_release
from kolab_core.scorecard.bad_lines import BadLine, PredictionsError
from kolab_core.scorecard.joining import Joined, Target, join_predictions
from kolab_core.scorecard.predictions import Prediction, read_predictions
from kolab_core.scorecard.results import ScoreOptions, check_answers

__all__ = ["describe_scoring", "join_model", "read_models"]


def read_models(
    groups: Sequence[Sequence[str]], options: ScoreOptions
) -> dict[str, list[Prediction]]:
    """Each model's lines by the name to print.

    Args:
        groups: Each model's files; further ones hold further runs.
        options: What an answer may be.

    Raises:
        PredictionsError: Bad lines, all of them.
    """
    bad: list[BadLine] = []
    loaded = []
    for files in groups:
        lines: list[Prediction] = []
        for file in files:
            try:
                found = read_predictions(file)
                check_answers(found, options)
            except PredictionsError as err:
                bad += err.lines
            else:
                lines += _number_on(found, after=lines)
        loaded.append(lines)
    if bad:
        raise PredictionsError(bad)
    return dict(zip(_name_files([files[0] for files in groups]), loaded, strict=True))


def join_model(
    lines: Sequence[Prediction], targets: Sequence[Target], options: ScoreOptions
) -> Joined:
    """The lines at their rows.

    Raises:
        PredictionsError: None of them is of the config.
    """
    joined = join_predictions(lines, targets)
    if joined.answers:
        return joined
    example = targets[0].id if targets else "none: the release has no such row"
    file = lines[0].place.rpartition(":")[0]
    found = f"{len(joined.unknown)} ids, none of them known ({next(iter(joined.unknown))!r})"
    raise PredictionsError([BadLine(file, found, f"ids of {options.config}, such as {example!r}")])


def describe_scoring(
    models: Mapping[str, Sequence[Prediction]], options: ScoreOptions, *, root: str | Path
) -> dict[str, Any]:
    """What has to be the same for results to stand side by side, and who made them.

    Raises:
        PredictionsError: The answers were given to different versions of the prompts.
    """
    versions = {line.prompt_version for lines in models.values() for line in lines} - {None}
    if len(versions) > 1:
        found = "answers to prompts of versions " + ", ".join(sorted(map(str, versions)))
        place = next(iter(models.values()))[0].place.rpartition(":")[0]
        raise PredictionsError([BadLine(place, found, "one version in what is scored together")])
    return {
        "kolab": __version__,
        "config": options.config,
        "kind": options.kind,
        "release": fingerprint_release(root),
        "prompt_version": next(iter(versions), None),
        "invalid": options.invalid,
        "round": options.round,
        "confidence": options.confidence,
    }


def _number_on(found: list[Prediction], *, after: list[Prediction]) -> list[Prediction]:
    """The lines of a further file, their runs numbered on from those before."""
    first = max((line.run for line in after), default=-1) + 1
    least = min(line.run for line in found) if after else 0
    return [dataclasses.replace(line, run=line.run - least + first) for line in found]


def _name_files(paths: Sequence[str]) -> list[str]:
    """What the table calls the files: their names, or their paths if names are the same."""
    stems = [Path(path).stem for path in paths]
    if len(set(stems)) == len(stems):
        return stems
    seen: list[str] = []
    for path in paths:
        seen.append(path if path not in seen else f"{path} ({seen.count(path) + 1})")
    return seen
