"""Marks in an ELAN file (EAF 3.0), by pympi-ling: lanes, what hangs on them, vocabularies."""

from __future__ import annotations

import os
import warnings
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from kolab_core.annotations.marks import Mark, Marks, ResponseMark, actor_of, escape, unescape
from kolab_core.files import write_whole
from kolab_core.release import LABELS, Issue, ReleaseError, show_value

__all__ = ["ElanFile", "Head", "read_elan", "write_elan"]

FORMAT = "3.0"
_SCHEMA = f"http://www.mpi.nl/tools/elan/EAFv{FORMAT}.xsd"
_SESSION, _GRAPH = "kolab session", "kolab graph"
_BRANDS = ("user", "claude", "chatgpt", "gemini", "grok", "copilot")
_MIMES = {".mp4": "mp4", ".webm": "webm", ".mkv": "x-matroska", ".mov": "quicktime"}

# The linguistic types, by which a tier's part is known whatever its name.
_LANES = ("segment", "occurrence", "untimed")
_RESPONSE = "response"
_NODE_TEXTS = ("id", "actor", "detail", "softwares", "next")
_BELOW = {
    "segment": ("id", "badge", "action"),
    "occurrence": _NODE_TEXTS,
    "untimed": _NODE_TEXTS,
    _RESPONSE: ("request", "output", "number"),
}
_VOCABULARIES = {_RESPONSE: "labels", "actor": "actors", "badge": "badges"}


@dataclass(frozen=True)
class Head:
    """What a file says of its origin: the session, its graph's digest, its recording."""

    session_id: str
    digest: str
    recording: Path | None = None


@dataclass(frozen=True)
class ElanFile:
    """What was read: the head (without recording), the marks, and notes on what was left out."""

    head: Head
    marks: Marks
    notes: tuple[Issue, ...]


def write_elan(path: str | Path, marks: Marks, *, head: Head, badges: Sequence[str]) -> None:
    """Write a new file; marks of one lane that overlap go to further lanes.

    Args:
        path: The file to make.
        marks: What to write.
        head: What the file says of its origin.
        badges: The vocabulary of badges.

    Raises:
        FileExistsError: There is such a file.
        ModuleNotFoundError: pympi-ling is not installed.
    """
    elan = _import_pympi()
    target = Path(path)
    if target.exists():
        raise FileExistsError(f"{target}: found a file; expected a new name.")
    writer = _Writer(elan, [*marks.segments, *marks.occurrences, *marks.untimed])
    writer.add_head(head, target)
    actors = dict.fromkeys([*_BRANDS, *(mark.actor for mark in marks.occurrences)])
    writer.add_vocabulary("labels", LABELS)
    writer.add_vocabulary("actors", actors)
    writer.add_vocabulary("badges", badges)
    writer.add_lanes("segment", "segments", marks.segments)
    by_actor: dict[str, list[Mark]] = {"user": []}
    for mark in marks.occurrences:
        by_actor.setdefault(mark.actor, []).append(mark)
    for actor, group in by_actor.items():
        writer.add_lanes("occurrence", actor or "nobody", group, actor=actor)
    if marks.untimed:
        writer.add_lanes("untimed", "untimed", marks.untimed)
    document = writer.finish()
    with write_whole(target) as temporary:
        document.write(temporary, xml_declaration=True, encoding="UTF-8")


def read_elan(path: str | Path) -> ElanFile:
    """Read a file that `write_elan` wrote and an annotator changed.

    Raises:
        ReleaseError: It is no ELAN file of this format, or not one of a session's graph.
        OSError: It cannot be read.
        ModuleNotFoundError: pympi-ling is not installed.
    """
    elan = _import_pympi()
    target = Path(path)
    _check_format(target)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            eaf = elan.Eaf(str(target), suppress_version_warning=True)
    except (KeyError, IndexError, ValueError) as err:
        found = f"an incomplete document ({type(err).__name__}: {err})"
        raise ReleaseError([Issue(target.name, "", found, "a file that ELAN saved")]) from err
    properties = dict(eaf.properties)
    for name in (_SESSION, _GRAPH):
        if not properties.get(name):
            hint = "Make one with `kolab annotations export`."
            issue = Issue(target.name, f"property {name!r}", "none", "one of an export", hint)
            raise ReleaseError([issue])
    reader = _Reader(eaf, target.name)
    marks = reader.read_marks()
    if reader.errors:
        raise ReleaseError(reader.errors)
    head = Head(unescape(properties[_SESSION]), properties[_GRAPH])
    return ElanFile(head, marks, tuple(reader.notes))


def _import_pympi() -> Any:
    try:
        from pympi import Elan
    except ImportError as err:
        hint = "Run `pip install 'kolab[annotate]'`."
        raise ModuleNotFoundError(f"pympi-ling: not installed; ELAN files need it. {hint}") from err
    return Elan


def _check_format(path: Path) -> None:
    """Whether pympi will understand it; it would take other versions with a warning."""
    try:
        root = ET.parse(path).getroot()
    except (ET.ParseError, LookupError, ValueError) as err:
        issue = Issue(path.name, "", f"no XML ({err})", "an ELAN file")
        raise ReleaseError([issue]) from err
    if root.tag != "ANNOTATION_DOCUMENT":
        raise ReleaseError([Issue(path.name, "", f"a {root.tag} document", "an ELAN file")])
    version = root.get("FORMAT", FORMAT)
    if version != FORMAT:
        hint = "Save it with ELAN 6 or later."
        raise ReleaseError([Issue(path.name, "FORMAT", repr(version), repr(FORMAT), hint)])


class _Writer:
    """Builds the document; time slots are in order of time, as the format wants them."""

    def __init__(self, elan: Any, marks: Sequence[Mark]) -> None:
        self._elan = elan
        self._eaf = eaf = elan.Eaf(author="kolab")
        eaf.remove_tier("default")
        eaf.linguistic_types.clear()
        eaf.properties.clear()
        eaf.adocument["VERSION"] = eaf.adocument["FORMAT"] = FORMAT
        eaf.adocument["xsi:noNamespaceSchemaLocation"] = _SCHEMA
        eaf.header["TIME_UNITS"] = "milliseconds"
        eaf.header["MEDIA_FILE"] = ""
        for kind in _LANES:
            eaf.add_linguistic_type(kind)
        self._add_type(_RESPONSE, "Symbolic_Subdivision")
        for kind in dict.fromkeys(kind for kinds in _BELOW.values() for kind in kinds):
            self._add_type(kind, "Symbolic_Association")
        eaf.add_language("und", "http://cdb.iso.org/lg/CDB-00130975-001", "undetermined (und)")
        times = sorted(
            (time, index, is_end)
            for index, mark in enumerate(marks)
            for is_end, time in enumerate((mark.start, mark.end))
        )
        self._slots: dict[int, list[str]] = defaultdict(list)
        for time, index, _ in times:
            self._slots[id(marks[index])].append(eaf.generate_ts_id(time))

    def _add_type(self, name: str, constraint: str) -> None:
        attributes = {
            "LINGUISTIC_TYPE_ID": name,
            "TIME_ALIGNABLE": "false",
            "GRAPHIC_REFERENCES": "false",
            "CONSTRAINTS": constraint,
        }
        if name in _VOCABULARIES:
            attributes["CONTROLLED_VOCABULARY_REF"] = _VOCABULARIES[name]
        self._eaf.add_linguistic_type(name, param_dict=attributes)

    def add_head(self, head: Head, path: Path) -> None:
        """The recording, relative to the file, and where the graph came from."""
        self._eaf.add_property(_SESSION, escape(head.session_id))
        self._eaf.add_property(_GRAPH, head.digest)
        if head.recording is not None:
            folder = path.resolve().parent
            link = os.path.relpath(head.recording.resolve(), folder).replace("\\", "/")
            link = link if link.startswith("../") else f"./{link}"
            kind = _MIMES[head.recording.suffix.lower()]
            self._eaf.add_linked_file(escape(link), escape(link), mimetype=f"video/{kind}")

    def add_vocabulary(self, name: str, values: Iterable[str]) -> None:
        """A controlled vocabulary."""
        self._eaf.add_controlled_vocabulary(name)
        for index, value in enumerate(values):
            entry = [(escape(value), "und", None)]
            self._eaf.add_cv_entry(name, f"cveid_{name}_{index}", entry)

    def add_lanes(self, kind: str, name: str, marks: Iterable[Mark], actor: str = "") -> None:
        """The lanes of one kind and name, at least one, with their tiers below."""
        for number, lane in enumerate(_split_lanes(marks), start=1):
            tier = self._add_tier(name if number == 1 else f"{name} ({number})", kind, actor=actor)
            below = {k: self._add_tier(f"{tier}: {k}", k, parent=tier) for k in _BELOW[kind]}
            if kind == "occurrence" and actor_of(actor)[1] == "user":
                responses = self._add_tier(f"{tier}: responses", _RESPONSE, parent=tier)
                below[_RESPONSE] = responses
                for k in _BELOW[_RESPONSE]:
                    below[k] = self._add_tier(f"{responses}: {k}", k, parent=responses)
            for mark in lane:
                self._add_mark(tier, mark, below)

    def _add_tier(self, name: str, kind: str, *, parent: str = "", actor: str = "") -> str:
        name = escape(name)
        while name in self._eaf.tiers:
            name += "'"
        self._eaf.add_tier(name, kind, parent=parent or None, part=escape(actor) or None)
        return name

    def _add_mark(self, tier: str, mark: Mark, below: Mapping[str, str]) -> None:
        first, last = self._slots[id(mark)]
        aid = self._eaf.generate_annotation_id()
        self._eaf.tiers[tier][0][aid] = (first, last, escape(mark.value), None)
        for kind, text in mark.texts.items():
            self._refer(below[kind], aid, text)
        before = None
        for response in mark.responses:
            before = self._refer(below[_RESPONSE], aid, response.label, before)
            for kind, text in response.texts.items():
                self._refer(below[kind], before, text)

    def _refer(self, tier: str, parent: str, text: str, before: str | None = None) -> str:
        aid: str = self._eaf.generate_annotation_id()
        self._eaf.tiers[tier][1][aid] = (parent, escape(text), before, None)
        return aid

    def finish(self) -> ET.ElementTree:
        """The document."""
        self._eaf.add_property("lastUsedAnnotationId", self._eaf.maxaid)
        return ET.ElementTree(self._elan.to_adocument(self._eaf))


def _split_lanes(marks: Iterable[Mark]) -> list[list[Mark]]:
    """Marks over as few lanes as hold them without an overlap, in order of time; one at least."""
    lanes: list[list[Mark]] = [[]]
    for mark in sorted(marks, key=lambda mark: (mark.start, mark.end)):
        free = (lane for lane in lanes if not lane or lane[-1].end <= mark.start)
        lane = next(free, None)
        if lane is None:
            lanes.append([mark])
        else:
            lane.append(mark)
    return lanes


class _Reader:
    """Gathers what hangs on each annotation; notes the tiers that are not ours."""

    def __init__(self, eaf: Any, file: str) -> None:
        self._eaf = eaf
        self._file = file
        self.errors: list[Issue] = []
        self.notes: list[Issue] = []
        # Annotation -> kind -> the annotations below it, as (id, text).
        self._below: dict[str, dict[str, list[tuple[str, str]]]] = {}
        self._kinds = {name: tier[2]["LINGUISTIC_TYPE_REF"] for name, tier in eaf.tiers.items()}

    def read_marks(self) -> Marks:
        """All marks."""
        known = {*_LANES, _RESPONSE, *(kind for kinds in _BELOW.values() for kind in kinds)}
        for tier, kind in self._kinds.items():
            if kind not in known:
                expected = "a type of an export (it is left out)"
                note = Issue(self._file, f"tier {tier!r}", f"the type {kind!r}", expected)
                self.notes.append(note)
            for aid, (parent, text, _, _) in self._eaf.tiers[tier][1].items():
                below = self._below.setdefault(parent, {})
                below.setdefault(kind, []).append((aid, unescape(text)))
        return Marks(
            segments=self._read_lanes("segment"),
            occurrences=self._read_lanes("occurrence"),
            untimed=self._read_lanes("untimed"),
        )

    def _read_lanes(self, kind: str) -> list[Mark]:
        marks = []
        for tier in (name for name, found in self._kinds.items() if found == kind):
            actor = unescape(self._eaf.tiers[tier][2].get("PARTICIPANT") or "")
            for aid, (first, last, text, _) in self._eaf.tiers[tier][0].items():
                start, end = (self._eaf.timeslots.get(slot) for slot in (first, last))
                if start is None or end is None or not 0 <= start < end:
                    found = f"{show_value(unescape(text))} from {start} to {end} ms"
                    expected = "a start from 0, and an end after it"
                    self.errors.append(Issue(self._file, f"tier {tier!r}", found, expected))
                    continue
                responses = self._read_responses(aid)
                texts = self._texts_below(aid)
                texts.pop(_RESPONSE, None)
                marks.append(Mark(tier, actor, start, end, unescape(text), texts, responses))
        return marks

    def _texts_below(self, aid: str) -> dict[str, str]:
        return {kind: found[0][1] for kind, found in self._below.get(aid, {}).items()}

    def _read_responses(self, aid: str) -> tuple[ResponseMark, ...]:
        found = self._below.get(aid, {}).get(_RESPONSE, [])
        return tuple(ResponseMark(label, self._texts_below(below)) for below, label in found)
