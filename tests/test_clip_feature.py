import importlib
import json
import logging
import pickle
import warnings

import datasets
import numpy as np
import pytest
from datasets import Dataset, Features, List, Value
from datasets.features import features as feature_module
from datasets.info import DatasetInfo

from kolab_core.clip import Clip, DecodedClip, VideoClip
from kolab_core.clip import feature as our_module
from kolab_core.clip.storage import STORAGE_TYPE

OPTIONS = {"num_frames": 8, "size": 64, "exact": False, "num_threads": 2, "root": "/data"}


def test_videoclip_is_stored_as_documented():
    assert str(VideoClip()()) == (
        "struct<path: string, bytes: binary, "
        "intervals: list<item: struct<start: double, end: double>>>"
    )
    assert VideoClip.pa_type == STORAGE_TYPE
    assert not hasattr(VideoClip, "embed_storage")


def test_videoclip_survives_being_stored(tmp_path):
    features = Features({"video": VideoClip(**OPTIONS), "many": List(VideoClip())})
    DatasetInfo(features=features).write_to_directory(str(tmp_path))
    for again in (
        Features.from_dict(json.loads(json.dumps(features.to_dict()))),
        Features.from_arrow_schema(features.arrow_schema),
        DatasetInfo.from_directory(str(tmp_path)).features,
        pickle.loads(pickle.dumps(features)),
    ):
        assert again == features
        assert again["video"].root == "/data"


def test_videoclips_of_the_same_options_are_equal():
    assert VideoClip() != VideoClip(decode=False)
    assert VideoClip() == VideoClip()


@pytest.mark.parametrize("bad", [{"num_frames": 0}, {"size": 0}])
def test_videoclip_of_impossible_options_fails_at_once(bad):
    with pytest.raises(ValueError, match=r"found 0; expected at least 1"):
        VideoClip(**bad)


@pytest.mark.parametrize("bad", [{"num_frames": 2.5}, {"size": "448"}, {"num_threads": 1.0}])
def test_videoclip_option_that_is_no_whole_number_fails_at_once(bad):
    (name,) = bad
    with pytest.raises(TypeError, match=rf"^{name}: found .*; expected a whole number, or None"):
        VideoClip(**bad)


def test_videoclip_of_numpys_numbers_survives_the_arrow_schema():
    features = Features({"video": VideoClip(num_frames=np.int64(4), size=np.int32(64))})
    assert Features.from_arrow_schema(features.arrow_schema) == features


def test_videoclip_root_may_be_a_path_object(tmp_path):
    assert VideoClip(root=tmp_path).root == str(tmp_path)


def test_flatten_gives_plain_fields_only_without_decoding():
    assert VideoClip().flatten() == VideoClip()
    assert list(VideoClip(decode=False).flatten()) == ["path", "bytes", "intervals"]
    rows = {"video": [Clip("a.mp4", [(0, 1)])]}
    flat = Dataset.from_dict(rows, features=Features({"video": VideoClip(decode=False)})).flatten()
    assert flat[0] == {
        "video.path": "a.mp4",
        "video.bytes": None,
        "video.intervals": [{"start": 0.0, "end": 1.0}],
    }


def test_decode_example_opens_nothing_and_joins_the_root():
    feature = VideoClip(root="/nowhere")
    stored = {"path": "a.mp4", "intervals": [(0, 1)]}
    clip = feature.decode_example(stored, token_per_repo_id={"me/kolab": "secret"})
    assert clip == Clip("/nowhere/a.mp4", [(0, 1)])
    assert "secret" not in repr(vars(clip))
    assert feature.decode_example(clip) == clip
    assert feature.decode_example("b.mp4") == Clip("/nowhere/b.mp4")
    assert feature.decode_example(None) is None
    assert feature.decode_example({"path": None, "intervals": []}) == Clip(None, [])
    with pytest.raises(RuntimeError, match="Decoding is off"):
        VideoClip(decode=False).decode_example(stored)


def test_decode_example_takes_what_the_numpy_formatter_hands_over():
    intervals = np.array([{"start": 0.0, "end": 1.0}], dtype=object)
    value = {"path": np.str_("a.mp4"), "bytes": None, "intervals": intervals}
    clip = VideoClip().decode_example(value)
    assert clip == Clip("a.mp4", [(0, 1)])
    assert json.dumps(clip)


def test_decode_example_with_num_frames_and_no_recording_says_so_only_when_asked():
    clip = VideoClip(num_frames=4).decode_example({"path": None, "intervals": [(2, 3)]})
    assert isinstance(clip, DecodedClip)
    assert clip.intervals == [(2.0, 3.0)]
    assert "no recording" in clip._repr_html_()
    for ask in (lambda: clip.images, lambda: clip.times, lambda: clip["images"]):
        with pytest.raises(RuntimeError, match="clip: at 2 s: no recording: the path is null"):
            ask()
    with pytest.raises(KeyError):
        clip["frames"]


def test_registering_is_quiet_and_may_happen_again(caplog):
    with caplog.at_level(logging.WARNING), warnings.catch_warnings():
        warnings.simplefilter("error")
        our_module.register()
        del feature_module._FEATURE_TYPES["VideoClip"]
        our_module.register()
    assert feature_module._FEATURE_TYPES["VideoClip"] is VideoClip
    assert not caplog.records


def test_registering_an_imported_anew_module_is_quiet(caplog):
    names = ("_FEATURE_TYPES",)
    before = {name: dict(getattr(feature_module, name)) for name in names}
    try:
        with caplog.at_level(logging.WARNING), warnings.catch_warnings():
            warnings.simplefilter("error")
            anew = importlib.reload(our_module)
        assert feature_module._FEATURE_TYPES["VideoClip"] is anew.VideoClip
        assert not caplog.records
    finally:
        our_module.VideoClip = VideoClip
        feature_module._FEATURE_TYPES.update(before["_FEATURE_TYPES"])


def test_registering_hides_no_other_warning():
    def noisy(feature_class, name):
        feature_module._FEATURE_TYPES[name] = feature_class
        warnings.warn("'other' is experimental and might change", UserWarning, stacklevel=1)
        warnings.warn("'register_feature' is experimental and …", UserWarning, stacklevel=1)

    plain, feature_module.register_feature = feature_module.register_feature, noisy
    try:
        del feature_module._FEATURE_TYPES["VideoClip"]
        with pytest.warns(UserWarning) as caught:  # noqa: PT030 - their texts are checked below
            our_module.register()
    finally:
        feature_module.register_feature = plain
    assert [str(warning.message) for warning in caught] == [
        "'other' is experimental and might change"
    ]


def test_the_installed_datasets_warns_of_registering():
    """If it stops doing so, the filter can go."""
    with pytest.warns(UserWarning, match="'register_feature' is experimental"):
        datasets.features.features.register_feature(Value, "Value")
