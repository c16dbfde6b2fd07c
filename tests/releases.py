"""Releases for tests: the base release in `data/base`, kept as values that a test may change."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kolab_core.release import Session, open_release, read_session
from kolab_core.rows.check import Report, check_release
from kolab_core.rows.experiments import CONFIG_NAMES, build_rows, session_rows, survey_rows

DATA = Path(__file__).parent / "data"
BASE = DATA / "base"
SESSION = "P01_S1"
FOLDER = f"sessions/{SESSION}"
GRAPH = f"{FOLDER}/graph.json"
WORKFLOW = f"{FOLDER}/workflow.json"
CHAT = f"{FOLDER}/chat.jsonl"
SURVEY = "surveys/P01.json"

Files = dict[str, Any]


def load_base() -> Files:
    """The base release: path -> JSON value, list of JSON values (`.jsonl`) or bytes."""
    return {
        path.relative_to(BASE).as_posix(): _load(path)
        for path in sorted(BASE.rglob("*"))
        if path.is_file()
    }


def write_files(root: Path, files: Files) -> Path:
    """Write each file: bytes and text as they are, lists in `.jsonl` a line each, else JSON."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        elif isinstance(content, str):
            path.write_bytes(content.encode())
        elif name.endswith(".jsonl") and isinstance(content, list):
            path.write_text("".join(f"{json.dumps(item)}\n" for item in content))
        else:
            path.write_text(json.dumps(content))
    return root


def span(start: float, end: float) -> str:
    """Seconds as the graph writes an occurrence."""
    return f"{_clock(start)}-{_clock(end)}"


def make_node(name: str, *times: tuple[float, float], **more: Any) -> dict[str, Any]:
    """A node whose kind shows in its name: `a…` is an AI's, any other a user's."""
    is_ai = name.startswith("a")
    return {
        "id": name,
        "actor": "claude" if is_ai else "user",
        "actor_type": "ai" if is_ai else "user",
        "label": f"label of {name}",
        "detail": f"detail of {name}",
        "time": [span(*time) for time in times],
        **more,
    }


def make_segment(
    key: str,
    badge: str,
    start: float,
    end: float,
    nodes: list[dict[str, Any]] | None = None,
    edges: list[tuple[str, str, str]] | None = None,
) -> dict[str, Any]:
    """A segment named for its key; `edges` as (from, to, type)."""
    return {
        "key": key,
        "badge": badge,
        "step_name": f"name of {key}",
        "start_seconds": start,
        "end_seconds": end,
        "nodes": nodes or [],
        "edges": [{"from": u, "to": v, "type": kind} for u, v, kind in edges or []],
    }


def make_entry(
    source: tuple[float, float] | None,
    ai: tuple[float, float],
    own: tuple[float, float],
    *,
    label: str = "adopt",
) -> list[str]:
    """The entry of `user_response` that quotes q, or no source, and a."""
    quoted = ["q", span(*source)] if source else ["", ""]
    return [quoted[0], "a", label, quoted[1], span(*ai), span(*own)]


def segment_with(
    key: str,
    badge: str,
    start: float,
    end: float,
    *,
    source: tuple[float, float] | None,
    ai: tuple[float, float],
    own: tuple[float, float],
) -> dict[str, Any]:
    """A segment with a source q, if there is one, an AI output a and a response r to it."""
    nodes = [make_node("q", source)] if source else []
    nodes.append(make_node("a", ai))
    nodes.append(make_node("r", own, user_response=[make_entry(source, ai, own)]))
    return make_segment(key, badge, start, end, nodes)


def make_files(
    segments: list[dict[str, Any]],
    *,
    chat: list[dict[str, Any]] | None = None,
    num_steps: int = 5,
    rating: int | None = None,
) -> Files:
    """A release of one session with these segments and this chat."""
    ids = {"session_id": SESSION, "participant_id": "P01"}
    steps = [
        {
            "number": number,
            "name": f"plan {number}",
            "output_quality": {"rating": rating},
            "collaboration": {"rating": rating},
        }
        for number in range(1, num_steps + 1)
    ]
    person = {"participant_id": "P01", "occupation": "Architect", "sector": "Building"}
    files: Files = {
        "release.json": {"name": "kolab", "version": "1", "sessions": [SESSION]},
        "participants.jsonl": [person],
        WORKFLOW: {**ids, "session": 1, "goal": "a goal", "steps": steps},
        GRAPH: {**ids, "steps": segments},
    }
    if chat is not None:
        files[CHAT] = chat
    return files


def read_json(path: Path) -> Any:
    """A file's JSON value."""
    return json.loads(path.read_text(encoding="utf-8"))


def nodes_of(graph: dict[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each node of a graph document behind its segment."""
    for segment in graph["steps"]:
        for node in segment["nodes"]:
            yield segment, node


def responses_of(
    graph: dict[str, Any],
) -> Iterator[tuple[dict[str, Any], dict[str, Any], list[str]]]:
    """Each response of a graph document behind its segment and its node."""
    for segment, node in nodes_of(graph):
        for entry in node.get("user_response", []):
            yield segment, node, entry


def read_files(root: Path, files: Files) -> Session:
    """Write a release of one session and read that session."""
    return read_session(open_release(write_files(root, files)), SESSION)


def load_rows(root: Path, config: str) -> list[dict[str, Any]]:
    """A config's rows, as a builder would make them."""
    release = open_release(root)
    if config == "surveys":
        return list(survey_rows(release))
    return [row for name in release.session_ids for row in session_rows(release, name, config)]


def load_all_rows(root: Path) -> dict[str, list[dict[str, Any]]]:
    """The rows of every config, each session read once."""
    release = open_release(root)
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in CONFIG_NAMES}
    for session_id in release.session_ids:
        session = read_session(release, session_id)
        for name in CONFIG_NAMES:
            if name != "surveys":
                rows[name] += build_rows(session, name)
    rows["surveys"] = list(survey_rows(release))
    return rows


def check_files(root: Path, files: Files) -> Report:
    """Write a release and check it."""
    return check_release(write_files(root, files))


def walk(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of each value inside nested lists and dicts, the outermost (empty) first."""
    yield path
    if isinstance(value, dict):
        for key, item in value.items():
            yield from walk(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from walk(item, (*path, index))


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """A copy of a nested value with another one at a path."""
    if not path:
        return new
    changed = copy.copy(value)
    changed[path[0]] = replaced(value[path[0]], path[1:], new)
    return changed


def removed(value: Any, path: tuple[Any, ...]) -> Any:
    """A copy of a nested value without the one at a path (which is not empty)."""
    changed = copy.copy(value)
    if len(path) == 1:
        del changed[path[0]]
    else:
        changed[path[0]] = removed(value[path[0]], path[1:])
    return changed


def _load(path: Path) -> Any:
    if path.suffix == ".json":
        return read_json(path)
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text().splitlines()]
    return path.read_bytes()


def _clock(seconds: float) -> str:
    milliseconds = round(seconds * 1000)
    hours, rest = divmod(milliseconds, 3_600_000)
    minutes, rest = divmod(rest, 60_000)
    return f"{hours:02d}:{minutes:02d}:{rest // 1000:02d}.{rest % 1000:03d}"
