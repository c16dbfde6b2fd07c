"""A small server for the pages and the recordings that they link to, with byte ranges.

A browser seeks in an hour of video by asking for parts of its file, which Python's own file server
does not give.
"""

from __future__ import annotations

import re
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedIOBase
from os.path import commonpath
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote, unquote, urlsplit

from kolab_core.explore.site import Site

__all__ = ["make_server", "read_range"]

_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})", re.ASCII)
_CHUNK = 1 << 18
_HOSTS = ("127.0.0.1", "localhost")
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".jpg": "image/jpeg",
    ".mp4": "video/mp4",
    ".mov": "video/mp4",
    ".webm": "video/webm",
    ".mkv": "video/x-matroska",
}


def make_server(site: Site, port: int) -> tuple[ThreadingHTTPServer, str]:
    """A server on this machine alone, not yet started, and the address of the site's folder.

    It gives the files of the site's folder and the recordings that its pages link to, and nothing
    else. Folders above are part of the addresses, since links lead from a page to a recording.

    Args:
        site: Its pages.
        port: To listen on; 0 for any that is free.

    Raises:
        OSError: The port is taken.
    """
    base = Path(commonpath([site.folder, *(path.parent for path in site.recordings)]))
    handler = partial(_Handler, site, base)
    server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    inside = site.folder.relative_to(base).as_posix()
    folder = "" if inside == "." else f"{quote(inside)}/"
    return server, f"http://127.0.0.1:{server.server_port}/{folder}"


def read_range(header: str | None, size: int) -> tuple[int, int] | None:
    """The part `[start, stop)` of a file that a request asks for.

    Args:
        header: Its `Range`. Without one, or one of another kind (several parts), it is the whole.
        size: Bytes of the file.

    Returns:
        None if the file has nothing of the part.
    """
    match = _RANGE.fullmatch(header.strip()) if header else None
    if match is None or match.groups() == ("", ""):
        return 0, size
    first, last = match.groups()
    if not first:
        start, stop = max(0, size - int(last)), size
    else:
        start, stop = int(first), min(size, int(last) + 1) if last else size
        if last and int(last) < start:
            return 0, size
    return (start, stop) if start < stop else None


class _Handler(BaseHTTPRequestHandler):
    """Answers GET and HEAD."""

    protocol_version = "HTTP/1.1"

    def __init__(self, site: Site, base: Path, *request: object) -> None:
        self._site = site
        self._base = base
        super().__init__(*request)  # type: ignore[arg-type]  # as the server hands them over

    def do_GET(self) -> None:
        """Give a file, or the part of it that is asked for."""
        self._answer(has_body=True)

    def do_HEAD(self) -> None:
        """Say what GET would give."""
        self._answer(has_body=False)

    def log_message(self, format: str, *args: object) -> None:
        """Stay quiet."""

    def _answer(self, *, has_body: bool) -> None:
        host = (self.headers.get("Host") or "").rpartition(":")[0]
        path = self._find() if host in _HOSTS else None
        if path is None:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        try:
            with path.open("rb") as file:
                self._give(file, path, has_body=has_body)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # a player that seeks drops what it asked for before

    def _find(self) -> Path | None:
        """The file that is asked for, if it may be given."""
        asked = unquote(urlsplit(self.path).path).lstrip("/")
        try:
            path = (self._base / asked).resolve()
            path = path / "index.html" if path.is_dir() else path
            if not path.is_file():
                return None
        except (OSError, ValueError):
            return None
        is_known = path.is_relative_to(self._site.folder) or path in self._site.recordings
        return path if is_known else None

    def _give(self, file: BinaryIO, path: Path, *, has_body: bool) -> None:
        size = path.stat().st_size
        part = read_range(self.headers.get("Range"), size)
        if part is None:
            self.send_response(HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE)
            self.send_header("Content-Range", f"bytes */{size}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        start, stop = part
        is_part = part != (0, size)
        self.send_response(HTTPStatus.PARTIAL_CONTENT if is_part else HTTPStatus.OK)
        if is_part:
            self.send_header("Content-Range", f"bytes {start}-{stop - 1}/{size}")
        kind = _TYPES.get(path.suffix.lower(), "application/octet-stream")
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(stop - start))
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Cache-Control", "no-cache")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        if has_body:
            file.seek(start)
            _copy(file, self.wfile, stop - start)


def _copy(file: BinaryIO, out: BufferedIOBase, count: int) -> None:
    while count > 0:
        chunk = file.read(min(_CHUNK, count))
        if not chunk:
            return
        out.write(chunk)
        count -= len(chunk)
