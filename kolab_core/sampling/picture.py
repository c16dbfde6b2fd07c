"""From a decoded frame to RGB: one swscale pass to the target size, then upright.

Rescaling uses swscale's bilinear filter (`SWS_BILINEAR`), which widens with the reduction and so
averages over the pixels it drops. It goes to planes of R, G and B, for which swscale brings colour
to every pixel before it converts it; to packed RGB it would share colour between two, and take
longer. At native size the pass only converts colour, and gives what
`frame.to_ndarray(format="rgb24")` gives.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from av.video.frame import VideoFrame
from av.video.reformatter import Interpolation, VideoReformatter
from numpy.typing import NDArray

from kolab_core.sampling.older_av import one_thread, stated_colours

__all__ = [
    "RESIZE_FILTER",
    "Orientation",
    "check_size",
    "even_size",
    "orientation_of",
    "to_rgb",
]

RESIZE_FILTER = "BILINEAR"
_FILTER = Interpolation[RESIZE_FILTER]
_OWN = threading.local()  # a thread's scaler, set up once for all its frames


@dataclass(frozen=True)
class Orientation:
    """How a stored frame is turned to stand upright: transposed first, then mirrored.

    Attributes:
        transposed: rows and columns change places.
        mirror_x: left and right change places, after that.
        mirror_y: top and bottom change places, after that.
    """

    transposed: bool = False
    mirror_x: bool = False
    mirror_y: bool = False

    @property
    def rotation(self) -> int:
        """Degrees counterclockwise (a mirrored picture: of its nearest rotation)."""
        if self.transposed:
            return 90 if self.mirror_y else 270
        return 180 if self.mirror_y else 0

    def displayed(self, width: int, height: int) -> tuple[int, int]:
        """A stored (width, height) as it is displayed, or the other way round."""
        return (height, width) if self.transposed else (width, height)

    def upright(self, image: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The image [H, W, 3] turned; a view."""
        turned = image.transpose(1, 0, 2) if self.transposed else image
        return turned[:: -1 if self.mirror_y else 1, :: -1 if self.mirror_x else 1]


def orientation_of(frame: VideoFrame) -> Orientation:
    """What the frame's display matrix says (angles between quarter turns: the nearest one).

    The matrix maps stored (x, y) to displayed (a·x + c·y, b·x + d·y), as 16.16 integers
    a, b, u, c, d, v, x, y, w.
    """
    matrix: Any = frame.side_data.get("DISPLAYMATRIX")
    if matrix is None:
        return Orientation()
    a, b, _, c, d, *_ = (int(v) for v in np.frombuffer(bytes(matrix), dtype=np.int32))
    if abs(a) >= abs(b):
        return Orientation(mirror_x=a < 0, mirror_y=d < 0)
    return Orientation(transposed=True, mirror_x=c < 0, mirror_y=b < 0)


def even_size(width: int, height: int, size: int | None) -> tuple[int, int]:
    """(width, height) with the short side `size`, the aspect kept, both sides even.

    Args:
        width: pixels.
        height: pixels.
        size: the short side in pixels, at least 1; rounded to the nearest even number (halves to
            a multiple of 4), at least 2. None keeps the native size, odd sides too.

    Raises:
        ValueError: `size` below 1.
    """
    check_size(size)
    if size is None:
        return width, height
    short = min(width, height)
    target = max(2, 2 * round(Fraction(size, 2)))
    sides = (max(2, 2 * round(Fraction(target * side, 2 * short))) for side in (width, height))
    scaled_width, scaled_height = sides
    return scaled_width, scaled_height


def check_size(size: int | None) -> None:
    """Refuses a short side below 1.

    Raises:
        ValueError: it is.
    """
    if size is not None and size < 1:
        raise ValueError(f"size: found {size!r}; expected at least 1 pixel, or None.")


def to_rgb(
    frame: VideoFrame, *, width: int, height: int, orientation: Orientation
) -> NDArray[np.uint8]:
    """The frame as uint8 [H, W, 3] RGB, upright, in one pass.

    Args:
        frame: as decoded.
        width: pixels of the result, as displayed.
        height: pixels of the result, as displayed.
        orientation: how to turn it.
    """
    stored_width, stored_height = orientation.displayed(width, height)
    is_native = (stored_width, stored_height) == (frame.width, frame.height)
    reformatter: VideoReformatter | None = getattr(_OWN, "reformatter", None)
    if reformatter is None:
        reformatter = _OWN.reformatter = VideoReformatter()
    rgb = reformatter.reformat(
        frame,
        width=stored_width,
        height=stored_height,
        format="rgb24" if is_native else "gbrp",
        interpolation=_FILTER,
        **one_thread(),
        **stated_colours(frame),
    )
    return orientation.upright(np.asarray(rgb.to_ndarray(), dtype=np.uint8))
