"""Kolab's front door: importing it lets `datasets` and `evaluate` find everything by name.

    >>> import kolab
    >>> from datasets import get_dataset_config_names
    >>> get_dataset_config_names("kolab")[:2]
    ['adoption_recognition', 'adoption_forecast']

`load_dataset("kolab", config)` gives the rows of a config, all in the split `test`:
`data_dir` or the variable `KOLAB_DATA_DIR` names the release, else the embedded sample loads.
"""

from __future__ import annotations

import dataclasses
import inspect
import numbers
import os
import pkgutil
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import datasets
import pyarrow as pa
from datasets.exceptions import DatasetGenerationError

from kolab_core import __version__
from kolab_core.clip import (
    Clip,
    ClipError,
    Frames,
    VideoClip,
    with_clips,
    with_frames,
    without_clips,
)
from kolab_core.frames import FramesNotStoredError, FrameStoreError, open_store
from kolab_core.frames.folder import Folder
from kolab_core.names import registry
from kolab_core.names.location import (
    SAMPLE_NOTE,
    names_release,
    resolve_data_dir,
    resolve_team_dir,
    warn_of_partial,
    warn_of_sample,
)
from kolab_core.release import Release, ReleaseError, open_release, show_value
from kolab_core.rows.check import check_release
from kolab_core.rows.columns import CONFIG_DESCRIPTIONS, build_features
from kolab_core.rows.experiments import (
    CONFIG_NAMES,
    CONTEXT_STEPS,
    DEFAULT_CONFIG,
    session_rows,
    survey_rows,
)
from kolab_core.rows.subsets import subset
from kolab_core.sampling import sample_clips
from kolab_core.team import (
    TEAM_DESCRIPTION,
    build_team_features,
    fingerprint_team,
    open_team,
    team_rows,
)

if TYPE_CHECKING:
    from kolab_core import dynamics, prompts, scores, skill
    from kolab_core.names import modules
    from kolab_core.predict import predict
    from kolab_core.prompts import (
        PROMPT_VERSION,
        MissingInputError,
        attach_frames,
        render,
        render_all,
    )
    from kolab_core.scores import parse
    from kolab_core.store import store_frames

__all__ = [
    "PROMPT_VERSION",
    "Clip",
    "ClipError",
    "FrameStoreError",
    "Frames",
    "FramesNotStoredError",
    "Kolab",
    "KolabConfig",
    "KolabReleaseError",
    "MissingInputError",
    "ReleaseError",
    "VideoClip",
    "__version__",
    "attach_frames",
    "dynamics",
    "modules",
    "parse",
    "predict",
    "prompts",
    "render",
    "render_all",
    "sample_clips",
    "scores",
    "skill",
    "store_frames",
    "subset",
    "with_clips",
    "with_frames",
    "without_clips",
]

_DESCRIPTION = (
    "Kolab: professionals work an hour with an AI agent, screen-recorded; each AI output is "
    "labelled adopted, modified or rejected, each step rated 1 to 5. "
)
_ROWS_VERSION = datasets.Version("1.0.0")
_TEAM_CONFIG = "team_sessions"
# What rows do without: imported when somebody asks for it, as the evaluate modules do.
_ON_DEMAND = {
    "MissingInputError": "kolab_core.prompts.MissingInputError",
    "PROMPT_VERSION": "kolab_core.prompts.PROMPT_VERSION",
    "attach_frames": "kolab_core.prompts.attach_frames",
    "dynamics": "kolab_core.dynamics",
    "inspect_tasks": "kolab_core.harness.inspect_tasks",
    "modules": "kolab_core.names.modules",
    "parse": "kolab_core.scores.parse",
    "predict": "kolab_core.predict.predict",
    "prompts": "kolab_core.prompts",
    "render": "kolab_core.prompts.render",
    "render_all": "kolab_core.prompts.render_all",
    "scores": "kolab_core.scores",
    "skill": "kolab_core.skill",
    "store_frames": "kolab_core.store.store_frames",
}


def __getattr__(name: str) -> Any:
    if name not in _ON_DEMAND:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return pkgutil.resolve_name(_ON_DEMAND[name])


class KolabReleaseError(ReleaseError, DatasetGenerationError):
    """A release whose rows cannot be made: a `ReleaseError` that `datasets` passes on as it is."""


@dataclasses.dataclass
class KolabConfig(datasets.BuilderConfig):
    """A config of the dataset: which rows, and from where.

    Splits: `test`, all rows. Source: the release at `data_dir`.

    Attributes:
        context_steps: For `step_n` alone: 1, 2 or 3 keeps the rows with that many earlier steps;
            None, the default, all three rows of each AI output.
    """

    context_steps: int | None = None


class Kolab(datasets.ArrowBasedBuilder):
    """Makes the rows of one config from a release, a session at a time."""

    VERSION = _ROWS_VERSION
    BUILDER_CONFIG_CLASS = KolabConfig
    BUILDER_CONFIGS = [  # noqa: RUF012  # datasets reads the class attribute
        KolabConfig(name=name, version=_ROWS_VERSION, description=CONFIG_DESCRIPTIONS[name])
        for name in CONFIG_NAMES
    ]
    DEFAULT_CONFIG_NAME = DEFAULT_CONFIG
    _ABOUT = _DESCRIPTION
    # A session is one table; of tables with a single row, the writer gathers this many.
    DEFAULT_WRITER_BATCH_SIZE = 16

    def __new__(cls, *args: Any, config_name: str | None = None, **kwargs: Any) -> Kolab:
        """The builder of rated team sessions, if that config is asked for; else this one."""
        del args, kwargs
        builder: Kolab = super().__new__(KolabTeam if config_name == _TEAM_CONFIG else cls)
        return builder

    def __init__(
        self,
        *,
        config_name: str | None = None,
        data_dir: str | None = None,
        hash: str | None = None,  # the library's name for it
        frames: str | os.PathLike[str] | None = None,
        strict: bool = False,
        **kwargs: Any,
    ) -> None:
        """Check what was asked for before anything is written; see `datasets.DatasetBuilder`.

        Args:
            config_name: One of `CONFIG_NAMES`.
            data_dir: The release; see `resolve_data_dir`.
            hash: What names the rows in the cache; by default `registry.hash_release`.
            frames: A store of frames that the rows' clips take theirs from; see `with_frames`.
            strict: Whether frames that the store lacks are an error instead of being decoded.
            **kwargs: The library's own, and fields of `KolabConfig`.

        Raises:
            ValueError: An unknown config, or an option that is unknown or does not fit it.
            ReleaseError: `data_dir` is no release, or its list of sessions has errors.
            FrameStoreError: `frames` is no store, or of another release.
        """
        name = config_name or self.DEFAULT_CONFIG_NAME
        _check_options(name, kwargs)
        _check_frames(name, frames, strict)
        location = resolve_data_dir(data_dir)
        release = open_release(location.root)
        if not names_release(data_dir):
            warn_of_sample()
        warn_of_partial(release)
        self._frames = None if frames is None else Folder(frames).address
        self._is_strict = strict
        if self._frames is not None:
            open_store(self._frames).check_release(release.root)
        self._is_sample = location.is_sample
        self._license = release.license
        self._session_ids = list(release.session_ids)
        super().__init__(
            config_name=config_name,
            data_dir=str(release.root),
            hash=hash or registry.hash_release(release.root),
            **kwargs,
        )

    def _info(self) -> datasets.DatasetInfo:
        note = f"{SAMPLE_NOTE} " if self._is_sample else ""
        return datasets.DatasetInfo(
            description=note + self._ABOUT + str(self.config.description),
            features=self._build_features(),
            license=self._license or "",
        )

    def _build_features(self) -> datasets.Features:
        return build_features(self.config.name, video=VideoClip())

    def _split_generators(self, dl_manager: object) -> list[datasets.SplitGenerator]:
        del dl_manager
        # The only list among the arguments: `datasets` shares it out to processes and workers.
        sessions = None if self.config.name == "surveys" else self._session_ids
        arguments = {"root": self.config.data_dir, "session_ids": sessions}
        return [datasets.SplitGenerator(name=datasets.Split.TEST, gen_kwargs=arguments)]

    def _generate_tables(
        self, root: str, session_ids: Iterable[str] | None
    ) -> Iterator[tuple[Any, pa.Table]]:
        schema = self._build_features().arrow_schema
        try:
            release = open_release(root)
            for index, rows in enumerate(self._read_rows(release, session_ids)):
                if rows:
                    yield _make_key(index), pa.Table.from_pylist(rows, schema=schema)
        except ReleaseError as err:
            # One session showed it; a person wants to see everything that is wrong at once.
            raise KolabReleaseError(check_release(root).errors or err.issues) from err

    def _as_dataset(self, split: Any = datasets.Split.TEST, in_memory: bool = False) -> Any:
        """The rows of a split; also none at all, which `datasets` would refuse to read."""
        is_ours = str(split).partition("[")[0] in (
            str(datasets.Split.TEST),
            str(datasets.Split.ALL),
        )
        if not is_ours or self.info.splits[datasets.Split.TEST].num_examples:
            return self._add_frames(super()._as_dataset(split=split, in_memory=in_memory))
        empty = datasets.table.InMemoryTable(self.info.features.arrow_schema.empty_table())
        return datasets.Dataset(empty, info=self.info.copy(), split=datasets.Split.TEST)

    def _as_streaming_dataset_single(self, splits_generator: Any) -> Any:
        return self._add_frames(super()._as_streaming_dataset_single(splits_generator))

    def _add_frames(self, rows: Any) -> Any:
        """The rows with the store's frames, which are no part of what the cache keeps."""
        if self._frames is None:
            return rows
        feature = VideoClip(frames=self._frames, strict=self._is_strict)
        return rows.cast_column("video", feature)

    def _read_rows(
        self, release: Release, session_ids: Iterable[str] | None
    ) -> Iterator[list[dict[str, Any]]]:
        if session_ids is None:
            yield list(survey_rows(release))
            return
        for session_id in session_ids:
            yield session_rows(
                release,
                session_id,
                self.config.name,
                context_steps=self.config.context_steps,
            )


class KolabTeam(Kolab):
    """Makes the rows of `team_sessions` from a release of another kind: rated team sessions.

    It is not among the configs that the dataset lists, since a release of recordings has no such
    rows; `load_dataset("kolab", "team_sessions", data_dir=…)` reaches it all the same.
    """

    BUILDER_CONFIGS = [  # noqa: RUF012  # datasets reads the class attribute
        KolabConfig(name=_TEAM_CONFIG, version=_ROWS_VERSION, description=TEAM_DESCRIPTION)
    ]
    DEFAULT_CONFIG_NAME = _TEAM_CONFIG
    _ABOUT = ""
    _frames = None

    def __init__(
        self, *, config_name: str | None = None, data_dir: str | None = None, **kwargs: Any
    ) -> None:
        """See `Kolab`; `data_dir` names a release of rated team sessions.

        Raises:
            ValueError: An option that is unknown or does not fit the config.
            ReleaseError: `data_dir` is no such release, or its files have errors.
        """
        _check_options(_TEAM_CONFIG, kwargs)
        location = resolve_team_dir(data_dir)
        release = open_team(location.root)
        if data_dir is None and location.is_sample:
            warn_of_sample()
        self._is_sample = location.is_sample
        self._license = release.license
        kwargs["hash"] = registry.hash_release(
            release.root, fingerprint=fingerprint_team(release.root)
        )
        super(Kolab, self).__init__(config_name=_TEAM_CONFIG, data_dir=str(release.root), **kwargs)

    def _build_features(self) -> datasets.Features:
        return build_team_features()

    def _split_generators(self, dl_manager: object) -> list[datasets.SplitGenerator]:
        del dl_manager
        arguments = {"root": self.config.data_dir, "session_ids": None}
        return [datasets.SplitGenerator(name=datasets.Split.TEST, gen_kwargs=arguments)]

    def _generate_tables(
        self, root: str, session_ids: Iterable[str] | None
    ) -> Iterator[tuple[Any, pa.Table]]:
        del session_ids  # the files are by kind, not by session, and small
        try:
            rows = list(team_rows(root))
        except ReleaseError as err:
            raise KolabReleaseError(err.issues) from err
        yield _make_key(0), pa.Table.from_pylist(rows, schema=self._build_features().arrow_schema)


def _check_options(config_name: str, options: dict[str, Any]) -> None:
    """Whether the config is one of ours and the options fit it."""
    names = (*CONFIG_NAMES, _TEAM_CONFIG)
    if config_name not in names:
        raise ValueError(
            f"config: found {show_value(config_name)}; expected one of {', '.join(names)}."
        )
    known = {field.name for field in dataclasses.fields(KolabConfig)}
    known.update(inspect.signature(datasets.DatasetBuilder).parameters)
    for name, value in options.items():
        if name not in known:
            raise ValueError(
                f"{name}: found this option, with {show_value(value)}; expected options of "
                "load_dataset, context_steps, frames or strict."
            )
    steps = options.get("context_steps")
    if steps is not None:
        options["context_steps"] = _check_context_steps(steps, config_name)


def _check_frames(config_name: str, frames: object, strict: bool) -> None:
    """Whether there are clips to take frames for, and frames if they have to be there."""
    if frames is not None and config_name == "surveys":
        raise ValueError(
            f"frames: found {show_value(frames)} with the config {config_name!r}; expected it with "
            "a config that has clips."
        )
    if strict and frames is None:
        raise ValueError("strict: found True without frames; expected it with a store of them.")


def _check_context_steps(steps: object, config_name: str) -> int:
    if config_name != "step_n":
        raise ValueError(
            f"context_steps: found {show_value(steps)} with the config {config_name!r}; expected "
            "it with 'step_n' only."
        )
    is_whole = isinstance(steps, numbers.Integral) and not isinstance(steps, bool)
    if not is_whole or steps not in CONTEXT_STEPS:
        allowed = ", ".join(map(str, CONTEXT_STEPS))
        raise ValueError(f"context_steps: found {show_value(steps)}; expected {allowed} or None.")
    return int(steps)


def _make_key(index: int) -> Any:
    """A table's key: a class of its own since datasets 4.5, a number before."""
    key = getattr(datasets.builder, "Key", None)
    return index if key is None else key(index, 0)


registry.install()
