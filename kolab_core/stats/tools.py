"""Which of the programs that people name are AI tools."""

from __future__ import annotations

__all__ = ["is_ai_tool"]

# In lower case; a release's own agents count as well.
_AI_TOOLS = frozenset(
    {
        "adobe firefly",
        "chatgpt",
        "claude",
        "claude code",
        "codex",
        "copilot",
        "cursor",
        "dall-e",
        "deepl write",
        "deepseek",
        "elicit",
        "gemini",
        "github copilot",
        "grammarly",
        "grok",
        "kimi",
        "le chat",
        "meta ai",
        "microsoft copilot",
        "midjourney",
        "notebooklm",
        "perplexity",
        "qwen",
        "stable diffusion",
    }
)


def is_ai_tool(name: str, agents: frozenset[str] = frozenset()) -> bool:
    """Whether a program is an AI tool: one that is widely known, or an agent of the release.

    Args:
        name: As a step's plan has it; case does not matter.
        agents: The actors of the release's AI nodes, in lower case.

    Examples:
        >>> is_ai_tool("Claude"), is_ai_tool("Revit"), is_ai_tool("Juno", frozenset({"juno"}))
        (True, False, True)
    """
    key = name.strip().casefold()
    return key in _AI_TOOLS or key in agents
