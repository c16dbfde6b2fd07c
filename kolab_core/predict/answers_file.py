"""The file of answers: a line each, on the disk before the next is asked for, and never mixed.

A line says with the answer what was asked: the experiment, the setting, the prompts' version, and
a digest of the question's text. So the file needs no head that could get lost or out of step, any
part of it can be scored, and a call that would ask otherwise is noticed.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from kolab_core.files import write_whole

__all__ = ["AnswersFile", "AnswersFileError", "Key", "Setup"]

# Question and run.
Key = tuple[str, int]

_fcntl: Any = importlib.import_module("fcntl") if os.name == "posix" else None
_HEAD = b'{"id": '
_WIDTH = 80


class AnswersFileError(ValueError):
    """A file that holds something else than answers to these questions; it stays as it is."""


@dataclass(frozen=True)
class Setup:
    """What all answers of a file have in common.

    Attributes:
        config: The experiment.
        modalities: The setting's name, such as `video-graph`.
        prompt_version: Of the prompts.
        options: How they were rendered.
    """

    config: str
    modalities: str
    prompt_version: str
    options: Mapping[str, Any]


class AnswersFile:
    """A file of answers that is open for this process alone; safe to add to from many threads.

    Attributes:
        digests: Question and run -> the digest of what was asked, for every answer in the file.
    """

    def __init__(self, path: str | Path, setup: Setup) -> None:
        """Open or make the file, and read which answers it has.

        A last line that a killed process left unfinished is cut off; nothing else is ever changed.

        Args:
            path: The file; missing folders are made.
            setup: What this call asks.

        Raises:
            AnswersFileError: The file holds something else, or answers of another setup, or
                another process has it open.
            OSError: It cannot be read or written.
        """
        self._path = Path(os.path.realpath(path))
        self._name = str(path)
        self._setup = setup
        self._lock = threading.Lock()
        self._is_broken = False
        self.digests: dict[Key, str] = {}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._handle = self._open()
        try:
            self._read()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> AnswersFile:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let other processes have the file."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def add(self, key: Key, answer: str | int | float, *, digest: str) -> None:
        """Write an answer; when this returns it is on the disk.

        Raises:
            OSError: It could not be written, whole; what was there before still is.
        """
        record = {"id": key[0], "run": key[1], "prediction": answer}
        line = _encode({**record, **asdict(self._setup), "question": digest})
        with self._lock:
            if self._is_broken:
                raise OSError(f"{self._name}: found a file that could not be written to before.")
            end = os.fstat(self._handle).st_size
            try:
                _write_all(self._handle, line)
                os.fsync(self._handle)
            except OSError:
                self._is_broken = True
                with contextlib.suppress(OSError):
                    os.ftruncate(self._handle, end)
                raise
            self.digests[key] = digest

    def put_in_order(self, keys: Sequence[Key]) -> None:
        """Bring the lines into an order, whole or not at all; those of other keys stand behind.

        Raises:
            OSError: The folder cannot be written to; the file is as it was.
        """
        lines = list(self._lines())
        place = {key: index for index, key in enumerate(keys)}
        records = [json.loads(line) for line in lines]
        order = sorted(
            range(len(lines)),
            key=lambda i: place.get((records[i]["id"], records[i]["run"]), len(place)),
        )
        if order == list(range(len(lines))):
            return
        with write_whole(self._path) as temporary, temporary.open("wb") as stream:
            stream.writelines(lines[i] for i in order)
            stream.flush()
            os.fsync(stream.fileno())
            if _fcntl is None:
                self.close()  # a file that is open cannot be replaced there

    def _open(self) -> int:
        while True:
            handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND | _BINARY, 0o666)
            try:
                self._keep_others_out(handle)
                # Who had it before us may have put another file in its place.
                if os.path.samestat(os.fstat(handle), self._path.stat()):
                    return handle
            except FileNotFoundError:
                pass
            except BaseException:
                os.close(handle)
                raise
            os.close(handle)

    def _keep_others_out(self, handle: int) -> None:
        if _fcntl is None:
            return
        try:
            _fcntl.flock(handle, _fcntl.LOCK_EX | _fcntl.LOCK_NB)
        except BlockingIOError as err:
            raise AnswersFileError(
                f"{self._name}: found another process that writes to it; expected it to be free. "
                "Wait for that one, or name another file."
            ) from err

    def _lines(self) -> Iterator[bytes]:
        with self._path.open("rb") as stream:
            yield from stream

    def _read(self) -> None:
        """Take note of every line, then mend the last one if a kill left it unfinished."""
        kept, end = 0, b""
        for number, line in enumerate(self._lines(), start=1):
            if line.endswith(b"\n"):
                self._note(number, _decode(line), line)
                kept += len(line)
            elif (record := _decode(line)) is not None:
                self._note(number, record, line)
                end = b"\n"
                kept += len(line)
            elif not line.startswith(_HEAD[: len(line)]):
                raise self._not_ours(number, line)
        if kept < os.fstat(self._handle).st_size:
            os.ftruncate(self._handle, kept)
        _write_all(self._handle, end)

    def _note(self, number: int, record: Any, line: bytes) -> None:
        """Check a line against the setup, and remember what it answers."""
        if not isinstance(record, dict) or not record.keys() >= _FIELDS:
            raise self._not_ours(number, line)
        for name, ours in asdict(self._setup).items():
            theirs = record[name]
            if theirs == ours:
                continue
            if isinstance(ours, dict) and isinstance(theirs, dict):
                name, theirs, ours = _first_difference(theirs, ours)
            raise AnswersFileError(
                f"{self._name}:{number}: found an answer with {name} {theirs!r}; expected "
                f"{ours!r}, as this call asks. Name another file."
            )
        self.digests.setdefault((record["id"], record["run"]), record["question"])

    def _not_ours(self, number: int, line: bytes) -> AnswersFileError:
        text = line.decode("utf-8", "replace").rstrip("\n")
        shown = repr(text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…")
        return AnswersFileError(
            f"{self._name}:{number}: found {shown}; expected an answer that kolab.predict wrote. "
            "Name another file."
        )


_BINARY = getattr(os, "O_BINARY", 0)
_FIELDS = {
    *("id", "run", "prediction", "question"),
    *("config", "modalities", "prompt_version", "options"),
}


def _first_difference(theirs: dict[str, Any], ours: dict[str, Any]) -> tuple[str, Any, Any]:
    names = [*ours, *(name for name in theirs if name not in ours)]
    name = next(name for name in names if theirs.get(name) != ours.get(name))
    return name, theirs.get(name), ours.get(name)


def _encode(record: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(record, ensure_ascii=False).encode() + b"\n"
    except UnicodeEncodeError:  # half of a surrogate pair, which UTF-8 has no bytes for
        return json.dumps(record).encode() + b"\n"


def _decode(line: bytes) -> Any:
    """A line's JSON; None if it is none."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _write_all(handle: int, data: bytes) -> None:
    while data:
        data = data[os.write(handle, data) :]
