"""Reading a recording's packets to find the frame shown at each time, before anything is decoded.

A target is a limit in ticks: its frame is the one with the largest timestamp up to it. Packets
are read from the last clean start before the limit, in decoding order, until no packet to come
can be the one. What was read is the run that has to be decoded for it; limits that share a clean
start share the run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import av

from kolab_core.sampling.bitstream import is_clean_start, reorders
from kolab_core.sampling.errors import CUT_SHORT
from kolab_core.sampling.recording import Recording, VideoPacket
from kolab_core.sampling.runs import Run, RunDecoder, Step

__all__ = ["Picks", "UnprovableError", "Walk", "rewound"]

_MOST_REORDERED = 16
_PENDING_PACKETS = 1024
_FAR_BACK = -(1 << 40)


class UnprovableError(Exception):
    """The stream does not allow choosing by packets; only decoding all of it in order does."""


@dataclass(frozen=True)
class Picks:
    """What was chosen.

    Attributes:
        pts: for each limit, the timestamp of its frame; None where none could be chosen.
        cut: why the file ends before the limits without a frame, or empty if it does not.
    """

    pts: list[int | None]
    cut: str


class _Read(NamedTuple):
    """A packet that was read, its timestamp, and whether decoding may start at it."""

    packet: VideoPacket
    pts: int
    is_start: bool


class Walk:
    """Chooses the frames of ascending limits and hands their runs to a decoder.

    Args:
        recording: open; nobody else may read from its container meanwhile.
        decoder: takes the runs.
        limits: ticks, ascending, each once.
        slots: filled on the way: for a timestamp chosen, the first limit's position.
    """

    def __init__(
        self,
        recording: Recording,
        *,
        decoder: RunDecoder,
        limits: Sequence[int],
        slots: dict[int, int],
    ) -> None:
        self._recording, self._index, self._decoder = recording, recording.index, decoder
        self._limits, self._slots = limits, slots
        self._picks: list[int | None] = [None] * len(limits)
        codec = recording.codec
        self._most_late = _MOST_REORDERED if reorders(codec) else 0
        self._is_dts_sound = self._index.has_true_dts
        self._can_seek = self._index.can_seek
        self._last_dts: int | None = None
        self._shown_dts: int | None = None
        self._packets: Iterator[VideoPacket] = iter(())
        self._run: Run | None = None
        self._pending: list[_Read] = []
        self._chosen: set[int] = set()
        self._highest: int | None = None
        self._best: int | None = None
        self._num_later = 0

    def choose(self) -> Picks:
        """Reads the packets and starts the runs.

        Raises:
            UnprovableError: the stream's packets do not tell.
        """
        cut = ""
        try:
            if self._limits:
                self._index.look_ahead(self._limits)
                self._move()
            while self._is_open():
                cut, packet = self._following()
                if packet is None:
                    self._settle_rest(cut)
                    break
                self._take(packet)
                while self._is_open() and self._is_settled():
                    self._settle()
                    if self._is_open():
                        self._go_on()
        finally:
            self._end_run()
        return Picks(self._picks, cut)

    # Where in the file to read.

    def _go_on(self) -> None:
        """Seeks to the next limit if a keyframe lies between, or else reads on to it."""
        if self._can_seek and self._index.starts_later(self._limit, self._last_dts):
            self._move()
        elif self._can_seek:
            self._index.plan(self._limit)

    def _move(self) -> None:
        """Ends the run and goes to the clean start before the next limit, or to the very start."""
        self._end_run()
        target = self._limit
        for _ in range(2 if self._can_seek else 0):
            first = self._sought(target)
            if first is None or first.pts is None:
                break
            if first.pts <= self._limit and self._is_clean(first):
                self._take(first)
                return
            target = min(first.pts, target) - 1
        self._can_seek = False
        self._packets, first = rewound(self._recording)
        self._take(first)

    def _sought(self, target: int) -> VideoPacket | None:
        """The first packet behind a seek."""
        try:
            self._index.leave(self._limit)
            self._recording.container.seek(target, stream=self._recording.stream)
            self._index.plan(self._limit)
            self._packets = self._recording.packets()
            return next(self._packets, None)
        except (av.FFmpegError, OSError):
            return None

    def _following(self) -> tuple[str, VideoPacket | None]:
        """The next packet, or none and why the file ends too early (empty: it does not)."""
        try:
            packet = next(self._packets, None)
        except (av.FFmpegError, OSError) as err:
            return f"the file cannot be read further ({err.strerror or type(err).__name__})", None
        if packet is None or packet.is_corrupt:
            is_cut = packet is not None or self._index.ends_after(self._last_dts)
            return CUT_SHORT if is_cut else "", None
        return "", packet

    # Which packet is the frame.

    @property
    def _limit(self) -> int:
        return self._limits[self._next]

    _next = 0

    def _is_open(self) -> bool:
        return self._next < len(self._limits)

    def _is_clean(self, packet: VideoPacket) -> bool:
        recording = self._recording
        return packet.is_keyframe and is_clean_start(
            recording.codec, bytes(packet), recording.extradata
        )

    def _take(self, packet: VideoPacket) -> None:
        """Puts a packet into the run; a clean start at or before the limit starts a new one."""
        pts, dts = packet.pts, packet.dts
        if pts is None or self._recording.changes_decoder(packet):
            raise UnprovableError
        is_start = (self._highest is None or pts > self._highest) and self._is_clean(packet)
        if is_start and pts <= self._limit and self._pending:
            self._end_run()
        if dts is not None:
            self._is_dts_sound = self._is_dts_sound and dts <= pts
            self._last_dts = dts
            if not packet.is_discard:
                self._shown_dts = dts
        self._highest = pts if self._highest is None else max(self._highest, pts)
        self._pending.append(_Read(packet, pts, is_start))
        self._weigh(self._pending[-1])
        if len(self._pending) > _PENDING_PACKETS:
            self._hand_over()

    def _weigh(self, read: _Read) -> None:
        """Counts a packet for the limit: as the best so far, or as one that is shown later."""
        if read.packet.is_discard:
            return
        if read.pts > self._limit:
            self._num_later += 1
        elif self._best is None or read.pts > self._best:
            self._best = read.pts

    def _is_settled(self) -> bool:
        """Whether no packet to come can be shown at or before the limit.

        A packet is never shown before its decoding time, and never waits for more than 16
        packets that are shown after it (the most that H.264 and HEVC allow). Packets that an
        edit list hides say nothing here: behind them decoding times may go back.
        """
        if self._is_dts_sound and self._shown_dts is not None and self._shown_dts > self._limit:
            return True
        return self._num_later > self._most_late

    def _settle(self) -> None:
        """Picks the best for the limit and turns to the next."""
        self._picks[self._next] = self._best
        if self._best is not None and self._best not in self._slots:
            self._slots[self._best] = self._next
            self._chosen.add(self._best)
        self._next += 1
        if not self._is_open():
            return
        starts = [
            position
            for position, read in enumerate(self._pending)
            if read.is_start and read.pts <= self._limit
        ]
        if starts and starts[-1] > 0:
            kept = self._pending[starts[-1] :]
            self._end_run()
            self._pending = kept
            self._highest = max(read.pts for read in kept)
        self._num_later = 0
        for read in self._pending:
            self._weigh(read)

    def _settle_rest(self, cut: str) -> None:
        """At the end of the file: the last frame is shown for ever, unless the file is cut.

        Then only what lies before the decoding times read is settled.
        """
        while self._is_open():
            if cut and (self._shown_dts is None or self._shown_dts <= self._limit):
                self._best = None
            self._settle()

    # What to decode.

    def _hand_over(self) -> None:
        """Gives the decoder the packets that no limit to come can ask for."""
        floor = self._best
        count = 0
        for read in self._pending:
            if floor is None or (read.pts >= floor and read.pts not in self._chosen):
                break
            count += 1
        self._put(self._pending[:count])
        self._pending = self._pending[count:]

    def _end_run(self) -> None:
        """Gives the decoder the run up to its last wanted packet, and forgets the rest."""
        wanted = [k for k, read in enumerate(self._pending) if read.pts in self._chosen]
        if wanted:
            self._put(self._pending[: wanted[-1] + 1])
        if self._run is not None:
            self._run.chunks.put(None)
        self._run = None
        self._pending = []
        self._chosen = set()
        self._highest = self._best = self._shown_dts = None
        self._num_later = 0

    def _put(self, reads: list[_Read]) -> None:
        if not reads:
            return
        if self._run is None:
            self._run = self._decoder.start()
        self._run.put(
            [Step(r.packet, r.pts in self._chosen and not r.packet.is_discard) for r in reads]
        )


def rewound(recording: Recording) -> tuple[Iterator[VideoPacket], VideoPacket]:
    """The stream's packets from the very start, and the first of them, already taken.

    Raises:
        UnprovableError: the container does not go back to where it started.
    """
    for target in (_FAR_BACK, recording.stream.start_time or 0):
        try:
            recording.container.seek(target, stream=recording.stream)
            packets = recording.packets()
            first = next(packets, None)
        except (av.FFmpegError, OSError):
            continue
        if first is not None and recording.mark(first) == recording.first_mark:
            return packets, first
    raise UnprovableError
