"""Which occurrences a `user_response` entry means: found by id *and* time together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kolab_core.release.issues import show_value
from kolab_core.release.records import Node, Occurrence, Response
from kolab_core.release.times import Span, parse_span

__all__ = ["LABELS", "Problem", "ResponseFinder"]

LABELS = ("adopt", "modify", "reject")


@dataclass(frozen=True)
class Problem:
    """Why an entry stands for nothing: the item of the entry, what was found, what was expected."""

    where: str
    found: str
    expected: str


class ResponseFinder:
    """Finds the occurrences that the entries of one session name."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        """Index the session's nodes by the id that entries use."""
        self._by_name: dict[str, list[Node]] = defaultdict(list)
        for node in nodes:
            self._by_name[node.name].append(node)

    def find(self, node: Node, index: int, entry: Sequence[str]) -> Response | list[Problem]:
        """The response that `entry`, number `index` of `node`, stands for.

        Returns:
            The response, or all that is wrong with the entry.
        """
        problems: list[Problem] = []
        if len(entry) != 6:
            expected = "6: source, AI node, label, and three times"
            return [Problem("", f"{len(entry)} items", expected)]
        source_id, ai_id, label, source_time, ai_time, response_time = entry
        if label not in LABELS:
            problems.append(Problem("[2]", show_value(label), "'adopt', 'modify' or 'reject'"))
        if node.actor_type != "user":
            problems.append(Problem("", "a response on an AI node", "responses on user nodes only"))
        source = self._find_source(node, source_id, source_time, problems)
        ai_nodes = [n for n in self._by_name.get(ai_id, ()) if n.actor_type == "ai"]
        target = _find_among(
            ai_nodes, node, ai_time, f"AI node {show_value(ai_id)}", "[4]", problems
        )
        response = _find_among([node], node, response_time, "response", "[5]", problems)
        if target and response:
            problems += _check_order(source, target, response)
        if problems or not target or not response:
            return problems
        return Response(node, index, label, source, target, response)

    def _find_source(
        self, node: Node, source_id: str, time: str, problems: list[Problem]
    ) -> Occurrence | None:
        if not source_id:
            if time:
                problems.append(
                    Problem("[3]", show_value(time), "no source time, since no source is named")
                )
            return None
        candidates = self._by_name.get(source_id, [])
        if time:
            what = f"source node {show_value(source_id)}"
            return _find_among(candidates, node, time, what, "[3]", problems)
        if len(candidates) == 1 and len(candidates[0].occurrences) == 1:
            return Occurrence(candidates[0], candidates[0].occurrences[0])
        found = f"{len(candidates)} nodes with the id {show_value(source_id)}"
        if len(candidates) == 1:
            found = f"{len(candidates[0].occurrences)} occurrences of {candidates[0].id}"
        problems.append(
            Problem("[3]", f"no time and {found}", "a time, or one node with one occurrence")
        )
        return None


def _find_among(
    candidates: Sequence[Node],
    home: Node,
    time: str,
    what: str,
    where: str,
    problems: list[Problem],
) -> Occurrence | None:
    """The occurrence quoted as `time`: the exact one, else the latest that contains its start."""
    try:
        quoted = parse_span(time)
    except ValueError:
        problems.append(Problem(where, show_value(time), "a span HH:MM:SS[.mmm]-HH:MM:SS[.mmm]"))
        return None
    if not candidates:
        problems.append(Problem(where, f"no {what}", "the id of a node of the session"))
        return None
    all_occurrences = [
        Occurrence(n, span) for n in candidates for span in dict.fromkeys(n.occurrences)
    ]
    matches = [o for o in all_occurrences if o.span == quoted]
    if not matches:
        matches = _latest([o for o in all_occurrences if o.span.contains(quoted.start)])
    if len(matches) > 1:
        matches = [o for o in matches if o.node.segment is home.segment] or matches
    if len(matches) == 1:
        return matches[0]
    if matches:
        names = ", ".join(sorted({o.node.id for o in matches}))
        problems.append(Problem(where, f"{len(matches)} occurrences at {time} ({names})", "one"))
    else:
        problems.append(
            Problem(where, f"no occurrence of the {what} at {time}", "one that has this time")
        )
    return None


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
