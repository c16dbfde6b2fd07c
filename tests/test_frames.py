"""Reading stored frames: those that decoding gives, wherever a clip goes."""

import io
import pickle
import shutil
import warnings
from pathlib import Path

import numpy as np
import pytest
from datasets import load_dataset
from tiny_release import edit_json

import kolab
from kolab_core.export import data_file
from kolab_core.frames import Folder, FramesNotStoredError, FrameStoreError, open_store
from kolab_core.frames.pictures import QUALITY, decode_pictures, encode_picture
from kolab_core.names.location import find_sample
from kolab_core.rows.experiments import EXPERIMENTS
from kolab_core.sampling import sample_times
from kolab_core.store import store_frames

pytestmark = pytest.mark.filterwarnings("ignore:The release at .* is partial")

ASKED = {"num_frames": 4, "size": 32}
# What JPEG and WebP keep at least of a sample's screens at their default quality, decibels.
LEAST_PSNR = {"jpeg": 38.0, "webp": 38.0}


def load(release, config="adoption_forecast", **options):
    return load_dataset("kolab", config, split="test", data_dir=str(release), **options)


def same(one, other):
    return np.array_equal(one.images, other.images) and np.array_equal(one.times, other.times)


@pytest.fixture(scope="module")
def frames(release, tmp_path_factory):
    out = tmp_path_factory.mktemp("frames") / "store"
    store_frames(out, data_dir=str(release), format="png", progress=False, **ASKED)
    return str(out)


@pytest.fixture
def nothing_decodes(monkeypatch):
    def fail(*args, **options):
        raise AssertionError("a recording was decoded")

    monkeypatch.setattr("kolab_core.clip.value.sample_times", fail)


@pytest.mark.parametrize("config", EXPERIMENTS)
def test_stored_frames_equal_decoded_ones(release, frames, own_cache, config):
    decoded = [row["video"].sample(4, size=32) for row in load(release, config) if row["has_video"]]
    rows = load(release, config, frames=frames, strict=True)
    stored = [row["video"].sample(4, size=32) for row in rows if row["has_video"]]
    assert len(stored) == len(decoded) > 1
    assert all(map(same, stored, decoded))


def test_stored_frames_need_no_recording(release, frames, own_cache, nothing_decodes):
    rows = kolab.with_frames(load(release), frames)
    clip = rows[0]["video"]
    assert clip.sample(4, size=32).images.shape == (4, 32, 48, 3)


def test_times_of_a_row_are_found_one_by_one(release, frames, own_cache, nothing_decodes):
    from kolab_core.sampling import centre_times

    clip = kolab.with_frames(load(release), frames, strict=True)[0]["video"]
    times = centre_times(clip.intervals, 4)
    whole = clip.sample(4, size=32)
    turned = clip.at([times[2], times[0], times[2]], size=32)
    assert np.array_equal(turned.images, whole.images[[2, 0, 2]])
    assert np.array_equal(turned.times, whole.times[[2, 0, 2]])


@pytest.mark.parametrize(
    "options",
    [{"num_frames": 3}, {"size": 16}, {"size": None}, {"exact": False}],
    ids=["num_frames", "size", "native", "keyframes"],
)
def test_what_a_store_lacks_is_decoded_or_refused(release, frames, own_cache, options):
    plain = load(release)[0]["video"]
    asked = {**ASKED, **options}
    assert same(
        kolab.with_frames(load(release), frames)[0]["video"].sample(**asked), plain.sample(**asked)
    )
    strict = kolab.with_frames(load(release), frames, strict=True)[0]["video"]
    with pytest.raises(FramesNotStoredError, match=r"recording\.mp4: at .* s: found .*\(strict\)"):
        strict.sample(**asked)


def test_sessions_that_are_not_stored_yet_are_decoded(release, own_cache, tmp_path):
    store_frames(
        tmp_path, data_dir=str(release), shard=(2, 3), format="png", progress=False, **ASKED
    )
    rows = kolab.with_frames(load(release), tmp_path)
    assert same(rows[0]["video"].sample(**ASKED), load(release)[0]["video"].sample(**ASKED))
    strict = kolab.with_frames(rows, tmp_path, strict=True)
    with pytest.raises(FramesNotStoredError, match="found no frames of P01_S1"):
        strict[0]["video"].sample(**ASKED)
    store_frames(tmp_path, data_dir=str(release), format="png", progress=False, **ASKED)
    assert len(strict[0]["video"].sample(**ASKED)) == 4


def test_stream_pickle_and_formats_keep_the_store(release, frames, own_cache, nothing_decodes):
    clip = load(release, frames=frames)[0]["video"]
    stream = load(release, frames=frames, streaming=True)
    assert same(next(iter(stream))["video"].sample(**ASKED), clip.sample(**ASKED))
    again = kolab.with_frames(load(release, streaming=True), frames, strict=True)
    assert same(next(iter(again))["video"].sample(**ASKED), clip.sample(**ASKED))
    assert same(pickle.loads(pickle.dumps(clip)).sample(**ASKED), clip.sample(**ASKED))
    rows = load(release, frames=frames).with_format("numpy")
    assert same(rows[0]["video"].sample(**ASKED), clip.sample(**ASKED))
    rows = load(release, frames=frames).map(lambda row: {"video": row["video"]})
    assert same(rows[0]["video"].sample(**ASKED), clip.sample(**ASKED))
    both = kolab.with_frames(load_dataset("kolab", data_dir=str(release)), frames)
    assert same(both["test"][0]["video"].sample(**ASKED), clip.sample(**ASKED))


def test_decoded_column_takes_stored_frames(release, frames, own_cache, nothing_decodes):
    rows = load(release)
    feature = kolab.VideoClip(num_frames=4, size=32)
    rows = kolab.with_frames(rows.cast_column("video", feature), frames, strict=True)
    assert rows[0]["video"].images.shape == (4, 32, 48, 3)


def test_plain_structs_become_clips_with_frames(release, frames, own_cache, nothing_decodes):
    plain = kolab.without_clips(load(release))
    assert len(kolab.with_frames(plain, frames)[0]["video"].sample(**ASKED)) == 4
    assert "VideoClip" not in str(kolab.without_clips(kolab.with_frames(plain, frames)).features)


def test_rows_of_an_export_find_their_sessions(release, export, frames, own_cache, nothing_decodes):
    files = str(export / data_file("adoption_forecast"))
    rows = load_dataset("parquet", data_files=files, split="train")
    clips = kolab.with_frames(kolab.with_clips(rows, root=str(export)), frames, strict=True)
    assert same(
        clips[0]["video"].sample(**ASKED), load(release, frames=frames)[0]["video"].sample(**ASKED)
    )


def test_prompts_and_predictions_are_those_of_decoded_frames(
    release, frames, own_cache, tmp_path, nothing_decodes, monkeypatch
):
    rows = load(release, frames=frames, strict=True).select([0, 1])
    shown = [kolab.render(row, ["video"], config="adoption_forecast", **ASKED) for row in rows]
    seen = []
    kolab.predict(
        rows,
        lambda messages: seen.append(messages) or "adopt",
        tmp_path / "answers.jsonl",
        modalities=["video"],
        progress=False,
        **ASKED,
    )
    assert seen == shown
    monkeypatch.undo()
    assert [
        kolab.render(row, ["video"], config="adoption_forecast", **ASKED)
        for row in load(release).select([0, 1])
    ] == shown


def test_store_of_another_release_is_refused(release, frames, own_cache, tmp_path):
    copy = Path(shutil.copytree(release, tmp_path / "copy"))
    edit_json(copy / "sessions" / "P01_S1" / "graph.json", '"adopt"', '"reject"')
    for way in (lambda: load(copy, frames=frames), lambda: kolab.with_frames(load(copy), frames)):
        with pytest.raises(FrameStoreError, match=r"another release than .* fingerprint: found"):
            way()


def test_store_of_another_recording_is_noticed(release, export, frames, own_cache, tmp_path):
    (tmp_path / "P01_S1.mp4").write_bytes(b"another")
    clip = kolab.Clip(tmp_path / "P01_S1.mp4", [(0, 10)]).stored_in(open_store(frames))
    with pytest.raises(FrameStoreError, match=r"expected those of .*P01_S1\.mp4, of 7 bytes"):
        clip.sample(**ASKED)


def test_damaged_store_says_which_file(release, frames, own_cache, tmp_path):
    copy = Path(shutil.copytree(frames, tmp_path / "store"))
    (copy / "frames" / "P01_S1.parquet").write_bytes(b"PAR1")
    with pytest.raises(FrameStoreError, match=r"frames/P01_S1\.parquet: found a damaged file"):
        load(release, frames=str(copy))[0]["video"].sample(**ASKED)
    (copy / "kolab_frames.json").write_text("{}")
    with pytest.raises(FrameStoreError, match="found no manifest"):
        load(release, frames=str(copy))


def test_store_behind_an_address_gives_the_same(release, frames, own_cache, nothing_decodes):
    import fsspec

    system = fsspec.filesystem("memory")
    system.put(f"{frames}/", "/read/store/", recursive=True)
    rows = load(release, frames="memory://read/store", strict=True)
    here = load(release, frames=frames)
    assert same(rows[0]["video"].sample(**ASKED), here[0]["video"].sample(**ASKED))


@pytest.mark.parametrize(
    ("config", "options", "told"),
    [
        ("step_n", {"frames": "nowhere"}, "frames: found no store at .*nowhere"),
        ("step_n", {"strict": True}, "strict: found True without frames"),
        ("surveys", {"frames": "x"}, "frames: found 'x' with the config 'surveys'"),
    ],
    ids=["nowhere", "strict", "surveys"],
)
def test_load_dataset_checks_frames_before_rows(release, own_cache, config, options, told):
    with pytest.raises(ValueError, match=told):
        load(release, config, **options)
    assert not own_cache.exists()


def test_rows_with_frames_are_those_of_the_cache(release, frames, own_cache):
    assert load(release).cache_files == load(release, frames=frames).cache_files


@pytest.mark.parametrize("kind", sorted(LEAST_PSNR))
def test_lossy_pictures_of_screens_keep_what_is_promised(kind):
    recording = find_sample() / "sessions" / "P03_S2" / "recording.mp4"
    recording = next(recording.parent.glob("recording.*"))
    images = sample_times(recording, [5.0, 20.0, 40.0], size=448).images
    files = [encode_picture(image, kind, QUALITY[kind]) for image in images]
    again = decode_pictures(files, num_threads=2)
    squares = (images.astype(np.float64) - again) ** 2
    psnr = 10 * np.log10(255**2 / squares.mean(axis=(1, 2, 3)))
    assert psnr.min() >= LEAST_PSNR[kind]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_loader_workers_read_the_store(release, frames, own_cache, method):
    torch_data = pytest.importorskip("torch.utils.data")
    rows = load(release, frames=frames, strict=True).select([0, 1]).select_columns(["video"])
    feature = kolab.VideoClip(num_frames=4, size=32, frames=frames, strict=True)
    rows = rows.cast_column("video", feature).with_format("torch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of fork in a process with threads
        loader = torch_data.DataLoader(
            rows, batch_size=2, num_workers=2, multiprocessing_context=method
        )
        [batch] = list(loader)
    here = [
        row["video"].sample(**ASKED).images for row in load(release, frames=frames).select([0, 1])
    ]
    assert np.array_equal(batch["video"]["images"].numpy(), np.stack(here))


def test_folder_reads_what_is_there_and_no_more(tmp_path):
    folder = Folder(tmp_path)
    with folder.writing("a/b.bin") as path:
        path.write_bytes(b"0123456789")
    assert folder.read_ranges("a/b.bin", [(2, 3), (8, 5)]) == [b"234", b"89"]
    assert folder.names("a") == {"b.bin"}
    assert folder.names("c") == set()
    assert folder.read("c") is None
    assert repr(Folder("s3://bucket/frames/")) == "Folder('s3://bucket/frames')"


def test_lock_is_held_by_one_at_a_time(tmp_path):
    folder = Folder(tmp_path)
    with folder.lock("x", waits=True) as first, folder.lock("x", waits=False) as second:
        assert (first, second) == (True, False)
    with folder.lock("x", waits=False) as again:
        assert again
    assert not list((tmp_path / ".locks").iterdir())


def test_png_is_exact():
    image = np.random.default_rng(0).integers(0, 256, (30, 41, 3)).astype(np.uint8)
    data = encode_picture(image, "png", None)
    assert io.BytesIO(data).read(4) == b"\x89PNG"
    assert np.array_equal(decode_pictures([data], num_threads=1)[0], image)
