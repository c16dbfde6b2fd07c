"""What `import kolab` teaches the two libraries: the dataset `kolab`, the metrics `kolab_*`.

`datasets` runs no dataset scripts any more, and its table of packaged modules searches the working
folder for data files. So the function that finds datasets is wrapped, and answers for our name
from any folder and without a network.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import datasets.inspect
import datasets.load
import yaml
from datasets.load import DatasetModule
from huggingface_hub import metadata_load

from kolab_core.names import registry_evaluate
from kolab_core.names.location import is_release, resolve_data_dir
from kolab_core.release import fingerprint_release, show_value

__all__ = ["DATASET_NAME", "hash_release", "install", "is_export"]

DATASET_NAME = "kolab"

_PACKAGE = Path(__file__).resolve().parents[1]
# The rooms that rows come from; they import no other (the house's map says so, and a test).
_ROW_ROOMS = ("clip", "files.py", "frames", "release", "rows", "sampling", "team")
# Folders of an export that may lie above its parquet: at most `data/<config>/<split>/`.
_PARQUET_DEPTH = 3


def install() -> None:
    """Make the names resolve. Doing it again changes nothing."""
    registry_evaluate.wrap_everywhere(datasets.load, "dataset_module_factory", _wrap)
    registry_evaluate.install()


def hash_release(root: Path, *, fingerprint: str | None = None) -> str:
    """What names a release's rows in the cache of `datasets`.

    It changes with the release's place (`root`, resolved), with its content (`fingerprint`, by
    default `fingerprint_release`) and with the code that makes rows.
    """
    digest = hashlib.blake2b(digest_size=16)
    content = fingerprint_release(root) if fingerprint is None else fingerprint
    for part in (os.fsencode(root), content.encode(), _digest_source()):
        digest.update(hashlib.blake2b(part).digest())
    return digest.hexdigest()


def is_export(folder: Path) -> bool:
    """Whether a local folder named as the dataset is an export of it, and so comes first.

    It is one if its README.md has YAML `configs` or it holds parquet, at most three folders down.
    A checkout of this project and a release (which may hold parquet among its files) never are.
    """
    if not folder.is_dir() or (folder / "kolab_core").is_dir() or (folder / "kolab.py").is_file():
        return False
    if is_release(folder):
        return False
    return _has_configs(folder / "README.md") or _holds_parquet(folder, _PARQUET_DEPTH)


def _wrap(original: Callable[..., DatasetModule]) -> Callable[..., DatasetModule]:
    """`dataset_module_factory` that answers for our name itself."""
    signature = inspect.signature(original)

    @functools.wraps(original)
    def answer(*args: Any, **kwargs: Any) -> DatasetModule:
        arguments = signature.bind(*args, **kwargs).arguments
        is_ours = arguments["path"] == DATASET_NAME
        # Whoever names a release wants that one, also beside an export.
        if not is_ours or (
            is_export(Path(DATASET_NAME)) and not is_release(arguments.get("data_dir"))
        ):
            return original(*args, **kwargs)
        for name in ("data_files", "revision"):
            if (value := arguments.get(name)) is not None:
                raise ValueError(
                    f"{name}: found {show_value(value)}; expected none: rows come from a release "
                    "on this machine. Name its folder with data_dir."
                )
        location = resolve_data_dir(arguments.get("data_dir"))
        return DatasetModule(
            module_path=DATASET_NAME,
            hash=hash_release(location.root),
            builder_kwargs={"dataset_name": DATASET_NAME},
        )

    return answer


def _has_configs(readme: Path) -> bool:
    """Whether a README begins with YAML that lists `configs`."""
    try:
        metadata = metadata_load(readme) if readme.is_file() else None
    except (OSError, ValueError, yaml.YAMLError):
        return False
    return bool(isinstance(metadata, dict) and metadata.get("configs"))


def _holds_parquet(folder: Path, depth: int) -> bool:
    """Whether parquet lies in `folder` or at most `depth` folders down; hidden ones are skipped."""
    try:
        entries = [path for path in folder.iterdir() if not path.name.startswith(".")]
    except OSError:
        return False
    if any(path.suffix == ".parquet" and path.is_file() for path in entries):
        return True
    return depth > 0 and any(path.is_dir() and _holds_parquet(path, depth - 1) for path in entries)


def _digest_source() -> bytes:
    """A digest of the code that rows come from."""
    digest = hashlib.blake2b()
    for name, text in _read_source():
        digest.update(f"{name}\0{len(text)}\0".encode())
        digest.update(text)
    return digest.digest()


def _read_source() -> Iterator[tuple[str, bytes]]:
    """Name and content of this package's files, in order, and of the builder's module."""
    for path in sorted(_PACKAGE.rglob("*.py")):
        name = path.relative_to(_PACKAGE)
        if name.parts[0] in _ROW_ROOMS:
            yield name.as_posix(), path.read_bytes()
    builder = _PACKAGE.parent / f"{DATASET_NAME}.py"
    yield builder.name, builder.read_bytes()
