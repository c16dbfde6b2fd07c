"""From a file's bytes to checked documents, with every problem put into words and places."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError

from kolab_core.release.issues import Issue, show_value
from kolab_core.release.places import is_inside
from kolab_core.release.times import Number

__all__ = ["FileReader", "place"]

DocumentT = TypeVar("DocumentT", bound=BaseModel)

# By a value's `id`: the value (kept, so that the id stays its own) and what is wrong with it.
Faults = dict[int, tuple[object, str]]

# What pydantic's own complaints mean to a person who looks at the file.
_EXPECTED = {
    "list_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "string_type": "text",
    "string_unicode": "text that is valid Unicode",
    "int_type": "a whole number",
}
_LONGEST_NAME = 40


class _UnreadableJSONError(ValueError):
    """Why a text is not the JSON that we read."""


@dataclass
class FileReader:
    """Reads files of one release and collects what is wrong or odd about them.

    Attributes:
        root: The release's folder, resolved.
        issues: Errors and notes, in the order of finding.
        texts: By file, what to read in place of what lies on disk.
    """

    root: Path
    issues: list[Issue] = field(default_factory=list)
    texts: Mapping[str, str] = field(default_factory=dict)

    @property
    def errors(self) -> list[Issue]:
        """The issues that stop."""
        return [issue for issue in self.issues if not issue.is_note]

    @property
    def notes(self) -> list[Issue]:
        """The issues that only inform."""
        return [issue for issue in self.issues if issue.is_note]

    def error(self, file: str, where: str, found: str, expected: str, hint: str = "") -> None:
        """Collect an error."""
        self.issues.append(Issue(file, where, found, expected, hint))

    def note(self, file: str, where: str, found: str, expected: str, hint: str = "") -> None:
        """Collect a note."""
        self.issues.append(Issue(file, where, found, expected, hint, is_note=True))

    def locate(self, file: str) -> Path | None:
        """The path of a file or folder of the release; None (and an error) if it leads out."""
        path = self.root / file
        if is_inside(path, self.root):
            return path
        self.error(
            file,
            "",
            "a link that leads out of the release",
            "a file inside it",
            "Copy the file into the release instead of linking it.",
        )
        return None

    def read_text(self, file: str) -> str | None:
        """A file as text; None (and an error) if that fails."""
        if file in self.texts:
            return self.texts[file]
        path = self.locate(file)
        if path is None:
            return None
        try:
            if path.exists() and not (path.is_file() or path.is_dir()):
                self.error(file, "", "no file, but a pipe or a device", "a file")
                return None
            return path.read_bytes().decode("utf-8-sig")
        except FileNotFoundError:
            self.error(file, "", "no such file", "a file")
        except UnicodeDecodeError as err:
            self.error(file, f"byte {err.start}", "bytes that are not UTF-8", "UTF-8 text")
        except OSError as err:
            self.error(file, "", f"an unreadable file ({err.strerror})", "a readable file")
        return None

    def read_document(self, file: str, model: type[DocumentT]) -> DocumentT | None:
        """A JSON file as a checked document; None (and errors) if it is not one."""
        text = self.read_text(file)
        return None if text is None else self._check(text, model, file, "")

    def read_raw(self, file: str) -> Any:
        """A JSON file as it is, unchecked; None (and an error) if it is no JSON."""
        text = self.read_text(file)
        return None if text is None else self._parse(text, file, "")

    def read_lines(self, file: str, model: type[DocumentT]) -> Iterator[tuple[int, DocumentT]]:
        """The checked documents of a JSON-lines file with their line numbers, from 1."""
        text = self.read_text(file)
        for number, line in enumerate((text or "").split("\n"), start=1):
            if line.strip():
                document = self._check(line, model, file, f"line {number}")
                if document is not None:
                    yield number, document

    def _parse(self, text: str, file: str, line: str) -> Any:
        """JSON text as values; None (and an error) if it is none."""
        if not text.strip():
            self.error(file, line, "an empty file", "JSON")
            return None
        try:
            raw, faults = _load_json(text)
        except json.JSONDecodeError as err:
            where = line or f"line {err.lineno}"
            self.error(file, f"{where}, column {err.colno}", f"broken JSON ({err.msg})", "JSON")
        except RecursionError:
            self.error(file, line, "JSON nested too deeply", "plain JSON")
        except _UnreadableJSONError as err:
            self.error(file, line, str(err), "plain JSON")
        else:
            for loc, found in _find_faults(raw, faults):
                self.error(file, _join(line, place(raw, loc)), found, "plain JSON")
            return raw
        return None

    def _check(self, text: str, model: type[DocumentT], file: str, line: str) -> DocumentT | None:
        num_issues = len(self.issues)
        raw = self._parse(text, file, line)
        has_faults = len(self.issues) > num_issues
        if has_faults and raw is None:
            return None
        try:
            document = model.model_validate(raw)
        except ValidationError as err:
            for problem in err.errors(include_url=False):
                if not isinstance(problem["input"], _Constant):
                    self._add_problem(file, line, raw, problem)
            return None
        for loc in _unknown_keys(document):
            where = _join(line, place(raw, loc))
            self.note(file, where, "an unknown key", "the keys of the format (it is left out)")
        return None if has_faults else document

    def _add_problem(self, file: str, line: str, raw: Any, problem: Any) -> None:
        where = _join(line, place(raw, problem["loc"]))
        if problem["type"] == "missing":
            self.error(file, where, "no such key", "a value")
            return
        if problem["type"] == "expected":
            expected = problem["ctx"]["rule"]
        else:
            expected = _EXPECTED.get(problem["type"], problem["msg"])
        self.error(file, where, show_value(problem["input"]), expected)


def place(raw: Any, loc: Sequence[str | int]) -> str:
    """A pydantic location as a record path, list items with their own names.

    >>> place({"steps": [{"key": "seg0a", "end_seconds": 3}]}, ("steps", 0, "end_seconds"))
    'steps[0] seg0a > end_seconds'
    """
    parts: list[str] = []
    value = raw
    for item in loc:
        try:
            value = value[item]
        except (KeyError, IndexError, TypeError):
            value = None
        if isinstance(item, int) and parts:
            parts[-1] += f"[{item}]{_name_of(value)}"
        else:
            parts.append(_shorten(str(item)))
    return " > ".join(parts)


def _name_of(value: Any) -> str:
    """The name that a list's item gives itself, to be found again by a person."""
    if isinstance(value, dict):
        for key in ("key", "id"):
            if isinstance(value.get(key), str) and value[key]:
                return f" {_shorten(value[key])}"
        if type(value.get("number")) is int:
            return f" (number {value['number']})"
    return ""


def _shorten(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"


def _join(*parts: str) -> str:
    return " > ".join(part for part in parts if part)


class _Constant(float):
    """NaN or an infinity, which Python's parser takes though JSON does not have them."""


def _load_json(text: str) -> tuple[Any, Faults]:
    """JSON text as values, and what is wrong with some of them."""
    faults: Faults = {}

    def keep_constant(name: str) -> _Constant:
        constant = _Constant(name)
        faults[id(constant)] = (constant, f"{name}, which JSON does not have")
        return constant

    def make_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        unique = dict(pairs)
        if len(unique) < len(pairs):
            keys = [key for key, _ in pairs]
            again = next(key for key in keys if keys.count(key) > 1)
            faults[id(unique)] = (unique, f"the key {show_value(again)} twice in one object")
        return unique

    try:
        raw = json.loads(
            text, parse_float=Number, parse_constant=keep_constant, object_pairs_hook=make_object
        )
    except json.JSONDecodeError:
        raise
    except ValueError as err:  # a number with thousands of digits
        raise _UnreadableJSONError("a number that is too long") from err
    return raw, faults


def _find_faults(raw: Any, faults: Faults) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Where the values with faults are, in document order."""
    pending: list[tuple[Any, tuple[str | int, ...]]] = [(raw, ())] if faults else []
    while pending:
        value, loc = pending.pop()
        if id(value) in faults:
            yield loc, faults[id(value)][1]
        items: list[tuple[str | int, Any]] = []
        if isinstance(value, dict):
            items = list(value.items())
        elif isinstance(value, list):
            items = list(enumerate(value))
        pending += [(item, (*loc, key)) for key, item in reversed(items)]


def _unknown_keys(document: BaseModel) -> Iterator[tuple[str | int, ...]]:
    """Where the document holds keys that the format does not know, in document order."""
    for key in document.model_extra or ():
        yield (key,)
    for name in _fields_of_documents(type(document)):
        value = getattr(document, name)
        if isinstance(value, BaseModel):
            for rest in _unknown_keys(value):
                yield (name, *rest)
        else:
            for index, item in enumerate(value or ()):
                for rest in _unknown_keys(item):
                    yield (name, index, *rest)


@cache
def _fields_of_documents(model: type[BaseModel]) -> tuple[str, ...]:
    """The fields that hold a document or a list of them; most hold texts and numbers."""
    return tuple(n for n, info in model.model_fields.items() if _has_document(info.annotation))


def _has_document(annotation: Any) -> bool:
    if get_origin(annotation) is None:
        return isinstance(annotation, type) and issubclass(annotation, BaseModel)
    return any(map(_has_document, get_args(annotation)))
