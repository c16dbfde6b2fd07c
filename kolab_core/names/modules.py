"""What every `evaluate` module of Kolab shares: inputs of any type become text without loss.

`evaluate` picks among several feature options by the first row and then casts silently, so each
module declares one set of text columns and the mixin below turns every value into text before
`evaluate` sees it. A module looks like this (the mixin comes first, and the module must not import
another subclass of `evaluate.EvaluationModule` by name, since `evaluate` takes the first that it
finds)::

    import evaluate

    import kolab


    @evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
    class KolabThing(kolab.modules.TextInputs, evaluate.Metric):
        _compute = kolab.modules.computed_by(kolab.scores.thing_scores)

        def _info(self):
            return evaluate.MetricInfo(
                description=_DESCRIPTION,
                citation=_CITATION,
                inputs_description=_KWARGS_DESCRIPTION,
                features=kolab.modules.text_features("predictions", "references"),
            )

- `evaluate` reads the unindented import lines with a parser of its own. Where a package is missing
  it tells the user to install what they name, or the comment behind. So a module imports of ours
  `kolab` alone, the distribution's name, and no comment stands on that line.
- `_compute` receives each input as a list of `str`: text as it was given, numbers as Python writes
  them (`4` -> `"4"`, `4.7` -> `"4.7"`), None as `""`, and dicts, lists and arrays as JSON text (a
  row of a dataset can be an input, and `json.loads` reads it back).
- Everything else that `_compute` takes is an option, given to `compute` as a keyword. An option
  that it does not name is a TypeError that lists those it does.
- The options in `row_options` (by default `groups` and `runs`) hold one value a row; their length
  is checked against the number of rows before anything is computed. A module may set its own tuple.
- A call without any row is a ValueError. When `_compute` raises, the rows collected so far are
  dropped and the cache file goes, so the module can be used again.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import datasets

from kolab_core.scores.text import as_text, check_whole, column_values

# `object` here, so that the mixin is none of the classes that `evaluate` looks for in a script (it
# loads the first); the methods it calls are those of the `evaluate.EvaluationModule` beside it.
_Base: Any = object

__all__ = ["TextInputs", "as_text", "computed_by", "text_features"]


def text_features(*names: str) -> datasets.Features:
    """One column of text for each input of a module, in the order given."""
    return datasets.Features({name: datasets.Value("string") for name in names})


def computed_by(function: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """A module's `_compute` that hands its inputs and options on to a plain function.

    Where the function takes a `kind`, a config's name given at loading says it, too.
    """
    has_kind = "kind" in inspect.signature(function).parameters

    # It shows the function's own signature, by which `compute` knows the options.
    @functools.wraps(function)
    def compute(self: Any, **given: Any) -> dict[str, Any]:
        if has_kind and given.get("kind") is None and self.config_name != "default":
            given["kind"] = self.config_name
        return function(**given)

    return compute


class TextInputs(_Base):
    """The shared `add`, `add_batch` and `compute`; see the module's head for how to use it.

    Attributes:
        row_options: Names of the options that hold one value a row.
    """

    row_options: tuple[str, ...] = ("groups", "runs")
    _num_rows = 0
    _fraction: ValueError | None = None
    _feature_names: Callable[[], list[str]]
    _compute: Callable[..., dict[str, Any]]
    name: str
    num_process: int
    writer: Any
    filelocks: Any
    file_paths: Any

    def add(self, *, prediction: Any = None, reference: Any = None, **kwargs: Any) -> None:
        """Add one row to the module's stack: values of any type, those of other inputs by name."""
        given = {"predictions": prediction, "references": reference, **kwargs}
        self._check_known(kwargs)
        for name, value in given.items():
            self._look_for_fractions(name, [value])
        row = {name: as_text(given.get(name)) for name in self._feature_names()}
        short = {"predictions": "prediction", "references": "reference"}
        super().add(**{short.get(name, name): text for name, text in row.items()})
        self._num_rows += 1

    def add_batch(self, *, predictions: Any = None, references: Any = None, **kwargs: Any) -> None:
        """Add rows to the module's stack: values of any type, those of other inputs by name."""
        self._check_known(kwargs)
        columns = self._text_columns(
            {"predictions": predictions, "references": references} | kwargs
        )
        num_rows = len(next(iter(columns.values())))
        if num_rows:
            super().add_batch(**columns)
            self._num_rows += num_rows

    def compute(
        self, *, predictions: Any = None, references: Any = None, **kwargs: Any
    ) -> dict[str, Any] | None:
        """Compute the module's result over the rows given here and those added before.

        Options (see below) are given by name. The result holds builtin numbers, texts, lists and
        dicts; it is None in a process other than the first of a distributed evaluation.
        """
        names = self._feature_names()
        options = {name: value for name, value in kwargs.items() if name not in names}
        self._check_options(options)
        given = {"predictions": predictions, "references": references} | kwargs
        columns: dict[str, list[str]] = {}
        if any(given.get(name) is not None for name in names):
            columns = self._text_columns(given)
        num_rows = self._num_rows + len(next(iter(columns.values()), []))
        if self.num_process == 1:
            self._check_rows(num_rows, options)
        if num_rows > self._num_rows:
            self.add_batch(**columns)
        self._num_rows, fraction, self._fraction = 0, self._fraction, None
        try:
            if fraction and not options.get("round"):
                raise fraction
            result: dict[str, Any] | None = super().compute(**options)
        except BaseException:
            self._discard()
            raise
        return result

    def _options(self) -> Mapping[str, inspect.Parameter]:
        return inspect.signature(self._compute).parameters

    def _check_known(self, kwargs: Mapping[str, object]) -> None:
        names = self._feature_names()
        if unknown := sorted(set(kwargs) - set(names)):
            raise ValueError(f"{self.name}: found input {unknown[0]!r}; expected {_listed(names)}.")

    def _look_for_fractions(self, name: str, values: Sequence[object]) -> None:
        """Remember the first: as text it would be a model's, and whether to round is not known."""
        if name == "references" or "round" not in self._options():
            return
        try:
            check_whole(name, values, first_row=self._num_rows)
        except ValueError as err:
            self._fraction = self._fraction or err

    def _check_options(self, options: Mapping[str, object]) -> None:
        known = self._options()
        if any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values()):
            return
        allowed = [name for name in known if name not in self._feature_names()]
        if unknown := sorted(set(options) - set(allowed)):
            raise TypeError(
                f"{self.name}: found option {unknown[0]!r}; expected {_listed(allowed)}."
            )

    def _text_columns(self, given: Mapping[str, object]) -> dict[str, list[str]]:
        names = self._feature_names()
        if missing := [name for name in names if given.get(name) is None]:
            raise ValueError(
                f"{self.name}: found no {_listed(missing)}; expected the inputs {_listed(names)}."
            )
        values = {name: column_values(name, given[name]) for name in names}
        for name, column in values.items():
            self._look_for_fractions(name, column)
        columns = {name: [as_text(value) for value in column] for name, column in values.items()}
        lengths = {name: len(column) for name, column in columns.items()}
        if len(set(lengths.values())) > 1:
            found = ", ".join(f"{length} {name}" for name, length in lengths.items())
            raise ValueError(f"{self.name}: found {found}; expected as many of each.")
        return columns

    def _check_rows(self, num_rows: int, options: Mapping[str, object]) -> None:
        if not num_rows:
            raise ValueError(f"{self.name}: found 0 rows; expected at least 1.")
        for name in self.row_options:
            values: Any = options.get(name)
            if values is None:
                continue
            if isinstance(values, str | bytes) or not hasattr(values, "__len__"):
                raise TypeError(f"{name}: found {values!r}; expected a list with one value a row.")
            if len(values) != num_rows:
                raise ValueError(
                    f"{name}: found {len(values)} values; expected one for each of {num_rows} rows."
                )

    def _discard(self) -> None:
        """Forget the rows of a computation that failed: file, locks and buffers."""
        if self.writer is not None:
            self.writer.close()
        self.writer = self.data = self.buf_writer = None
        for lock, path in zip(self.filelocks or [], self.file_paths or [], strict=False):
            Path(path).unlink(missing_ok=True)
            if lock is not None:
                lock.release()
        self.filelocks = self.file_paths = None
        self.cache_file_name = self.filelock = self.selected_feature_format = None


def _listed(names: Any) -> str:
    return ", ".join(repr(name) for name in names)
