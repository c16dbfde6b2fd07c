"""A graph's segments, nodes and edges with their places; of a broken graph those that are sound.

One bad node must not hide what is wrong elsewhere in the file: a person wants to see all of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from kolab_core.release.documents import GraphDocument, GraphEdge, GraphNode, GraphSegment

__all__ = ["GraphPieces", "SegmentPieces", "salvage_graph", "split_graph"]

PieceT = TypeVar("PieceT", bound=BaseModel)


@dataclass(frozen=True)
class SegmentPieces:
    """One segment; its nodes and edges as (place in the file, document)."""

    place: str
    head: GraphSegment
    nodes: tuple[tuple[str, GraphNode], ...]
    edges: tuple[tuple[str, GraphEdge], ...]


@dataclass(frozen=True)
class GraphPieces:
    """The segments of a graph; `is_whole` False: some segment or node could not be read."""

    segments: tuple[SegmentPieces, ...]
    is_whole: bool


def split_graph(document: GraphDocument) -> GraphPieces:
    """All pieces of a sound document."""
    segments = []
    for index, head in enumerate(document.steps):
        place = f"steps[{index}] {head.key}"
        nodes = tuple((f"{place} > nodes[{i}] {n.id}", n) for i, n in enumerate(head.nodes))
        edges = tuple((f"{place} > edges[{i}]", e) for i, e in enumerate(head.edges))
        segments.append(SegmentPieces(place, head, nodes, edges))
    return GraphPieces(tuple(segments), is_whole=True)


def salvage_graph(raw: Any) -> GraphPieces:
    """The pieces of a broken document (any JSON value, or None) that are sound by themselves."""
    steps = raw.get("steps") if isinstance(raw, dict) else None
    is_whole = isinstance(steps, list)
    segments = []
    for index, step in _items(steps):
        head = _validate({**step, "nodes": [], "edges": []}, GraphSegment) if step else None
        if head is None:
            is_whole = False
            continue
        place = f"steps[{index}] {head.key}"
        nodes = _sound_items(step, "nodes", GraphNode)
        edges = _sound_items(step, "edges", GraphEdge)
        num_nodes = len(step["nodes"]) if isinstance(step.get("nodes"), list) else -1
        is_whole = is_whole and len(nodes) == num_nodes
        segments.append(
            SegmentPieces(
                place=place,
                head=head,
                nodes=tuple((f"{place} > nodes[{i}] {n.id}", n) for i, n in nodes),
                edges=tuple((f"{place} > edges[{i}]", e) for i, e in edges),
            )
        )
    return GraphPieces(tuple(segments), is_whole)


def _sound_items(step: dict[str, Any], key: str, model: type[PieceT]) -> list[tuple[int, PieceT]]:
    checked = ((index, _validate(item, model)) for index, item in _items(step.get(key)))
    return [(index, item) for index, item in checked if item is not None]


def _items(value: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    """A list's objects with their indices; what is not an object is left to the schema."""
    for index, item in enumerate(value if isinstance(value, list) else ()):
        yield index, item if isinstance(item, dict) else {}


def _validate(value: Any, model: type[PieceT]) -> PieceT | None:
    try:
        return model.model_validate(value)
    except ValidationError:
        return None
