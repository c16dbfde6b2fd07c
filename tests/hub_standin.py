"""A local stand-in for the Hub: the endpoints that publishing needs, over HTTP, in memory.

It refuses tables before their recordings and a tag before the tables, and drops a connection once
where it is told to: before the request is taken, or after it was done and before the answer.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal
from urllib.parse import parse_qs, unquote, urlsplit

import pyarrow.parquet as pq

REPO = "me/kolab"
TOKEN = "hf_standin"
_LARGE = (".parquet", ".mp4", ".webm", ".mkv", ".mov")


@dataclass
class Stored:
    """A file of the repository."""

    content: bytes
    is_large: bool

    def describe(self, path: str) -> dict[str, Any]:
        sha = hashlib.sha256(self.content).hexdigest()
        pointer = f"oid sha256:{sha}".encode()
        info: dict[str, Any] = {
            "type": "file",
            "path": path,
            "size": len(self.content),
            "oid": git_sha1(pointer if self.is_large else self.content),
        }
        if self.is_large:
            info["lfs"] = {"oid": sha, "size": len(self.content), "pointerSize": len(pointer)}
        return info


def git_sha1(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


@dataclass
class Hub:
    """The state, and what was asked in which order.

    `drops` maps an endpoint's name to when the connection is dropped, once; `fails` one to a status
    that is answered once.
    """

    endpoint: str = ""
    exists: bool = False
    private: bool = False
    gated: object = False
    files: dict[str, Stored] = field(default_factory=dict)
    blobs: dict[str, bytes] = field(default_factory=dict)
    commits: list[tuple[str, list[str], list[str]]] = field(default_factory=list)
    tags: dict[str, dict[str, Stored]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)
    drops: dict[str, Literal["before", "after"]] = field(default_factory=dict)
    fails: dict[str, int] = field(default_factory=dict)

    def missing_recordings(self, tables: list[bytes]) -> list[str]:
        """Recordings that the new tables name and the repository lacks."""
        named = set()
        for content in tables:
            table = pq.read_table(io.BytesIO(content))
            if "video" in table.column_names:
                cells = [cell for cell in table["video"].to_pylist() if cell is not None]
                named |= {cell["path"].partition("@v1/")[2] for cell in cells if cell["path"]}
        return sorted(named - set(self.files))


@contextmanager
def standin(**options: Any) -> Iterator[Hub]:
    """A running stand-in."""
    hub = Hub(**options)
    handler = type("Handler", (_Handler,), {"hub": hub, "lock": threading.Lock()})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    hub.endpoint = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _RefusedError(Exception):
    def __init__(self, status: int, text: str, code: str = "") -> None:
        super().__init__(text)
        self.status, self.text, self.code = status, text, code


class _Handler(BaseHTTPRequestHandler):
    hub: Hub
    lock: threading.Lock
    protocol_version = "HTTP/1.1"
    wbufsize = 2**16  # head and body in one packet

    def log_message(self, *_: object) -> None:
        pass

    def _serve(self) -> None:
        body = self._read_body()
        with self.lock:
            name, arguments = self._route()
            self.hub.asked.append(name)
            self.hub.tokens.add(self.headers.get("authorization", ""))
            when = self.hub.drops.pop(name, None)
            if when == "before":
                return self._drop(name)
            try:
                status = self.hub.fails.pop(name, None)
                if status is not None:
                    raise _RefusedError(status, "busy")
                answer = getattr(self, f"_{name}")(body, *arguments)
            except _RefusedError as refusal:
                self.hub.refused.append(refusal.text)
                if when == "after":
                    return self._drop(name)
                url = f"{self.hub.endpoint}/datasets/{REPO}"
                answer = {"error": refusal.text, "url": url}
                return self._answer(refusal.status, answer, refusal.code)
            if when == "after":
                return self._drop(name)
            return self._answer(200, answer)

    do_GET = do_POST = do_PUT = _serve  # noqa: N815 - names that the base class looks for

    def _route(self) -> tuple[str, list[str]]:
        path = unquote(urlsplit(self.path).path)
        repo = rf"/api/datasets/{REPO}"
        routes = {
            r"POST /api/repos/create": "create",
            r"POST /api/validate-yaml": "validate",
            rf"GET {repo}(?:/revision/main)?": "info",
            rf"PUT {repo}/settings": "settings",
            rf"GET {repo}/refs": "refs",
            rf"GET {repo}/tree/([^/]+)": "tree",
            rf"POST {repo}/preupload/main": "preupload",
            rf"POST {repo}/commit/main": "commit",
            rf"POST {repo}/tag/main": "tag",
            rf"POST /datasets/{REPO}\.git/info/lfs/objects/batch": "batch",
            r"PUT /upload/(\w+)": "upload",
        }
        for pattern, name in routes.items():
            match = re.fullmatch(pattern, f"{self.command} {path}")
            if match:
                return name, list(match.groups())
        return "unknown", [path]

    def _read_body(self) -> bytes:
        if self.headers.get("transfer-encoding") == "chunked":
            parts = []
            while size := int(self.rfile.readline(), 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(parts)
        return self.rfile.read(int(self.headers.get("content-length", 0)))

    def _drop(self, name: str) -> None:
        self.hub.dropped.append(name)
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def _answer(self, status: int, content: object, code: str = "") -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        if code:
            self.send_header("x-error-code", code)
            self.send_header("x-error-message", str(content))
        self.end_headers()
        self.wfile.write(body)

    def _must_exist(self) -> None:
        if not self.hub.exists:
            raise _RefusedError(404, "Repository not found", "RepoNotFound")

    def _unknown(self, _: bytes, path: str) -> object:
        raise _RefusedError(404, f"no such endpoint: {self.command} {path}")

    def _info(self, _: bytes) -> object:
        self._must_exist()
        return {"id": REPO, "private": self.hub.private, "tags": [], "sha": "0" * 40}

    def _create(self, body: bytes) -> object:
        if self.headers.get("authorization") != f"Bearer {TOKEN}":
            raise _RefusedError(401, "Invalid username or password.")
        asked = json.loads(body)
        if self.hub.exists:
            raise _RefusedError(409, "You already created this dataset repo")
        self.hub.exists = True
        self.hub.private = asked.get("visibility") == "private" or asked.get("private") is True
        return {"url": f"{self.hub.endpoint}/datasets/{REPO}"}

    def _validate(self, body: bytes) -> object:
        assert json.loads(body)["repoType"] == "dataset"
        return {"errors": [], "warnings": []}

    def _settings(self, body: bytes) -> object:
        self._must_exist()
        if self.hub.files and not self.hub.gated:
            raise _RefusedError(422, "the gate is set after files were sent")
        self.hub.gated = json.loads(body)["gated"]
        return {}

    def _refs(self, _: bytes) -> object:
        self._must_exist()
        tags = [{"name": t, "ref": f"refs/tags/{t}", "targetCommit": "0"} for t in self.hub.tags]
        return {"branches": [], "converts": [], "tags": tags}

    def _tree(self, _: bytes, revision: str) -> object:
        self._must_exist()
        assert parse_qs(urlsplit(self.path).query)["recursive"][0].lower() == "true"
        files = self.hub.files if revision == "main" else self.hub.tags[revision]
        return [stored.describe(path) for path, stored in files.items()]

    def _preupload(self, body: bytes) -> object:
        self._must_exist()
        answers = []
        for file in json.loads(body)["files"]:
            path = file["path"]
            there = self.hub.files.get(path)
            is_large = path.endswith(_LARGE)
            answer = {"path": path, "uploadMode": "lfs" if is_large else "regular"}
            oid = None
            if there is not None:
                oid = there.describe(path).get("lfs", {"oid": git_sha1(there.content)})["oid"]
            answers.append({**answer, "shouldIgnore": False, "oid": oid})
        return {"files": answers}

    def _batch(self, body: bytes) -> object:
        objects = []
        for wanted in json.loads(body)["objects"]:
            answer = {"oid": wanted["oid"], "size": wanted["size"]}
            if wanted["oid"] not in self.hub.blobs:
                href = f"{self.hub.endpoint}/upload/{wanted['oid']}"
                answer["actions"] = {"upload": {"href": href, "header": {}}}
            objects.append(answer)
        return {"transfer": "basic", "objects": objects}

    def _upload(self, body: bytes, oid: str) -> object:
        if hashlib.sha256(body).hexdigest() != oid:
            raise _RefusedError(400, "the content is not what its digest says")
        self.hub.blobs[oid] = body
        return {}

    def _commit(self, body: bytes) -> object:
        self._must_exist()
        lines = [json.loads(line) for line in body.splitlines()]
        added: dict[str, Stored] = {}
        deleted = []
        for line in lines[1:]:
            value = line["value"]
            if line["key"] == "lfsFile":
                if value["oid"] not in self.hub.blobs:
                    raise _RefusedError(422, f"{value['path']} was never uploaded")
                added[value["path"]] = Stored(self.hub.blobs[value["oid"]], is_large=True)
            elif line["key"] == "file":
                added[value["path"]] = Stored(base64.b64decode(value["content"]), is_large=False)
            else:
                assert line["key"] == "deletedFile"
                deleted.append(value["path"])
        tables = [stored.content for path, stored in added.items() if path.startswith("data/")]
        if missing := self.hub.missing_recordings(tables):
            raise _RefusedError(422, f"tables before their recordings: {missing}")
        self.hub.files.update(added)
        for path in deleted:
            del self.hub.files[path]
        self.hub.commits.append((lines[0]["value"]["summary"], sorted(added), deleted))
        return {
            "commitUrl": f"{self.hub.endpoint}/datasets/{REPO}/commit/{0:040}",
            "commitOid": "0" * 40,
            "hookOutput": "",
        }

    def _tag(self, body: bytes) -> object:
        self._must_exist()
        tag = json.loads(body)["tag"]
        if not any(path.startswith("data/") for path in self.hub.files):
            raise _RefusedError(422, "a tag before the tables")
        if tag in self.hub.tags:
            raise _RefusedError(409, "Tag reference exists already")
        self.hub.tags[tag] = dict(self.hub.files)
        return {}
