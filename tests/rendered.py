"""Rendered prompts for tests: rows of the sample, and messages as text without their pictures."""

from __future__ import annotations

import functools
from pathlib import Path

from kolab_core.names.location import find_sample
from kolab_core.prompts import SETTINGS, render
from kolab_core.release import open_release, read_session
from kolab_core.rows.experiments import EXPERIMENTS, build_rows

GOLDEN = Path(__file__).parent / "data" / "prompts"
_SESSION = "P01_S1"
_NUM_FRAMES = 2


@functools.cache
def sample_rows(config):
    """The rows of one session of the sample; their recording is a path into it."""
    return build_rows(read_session(open_release(find_sample()), _SESSION), config)


def show(messages):
    """Messages as one text; a data URL shows its kind, a file its interval."""
    lines = []
    for message in messages:
        content = message["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        lines.append(f"===== {message['role']}")
        lines += ["\n----- next part\n".join(map(_show_part, parts))]
    return "\n".join(lines) + "\n"


def list_goldens():
    """Path -> text of every expected render: a file for each experiment and setting."""
    return {
        GOLDEN / f"{config}.{setting}.txt": show(
            render(sample_rows(config)[-1], inputs, config=config, num_frames=_NUM_FRAMES, size=64)
        )
        for config in EXPERIMENTS
        for setting, inputs in SETTINGS.items()
    }


def _show_part(part):
    if part["type"] == "text":
        return part["text"]
    found = part.get(part["type"])
    if isinstance(found, dict):
        return f"[{part['type']}: {found['url'].partition(',')[0]},…]"
    return f"[{part['type']}]"
