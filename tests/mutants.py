"""Changes to a release that happen at or after a time, for one forecasting row.

Each mutation takes a `Mutant` and changes its files in place. Nothing that has happened before the
`horizon` may change, with one exception: a response that starts before its AI output ends is the
answer, so its own text is fair game. Whether the result is a legal release is for the reader to
say; a mutation may also find nothing to do.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from oracle import NoRowError, World, milliseconds, read_span
from random_releases import SPAN_MS, make_segment_of
from releases import CHAT, FOLDER, GRAPH, SESSION, WORKFLOW, Files, make_node, span

WORDS = ["later", "secret", "adopt", "reject", "the answer", ""]


@dataclass
class Mutant:
    """A release under change.

    Attributes:
        files: Its files; changed in place.
        random: Where choices come from.
        horizon: In milliseconds; what starts earlier is not to change.
        own: Segment key, node id and index of the row's entry of `user_response`.
    """

    files: Files
    random: Random
    horizon: int
    own: tuple[str, str, int]

    @property
    def segments(self) -> list[dict[str, Any]]:
        return self.files[GRAPH]["steps"]

    @property
    def later_segments(self) -> list[dict[str, Any]]:
        return [s for s in self.segments if milliseconds(s, "start") >= self.horizon]

    @property
    def nodes(self) -> list[tuple[dict[str, Any], dict[str, Any]]]:
        return [(s, n) for s in self.segments for n in s["nodes"]]

    def starts_before(self, node: dict[str, Any]) -> list[int]:
        """The starts of a node's occurrences before the horizon."""
        starts = [read_span(text)[0] for text in node["time"] or []]
        return [start for start in starts if start < self.horizon]

    def later_time(self) -> tuple[float, float]:
        start = self.horizon + self.random.choice([0, 0, 1, self.random.randint(0, SPAN_MS)])
        return start / 1000, (start + self.random.randint(0, 50)) / 1000

    def is_own(self, segment: dict[str, Any], node: dict[str, Any]) -> bool:
        return (segment["key"], node["id"]) == self.own[:2]

    def own_entry(self) -> list[str]:
        (node,) = [n for s, n in self.nodes if self.is_own(s, n)]
        entry: list[str] = node["user_response"][self.own[2]]
        return entry

    def word(self) -> str:
        return self.random.choice(WORDS) + str(self.random.randint(0, 99))

    def is_walked(self, segment: dict[str, Any], edge: dict[str, str]) -> bool:
        """Whether an edge has been walked before the horizon, so that some row may show it."""
        sources, targets = (
            [n for s, n in self.nodes if n["id"] == edge[side] and s is segment]
            or [n for _, n in self.nodes if n["id"] == edge[side]]  # several: not legal for now
            for side in ("from", "to")
        )
        return any(self._is_passed(u, v) for u in sources for v in targets)

    def _is_passed(self, u: dict[str, Any], v: dict[str, Any]) -> bool:
        if u is v:
            return len(self.starts_before(u)) > 1
        return any(b >= a for a in self.starts_before(u) for b in self.starts_before(v))

    def quotes(self, node: dict[str, Any]) -> list[tuple[list[str], int]]:
        """The (entry, place of the time) that may mean an occurrence of this node."""
        found = []
        for _, other in self.nodes:
            for entry in other.get("user_response") or []:
                found += [(entry, 3)] if entry[0] == node["id"] else []
                found += [(entry, 4)] if entry[1] == node["id"] else []
                found += [(entry, 5)] if other is node else []
        return found


def add_segment(m: Mutant) -> None:
    start, end = m.later_time()
    names = m.random.sample(["u1", "u2", "a1", "a2", "z1", "z2"], m.random.randint(0, 3))
    nodes = [make_node(name, m.later_time(), label=m.word()) for name in names]
    badge = m.random.choice(["Custom-9", *(f"Step-{s['number']}" for s in _steps(m))])
    segment = make_segment_of(f"new{m.random.randint(0, 999)}", badge, start, end, nodes)
    for node in nodes:
        if node["actor_type"] == "user" and m.random.random() < 0.7:
            entry = list(m.own_entry())
            entry[2], entry[5] = m.random.choice(["adopt", "modify", "reject"]), node["time"][0]
            node["user_response"] = [entry]
    m.segments.insert(m.random.randint(0, len(m.segments)), segment)


def delete_segment(m: Mutant) -> None:
    hidden = [
        s
        for s in m.later_segments
        if not any(m.starts_before(n) for n in s["nodes"])
        and not any(m.is_walked(s, edge) for edge in s["edges"])
    ]
    if hidden:
        segment = m.random.choice(hidden)
        m.segments.remove(segment)
        _drop_edges(m, {node["id"] for node in segment["nodes"]})


def rename_segment(m: Mutant) -> None:
    target = m.own_entry()[1]
    for segment in m.later_segments:
        if not any(node["id"] == target for node in segment["nodes"]):
            segment["step_name"], segment["step_action"] = m.word(), m.word()
            if m.random.random() < 0.5:
                segment["badge"] = m.random.choice(
                    ["Custom-7", *(f"Step-{s['number']}" for s in _steps(m))]
                )


def rename_segment_key(m: Mutant) -> None:
    for segment in m.later_segments:
        is_seen = any(m.starts_before(n) or m.is_own(segment, n) for n in segment["nodes"])
        if not is_seen:
            segment["key"] = f"key{m.random.randint(0, 999)}"


def move_segment(m: Mutant) -> None:
    for segment in m.segments:
        if milliseconds(segment, "start") >= m.horizon:
            segment["start_seconds"], segment["end_seconds"] = m.later_time()
        elif milliseconds(segment, "end") >= m.horizon:
            segment["end_seconds"] = m.later_time()[1]


def add_occurrence(m: Mutant) -> None:
    _, node = m.random.choice(m.nodes)
    times = node["time"]
    times.insert(m.random.randint(0, len(times)), span(*m.later_time()))


def delete_occurrence(m: Mutant) -> None:
    for _, node in m.nodes:
        for text in list(node["time"]):
            is_later = read_span(text)[0] >= m.horizon
            if is_later and not m.quotes(node) and m.random.random() < 0.5:
                node["time"].remove(text)


def move_occurrence(m: Mutant) -> None:
    """Move later occurrences, and the later ends of those that have begun, with their quotes."""
    target = m.own_entry()[1]
    for _, node in m.nodes:
        for index, text in enumerate(node["time"]):
            start, end = read_span(text)
            if end < m.horizon or node["id"] == target:
                continue
            new_start, new_end = m.later_time()
            new = span(new_start if start >= m.horizon else start / 1000, new_end)
            for entry, place in m.quotes(node):
                if entry[place] == text:
                    entry[place] = new
            node["time"][index] = new


def edit_later_text(m: Mutant) -> None:
    for segment, node in m.nodes:
        if not m.starts_before(node):
            node["label"], node["detail"], node["softwares"] = m.word(), m.word(), m.word()
            segment["step_action"] = m.word()


def add_node(m: Mutant) -> None:
    segment = m.random.choice(m.segments)
    name = m.random.choice(["u1", "a1", "u9", "a9"])
    if any(name in (edge["from"], edge["to"]) for edge in segment["edges"]):
        return  # the edge would mean the new node
    times = [m.later_time()] * m.random.randint(0, 1)
    node = make_node(name, *times, label=m.word())
    segment["nodes"].insert(m.random.randint(0, len(segment["nodes"])), node)
    ends = [n["id"] for n in segment["nodes"]]
    segment["edges"].insert(
        0,
        {
            "from": m.random.choice(ends),
            "to": name,
            "type": m.random.choice(["loop", "sequential"]),
        },
    )


def delete_node(m: Mutant) -> None:
    for segment, node in m.nodes:
        if not m.starts_before(node) and not m.is_own(segment, node) and not m.quotes(node):
            segment["nodes"].remove(node)
            segment["edges"] = [
                e for e in segment["edges"] if node["id"] not in (e["from"], e["to"])
            ]
            _drop_edges(m, {node["id"]})
            return


def edit_edges(m: Mutant) -> None:
    """Add, delete and retype edges that have not been walked before the horizon."""
    for segment in m.segments:
        names = [node["id"] for node in segment["nodes"]]
        for edge in list(segment["edges"]):
            if not m.is_walked(segment, edge):
                if m.random.random() < 0.5:
                    segment["edges"].remove(edge)
                else:
                    edge["type"] = {"loop": "sequential", "sequential": "loop"}[edge["type"]]
        if names:
            edge = {"from": m.random.choice(names), "to": m.random.choice(names), "type": "loop"}
            if not m.is_walked(segment, edge):
                segment["edges"].insert(m.random.randint(0, len(segment["edges"])), edge)


def edit_labels(m: Mutant) -> None:
    """Change the labels of all responses, the row's own among them."""
    for _, node in m.nodes:
        for entry in node.get("user_response") or []:
            entry[2] = m.random.choice(["adopt", "modify", "reject"])


def edit_entries(m: Mutant) -> None:
    """Delete and add responses, but for the row's own and those before it in its node."""
    for segment, node in m.nodes:
        entries = node.get("user_response") or []
        first = m.own[2] + 1 if m.is_own(segment, node) else 0
        if len(entries) > first and m.random.random() < 0.5:
            entries.pop(m.random.randint(first, len(entries) - 1))
        elif entries:
            entries.append([*entries[0][:2], "reject", *entries[0][3:]])


def edit_response(m: Mutant) -> None:
    """Change what the answer says where it starts before the AI output ends."""
    world = World(m.files, SESSION)
    for raw, node in zip(m.nodes, world.nodes, strict=True):
        if not m.is_own(*raw):
            continue
        try:
            own = world.resolve(node, m.own_entry())["own"][1]
        except NoRowError:  # an earlier mutation has made it illegal
            return
        if own[0] < m.horizon:
            if m.starts_before(raw[1]) == [own[0]]:
                raw[1]["label"], raw[1]["detail"] = m.word(), m.word()
            for turn in m.files.get(CHAT, []):
                if turn["role"] == "human" and turn["start_seconds"] is not None:
                    start = milliseconds(turn, "start")
                    if own[0] <= start < max(own[1], own[0] + 1):
                        turn["content"] = m.word()


def add_turn(m: Mutant) -> None:
    start, end = m.later_time()
    turn = {
        "role": m.random.choice(["human", "ai"]),
        "start_seconds": None if m.random.random() < 0.3 else start,
        "end_seconds": end,
        "content": m.word(),
        "tool_calls": [{"name": m.word(), "input": {"a": 1}, "output": m.word()}],
    }
    turns = m.files.setdefault(CHAT, [])
    turns.insert(m.random.randint(0, len(turns)), turn)


def delete_turn(m: Mutant) -> None:
    turns = m.files.get(CHAT, [])
    m.files[CHAT] = [t for t in turns if not _is_later(m, t) or m.random.random() < 0.5]


def edit_turn(m: Mutant) -> None:
    for turn in m.files.get(CHAT, []):
        if _is_later(m, turn):
            turn["content"], turn["role"] = m.word(), m.random.choice(["human", "ai"])
            if turn["start_seconds"] is not None:
                turn["start_seconds"], turn["end_seconds"] = m.later_time()
        elif turn["end_seconds"] is not None and milliseconds(turn, "end") >= m.horizon:
            turn["end_seconds"] = m.later_time()[1]


def edit_workflow(m: Mutant) -> None:
    """Change ratings, reasons and texts, which no forecasting row shows (but for the goal)."""
    workflow = m.files[WORKFLOW]
    workflow["context"] = m.word()
    workflow["goal_achieved"] = {"answer": m.random.choice(["yes", "no"]), "reason": m.word()}
    for step in workflow["steps"]:
        step["name"] = step["action"] = step["output"] = m.word()
        step["rubric"] = [m.word()]
        for kind in ("output_quality", "collaboration"):
            step[kind] = {"rating": m.random.choice([None, 1, 2, 3, 4, 5])}
        step["output_quality"]["reason"] = m.word()
    if m.random.random() < 0.5:
        number = len(workflow["steps"]) + 1
        workflow["steps"].append({"number": number, "name": m.word()})


def edit_files(m: Mutant) -> None:
    """Change the recording, input and output files, the survey and other people."""
    m.files["surveys/P01.json"] = {"participant_id": "P01", "answers": {"Q2": m.word()}}
    m.files[f"{FOLDER}/files/output/{m.word()}.txt"] = m.word().encode()
    if not any("recording" in name for name in m.files):
        suffix = m.random.choice(["mp4", "webm"])
        m.files[f"{FOLDER}/recording.{suffix}"] = m.word().encode()
    person = {
        "participant_id": f"P{m.random.randint(2, 99)}",
        "occupation": m.word(),
        "sector": "x",
    }
    people = m.files["participants.jsonl"]
    if person["participant_id"] not in [p["participant_id"] for p in people]:
        people.append(person)


def _drop_edges(m: Mutant, names: set[str]) -> None:
    """Take out the edges to nodes that are no longer there."""
    lost = names - {node["id"] for _, node in m.nodes}
    for segment in m.segments:
        segment["edges"] = [e for e in segment["edges"] if not {e["from"], e["to"]} & lost]


def _steps(m: Mutant) -> list[dict[str, Any]]:
    steps: list[dict[str, Any]] = m.files[WORKFLOW]["steps"]
    return steps


def _is_later(m: Mutant, turn: dict[str, Any]) -> bool:
    return turn["start_seconds"] is None or milliseconds(turn, "start") >= m.horizon


MUTATIONS: dict[str, Callable[[Mutant], None]] = {
    mutate.__name__: mutate
    for mutate in (
        add_segment,
        delete_segment,
        rename_segment,
        rename_segment_key,
        move_segment,
        add_occurrence,
        delete_occurrence,
        move_occurrence,
        edit_later_text,
        add_node,
        delete_node,
        edit_edges,
        edit_labels,
        edit_entries,
        edit_response,
        add_turn,
        delete_turn,
        edit_turn,
        edit_workflow,
        edit_files,
    )
}


def mutate_release(
    files: Files, *, horizon: int, own: tuple[str, str, int], names: list[str], seed: int
) -> Files:
    """A copy of a release with mutations applied one after the other."""
    mutant = Mutant(copy.deepcopy(files), Random(seed), horizon, own)
    for name in names:
        if sum(mutant.is_own(*node) for node in mutant.nodes) == 1:  # else the row is gone
            MUTATIONS[name](mutant)
    return mutant.files
