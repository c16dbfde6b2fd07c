from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import av
import media
import pytest

from kolab_core.sampling import runs as runs_module
from kolab_core.sampling.runs import RunDecoder, Step


def groups_of(container: Any) -> list[list[Any]]:
    """The video's packets by group of pictures."""
    groups: list[list[Any]] = []
    for packet in container.demux(video=0):
        if packet.size:
            groups += [[]] if packet.is_keyframe else []
            groups[-1].append(packet)
    return groups


def test_of_the_runs_that_wait_the_largest_is_decoded_first(tmp_path: Path) -> None:
    kind = next(kind for kind in media.KINDS if kind.name == "x264_no_b_frames")
    came: list[int] = []
    may_go_on = threading.Event()

    def deliver(pts: int, frame: Any) -> None:
        came.append(pts)
        may_go_on.wait(timeout=60)

    with av.open(str(media.write(kind, tmp_path / "groups.mp4"))) as container:
        groups = groups_of(container)
        lengths = (1, 2, 5, 3)
        assert len(groups) >= len(lengths)
        with RunDecoder(container.streams.video[0], workers=1, deliver=deliver) as decoder:
            runs = [group[:length] for group, length in zip(groups, lengths, strict=False)]
            for packets in runs:
                run = decoder.start()
                run.put([Step(packet, packet is packets[0]) for packet in packets])
                run.chunks.put(None)
                while not came:  # the first is under way before the others wait
                    threading.Event().wait(0.01)
            may_go_on.set()
            outcome = decoder.finish()
    sizes = [sum(packet.size for packet in packets) for packets in runs]
    by_size = sorted(range(1, len(runs)), key=lambda k: sizes[k], reverse=True)
    assert by_size != [1, 2, 3]
    assert came == [runs[k][0].pts for k in (0, *by_size)]
    assert not outcome.missing


def test_reading_waits_while_enough_runs_are_ahead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = next(kind for kind in media.KINDS if kind.name == "x264_no_b_frames")
    monkeypatch.setattr(runs_module, "_BYTES_AHEAD", 1)
    started: list[int] = []
    came: list[int] = []
    may_go_on = threading.Event()

    def deliver(pts: int, frame: Any) -> None:
        came.append(pts)
        may_go_on.wait(timeout=60)

    with av.open(str(media.write(kind, tmp_path / "groups.mp4"))) as container:
        groups = groups_of(container)
        with RunDecoder(container.streams.video[0], workers=1, deliver=deliver) as decoder:

            def read() -> None:
                for group in groups:
                    run = decoder.start()
                    run.put([Step(group[0], True)])
                    run.chunks.put(None)
                    started.append(group[0].pts)

            reader = threading.Thread(target=read)
            reader.start()
            while not came or len(started) < 2:
                threading.Event().wait(0.01)
            threading.Event().wait(0.3)
            assert len(started) == 2 < len(groups)
            may_go_on.set()
            reader.join(timeout=60)
            decoder.finish()
    assert sorted(came) == [group[0].pts for group in groups]
