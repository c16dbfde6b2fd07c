"""The pages of a release as a folder: an index, and a folder a session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from kolab_core.explore.answers import Answers
from kolab_core.explore.gathering import gather_entry, gather_session
from kolab_core.explore.questions import all_rows, gather_questions, render_prompts
from kolab_core.explore.recordings import describe_recording, write_thumbnails
from kolab_core.explore.writing import copy_page_files, fill_page, script_text, write_text
from kolab_core.release import Release, Session, read_session

__all__ = ["OutError", "Site", "SiteOptions", "build_site", "page_address"]

_MARK = "sessions.js"


class OutError(ValueError):
    """The pages cannot be written where they should; the message says why."""


@dataclass(frozen=True)
class SiteOptions:
    """What goes into the pages.

    Attributes:
        thumbnails: Whether to write keyframes as small pictures.
        embed_video: Whether to copy the recordings, instead of linking to them.
        answers: A model's, shown beside the rows.
    """

    thumbnails: bool = True
    embed_video: bool = False
    answers: Answers | None = None


@dataclass(frozen=True)
class Site:
    """Pages that are written.

    Attributes:
        folder: Where.
        session_ids: Whose.
        recordings: The files outside the folder that they link to.
    """

    folder: Path
    session_ids: tuple[str, ...]
    recordings: tuple[Path, ...]


def build_site(
    release: Release,
    out: str | Path,
    *,
    session_ids: Sequence[str] | None = None,
    options: SiteOptions | None = None,
) -> Site:
    """Write a page a session, and the index of them; what lay there of former pages is replaced.

    Args:
        release: An open release.
        out: The folder; it is made. One that holds anything else is refused.
        session_ids: Whose pages; by default all that are there.
        options: See `SiteOptions`.

    Raises:
        KeyError: A session that is not there.
        OutError: `out` holds what is no such site, or lies in the release.
        ReleaseError: A session has errors.
    """
    options = options or SiteOptions()
    folder = Path(out).expanduser().resolve()
    _check_out(folder, release)
    copy_page_files(folder / "page")
    entries, recordings = [], []
    names = release.session_ids if session_ids is None else tuple(session_ids)
    for session_id in names:
        session = read_session(release, session_id)
        _write_session(session, folder / "sessions" / session_id, options)
        entries.append(gather_entry(session))
        if session.recording is not None and not options.embed_video:
            recordings.append(session.recording.resolve())
    head = {"version": release.version, "missing": list(release.missing_session_ids)}
    write_text(folder / _MARK, script_text("kolabIndex", head, entries))
    write_text(folder / "index.html", fill_page("index.html", {}))
    return Site(folder, tuple(names), tuple(recordings))


def page_address(session_id: str, *, config: str | None = None, row_id: str | None = None) -> str:
    """The address of a session's page in the site's folder, with a row opened if one is named."""
    address = f"sessions/{quote(session_id, safe='')}/index.html"
    if row_id is None:
        return address
    return f"{address}#{urlencode({'config': config, 'row': row_id})}"


def _check_out(folder: Path, release: Release) -> None:
    if folder.is_relative_to(release.root):
        raise OutError(f"{folder}: found a folder of the release; expected one outside it.")
    if folder.exists() and not folder.is_dir():
        raise OutError(f"{folder}: found a file; expected a folder, or nothing.")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / _MARK).is_file():
        raise OutError(f"{folder}: found other files; expected an empty folder or former pages.")


def _write_session(session: Session, folder: Path, options: SiteOptions) -> None:
    rows, notes = all_rows(session)
    values: dict[str, Any] = gather_session(session)
    values["notes"] += notes
    values["recording"] = describe_recording(session.recording, folder, copied=options.embed_video)
    values["thumbs"] = list(_thumbnails(session, folder)) if options.thumbnails else []
    values["questions"] = gather_questions(session, rows, options.answers)
    values["answers"] = None if options.answers is None else options.answers.config
    write_text(folder / "data.js", script_text("kolabSession", values))
    _write_prompts(folder, rows)
    title = {"title": f"{session.session_id} · {session.participant.occupation}"}
    write_text(folder / "index.html", fill_page("session.html", title))


def _thumbnails(session: Session, folder: Path) -> Iterator[list[Any]]:
    if session.recording is not None:
        for thumbnail in write_thumbnails(session.recording, folder / "thumbs"):
            yield [thumbnail.time, thumbnail.name]


def _write_prompts(folder: Path, rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    for config, config_rows in rows.items():
        if config_rows:
            text = script_text("kolabPrompts", config, render_prompts(config, config_rows))
            write_text(folder / "prompts" / f"{config}.js", text)
