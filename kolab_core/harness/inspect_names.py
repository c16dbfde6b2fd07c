"""The names that inspect-ai has for our tasks and scorers: `kolab/<name>`, however installed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["of_kolab"]

_Made = TypeVar("_Made", bound=Callable[..., Any])


def of_kolab(function: _Made) -> _Made:
    """Let a function count as one of the module `kolab`, the front door of this distribution.

    inspect-ai names what it registers by the top package of its module, and finds a name that is
    not registered yet through the entry point of the same name, which is the distribution's.
    """
    function.__module__ = "kolab"
    return function
