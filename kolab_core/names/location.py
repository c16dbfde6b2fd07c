"""Where the release lies: what the caller says, `KOLAB_DATA_DIR`, or the embedded sample."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from kolab_core.files import find_carried
from kolab_core.release import Issue, Release, ReleaseError, show_value
from kolab_core.release.session import RECORDING_SUFFIXES
from kolab_core.team.reader import find_team_sample, is_team_release

__all__ = [
    "DATA_DIR_VARIABLE",
    "SAMPLE_NOTE",
    "ReleaseLocation",
    "find_sample",
    "is_release",
    "names_release",
    "resolve_data_dir",
    "resolve_team_dir",
    "warn_of_partial",
    "warn_of_sample",
]

DATA_DIR_VARIABLE = "KOLAB_DATA_DIR"

SAMPLE_NOTE = (
    "SAMPLE: this is a small synthetic sample, not the Kolab recordings. For the real ones give "
    f"data_dir=<folder of the release>, or set the variable {DATA_DIR_VARIABLE} to it."
)

_NAMES_SHOWN = 5
_said: set[str] = set()


class ReleaseLocation(NamedTuple):
    """A release on disk.

    Attributes:
        root: Its folder, absolute, links resolved.
        is_sample: Whether it is the sample that comes with this package.
    """

    root: Path
    is_sample: bool


def find_sample() -> Path:
    """The embedded sample's folder: inside the installed package, or beside it in a checkout."""
    return find_carried("sample")


def resolve_data_dir(data_dir: str | os.PathLike[str] | None = None) -> ReleaseLocation:
    """Find the release: `data_dir`, else the variable `KOLAB_DATA_DIR`, else the sample.

    Only the folder and its `release.json` are looked for; nothing is read.

    Args:
        data_dir: A folder, absolute, relative to the working folder, or from `~`. None or an
            unset (or empty) variable asks for the next in line.

    Returns:
        The folder with its links resolved, and whether it is the sample.

    Raises:
        ReleaseError: What was named is no release, or is an address instead of a folder.
    """
    return _resolve(data_dir, os.environ.get(DATA_DIR_VARIABLE), find_sample())


def resolve_team_dir(data_dir: str | os.PathLike[str] | None = None) -> ReleaseLocation:
    """Find a release of rated team sessions, as `resolve_data_dir` finds one of recordings.

    The variable `KOLAB_DATA_DIR` counts only if it names one of this kind.

    Raises:
        ReleaseError: `data_dir` is no release, or is an address instead of a folder.
    """
    variable = os.environ.get(DATA_DIR_VARIABLE)
    if variable and not is_team_release(variable):
        variable = None
    return _resolve(data_dir, variable, find_team_sample())


def is_release(folder: object) -> bool:
    """Whether a folder, as someone named it, holds a `release.json`."""
    text = _to_text(folder)
    return text is not None and (Path(text).expanduser() / "release.json").is_file()


def names_release(data_dir: object) -> bool:
    """Whether anyone named a release; if not, `resolve_data_dir` gives the sample."""
    return data_dir is not None or bool(os.environ.get(DATA_DIR_VARIABLE))


def warn_of_sample() -> None:
    """Say, once a process, that the sample is not the real thing and how to get that."""
    _warn_once(SAMPLE_NOTE)


def warn_of_partial(release: Release) -> None:
    """Say, once a process and release, what a partly downloaded release lacks."""
    missing = release.missing_session_ids
    silent = [name for name in release.session_ids if not _has_recording(release.root, name)]
    parts = []
    if missing:
        total = len(missing) + len(release.session_ids)
        parts.append(f"{len(missing)} of {total} sessions are not there ({_list_some(missing)})")
    if silent:
        parts.append(
            f"{len(silent)} of {len(release.session_ids)} sessions have no recording "
            f"({_list_some(silent)}): their rows have has_video false"
        )
    if parts:
        _warn_once(f"The release at {release.root} is partial: {'; '.join(parts)}.")


def _resolve(
    data_dir: str | os.PathLike[str] | None, variable: str | None, sample: Path
) -> ReleaseLocation:
    if data_dir is not None:
        root = _check_release(data_dir, "data_dir")
    elif variable:
        root = _check_release(variable, DATA_DIR_VARIABLE)
    else:
        root = _check_release(sample, "embedded sample")
    return ReleaseLocation(root=root, is_sample=root == sample.resolve())


def _warn_once(text: str) -> None:
    """Give a `UserWarning` that this process has not given yet."""
    if text not in _said:
        _said.add(text)
        warnings.warn(text, UserWarning, stacklevel=3)


def _has_recording(root: Path, session_id: str) -> bool:
    paths = (root / "sessions" / session_id).glob("recording.*")
    return any(path.suffix.lower() in RECORDING_SUFFIXES and path.is_file() for path in paths)


def _list_some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
    return ", ".join(names[:_NAMES_SHOWN]) + more


def _check_release(given: str | os.PathLike[str], origin: str) -> Path:
    """The folder `given` stands for, resolved, if it holds a `release.json`."""
    expected = "a release on this machine: a folder that holds release.json"
    text = _to_text(given)
    if text is None:
        raise _refuse(origin, given, type(given).__name__, expected)
    if "://" in text:
        hint = "Download the release (for the Hub: `hf download`) and name its folder."
        raise _refuse(origin, text, "an address", expected, hint)
    try:
        root = Path(text).expanduser().resolve()
        found = _describe(root) if text else "an empty name"
    except (OSError, RuntimeError, ValueError) as err:
        cause = getattr(err, "strerror", None) or err  # an OSError's text would repeat the path
        raise _refuse(origin, text, f"an unusable path: {cause}", expected) from err
    if found:
        raise _refuse(origin, text, found, expected, _suggest(root))
    return root


def _to_text(given: object) -> str | None:
    if not isinstance(given, str | os.PathLike):
        return None
    text = os.fspath(given)
    return text if isinstance(text, str) else None


def _describe(root: Path) -> str:
    """What lies at `root` instead of a release; empty if it is one."""
    if is_release(root):
        return ""
    if root.is_file():
        return "a file"
    if not root.is_dir():
        return f"nothing at {root}"
    names = sorted(path.name for path in root.iterdir())
    if not names:
        return "an empty folder"
    return f"a folder without release.json (in it: {_list_some(names)})"


def _suggest(root: Path) -> str:
    """The next step when a release lies one folder above or below."""
    if is_release(root.parent):
        return f"Did you mean {root.parent}?"
    if root.is_dir():
        for path in sorted(root.iterdir()):
            if is_release(path):
                return f"Did you mean {path}?"
    return ""


def _refuse(origin: str, given: object, found: str, expected: str, hint: str = "") -> ReleaseError:
    return ReleaseError([Issue(origin, "", f"{show_value(given)}, {found}", expected, hint)])
