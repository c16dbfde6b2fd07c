"""What `import kolab` teaches `evaluate`: the modules in `metrics/` by their names.

`evaluate` looks for a name in the working folder and then on the Hub. The function that does so is
wrapped, and answers for our names with the modules that this package carries, from any folder and
without a network. `evaluate` brings much with it (`transformers`, where that is installed), so it
is not imported for this: the function is wrapped when somebody imports it.
"""

from __future__ import annotations

import functools
import inspect
import shutil
import sys
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

from kolab_core.files import find_carried

__all__ = ["find_metrics", "install", "metric_names", "wrap_everywhere"]

_MODULE = "evaluate.loading"
_HOOKED = "evaluation_module_factory"
_MARK = "_answers_for_kolab"


def install() -> None:
    """Make the names resolve, at the latest when `evaluate` is imported; again changes nothing."""
    if hasattr(sys.modules.get(_MODULE), _HOOKED):
        wrap_everywhere(sys.modules[_MODULE], _HOOKED, _wrap)
    elif not any(isinstance(finder, _Waiting) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Waiting())


def wrap_everywhere(
    home: ModuleType, name: str, wrap: Callable[[Callable[..., Any]], Callable[..., Any]]
) -> None:
    """Wrap a function of `home`, also where others imported it by name; again changes nothing."""
    found = vars(home)[name]
    original = found.__wrapped__ if hasattr(found, _MARK) else found
    hook = wrap(original)
    setattr(hook, _MARK, True)
    for module in list(sys.modules.values()):
        if getattr(module, "__dict__", {}).get(name) in (found, original):
            setattr(module, name, hook)


def find_metrics() -> Path:
    """The folder that holds `<name>/<name>.py` for each module: in a wheel, else in a checkout."""
    return find_carried("metrics")


def metric_names() -> tuple[str, ...]:
    """The names that resolve, sorted."""
    scripts = find_metrics().glob("*/*.py")
    return tuple(sorted(path.stem for path in scripts if path.stem == path.parent.name))


class _Waiting(MetaPathFinder):
    """Hooks `evaluate.loading` once it has been imported, and is gone then."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The usual place of the module, loaded as usual, with the hook after it."""
        if fullname != _MODULE:
            return None
        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.loader is None:
            return None
        execute = spec.loader.exec_module

        def execute_and_hook(module: ModuleType) -> None:
            execute(module)
            wrap_everywhere(module, _HOOKED, _wrap)

        spec.loader.exec_module = execute_and_hook  # type: ignore[method-assign]  # of this one
        return spec


def _wrap(original: Callable[..., Any]) -> Callable[..., Any]:
    """`evaluation_module_factory` that answers for our names itself."""
    signature = inspect.signature(original)

    @functools.wraps(original)
    def answer(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        name = bound.arguments["path"]
        if not _is_ours(name):
            return original(*args, **kwargs)
        copy_to = bound.arguments.get("force_local_path")
        bound.arguments["path"] = str(_copy(name, copy_to) if copy_to else find_metrics() / name)
        return original(*bound.args, **bound.kwargs)

    return answer


def _is_ours(name: object) -> bool:
    """Whether a name is one of ours and no module of that name lies in the working folder."""
    if not isinstance(name, str) or name not in metric_names():
        return False
    return not Path(name, f"{name}.py").is_file()


def _copy(name: str, target: str) -> Path:
    """Copy a module to a folder that a user may edit, under that folder's name; gives the folder.

    `evaluate` loads `<folder>/<folder's name>.py`, so the script takes the name of its new folder.
    """
    source, folder = find_metrics() / name, Path(target)
    folder.mkdir(parents=True, exist_ok=True)
    for path in source.iterdir():
        if path.is_file():
            stem = folder.resolve().name if path.stem == name else path.stem
            shutil.copyfile(path, folder / f"{stem}{path.suffix}")
    return folder
