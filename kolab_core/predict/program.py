"""A program as a model: messages as JSON on its standard input, the answer on its output."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["Program", "ProgramError"]

_SHOWN = 300


class ProgramError(RuntimeError):
    """The program ended with an error, or did not end in time."""


class Program:
    """A callable that runs a program once for each question.

    Examples:
        >>> Program("echo ADOPT")([{"role": "user", "content": "?"}])
        'ADOPT'
    """

    def __init__(self, command: str | Sequence[str], *, timeout_s: float | None = None) -> None:
        """Check that there is such a program.

        Args:
            command: The program and its arguments, as a list or as a shell would take them apart;
                no shell runs, so pipes and variables need `sh -c '…'`.
            timeout_s: Seconds after which a run is ended; None waits for ever.

        Raises:
            ValueError: There is no such program, the words cannot be taken apart, or a timeout that
                is not above 0.
        """
        try:
            self._words = shlex.split(command) if isinstance(command, str) else list(command)
        except ValueError as err:
            raise ValueError(f"command: found {command!r} ({err}); expected shell words.") from err
        if not self._words or shutil.which(self._words[0]) is None:
            raise ValueError(f"command: found {command!r}; expected a program that can be run.")
        if timeout_s is not None and not timeout_s > 0:
            raise ValueError(f"timeout: found {timeout_s}; expected more than 0 seconds.")
        self._timeout_s = timeout_s

    def __call__(self, messages: Sequence[Mapping[str, Any]]) -> str:
        """What the program prints for these messages, without white space around it.

        Raises:
            ProgramError: It ended with another code than 0, or was ended after the timeout.
        """
        with subprocess.Popen(
            self._words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            try:
                given = json.dumps(messages, ensure_ascii=False).encode("utf-8", "replace")
                out, complaint = process.communicate(given, timeout=self._timeout_s)
            except subprocess.TimeoutExpired as err:
                raise ProgramError(f"it did not end in {self._timeout_s:g} s.") from err
            finally:
                if process.returncode is None:
                    process.kill()
        if process.returncode:
            said = complaint.decode("utf-8", "replace").strip()[-_SHOWN:]
            raise ProgramError(f"it ended with {process.returncode}: {said or 'no word why'}")
        return out.decode("utf-8", "replace").strip()
