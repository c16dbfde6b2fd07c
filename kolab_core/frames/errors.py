"""What goes wrong with stored frames."""

from __future__ import annotations

from kolab_core.sampling import ClipError

__all__ = ["FrameStoreError", "FramesNotStoredError"]


class FrameStoreError(ValueError):
    """A folder that holds no store, one of something else, or one that is damaged."""


class FramesNotStoredError(ClipError):
    """Frames that a store lacks, where only stored ones were to be given."""
