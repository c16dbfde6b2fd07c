"""Runs inside an environment that has the wheel: does every name resolve? One JSON line a check.

`scripts/check_names.py` starts it, in an empty folder and without a network.
"""

from __future__ import annotations

import functools
import importlib.metadata
import json
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

CONFIGS = (
    "adoption_recognition",
    "adoption_forecast",
    "step_n",
    "workflow_level",
    "collab_rating",
    "output_quality",
    "sessions",
    "surveys",
)

Check = Callable[[], object]


def main() -> int:
    """Run the checks, each on its own, and print what came of it."""
    failures = 0
    for name, check in _list_checks():
        try:
            found, failed = check(), False
        except Exception as err:  # noqa: BLE001  # whatever a check raises is its result
            found, failed = f"{type(err).__name__}: {err}", True
        failures += failed
        print(json.dumps({"check": name, "failed": failed, "found": str(found)}), flush=True)
    return int(failures > 0)


def _list_checks() -> Iterator[tuple[str, Check]]:
    yield "versions", _versions
    yield "import", _import
    yield "sample is announced once", _sample_warns
    yield "config names", _config_names
    yield "split names", _split_names
    yield "features", _features
    for config in CONFIGS:
        yield f"load {config}", functools.partial(_load, config)
        yield f"stream {config}", functools.partial(_stream, config)
    yield "default config", _default_config
    yield "num_proc", _processes
    yield "context_steps", _context_steps
    yield "data_dir", _data_dir
    yield "KOLAB_DATA_DIR", _variable
    yield "unknown config", lambda: _refused("expected one of adoption_recog", name="forecast")
    yield "no release", lambda: _refused("expected a release", data_dir="nowhere")
    yield "address", lambda: _refused("an address", data_dir="https://example.org/kolab")
    yield "folder named kolab", _folder
    yield "a frame", _frame
    yield "evaluate", _evaluate


def _check(condition: object, found: object) -> None:
    if not condition:
        raise AssertionError(f"found {found}")


def _versions() -> str:
    names = ("datasets", "huggingface_hub", "evaluate", "av", "numpy", "pyarrow")
    parts = [f"{name} {importlib.metadata.version(name)}" for name in names]
    return ", ".join([f"Python {sys.version.split()[0]}", *parts])


def _import() -> str:
    import kolab

    _check("site-packages" in kolab.__file__, kolab.__file__)
    _check(not any(Path.cwd().iterdir()), "a folder that is not empty")
    return str(kolab.__version__)


def _sample_warns() -> int:
    from datasets import load_dataset

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rows = load_dataset("kolab", "collab_rating", split="test")
        load_dataset("kolab", "output_quality", split="test")
    texts = [str(warning.message) for warning in caught]
    _check(len([text for text in texts if "SAMPLE" in text]) == 1, texts)
    _check(len(texts) == 1, texts)
    _check("SAMPLE" in rows.info.description, rows.info.description)
    return len(rows)


def _config_names() -> int:
    from datasets import get_dataset_config_names

    names = get_dataset_config_names("kolab")
    _check(set(CONFIGS) <= set(names), names)
    return len(names)


def _split_names() -> str:
    from datasets import get_dataset_split_names

    names = {name for config in CONFIGS for name in get_dataset_split_names("kolab", config)}
    _check(names == {"test"}, names)
    return ", ".join(names)


def _features() -> int:
    from datasets import load_dataset_builder

    features = load_dataset_builder("kolab").info.features
    _check(features["label"].names == ["adopt", "modify", "reject"], features["label"])
    return len(features)


def _rows(config: str | None, **options: Any) -> Any:
    from datasets import load_dataset

    return load_dataset("kolab", config, split="test", **options)


def _ids(rows: Any) -> list[Any]:
    return [next(iter(row.values())) for row in rows]


def _load(config: str) -> int:
    rows = _rows(config)
    _check(len(rows) > 0, rows)
    return len(rows)


def _stream(config: str) -> int:
    streamed = _ids(_rows(config, streaming=True))
    _check(streamed == _ids(_rows(config)), streamed)
    return len(streamed)


def _default_config() -> str:
    rows = _rows(None)
    _check(rows.config_name == "adoption_forecast", rows.config_name)
    return str(rows.config_name)


def _processes() -> int:
    rows = _rows("step_n", num_proc=2, cache_dir="cache")
    _check(_ids(rows) == _ids(_rows("step_n")), _ids(rows))
    return len(rows)


def _context_steps() -> int:
    rows = _rows("step_n", context_steps=2)
    _check(set(rows["context_steps"]) == {2}, rows["context_steps"])
    return len(rows)


def _copy_sample(name: str) -> Path:
    from kolab_core.names.location import find_sample

    copy = Path(name).absolute()
    shutil.copytree(find_sample(), copy, dirs_exist_ok=True)
    return copy


def _data_dir() -> int:
    _copy_sample("release")
    rows = _rows("sessions", data_dir="release")
    _check("SAMPLE" not in rows.info.description, rows.info.description)
    return len(rows)


def _variable() -> int:
    import os

    os.environ["KOLAB_DATA_DIR"] = str(_copy_sample("another"))
    try:
        rows = _rows("sessions")
    finally:
        del os.environ["KOLAB_DATA_DIR"]
    _check("SAMPLE" not in rows.info.description, rows.info.description)
    return len(rows)


def _refused(message: str, **options: Any) -> str:
    from datasets import load_dataset

    try:
        load_dataset("kolab", **options)
    except ValueError as err:
        _check(message in str(err), err)
        return str(err)
    raise AssertionError("found no error")


def _folder() -> int:
    Path("kolab/kolab_core").mkdir(parents=True)
    Path("kolab/kolab.py").touch()
    rows = _rows("sessions")
    _check(len(rows) > 0, rows)
    return len(rows)


def _frame() -> str:
    clip = _rows("adoption_forecast")[0]["video"]
    images = clip.sample(2, size=64).images
    _check(images.shape[0] == 2, images.shape)
    times = clip.sample(2, size=64, exact=False).times
    _check(len(times) == 2, times)
    saved = type(clip)(clip.save("clip.mp4"))
    _check(abs(saved.duration - clip.duration) < 0.01, saved.duration)
    return str(images.shape)


def _evaluate() -> str:
    import evaluate

    import kolab_core

    folder = Path(str(kolab_core.__file__)).parent / "_metrics"
    names = sorted(
        path.parent.name for path in folder.glob("*/*.py") if path.stem == path.parent.name
    )
    _check(names, "no modules")
    for name in names:
        evaluate.load(name)
    return ", ".join(names)


if __name__ == "__main__":
    sys.exit(main())
