"""Files of predictions: JSON lines, CSV or Parquet, with every bad line reported at once."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kolab_core.release import show_value

__all__ = [
    "MODALITY_SETTINGS",
    "BadLine",
    "Prediction",
    "PredictionsError",
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
_MOST_SHOWN = 20
_MISSING = object()


@dataclass(frozen=True)
class Prediction:
    """One line of a file.

    Attributes:
        id: The row it answers.
        answer: As the model wrote it: text, a number, None or any other JSON value.
        run: Which run of the model it is of; 0 where the line says nothing.
        modalities: One of `MODALITY_SETTINGS`; None where the line says nothing.
        place: `<file>:<line>`, for messages (Parquet: `<file>:row <number>`, from 1).
    """

    id: str
    answer: object
    run: int
    modalities: str | None
    place: str


@dataclass(frozen=True)
class BadLine:
    """A line that cannot be used: where it is, what was found, what was expected."""

    place: str
    found: str
    expected: str
    hint: str = ""

    def __str__(self) -> str:
        hint = f" {self.hint}" if self.hint else ""
        return f"{self.place}: found {self.found}; expected {self.expected}.{hint}"


class PredictionsError(ValueError):
    """A file of predictions with bad lines; `lines` holds all, the message the first 20."""

    def __init__(self, lines: Sequence[BadLine]) -> None:
        self.lines = tuple(lines)
        super().__init__(self.lines)

    def __str__(self) -> str:
        shown = [str(line) for line in self.lines[:_MOST_SHOWN]]
        more = len(self.lines) - len(shown)
        if len(self.lines) == 1:
            return shown[0]
        tail = [f"… and {more} more."] if more else []
        return "\n".join([f"{len(self.lines)} bad lines:", *shown, *tail])


def read_predictions(path: str | Path) -> list[Prediction]:
    """Read a file of predictions; its suffix says the format (.jsonl, .csv or .parquet).

    A line has `id` and `prediction`, and may have `run` (a whole number from 0) and `modalities`
    (such as `video-graph`, in any order; a list in JSON). Further fields are passed over, and so
    are empty lines.

    Args:
        path: The file, UTF-8.

    Returns:
        The predictions, in order of the file.

    Raises:
        PredictionsError: The file cannot be read, holds no prediction, or has bad lines (all of
            them are named).
    """
    file = Path(path)
    readers = {".jsonl": _read_json_lines, ".csv": _read_csv, ".parquet": _read_parquet}
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


def _read_json_lines(file: Path, bad: list[BadLine]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    with file.open("rb") as stream:
        for number, line in enumerate(stream, start=1):
            place = f"{file}:{number}"
            try:
                text = line.decode("utf-8-sig" if number == 1 else "utf-8").strip()
            except UnicodeDecodeError:
                bad.append(BadLine(place, "bytes that are not UTF-8", "UTF-8 text"))
                continue
            if not text:
                continue
            try:
                record = json.loads(text)
            except (ValueError, RecursionError):
                record = None
            if isinstance(record, dict):
                yield place, record
            else:
                bad.append(BadLine(place, show_value(text), "a JSON object"))


def _read_csv(file: Path, bad: list[BadLine]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    with file.open(encoding="utf-8-sig", newline="") as stream:
        reader = csv.reader(stream, strict=True)
        try:
            head = next(reader, [])
            if not {"id", "prediction"} <= set(head):
                expected = "a first line with the columns id and prediction"
                bad.append(BadLine(f"{file}:1", show_value(",".join(head)), expected))
                return
            first = reader.line_num + 1
            for cells in reader:
                place, first = f"{file}:{first}", reader.line_num + 1
                if not cells:
                    continue
                if len(cells) == len(head):
                    yield place, dict(zip(head, cells, strict=True))
                else:
                    expected = f"{len(head)}, as the first line has"
                    bad.append(BadLine(place, f"{len(cells)} cells", expected))
        except UnicodeDecodeError:
            bad.append(BadLine(str(file), "bytes that are not UTF-8", "UTF-8 text"))
        except csv.Error as err:
            bad.append(BadLine(f"{file}:{reader.line_num}", f"{err}", "a line of CSV"))


def _read_parquet(file: Path, bad: list[BadLine]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not file.exists():
        raise FileNotFoundError(file)
    try:
        table = pq.ParquetFile(file)
        names = [name for name in table.schema_arrow.names if name in _FIELDS]
        if not {"id", "prediction"} <= set(names):
            columns = ", ".join(table.schema_arrow.names)
            bad.append(BadLine(str(file), f"the columns {columns}", "id and prediction among them"))
            return
        number = 0
        for batch in table.iter_batches(columns=names):
            for record in batch.to_pylist():
                number += 1
                yield f"{file}:row {number}", record
    except (pa.ArrowException, OSError) as err:
        reason = str(err).splitlines()[0] if str(err) else type(err).__name__
        bad.append(BadLine(str(file), show_value(reason), "a Parquet file"))


_FIELDS = ("id", "prediction", "run", "modalities")


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
    if len(bad) > before or run is None:
        return None
    return Prediction(
        id=str(name),
        answer=record["prediction"],
        run=run,
        modalities=modalities,
        place=place,
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
