import threading
import time

import av
import media
import pytest

from kolab_core.sampling import runs as runs_module
from kolab_core.sampling.runs import RunDecoder, Step


@pytest.fixture
def container(tmp_path):
    """An open recording of four groups of pictures."""
    kind = next(kind for kind in media.KINDS if kind.name == "x264_no_b_frames")
    with av.open(str(media.write(kind, tmp_path / "groups.mp4"))) as opened:
        yield opened


def groups_of(container):
    """The video's packets by group of pictures."""
    groups = []
    for packet in container.demux(video=0):
        if packet.size:
            groups += [[]] if packet.is_keyframe else []
            groups[-1].append(packet)
    return groups


class HeldDelivery:
    """Takes frames; the decoder waits in the first until it is let go."""

    def __init__(self):
        self.came = []
        self._may_go_on = threading.Event()

    def __call__(self, pts, frame):
        self.came.append(pts)
        self._may_go_on.wait(timeout=60)

    def let_go(self):
        self._may_go_on.set()


def feed(decoder, packets):
    """A whole run of which the first frame is wanted."""
    run = decoder.start()
    run.put([Step(packet, packet is packets[0]) for packet in packets])
    run.chunks.put(None)


def test_of_the_runs_that_wait_the_largest_is_decoded_first(container):
    deliver = HeldDelivery()
    groups = groups_of(container)
    lengths = (1, 2, 5, 3)
    assert len(groups) >= len(lengths)
    runs = [group[:length] for group, length in zip(groups, lengths, strict=False)]
    with RunDecoder(container.streams.video[0], workers=1, deliver=deliver) as decoder:
        for packets in runs:
            feed(decoder, packets)
            while not deliver.came:  # the first is under way before the others wait
                time.sleep(0.01)
        deliver.let_go()
        outcome = decoder.finish()
    sizes = [sum(packet.size for packet in packets) for packets in runs]
    by_size = sorted(range(1, len(runs)), key=lambda k: sizes[k], reverse=True)
    assert by_size != [1, 2, 3]
    assert deliver.came == [runs[k][0].pts for k in (0, *by_size)]
    assert not outcome.missing


def test_reading_waits_while_enough_runs_are_ahead(container, monkeypatch):
    monkeypatch.setattr(runs_module, "_BYTES_AHEAD", 1)
    deliver = HeldDelivery()
    started = []
    groups = groups_of(container)
    with RunDecoder(container.streams.video[0], workers=1, deliver=deliver) as decoder:

        def read():
            for group in groups:
                feed(decoder, group[:1])
                started.append(group[0].pts)

        reader = threading.Thread(target=read)
        reader.start()
        while not deliver.came or len(started) < 2:
            time.sleep(0.01)
        time.sleep(0.3)
        num_started = len(started)
        deliver.let_go()
        reader.join(timeout=60)
        decoder.finish()
    assert num_started == 2 < len(groups)
    assert sorted(deliver.came) == [group[0].pts for group in groups]
