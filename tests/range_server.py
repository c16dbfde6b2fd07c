"""A local HTTP server that gives byte ranges and counts what it gave."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

__all__ = ["Server", "serving"]


@dataclass
class Server:
    """A running server.

    Attributes:
        files: what lies under each name.
        ranges: (start, stop) of what was given, in order.
        url: of its root.
    """

    files: dict[str, bytes]
    url: str = ""
    ranges: list[tuple[int, int]] = field(default_factory=list)

    @property
    def num_bytes(self) -> int:
        return sum(stop - start for start, stop in self.ranges)


@contextmanager
def serving(files: dict[str, bytes], *, with_ranges: bool = True) -> Iterator[Server]:
    """A server for `files`, until the block ends."""
    server = Server(files)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self) -> None:
            self._answer(is_head=True)

        def do_GET(self) -> None:
            self._answer(is_head=False)

        def _answer(self, *, is_head: bool) -> None:
            data = server.files.get(self.path.lstrip("/"))
            if data is None:
                self.send_error(404)
                return
            start, stop, status = 0, len(data), 200
            asked = self.headers.get("Range")
            if asked and with_ranges:
                first, last = asked.removeprefix("bytes=").split("-")
                start, stop, status = int(first), min(int(last or len(data)) + 1, len(data)), 206
            self.send_response(status)
            self.send_header("Content-Length", str(stop - start))
            if with_ranges:
                self.send_header("Accept-Ranges", "bytes")
            if status == 206:
                self.send_header("Content-Range", f"bytes {start}-{stop - 1}/{len(data)}")
            self.end_headers()
            if not is_head:
                server.ranges.append((start, stop))
                self.wfile.write(data[start:stop])

        def log_message(self, format: str, *args: object) -> None:
            """Stays quiet."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.url = f"http://127.0.0.1:{http.server_port}"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        thread.join()
        http.server_close()
