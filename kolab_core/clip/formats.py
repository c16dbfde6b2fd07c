"""Clips under `with_format("torch")` and its kin, and in torch's default collation.

The tensor formatters of `datasets` rebuild every mapping as a plain dict of float32 tensors, which
would turn a clip into numbers (and round its times); they know only their own video classes. Here
they learn to leave a clip as it is, and to make tensors of a decoded one's arrays in their dtypes.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

import numpy as np

from kolab_core.clip.decoded import DecodedClip
from kolab_core.clip.value import Clip

__all__ = ["teach_collate", "teach_formatters"]

_FORMATTERS = {
    "np_formatter": "NumpyFormatter",
    "torch_formatter": "TorchFormatter",
    "tf_formatter": "TFFormatter",
    "jax_formatter": "JaxFormatter",
}
_MARK = "_kolab_keeps_clips"


def teach_formatters() -> None:
    """Make each tensor formatter of `datasets` keep clips; doing it again changes nothing."""
    for module, name in _FORMATTERS.items():
        formatter = getattr(importlib.import_module(f"datasets.formatting.{module}"), name)
        if _MARK not in vars(formatter):
            formatter.recursive_tensorize = _holding(formatter.recursive_tensorize)
            formatter._tensorize = _releasing(formatter._tensorize)
            setattr(formatter, _MARK, True)


def teach_collate() -> None:
    """Make torch's `default_collate` take clips, if torch's loaders are in use at all.

    A batch of clips becomes a list of them, one of decoded clips their stacked arrays.
    """
    module = sys.modules.get("torch.utils.data._utils.collate")
    if module is not None:
        known = module.default_collate_fn_map
        known.setdefault(DecodedClip, _collate_decoded)
        known.setdefault(Clip, _collate_clips)


@dataclass(frozen=True)
class _Held:
    """A clip inside something that is no mapping, so that `map_nested` takes it for a leaf."""

    clip: Clip


def _holding(original: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    @wraps(original)
    def recursive_tensorize(self: Any, data_struct: Any) -> Any:
        return original(self, _hold(data_struct))

    return recursive_tensorize


def _releasing(original: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    @wraps(original)
    def tensorize(self: Any, value: Any) -> Any:
        if not isinstance(value, _Held):
            return original(self, value)
        if not isinstance(value.clip, DecodedClip):
            return value.clip
        return value.clip.converted(lambda array: _to_array(self, array, original))

    return tensorize


def _hold(value: Any) -> Any:
    if isinstance(value, Clip):
        return _Held(value)
    if type(value) is dict:
        return {key: _hold(item) for key, item in value.items()}
    return value


def _to_array(
    formatter: Any, array: np.ndarray[Any, Any], tensorize: Callable[[Any, Any], Any]
) -> Any:
    """The array in the formatter's kind, with its dtype kept unless the user asked for another."""
    if type(formatter).__name__ == "NumpyFormatter":
        return np.asarray(array, **formatter.np_array_kwargs)
    if type(formatter).__name__ == "TorchFormatter":
        import torch

        return torch.as_tensor(array, **formatter.torch_tensor_kwargs)
    return tensorize(formatter, array)


def _collate_clips(batch: list[Clip], *, collate_fn_map: Any = None) -> list[Clip]:
    del collate_fn_map
    return batch


def _collate_decoded(batch: list[DecodedClip], *, collate_fn_map: Any = None) -> dict[str, Any]:
    from torch.utils.data._utils.collate import collate

    arrays = [{"images": clip.images, "times": clip.times} for clip in batch]
    return dict(collate(arrays, collate_fn_map=collate_fn_map))
