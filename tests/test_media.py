import os

import media
import pytest


@pytest.mark.skipif(not hasattr(os, "sched_getscheduler"), reason="needs Linux's schedulers")
def test_write_leaves_the_process_as_it_was_scheduled(tmp_path):
    kind = next(kind for kind in media.KINDS if kind.codec == "libsvtav1")
    before = os.sched_getscheduler(0)
    media.write(kind, tmp_path / "a.mp4")
    assert os.sched_getscheduler(0) == before
