"""What goes wrong with a recording, told with its file, the time and the cause."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["CUT_SHORT", "ClipError", "told_as_clip_error"]

CUT_SHORT = "the file ends before this frame (cut short?)"


class ClipError(RuntimeError):
    """A recording cannot give the frame asked for.

    Its message is `{file}: at {time} s: {cause}`, and the three are attributes too.

    Attributes:
        file: the recording, as the caller named it (`<bytes>`, `<file>` without a name).
        time: seconds of the recording; the first time asked for when the file does not open.
        cause: what was found.
    """

    def __init__(self, file: str, time: float, cause: str) -> None:
        self.file = file
        self.time = float(time)
        self.cause = cause
        super().__init__(f"{file}: at {self.time:.6g} s: {cause}")

    def __reduce__(self) -> tuple[type[ClipError], tuple[Any, ...]]:
        return (type(self), (self.file, self.time, self.cause))


@contextmanager
def told_as_clip_error(file: str, time: float) -> Iterator[None]:
    """Turns what a library raises while a recording is read into a ClipError.

    Args:
        file: name of the recording.
        time: seconds, the time that was being looked for.

    Raises:
        ClipError: instead of whatever the body raised.
    """
    try:
        yield
    except (ClipError, MemoryError):
        raise
    except Exception as err:  # demuxers, decoders and remote file systems raise anything
        raise ClipError(file, time, _cause(err)) from err


def _cause(err: Exception) -> str:
    """One line that says what happened, without the file name that ClipError adds."""
    if isinstance(err, FileNotFoundError):
        is_reached = not isinstance(err.__cause__, OSError)
        return "no such file" if is_reached else f"cannot be reached ({err.__cause__})"
    if isinstance(err, EOFError):
        return "the file ends too early"
    text = getattr(err, "strerror", None) or str(err) or type(err).__name__
    return " ".join(str(text).split())[:200]
