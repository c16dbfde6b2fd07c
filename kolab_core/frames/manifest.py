"""What a store says of itself: the release, the options, and the versions it was begun with."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from kolab_core.frames.errors import FrameStoreError
from kolab_core.frames.folder import Folder
from kolab_core.frames.pictures import ImageKind
from kolab_core.release import fingerprint_release, open_release

__all__ = ["MANIFEST_NAME", "Manifest", "ReleaseMark", "StoreOptions", "list_differences"]

MANIFEST_NAME = "kolab_frames.json"
_LAYOUT = 1


@dataclass(frozen=True)
class ReleaseMark:
    """What tells one release from another.

    Attributes:
        version: As the release says.
        num_sessions: Those that are there.
        fingerprint: Of its content; see `fingerprint_release`. Times of files do not count, so
            that a copy elsewhere has the same.
    """

    version: str
    num_sessions: int
    fingerprint: str

    @classmethod
    def of(cls, root: str | Path) -> ReleaseMark:
        """The mark of the release in a folder.

        Raises:
            ReleaseError: It is none.
        """
        release = open_release(root)
        fingerprint = fingerprint_release(release.root, with_times=False)
        return cls(release.version, len(release.session_ids), fingerprint)


@dataclass(frozen=True)
class StoreOptions:
    """What is stored.

    Attributes:
        configs: Whose rows.
        num_frames: Of each row.
        size: The short side in pixels; None for native size.
        format: Of the pictures.
        quality: Of JPEG and WebP; None for PNG.
    """

    configs: tuple[str, ...]
    num_frames: int
    size: int | None
    format: ImageKind
    quality: int | None


@dataclass(frozen=True)
class Manifest:
    """The file that makes a folder a store.

    Attributes:
        release: Whose frames.
        options: Which.
        versions: Of the packages that the store was begun with; others may go on with it.
    """

    release: ReleaseMark
    options: StoreOptions
    versions: Mapping[str, str]

    def to_text(self) -> str:
        """The file's content."""
        return json.dumps({"layout": _LAYOUT, **asdict(self)}, indent=2) + "\n"

    @classmethod
    def read(cls, folder: Folder) -> Manifest | None:
        """The manifest of a store; None if there is none.

        Raises:
            FrameStoreError: The file is no manifest that this version reads.
            OSError: The folder cannot be read.
        """
        text = folder.read(MANIFEST_NAME)
        if text is None:
            return None
        try:
            fields = json.loads(text)
            if fields["layout"] != _LAYOUT:
                found = f"layout {fields['layout']!r}"
                raise FrameStoreError(
                    f"{folder.address}/{MANIFEST_NAME}: found {found}; expected {_LAYOUT}. Store "
                    "the frames anew, or read them with the version that stored them."
                )
            options = {**fields["options"], "configs": tuple(fields["options"]["configs"])}
            release = ReleaseMark(**fields["release"])
            return cls(release, StoreOptions(**options), fields["versions"])
        except (KeyError, TypeError, UnicodeDecodeError, json.JSONDecodeError) as err:
            raise FrameStoreError(
                f"{folder.address}/{MANIFEST_NAME}: found no manifest ({err}); expected one that "
                "kolab.store_frames wrote."
            ) from err


def list_differences(found: object, expected: object) -> list[str]:
    """Where two records of one kind differ, a line a field; empty if they agree."""
    return list(_differences(asdict(found), asdict(expected)))  # type: ignore[call-overload]  # dataclasses


def _differences(found: Mapping[str, Any], expected: Mapping[str, Any]) -> Iterator[str]:
    for name, theirs in found.items():
        ours = expected[name]
        if theirs != ours:
            shown = [", ".join(v) if isinstance(v, tuple) else v for v in (theirs, ours)]
            yield f"{name}: found {shown[0]!r}; expected {shown[1]!r}"
