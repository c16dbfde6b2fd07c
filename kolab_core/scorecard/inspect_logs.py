"""Logs of inspect-ai as records, a sample at a time: a log may be larger than the memory.

Of a sample that a scorer of ours has read, its answer is taken, as parsed; of an invalid one, and
of any other sample, what the model wrote. A sample that ended in an error has no answer.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from kolab_core.scorecard.bad_lines import BadLine
from kolab_core.scorecard.formats import Records

__all__ = ["read_inspect_log"]

_SCORERS = ("kolab_adoption", "kolab_rating")
# What makes a sample large, and holds no answer.
_LARGE = {"attachments", "events", "events_data", "messages", "store"}


def read_inspect_log(file: Path, bad: list[BadLine]) -> Records:
    """The answers in a log, each epoch as a run.

    A record's `id` is the sample's; `modalities` and `config` are what the sample's metadata say.

    Args:
        file: A log, .eval or .json.
        bad: Gets a line if it cannot be read: it is cut off, is something else, or inspect-ai is
            not installed.
    """
    if not file.exists():
        raise FileNotFoundError(file)
    try:
        import inspect_ai.log  # noqa: F401 - both readers need it
    except ImportError:
        hint = "pip install 'kolab[inspect]' brings it."
        bad.append(BadLine(str(file), "a log of inspect-ai", "inspect-ai to be installed", hint))
        return
    read = _read_zipped if file.suffix.lower() == ".eval" else _read_plain
    try:
        yield from read(file)
    except OSError:
        raise
    except Exception as err:  # noqa: BLE001 - its readers pass on those of their decompressors
        reason = (str(err).splitlines() or [type(err).__name__])[0]
        found = f"no log, or one that is cut off or damaged ({reason:.80})"
        bad.append(BadLine(str(file), found, "a whole log of inspect-ai"))


def _read_zipped(file: Path) -> Records:
    from inspect_ai.log import read_eval_log_sample, read_eval_log_sample_summaries

    def complete(sample: Mapping[str, Any]) -> object:
        found = read_eval_log_sample(
            str(file), sample["id"], sample["epoch"], exclude_fields=_LARGE
        )
        return found.output.completion

    for summary in read_eval_log_sample_summaries(str(file)):
        sample = summary.model_dump(include={"id", "epoch", "metadata", "error", "scores"})
        yield from _as_record(file, sample, complete)


def _read_plain(file: Path) -> Records:
    for sample in _plain_samples(file):
        yield from _as_record(file, sample, lambda found: found["output"]["completion"])


def _plain_samples(file: Path) -> Iterator[Mapping[str, Any]]:
    """The samples of a log in JSON, one at a time."""
    import ijson

    num_read = 0
    with file.open("rb") as stream:
        try:
            for sample in ijson.items(stream, "samples.item", use_float=True):
                yield sample
                num_read += 1
        except ijson.JSONError:
            # Python's NaN, among scores, is no JSON: the rest can only be read as a whole.
            stream.seek(0)
            yield from json.load(stream)["samples"][num_read:]


def _as_record(
    file: Path,
    sample: Mapping[str, Any],
    complete: Callable[[Mapping[str, Any]], object],
) -> Records:
    """A sample as a record; none if it ended in an error. `complete` gives what the model wrote."""
    if sample.get("error"):
        return
    scores = sample.get("scores") or {}
    answers = [scores[name].get("answer") for name in _SCORERS if name in scores]
    answer = next((answer for answer in answers if answer is not None), None)
    metadata = sample.get("metadata") or {}
    yield (
        f"{file}:{sample['id']}, epoch {sample['epoch']}",
        {
            "id": str(sample["id"]),
            "prediction": complete(sample) if answer is None else answer,
            "run": sample["epoch"] - 1,
            "modalities": metadata.get("modalities"),
            "config": metadata.get("config"),
            "prompt_version": metadata.get("prompt_version"),
        },
    )
