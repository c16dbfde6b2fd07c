"""Decoding runs of packets in parallel, each run by one decoder from its clean start on."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from queue import Queue
from typing import Any, NamedTuple

import av
from av.codec.context import CodecContext
from av.packet import Packet
from av.video.codeccontext import VideoCodecContext
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from kolab_core.sampling.bitstream import can_skip_unreferenced

__all__ = ["Deliver", "Outcome", "Run", "RunDecoder", "Step"]

Deliver = Callable[[int, VideoFrame], None]
"""What takes a decoded frame: (timestamp, frame), called from any worker's thread."""

_CHUNKS_AHEAD = 4
_BYTES_AHEAD = 16 << 20


class Step(NamedTuple):
    """A packet to decode, and whether its frame is wanted."""

    packet: Packet[VideoStream]
    is_wanted: bool


@dataclass(eq=False)
class Run:
    """Packets in decoding order from a clean start, handed over in chunks while they are read.

    Attributes:
        wanted: timestamps whose frames are to be delivered.
        missing: those that decoding did not give, once it is done.
        failure: why, if the decoder said.
        size: bytes of the packets so far.
    """

    wanted: set[int] = field(default_factory=set)
    missing: set[int] = field(default_factory=set)
    failure: str = ""
    size: int = 0
    chunks: Queue[list[Step] | None] = field(default_factory=lambda: Queue(_CHUNKS_AHEAD))

    def put(self, steps: list[Step]) -> None:
        """Hands over more packets; waits while the decoder is far behind."""
        if steps:
            self.wanted.update(pts_of(step.packet) for step in steps if step.is_wanted)
            self.size += sum(step.packet.size for step in steps)
            self.chunks.put(steps)


@dataclass(frozen=True)
class Outcome:
    """What runs did not give.

    Attributes:
        missing: timestamps of frames that did not come.
        failures: for those that damage kept back, what the decoder said.
    """

    missing: set[int]
    failures: dict[int, str]


def pts_of(packet: Packet[VideoStream]) -> int:
    """A packet's timestamp, which the packets of a run all have."""
    pts = packet.pts
    assert pts is not None  # the walk lets no packet without one into a run
    return pts


class RunDecoder:
    """Decodes runs on `workers` threads, each with a decoder of its own.

    Of the runs that wait a worker takes the largest, so that no long one is left for the end.

    Args:
        stream: whose packets they are; its own decoder is not used, for seeking flushes it.
        workers: threads, at least 1.
        deliver: takes each wanted frame; of frames with one timestamp the last call counts.
    """

    def __init__(self, stream: VideoStream, *, workers: int, deliver: Deliver) -> None:
        self._stream = stream
        self._deliver = deliver
        self._own = threading.local()
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="kolab-decode")
        self._runs: list[Run] = []
        self._futures: list[Future[None]] = []
        self._waiting: list[Run] = []
        self._taken = threading.Condition()
        self.can_skip = can_skip_unreferenced(
            stream.codec_context.codec.canonical_name, stream.codec_context.extradata or b""
        )

    def __enter__(self) -> RunDecoder:
        return self

    def __exit__(self, *error: object) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)

    def start(self) -> Run:
        """A new run, which a worker takes up in its turn; waits while too much is ahead of it."""
        run = Run()
        with self._taken:
            self._taken.wait_for(lambda: sum(one.size for one in self._waiting) < _BYTES_AHEAD)
            self._waiting.append(run)
        self._runs.append(run)
        self._futures.append(self._pool.submit(self._work))
        return run

    def finish(self) -> Outcome:
        """Waits for all runs, and says what they did not give.

        A decoder's error tells of damage, provided that the decoders do work: if none gave a
        frame, its frames only count as missing.

        Raises:
            Exception: what `deliver` raised.
        """
        for future in self._futures:
            future.result()
        works = any(run.wanted - run.missing for run in self._runs)
        failures = {
            pts: run.failure for run in self._runs if works and run.failure for pts in run.missing
        }
        return Outcome({pts for run in self._runs for pts in run.missing}, failures)

    def _work(self) -> None:
        """Decodes one run; takes all its chunks whatever happens, so that none waits for it."""
        with self._taken:
            run = max(self._waiting, key=lambda one: one.size)
            self._waiting.remove(run)
            self._taken.notify()
        came: set[int] = set()
        finished = False
        try:
            decoder = self._decoder()
            while (steps := run.chunks.get()) is not None:
                self._decode(decoder, steps, run, came)
            finished = True
            if not run.wanted <= came:
                self._take(decoder.decode(None), run, came)
        except av.FFmpegError as err:
            run.failure = f"the video cannot be decoded ({err.strerror or type(err).__name__})"
        finally:
            while not finished and run.chunks.get() is not None:
                pass
            run.missing = run.wanted - came
            self._decoder().flush_buffers()

    def _decode(
        self, decoder: VideoCodecContext, steps: list[Step], run: Run, came: set[int]
    ) -> None:
        for packet, is_wanted in steps:
            if self.can_skip:
                decoder.skip_frame = "DEFAULT" if is_wanted else "NONREF"
            frames = decoder.decode(packet)
            if frames:
                self._take(frames, run, came)

    def _take(self, frames: list[VideoFrame], run: Run, came: set[int]) -> None:
        for frame in frames:
            pts = frame.pts
            if pts is not None and pts in run.wanted and not frame.is_corrupt:
                self._deliver(pts, frame)
                came.add(pts)

    def _decoder(self) -> VideoCodecContext:
        """This thread's decoder, opened as the stream's would be, for one thread."""
        decoder: VideoCodecContext | None = getattr(self._own, "decoder", None)
        if decoder is None:
            decoder = self._own.decoder = _like(self._stream.codec_context)
        return decoder


def _like(model: VideoCodecContext) -> VideoCodecContext:
    """A decoder set up with all that a container says of a stream and the bitstream may not."""
    decoder: Any = CodecContext.create(model.codec, "r")
    decoder.extradata = model.extradata
    decoder.width, decoder.height = model.width, model.height
    if model.pix_fmt:
        decoder.pix_fmt = model.pix_fmt
    for name in _COPIED:
        if hasattr(decoder, name):  # PyAV's versions show different ones
            setattr(decoder, name, getattr(model, name))
    decoder.thread_count = 1
    context: VideoCodecContext = decoder
    return context


_COPIED = (
    "bits_per_coded_sample",
    "codec_tag",
    "color_primaries",
    "color_range",
    "color_trc",
    "colorspace",
    "field_order",
    "reorder_depth",
)
