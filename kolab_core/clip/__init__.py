"""Lazy clips of recordings: the feature of a column, its values, and datasets with and without."""

from kolab_core.clip.decoded import DecodedClip
from kolab_core.clip.feature import VideoClip
from kolab_core.clip.stored import with_frames
from kolab_core.clip.tables import with_clips, without_clips
from kolab_core.clip.value import Clip
from kolab_core.sampling import ClipError, Frames

__all__ = [
    "Clip",
    "ClipError",
    "DecodedClip",
    "Frames",
    "VideoClip",
    "with_clips",
    "with_frames",
    "without_clips",
]
