"""The six experiments' rows a second time, by brute force and apart from the package.

Everything here is a set of whole milliseconds: a window is the set of those it shows, an interval
is a run of them, "overlaps" is a common element. That is far too slow for an hour and exactly what
the rules say. It reads the raw values of a release of one session (see `releases.py`), with times
of at most three decimals, and imports nothing from the package.
"""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import pairwise
from typing import Any

LABELS = ["adopt", "modify", "reject"]
FORECASTS = ("adoption_forecast", "step_n", "workflow_level")

Row = dict[str, Any]
Times = tuple[int, int]


class NoRowError(Exception):
    """What an instance refers to is not there, or it has no window."""


def expect_rows(files: dict[str, Any], config: str) -> list[Row]:
    """The rows of a release's only session."""
    (session_id,) = files["release.json"]["sessions"]
    world = World(files, session_id)
    if config in ("collab_rating", "output_quality"):
        return world.rating_rows(config)
    rows = []
    for node in world.nodes:
        for index, entry in enumerate(node["user_response"]):
            rows += world.adoption_rows(config, node, index, entry)
    return rows


class World:
    """One session, its nodes with all they need in one place."""

    def __init__(self, files: dict[str, Any], session_id: str) -> None:
        folder = f"sessions/{session_id}"
        self.session_id = session_id
        self.workflow = files[f"{folder}/workflow.json"]
        self.person = next(
            person
            for person in files["participants.jsonl"]
            if person["participant_id"] == self.workflow["participant_id"]
        )
        self.chat = files.get(f"{folder}/chat.jsonl", [])
        self.segments = files[f"{folder}/graph.json"]["steps"]
        self.nodes = [
            {
                **node,
                "full_id": f"{segment['key']}/{node['id']}",
                "segment": segment,
                "times": [read_span(text) for text in node.get("time") or []],
                "user_response": node.get("user_response") or [],
            }
            for segment in self.segments
            for node in segment["nodes"]
        ]

    # Which occurrences an entry means.

    def find(self, candidates: list[Row], quote: str, home: Row) -> tuple[Row, Times]:
        start, end = read_span(quote)
        everything = [(node, t) for node in candidates for t in sorted(set(node["times"]))]
        hits = [(node, t) for node, t in everything if t == (start, end)]
        if not hits:
            holding = [(node, t) for node, t in everything if start in shown(t)]
            latest = max((t[0] for _, t in holding), default=None)
            hits = [(node, t) for node, t in holding if t[0] == latest]
        if len(hits) > 1:
            at_home = [(node, t) for node, t in hits if node["segment"] is home["segment"]]
            hits = at_home or hits
        if len(hits) != 1:
            raise NoRowError(quote)
        return hits[0]

    def resolve(self, node: Row, entry: list[str]) -> Row:
        source_id, ai_id, label, source_time, ai_time, own_time = entry
        with_id = [n for n in self.nodes if n["id"] == source_id]
        if source_id == "":
            source = None
        elif source_time:
            source = self.find(with_id, source_time, node)
        else:
            times = [(n, t) for n in with_id for t in n["times"]]
            if len(with_id) != 1 or len(times) != 1:
                raise NoRowError("source")
            source = times[0]
        ai_nodes = [n for n in self.nodes if n["id"] == ai_id and n["actor_type"] == "ai"]
        target = self.find(ai_nodes, ai_time, node)
        own = self.find([node], own_time, node)
        ai_start, ai_end = target[1]
        if ai_start == ai_end or own[1][0] < ai_start or (source and source[1][0] >= ai_end):
            raise NoRowError("no window")
        return {"source": source, "target": target, "own": own, "label": label}

    # Windows.

    def lengthy(self) -> list[Row]:
        return [s for s in self.segments if milliseconds(s, "start") < milliseconds(s, "end")]

    def step_of(self, segment: Row) -> int | None:
        badge = segment["badge"]
        return int(badge.removeprefix("Step-")) if badge.startswith("Step-") else None

    def last_step(self) -> int | None:
        steps = {self.step_of(s) for s in self.lengthy()} - {None}
        return max(steps) if steps else None

    def windows(self, config: str, found: Row) -> list[tuple[str, Row, set[int]]]:
        """(what follows the id, more columns, window) of each row of an instance."""
        source, (_, target), own = found["source"], found["target"], found["own"]
        start = source[1][0] if source else target[0]
        if config == "adoption_recognition":
            return [("", {}, set(range(start, max(own[1][1], target[1]))))]
        if config == "adoption_forecast":
            return [("", {}, set(range(start, target[1])))]
        last = self.last_step()
        if source is None or last is None:
            return []
        steps = [self.step_of(n["segment"]) for n in (source[0], found["target"][0])]
        if steps != [last, last]:
            return []
        if config == "workflow_level":
            first = min(milliseconds(s, "start") for s in self.lengthy())
            return [("", {}, set(range(first, target[1])))]
        return [self.steps_window(number, last, target[1]) for number in (1, 2, 3)]

    def steps_window(self, number: int, last: int, end: int) -> tuple[str, Row, set[int]]:
        begun = [s for s in self.lengthy() if milliseconds(s, "start") < end]
        earlier = sorted({self.step_of(s) for s in begun} - {None, last}, reverse=True)[:number]
        window: set[int] = set()
        for segment in begun:
            if self.step_of(segment) in (*earlier, last):
                window |= {t for t in span_of(segment) if t < end}
        more = {"context_steps": number, "context_steps_available": len(earlier)}
        return f"/context-{number}", more, window

    # Rows.

    def adoption_rows(self, config: str, node: Row, index: int, entry: list[str]) -> list[Row]:
        found = self.resolve(node, entry)
        target_node, target = found["target"]
        overlaps = found["own"][1][0] < target[1]
        rows = []
        for ending, more, window in self.windows(config, found):
            if config in ("step_n", "workflow_level") and not (
                window and target[0] < max(window) + 1
            ):
                raise NoRowError("outside")
            hidden = found["own"] if overlaps and config in FORECASTS else None
            cut = max(window) + 1
            row = self.common_columns(window, hidden)
            row["id"] = f"{self.session_id}/{node['full_id']}/{index}{ending}"
            row["ai_action_step"] = target_node["segment"]["step_name"]
            if config == "adoption_recognition":
                row["user_action_step"] = node["segment"]["step_name"]
            row["source"] = found["source"] and event(*found["source"], cut)
            row["target"] = event(*found["target"], cut)
            row["response_overlaps"] = overlaps
            row["label"] = LABELS.index(found["label"])
            rows.append({**row, **more})
        return rows

    def rating_rows(self, config: str) -> list[Row]:
        key = "collaboration" if config == "collab_rating" else "output_quality"
        rows = []
        for step in sorted(self.workflow["steps"], key=lambda step: step["number"]):
            visits = [s for s in self.segments if self.step_of(s) == step["number"]]
            window: set[int] = set().union(*map(span_of, visits))
            rating = step[key]["rating"]
            if rating is not None and window:
                row = self.common_columns(window, None)
                row["id"] = f"{self.session_id}/step-{step['number']}"
                row["step"], row["step_name"] = step["number"], step["name"]
                rows.append({**row, "rating": rating})
        return rows

    def common_columns(self, window: set[int], hidden: tuple[Row, Times] | None) -> Row:
        chat = self.cut_chat(window, hidden)
        return {
            "session_id": self.session_id,
            "participant_id": self.person["participant_id"],
            "session": self.workflow["session"],
            "occupation": self.person["occupation"],
            "sector": self.person["sector"],
            "goal": self.workflow["goal"],
            "video": {"path": None, "bytes": None, "intervals": [stretch(r) for r in runs(window)]},
            "graph": self.cut_graph(window, hidden),
            "chat": chat,
            "has_video": False,
            "has_chat": len(chat) > 0,
        }

    def cut_graph(self, window: set[int], hidden: tuple[Row, Times] | None) -> Row:
        cut = max(window) + 1
        kept: dict[str, list[Times]] = {}
        nodes = []
        for node in self.nodes:
            is_hidden = hidden is not None and hidden[0]["full_id"] == node["full_id"]
            times = [
                (start, min(end, cut))
                for start, end in node["times"]
                if start < cut
                and shown((start, end)) & window
                and not (is_hidden and hidden is not None and (start, end) == hidden[1])
            ]
            if times:
                kept[node["full_id"]] = times
                nodes.append((min(times)[0], node, times))
        nodes.sort(key=lambda item: item[0])
        edges = []
        for segment in self.segments:
            for edge in segment["edges"]:
                ends = [self.edge_end(segment, edge[side]) for side in ("from", "to")]
                if passes(ends, kept):
                    edges.append({"source": ends[0], "target": ends[1], "type": edge["type"]})
        return {"nodes": [node_columns(n, times, cut) for _, n, times in nodes], "edges": edges}

    def edge_end(self, segment: Row, name: str) -> str:
        same = [n for n in self.nodes if n["id"] == name]
        here = [n for n in same if n["segment"] is segment]
        (node,) = here or same
        return str(node["full_id"])

    def cut_chat(self, window: set[int], hidden: tuple[Row, Times] | None) -> list[Row]:
        cut = max(window) + 1
        turns = []
        for turn in self.chat:
            if turn.get("start_seconds") is None:
                continue
            start = milliseconds(turn, "start")
            end = milliseconds(turn, "end") if turn.get("end_seconds") is not None else None
            if start not in window:
                continue
            if hidden and turn["role"] == "human" and start in shown(hidden[1]):
                continue
            kept = {key: turn.get(key) for key in ("role", "agent", "content")}
            kept["tool_calls"] = turn.get("tool_calls") or []
            kept["start"] = start / 1000
            kept["end"] = None if end is None else min(end, cut) / 1000
            turns.append((start, kept))
        return [turn for _, turn in sorted(turns, key=lambda item: item[0])]


def passes(ends: list[str], kept: dict[str, list[Times]]) -> bool:
    """Whether the kept occurrences hold a passage along an edge."""
    source, target = ends
    if source not in kept or target not in kept:
        return False
    if source == target:
        return len(kept[source]) > 1
    return any(v[0] >= u[0] for u in kept[source] for v in kept[target])


def node_columns(node: Row, times: list[Times], cut: int) -> Row:
    columns = {key: node.get(key) for key in ("actor", "actor_type", "label", "detail")}
    has_begun = milliseconds(node["segment"], "start") < cut
    return {
        "id": node["full_id"],
        **columns,
        "step": node["segment"]["step_name"] if has_begun else None,
        "occurrences": [stretch(times) for times in times],
    }


def event(node: Row, times: Times, cut: int) -> Row:
    start, end = times
    return {"node_id": node["full_id"], **stretch((min(start, cut), min(end, cut)))}


def stretch(times: Times) -> Row:
    return {"start": times[0] / 1000, "end": times[1] / 1000}


def shown(times: Times) -> set[int]:
    """The milliseconds of an occurrence; of one without length, the instant of its start."""
    return set(range(*times)) or {times[0]}


def span_of(segment: Row) -> set[int]:
    return set(range(milliseconds(segment, "start"), milliseconds(segment, "end")))


def runs(window: set[int]) -> list[Times]:
    """A set of milliseconds as its maximal runs."""
    ordered = sorted(window)
    breaks = [b for a, b in pairwise(ordered) if b > a + 1]
    starts = [*ordered[:1], *breaks]
    ends = [a + 1 for a, b in pairwise(ordered) if b > a + 1] + [t + 1 for t in ordered[-1:]]
    return list(zip(starts, ends, strict=True))


def milliseconds(record: Row, which: str) -> int:
    return int(Fraction(str(record[f"{which}_seconds"])) * 1000)


def read_span(text: str) -> Times:
    numbers = re.fullmatch(r"(\d+):(\d+):([\d.]+)-(\d+):(\d+):([\d.]+)", text)
    assert numbers is not None
    parts = [Fraction(part) for part in numbers.groups()]
    start, end = (int(1000 * (3600 * h + 60 * m + s)) for h, m, s in (parts[:3], parts[3:]))
    return start, end
