"""Every frame that sampling gives, against a decoding of the whole file."""

from __future__ import annotations

import bisect
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
import media
import numpy as np
import pytest

from kolab_core.sampling import centre_times, even_size, probe, sample_times
from kolab_core.sampling import sample as sample_module
from kolab_core.sampling.older_av import shows_extradata, starts_at

KINDS = media.available()
SHARED = Path(__file__).parents[2] / "shared" / "recordings"
RECORDINGS = sorted(p for p in SHARED.glob("*") if p.suffix in (".mp4", ".mov", ".webm"))
UPRIGHT = {
    "turned_90": lambda image: np.rot90(image, k=3),
    "turned_180": lambda image: np.rot90(image, k=2),
    "turned_270": lambda image: np.rot90(image, k=1),
    "mirrored": lambda image: image[:, ::-1],
}
# Decoding in order is right for every stream, and slow: these kinds alone may need it, since
# their packets do not tell which frames a decoder gives (or, for a target at the very start).
IN_ORDER = {"mpegts_open_groups_cut", "negative_start_mkv", "two_edits", "x264_intra_refresh"}
if not shows_extradata():  # an older PyAV does not show whether their set-up changes
    IN_ORDER |= {"flv", "nut"}


@dataclass(frozen=True)
class Linear:
    """What decoding the whole file gives: ticks and images in order of presentation."""

    pts: list[int]
    images: list[np.ndarray]
    keys: list[int]
    zero: Fraction
    time_base: Fraction

    def seconds(self, pts):
        return float(pts * self.time_base - self.zero)

    def shown_at(self, time):
        """The position of the last frame that starts at or before `time`, by exact comparison
        (a nanosecond is granted: `time` is the float64 of a fraction)."""
        limit = Fraction(time) + Fraction(1, 10**9)
        starts = [pts * self.time_base - self.zero for pts in self.pts]
        return max(0, bisect.bisect_right(starts, limit) - 1)


def decode_all(path, convert):
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        frames = [(frame.pts, convert(frame)) for frame in container.decode(stream)]
        frames.sort(key=lambda one: one[0])  # stable: of equal timestamps the last decoded is last
        zero = frames[0][0] * stream.time_base
        sounds = [starts_at(sound) * sound.time_base for sound in container.streams.audio]
        zero = min([zero, *(start for start in sounds if 0 <= start < zero)])
        time_base = stream.time_base
    with av.open(str(path)) as container:
        shown = {pts for pts, _ in frames}
        keys = sorted(
            packet.pts
            for packet in container.demux(container.streams.video[0])
            if packet.is_keyframe and not packet.is_discard and packet.pts in shown
        )
    images = [image for _, image in frames]
    return Linear([pts for pts, _ in frames], images, keys, zero, time_base)


def targets_of(linear, rng, count):
    """Each frame's time, one tick before and behind it, times outside, whole milliseconds."""
    last = linear.seconds(linear.pts[-1])
    times = [linear.seconds(pts + step) for pts in linear.pts for step in (-1, 0, 1)]
    times += [-1.0, 0.0, last + 0.01, last + 100]
    times += [round(float(t), 3) for t in rng.uniform(-0.1, last + 0.2, size=100)]
    return [times[i] for i in rng.permutation(len(times))[:count]]


def assert_same(frames, times, linear):
    assert len(frames) == len(times) > 0
    for index, time in enumerate(times):
        position = linear.shown_at(time)
        assert frames.times[index] == pytest.approx(linear.seconds(linear.pts[position]), abs=1e-9)
        np.testing.assert_array_equal(frames.images[index], linear.images[position])


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("media")

    def make(kind):
        path = folder / (kind.name + kind.suffix)
        return path if path.exists() else media.write(kind, path)

    return make


def native(kind):
    upright = UPRIGHT.get(kind.name, lambda image: image)
    return lambda frame: upright(media.rgb(frame))


def test_media_covers_the_codecs_of_screen_recordings():
    codecs = {kind.codec for kind in KINDS}
    assert {"libx264", "libvpx", "libvpx-vp9"} <= codecs
    assert len(KINDS) > 40


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_sample_times_any_stream_equals_decoding_all_of_it(kind, made, monkeypatch):
    path = made(kind)
    linear = decode_all(path, native(kind))
    in_order = []
    real = sample_module.decode_in_order

    def counted(*args, **kwargs):
        in_order.append(args)
        real(*args, **kwargs)

    monkeypatch.setattr(sample_module, "decode_in_order", counted)
    rng = np.random.default_rng(len(kind.name))
    times = targets_of(linear, rng, 250)
    assert_same(sample_times(path, times), times, linear)
    for count, threads in ((1, 1), (2, 3), (5, 2), (9, 1)):
        few = [times[i] for i in rng.choice(len(times), size=count)]
        assert_same(sample_times(path, few, num_threads=threads), few, linear)
    if kind.name not in IN_ORDER:
        assert not in_order, "packets tell, so nothing needs decoding in order"


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_sample_times_not_exact_gives_keyframes_inside_the_interval(kind, made):
    path = made(kind)
    linear = decode_all(path, native(kind))
    rng = np.random.default_rng(len(kind.name))
    last = linear.seconds(linear.pts[-1])
    for _ in range(6):
        start, end = sorted(np.round(rng.uniform(0, last + 0.1, size=2), 3))
        intervals = [(float(start), float(end) + 0.05)]
        times = centre_times(intervals, 9)
        frames = sample_times(path, times, intervals=intervals, exact=False)
        for index, time in enumerate(times):
            pts = linear.pts[linear.shown_at(time)]
            before = [key for key in linear.keys if key <= pts]
            inside = [k for k in linear.keys if intervals[0][0] - 1e-9 <= linear.seconds(k)]
            later = [k for k in inside if pts < k and linear.seconds(k) < intervals[0][1] - 1e-9]
            fallback = before[-1] if before else pts
            expected = fallback if fallback in inside or not later else later[0]
            assert frames.times[index] == pytest.approx(linear.seconds(expected), abs=1e-9)
            image = linear.images[bisect.bisect_right(linear.pts, expected) - 1]
            np.testing.assert_array_equal(frames.images[index], image)


@pytest.mark.skipif(not RECORDINGS, reason="no real recordings beside the checkout")
@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.name)
def test_sample_times_real_recording_equals_decoding_all_of_it(path):
    info = probe(path)
    width, height = even_size(info.width, info.height, 64)

    def small(frame):
        options = {"format": "gbrp", "width": width, "height": height}
        return media.rgb(frame, **options, interpolation="BILINEAR")

    linear = decode_all(path, small)
    times = targets_of(linear, np.random.default_rng(3), 300)
    assert_same(sample_times(path, times, size=64), times, linear)
    few = times[:4]
    assert_same(sample_times(path, few, size=64, num_threads=1), few, linear)


def test_sample_times_no_times_gives_no_frames_of_the_right_size(made):
    path = made(KINDS[0])
    frames = sample_times(path, [], size=32)
    assert frames.images.shape == (0, 32, 48, 3)
    assert frames.times.shape == (0,)


def test_sample_times_paints_prove_which_frame_came(made):
    kind = next(kind for kind in KINDS if kind.name == "b_frames_from_1_5_s")
    frames = sample_times(made(kind), [0.0, 0.51, 1.0, 1.2], size=64)
    assert [media.read_number(image) for image in frames.images] == [0, 15, 30, 36]


def test_sample_times_threads_and_orders_do_not_change_a_pixel(made):
    path = made(next(kind for kind in KINDS if kind.name == "x264_open_groups"))
    times = np.random.default_rng(0).uniform(0, 2, size=40)
    expected = sample_times(path, times, size=32, num_threads=1)
    for threads in (2, 5):
        frames = sample_times(path, times[::-1], size=32, num_threads=threads)
        np.testing.assert_array_equal(frames.images[::-1], expected.images)
        np.testing.assert_array_equal(frames.times[::-1], expected.times)


@pytest.mark.parametrize(
    ("width", "height", "size", "expected"),
    [
        (1920, 1080, 448, (796, 448)),
        (1080, 1920, 448, (448, 796)),
        (967, 576, None, (967, 576)),
        (967, 576, 225, (376, 224)),
        (100, 100, 1, (2, 2)),
        (4000, 10, 4, (1600, 4)),
    ],
)
def test_even_size_keeps_the_aspect_and_both_sides_even(width, height, size, expected):
    assert even_size(width, height, size) == expected


def test_even_size_below_one_pixel_is_refused():
    with pytest.raises(ValueError, match=r"size: found 0; expected at least 1 pixel"):
        even_size(10, 10, 0)


@pytest.mark.parametrize(
    ("times", "options", "message"),
    [
        ([[1.0]], {}, "times: found"),
        ([float("nan")], {}, "times: found"),
        ([float("inf")], {}, "times: found"),
        ([0.0], {"size": 0}, "size: found 0"),
        ([0.0], {"num_threads": 0}, "num_threads: found 0"),
    ],
)
def test_sample_times_argument_out_of_range_is_refused(times, options, message, made):
    with pytest.raises(ValueError, match=message):
        sample_times(made(KINDS[0]), times, **options)
