"""What a packet's first bytes say of where decoding may start, and what it may leave out.

A packet flagged as a keyframe is a place to start only if no later frame shown after it needs
anything from before it. Containers flag more than that (the recovery points of a periodic intra
refresh, for one), so the bitstream itself is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

__all__ = ["can_skip_unreferenced", "is_clean_start", "reorders"]

_H264_IDR, _H264_SEI, _H264_SPS, _H264_PPS = 5, 6, 7, 8
_H264_HIGH_PROFILES = (100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135)
_SEI_RECOVERY_POINT = 6
_HEAD_BYTES = 256
_ESCAPED = bytes((0, 0, 3))


def is_clean_start(codec: str, data: bytes, extradata: bytes) -> bool:
    """Whether every frame from this keyframe on, in presentation order, decodes without the past.

    Args:
        codec: FFmpeg's name of the codec.
        data: the keyframe's packet.
        extradata: the stream's.

    Returns:
        False wherever that is not certain.
    """
    check = _CLEAN_STARTS.get(codec)
    return bool(check and data and check(data, extradata))


def can_skip_unreferenced(codec: str, extradata: bytes) -> bool:
    """Whether frames that no frame refers to can be left undecoded without touching any other.

    So it is in H.264 with progressive frames: `nal_ref_idc` 0 says that nothing of a picture is
    used again. In other codecs a frame that is not referred to may still hand on state.
    """
    if codec != "h264":
        return False
    sets = [nal for nal in _parameter_sets(extradata) if nal and nal[0] & 31 == _H264_SPS]
    return bool(sets) and all(_is_progressive(nal) for nal in sets)


def reorders(codec: str) -> bool:
    """Whether packets may come in another order than their frames are shown."""
    return codec not in ("vp8", "vp9", "av1", "mjpeg")


def _h264(data: bytes, extradata: bytes) -> bool:
    """An IDR picture, or a recovery point that is exact at once.

    Without length prefixes there may be no parameter sets outside the stream, or stale ones,
    so they have to come along.
    """
    nals = list(_nals(data, extradata))
    kinds = {nal[0] & 31 for nal in nals if nal}
    if not _is_prefixed(extradata) and not {_H264_SPS, _H264_PPS} <= kinds:
        return False
    if _H264_IDR in kinds:
        return True
    return any(_is_exact_recovery(nal) for nal in nals if nal and nal[0] & 31 == _H264_SEI)


def _hevc(data: bytes, extradata: bytes) -> bool:
    """A picture of the IRAP types (16 to 21)."""
    nals = list(_nals(data, extradata, hevc=True))
    kinds = {(nal[0] >> 1) & 63 for nal in nals if nal}
    if not _is_prefixed(extradata, hevc=True) and not {32, 33, 34} <= kinds:
        return False
    return any(16 <= kind <= 21 for kind in kinds)


def _vp8(data: bytes, extradata: bytes) -> bool:
    return data[0] & 0b10001 == 0b10000  # key, shown


def _vp9(data: bytes, extradata: bytes) -> bool:
    """Frame marker 2, a profile; not a frame shown again, of type key, shown."""
    bits = _Bits(data[:2])
    if bits.take(2) != 2:
        return False
    low, high = bits.take(1), bits.take(1)
    if low and high:
        bits.take(1)
    return bits.take(3) == 0b001


def _av1(data: bytes, extradata: bytes) -> bool:
    """The temporal unit's first frame is a key frame that is shown at once."""
    position = 0
    while position < len(data):
        header = data[position]
        kind, has_extension, has_size = (header >> 3) & 15, header & 4, header & 2
        position += 2 if has_extension else 1
        size, used = _leb128(data, position) if has_size else (len(data) - position, 0)
        position += used
        if kind in (3, 6):  # frame header, frame
            first = data[position] if position < len(data) else 0xFF
            return first >> 4 == 0b0001  # shown again 0, type 00 (key), shown 1
        position += size
    return False


def _always(data: bytes, extradata: bytes) -> bool:
    return True


_CLEAN_STARTS: dict[str, Callable[[bytes, bytes], bool]] = {
    "h264": _h264,
    "hevc": _hevc,
    "vp8": _vp8,
    "vp9": _vp9,
    "av1": _av1,
    "mjpeg": _always,
    "prores": _always,
    "png": _always,
}


def _is_prefixed(extradata: bytes, *, hevc: bool = False) -> bool:
    """Whether the stream's units carry a length in front (mp4, Matroska), not a start code."""
    return len(extradata) > (22 if hevc else 6) and extradata[0] == 1


def _nals(data: bytes, extradata: bytes, *, hevc: bool = False) -> Iterator[bytes]:
    """The heads of a packet's units."""
    if not _is_prefixed(extradata, hevc=hevc):
        yield from _after_start_codes(data)
        return
    width = (extradata[21 if hevc else 4] & 3) + 1
    position = 0
    while position + width < len(data):
        size = int.from_bytes(data[position : position + width], "big")
        position += width
        yield data[position : position + min(size, _HEAD_BYTES)]
        position += size


def _after_start_codes(data: bytes) -> Iterator[bytes]:
    position = data.find(b"\0\0\1")
    while position >= 0:
        following = data.find(b"\0\0\1", position + 3)
        stop = following if following >= 0 else len(data)
        yield data[position + 3 : min(stop, position + 3 + _HEAD_BYTES)]
        position = following


def _parameter_sets(extradata: bytes) -> Iterator[bytes]:
    """The sequence parameter sets of an H.264 stream's extradata."""
    if not _is_prefixed(extradata):
        yield from _after_start_codes(extradata)
        return
    position = 6
    for _ in range(extradata[5] & 31):
        size = int.from_bytes(extradata[position : position + 2], "big")
        yield extradata[position + 2 : position + 2 + size]
        position += 2 + size


def _is_exact_recovery(nal: bytes) -> bool:
    """Whether an SEI unit holds a recovery point of count 0, exact, link not broken."""
    data = nal[1:].replace(_ESCAPED, b"\0\0")
    position = 0
    while position + 2 <= len(data) and data[position] != 0x80:
        numbers = []
        for _ in range(2):
            value = 0
            while position < len(data) and data[position] == 0xFF:
                value, position = value + 255, position + 1
            if position >= len(data):
                return False
            numbers.append(value + data[position])
            position += 1
        kind, size = numbers
        if kind == _SEI_RECOVERY_POINT:
            bits = _Bits(data[position : position + size])
            return bits.unsigned() == 0 and bits.take(1) == 1 and bits.take(1) == 0
        position += size
    return False


def _is_progressive(nal: bytes) -> bool:
    """Whether a sequence parameter set allows whole frames only (ISO/IEC 14496-10, 7.3.2.1.1)."""
    data = nal[1:].replace(_ESCAPED, b"\0\0")
    bits = _Bits(data)
    profile = bits.take(8)
    bits.take(16)
    bits.unsigned()
    if profile in _H264_HIGH_PROFILES:
        _pass_chroma(bits)
    bits.unsigned()
    order = bits.unsigned()
    if order == 0:
        bits.unsigned()
    elif order == 1:
        bits.take(1)
        bits.unsigned()
        bits.unsigned()
        for _ in range(min(bits.unsigned(), 255)):
            bits.unsigned()
    bits.unsigned()
    bits.take(1)
    bits.unsigned()
    bits.unsigned()
    return bits.take(1) == 1


def _pass_chroma(bits: _Bits) -> None:
    """Reads over what high profiles put in front: chroma format, depths, scaling lists."""
    chroma = bits.unsigned()
    if chroma == 3:
        bits.take(1)
    bits.unsigned()
    bits.unsigned()
    bits.take(1)
    if not bits.take(1):
        return
    for index in range(12 if chroma == 3 else 8):
        if bits.take(1):
            last = following = 8
            for _ in range(16 if index < 6 else 64):
                if following:
                    following = (last + bits.signed()) % 256
                last = following or last


def _leb128(data: bytes, position: int) -> tuple[int, int]:
    """(value, bytes used) of a little-endian base-128 number."""
    value = 0
    for used in range(8):
        if position + used >= len(data):
            break
        byte = data[position + used]
        value |= (byte & 127) << (7 * used)
        if not byte & 128:
            return value, used + 1
    return len(data), 8


class _Bits:
    """Bits read from the left; zeros behind the end."""

    def __init__(self, data: bytes) -> None:
        self._value = int.from_bytes(data, "big")
        self._left = 8 * len(data)

    def take(self, count: int) -> int:
        """The next `count` bits as a number."""
        self._left -= count
        if self._left < 0:
            return 0
        return (self._value >> self._left) & ((1 << count) - 1)

    def unsigned(self) -> int:
        """An Exp-Golomb number."""
        zeros = 0
        while self._left > 0 and not self.take(1):
            zeros += 1
        return (1 << zeros) - 1 + (self.take(zeros) if zeros else 0)

    def signed(self) -> int:
        """A signed Exp-Golomb number."""
        value = self.unsigned()
        return (value + 1) // 2 if value % 2 else -(value // 2)
