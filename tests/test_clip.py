import copy
import json
import pickle
import re
import zipfile

import av
import media
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kolab_core.clip import Clip, ClipError, Frames
from kolab_core.sampling import probe

RATE = 30
KINDS = {kind.name: kind for kind in media.KINDS}


SAVED_KINDS = (
    "x264_open_groups",
    "x264_intra_refresh",
    "variable_rate_mkv",
    "b_frames_from_1_5_s",
    "two_edits",
    "one_keyframe",
    "avi_no_pts",
    "audio_first",
    "repeated_pts",
    "vp8_odd",
    "yuv444_odd",
    "turned_90",
    "mpegts_no_index",
)


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    """Sixty frames, a thirtieth of a second each, numbered from 0."""
    kind = KINDS["x264_short_groups"]
    return str(media.write(kind, tmp_path_factory.mktemp("clip") / "recording.mp4"))


def numbers(frames):
    return [media.read_number(image) for image in frames.images]


def test_clip_is_the_mapping_of_its_storage(recording):
    clip = Clip(recording, [(0.5, 1), {"start": 1.2, "end": 1.5}])
    assert dict(clip) == {
        "path": recording,
        "bytes": None,
        "intervals": [{"start": 0.5, "end": 1.0}, {"start": 1.2, "end": 1.5}],
    }
    assert json.loads(json.dumps(clip)) == dict(clip)
    assert clip.path == recording
    assert clip.intervals == [(0.5, 1.0), (1.2, 1.5)]
    assert clip.duration == pytest.approx(0.8)
    assert clip.has_recording


def test_clip_equals_clips_of_the_same_storage_only():
    clip = Clip("a.mp4", [(0, 1)])
    assert clip == Clip("a.mp4", [{"start": 0.0, "end": 1.0}])
    assert clip != Clip("a.mp4", [(0, 2)])
    assert clip != dict(clip)
    assert not dict(clip) == clip  # noqa: SIM201 - both operators, both ways round


def test_clip_pickles_and_copies_as_itself(recording):
    clip = Clip(recording, [(0.5, 1)])
    for twin in (pickle.loads(pickle.dumps(clip)), copy.copy(clip), copy.deepcopy(clip)):
        assert type(twin) is Clip
        assert twin == clip
        assert numbers(twin.at(0.5)) == [15]


def test_clip_says_what_it_is():
    assert repr(Clip("a.mp4", [(0, 1), (2, 2.5)])) == "Clip(a.mp4 · 1.500 s in 2 intervals)"
    assert repr(Clip("a.mp4")) == "Clip(a.mp4 · whole recording)"
    assert repr(Clip(None, [(0, 1)])) == "Clip(no recording · 1.000 s in 1 interval)"
    assert repr(Clip(bytes=b"xx")) == "Clip(recording in memory · whole recording)"


def test_sample_takes_the_centres_of_equal_parts(recording):
    frames = Clip(recording, [(0, 0.4), (1, 1.4)]).sample(4, size=32)
    assert isinstance(frames, Frames)
    # parts of 0.2 s: centres 0.1 and 0.3 s, then 1.1 and 1.3 s; times 30 a second
    assert numbers(frames) == [3, 9, 33, 39]
    assert frames.images.dtype == np.uint8
    assert frames.images.shape == (4, 32, 48, 3)
    assert frames.times == pytest.approx(np.array([3, 9, 33, 39]) / RATE)


def test_sample_gives_32_frames_by_default(recording):
    assert len(Clip(recording, [(0, 2)]).sample()) == 32


def test_sample_of_no_length_is_no_frames(recording):
    assert Clip(recording, []).sample(4, size=32).images.shape == (0, 32, 48, 3)
    assert len(Clip(recording, [(1, 1)]).sample(4)) == 0


def test_at_gives_the_frames_shown_in_the_order_asked_for(recording):
    clip = Clip(recording, [(0.5, 1.5)])
    assert numbers(clip.at([1.41, 0.5, 0.5, 1.02])) == [42, 15, 15, 30]
    assert numbers(clip.at(0.51)) == [15]
    assert numbers(clip.at(np.array([1.0]), size=32)) == [30]


@pytest.mark.parametrize("time", [0.49, 1.0, 1.1, 2.0, -1.0])
def test_at_outside_the_intervals_names_the_time_and_the_intervals(recording, time):
    clip = Clip(recording, [(0.5, 1.0), (1.5, 2.0)])
    message = f"times: found {time} s; expected a time inside the clip's intervals: "
    with pytest.raises(ValueError, match=re.escape(f"{message}[0.5, 1.0), [1.5, 2.0).")):
        clip.at([0.7, time])


@given(end=st.integers(1, 60))
@settings(deadline=None, max_examples=10)
def test_no_frame_at_an_intervals_end_is_given(recording, end):
    frames = Clip(recording, [(0, end / RATE)]).at(np.nextafter(end / RATE, 0), size=32)
    assert numbers(frames) == [end - 1]


@pytest.mark.parametrize(
    ("method", "arguments", "message"),
    [
        ("sample", {"num_frames": 1.5}, "num_frames: found 1.5; expected a whole number."),
        ("sample", {"num_frames": "8"}, "num_frames: found '8'; expected a whole number."),
        ("sample", {"size": 3.5}, "size: found 3.5; expected a whole number, or None."),
        ("sample", {"num_threads": "2"}, "num_threads: found '2'; expected a whole number, or"),
        ("every", {"step": "x"}, "step: found 'x'; expected a number of seconds."),
        ("at", {"times": "x"}, "times: found 'x'; expected a number of seconds or a flat"),
        ("at", {"times": {}}, "times: found {}; expected a number of seconds or a flat"),
    ],
)
def test_argument_of_a_wrong_type_is_named_before_anything_is_opened(method, arguments, message):
    clip = Clip("nowhere.mp4", [(0, 1)])
    with pytest.raises(TypeError, match=f"^{re.escape(message)}"):
        getattr(clip, method)(**arguments)


def test_numbers_of_numpy_are_numbers(recording):
    frames = Clip(recording, [(0, 1)]).sample(np.int64(2), size=np.int32(32))
    assert frames.images.shape[:2] == (2, 32)
    assert len(Clip(recording, [(0, 1)]).every(np.float32(0.5))) == 2


def test_times_of_two_dimensions_are_refused(recording):
    with pytest.raises(ValueError, match=r"^times: found an array of shape \(1, 1\); expected"):
        Clip(recording, [(0, 1)]).at([[0.5]])


def test_every_counts_in_the_clips_own_time(recording):
    clip = Clip(recording, [(0, 0.25), (1, 1.25)])
    # 0, 0.1, 0.2 s, then 0.3 s of the clip, which is 1.05 s of the recording, and so on
    assert numbers(clip.every(0.1)) == [0, 3, 6, 31, 34]
    with pytest.raises(ValueError, match="step: found 0"):
        clip.every(0)


def test_keyframes_only_says_which_frames_came(recording):
    frames = Clip(recording, [(0.1, 1.9)]).sample(5, exact=False)
    assert [round(time * RATE) for time in frames.times] == numbers(frames)


def test_clip_without_a_recording_says_so_only_when_asked_for_a_frame():
    clip = Clip(None, [(3, 5)])
    assert clip.intervals == [(3.0, 5.0)]
    assert clip.duration == 2
    for ask in (
        lambda: clip.sample(2),
        lambda: clip.at(3),
        lambda: clip.every(1),
        lambda: clip.sheet(),
        lambda: clip.save("never.mp4"),
    ):
        with pytest.raises(ClipError, match=r"clip: at 3.* s: no recording: the path is null"):
            ask()
    assert Clip(None).intervals == []


def test_clip_of_a_whole_recording_asks_the_container_for_its_extent(recording):
    clip = Clip(recording)
    assert clip["intervals"] is None
    assert clip.intervals == [(0.0, pytest.approx(2.0))]
    assert numbers(clip.sample(2)) == [15, 45]


def test_clip_of_bytes(recording):
    with open(recording, "rb") as file:  # noqa: PTH123 - a str
        clip = Clip(bytes=file.read(), intervals=[(1, 2)])
    assert numbers(clip.at(1)) == [30]


@pytest.mark.parametrize("intervals", [[(2, 1)], [(0, float("nan"))], [(float("inf"), 1)]])
def test_clip_of_impossible_intervals_fails_when_asked(recording, intervals):
    clip = Clip(recording, intervals)
    with pytest.raises(ValueError, match=r"intervals\[0\]: found .* expected finite seconds"):
        clip.sample(2)


BROKEN = {
    "missing": None,
    "empty": b"",
    "no_video": b"This is no video at all. " * 40,
}


@pytest.mark.parametrize("fault", BROKEN)
def test_broken_file_is_a_clip_error_with_file_time_and_cause(tmp_path, fault):
    path = tmp_path / f"{fault}.mp4"
    if BROKEN[fault] is not None:
        path.write_bytes(BROKEN[fault])
    clip = Clip(path, [(1, 2)])
    with pytest.raises(ClipError) as caught:
        clip.at(1.25)
    assert str(caught.value).startswith(f"{path}: at 1.25 s: ")
    assert caught.value.file == str(path)
    assert caught.value.cause
    assert str(caught.value) in clip._repr_html_().replace("at 1.05556", "at 1.25")


@pytest.mark.parametrize("kind", ["mp4_fragmented", "mkv_b_frames", "vp9"])
def test_truncated_file_gives_what_it_holds_and_names_the_rest(tmp_path, kind):
    path = media.write(KINDS[kind], tmp_path / f"recording{KINDS[kind].suffix}")
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 6 // 10])
    clip = Clip(path, [(0, 2)])
    assert numbers(clip.at(0.1)) == [3]
    target = tmp_path / "copy.mp4"
    for ask in (lambda: clip.at(1.9), lambda: clip.sample(8), lambda: clip.save(target)):
        with pytest.raises(ClipError, match=re.escape(str(path))):
            ask()
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_path_may_be_anything_that_fsspec_opens(tmp_path, recording):
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.write(recording, "in/recording.mp4")
    path = f"zip://in/recording.mp4::file://{tmp_path}/all.zip"
    clip = Clip(path, [(1, 2)])
    assert numbers(clip.at([1.0, 1.5])) == [30, 45]
    with pytest.raises(ClipError, match=r"nowhere\.mp4.*: at 1 s: .*no (such file|item)"):
        Clip(path.replace("recording.mp4", "nowhere.mp4"), [(1, 2)]).at(1)


def test_sheet_is_a_picture_with_a_frame_and_a_time_for_each(recording):
    sheet = Clip(recording, [(0, 2)]).sheet(4, size=64)
    assert sheet.mode == "RGB"
    assert sheet.width > 2 * 96
    assert sheet.height > 2 * 64


def test_notebook_shows_the_sheet_with_times(recording):
    html = Clip(recording, [(0, 1.8)])._repr_html_()
    assert html.count("<img ") == 9
    assert "recording.mp4 · 1.800 s in 1 interval" in html
    assert ">0:00.100</figcaption>" in html
    assert "no recording: the path is null" in Clip(None, [(0, 1)])._repr_html_()
    assert "<b>&lt;a&gt;.mp4" in Clip("<a>.mp4", [(0, 1)])._repr_html_()


@pytest.mark.parametrize(
    ("kind", "suffix"),
    [
        ("x264_default", ".mkv"),
        ("x264_default", ".mov"),
        *((kind, ".mp4") for kind in SAVED_KINDS),
    ],
)
def test_saved_file_shows_at_each_moment_what_the_clip_shows(tmp_path, kind, suffix):
    source = media.write(KINDS[kind], tmp_path / f"source{KINDS[kind].suffix}")
    spans = [(0.9, 1.31), (0.25, 0.5), (1.7, 1.71)]
    clip = Clip(source, spans)
    saved = Clip(clip.save(tmp_path / f"saved{suffix}"), [(0, clip.duration)])
    moments = (np.arange(67) * 10 + 5) / 1000
    asked = [_recording_time(moment, spans) for moment in moments]
    expected, found = clip.at(asked).images, saved.at(moments).images
    height, width = expected.shape[1:3]
    assert found.shape[1:3] == (height + height % 2, width + width % 2)
    apart = np.abs(expected.astype(int) - found[:, :height, :width]).mean(axis=(1, 2, 3))
    assert apart.max() < 12  # of 255; chroma is halved each way
    if not kind.startswith("turned"):  # a turned picture's number lies on its side
        assert numbers(Frames(found, moments)) == numbers(Frames(expected, moments))
    info = probe(saved.path)
    assert info.duration_s == pytest.approx(clip.duration, abs=2e-3)
    assert info.codec == "h264"
    assert not info.has_audio


def _recording_time(moment, spans):
    for start, end in spans:
        if moment < end - start:
            return round(start + moment, 6)
        moment -= end - start
    raise AssertionError("a moment past the clip's end")


def test_saved_file_starts_at_zero_without_an_edit(recording, tmp_path):
    path = Clip(recording, [(0.51, 1.0)]).save(tmp_path / "deep" / "clip.mp4")
    assert path == tmp_path / "deep" / "clip.mp4"
    with av.open(str(path)) as container:
        pts = [packet.pts for packet in container.demux(video=0) if packet.size]
        assert container.streams.video[0].start_time == 0
    # the frame shown at 0.51 s, then those from 16/30 s on
    assert pts == [0, *[int((i / RATE - 0.51) * 90_000 + 1e-6) for i in range(16, 30)]]


def test_save_replaces_a_file_only_when_the_clip_is_whole(recording, tmp_path):
    target = tmp_path / "clip.mp4"
    target.write_bytes(b"old")
    with pytest.raises(ClipError):
        Clip(tmp_path / "missing.mp4", [(0, 1)]).save(target)
    with pytest.raises(ClipError, match="nothing to save: the intervals have no length"):
        Clip(recording, [(1, 1)]).save(target)
    assert target.read_bytes() == b"old"
    Clip(recording, [(0, 1)]).save(target)
    assert target.read_bytes() != b"old"
    assert [file.name for file in tmp_path.iterdir()] == ["clip.mp4"]
    with pytest.raises(ValueError, match=r"path: found '.*clip\.gif'; expected a name that ends"):
        Clip(recording, [(0, 1)]).save(tmp_path / "clip.gif")
