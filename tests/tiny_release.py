"""The smallest release that has rows in every config; sessions alternate one and two labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from releases import Files, make_node, make_segment, span, write_files

SURVEY = {f"Q{number}": number % 10 + 1 if 13 <= number <= 38 else None for number in range(1, 43)}


def write_release(root: Path, *, num_sessions: int = 3, label: str = "adopt") -> Path:
    """Write a release of `num_sessions` sessions, two a participant; the first label is `label`."""
    sessions = [f"P{i // 2 + 1:02d}_S{i % 2 + 1}" for i in range(num_sessions)]
    people = list(dict.fromkeys(name[:3] for name in sessions))
    person = {"occupation": "Architect", "sector": "Legal", "years_experience": 9}
    head = {"name": "kolab", "version": "1.0.0", "license": "cc-by-4.0", "sessions": sessions}
    files: Files = {
        "release.json": head,
        "participants.jsonl": [{"participant_id": name, **person} for name in people],
    }
    for name in people:
        files[f"surveys/{name}.json"] = {"participant_id": name, "answers": SURVEY}
    for index, name in enumerate(sessions):
        for file, content in _make_session(name, num_labels=index % 2 + 1, label=label).items():
            files[f"sessions/{name}/{file}"] = content
    return write_files(root, files)


def edit_json(path: Path, old: str, new: str) -> None:
    """Replace text in a file, once at least."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def _make_session(name: str, *, num_labels: int, label: str) -> Files:
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
    responses = [["n1", "n2", label, "", span(30, 40), span(40, 50)]] * num_labels
    nodes = [
        _node("n1", "user", 20, 30),
        _node("n2", "ai", 30, 40),
        _node("n3", "user", 40, 50, user_response=responses),
    ]
    edges = [("n1", "n2", "sequential"), ("n2", "n3", "sequential")]
    segments = [
        _segment(1, 0, 20, [_node("n0", "user", 0, 10)], []),
        _segment(2, 20, 60, nodes, edges),
    ]
    return {
        "workflow.json": {**workflow, "goal_achieved": goal},
        "graph.json": {**ids, "title": "t", "goal": "a plan", "steps": segments},
        "chat.jsonl": [
            _turn("human", start_seconds=21, content="draw it"),
            _turn("ai", start_seconds=31, end_seconds=39, content="ok"),
        ],
    }


def _segment(step: int, start: int, end: int, nodes: list[Any], edges: list[Any]) -> dict[str, Any]:
    segment = make_segment(f"seg{step - 1}", f"Step-{step}", start, end, nodes, edges)
    texts = {"step_name": f"Step {step}", "step_action": "work", "time_range": span(start, end)}
    return {**segment, **texts}


def _node(name: str, kind: str, start: int, end: int, **more: Any) -> dict[str, Any]:
    actor = "claude" if kind == "ai" else "user"
    texts = {"label": f"label {name}", "detail": f"detail {name}", "softwares": "Revit"}
    return make_node(name, (start, end), actor=actor, actor_type=kind, **texts, **more)


def _turn(role: str, **more: Any) -> dict[str, Any]:
    return {"role": role, "agent": "claude", **more}
