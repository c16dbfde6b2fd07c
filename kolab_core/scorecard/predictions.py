"""Files of predictions as one list, with every bad line reported at once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kolab_core.release import show_value
from kolab_core.rows.experiments import EXPERIMENTS
from kolab_core.scorecard.bad_lines import BadLine, PredictionsError
from kolab_core.scorecard.formats import read_csv, read_json_lines, read_parquet
from kolab_core.scorecard.inspect_logs import read_inspect_log

__all__ = [
    "MODALITY_SETTINGS",
    "Prediction",
    "needed_inputs",
    "read_predictions",
]

# Every non-empty combination of the three inputs, named and ordered as in the paper's tables.
MODALITY_SETTINGS = (
    "video-only",
    "graph-only",
    "chat-only",
    "video-graph",
    "video-chat",
    "graph-chat",
    "video-graph-chat",
)
_INPUTS = ("video", "graph", "chat")
_MISSING = object()


@dataclass(frozen=True)
class Prediction:
    """One line of a file.

    Attributes:
        id: The row it answers.
        answer: As the model wrote it: text, a number, None or any other JSON value.
        run: Which run of the model it is of; 0 where the line says nothing.
        modalities: One of `MODALITY_SETTINGS`; None where the line says nothing.
        config: The experiment that it answers; None where the line says nothing.
        place: `<file>:<line>`, for messages (Parquet: `<file>:row <number>`, from 1; logs of
            inspect-ai: `<file>:<sample>, epoch <number>`).
        prompt_version: Of the prompts it was asked with; None where the line says nothing.
    """

    id: str
    answer: object
    run: int
    modalities: str | None
    config: str | None
    place: str
    prompt_version: str | None = None


def read_predictions(path: str | Path) -> list[Prediction]:
    """Read a file of predictions; its suffix says the format.

    A line of .jsonl, .csv or .parquet has `id` and `prediction`, and may have `run` (a whole number
    from 0), `modalities` (such as `video-graph`, in any order; a list in JSON) and `config`.
    Further fields are passed over, and so are empty lines. Samples that lmms-eval wrote (.jsonl)
    and logs of inspect-ai (.eval, .json) are read as well; see `formats` and `inspect_logs`.

    Args:
        path: The file, UTF-8 if it is text.

    Returns:
        The predictions, in order of the file.

    Raises:
        PredictionsError: The file cannot be read, holds no prediction, or has bad lines (all of
            them are named).
    """
    file = Path(path)
    readers = {
        ".jsonl": read_json_lines,
        ".csv": read_csv,
        ".parquet": read_parquet,
        ".eval": read_inspect_log,
        ".json": read_inspect_log,
    }
    reader = readers.get(file.suffix.lower())
    if reader is None:
        expected = f"one of the suffixes {', '.join(readers)}"
        raise PredictionsError([BadLine(str(path), show_value(file.name), expected)])
    bad: list[BadLine] = []
    found: list[Prediction] = []
    try:
        for place, record in reader(file, bad):
            prediction = _check_record(place, record, bad)
            if prediction is not None:
                found.append(prediction)
    except FileNotFoundError:
        bad.append(BadLine(str(path), "no such file", "a file of predictions"))
    except OSError as err:
        bad.append(BadLine(str(path), f"it cannot be read: {err.strerror}", "a readable file"))
    if not found and not bad:
        bad.append(BadLine(str(path), "no predictions", "at least 1"))
    if bad:
        raise PredictionsError(bad)
    return found


def needed_inputs(modalities: str | None) -> tuple[str, ...]:
    """The inputs a setting shows the model, of `video`, `graph` and `chat`; none for None."""
    return tuple(name for name in _INPUTS if modalities and name in modalities.split("-"))


def _check_record(place: str, record: Mapping[str, Any], bad: list[BadLine]) -> Prediction | None:
    """The line as a prediction; what is wrong with it goes to `bad`."""
    before = len(bad)
    name = record.get("id", _MISSING)
    if name is _MISSING:
        bad.append(BadLine(place, "no id", "an id and a prediction"))
    elif not isinstance(name, str) or not name:
        bad.append(BadLine(place, f"id {show_value(name)}", "an id of the config's rows, as text"))
    if "prediction" not in record:
        bad.append(BadLine(place, "no prediction", "an id and a prediction"))
    run = _parse_run(record.get("run"))
    if run is None:
        bad.append(BadLine(place, f"run {show_value(record['run'])}", "a whole number from 0"))
    modalities = _parse_modalities(record.get("modalities"))
    if modalities is _MISSING:
        expected = f"one of {', '.join(MODALITY_SETTINGS)}"
        bad.append(BadLine(place, f"modalities {show_value(record['modalities'])}", expected))
    config, version = record.get("config"), record.get("prompt_version")
    if len(bad) > before or run is None:
        return None
    return Prediction(
        id=str(name),
        answer=record["prediction"],
        run=run,
        modalities=modalities,
        config=config if config in EXPERIMENTS else None,
        place=place,
        prompt_version=None if version in (None, "") else str(version),
    )


def _parse_run(value: object) -> int | None:
    """The run's number; 0 for none given (a null, a `nan` or an empty cell), None for a bad one."""
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return 0
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if value >= 0 and float(value).is_integer() else None


def _parse_modalities(value: object) -> Any:
    """The setting's name; None for none given, `_MISSING` for a bad one."""
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, str):
        parts = value.strip().lower().removesuffix("-only").replace("+", "-").split("-")
    elif isinstance(value, list) and all(isinstance(part, str) for part in value):
        parts = [part.lower() for part in value]
    else:
        return _MISSING
    if not parts or len(set(parts)) < len(parts) or not set(parts) <= set(_INPUTS):
        return _MISSING
    name = "-".join(part for part in _INPUTS if part in parts)
    return f"{name}-only" if len(parts) == 1 else name
