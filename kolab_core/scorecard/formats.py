"""Files of predictions as records, a line at a time: JSON lines, CSV, Parquet, lmms-eval's samples.

A record has an `id` and a `prediction`, and what else the file says of them. What no reader can
make a record of goes to `bad`.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kolab_core.release import show_value
from kolab_core.scorecard.bad_lines import BadLine

__all__ = ["Records", "read_csv", "read_json_lines", "read_parquet"]

# Place, for messages, and record.
Records = Iterator[tuple[str, Mapping[str, Any]]]

_NAMED = {"id", "config", "modalities"}
_FIELDS = ("id", "prediction", "run", "modalities", "config", "prompt_version")


def read_json_lines(file: Path, bad: list[BadLine]) -> Records:
    """The objects of a file, one a line; a sample of lmms-eval as its responses."""
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
                yield from _split_sample(place, record, bad)
            else:
                bad.append(BadLine(place, show_value(text), "a JSON object"))


def read_csv(file: Path, bad: list[BadLine]) -> Records:
    """The lines below the heads."""
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


def read_parquet(file: Path, bad: list[BadLine]) -> Records:
    """The rows of a table."""
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


def _split_sample(place: str, record: Mapping[str, Any], bad: list[BadLine]) -> Records:
    """A line as it is; or, of a sample that lmms-eval wrote, each response as a run.

    Such a sample names no row itself, only the place in its task. Our tasks put the row among what
    they measure of it: `{"<metric>": {"id": ..., "config": ..., "modalities": ...}}`.
    """
    if "id" in record or "doc_id" not in record:
        yield place, record
        return
    named = (v for v in record.values() if isinstance(v, dict) and v.keys() >= _NAMED)
    own = next(named, None)
    if own is None:
        found = "a sample of lmms-eval that names no row"
        bad.append(BadLine(place, found, "one of a task of Kolab, which does"))
        return
    responses = list(_flatten(record.get("resps", record.get("filtered_resps"))))
    if not responses:
        bad.append(BadLine(place, "a sample of lmms-eval without a response", "1 or more"))
    for run, response in enumerate(responses):
        yield place, {**own, "prediction": response, "run": run}


def _flatten(responses: object) -> Iterator[object]:
    """The texts in lists of lists, as deep as a version of lmms-eval nests them."""
    if isinstance(responses, list):
        for response in responses:
            yield from _flatten(response)
    elif responses is not None:
        yield responses
