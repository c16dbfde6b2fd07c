"""The two tables of a session: its frames as pictures, and which of them each row is given.

Both are parquet as stock `datasets` reads it. The pictures lie in the file uncompressed, those of a
row group one behind the other in a single page, and the table of rows says where. So a reader
takes a row's pictures by their places, without a parquet reader and without those in between.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from datasets import Features, Image, List, Value
from numpy.typing import NDArray

from kolab_core.frames import FrameStoreError
from kolab_core.frames.reading import RECORDING_SIZE

__all__ = ["RowFrames", "write_frames", "write_rows"]

_FRAMES = Features(
    {
        "id": Value("string"),
        "session_id": Value("string"),
        "time": Value("float64"),
        "image": Image(),
    }
)
_ROWS = Features(
    {
        "id": Value("string"),
        "config": Value("string"),
        "session_id": Value("string"),
        "frames": List(Value("int32")),
        "times": List(Value("float64")),
        "asked": List(Value("float64")),
        "offsets": List(Value("int64")),
        "sizes": List(Value("int64")),
    }
)
_PICTURES = "image.bytes"
_ROW_GROUP = 64
_ONE_PAGE = 1 << 30
_LENGTH_BYTES = 4


@dataclass(frozen=True)
class RowFrames:
    """What a row is given.

    Attributes:
        id: The row's.
        config: Its config.
        frames: Places in the session's table of frames, one a time asked for.
        asked: float64, the times asked for.
    """

    id: str
    config: str
    frames: NDArray[np.intp]
    asked: NDArray[np.float64]


def write_frames(
    path: Path, session_id: str, times: NDArray[np.float64], pictures: Sequence[bytes]
) -> NDArray[np.int64]:
    """Write a session's table of frames, and say where in the file each picture begins.

    Args:
        path: The file.
        session_id: The session.
        times: Of the frames, ascending.
        pictures: Files of pictures, one a time.

    Raises:
        OSError: The file cannot be written.
        FrameStoreError: It does not read back as it was written.
    """
    schema = _FRAMES.arrow_schema
    with pq.ParquetWriter(
        path,
        schema,
        compression="NONE",
        use_dictionary=False,
        write_statistics=["time"],
        data_page_size=_ONE_PAGE,
        write_page_index=False,
    ) as writer:
        for first in range(0, len(pictures), _ROW_GROUP):
            part = pictures[first : first + _ROW_GROUP]
            writer.write_table(
                pa.table(
                    {
                        "id": [f"{session_id}/{first + k:06d}" for k in range(len(part))],
                        "session_id": [session_id] * len(part),
                        "time": times[first : first + len(part)],
                        "image": [{"bytes": data, "path": None} for data in part],
                    },
                    schema=schema,
                )
            )
    offsets = np.fromiter(_find_pictures(path, pictures), dtype=np.int64, count=len(pictures))
    _check_pictures(path, offsets, pictures)
    return offsets


def write_rows(
    path: Path,
    session_id: str,
    rows: Sequence[RowFrames],
    *,
    times: NDArray[np.float64],
    offsets: NDArray[np.int64],
    sizes: NDArray[np.int64],
    recording_size: int | None,
) -> None:
    """Write a session's table of rows.

    Args:
        path: The file.
        session_id: The session.
        rows: Those that have frames; may be none.
        times: Of all frames of the session.
        offsets: Where each one's picture begins.
        sizes: The bytes of each one's picture.
        recording_size: Bytes of the recording, None if unknown.

    Raises:
        OSError: The file cannot be written.
    """
    columns: dict[str, list[Any]] = {
        "id": [row.id for row in rows],
        "config": [row.config for row in rows],
        "session_id": [session_id] * len(rows),
        "frames": [row.frames.astype(np.int32) for row in rows],
        "times": [times[row.frames] for row in rows],
        "asked": [row.asked for row in rows],
        "offsets": [offsets[row.frames] for row in rows],
        "sizes": [sizes[row.frames] for row in rows],
    }
    schema = _ROWS.arrow_schema
    if recording_size is not None:
        schema = schema.with_metadata(
            {**schema.metadata, RECORDING_SIZE: str(recording_size).encode()}
        )
    with pq.ParquetWriter(path, schema) as writer:
        if rows:  # stock `datasets` fails at a row group without rows
            writer.write_table(pa.table(columns, schema=schema))


def _find_pictures(path: Path, pictures: Sequence[bytes]) -> Iterator[int]:
    """Where each picture begins: the plain values are the last bytes of a column's only page."""
    metadata = pq.read_metadata(path)
    left = iter(pictures)
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        chunk = next(
            group.column(k)
            for k in range(group.num_columns)
            if group.column(k).path_in_schema == _PICTURES
        )
        sizes = [len(next(left)) for _ in range(group.num_rows)]
        end = chunk.data_page_offset + chunk.total_compressed_size
        place = end - sum(sizes) - _LENGTH_BYTES * len(sizes)
        for size in sizes:
            yield place + _LENGTH_BYTES
            place += _LENGTH_BYTES + size


def _check_pictures(path: Path, offsets: NDArray[np.int64], pictures: Sequence[bytes]) -> None:
    with path.open("rb") as file:
        for offset, picture in zip(offsets.tolist(), pictures, strict=True):
            file.seek(offset)
            if file.read(len(picture)) != picture:
                raise FrameStoreError(
                    f"{path}: byte {offset}: found something else than the picture written there; "
                    "expected an uncompressed page. Is this version of pyarrow tested?"
                )
