"""Synthetic releases: stories, their time line and graph, chats, surveys, and painted recordings.

`make_sample` paints the embedded sample's recordings, `make_release` makes a release of any size;
`read_strip` tells which frame of which session an image is.
"""

from __future__ import annotations

from scripts.synthesis.make import make_release
from scripts.synthesis.sample import make_sample
from scripts.synthesis.strip import StripError, StripReading, read_strip

__all__ = ["StripError", "StripReading", "make_release", "make_sample", "read_strip"]
