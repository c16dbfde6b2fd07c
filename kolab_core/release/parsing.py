"""From a file's bytes to checked documents, with every problem put into words and places."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from kolab_core.release.issues import Issue, show_value
from kolab_core.release.times import Number

__all__ = ["FileReader", "place"]

DocumentT = TypeVar("DocumentT", bound=BaseModel)

# What pydantic's own complaints mean to a person who looks at the file.
_EXPECTED = {
    "list_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "string_type": "text",
    "int_type": "a whole number",
}


class _UnreadableJSONError(ValueError):
    """Why a text is not the JSON that we read."""


@dataclass
class FileReader:
    """Reads files of one release and collects what is wrong or odd about them.

    Attributes:
        root: The release's folder, resolved.
        issues: Errors and notes, in the order of finding.
    """

    root: Path
    issues: list[Issue] = field(default_factory=list)

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
        try:
            inside = path.resolve().is_relative_to(self.root)
        except (OSError, RuntimeError):
            inside = False
        if inside:
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
        path = self.locate(file)
        if path is None:
            return None
        try:
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

    def read_lines(self, file: str, model: type[DocumentT]) -> Iterator[tuple[int, DocumentT]]:
        """The checked documents of a JSON-lines file with their line numbers, from 1."""
        text = self.read_text(file)
        for number, line in enumerate((text or "").split("\n"), start=1):
            if line.strip():
                document = self._check(line, model, file, f"line {number}")
                if document is not None:
                    yield number, document

    def _check(self, text: str, model: type[DocumentT], file: str, line: str) -> DocumentT | None:
        try:
            raw = _load_json(text)
        except json.JSONDecodeError as err:
            where = line or f"line {err.lineno}"
            self.error(file, f"{where}, column {err.colno}", f"broken JSON ({err.msg})", "JSON")
            return None
        except (_UnreadableJSONError, RecursionError) as err:
            found = str(err) if isinstance(err, _UnreadableJSONError) else "JSON nested too deeply"
            self.error(file, line, found, "plain JSON")
            return None
        try:
            document = model.model_validate(raw)
        except ValidationError as err:
            for problem in err.errors(include_url=False):
                self._add_problem(file, line, raw, problem)
            return None
        for loc in _unknown_keys(document):
            where = _join(line, place(raw, loc))
            self.note(file, where, "an unknown key", "the keys of the format (it is left out)")
        return document

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
            parts.append(str(item))
    return " > ".join(parts)


def _name_of(value: Any) -> str:
    """The name that a list's item gives itself, to be found again by a person."""
    if isinstance(value, dict):
        for key in ("key", "id"):
            if isinstance(value.get(key), str):
                return f" {value[key]}"
        if type(value.get("number")) is int:
            return f" (number {value['number']})"
    return ""


def _join(*parts: str) -> str:
    return " > ".join(part for part in parts if part)


def _load_json(text: str) -> Any:
    try:
        return json.loads(
            text, parse_float=Number, parse_constant=_refuse, object_pairs_hook=_unique
        )
    except json.JSONDecodeError:
        raise
    except _UnreadableJSONError:
        raise
    except ValueError as err:  # a number with thousands of digits
        raise _UnreadableJSONError("a number that is too long") from err


def _refuse(name: str) -> NoReturn:
    raise _UnreadableJSONError(f"{name}, which JSON does not have")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique = dict(pairs)
    if len(unique) < len(pairs):
        seen: set[str] = set()
        again = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]  # add gives None
        raise _UnreadableJSONError(f"the key {show_value(again)} twice in one object")
    return unique


def _unknown_keys(document: BaseModel) -> Iterator[tuple[str | int, ...]]:
    """Where the document holds keys that the format does not know, in document order."""
    for key in document.model_extra or ():
        yield (key,)
    for name, value in document:
        if isinstance(value, BaseModel):
            for rest in _unknown_keys(value):
                yield (name, *rest)
        elif isinstance(value, list):
            for index, item in enumerate(value):
                if not isinstance(item, BaseModel):
                    break
                for rest in _unknown_keys(item):
                    yield (name, index, *rest)
