import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kolab_core.clip import Clip
from kolab_core.clip.storage import STORAGE_TYPE, cast_clips, encode_clip, join_root

PLAIN = {"path": "a.mp4", "bytes": None, "intervals": [{"start": 1.0, "end": 2.5}]}


@pytest.mark.parametrize(
    "intervals",
    [
        pytest.param([(1, 2.5)], id="tuples"),
        pytest.param([[1, 2.5]], id="lists"),
        pytest.param([{"end": 2.5, "start": 1}], id="mappings"),
        pytest.param(np.array([[1, 2.5]]), id="array"),
        pytest.param(np.array([{"start": 1.0, "end": 2.5}], dtype=object), id="array-of-mappings"),
    ],
)
def test_encode_clip_takes_intervals_of_any_form(intervals):
    assert encode_clip({"path": Path("a.mp4"), "intervals": intervals}) == PLAIN


def test_encode_clip_of_a_clip_a_path_and_none():
    assert encode_clip(Clip("a.mp4", [(1, 2.5)])) == PLAIN
    assert encode_clip("a.mp4") == {"path": "a.mp4", "bytes": None, "intervals": None}
    assert encode_clip({"bytes": bytearray(b"x")}) == {
        "path": None,
        "bytes": b"x",
        "intervals": None,
    }
    assert encode_clip(None) is None


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (5, TypeError, "clip: found 5; expected a path, a mapping"),
        ({"a": 1}, ValueError, "clip: found the keys ['a']; expected"),
        ({"path": "a", "intervals": [(0, 1), 7]}, ValueError, "intervals[1]: found 7; expected"),
        (
            {"path": "a", "intervals": [{"start": 1}]},
            ValueError,
            "intervals[0]: found {'start': 1}",
        ),
    ],
)
def test_encode_clip_of_something_else_says_what_it_found(value, error, message):
    with pytest.raises(error, match=re.escape(message)):
        encode_clip(value)


def test_cast_clips_of_its_own_type_copies_nothing():
    storage = pa.array([PLAIN, None], type=STORAGE_TYPE)
    assert cast_clips(storage) is storage


INTERVALS = [{"start": 1.0, "end": 2.5}]


@pytest.mark.parametrize(
    ("storage", "expected"),
    [
        pytest.param(
            pa.array([{"intervals": INTERVALS, "path": "a.mp4"}, None]),
            [PLAIN, None],
            id="no-bytes-other-order",
        ),
        pytest.param(
            pa.array([{"bytes": None, "path": "a.mp4", "intervals": [[1.0, 2.5]]}]),
            [PLAIN],
            id="pairs-and-null-bytes",
        ),
        pytest.param(
            pa.array([{"path": "a.mp4", "intervals": [{"end": 2, "start": 1, "note": "x"}]}]),
            [{**PLAIN, "intervals": [{"start": 1.0, "end": 2.0}]}],
            id="whole-numbers-and-another-field",
        ),
        pytest.param(
            pa.array([{"path": None, "intervals": []}, {"path": "a", "intervals": None}]),
            [
                {"path": None, "bytes": None, "intervals": []},
                {"path": "a", "bytes": None, "intervals": None},
            ],
            id="empty-and-null",
        ),
        pytest.param(
            pa.array(["a.mp4", None], type=pa.large_string()),
            [{"path": "a.mp4", "bytes": None, "intervals": None}, None],
            id="large-strings",
        ),
        pytest.param(
            pa.array([{"path": "a.mp4", "bytes": b"x"}]),
            [{"path": "a.mp4", "bytes": b"x", "intervals": None}],
            id="the-storage-of-a-whole-video",
        ),
        pytest.param(pa.nulls(2), [None, None], id="null-type"),
        pytest.param(pa.array([], type=pa.string()), [], id="empty"),
    ],
)
def test_cast_clips_from_other_types(storage, expected):
    cast = cast_clips(storage)
    assert cast.type == STORAGE_TYPE
    assert cast.to_pylist() == expected
    cast.validate(full=True)


def test_cast_clips_keeps_the_chunks():
    chunks = pa.chunked_array([pa.array(["a"]), pa.array([None, "b"], type=pa.string())])
    cast = cast_clips(chunks)
    assert isinstance(cast, pa.ChunkedArray)
    assert [row and row["path"] for row in cast.to_pylist()] == ["a", None, "b"]
    empty = cast_clips(pa.chunked_array([], type=pa.string()))
    assert empty.type == STORAGE_TYPE
    assert len(empty) == 0


@pytest.mark.parametrize(
    "storage", [pa.array([1]), pa.array([{"a": 1}]), pa.array([{"path": 1}])], ids=str
)
def test_cast_clips_from_what_is_no_clip_is_a_type_error(storage):
    with pytest.raises(TypeError, match=r"expected strings|Couldn't cast"):
        cast_clips(storage)


_SECONDS = st.floats(0, 1e4, allow_nan=False)
_ROWS = st.lists(
    st.none()
    | st.fixed_dictionaries(
        {
            "intervals": st.none()
            | st.lists(st.fixed_dictionaries({"end": _SECONDS, "start": _SECONDS}), max_size=3),
            "path": st.none() | st.text(max_size=3),
        }
    ),
    min_size=1,
    max_size=8,
)
_PARTIAL = pa.struct(
    [
        ("intervals", pa.list_(pa.struct([("end", pa.float64()), ("start", pa.float64())]))),
        ("path", pa.string()),
    ]
)


@given(_ROWS, st.data())
def test_cast_clips_of_any_slice_is_the_slice_of_the_cast(rows, data):
    start = data.draw(st.integers(0, len(rows)))
    length = data.draw(st.integers(0, len(rows) - start))
    storage = pa.array(rows, type=_PARTIAL).slice(start, length)
    expected = [None if row is None else {**row, "bytes": None} for row in rows]
    cast = cast_clips(storage)
    cast.validate(full=True)
    assert cast.to_pylist() == expected[start : start + length]


@pytest.mark.parametrize(
    ("path", "root", "expected"),
    [
        ("r/a.mp4", None, "r/a.mp4"),
        ("r/a.mp4", "/data/kolab", "/data/kolab/r/a.mp4"),
        ("/abs/a.mp4", "/data/kolab", "/abs/a.mp4"),
        ("https://x.org/a.mp4", "/data", "https://x.org/a.mp4"),
        ("zip://a.mp4::b.zip", "/data", "zip://a.mp4::b.zip"),
        ("r/a.mp4", "hf://datasets/me/kolab@v1/", "hf://datasets/me/kolab@v1/r/a.mp4"),
        ("hf://datasets/me/kolab@v1/r/a.mp4", None, "hf://datasets/me/kolab@v1/r/a.mp4"),
        ("hf://datasets/me/kolab@v1/r/a.mp4", "/data", "/data/r/a.mp4"),
        ("hf://datasets/me/kolab/r/a.mp4", "/data", "/data/r/a.mp4"),
        ("hf://buckets/me/kolab/a.mp4", "/data", "hf://buckets/me/kolab/a.mp4"),
    ],
)
def test_join_root(path, root, expected):
    assert join_root(path, root) == expected
    assert join_root(expected, root) == expected
