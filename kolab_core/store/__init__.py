"""Writing a store of frames: each session decoded once for all its rows."""

from kolab_core.store.job import SessionStored, StoreJob, open_job
from kolab_core.store.writing import StoreReport, choose_configs, store_frames

__all__ = [
    "SessionStored",
    "StoreJob",
    "StoreReport",
    "choose_configs",
    "open_job",
    "store_frames",
]
