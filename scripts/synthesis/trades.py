"""Forty occupations in ten O*NET sectors, with what each makes, from what, and by which rule.

The words that synthetic sessions of any number are told with; they stand in `trades.csv`.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.synthesis.story import AppKind

__all__ = ["AI_TOOLS", "SECTORS", "Trade", "trades_of"]

AI_TOOLS = (
    "Claude",
    "ChatGPT",
    "Gemini",
    "Grok",
    "Copilot",
    "Perplexity",
    "NotebookLM",
    "Midjourney",
    "DeepL Write",
)


@dataclass(frozen=True)
class Trade:
    """An occupation: its sector, its programs (none of them an AI's), and its words."""

    occupation: str
    sector: str
    softwares: tuple[str, ...]
    product: str
    material: str
    rule: str
    app: AppKind


def _read_trades() -> tuple[Trade, ...]:
    text = Path(__file__).with_name("trades.csv").read_text(encoding="utf-8")
    rows: list[dict[str, Any]] = list(csv.DictReader(text.splitlines()))
    return tuple(Trade(**row | {"softwares": tuple(row["softwares"].split(";"))}) for row in rows)


_TRADES = _read_trades()
SECTORS = tuple(dict.fromkeys(trade.sector for trade in _TRADES))


def trades_of(sector: str) -> list[Trade]:
    """The four occupations of a sector."""
    return [trade for trade in _TRADES if trade.sector == sector]
