"""Random releases of one session, full of what is legal and odd, from a seed.

Segments overlap, come out of order, are revisited or without length; occurrences too, and some lie
outside their segment; ids come again in other segments; turns lack times. Times are milliseconds
below `SPAN_MS`, so that a brute-force oracle can hold each of them in a set.
"""

from __future__ import annotations

from random import Random
from typing import Any

from oracle import NoRowError, World
from releases import CHAT, GRAPH, SESSION, WORKFLOW, Files, make_files, make_node, span

SPAN_MS = 400


def make_release(seed: int) -> Files:
    """A release whose entries of `user_response` are all legal."""
    random = Random(seed)
    num_steps = random.randint(1, 4)
    segments = [_make_segment(random, i, num_steps) for i in range(random.randint(1, 6))]
    files = make_files(segments, num_steps=num_steps)
    for step in files[WORKFLOW]["steps"]:
        for kind in ("output_quality", "collaboration"):
            step[kind]["rating"] = random.choice([None, 1, 2, 3, 4, 5])
    random.shuffle(files[WORKFLOW]["steps"])
    if random.random() < 0.8:
        files[CHAT] = [_make_turn(random, i) for i in range(random.randint(0, 8))]
    _add_edges(random, files)
    _add_responses(random, files)
    return files


def _make_times(random: Random, low: int, high: int) -> tuple[float, float]:
    start = random.randint(low, high)
    end = start if random.random() < 0.1 else random.randint(start, high)
    return start / 1000, end / 1000


def _make_segment(random: Random, index: int, num_steps: int) -> dict[str, Any]:
    badge = f"Step-{random.randint(1, num_steps)}"
    if random.random() < 0.2:
        badge = f"Custom-{random.randint(1, 2)}"
    start, end = _make_times(random, 0, SPAN_MS)
    names = random.sample(["u1", "u2", "u3", "a1", "a2", "a3"], random.randint(1, 5))
    nodes = []
    for name in names:
        times = []
        for _ in range(random.choice([0, 1, 1, 1, 2, 3])):
            inside = random.random() < 0.8
            low, high = (round(start * 1000), round(end * 1000)) if inside else (0, SPAN_MS)
            times.append(_make_times(random, low, high))
        nodes.append(make_node(name, *times))
    return make_segment_of(f"s{index}", badge, start, end, nodes)


def make_segment_of(
    key: str, badge: str, start: float, end: float, nodes: list[dict[str, Any]]
) -> dict[str, Any]:
    """A segment whose step's name is the workflow's where it has a step there."""
    name = f"plan {badge.removeprefix('Step-')}" if badge.startswith("Step-") else f"own {key}"
    return {
        "key": key,
        "badge": badge,
        "step_name": name,
        "start_seconds": start,
        "end_seconds": end,
        "nodes": nodes,
        "edges": [],
    }


def _make_turn(random: Random, index: int) -> dict[str, Any]:
    start, end = _make_times(random, 0, SPAN_MS)
    return {
        "role": random.choice(["human", "ai"]),
        "agent": "claude",
        "start_seconds": None if random.random() < 0.1 else start,
        "end_seconds": None if random.random() < 0.2 else end,
        "content": f"turn {index}",
        "tool_calls": [{"name": "run", "input": "x", "output": f"y{index}"}] * random.randint(0, 1),
    }


def _add_edges(random: Random, files: Files) -> None:
    segments = files[GRAPH]["steps"]
    everyone = [node["id"] for segment in segments for node in segment["nodes"]]
    for segment in segments:
        here = [node["id"] for node in segment["nodes"]]
        ends = here + [name for name in everyone if everyone.count(name) == 1]
        for _ in range(random.randint(0, 6)):
            segment["edges"].append(
                {
                    "from": random.choice(ends),
                    "to": random.choice(ends),
                    "type": random.choice(["sequential", "loop"]),
                }
            )


def _add_responses(random: Random, files: Files) -> None:
    world = World(files, SESSION)
    raw_nodes = [node for segment in world.segments for node in segment["nodes"]]
    for node, raw in zip(world.nodes, raw_nodes, strict=True):
        if node["actor_type"] == "ai":
            continue
        entries = []
        for _ in range(random.randint(0, 6)):
            entry = _make_entry(random, world, node)
            try:
                world.resolve(node, entry)
            except NoRowError:
                continue
            entries.append(entry)
        if entries:
            raw["user_response"] = entries


def _make_entry(random: Random, world: World, node: dict[str, Any]) -> list[str]:
    def quote(times: tuple[int, int]) -> str:
        start, end = times
        if random.random() < 0.2:  # not as written, but inside
            start = random.randint(start, end)
        return span(start / 1000, end / 1000)

    def pick(candidates: list[dict[str, Any]]) -> tuple[str, str]:
        timed = [(n["id"], t) for n in candidates for t in n["times"]]
        name, times = random.choice(timed) if timed else ("nobody", (0, 0))
        return name, quote(times)

    source, source_time = pick(world.nodes)
    if random.random() < 0.2:
        source = source_time = ""
    elif random.random() < 0.1:
        source_time = ""
    ai, ai_time = pick([n for n in world.nodes if n["actor_type"] == "ai"])
    _, own_time = pick([node])
    label = random.choice(["adopt", "modify", "reject"])
    return [source, ai, label, source_time, ai_time, own_time]
