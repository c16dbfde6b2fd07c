"""What figures read of a file that `kolab score --format json` writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Card", "Series", "check_card", "interval_words", "read_series"]

Card = Mapping[str, Any]


@dataclass(frozen=True)
class Series:
    """One model's scores in one column of the card.

    Attributes:
        model: The file's name.
        modalities: The setting; None where the answers do not say.
        context_steps: In `step_n`, how many steps came before.
        scores: By name, as the card has them.
        baseline: Those of the constant answer; None without rows.
    """

    model: str
    modalities: str | None
    context_steps: int | None
    scores: Mapping[str, Any]
    baseline: Mapping[str, Any] | None

    @property
    def setting(self) -> str:
        """What the model was shown, as far as it is known."""
        return self.modalities or "all inputs"


def check_card(card: Card) -> str:
    """The card's config.

    Raises:
        ValueError: It is no card.
    """
    options, columns = card.get("options"), card.get("columns")
    if not isinstance(options, Mapping) or "config" not in options or columns is None:
        raise ValueError(
            "card: found no `options` and `columns`; expected what `kolab score --format json` "
            "writes."
        )
    return str(options["config"])


def read_series(card: Card) -> list[Series]:
    """The card's columns that have scores, in its order.

    Raises:
        ValueError: It is no card.
    """
    check_card(card)
    return [
        Series(model, column["modalities"], column["context_steps"], scores, column["baseline"])
        for column in card["columns"]
        for model, scores in column["scores"].items()
        if scores is not None
    ]


def interval_words(card: Card) -> str:
    """What the card's intervals are, such as "95 % interval"."""
    level = card["options"].get("confidence")
    return f"{100 * level:g} % interval" if level else "without interval"
