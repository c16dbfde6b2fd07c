"""The export for the Hub: every config as parquet, recordings beside them once, and a card."""

from kolab_core.export.layout import (
    DATA_FOLDER,
    RECORDINGS_FOLDER,
    SPLIT,
    HubTarget,
    data_file,
    split_hub_path,
)
from kolab_core.export.tables import ROW_GROUP_ROWS, TableSize, export_features, write_tables
from kolab_core.export.write import Exported, ExportError, export_release

__all__ = [
    "DATA_FOLDER",
    "RECORDINGS_FOLDER",
    "ROW_GROUP_ROWS",
    "SPLIT",
    "ExportError",
    "Exported",
    "HubTarget",
    "TableSize",
    "data_file",
    "export_features",
    "export_release",
    "split_hub_path",
    "write_tables",
]
