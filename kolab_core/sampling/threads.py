"""How many decoders may work at a time."""

from __future__ import annotations

import multiprocessing
import os
import sys

__all__ = ["num_workers"]


def num_workers(asked: int | None) -> int:
    """What was asked, or one a core; 1 inside a worker process, whose siblings have the others.

    Raises:
        ValueError: fewer than 1 asked.
    """
    if asked is not None:
        if asked < 1:
            raise ValueError(f"num_threads: found {asked!r}; expected at least 1, or None.")
        return asked
    if _is_worker_process():
        return 1
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return max(1, os.cpu_count() or 1)


def _is_worker_process() -> bool:
    """Whether this process was started by multiprocessing, multiprocess or a DataLoader."""
    if multiprocessing.parent_process() is not None:
        return True
    other = sys.modules.get("multiprocess")
    if other is not None and other.parent_process() is not None:
        return True
    torch_data = sys.modules.get("torch.utils.data")
    return torch_data is not None and torch_data.get_worker_info() is not None
