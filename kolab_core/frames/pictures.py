"""Frames as JPEG, WebP or PNG, and back."""

from __future__ import annotations

import io
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["FORMATS", "QUALITY", "ImageKind", "decode_pictures", "encode_picture"]

ImageKind = Literal["jpeg", "webp", "png"]

FORMATS: tuple[ImageKind, ...] = ("jpeg", "webp", "png")
# Of Pillow, unless another is asked for; PNG is exact and has none.
QUALITY: dict[ImageKind, int | None] = {"jpeg": 90, "webp": 90, "png": None}

# A third of the time of zlib's own default, and a tenth more bytes on screens.
_PNG_LEVEL = 3
_WEBP_METHOD = 2


def encode_picture(image: NDArray[np.uint8], kind: ImageKind, quality: int | None) -> bytes:
    """A frame (uint8 [H, W, 3]) as a file's bytes; JPEG keeps colours at half the resolution."""
    from PIL import Image

    options: dict[ImageKind, dict[str, Any]] = {
        "jpeg": {"quality": quality},
        "webp": {"quality": quality, "method": _WEBP_METHOD},
        "png": {"compress_level": _PNG_LEVEL},
    }
    buffer = io.BytesIO()
    Image.fromarray(image).save(buffer, kind, **options[kind])
    return buffer.getvalue()


def decode_pictures(files: Sequence[bytes], *, num_threads: int) -> NDArray[np.uint8]:
    """Files of pictures of one size as uint8 [N, H, W, 3], N at least 1.

    Raises:
        OSError: One is no picture.
        ValueError: One has another size than the first.
    """
    first = _decode(files[0])
    images = np.empty((len(files), *first.shape), dtype=np.uint8)
    images[0] = first

    def fill(place: int) -> None:
        images[place] = _decode(files[place])

    places = range(1, len(files))
    if num_threads == 1:
        for place in places:
            fill(place)
    else:
        with ThreadPoolExecutor(num_threads) as pool:
            list(pool.map(fill, places))
    return images


def _decode(data: bytes) -> NDArray[np.uint8]:
    from PIL import Image

    with Image.open(io.BytesIO(data)) as image:
        return np.asarray(image)
