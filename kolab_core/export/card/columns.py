"""What each column of the export means: one list for the card and for `croissant.json`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from datasets import ClassLabel, List, Value, Video

from kolab_core.export.tables import export_features
from kolab_core.reports.tables import render_table
from kolab_core.rows.columns import CONFIG_DESCRIPTIONS
from kolab_core.rows.experiments import EXPERIMENTS

__all__ = ["describe_column", "describe_type", "render_columns", "render_configs"]

_MEANINGS = {
    "id": "unique in the config; names session, response and index, or session and step",
    "session_id": "the session",
    "participant_id": "the person",
    "session": "1 or 2: the person's first or second session",
    "occupation": "the person's occupation",
    "sector": "the occupation's O*NET sector",
    "years_experience": "years in the occupation",
    "goal": "what the session is to achieve, in the person's words",
    "context": "the circumstances of the work",
    "goal_achieved": "whether it was achieved, and why",
    "has_video": "whether the session has a recording",
    "has_chat": "whether the row keeps a turn of the chat",
    "ai_action_step": "name of the step in which the AI output happened",
    "user_action_step": "name of the step in which the person responded",
    "source": "the request: node and time; null for an output used again without one",
    "target": "the AI output that is asked about: node and time",
    "response_overlaps": "whether the response started before the output ended",
    "label": "what became of the output",
    "context_steps": "how many earlier steps were asked for",
    "context_steps_available": "how many there were",
    "step": "number of the planned step",
    "step_name": "name of the planned step",
    "rating": "the person's rating of the step, 1 low to 5 high",
    "video": "the recording's address and the intervals of the window in seconds",
    "video_intervals": "from the first start to the last end of the work, in seconds",
    "graph": "nodes (who did what, when) and edges of the workflow graph, cut at the window",
    "chat": "turns of the person and of the AI with tool calls, cut at the window",
    "steps": "the planned steps with inputs, outputs, rubrics, ratings and the seven statements",
    "segments": "each visit to a step, with its times",
    "responses": "every labelled response with its source, target and times",
    "files": "input and output files: path, role, bytes (not part of this repository)",
}
_SESSION_MEANINGS = {
    "video": "the recording, which the viewer plays",
    "graph": "the whole workflow graph",
    "chat": "all turns, those without a time too",
}
_SURVEY = "answer to question {} of the questionnaire: {}"
_ADOPTIONS = tuple(name for name in EXPERIMENTS if "label" in export_features(name))
_GROUPS = ((EXPERIMENTS, "all experiments"), (_ADOPTIONS, "the adoption experiments"))
_QUESTIONS = (
    "Q1 … Q42",
    "string; int64 from Q13 to Q38",
    "answers to the questionnaire: text, or 1 to 10",
)


def describe_column(config: str, name: str) -> str:
    """A column's meaning in a few words.

    Raises:
        KeyError: The config has no such column.
    """
    feature = export_features(config)[name]
    if config == "sessions" and name in _SESSION_MEANINGS:
        return _SESSION_MEANINGS[name]
    if name not in _MEANINGS and name.startswith("Q") and name[1:].isdigit():
        kind = "1 to 10" if feature == Value("int64") else "text"
        return _SURVEY.format(name[1:], kind)
    return _MEANINGS[name]


def describe_type(feature: Any) -> str:
    """A feature as people write it: `list of {start, end}`, `adopt, modify or reject`."""
    if isinstance(feature, ClassLabel):
        pairs = [f"{number} {name}" for number, name in enumerate(feature.names)]
        return f"class: {', '.join(pairs)}"
    if isinstance(feature, Video):
        return "video"
    if isinstance(feature, Value):
        return str(feature.dtype)
    if isinstance(feature, dict):
        return f"{{{', '.join(feature)}}}"
    if isinstance(feature, List):
        return f"list of {describe_type(feature.feature)}"
    return type(feature).__name__


def render_configs(rows: dict[str, int]) -> str:
    """A table of the configs with their numbers of rows, by config."""
    lines = [
        (f"`{config}`", num_rows, CONFIG_DESCRIPTIONS[config].removeprefix("One row is "))
        for config, num_rows in rows.items()
    ]
    return render_table(["config", "rows", "one row"], lines, style="md")


def render_columns(configs: Iterable[str]) -> str:
    """A table of all columns in the order of the configs, the questionnaire's as one line."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for config in configs:
        for name, feature in export_features(config).items():
            line = (name, describe_type(feature), describe_column(config, name))
            if config == "surveys" and name.startswith("Q"):
                line = _QUESTIONS
            among = found.setdefault(line, [])
            if config not in among:
                among.append(config)
    lines = [
        (f"`{name}`", kind, _name_configs(among), meaning)
        for (name, kind, meaning), among in found.items()
    ]
    return render_table(["column", "type", "in", "meaning"], lines, style="md")


def _name_configs(among: list[str]) -> str:
    for group, title in _GROUPS:
        if set(group) <= set(among):
            rest = [config for config in among if config not in group]
            return ", ".join([title, *(f"`{config}`" for config in rest)])
    return ", ".join(f"`{config}`" for config in among)
