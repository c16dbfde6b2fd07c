"""The keyframe at or before a time: one picture to decode instead of a run of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import av
from av.video.frame import VideoFrame

from kolab_core.sampling.bitstream import is_clean_start, reorders
from kolab_core.sampling.errors import CUT_SHORT, ClipError
from kolab_core.sampling.linear import decode_in_order
from kolab_core.sampling.recording import Recording, VideoPacket
from kolab_core.sampling.runs import RunDecoder, Step
from kolab_core.sampling.sink import Place, Sink, Told
from kolab_core.sampling.source import Source, opened

__all__ = ["Snap", "fill_keyframes"]

_BATCH = 64
_MOST_REORDERED = 16
_NEVER = 1 << 62


@dataclass(frozen=True)
class Snap:
    """A target to be snapped.

    Attributes:
        limit: ticks; the keyframe is the last one up to it.
        low: ticks; the first that lies inside the target's interval.
        high: ticks; the first behind the interval; without one no later keyframe will do.
        place: where the frame goes.
        asked: the seconds it stands for, named in errors.
    """

    limit: int
    place: Place
    asked: float
    low: int = -_NEVER
    high: int = -_NEVER


@dataclass
class _Choice:
    """The keyframes that come into question for a snap, while packets are read.

    Attributes:
        before: timestamp of the last one at or before the limit.
        behind: timestamp of the first one behind it, inside the interval.
    """

    snap: Snap
    before: int | None = None
    behind: int | None = None

    def weigh(self, pts: int) -> None:
        """Takes a shown keyframe into account."""
        if pts <= self.snap.limit:
            self.before = pts if self.before is None else max(self.before, pts)
        elif pts < self.snap.high:
            self.behind = pts if self.behind is None else min(self.behind, pts)

    @property
    def is_inside(self) -> bool:
        """Whether the one before lies inside the interval, so that none behind is needed."""
        return self.before is not None and self.before >= self.snap.low

    @property
    def pts(self) -> int | None:
        """The keyframe chosen."""
        if self.is_inside or self.behind is None:
            return self.before
        return self.behind


def fill_keyframes(
    source: Source,
    recording: Recording,
    snaps: Sequence[Snap],
    *,
    workers: int,
    told: Told | None = None,
) -> None:
    """Fills each snap's place with its keyframe; where there is none, with the frame shown.

    Args:
        source: for opening anew where the container cannot seek.
        recording: the same, open.
        snaps: in any order.
        workers: decoders at a time.
        told: called with the places filled, from any thread.

    Raises:
        ClipError: a frame that the file does not give.
    """
    ordered = sorted(snaps, key=lambda snap: snap.limit)
    for start in range(0, len(ordered), _BATCH):
        batch = ordered[start : start + _BATCH]
        packets = _sought(recording, batch) or _scanned(source, recording, batch)
        by_pts: dict[int, list[Snap]] = {}
        for snap, packet in zip(batch, packets, strict=True):
            pts = snap.limit if packet is None or packet.pts is None else packet.pts
            by_pts.setdefault(pts, []).append(snap)
        asked = {pts: min(snap.asked for snap in by_pts[pts]) for pts in sorted(by_pts)}
        sink = Sink(recording, [[snap.place for snap in by_pts[pts]] for pts in asked], told=told)
        _decode(source, recording, packets, asked=asked, sink=sink, workers=workers)


def _decode(
    source: Source,
    recording: Recording,
    packets: Iterable[VideoPacket | None],
    *,
    asked: dict[int, float],
    sink: Sink,
    workers: int,
) -> None:
    """Decodes each keyframe alone; what does not come that way, in order from the start."""
    slots = {pts: position for position, pts in enumerate(asked)}
    left = set(asked)

    def deliver(pts: int, frame: VideoFrame) -> None:
        sink.put(slots[pts], frame)

    with RunDecoder(recording.stream, workers=workers, deliver=deliver) as decoder:
        for packet in packets:
            if packet is None or packet.pts not in left or not _stands_alone(recording, packet):
                continue
            left.discard(packet.pts)
            run = decoder.start()
            run.put([Step(packet, True)])
            run.chunks.put(None)
        left |= decoder.finish().missing
    if left:
        rest = sorted(left)
        decode_in_order(
            source,
            rest,
            put=lambda position, frame: sink.put(slots[rest[position]], frame),
            asked=[asked[pts] for pts in rest],
        )


def _stands_alone(recording: Recording, packet: VideoPacket) -> bool:
    return is_clean_start(recording.codec, bytes(packet), recording.extradata)


def _sought(recording: Recording, batch: Sequence[Snap]) -> Sequence[VideoPacket | None] | None:
    """The snaps' keyframes by seeking; None where the container does not lead to them."""
    if not recording.index.can_seek:
        return None
    found = []
    for snap in batch:
        try:
            recording.index.leave(snap.limit)
            recording.container.seek(snap.limit, stream=recording.stream)
            recording.index.plan(snap.limit, is_key_only=True)
            packets = recording.packets()
            first = next(packets, None)
            if first is None:
                _check_whole(recording, snap, None)
            if first is None or first.pts is None or first.pts > snap.limit:
                return None
            packet = _chosen(recording, snap, first, packets)
        except (av.FFmpegError, OSError):
            return None
        if packet is None:
            return None
        found.append(packet)
    return found


def _chosen(
    recording: Recording, snap: Snap, first: VideoPacket, packets: Iterator[VideoPacket]
) -> VideoPacket | None:
    """The snap's keyframe among the packets from a keyframe before its limit on."""
    will_do = not first.is_discard and (first.pts or 0) >= snap.low
    if will_do and recording.index.next_keyframe_is_after(snap.limit, first.dts):
        return first
    choice = _Choice(snap)
    kept: dict[int, VideoPacket] = {}
    ahead = _Ahead(recording)
    for packet in chain([first], packets):
        if _is_shown_keyframe(packet):
            choice.weigh(packet.pts or 0)
            kept[packet.pts or 0] = packet
        is_enough = choice.is_inside or choice.behind is not None
        wanted = snap.limit if is_enough else max(snap.limit, snap.high)
        if ahead.is_past(packet, wanted):
            break
    else:
        if ahead.last_dts is None or ahead.last_dts <= snap.limit:
            _check_whole(recording, snap, ahead.last_dts)
    return None if choice.pts is None else kept[choice.pts]


def _check_whole(recording: Recording, snap: Snap, last_dts: int | None) -> None:
    """Raises a ClipError if packets are missing behind the last one read."""
    if recording.index.ends_after(last_dts):
        raise ClipError(recording.name, snap.asked, CUT_SHORT)


class _Ahead:
    """Tells when no packet to come can be shown at or before a limit."""

    def __init__(self, recording: Recording) -> None:
        self._has_true_dts = recording.index.has_true_dts
        self._most_late = _MOST_REORDERED if reorders(recording.codec) else 0
        self._later: list[int] = []
        self.last_dts: int | None = None

    def is_past(self, packet: VideoPacket, limit: int) -> bool:
        """Takes the next packet into account."""
        self.last_dts = packet.dts
        if packet.is_discard or packet.pts is None:
            return False
        if self._has_true_dts and packet.dts is not None and packet.pts >= packet.dts > limit:
            return True
        self._later = [pts for pts in self._later if pts > limit]
        if packet.pts > limit:
            self._later.append(packet.pts)
        return len(self._later) > self._most_late


def _scanned(
    source: Source, recording: Recording, batch: Sequence[Snap]
) -> list[VideoPacket | None]:
    """The snaps' keyframes by reading all packets, twice: for the times, then for the packets."""
    choices = [_Choice(snap) for snap in batch]
    highest, last_dts = recording.first_pts, None
    for packet in _packets(source):
        last_dts = packet.dts
        highest = max(highest, packet.pts or highest)
        if _is_shown_keyframe(packet):
            for choice in choices:
                choice.weigh(packet.pts or 0)
    if batch[-1].limit > highest:
        _check_whole(recording, batch[-1], last_dts)
    wanted = {choice.pts for choice in choices}
    kept = {p.pts: p for p in _packets(source) if p.pts in wanted and _is_shown_keyframe(p)}
    return [kept.get(choice.pts) for choice in choices]


def _is_shown_keyframe(packet: VideoPacket) -> bool:
    return packet.is_keyframe and not packet.is_discard and packet.pts is not None


def _packets(source: Source) -> Iterator[VideoPacket]:
    """All packets of a recording in file order, as far as it can be read."""
    with opened(source) as file:
        try:
            for packet in file.container.demux(file.container.streams.video[0]):
                if packet.size:
                    yield packet
        except (av.FFmpegError, OSError):
            return
