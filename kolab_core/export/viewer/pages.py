"""What the viewer can page through: an index in every file, and row groups that it may scan."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow.parquet as pq

from kolab_core.export.viewer.folder import ExportFolder, Finding

__all__ = ["PAGE_ROWS", "ROW_GROUP_BYTES", "check_page_index", "check_row_groups"]

# The limits that the Hub's viewer runs with: bytes of row groups for a page of so many rows.
ROW_GROUP_BYTES = 300_000_000
PAGE_ROWS = 100


def check_page_index(folder: ExportFolder) -> Iterator[Finding]:
    """A page index in every file, so that a page is read without its whole row group."""
    for table in folder.tables:
        groups = [group for group in _row_groups(table.metadata) if group.num_rows]
        chunks = [group.column(index) for group in groups for index in range(group.num_columns)]
        missing = [chunk.path_in_schema for chunk in chunks if not chunk.has_offset_index]
        if missing:
            found = f"no page index for {len(missing)} column chunks, first {missing[0]}"
            expected = "one (write_page_index=True)"
            yield Finding("page-index", folder.name(table.path), found, expected)


def check_row_groups(folder: ExportFolder) -> Iterator[Finding]:
    """Row groups that the viewer still scans: all those together that a page of rows lies in."""
    for table in folder.tables:
        size, first = max(_page_sizes(table.metadata), default=(0, 0))
        if size > ROW_GROUP_BYTES:
            found = f"row groups of {size:,} bytes for the page at row {first}"
            expected = f"at most {ROW_GROUP_BYTES:,}: smaller row groups"
            yield Finding("row-groups", folder.name(table.path), found, expected)


def _page_sizes(metadata: pq.FileMetaData) -> Iterator[tuple[int, int]]:
    """The bytes of the row groups that each page touches, and the page's first row."""
    groups = _row_groups(metadata)
    group_of_row = [index for index, group in enumerate(groups) for _ in range(group.num_rows)]
    for first in range(0, metadata.num_rows, PAGE_ROWS):
        touched = set(group_of_row[first : first + PAGE_ROWS])
        yield sum(groups[index].total_byte_size for index in touched), first


def _row_groups(metadata: pq.FileMetaData) -> list[pq.RowGroupMetaData]:
    return [metadata.row_group(index) for index in range(metadata.num_row_groups)]
