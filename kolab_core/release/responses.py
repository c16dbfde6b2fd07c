"""Which occurrences a `user_response` entry means: found by id *and* time together."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kolab_core.release.documents import is_text
from kolab_core.release.issues import show_value
from kolab_core.release.records import Node, Occurrence, Response
from kolab_core.release.times import Span, parse_occurrence

__all__ = ["LABELS", "Problem", "ResponseFinder"]

LABELS = ("adopt", "modify", "reject")


@dataclass(frozen=True)
class Problem:
    """Why an entry stands for nothing.

    Attributes:
        where: The item of the entry, in brackets; empty for the entry.
        found: What was found.
        expected: The rule, in words.
        is_absence: Whether what the entry names is not there (or more than once).
    """

    where: str
    found: str
    expected: str
    is_absence: bool = False


class ResponseFinder:
    """Finds the occurrences that the entries of one session name."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        """Index the session's nodes by the id that entries use."""
        self._by_name: dict[str, list[Node]] = defaultdict(list)
        self._listed: dict[tuple[int, ...], list[Occurrence]] = {}
        for node in nodes:
            self._by_name[node.name].append(node)

    def find(self, node: Node, index: int, entry: object) -> Response | list[Problem]:
        """The response that `entry`, number `index` of `node`, stands for.

        Returns:
            The response, or all that is wrong with the entry.
        """
        problems = _check_form(entry)
        if problems or not isinstance(entry, list):
            return problems
        source_id, ai_id, label, source_time, ai_time, response_time = entry
        if label not in LABELS:
            problems.append(Problem("[2]", show_value(label), "'adopt', 'modify' or 'reject'"))
        if node.actor_type != "user":
            problems.append(Problem("", "a response on an AI node", "responses on user nodes only"))
        search = _Search(node, problems, self._listed)
        source = self._find_source(search, source_id, source_time)
        ai_nodes = [n for n in self._by_name.get(ai_id, ()) if n.actor_type == "ai"]
        if ai_nodes:
            what = f"AI node {show_value(ai_id)}"
            target = search.find_among(ai_nodes, ai_time, what=what, where="[4]")
        else:
            target = None
            search.miss("[1]", f"no AI node {show_value(ai_id)}", "the id of one in the session")
        response = search.find_among([node], response_time, what="node itself", where="[5]")
        if target and response:
            problems += _check_order(source, target, response)
        if problems or not target or not response:
            return problems
        return Response(node, index, label, source, target, response)

    def _find_source(self, search: _Search, source_id: str, time: str) -> Occurrence | None:
        if not source_id:
            if time:
                expected = "no source time, since no source is named"
                search.problems.append(Problem("[3]", show_value(time), expected))
            return None
        candidates = self._by_name.get(source_id, [])
        shown = show_value(source_id)
        if not candidates:
            search.miss("[0]", f"no node {shown}", "the id of one in the session, or ''")
            return None
        if time:
            what = f"source node {shown}"
            return search.find_among(candidates, time, what=what, where="[3]")
        if len(candidates) == 1 and len(candidates[0].occurrences) == 1:
            return Occurrence(candidates[0], candidates[0].occurrences[0])
        found = f"{len(candidates)} nodes with the id {shown}"
        if len(candidates) == 1:
            found = f"{len(candidates[0].occurrences)} occurrences of {candidates[0].id}"
        search.miss("[3]", f"no time and {found}", "a time, or one node with one occurrence")
        return None


@dataclass(frozen=True)
class _Search:
    """A search for one entry's occurrences: the node that carries it, and what went wrong.

    `listed` is that of the session, so that nodes with thousands are gone through once.
    """

    home: Node
    problems: list[Problem]
    listed: dict[tuple[int, ...], list[Occurrence]]

    def miss(self, where: str, found: str, expected: str) -> None:
        """Note that something the entry names is not there."""
        self.problems.append(Problem(where, found, expected, is_absence=True))

    def find_among(
        self, candidates: Sequence[Node], time: str, *, what: str, where: str
    ) -> Occurrence | None:
        """The occurrence quoted as `time`: the exact one, else the latest containing its start."""
        quoted = self._parse(time, where)
        if quoted is None:
            return None
        names = tuple(map(id, candidates))
        if names not in self.listed:
            spans = ((n, span) for n in candidates for span in dict.fromkeys(n.occurrences))
            self.listed[names] = list(itertools.starmap(Occurrence, spans))
        everything = self.listed[names]
        matches = [o for o in everything if o.span == quoted]
        if not matches:
            matches = _latest([o for o in everything if o.span.contains(quoted.start)])
        if len(matches) > 1:
            matches = [o for o in matches if o.node.segment is self.home.segment] or matches
        if len(matches) == 1:
            return matches[0]
        if matches:
            nodes = ", ".join(sorted({o.node.id for o in matches}))
            self.miss(where, f"{len(matches)} occurrences at {time} ({nodes})", "one")
        else:
            self.miss(where, f"no occurrence of the {what} at {time}", "one that has this time")
        return None

    def _parse(self, time: str, where: str) -> Span | None:
        try:
            return parse_occurrence(time)
        except ValueError as err:
            self.problems.append(Problem(where, show_value(time), str(err)))
            return None


def _check_form(entry: object) -> list[Problem]:
    """Whether an entry is six texts."""
    expected = "a list of 6 texts: source, AI node, label, and three times"
    if not isinstance(entry, list):
        return [Problem("", show_value(entry), expected)]
    if len(entry) != 6:
        return [Problem("", f"{len(entry)} items", expected)]
    return [
        Problem(f"[{number}]", show_value(item), "text")
        for number, item in enumerate(entry)
        if not is_text(item)
    ]


def _latest(occurrences: list[Occurrence]) -> list[Occurrence]:
    start = max((o.span.start for o in occurrences), default=0)
    return [o for o in occurrences if o.span.start == start]


def _check_order(
    source: Occurrence | None, target: Occurrence, response: Occurrence
) -> list[Problem]:
    """Whether the three leave a window: something to forecast, and something to see before."""
    problems: list[Problem] = []
    if target.span.start == target.span.end:
        problems.append(Problem("[4]", "an AI output without length", "an end after the start"))
    if response.span.start < target.span.start:
        found = f"a response at {_clock(response.span)} before its AI output"
        problems.append(Problem("[5]", found, f"a start at or after {_clock(target.span)}"))
    if source and source.span.start >= target.span.end:
        found = f"a source at {_clock(source.span)} at or after its AI output's end"
        problems.append(Problem("[3]", found, f"a start before {target.span.end / 1000:.3f} s"))
    return problems


def _clock(span: Span) -> str:
    return f"{span.start / 1000:.3f} s"
