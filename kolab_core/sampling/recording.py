"""A recording that is open for sampling: its video stream, its time zero, its size and turn."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import av
from av.container import InputContainer
from av.packet import Packet
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from kolab_core.sampling.bitstream import is_clean_start
from kolab_core.sampling.errors import ClipError, told_as_clip_error
from kolab_core.sampling.frames import RecordingInfo
from kolab_core.sampling.index import Index, index_of
from kolab_core.sampling.older_av import (
    container_start,
    new_extradata,
    packets_of,
    skip_stream,
    starts_at,
)
from kolab_core.sampling.picture import Orientation, orientation_of
from kolab_core.sampling.ranges import RangeReader
from kolab_core.sampling.sought_index import SoughtIndex
from kolab_core.sampling.source import Source, opened, source_name
from kolab_core.sampling.times import first_tick, last_tick

__all__ = ["Recording", "VideoPacket", "open_recording", "probe"]


Mark: TypeAlias = "tuple[int | None, int | None, int]"
VideoPacket: TypeAlias = "Packet[VideoStream]"


@dataclass(frozen=True)
class Recording:
    """An open recording.

    Attributes:
        name: how messages call it.
        container: PyAV's container.
        stream: its video stream.
        reader: what fetches its bytes, if it is remote.
        time_base: seconds a tick.
        zero: the container's time of the recording's zero, seconds.
        first_pts: ticks, of the first frame shown.
        width: pixels, as stored.
        height: pixels, as stored.
        orientation: how its frames are turned to stand upright.
        codec: FFmpeg's name of the codec.
        extradata: what the container holds for its decoder.
        index: where its packets are, as far as the container says.
        first_mark: what the very first packet is known by.
        may_change_decoder: whether a packet may bring the decoder another set-up unsaid.
    """

    name: str
    container: InputContainer
    stream: VideoStream
    reader: RangeReader | None
    time_base: Fraction
    zero: Fraction
    first_pts: int
    width: int
    height: int
    orientation: Orientation
    codec: str
    extradata: bytes
    index: Index | SoughtIndex
    first_mark: Mark
    may_change_decoder: bool

    def packets(self) -> Iterator[VideoPacket]:
        """The video's packets from the container's position on."""
        return packets_of(self.container, self.stream)

    @staticmethod
    def mark(packet: VideoPacket) -> Mark:
        """What a packet is known by."""
        return packet.pts, packet.dts, packet.size

    def changes_decoder(self, packet: VideoPacket) -> bool:
        """Whether a packet brings a set-up for the decoder other than the container's."""
        return self.may_change_decoder or new_extradata(packet) not in (None, self.extradata)

    def first_tick(self, time: float) -> int:
        """The smallest timestamp at or behind recording second `time`."""
        return first_tick(time, zero=self.zero, time_base=self.time_base)

    def last_tick(self, time: float) -> int:
        """The largest timestamp shown at or before recording second `time`."""
        return last_tick(time, zero=self.zero, time_base=self.time_base)

    def seconds(self, pts: int) -> float:
        """The recording second of a timestamp, the nearest float64."""
        return float(pts * self.time_base - self.zero)


def probe(source: Source) -> RecordingInfo:
    """What a recording says of itself; decodes its first frame, reads no further.

    Args:
        source: a local path, anything fsspec opens, bytes, or a binary file object.

    Raises:
        ClipError: missing, empty or undecodable file.
    """
    with open_recording(source, time=0.0) as recording:
        stream, orientation = recording.stream, recording.orientation
        width, height = orientation.displayed(recording.width, recording.height)
        rate = stream.average_rate
        return RecordingInfo(
            width=width,
            height=height,
            duration_s=_duration(recording),
            codec=recording.codec,
            start_s=float(recording.zero),
            first_frame_s=recording.seconds(recording.first_pts),
            rotation=orientation.rotation,
            average_fps=float(rate) if rate else None,
            has_audio=bool(recording.container.streams.audio),
        )


@contextmanager
def open_recording(source: Source, *, time: float) -> Iterator[Recording]:
    """The recording, open, its stream rewound to the start.

    Args:
        source: as for `probe`.
        time: seconds, named in errors: what the caller is looking for.

    Raises:
        ClipError: missing, empty or undecodable file; and whatever goes wrong in the body.
    """
    name = source_name(source)
    with told_as_clip_error(name, time), opened(source) as file:
        container = file.container
        if not container.streams.video:
            raise ClipError(name, time, "no video stream in the file")
        stream = container.streams.video[0]
        if not getattr(stream, "codec_context", None):
            raise ClipError(name, time, "no decoder for the video's codec")
        stream.codec_context.thread_count = 1
        for other in container.streams:
            if other is not stream:
                skip_stream(other)
        first, frame = _first_frame(container, stream)
        if first is None or frame is None or frame.pts is None or stream.time_base is None:
            raise ClipError(name, time, "no video frame can be decoded")
        # PyAV 19 has a rational of its own, without the operators of a Fraction.
        time_base = Fraction(stream.time_base.numerator, stream.time_base.denominator)
        if file.reader is not None:
            start = first.pos or 0
            file.reader.keep_only(start, start + first.size)
        yield Recording(
            name=name,
            container=container,
            stream=stream,
            reader=file.reader,
            time_base=time_base,
            zero=_zero(container, frame.pts * time_base),
            first_pts=frame.pts,
            width=frame.width,
            height=frame.height,
            orientation=orientation_of(frame),
            codec=stream.codec_context.codec.canonical_name,
            extradata=stream.codec_context.extradata or b"",
            index=index_of(
                container, stream, first=first, reader=file.reader, is_short=file.is_short
            ),
            may_change_decoder=file.may_change_decoder,
            first_mark=Recording.mark(first),
        )


def _first_frame(
    container: InputContainer, stream: VideoStream
) -> tuple[VideoPacket | None, VideoFrame | None]:
    """The first packet, and the first frame that decoding from the start gives.

    In H.264 nothing is shown before the picture that decoding starts at, so its frame need not
    wait for those that could come before it in other streams.
    """
    decoder, first = stream.codec_context, None
    for packet in container.demux(stream):
        frames = packet.decode()
        if first is None and not frames and not packet.is_discard and packet.is_keyframe:
            codec, extradata = decoder.codec.canonical_name, decoder.extradata or b""
            if codec == "h264" and is_clean_start(codec, bytes(packet), extradata):
                frames = decoder.decode(None)
                decoder.flush_buffers()
        first = first or packet
        for frame in frames:
            if frame.pts is not None:
                return first, frame
    return first, None


def _zero(container: InputContainer, first: Fraction) -> Fraction:
    """Time zero: the first frame, or an audio stream's start in [0, first frame).

    A negative audio start is the priming of its codec, which no player shows.
    """
    starts = [
        start * audio.time_base
        for audio in container.streams.audio
        if (start := starts_at(audio)) is not None and audio.time_base is not None
    ]
    return min([first, *(start for start in starts if 0 <= start < first)])


def _duration(recording: Recording) -> float | None:
    """Seconds from zero to the end of the video, or of the file, as the container says."""
    stream, container = recording.stream, recording.container
    if stream.duration is not None:
        start = stream.start_time if stream.start_time is not None else recording.first_pts
        end = (start + stream.duration) * recording.time_base
    elif container.duration is not None:
        end = container_start(container) + Fraction(container.duration, av.time_base)
    else:
        return None
    return max(0.0, float(end - recording.zero))
