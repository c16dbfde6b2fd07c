"""The rows as parquet that stock `datasets` loads and the Hub's viewer pages through.

The experiments carry a plain struct `video {path, intervals}`, since a `Video` column makes plain
`datasets` demand torchcodec on any row; `sessions` alone has one, which the viewer plays. The long
columns come last: the viewer cuts a row's cells from the left to what fits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from datasets import Features, List, Value, Video

from kolab_core.export.layout import HubTarget, data_file
from kolab_core.release import Release, Session, read_session
from kolab_core.rows.columns import build_features
from kolab_core.rows.experiments import CONFIG_NAMES, build_rows, survey_rows

__all__ = ["ROW_GROUP_ROWS", "TableSize", "export_features", "write_tables"]

ROW_GROUP_ROWS = 100
_ROW_GROUP_BYTES = 8 * 2**20
_LAST_COLUMNS = (
    "video",
    "video_intervals",
    "files",
    "steps",
    "segments",
    "responses",
    "graph",
    "chat",
)
_INTERVALS = List({"start": Value("float64"), "end": Value("float64")})


@dataclass(frozen=True)
class TableSize:
    """How large a config's rows are: their number, bytes in memory, and bytes of the file."""

    num_rows: int
    num_bytes: int
    file_bytes: int


def export_features(config: str) -> Features:
    """The columns of a config in the export, all of them types that stock `datasets` knows."""
    plain = dict(build_features(config, video={"path": Value("string"), "intervals": _INTERVALS}))
    if config == "sessions":
        plain["video"] = Video()
        plain["video_intervals"] = _INTERVALS
    first = [name for name in plain if name not in _LAST_COLUMNS]
    last = [name for name in _LAST_COLUMNS if name in plain]
    return Features({name: plain[name] for name in [*first, *last]})


def write_tables(
    release: Release, target: HubTarget, recordings: Mapping[str, str], out: Path
) -> dict[str, TableSize]:
    """Write all configs that have rows, reading each session once.

    Stock `datasets` refuses to load a split without rows, so a config that has none (a release
    without surveys, say) is left out.

    Args:
        release: An open release.
        target: The repository that the rows' recordings will lie in.
        recordings: The name of each session's recording in the export, of those that have one.
        out: The export's folder.

    Returns:
        The size of each config that has rows.

    Raises:
        ReleaseError: A session's files have errors.
    """
    with ExitStack() as stack:
        writers = {
            config: stack.enter_context(_TableWriter(out / data_file(config), config))
            for config in CONFIG_NAMES
        }
        for session_id in release.session_ids:
            session = read_session(release, session_id)
            name = recordings.get(session_id)
            address = None if name is None else target.recording(name)
            for config, rows in _session_tables(session, address):
                writers[config].add(rows)
        writers["surveys"].add(list(survey_rows(release)))
    sizes = {config: writer.size() for config, writer in writers.items()}
    for config, size in sizes.items():
        if not size.num_rows:
            writers[config].path.unlink()
            writers[config].path.parent.rmdir()
    return {config: size for config, size in sizes.items() if size.num_rows}


def _session_tables(
    session: Session, address: str | None
) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    for config in CONFIG_NAMES:
        if config != "surveys":
            rows = build_rows(session, config)
            for row in rows:
                _replace_video(row, config, address)
            yield config, rows


def _replace_video(row: dict[str, Any], config: str, address: str | None) -> None:
    intervals = row["video"]["intervals"]
    if config == "sessions":
        row["video"] = None if address is None else {"bytes": None, "path": address}
        row["video_intervals"] = intervals
    else:
        row["video"] = {"path": address, "intervals": intervals}


@dataclass
class _TableWriter:
    """Writes one parquet file in small row groups with a page index."""

    path: Path
    config: str
    _waiting: list[pa.Table] = field(default_factory=list)
    _num_rows: int = 0
    _num_bytes: int = 0

    def __enter__(self) -> _TableWriter:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._schema = export_features(self.config).arrow_schema
        self._writer = pq.ParquetWriter(
            self.path, self._schema, compression="zstd", write_page_index=True
        )
        return self

    def __exit__(self, *exception: object) -> None:
        self._flush()
        self._writer.close()

    def add(self, rows: list[dict[str, Any]]) -> None:
        """Add rows; a row group is written when enough of them wait."""
        if rows:
            self._waiting.append(pa.Table.from_pylist(rows, schema=self._schema))
        enough = sum(table.num_rows for table in self._waiting) >= ROW_GROUP_ROWS
        if enough or sum(table.nbytes for table in self._waiting) >= _ROW_GROUP_BYTES:
            self._flush()

    def size(self) -> TableSize:
        """The size of what has been written."""
        return TableSize(self._num_rows, self._num_bytes, self.path.stat().st_size)

    def _flush(self) -> None:
        if not self._waiting:
            return
        table = pa.concat_tables(self._waiting).combine_chunks()
        self._waiting.clear()
        self._num_rows += table.num_rows
        self._num_bytes += table.nbytes
        fitting = _ROW_GROUP_BYTES * table.num_rows // max(table.nbytes, 1)
        rows = max(1, min(fitting, ROW_GROUP_ROWS))
        self._writer.write_table(table, row_group_size=rows)
