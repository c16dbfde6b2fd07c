"""Frames that were decoded once and kept: the folder they lie in, and reading them."""

from kolab_core.frames.errors import FramesNotStoredError, FrameStoreError
from kolab_core.frames.folder import FRAMES_FOLDER, ROWS_FOLDER, Folder
from kolab_core.frames.manifest import Manifest, ReleaseMark, StoreOptions
from kolab_core.frames.pictures import FORMATS, QUALITY, ImageKind, encode_picture
from kolab_core.frames.reading import FrameStore, open_store

__all__ = [
    "FORMATS",
    "FRAMES_FOLDER",
    "QUALITY",
    "ROWS_FOLDER",
    "Folder",
    "FrameStore",
    "FrameStoreError",
    "FramesNotStoredError",
    "ImageKind",
    "Manifest",
    "ReleaseMark",
    "StoreOptions",
    "encode_picture",
    "open_store",
]
