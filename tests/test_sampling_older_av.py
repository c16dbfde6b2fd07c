"""What an older PyAV lacks is taken from the newest, and the frames stay the same."""

import io
import struct

import av
import media
import numpy as np
import pytest

from kolab_core.clip import Clip
from kolab_core.sampling import (
    ClipError,
    centre_times,
    index,
    older_av,
    probe,
    sample_times,
    source,
)
from kolab_core.sampling.sought_index import SoughtIndex

SOUND = media.Kind("sound", options={"g": "12"}, audio=("aac", 0.0, 2.0))
LONG = {"pts": range(400), "options": {"g": "40"}}
KINDS = [
    *(kind for kind in media.available() if kind.suffix in (".mp4", ".mkv", ".webm")),
    media.Kind("long_with_sound", **LONG, audio=("aac", 0.0, 13.3), finish=media.index_first),
    media.Kind(
        "fragments_with_sound",
        **LONG,
        audio=("aac", 0.0, 13.3),
        muxer={"movflags": "frag_keyframe+empty_moov"},
    ),
]
CUT = [kind for kind in KINDS if kind.name in ("long_with_sound", "fragments_with_sound", "vp9")]


@pytest.fixture
def older(monkeypatch):
    """Turns PyAV into an older one, as far as sampling can tell, for what is called with it."""

    def called(function, *args, **kwargs):
        with monkeypatch.context() as patch:
            patch.setattr(index, "shows_index", lambda: False)
            patch.setattr(older_av, "_can_skip", lambda: False)
            patch.setattr(source, "shows_extradata", lambda: False)
            patch.setattr(older_av, "shows_extradata", lambda: False)
            return function(*args, **kwargs)

    return called


def outcome(path, times, **options):
    """The frames' times and images, or what is wrong."""
    try:
        frames = sample_times(path, times, **options)
    except ClipError as err:
        return str(err)
    return frames.times.tolist(), frames.images.tobytes()


def asked_of(path):
    """Times and options to sample a file with."""
    end = probe(path).duration_s or 2.0
    rng = np.random.default_rng(3)
    inside = [(0.3 * end, 0.6 * end)]
    some = [np.round(rng.uniform(-0.1, end + 0.2, size=count), 3) for count in (1, 1, 3, 8, 40)]
    exact = [(times, {}) for times in some]
    keys = [(times, {"exact": False}) for times in some]
    return [*exact, *keys, (centre_times(inside, 8), {"exact": False, "intervals": inside})]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_frames_are_those_that_the_index_leads_to(kind, older, tmp_path):
    path = media.write(kind, tmp_path / f"recording{kind.suffix}")
    for times, options in asked_of(path):
        assert older(outcome, path, times, **options) == outcome(path, times, **options)


@pytest.mark.parametrize("kind", CUT, ids=lambda kind: kind.name)
def test_cut_file_gives_the_same_frames_and_errors(kind, older, tmp_path):
    data = media.write(kind, tmp_path / f"whole{kind.suffix}").read_bytes()
    asked = asked_of(tmp_path / f"whole{kind.suffix}")
    path = tmp_path / f"cut{kind.suffix}"
    for part in range(3, 12, 2):
        path.write_bytes(data[: len(data) * part // 12 + part])
        for times, options in asked:
            assert older(outcome, path, times, **options) == outcome(path, times, **options)


def test_reading_frame_by_frame_gives_the_same_file(older, tmp_path):
    clip = Clip(media.write(SOUND, tmp_path / "sound.mp4"), [(0.3, 1.4)])
    saved = [clip.save(tmp_path / "a.mp4"), older(clip.save, tmp_path / "b.mp4")]
    assert saved[0].read_bytes() == saved[1].read_bytes()


def test_a_group_of_pictures_is_sought_once(older, tmp_path, monkeypatch):
    path = media.write(media.Kind("long", **LONG), tmp_path / "long.mp4")
    later = []
    real = SoughtIndex.starts_later

    def noted(self, limit, last_dts):
        later.append(real(self, limit, last_dts))
        return later[-1]

    monkeypatch.setattr(SoughtIndex, "starts_later", noted)
    older(sample_times, path, [0.1, 0.5, 5.0, 5.2, 9.0])
    assert later == [False, True, False, True]


def box(name, *contents):
    body = b"".join(contents)
    return struct.pack(">I4s", 8 + len(body), name) + body


def described(*counts):
    """An mp4 whose tracks describe so many kinds of sample each."""
    tables = [box(b"stsd", struct.pack(">II", 0, count), bytes(16)) for count in counts]
    tracks = [
        box(b"trak", box(b"tkhd", bytes(84)), box(b"mdia", box(b"minf", box(b"stbl", table))))
        for table in tables
    ]
    media_data = struct.pack(">I4sQ", 1, b"mdat", 16 + 40) + bytes(40)
    return box(b"ftyp", b"isom", bytes(4)) + media_data + box(b"moov", *tracks)


@pytest.mark.parametrize(
    ("data", "may_change"),
    [
        (described(1), False),
        (described(1, 1), False),
        (described(2), True),
        (described(1, 2), True),
        (described(2)[:120], False),
        (b"FLV\1" + bytes(300), True),
        (b"\x1a\x45\xdf\xa3" + bytes(300), False),
        (b"", False),
    ],
    ids=["one", "two tracks", "two", "second track", "cut", "flv", "matroska", "empty"],
)
def test_container_that_may_change_the_decoder_is_told(data, may_change):
    file = io.BytesIO(data)
    assert older_av.may_change_decoder(file, data[:256]) is may_change
    assert file.tell() == 0


def test_file_that_may_change_the_decoder_is_decoded_in_order(older, tmp_path, monkeypatch):
    path = media.write(SOUND, tmp_path / "sound.mp4")
    expected = outcome(path, [0.1, 1.5])
    monkeypatch.setattr(source, "may_change_decoder", lambda file, head: True)
    assert older(outcome, path, [0.1, 1.5]) == expected


def test_stated_colours_of_an_older_pyav_name_the_frames_matrix(monkeypatch):
    monkeypatch.setattr(older_av, "one_thread", dict)
    frame = av.VideoFrame(16, 16, "yuv420p")
    assert older_av.stated_colours(frame) == {}
    frame.colorspace = 1
    assert older_av.stated_colours(frame)["src_colorspace"] == 1
    frame.colorspace, frame.color_range = 5, 2
    assert older_av.stated_colours(frame)["src_color_range"] == 2
