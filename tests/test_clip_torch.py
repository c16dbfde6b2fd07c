"""Clips under torch: the format, the loaders, their workers. Skipped where torch is not."""

import pickle

import media
import numpy as np
import pytest
from datasets import Dataset, Features, Value

from kolab_core.clip import Clip, DecodedClip, VideoClip

torch = pytest.importorskip("torch")
from torch.utils.data import DataLoader  # noqa: E402 - torch may be missing

FEATURES = Features({"video": VideoClip(), "x": Value("int64")})
ARRAYS = VideoClip(num_frames=3, size=32)


@pytest.fixture(scope="module")
def ds(tmp_path_factory):
    path = str(media.write(media.Kind("short"), tmp_path_factory.mktemp("torch") / "a.mp4"))
    video = [Clip(path, [(x / 10 + 1 / 300, 1.0)]) for x in range(4)]
    return Dataset.from_dict({"video": video, "x": [0, 1, 2, 3]}, features=FEATURES)


def test_torch_format_keeps_clips_and_their_exact_times(ds):
    rows = ds.with_format("torch")
    for clip in (rows[1]["video"], rows[:]["video"][1], rows["video"][1], list(rows)[1]["video"]):
        assert type(clip) is Clip
        assert clip == ds[1]["video"]
        assert media.read_number(clip.at(0.5).images[0]) == 15
    assert rows[1]["x"].dtype == torch.int64
    assert rows.map(lambda row: {**row, "y": 1})[1]["video"] == ds[1]["video"]


def test_torch_format_of_num_frames_gives_tensors_in_their_own_types(ds):
    rows = ds.cast_column("video", ARRAYS).with_format("torch")
    cell = rows[1]["video"]
    assert cell["images"].dtype == torch.uint8
    assert cell["images"].shape == (3, 32, 48, 3)
    assert cell.times.dtype == torch.float64
    assert np.array_equal(cell.images.numpy(), ds.cast_column("video", ARRAYS)[1]["video"].images)
    assert rows.with_format("torch", dtype=torch.float32)[1]["video"].images.dtype == torch.float32
    again = rows.map(lambda row: {**row, "y": 1})
    assert again[1]["video"].times.equal(cell.times)


@pytest.mark.parametrize("num_workers", [0, 2])
@pytest.mark.parametrize("kind", [None, "torch"])
def test_loader_gives_clips_that_decode_anywhere(ds, kind, num_workers):
    loader = DataLoader(ds.with_format(kind), batch_size=2, num_workers=num_workers)
    batches = list(loader)
    assert [batch["x"].tolist() for batch in batches] == [[0, 1], [2, 3]]
    clips = [clip for batch in batches for clip in batch["video"]]
    assert [type(clip) for clip in clips] == [Clip] * 4
    assert [media.read_number(clip.sample(1).images[0]) for clip in clips] == [15, 16, 18, 19]


@pytest.mark.parametrize("num_workers", [0, 2])
@pytest.mark.parametrize("kind", [None, "torch", "numpy"])
@pytest.mark.parametrize("streaming", [False, True])
def test_loader_stacks_decoded_clips(ds, kind, num_workers, streaming):
    rows = ds.cast_column("video", ARRAYS)
    rows = rows.to_iterable_dataset(num_shards=2) if streaming else rows
    loader = DataLoader(rows.with_format(kind), batch_size=2, num_workers=num_workers)
    batches = list(loader)
    assert len(batches) == 2
    for batch in batches:
        assert batch["video"]["images"].shape == (2, 3, 32, 48, 3)
        assert batch["video"]["images"].dtype == torch.uint8
        assert batch["video"]["times"].dtype == torch.float64


def test_workers_decode_in_the_loader(ds):
    """A decoder that was open before the workers were made is of no use in them."""
    ds[0]["video"].sample(4)
    loader = DataLoader(ds, batch_size=1, num_workers=2, collate_fn=_numbers)
    assert list(loader) == [[15], [16], [18], [19]]


def _numbers(rows):
    return [media.read_number(row["video"].sample(1).images[0]) for row in rows]


def test_decoded_clip_with_tensors_pickles(ds):
    cell = ds.cast_column("video", ARRAYS).with_format("torch")[0]["video"]
    twin = pickle.loads(pickle.dumps(cell))
    assert type(twin) is DecodedClip
    assert twin.images.equal(cell.images)
