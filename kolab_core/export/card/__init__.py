"""The export's card: YAML and text generated from what was exported."""

from kolab_core.export.card.build import CANARY, CARD_NAME, GATE_PREFIX, render_card, write_card
from kolab_core.export.card.columns import describe_column, describe_type
from kolab_core.export.card.metadata import EXPORT_KEY, read_target
from kolab_core.export.card.template import (
    TEMPLATE_NAME,
    list_blanks,
    read_sections,
    split_front_matter,
)

__all__ = [
    "CANARY",
    "CARD_NAME",
    "EXPORT_KEY",
    "GATE_PREFIX",
    "TEMPLATE_NAME",
    "describe_column",
    "describe_type",
    "list_blanks",
    "read_sections",
    "read_target",
    "render_card",
    "split_front_matter",
    "write_card",
]
