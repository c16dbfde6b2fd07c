"""The benchmark rows of a session as its page opens them: what each shows, and what it hides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kolab_core.explore.answers import Answers
from kolab_core.prompts import MODALITIES, MissingInputError, render
from kolab_core.release import LABELS, ReleaseError, Session
from kolab_core.rows.cells import edge_cell, turn_cell
from kolab_core.rows.experiments import EXPERIMENTS, build_rows

__all__ = ["all_rows", "gather_questions", "render_prompts"]

Row = Mapping[str, Any]


def all_rows(session: Session) -> tuple[dict[str, list[dict[str, Any]]], list[str]]:
    """The rows of every experiment, and a note for each experiment that has none because of errors.

    One row that has no window takes the others of its experiment with it, as when they are loaded.
    """
    rows: dict[str, list[dict[str, Any]]] = {}
    notes = []
    for config in EXPERIMENTS:
        try:
            rows[config] = build_rows(session, config)
        except ReleaseError as err:
            rows[config] = []
            notes.append(f"{config}: {err}")
    return rows, notes


def gather_questions(
    session: Session, rows: Mapping[str, Sequence[Row]], answers: Answers | None
) -> list[dict[str, Any]]:
    """Every row as positions in the session's nodes, edges and turns; times in milliseconds.

    A shown node is `[node, start, end, start, end, …]` with its occurrences as the row has them,
    cut; everything that is not named is hidden.
    """
    known = _Positions(session)
    return [
        _question(row, config, known, answers)
        for config, config_rows in rows.items()
        for row in config_rows
    ]


def render_prompts(config: str, rows: Sequence[Row]) -> list[list[str]]:
    """What a model is told of each row, `[system, text, …]`: with all inputs that the row has.

    An empty text stands where the frames come.
    """
    return [list(_prompt_texts(config, row)) for row in rows]


def _prompt_texts(config: str, row: Row) -> Iterator[str]:
    there = {"video": row["has_video"], "graph": True, "chat": row["has_chat"]}
    shown = [name for name in MODALITIES if there[name]]
    try:
        system, user = render(row, shown, config=config, frames="none")
    except (MissingInputError, ValueError) as err:
        yield f"No prompt: {err}"
        return
    yield system["content"]
    yield from (part.get("text", "") for part in user["content"])


class _Positions:
    """Where a session's nodes, edges and turns stand in it."""

    def __init__(self, session: Session) -> None:
        self.nodes = {node.id: index for index, node in enumerate(session.nodes)}
        self.segments = {segment.key: index for index, segment in enumerate(session.segments)}
        self.segment_of = [self.segments[node.segment.key] for node in session.nodes]
        self._edges = [edge_cell(edge) for edge in session.edges]
        self._turns = [{**turn_cell(turn), "end": None} for turn in session.turns]

    def find_edges(self, edges: Sequence[Row]) -> list[int]:
        """The positions of a row's edges, which are some of the session's in their order."""
        return _positions_in_order(self._edges, edges)

    def find_turns(self, turns: Sequence[Row]) -> list[int]:
        """The positions of a row's turns, likewise; their ends may be cut."""
        return _positions_in_order(self._turns, [{**turn, "end": None} for turn in turns])


def _positions_in_order(whole: Sequence[Row], some: Sequence[Row]) -> list[int]:
    positions, start = [], 0
    for item in some:
        start = next(index for index in range(start, len(whole)) if whole[index] == item) + 1
        positions.append(start - 1)
    return positions


def _question(row: Row, config: str, known: _Positions, answers: Answers | None) -> dict[str, Any]:
    nodes = row["graph"]["nodes"]
    segments = {known.segment_of[known.nodes[n["id"]]] for n in nodes if n["step"] is not None}
    question: dict[str, Any] = {
        "id": row["id"],
        "config": config,
        "window": [_milliseconds(part) for part in row["video"]["intervals"]],
        "nodes": [
            [known.nodes[node["id"]], *(t for o in node["occurrences"] for t in _milliseconds(o))]
            for node in nodes
        ],
        "edges": known.find_edges(row["graph"]["edges"]),
        "turns": known.find_turns(row["chat"]),
        "segments": sorted(segments),
        "truth": row["rating"] if "rating" in row else LABELS[row["label"]],
    }
    for name in ("ai_action_step", "user_action_step", "step", "step_name", "context_steps"):
        if name in row:
            question[name] = row[name]
    for name in ("source", "target"):
        if row.get(name):
            place = row[name]
            question[name] = [known.nodes[place["node_id"]], *_milliseconds(place)]
    if answers is not None and answers.config == config:
        question["answers"] = answers.of(row["id"])
    return question


def _milliseconds(span: Row) -> list[int]:
    return [round(span["start"] * 1000), round(span["end"] * 1000)]
