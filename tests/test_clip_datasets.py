"""The feature in `datasets`: every way to reach a row, to change it, and to keep it."""

import multiprocessing
import subprocess
import sys

import datasets
import media
import numpy as np
import pytest
from datasets import (
    Dataset,
    DatasetDict,
    Features,
    IterableDataset,
    IterableDatasetDict,
    List,
    Value,
    Video,
    concatenate_datasets,
    load_dataset,
    load_from_disk,
)

from kolab_core.clip import (
    Clip,
    ClipError,
    DecodedClip,
    VideoClip,
    with_clips,
    without_clips,
)
from kolab_core.rows.columns import VIDEO_STORAGE

FEATURES = Features({"video": VideoClip(), "x": Value("int64")})
NAME = "recording.mp4"
DATASETS_4 = datasets.__version__.startswith("4.")


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows")
    media.write(media.Kind("short", options={"g": "12"}), folder / NAME)
    (folder / "broken.mp4").write_bytes(b"broken")
    return folder


@pytest.fixture
def ds(root):
    """Rows 0, 1: clips; 2: no recording; 3: null; 4: a broken file; 5: a clip."""
    path = str(root / NAME)
    video = [
        Clip(path, [(0, 1), (1.5, 2)]),
        {"path": path, "intervals": [[0.5, 1.0]]},
        {"path": None, "bytes": None, "intervals": [(3, 4)]},
        None,
        {"path": str(root / "broken.mp4"), "bytes": None, "intervals": [{"start": 0, "end": 1}]},
        Clip(path, [(1, 2)]),
    ]
    return Dataset.from_dict({"video": video, "x": list(range(6))}, features=FEATURES)


def first_number(clip):
    return media.read_number(clip.at(clip.intervals[0][0]).images[0])


def numbers_of(clips):
    """The number of the first frame of each clip that has one."""
    return [
        None if clip is None or clip.path is None or "broken" in clip.path else first_number(clip)
        for clip in clips
    ]


NUMBERS = [0, 15, None, None, None, 30]


def test_rows_slices_columns_and_iteration_give_clips(ds):
    assert first_number(ds[0]["video"]) == 0
    assert ds[0]["video"].intervals == [(0.0, 1.0), (1.5, 2.0)]
    assert numbers_of(ds[:]["video"]) == NUMBERS
    assert numbers_of(ds["video"][1:3]) == NUMBERS[1:3]
    assert numbers_of(row["video"] for row in ds) == NUMBERS
    assert ds[2]["video"] == Clip(None, [(3, 4)])
    assert ds[3]["video"] is None


def test_a_broken_file_harms_no_other_row(ds):
    rows = ds[:]["video"]
    with pytest.raises(ClipError, match=r"broken\.mp4: at 0 s: "):
        rows[4].at(0)
    assert first_number(rows[5]) == 30


@pytest.mark.parametrize("num_proc", [None, 2])
@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda row: {"y": row["x"]}, id="new-column"),
        pytest.param(lambda row: {**row, "y": row["x"]}, id="whole-row"),
        pytest.param(lambda row: row if row["x"] % 2 else {"video": row["video"]}, id="some-rows"),
        pytest.param(lambda row: {"video": row["video"] and dict(row["video"])}, id="plain-dict"),
    ],
)
def test_map_keeps_clips(ds, change, num_proc):
    mapped = ds.map(change, num_proc=num_proc)
    assert mapped.features["video"] == VideoClip()
    assert mapped[:]["video"] == ds[:]["video"]


def test_map_of_batches_keeps_clips_and_counts_frames(ds):
    def count(batch):
        return {**batch, "n": [0 if v is None else len(v["intervals"]) for v in batch["video"]]}

    mapped = ds.map(count, batched=True, batch_size=4)
    assert mapped["n"][:] == [2, 1, 1, 0, 1, 1]
    assert mapped[:]["video"] == ds[:]["video"]


def test_map_can_cut_a_clip_anew(ds):
    def shorten(row):
        clip = row["video"]
        return {
            "video": clip and Clip(clip.path, [(start, end - 0.1) for start, end in clip.intervals])
        }

    mapped = ds.map(shorten)
    assert mapped.features["video"] == VideoClip()
    assert mapped[0]["video"].intervals == [(0.0, 0.9), (1.5, 1.9)]


def test_map_into_a_new_column_gives_a_plain_struct_that_casts_back(ds):
    mapped = ds.map(lambda row: {"copy": row["video"]})
    assert set(mapped.features["copy"]) == {"path", "bytes", "intervals"}
    assert type(mapped[0]["copy"]) is dict
    cast = mapped.cast_column("copy", VideoClip())
    assert cast[:]["copy"] == ds[:]["video"]


def test_filter_select_shuffle_and_concatenate_keep_clips(ds):
    kept = ds.filter(lambda row: row["video"] is not None and row["video"].has_recording)
    assert kept["x"][:] == [0, 1, 4, 5]
    assert numbers_of(kept.select([3, 0])[:]["video"]) == [30, 0]
    shuffled = ds.shuffle(seed=1)
    assert numbers_of(shuffled[:]["video"]) == [NUMBERS[x] for x in shuffled["x"]]
    both = concatenate_datasets([ds, without_clips(ds).cast_column("video", VideoClip())])
    assert numbers_of(both[:]["video"]) == NUMBERS * 2


def test_lists_of_clips_are_clips(ds):
    features = Features({"videos": List(VideoClip())})
    rows = Dataset.from_dict(
        {"videos": [[ds[0]["video"], ds[1]["video"]], [], None]}, features=features
    )
    assert rows[0]["videos"] == [ds[0]["video"], ds[1]["video"]]
    assert type(rows[0]["videos"][1]) is Clip
    assert without_clips(rows).features["videos"] == List(dict(VIDEO_STORAGE))


def test_numpy_format_keeps_clips_and_their_exact_times(ds):
    third = Clip("a.mp4", [(1 / 3, 2 / 3)])
    rows = Dataset.from_dict({"video": [third], "x": [1]}, features=FEATURES).with_format("numpy")
    for clip in (
        rows[0]["video"],
        rows[:]["video"][0],
        rows["video"][0],
        next(iter(rows))["video"],
    ):
        assert type(clip) is Clip
        assert clip == third
    assert rows[0]["x"].dtype == np.int64
    assert ds.with_format("numpy").map(lambda row: {**row})[0]["video"] == ds[0]["video"]


@pytest.mark.parametrize("kind", ["arrow", "pandas"])
def test_table_formats_hold_the_struct(ds, kind):
    cell = ds.with_format(kind)[:2]["video"][1]
    cell = cell.as_py() if kind == "arrow" else cell
    assert cell["path"] == ds[1]["video"].path
    assert [dict(span) for span in cell["intervals"]] == [{"start": 0.5, "end": 1.0}]


def test_without_decoding_the_row_is_the_struct(ds):
    plain = ds.cast_column("video", VideoClip(decode=False))
    assert type(plain[0]["video"]) is dict
    assert plain[0]["video"] == dict(ds[0]["video"])


def test_num_frames_gives_arrays(ds):
    rows = ds.select([0, 1, 5]).cast_column("video", VideoClip(num_frames=3, size=32))
    cell = rows[1]["video"]
    assert isinstance(cell, DecodedClip)
    assert cell.images.shape == (3, 32, 48, 3)
    assert cell.images.dtype == np.uint8
    assert cell["images"] is cell.images
    # centres of sixths of a second: 0.5 + 1/12, 3/12 and 5/12 s, in frames of 1/30 s
    assert [media.read_number(image) for image in cell.images] == [17, 22, 27]
    assert cell.times == pytest.approx(np.array([17, 22, 27]) / 30)
    assert cell._repr_html_().count("<img ") == 3
    assert [len(clip.times) for clip in rows[:]["video"]] == [3, 3, 3]


def test_num_frames_survives_map_without_its_pixels(ds):
    rows = ds.cast_column("video", VideoClip(num_frames=2, size=32)).select([0, 1])
    mapped = rows.map(lambda row: {**row, "mean": float(row["video"].images.mean())})
    assert mapped.features["video"] == rows.features["video"]
    assert mapped.data.nbytes < 2000
    assert mapped[1]["video"].times == pytest.approx(rows[1]["video"].times)


def test_num_frames_under_numpy_keeps_the_bytes_small(ds):
    rows = ds.cast_column("video", VideoClip(num_frames=2, size=32)).with_format("numpy")
    cell = rows[1]["video"]
    assert cell["images"].dtype == np.uint8
    assert cell["times"].dtype == np.float64
    assert rows.with_format("numpy", dtype=np.float32)[1]["video"].images.dtype == np.float32
    assert rows[2]["video"].path is None


def test_clips_reach_other_processes(ds):
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(first_number, [ds[0]["video"], ds[1]["video"]]) == [0, 15]


def test_streams_give_clips(ds):
    stream = ds.to_iterable_dataset(num_shards=2)
    assert numbers_of(row["video"] for row in stream) == NUMBERS
    assert sorted(row["x"] for row in stream.shuffle(seed=1) if row["video"] == ds[5]["video"]) == [
        5
    ]
    kept = [row["video"] for row in stream.filter(has_x5)]
    if DATASETS_4:  # there a filter leaves any decoded column of a stream as it is stored
        kept = [VideoClip().decode_example(cell) for cell in kept]
    assert numbers_of(kept) == [30]
    mapped = stream.map(lambda row: {**row, "y": 1})
    assert numbers_of(row["video"] for row in mapped) == NUMBERS


def has_x5(row):
    return row["x"] == 5


@pytest.fixture
def export(root, tmp_path):
    """Parquet as an export writes it: a struct without bytes, paths relative or on the Hub."""
    rows = {
        "x": [0, 1, 2],
        "video": [
            {"intervals": [{"start": 0.0, "end": 1.0}], "path": NAME},
            {"intervals": [{"start": 0.5, "end": 1.0}], "path": f"hf://datasets/a/b@v1/{NAME}"},
            {"intervals": [{"start": 3.0, "end": 4.0}], "path": None},
        ],
    }
    path = str(tmp_path / "export.parquet")
    Dataset.from_dict(rows).to_parquet(path)
    return path


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("whole", [False, True], ids=["split", "dictionary"])
def test_with_clips_turns_an_export_into_clips(export, root, tmp_path, streaming, whole):
    loaded = load_dataset(
        "parquet",
        data_files=export,
        streaming=streaming,
        split=None if whole else "train",
        cache_dir=str(tmp_path / "cache"),
    )
    kind = (IterableDatasetDict if streaming else DatasetDict) if whole else type(loaded)
    clips = with_clips(loaded, root=root)
    assert type(clips) is kind
    rows = list(clips["train"] if whole else clips)
    assert numbers_of(row["video"] for row in rows) == [0, 15, None]
    plain = without_clips(clips)
    assert type(plain) is kind
    rows = list(plain["train"] if whole else plain)
    assert [row["video"]["path"] for row in rows] == [NAME, f"hf://datasets/a/b@v1/{NAME}", None]
    assert all(type(row["video"]) is dict for row in rows)


def test_with_clips_of_whole_videos(root):
    whole = Dataset.from_dict({"film": [str(root / NAME)]}).cast_column("film", Video())
    clip = with_clips(whole, column="film")[0]["film"]
    assert clip["intervals"] is None
    assert [media.read_number(image) for image in clip.at([0, 1.5]).images] == [0, 45]


def test_with_clips_without_the_column_says_which_there_are(ds):
    with pytest.raises(ValueError, match=r"column: found 'film'; expected one of \['video', 'x'\]"):
        with_clips(ds, column="film")
    for convert in (with_clips, without_clips):
        with pytest.raises(TypeError, match="ds: found list; expected a Dataset"):
            convert([])


def test_without_clips_of_a_dataset_without_any_is_the_same(ds):
    plain = ds.remove_columns("video")
    assert without_clips(plain) is plain


def test_without_clips_of_a_stream_of_unknown_features(ds):
    stream = IterableDataset.from_generator(ds.__iter__)
    plain = list(without_clips(stream))
    assert type(plain[0]["video"]) is dict
    assert numbers_of(row["video"] for row in with_clips(stream)) == NUMBERS


def test_what_is_saved_with_the_feature_comes_back(ds, tmp_path):
    ds.save_to_disk(str(tmp_path / "disk"))
    assert load_from_disk(str(tmp_path / "disk"))[:]["video"] == ds[:]["video"]
    ds.to_parquet(str(tmp_path / "rows.parquet"))
    again = Dataset.from_parquet(str(tmp_path / "rows.parquet"), cache_dir=str(tmp_path / "cache"))
    assert again.features == ds.features
    assert again[:]["video"] == ds[:]["video"]
    assert sum(file.stat().st_size for file in tmp_path.rglob("*.parquet")) < 10_000


_STOCK = """
import sys
from datasets import load_dataset, load_from_disk
disk, parquet, cache = sys.argv[1:]
loaded = load_dataset("parquet", data_files=parquet, cache_dir=cache, split="train")
for rows in (load_from_disk(disk), loaded):
    assert rows[0]["video"]["intervals"] == [{"start": 0.0, "end": 1.0}, {"start": 1.5, "end": 2.0}]
    assert rows[3]["video"] is None
assert not any(name.split(".")[0] in ("kolab", "kolab_core", "av") for name in sys.modules)
"""


def test_what_is_saved_without_clips_is_read_without_this_package(ds, tmp_path):
    plain = without_clips(ds)
    disk, parquet = str(tmp_path / "disk"), str(tmp_path / "rows.parquet")
    plain.save_to_disk(disk)
    plain.to_parquet(parquet)
    command = [sys.executable, "-c", _STOCK, disk, parquet, str(tmp_path / "cache")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert with_clips(load_from_disk(disk))[:]["video"] == ds[:]["video"]
