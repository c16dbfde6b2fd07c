"""What a container knows beforehand of where its packets are."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from av.container import InputContainer
from av.packet import Packet
from av.video.stream import VideoStream

from kolab_core.sampling.older_av import shows_index
from kolab_core.sampling.ranges import RangeReader
from kolab_core.sampling.sought_index import SoughtIndex

__all__ = ["Index", "index_of"]

_TRUE_DTS = {"mp4", "mpegts", "flv"}
_SHORT_SEEK_BYTES = 48 << 10
_FAR_BACK = -(1 << 40)


class Index:
    """The seeking side of an open stream.

    mp4 and its kin list every packet by decoding time; Matroska lists keyframes by presentation
    time, once the first seek has read its cues. Other containers are read from the start on.

    Args:
        container: the open container.
        stream: its video stream.
        first: its first packet; keyframes are taken to be shown as long after their decoding
            time as that one.
        reader: what fetches the container's bytes, if it is remote.
        is_short: whether the file is shorter than it says.
    """

    def __init__(
        self,
        container: InputContainer,
        stream: VideoStream,
        *,
        first: Packet[VideoStream],
        reader: RangeReader | None,
        is_short: bool,
    ) -> None:
        names = set(container.format.name.split(","))
        self._container, self._stream = container, stream
        self._entries = stream.index_entries
        self._delay = _delay(first)
        self._reader = reader
        self._is_short = is_short
        self._lists_packets = "mp4" in names and len(self._entries) > 0
        self.can_seek = self._lists_packets or "matroska" in names
        self.has_true_dts = bool(names & _TRUE_DTS)

    def look_ahead(self, limits: Sequence[int]) -> None:
        """Nothing: the index says where keyframes are."""

    def starts_later(self, limit: int, last_dts: int | None) -> bool:
        """Whether a keyframe at or before `limit` lies behind what was read up to `last_dts`."""
        if not self.can_seek or last_dts is None:
            return self.can_seek
        position = self._entries.search_timestamp(self._keyframe_time(limit))
        return position >= 0 and self._entries[position].timestamp > last_dts

    def plan(self, limit: int, *, is_key_only: bool = False) -> None:
        """Tells the reader, after a seek, which bytes the frame at `limit` will take.

        In mp4 they are known; in Matroska they are taken to grow evenly from the keyframe
        before the limit to the one behind it.

        Args:
            limit: ticks.
            is_key_only: whether the keyframe is all that is wanted.
        """
        if self._reader is None:
            return
        first = self._entries.search_timestamp(self._keyframe_time(limit))
        if first < 0:
            return
        key = self._entries[first]
        if self._lists_packets:
            last = self._entries.search_timestamp(limit, any_frame=True)
            last = first if is_key_only else min(last + 1, len(self._entries) - 1)
            ends = [
                entry.pos + entry.size for entry in self._entries[max(first, last - 16) : last + 1]
            ]
            self._reader.plan(key.pos, max(ends, default=key.pos))
        elif first + 1 < len(self._entries) and not is_key_only:
            following = self._entries[first + 1]
            share = Fraction(limit - key.timestamp, max(1, following.timestamp - key.timestamp))
            self._reader.plan(key.pos, key.pos + int(share * (following.pos - key.pos)))

    def leave(self, limit: int) -> None:
        """Goes back to the first packet, whose bytes are at hand, before a short way forward.

        FFmpeg does not seek over less than 32 KiB, but reads them: over a network that would
        fetch what nobody wants.
        """
        if self._reader is None or not len(self._entries):
            return
        position = self._entries.search_timestamp(self._keyframe_time(limit))
        if position <= 0:
            return
        gap = self._entries[position].pos - self._reader.tell()
        if 0 < gap < _SHORT_SEEK_BYTES:
            self._container.seek(_FAR_BACK, stream=self._stream)
            next(self._container.demux(self._stream), None)

    def next_keyframe_is_after(self, limit: int, dts: int | None) -> bool:
        """Whether the index shows that no keyframe behind the one at `dts` is shown by `limit`."""
        if not self._lists_packets or dts is None:
            return False
        position = self._entries.search_timestamp(dts + 1, backward=False)
        return position < 0 or self._entries[position].timestamp > limit

    def ends_after(self, last_dts: int | None) -> bool:
        """Whether the file goes on behind the last packet read, by its index or its stated size."""
        if not self._lists_packets:
            return self._is_short
        return last_dts is None or self._entries[-1].timestamp > last_dts

    def _keyframe_time(self, limit: int) -> int:
        """The index's time up to which keyframes are surely shown by `limit`."""
        return limit - self._delay if self._lists_packets else limit


def index_of(
    container: InputContainer,
    stream: VideoStream,
    *,
    first: Packet[VideoStream],
    reader: RangeReader | None,
    is_short: bool,
) -> Index | SoughtIndex:
    """The stream's index as PyAV shows it, or else asked by seeking; arguments as for `Index`."""
    if shows_index():
        return Index(container, stream, first=first, reader=reader, is_short=is_short)
    true_dts = bool(_TRUE_DTS & set(container.format.name.split(",")))
    return SoughtIndex(
        container,
        stream,
        first=first,
        is_remote=reader is not None,
        is_short=is_short,
        true_dts=true_dts,
    )


def _delay(packet: Packet[VideoStream]) -> int:
    """Ticks between a packet's decoding and its presentation."""
    if packet.pts is None or packet.dts is None:
        return 0
    return max(0, packet.pts - packet.dts)
