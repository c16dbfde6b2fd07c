"""The words of a row that a model may be shown: of its graph, of its chat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["WORD_SETTINGS", "WordRow", "visible_words"]

# The settings that are words alone, in the order of the paper's tables, and their inputs.
WORD_SETTINGS = {
    "graph-only": ("graph",),
    "chat-only": ("chat",),
    "graph-chat": ("graph", "chat"),
}


@dataclass(frozen=True)
class WordRow:
    """A row as far as this floor needs it.

    Attributes:
        id: The row's.
        participant_id: Whose it is: nobody's rows are answered by a model that learnt from others
            of theirs.
        words: Input (`graph`, `chat`) -> its text.
        answer: The true label's class id, or the rating.
    """

    id: str
    participant_id: str
    words: Mapping[str, str]
    answer: int


def visible_words(row: Mapping[str, Any]) -> dict[str, str]:
    """The text of a row's graph and of its chat.

    Of the graph that is each node's actor, label and detail; of the chat each turn's content and
    its tools' names, inputs and outputs. No id, no time, no answer.

    Args:
        row: Of any experiment.
    """
    return {
        "graph": "\n".join(filter(None, _graph_words(row["graph"]))),
        "chat": "\n".join(filter(None, _chat_words(row["chat"]))),
    }


def _graph_words(graph: Mapping[str, Any]) -> Iterator[str | None]:
    for node in graph["nodes"]:
        yield from (node["actor"], node["label"], node["detail"])


def _chat_words(chat: list[Mapping[str, Any]]) -> Iterator[str | None]:
    for turn in chat:
        yield turn["content"]
        for call in turn["tool_calls"]:
            yield from (call["name"], call["input"], call["output"])
