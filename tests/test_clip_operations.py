"""Every public method of the kinds of `datasets`, tried on rows with clips.

`TRIED` is the table: a new method of the library that is not in it fails a test.
"""

import importlib.util
import json
import re
import sqlite3
from functools import cached_property

import datasets
import pytest
from datasets import (
    ClassLabel,
    Dataset,
    DatasetDict,
    Features,
    IterableDataset,
    IterableDatasetDict,
    Value,
    concatenate_datasets,
    load_from_disk,
)

from kolab_core.clip import Clip, VideoClip, with_clips

FEATURES = Features(
    {"video": VideoClip(), "x": Value("int64"), "label": ClassLabel(names=["no", "yes"])}
)
# Of the library's own: `Dataset.sort` under pyarrow 25 and later, and `from_csv` in datasets 4.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Specifying null_placement:FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
# Streams of datasets 4 do these in their own way, with any column.
OTHERWISE_IN_4 = {"filter", "skip", "to_dict", "to_pandas", "to_polars"}
CLIPS = [
    Clip("a.mp4", [(0, 1), (1.5, 2)]),
    Clip("b.mp4", [(0.334, 0.667)]),
    None,
    Clip(None, [(3, 4)]),
]
PLAIN = [None if clip is None else dict(clip) for clip in CLIPS]
ALL = [0, 1, 2, 3]
NAMES = {
    "Dataset": Dataset,
    "IterableDataset": IterableDataset,
    "DatasetDict": DatasetDict,
    "IterableDatasetDict": IterableDatasetDict,
}


class Subject:
    """Rows in every kind of the library, and a folder for what is written.

    `x` is a row's number: whatever is done, its clip has to be that of CLIPS.
    """

    def __init__(self, folder):
        self.folder = folder

    @cached_property
    def rows(self):
        columns = {"video": CLIPS, "x": ALL, "label": [0, 1, 0, 1]}
        return Dataset.from_dict(columns, features=FEATURES)

    @cached_property
    def stream(self):
        return self.rows.to_iterable_dataset(num_shards=2)

    @cached_property
    def splits(self):
        return DatasetDict({"test": self.rows})

    @cached_property
    def streams(self):
        return IterableDatasetDict({"test": self.stream})

    def path(self, name):
        return str(self.folder / name)

    @property
    def cache(self):
        return self.path("cache")


def keeps(change, order=ALL, column="video", is_plain=False):
    """A trial: after `change` the rows are those of `order`, each with its own clip."""

    def trial(subject):
        changed = change(subject)
        rows = list(changed["test"] if isinstance(changed, dict) else changed)
        expected = PLAIN if is_plain else CLIPS
        assert [row[column] for row in rows] == [expected[number] for number in order]
        kind = dict if is_plain else Clip
        assert {type(row[column]) for row in rows} <= {kind, type(None)}
        if "x" in rows[0]:
            assert [row["x"] for row in rows] == list(order)

    return trial


def gives(make, expected):
    """A trial: `make` gives this value."""

    def trial(subject):
        assert make(subject) == expected

    return trial


def refuses(call, error, words):
    """A trial: it cannot be done with such a column, and that is said."""

    def trial(subject):
        with pytest.raises(error, match=words):
            call(subject)

    return trial


def needs(package, call, words=None):
    """A trial: without the package that it needs its name is said; with it, nothing is asked."""

    def trial(subject):
        if importlib.util.find_spec(package):
            pytest.skip(f"{package} is there")
        with pytest.raises((ImportError, ValueError), match=words or f"(?i){package}"):
            call(subject)

    return trial


def tells(attribute, names):
    """What is said of the whole, which no clip has a part in: it can be read."""
    return {
        name: lambda subject, name=name: getattr(getattr(subject, attribute), name)
        for name in names.split()
    }


def like_a_dict(attribute, kind):
    """A dictionary's own methods, which give the rows as they are."""

    def copy(subject):
        whole = getattr(subject, attribute)
        other = kind(whole)
        other.update(more=other.pop("test"))
        assert other.setdefault("more", None) is whole["test"]
        assert other.get("more") is next(iter(other.values()))
        assert list(other.keys()) == [name for name, _ in other.items()] == ["more"]
        assert other.copy().popitem() == ("more", whole["test"])
        assert set(kind.fromkeys(["a"], whole["test"])) == {"a"}
        other.clear()

    names = "clear copy fromkeys get items keys pop popitem setdefault update values"
    return dict.fromkeys(names.split(), copy)


MORE = Features({**FEATURES, "x": Value("int32")})
RENAMED = {"video": "film"}


def same(row):
    return row


def is_odd(row):
    assert row["video"] == CLIPS[row["x"]]
    return row["x"] % 2 == 1


def generate(rows):
    yield from rows


def formatted(whole):
    with whole.formatted_as("numpy", columns=["video"]):
        rows = whole["test"] if isinstance(whole, dict) else whole
        assert rows[0]["video"] == CLIPS[0]
    return whole


def reset(whole):
    whole.set_format("pandas")
    whole.reset_format()
    return whole


def transformed(whole):
    whole.set_transform(lambda batch: {"n": [cell is None for cell in batch["video"]]})
    rows = whole["test"] if isinstance(whole, dict) else whole
    assert rows[:]["n"] == [False, False, True, False]
    whole.reset_format()
    return whole


def set_numpy(whole):
    whole.set_format("numpy")
    return whole


def read_json(subject, write):
    """What a JSON-lines file holds, and the clips that it gives again."""
    path = subject.path("rows.jsonl")
    write(path)
    lines = (subject.folder / "rows.jsonl").read_text().splitlines()
    assert [json.loads(line)["video"] for line in lines] == PLAIN
    return path


def read_csv(subject, write):
    """A CSV file's cells, which are text: what `datasets` and pandas make of a struct."""
    path = subject.path("rows.csv")
    write(path)
    texts = Dataset.from_csv(path, cache_dir=subject.cache)["video"][:]
    assert [text and re.findall(r"\w\.mp4", text) for text in texts] == [
        ["a.mp4"],
        ["b.mp4"],
        None,
        [],
    ]
    return path


def parquet(subject, write):
    path = subject.path("rows.parquet")
    write(path)
    return path


def from_stream(path, subject, kind):
    loaded = kind.from_parquet(path, cache_dir=subject.cache)
    assert loaded.features == FEATURES
    return loaded


def saved(subject):
    subject.rows.save_to_disk(subject.path("rows"))
    return Dataset.load_from_disk(subject.path("rows"))


def saved_splits(subject):
    subject.splits.save_to_disk(subject.path("splits"))
    return DatasetDict.load_from_disk(subject.path("splits"))


def arrow_file(subject):
    subject.rows.save_to_disk(subject.path("rows"))
    return str(next((subject.folder / "rows").glob("*.arrow")))


def resumed(subject):
    rows = iter(subject.stream)
    next(rows)
    state = subject.stream.state_dict()
    other = subject.rows.to_iterable_dataset(num_shards=2)
    other.load_state_dict(state)
    return other


def batches(whole):
    return [row for batch in whole for row in Dataset.from_dict(batch, features=FEATURES)]


def decoded(subject):
    assert next(iter(subject.stream.decode(False)))["video"] == PLAIN[0]
    return subject.stream.decode(False).decode(True)


def in_memory():
    return sqlite3.connect(":memory:")


def pushed(whole):
    """`push_to_hub` stops at the address, before the rows: tests have no network.

    What it would write is what `to_parquet` writes.
    """
    whole.push_to_hub("not/a/repository")


def on(attribute):
    """Makes a trial's call of what is done to the rows that the subject has under this name."""
    return lambda change: lambda subject: change(getattr(subject, attribute))


def of_any(attribute):
    """What all four kinds do alike."""
    on_it = on(attribute)
    plain = VideoClip(decode=False)
    return {
        "cast": keeps(on_it(lambda ds: ds.cast(MORE))),
        "cast_column": keeps(on_it(lambda ds: ds.cast_column("video", plain)), is_plain=True),
        "filter": keeps(on_it(lambda ds: ds.filter(is_odd)), [1, 3]),
        "map": keeps(on_it(lambda ds: ds.map(same))),
        "push_to_hub": refuses(on_it(pushed), Exception, "not/a/repository"),
        "remove_columns": keeps(on_it(lambda ds: ds.remove_columns("label"))),
        "rename_column": keeps(on_it(lambda ds: ds.rename_column("video", "film")), column="film"),
        "rename_columns": keeps(on_it(lambda ds: ds.rename_columns(RENAMED)), column="film"),
        "select_columns": keeps(on_it(lambda ds: ds.select_columns("video"))),
        "with_format": keeps(on_it(lambda ds: ds.with_format("numpy"))),
    }


def of_one_split(attribute, kind):
    """What rows and streams of one split do alike."""
    on_it = on(attribute)

    def written(read, name):
        return lambda s: read(s, getattr(getattr(s, attribute), name))

    return {
        "add_column": keeps(on_it(lambda ds: ds.add_column("y", ALL))),
        "batch": keeps(on_it(lambda ds: batches(ds.batch(3)))),
        "from_dict": keeps(lambda s: kind.from_dict(s.rows[:]), is_plain=True),
        "from_file": keeps(lambda s: kind.from_file(arrow_file(s))),
        "from_pandas": keeps(lambda s: kind.from_pandas(s.rows.to_pandas(), features=FEATURES)),
        "from_polars": needs("polars", lambda s: kind.from_polars(s.rows.to_polars())),
        "iter": keeps(on_it(lambda ds: batches(ds.iter(3)))),
        "repeat": keeps(on_it(lambda ds: ds.repeat(2)), ALL * 2),
        "shard": keeps(on_it(lambda ds: ds.shard(2, 1)), [2, 3]),
        "skip": keeps(on_it(lambda ds: ds.skip(3)), [3]),
        "take": keeps(on_it(lambda ds: ds.take(2)), [0, 1]),
        "to_csv": written(read_csv, "to_csv"),
        "to_dict": gives(on_it(lambda ds: ds.to_dict()["video"]), PLAIN),
        "to_json": written(read_json, "to_json"),
        "to_list": gives(on_it(lambda ds: [row["video"] for row in ds.to_list()]), PLAIN),
        "to_pandas": gives(on_it(lambda ds: ds.to_pandas()["video"][1]["path"]), "b.mp4"),
        "to_parquet": keeps(
            lambda s: from_stream(written(parquet, "to_parquet")(s), s, Dataset),
        ),
        "to_polars": needs("polars", on_it(lambda ds: ds.to_polars())),
        "to_sql": refuses(
            on_it(lambda ds: ds.to_sql("t", in_memory())), Exception, "(?i)fail|bind|support"
        ),
    }


def of_loaded(attribute):
    """What rows that are loaded do alike, one split of them or several."""
    on_it = on(attribute)
    return {
        "align_labels_with_mapping": keeps(
            on_it(lambda ds: ds.align_labels_with_mapping({"yes": 0, "no": 1}, "label"))
        ),
        "class_encode_column": refuses(
            on_it(lambda ds: ds.class_encode_column("video")),
            ValueError,
            "column video is VideoClip",
        ),
        "flatten": keeps(on_it(lambda ds: ds.flatten())),
        "formatted_as": keeps(on_it(formatted)),
        "reset_format": keeps(on_it(reset)),
        "set_format": keeps(on_it(set_numpy)),
        "set_transform": keeps(on_it(transformed)),
        "sort": keeps(on_it(lambda ds: ds.sort("x", reverse=True)), ALL[::-1]),
        "unique": refuses(on_it(lambda ds: ds.unique("video")), Exception, "unique.*struct<path"),
        "with_transform": keeps(on_it(lambda ds: ds.with_transform(same))),
    }


ROWS = {
    **of_any("rows"),
    **of_one_split("rows", Dataset),
    **of_loaded("rows"),
    "add_elasticsearch_index": needs(
        "elasticsearch", lambda s: s.rows.add_elasticsearch_index("video")
    ),
    "add_faiss_index": needs("faiss", lambda s: s.rows.add_faiss_index("video")),
    "add_faiss_index_from_external_arrays": needs(
        "faiss",
        lambda s: s.rows.add_faiss_index_from_external_arrays(
            s.rows.with_format("numpy")["x"][:][:, None], "i"
        ),
    ),
    "add_item": keeps(lambda s: s.rows.add_item(s.rows[1]).add_item(s.rows[2]), [*ALL, 1, 2]),
    "cleanup_cache_files": gives(lambda s: s.rows.cleanup_cache_files(), 0),
    "drop_index": refuses(lambda s: s.rows.drop_index("video"), KeyError, "video"),
    "flatten_indices": keeps(lambda s: s.rows.select([3, 0]).flatten_indices(), [3, 0]),
    "from_buffer": keeps(
        lambda s: Dataset.from_buffer(_buffer(arrow_file(s)), info=s.rows.info), ALL
    ),
    "from_csv": lambda s: read_csv(s, s.rows.to_csv),
    "from_generator": keeps(
        lambda s: Dataset.from_generator(
            generate, gen_kwargs={"rows": s.rows}, features=FEATURES, cache_dir=s.cache
        )
    ),
    "from_json": keeps(
        lambda s: with_clips(Dataset.from_json(read_json(s, s.rows.to_json), cache_dir=s.cache))
    ),
    "from_list": keeps(lambda s: Dataset.from_list(list(s.rows), features=FEATURES)),
    "from_parquet": keeps(lambda s: from_stream(parquet(s, s.rows.to_parquet), s, Dataset)),
    "from_spark": needs("pyspark", lambda s: Dataset.from_spark(None), "(?i)pyspark"),
    "from_sql": refuses(
        lambda s: s.rows.to_sql("t", in_memory()), Exception, "(?i)fail|bind|support"
    ),
    "from_text": lambda s: Dataset.from_text(read_json(s, s.rows.to_json), cache_dir=s.cache),
    "get_index": refuses(lambda s: s.rows.get_index("video"), Exception, "add_faiss_index"),
    "get_nearest_examples": refuses(
        lambda s: s.rows.get_nearest_examples("video", 1), Exception, "add_faiss_index"
    ),
    "get_nearest_examples_batch": refuses(
        lambda s: s.rows.get_nearest_examples_batch("video", [1]), Exception, "add_faiss_index"
    ),
    "is_index_initialized": gives(lambda s: s.rows.is_index_initialized("video"), False),
    "list_indexes": gives(lambda s: s.rows.list_indexes(), []),
    "load_elasticsearch_index": needs(
        "elasticsearch", lambda s: s.rows.load_elasticsearch_index("i", "i")
    ),
    "load_faiss_index": needs("faiss", lambda s: s.rows.load_faiss_index("i", "none")),
    "load_from_disk": keeps(saved),
    "save_faiss_index": refuses(
        lambda s: s.rows.save_faiss_index("video", "none"), Exception, "add_faiss_index"
    ),
    "save_to_disk": keeps(lambda s: load_from_disk(str(saved(s) and s.path("rows")))),
    "search": refuses(lambda s: s.rows.search("video", 1), Exception, "add_faiss_index"),
    "search_batch": refuses(
        lambda s: s.rows.search_batch("video", [1]), Exception, "add_faiss_index"
    ),
    "select": keeps(lambda s: s.rows.select([3, 1]), [3, 1]),
    "shuffle": keeps(lambda s: s.rows.shuffle(seed=3).sort("x")),
    "to_iterable_dataset": keeps(lambda s: s.rows.to_iterable_dataset()),
    "to_tf_dataset": needs("tensorflow", lambda s: s.rows.to_tf_dataset()),
    "train_test_split": keeps(
        lambda s: concatenate_datasets(list(s.rows.train_test_split(0.5, seed=1).values())).sort(
            "x"
        )
    ),
    **tells(
        "rows",
        "builder_name cache_files citation column_names config_name data dataset_size "
        "description download_checksums download_size features format homepage info "
        "license num_columns num_rows shape size_in_bytes split supervised_keys version",
    ),
}

STREAM = {
    **of_any("stream"),
    **of_one_split("stream", IterableDataset),
    "decode": keeps(decoded),
    "from_csv": lambda s: list(
        IterableDataset.from_csv(read_csv(s, s.rows.to_csv), cache_dir=s.cache)
    ),
    "from_generator": keeps(
        lambda s: IterableDataset.from_generator(
            generate, gen_kwargs={"rows": s.rows}, features=FEATURES
        )
    ),
    "from_json": keeps(
        lambda s: with_clips(IterableDataset.from_json(read_json(s, s.rows.to_json)))
    ),
    "from_list": keeps(lambda s: IterableDataset.from_list(list(s.rows)), is_plain=True),
    "from_parquet": keeps(lambda s: IterableDataset.from_parquet(parquet(s, s.rows.to_parquet))),
    "from_spark": needs("pyspark", lambda s: IterableDataset.from_spark(None), "(?i)pyspark|spark"),
    "from_text": lambda s: list(IterableDataset.from_text(read_json(s, s.rows.to_json))),
    "load_state_dict": keeps(resumed, [1, 2, 3]),
    "reshard": keeps(lambda s: s.stream.reshard()),
    "set_epoch": gives(lambda s: s.stream.set_epoch(2), None),
    "shuffle": keeps(
        lambda s: sorted(s.stream.shuffle(seed=1, buffer_size=2), key=lambda row: row["x"])
    ),
    "state_dict": keeps(resumed, [1, 2, 3]),
    **tells(
        "stream",
        "builder_name citation column_names config_name dataset_size description "
        "download_checksums download_size epoch features homepage info license n_shards "
        "num_columns num_shards size_in_bytes split supervised_keys version",
    ),
}

SPLITS = {
    **of_any("splits"),
    **of_loaded("splits"),
    "cleanup_cache_files": gives(lambda s: s.splits.cleanup_cache_files(), {"test": 0}),
    "flatten_indices": keeps(lambda s: s.splits.flatten_indices()),
    "from_csv": lambda s: DatasetDict.from_csv(
        {"test": read_csv(s, s.rows.to_csv)}, cache_dir=s.cache
    ),
    "from_json": keeps(
        lambda s: with_clips(
            DatasetDict.from_json({"test": read_json(s, s.rows.to_json)}, cache_dir=s.cache)
        )
    ),
    "from_parquet": keeps(
        lambda s: DatasetDict.from_parquet(
            {"test": parquet(s, s.rows.to_parquet)}, cache_dir=s.cache
        )
    ),
    "from_text": lambda s: DatasetDict.from_text(
        {"test": read_json(s, s.rows.to_json)}, cache_dir=s.cache
    ),
    "load_from_disk": keeps(saved_splits),
    "save_to_disk": keeps(saved_splits),
    "shuffle": keeps(lambda s: s.splits.shuffle(seed=1).sort("x")),
    **tells("splits", "cache_files column_names data num_columns num_rows shape"),
    **like_a_dict("splits", DatasetDict),
}

STREAMS = {
    **of_any("streams"),
    "shuffle": keeps(lambda s: sorted(s.streams.shuffle(seed=1)["test"], key=lambda row: row["x"])),
    **tells("streams", "column_names num_columns"),
    **like_a_dict("streams", IterableDatasetDict),
}

TRIED = {
    "Dataset": ROWS,
    "IterableDataset": STREAM,
    "DatasetDict": SPLITS,
    "IterableDatasetDict": STREAMS,
}
TRIALS = [(kind, method) for kind, trials in TRIED.items() for method in trials]


def _buffer(path):
    import pyarrow as pa

    with pa.OSFile(path) as file:
        return pa.py_buffer(file.read())


@pytest.mark.parametrize("kind", NAMES)
def test_every_public_method_is_tried(kind):
    public = {name for name in dir(NAMES[kind]) if not name.startswith("_")}
    assert not public - set(TRIED[kind]), "methods of datasets that no row with a clip was put to"


@pytest.mark.parametrize(("kind", "method"), TRIALS, ids=lambda part: part)
def test_method_on_rows_with_clips(kind, method, tmp_path):
    if not hasattr(NAMES[kind], method):
        pytest.skip(f"datasets {datasets.__version__} has none")
    is_in_4 = datasets.__version__.startswith("4.") and kind.startswith("Iterable")
    if is_in_4 and method in OTHERWISE_IN_4:
        pytest.skip(f"datasets {datasets.__version__} does it in its own way")
    TRIED[kind][method](Subject(tmp_path))
