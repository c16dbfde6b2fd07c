"""`Dataset.add_item` on rows with clips.

The library's own aligns the features of the new row with those there are by looking inside every
mapping, and ends in an AttributeError at a feature that is stored as a struct (its own `Video`
too). Here such a dataset gets the row as a dataset of one, behind it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import wraps
from typing import Any

from datasets import Dataset, Features, concatenate_datasets

__all__ = ["holds", "teach_add_item"]

_MARK = "_kolab_adds_clips"


def teach_add_item(kind: type[Any]) -> None:
    """Make `Dataset.add_item` take rows of features of this kind; again changes nothing."""
    if not hasattr(Dataset.add_item, _MARK):
        Dataset.add_item = _adding(Dataset.add_item, kind)


def holds(feature: Any, kind: type[Any]) -> bool:
    """Whether a feature is of this kind, or a struct or list has one inside."""
    if isinstance(feature, dict):
        return any(holds(part, kind) for part in feature.values())
    if isinstance(feature, list | tuple):
        return any(holds(part, kind) for part in feature)
    if dataclasses.is_dataclass(feature) and hasattr(feature, "feature"):  # List, LargeList
        return holds(feature.feature, kind)
    return isinstance(feature, kind)


def _adding(original: Callable[..., Any], kind: type[Any]) -> Callable[..., Any]:
    @wraps(original)
    def add_item(self: Any, item: Any, *args: Any, **options: Any) -> Any:
        if not holds(self.features, kind):
            return original(self, item, *args, **options)
        return _add_row(self, item)

    setattr(add_item, _MARK, True)
    return add_item


def _add_row(ds: Any, item: dict[str, Any]) -> Any:
    """The dataset, its format kept, with one more row; columns that only one has are null."""
    known = Features({name: ds.features[name] for name in item if name in ds.features})
    row = Dataset.from_dict({name: [item[name]] for name in known}, features=known)
    for name in [name for name in item if name not in known]:
        row = row.add_column(name, [item[name]])
    info = ds.info.copy()
    info.features = None  # those of both together
    both = concatenate_datasets([ds.with_format(None), row], info=info, split=ds.split)
    form = ds.format
    columns = None if ds._format_columns is None else form["columns"]
    return both.with_format(
        form["type"],
        columns=columns,
        output_all_columns=form["output_all_columns"],
        **form["format_kwargs"],
    )
