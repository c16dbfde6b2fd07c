"""The `VideoClip` feature, which makes a column of structs give clips."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass, field
from typing import Any, ClassVar

import pyarrow as pa
from datasets.features import features as _features

from kolab_core.clip.adding import teach_add_item
from kolab_core.clip.arguments import check_whole
from kolab_core.clip.decoded import DecodedClip
from kolab_core.clip.formats import teach_collate, teach_formatters
from kolab_core.clip.storage import (
    STORAGE_TYPE,
    cast_clips,
    encode_clip,
    join_root,
)
from kolab_core.clip.value import Clip
from kolab_core.frames import open_store
from kolab_core.rows.columns import VIDEO_STORAGE

__all__ = ["VideoClip", "register"]


@dataclass
class VideoClip:
    """A column of lazy clips, stored as `struct<path, bytes, intervals: list<struct<start, end>>>`.

    It has no `embed_storage`: saving or pushing a dataset never copies a recording.

    Attributes:
        decode: True gives `Clip` values, False the plain struct.
        num_frames: None gives lazy clips. A number decodes that many frames at the centres of
            equal parts whenever a row is read, and gives a `DecodedClip` (`images`, `times`).
        size: The short side of those frames in pixels; None for native size.
        root: A folder or URL that relative paths are joined to when a row is read; a file of a
            dataset repository on the Hub is looked up under it too. The stored path stays.
        exact: False takes keyframes for the frames of `num_frames`.
        num_threads: Decoding threads for them; None leaves the choice to the sampler.
        frames: A store of frames, as `kolab.with_frames` sets it: a folder or an address.
        strict: Whether frames that the store lacks are an error instead of being decoded.
        id: As in the features of `datasets`.
    """

    decode: bool = True
    num_frames: int | None = None
    size: int | None = None
    root: str | None = None
    exact: bool = True
    num_threads: int | None = None
    frames: str | None = None
    strict: bool = False
    id: str | None = field(default=None, repr=False)
    dtype: ClassVar[str] = "kolab_core.clip.Clip"
    pa_type: ClassVar[Any] = STORAGE_TYPE
    _type: str = field(default="VideoClip", init=False, repr=False)

    def __post_init__(self) -> None:
        if self.root is not None:
            self.root = os.fspath(self.root)
        for name in ("num_frames", "size", "num_threads"):
            value = getattr(self, name)
            check_whole(name, value, is_optional=True)
            # Of NumPy's whole numbers, the schema's metadata holds none.
            setattr(self, name, None if value is None else int(value))
        if self.num_frames is not None and self.num_frames < 1:
            raise ValueError(
                f"num_frames: found {self.num_frames!r}; expected at least 1, or None."
            )
        if self.size is not None and self.size < 1:
            raise ValueError(f"size: found {self.size!r}; expected at least 1 pixel, or None.")

    def __call__(self) -> pa.DataType:
        """The Arrow type, as `datasets` asks a feature for it."""
        return self.pa_type

    def encode_example(self, value: Any) -> dict[str, Any] | None:
        """A clip, a mapping, a path or None as storage; see `encode_clip`."""
        return encode_clip(value)

    def decode_example(
        self, value: Any, token_per_repo_id: dict[str, bool | str | None] | None = None
    ) -> Clip | None:
        """The stored struct (or a path, or a clip) as a clip; opens nothing unless `num_frames`.

        Args:
            value: As stored.
            token_per_repo_id: Not used: a private repository on the Hub is read with the token that
                `huggingface_hub` finds (a login or HF_TOKEN).

        Raises:
            RuntimeError: `decode` is False.
            FrameStoreError: There is no store at `frames`.
            ClipError: With `num_frames`, when the recording cannot give them. A row without a
                recording raises only when its arrays are asked for.
        """
        del token_per_repo_id
        if not self.decode:
            raise RuntimeError("Decoding is off: found VideoClip(decode=False); expected True.")
        teach_collate()
        stored = encode_clip(value)
        if stored is None:
            return None
        path = stored["path"]
        clip = Clip(
            None if path is None else join_root(path, self.root),
            stored["intervals"],
            bytes=stored["bytes"],
        )
        if self.frames is not None:
            clip = clip.stored_in(open_store(self.frames), strict=self.strict)
        if self.num_frames is None:
            return clip
        if not clip.has_recording:
            return DecodedClip(clip, None)
        frames = clip.sample(
            self.num_frames, size=self.size, exact=self.exact, num_threads=self.num_threads
        )
        return DecodedClip(clip, frames)

    def cast_storage(self, storage: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
        """An Arrow array of clips in the storage's own type; see `cast_clips`."""
        return cast_clips(storage)

    def flatten(self) -> VideoClip | dict[str, Any]:
        """The feature itself if it decodes, else its three fields."""
        return self if self.decode else dict(VIDEO_STORAGE)


def register() -> None:
    """Teach `datasets` the feature's name, and its formatters and `add_item` the clip.

    Doing it again is harmless.

    `register_feature` warns that it is experimental; that one warning is not shown.
    """
    if _features._FEATURE_TYPES.get(VideoClip.__name__) is not VideoClip:
        _features._FEATURE_TYPES.pop(VideoClip.__name__, None)  # of an earlier import: no log line
        with warnings.catch_warnings():
            warnings.filterwarnings(
                "ignore", message=r".*register_feature.* is experimental", category=UserWarning
            )
            _features.register_feature(VideoClip, VideoClip.__name__)
    teach_formatters()
    teach_add_item(VideoClip)


register()
