"""A row as what a model is told: chat messages from templates that can be read as they are sent."""

from kolab_core.prompts.many import Prompt, Prompts, render_all
from kolab_core.prompts.messages import render
from kolab_core.prompts.pictures import attach_frames
from kolab_core.prompts.setting import MODALITIES, SETTINGS, MissingInputError, name_setting
from kolab_core.prompts.templates import PROMPT_VERSION

__all__ = [
    "MODALITIES",
    "PROMPT_VERSION",
    "SETTINGS",
    "MissingInputError",
    "Prompt",
    "Prompts",
    "attach_frames",
    "name_setting",
    "render",
    "render_all",
]
