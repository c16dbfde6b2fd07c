"""The smallest release that has rows in every config; sessions alternate one and two labels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SURVEY = {f"Q{number}": number % 10 + 1 if 13 <= number <= 38 else None for number in range(1, 43)}


def write_release(root: Path, *, num_sessions: int = 3, label: str = "adopt") -> Path:
    """Write a release of `num_sessions` sessions, two a participant; the first label is `label`."""
    sessions = [f"P{i // 2 + 1:02d}_S{i % 2 + 1}" for i in range(num_sessions)]
    people = list(dict.fromkeys(name[:3] for name in sessions))
    head = {"name": "kolab", "version": "1.0.0", "license": "cc-by-4.0", "sessions": sessions}
    write_json(root / "release.json", head)
    lines = [
        {"participant_id": p, "occupation": "Architect", "sector": "Legal", "years_experience": 9}
        for p in people
    ]
    (root / "participants.jsonl").write_text("\n".join(map(json.dumps, lines)))
    for person in people:
        write_json(
            root / "surveys" / f"{person}.json", {"participant_id": person, "answers": SURVEY}
        )
    for index, name in enumerate(sessions):
        _write_session(root / "sessions" / name, num_labels=index % 2 + 1, label=label)
    return root


def write_json(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))


def edit_json(path: Path, old: str, new: str) -> None:
    """Replace text in a file, once at least."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def _write_session(folder: Path, *, num_labels: int, label: str) -> None:
    name = folder.name
    ids = {"session_id": name, "participant_id": name[:3]}
    steps = [
        {
            "number": number,
            "name": f"Step {number}",
            "output_quality": {"rating": 3 + number},
            "collaboration": {"rating": 6 - number},
        }
        for number in (1, 2)
    ]
    goal = {"answer": "yes", "reason": "done"}
    workflow = {**ids, "session": int(name[-1]), "goal": "a plan", "steps": steps}
    write_json(folder / "workflow.json", {**workflow, "goal_achieved": goal})
    responses = [["n1", "n2", label, "", _span(30, 40), _span(40, 50)]] * num_labels
    nodes: list[dict[str, Any]] = [
        _node("n1", "user", 20, 30),
        _node("n2", "ai", 30, 40),
        {**_node("n3", "user", 40, 50), "user_response": responses},
    ]
    first = {
        **_segment("seg0", 1, 0, 20),
        "nodes": [_node("n0", "user", 0, 10)],
        "edges": [],
    }
    edges = [
        {"from": "n1", "to": "n2", "type": "sequential"},
        {"from": "n2", "to": "n3", "type": "sequential"},
    ]
    last = {**_segment("seg1", 2, 20, 60), "nodes": nodes, "edges": edges}
    graph = {**ids, "title": "t", "goal": "a plan", "steps": [first, last]}
    write_json(folder / "graph.json", graph)
    turns = [
        {"role": "human", "agent": "claude", "start_seconds": 21, "content": "draw it"},
        {"role": "ai", "agent": "claude", "start_seconds": 31, "end_seconds": 39, "content": "ok"},
    ]
    (folder / "chat.jsonl").write_text("\n".join(map(json.dumps, turns)))


def _segment(key: str, step: int, start: int, end: int) -> dict[str, Any]:
    return {
        "key": key,
        "badge": f"Step-{step}",
        "step_name": f"Step {step}",
        "step_action": "work",
        "time_range": _span(start, end),
        "start_seconds": start,
        "end_seconds": end,
    }


def _node(name: str, kind: str, start: int, end: int) -> dict[str, Any]:
    actor = "claude" if kind == "ai" else "user"
    return {
        "id": name,
        "actor": actor,
        "actor_type": kind,
        "label": f"label {name}",
        "detail": f"detail {name}",
        "time": [_span(start, end)],
        "softwares": "Revit",
    }


def _span(start: int, end: int) -> str:
    return f"00:00:{start:02d}-00:00:{end:02d}" if end < 60 else f"00:00:{start:02d}-00:01:00"
