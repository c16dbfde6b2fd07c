"""A container's index asked by seeking, for a PyAV that doesn't show it."""

from __future__ import annotations

from collections.abc import Sequence

import av
from av.container import InputContainer
from av.packet import Packet
from av.video.stream import VideoStream

from kolab_core.sampling.older_av import packets_of

__all__ = ["SoughtIndex"]

_FAR_AWAY = 1 << 40


class SoughtIndex:
    """As `Index`, for a stream without `index_entries`.

    It costs a seek and a packet for each frame wanted, and on remote files the bytes of that
    packet; what the index says of bytes is not known.

    Args:
        container: the open container.
        stream: its video stream.
        first: its first packet, as for `Index`.
        is_remote: whether each byte that is read has to be fetched.
        is_short: whether the file is shorter than it says.
        true_dts: whether its packets' decoding times are true.
    """

    def __init__(
        self,
        container: InputContainer,
        stream: VideoStream,
        *,
        first: Packet[VideoStream],
        is_remote: bool,
        is_short: bool,
        true_dts: bool,
    ) -> None:
        names = set(container.format.name.split(","))
        self._container, self._stream = container, stream
        self._is_remote, self._is_short = is_remote, is_short
        self._lists_packets = "mp4" in names
        self._delay = max(0, (first.pts or 0) - (first.dts or first.pts or 0))
        self._starts: dict[int, int] = {}
        self.can_seek = self._lists_packets or "matroska" in names
        self.has_true_dts = true_dts

    def look_ahead(self, limits: Sequence[int]) -> None:
        """Learns where seeking to each of the limits leads; leaves the container anywhere."""
        for limit in limits if self.can_seek else ():
            first = self._first_behind(limit)
            if first is None or first.pts is None or first.pts > limit:
                continue
            time = first.dts if self._lists_packets else first.pts
            if time is not None:
                self._starts[limit] = time

    def starts_later(self, limit: int, last_dts: int | None) -> bool:
        """As `Index.starts_later`, of limits that were looked ahead to."""
        if not self.can_seek or last_dts is None:
            return self.can_seek
        return self._starts.get(limit, last_dts) > last_dts

    def plan(self, limit: int, *, is_key_only: bool = False) -> None:
        """Nothing: which bytes the frame will take is not known."""

    def leave(self, limit: int) -> None:
        """As `Index.leave`, however far the way forward is."""
        if self._is_remote:
            self._container.seek(-_FAR_AWAY, stream=self._stream)
            next(self._container.demux(self._stream), None)

    def next_keyframe_is_after(self, limit: int, dts: int | None) -> bool:
        """As `Index.next_keyframe_is_after`, behind a seek to `limit` that led to `dts`."""
        if not self._lists_packets or dts is None:
            return False
        try:
            self.leave(limit)
            self._container.seek(limit + 1, backward=False, stream=self._stream)
        except av.FFmpegError:
            return True
        following = self._next()
        if following is None:  # the file is cut before it
            before = self._first_behind(limit + self._delay)
            is_after = before is not None and before.dts == dts
        else:
            is_after = following.dts is not None and following.dts > limit
        if not is_after:
            self._first_behind(limit)  # where the caller goes on reading
        return is_after

    def ends_after(self, last_dts: int | None) -> bool:
        """As `Index.ends_after`; the last packet listed is there if it can be read."""
        if not self._lists_packets:
            return self._is_short
        last = self._first_behind(_FAR_AWAY, any_frame=True)
        if last is None or last.is_corrupt or last_dts is None:
            return True
        return last.dts is not None and last.dts > last_dts

    def _first_behind(self, time: int, *, any_frame: bool = False) -> Packet[VideoStream] | None:
        """The first packet behind a seek, or None if there is none or it can't be read."""
        try:
            self.leave(time)
            self._container.seek(time, stream=self._stream, any_frame=any_frame)
        except (av.FFmpegError, OSError):
            return None
        return self._next()

    def _next(self) -> Packet[VideoStream] | None:
        try:
            return next(packets_of(self._container, self._stream), None)
        except (av.FFmpegError, OSError):
            return None
