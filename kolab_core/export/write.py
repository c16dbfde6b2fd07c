"""A release as a folder that is ready for the Hub: tables, recordings once each, and the card."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from kolab_core.export.layout import DATA_FOLDER, RECORDINGS_FOLDER, HubTarget
from kolab_core.export.tables import TableSize, write_tables
from kolab_core.release import Issue, Release, ReleaseError, open_release, read_session

__all__ = ["ExportError", "Exported", "export_release"]


class ExportError(ValueError):
    """An export that cannot be written where it is asked for."""


@dataclass(frozen=True)
class Exported:
    """What is in a new export, before its card is written.

    Attributes:
        folder: Where it lies for now (a temporary folder, renamed once all is there).
        release: The release it is made of.
        target: The repository it is made for.
        sizes: The size of each config.
        recordings: The recording's name of each session that has one.
        is_sample: Whether the release is the synthetic sample.
    """

    folder: Path
    release: Release
    target: HubTarget
    sizes: Mapping[str, TableSize]
    recordings: Mapping[str, str]
    is_sample: bool


def export_release(
    root: str | Path,
    target: HubTarget,
    out: str | Path,
    *,
    write_card: Callable[[Exported], None],
    copy: bool = False,
    is_sample: bool = False,
) -> None:
    """Write an export of the release at `root` to `out`, whole or not at all.

    The same release gives the same bytes again. Recordings are hard links where the file system
    allows it, else copies; nothing else of the release is copied.

    Args:
        root: The release's folder.
        target: The repository and tag it is made for.
        out: The folder to make; an earlier export there is replaced, anything else refused.
        write_card: Writes `README.md` and what goes with it, from what has been exported.
        copy: Copy the recordings in any case.
        is_sample: Whether the release is the synthetic sample; the card says so.

    Raises:
        ReleaseError: The release has errors.
        ExportError: `out` is there and is no export.
    """
    release = open_release(root)
    target_folder = Path(out)
    _check_out(target_folder, release)
    parent = target_folder.absolute().parent
    parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{target_folder.name}-", dir=parent) as temporary:
        folder = Path(temporary) / "export"
        folder.mkdir()
        found = _find_recordings(release)
        recordings = {name: f"{name}{path.suffix.lower()}" for name, path in found.items()}
        sizes = write_tables(release, target, recordings, folder)
        for session_id, path in found.items():
            place = folder / RECORDINGS_FOLDER / recordings[session_id]
            _link_or_copy(path.resolve(), place, copy=copy)
        write_card(Exported(folder, release, target, sizes, recordings, is_sample))
        if target_folder.exists():
            target_folder.rename(Path(temporary) / "replaced")
        folder.rename(target_folder)


def _check_out(out: Path, release: Release) -> None:
    if not out.exists():
        return
    is_export = (out / "README.md").is_file() and (out / DATA_FOLDER).is_dir()
    is_empty = out.is_dir() and not any(out.iterdir())
    if out.resolve() == release.root or not (is_export or is_empty):
        raise ExportError(f"{out}: found something else; expected a new folder or an export.")


def _find_recordings(release: Release) -> dict[str, Path]:
    """The recording of each session that has one; also a first check of all sessions.

    Raises:
        ReleaseError: With the errors of all sessions.
    """
    recordings: dict[str, Path] = {}
    issues: list[Issue] = []
    for session_id in release.session_ids:
        try:
            recording = read_session(release, session_id).recording
        except ReleaseError as err:
            issues += err.issues
            continue
        if recording is not None:
            recordings[session_id] = recording
    if issues:
        raise ReleaseError(issues)
    return recordings


def _link_or_copy(source: Path, place: Path, *, copy: bool) -> None:
    place.parent.mkdir(exist_ok=True)
    if not copy:
        try:
            os.link(source, place)
            return
        except OSError:  # another file system, or one without links
            place.unlink(missing_ok=True)
    shutil.copyfile(source, place)
