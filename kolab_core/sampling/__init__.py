"""Which frames of a recording to decode, and decoding them: exact, and no slower than the codec."""

from kolab_core.sampling.errors import ClipError
from kolab_core.sampling.frames import Frames, RecordingInfo
from kolab_core.sampling.many import map_clips, sample_clips
from kolab_core.sampling.picture import RESIZE_FILTER, even_size
from kolab_core.sampling.recording import probe
from kolab_core.sampling.sample import sample_times
from kolab_core.sampling.source import Source
from kolab_core.sampling.times import centre_times, regular_times

__all__ = [
    "RESIZE_FILTER",
    "ClipError",
    "Frames",
    "RecordingInfo",
    "Source",
    "centre_times",
    "even_size",
    "map_clips",
    "probe",
    "regular_times",
    "sample_clips",
    "sample_times",
]
