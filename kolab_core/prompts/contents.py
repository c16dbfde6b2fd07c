"""A row's graph and chat as text: numbered nodes and arrows, turns in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kolab_core.prompts.fences import one_line, set_in
from kolab_core.prompts.trimming import Piece, trim

__all__ = ["Contents", "list_items", "write_contents"]

Slots = dict[str, str | None]

_SPEAKERS = {"human": "Human", "ai": "AI"}
_NOTHING = "(nothing)"


@dataclass(frozen=True)
class Contents:
    """What fills the slots of the templates `graph` and `chat`; None where one is not shown."""

    graph: Slots | None
    chat: Slots | None

    @property
    def texts(self) -> list[str]:
        """All values that hold words of the session."""
        slots = {**(self.graph or {}), **(self.chat or {})}
        return [slots[name] or "" for name in ("nodes", "edges", "turns") if name in slots]


def write_contents(
    row: Mapping[str, Any], modalities: Sequence[str], *, max_chars: int | None
) -> Contents:
    """Write what the modalities show of a row's graph and chat.

    Args:
        row: With the columns `graph` and `chat`, as far as they are shown.
        modalities: Those asked for.
        max_chars: The most that nodes, arrows and turns may take up together; the oldest are
            left out.
    """
    graph = row["graph"] if "graph" in modalities else {"nodes": [], "edges": []}
    turns = list_items(row["chat"]) if "chat" in modalities else []
    edges = _number_edges(graph)
    nodes = [_node_piece(i, node, edges) for i, node in enumerate(graph["nodes"])]
    kept = trim([*nodes, *(_turn_piece(i, turn) for i, turn in enumerate(turns))], max_chars)
    return Contents(
        graph=_graph_slots(kept[: len(nodes)], edges) if "graph" in modalities else None,
        chat=_chat_slots(kept[len(nodes) :]) if "chat" in modalities else None,
    )


def list_items(cell: Any) -> list[Any]:
    """A cell's items: null counts as none, and formats that give arrays of them are welcome."""
    return [] if cell is None else list(cell)


def _number_edges(graph: Mapping[str, Any]) -> list[tuple[int, int]]:
    """The edges as places in the list of nodes."""
    places = {node["id"]: place for place, node in enumerate(graph["nodes"])}
    return [(places[edge["source"]], places[edge["target"]]) for edge in graph["edges"]]


def _edge_line(edge: tuple[int, int]) -> str:
    return f"n{edge[0]} -> n{edge[1]}"


def _node_piece(place: int, node: Mapping[str, Any], edges: list[tuple[int, int]]) -> Piece:
    """`[n0](actor) label: detail`; its arrows to nodes behind it go with it."""
    starts = [span["start"] for span in node["occurrences"]]
    label, detail = one_line(node["label"] or ""), one_line(node["detail"] or "")
    body = f"({one_line(node['actor'] or '')}) {label}" + (f": {detail}" if detail else "")
    arrows = sum(len(_edge_line(edge)) + 1 for edge in edges if min(edge) == place)
    return Piece(min(starts, default=0.0), f"[n{place}]", body, num_more=arrows)


def _turn_piece(place: int, turn: Mapping[str, Any]) -> Piece:
    """The turn's lines, then those of each tool that it used."""
    lines = [set_in(turn["content"] or "")]
    for call in list_items(turn["tool_calls"]):
        lines.append(f"[t{place}] tool {one_line(call['name'] or '')}, given:")
        lines.append(set_in(call["input"] or ""))
        lines.append(f"[t{place}] tool {one_line(call['name'] or '')}, gave back:")
        lines.append(set_in(call["output"] or ""))
    body = "".join(f"\n{line}" for line in lines if line)
    return Piece(turn["start"] or 0.0, f"[t{place}] {_SPEAKERS[turn['role']]}:", body)


def _graph_slots(kept: Sequence[Piece | None], edges: list[tuple[int, int]]) -> Slots:
    arrows = [_edge_line(edge) for edge in edges if kept[edge[0]] and kept[edge[1]]]
    return {
        "num_nodes": str(len(kept)),
        **_left_out(kept, "n"),
        "nodes": _join(kept),
        "edges": "\n".join(arrows) or None,
    }


def _chat_slots(kept: Sequence[Piece | None]) -> Slots:
    return {"num_turns": str(len(kept)), **_left_out(kept, "t"), "turns": _join(kept)}


def _join(kept: Sequence[Piece | None]) -> str:
    return "\n".join(piece.text for piece in kept if piece is not None) or _NOTHING


def _left_out(kept: Sequence[Piece | None], letter: str) -> Slots:
    num_left_out = sum(piece is None for piece in kept)
    cut = next((place for place, piece in enumerate(kept) if piece and piece.is_cut), None)
    return {
        "num_left_out": str(num_left_out) if num_left_out else None,
        "shortened": None if cut is None else f"{letter}{cut}",
    }
