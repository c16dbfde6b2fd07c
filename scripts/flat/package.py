"""The modules of a package: what each name at their top is bound to."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from scripts.flat.names import names_bound_by

__all__ = ["FlattenError", "Module", "Package", "Symbol"]


class FlattenError(ValueError):
    """Source that cannot be carried over as it is."""


@dataclass(frozen=True, order=True)
class Symbol:
    """A name at the top of a module, such as `kolab_core.scores.text` and `as_text`."""

    module: str
    name: str


@dataclass
class Module:
    """A module's top: what each name is bound to.

    Attributes:
        name: Dotted, from the package on.
        lines: Of its source.
        tree: Parsed.
        defined: The statement that defines a name.
        external: The import line that binds a name from another package.
        links: The symbol of this package that a name was imported from.
    """

    name: str
    lines: list[str]
    tree: ast.Module
    defined: dict[str, ast.stmt] = field(default_factory=dict)
    external: dict[str, str] = field(default_factory=dict)
    links: dict[str, Symbol] = field(default_factory=dict)

    @cached_property
    def summary(self) -> str:
        """The first line of its docstring."""
        return (ast.get_docstring(self.tree) or "").partition("\n")[0]


class Package:
    """The modules of a package, read when they are asked for."""

    def __init__(self, root: Path, package: str) -> None:
        self._root, self._package = root, package
        self._modules: dict[str, Module] = {}

    def read(self, name: str) -> Module:
        """A module by its dotted name.

        Raises:
            FlattenError: There is none, or it is one that cannot be carried over.
        """
        if name not in self._modules:
            path = self._find(name)
            if path is None:
                raise FlattenError(f"{name}: found no such module; expected one in {self._root}.")
            text = path.read_text(encoding="utf-8")
            module = Module(name, text.splitlines(), ast.parse(text))
            for statement in module.tree.body:
                self._bind(module, statement)
            self._modules[name] = module
        return self._modules[name]

    def resolve(self, symbol: Symbol) -> Symbol:
        """Where the name is defined, through any number of imports.

        Raises:
            FlattenError: It is no definition.
        """
        module = self.read(symbol.module)
        if symbol.name in module.links:
            return self.resolve(module.links[symbol.name])
        if symbol.name not in module.defined:
            found = f"{symbol.name}, which is no definition of {symbol.module}"
            raise FlattenError(f"{symbol.module}: found {found}; expected a function or a value.")
        return symbol

    def _bind(self, module: Module, statement: ast.stmt) -> None:
        if isinstance(statement, ast.ImportFrom):
            self._bind_from(module, statement)
        elif isinstance(statement, ast.Import):
            for alias in statement.names:
                bound = alias.asname or alias.name.partition(".")[0]
                module.external[bound] = _import_text(alias)
        else:
            for name in names_bound_by(statement):
                if name in module.defined:
                    raise FlattenError(f"{module.name}: found {name} twice; expected one of it.")
                module.defined[name] = statement

    def _bind_from(self, module: Module, statement: ast.ImportFrom) -> None:
        origin = statement.module or ""
        if origin == "__future__":
            return
        if statement.level:
            raise FlattenError(f"{module.name}: found a relative import; expected absolute ones.")
        is_ours = origin.partition(".")[0] == self._package
        for alias in statement.names:
            bound = alias.asname or alias.name
            if is_ours:
                module.links[bound] = Symbol(origin, alias.name)
            else:
                module.external[bound] = f"from {origin} {_import_text(alias)}"

    def _find(self, name: str) -> Path | None:
        base = self._root.joinpath(*name.split("."))
        places = (base.with_suffix(".py"), base / "__init__.py")
        return next((path for path in places if path.is_file()), None)


def _import_text(alias: ast.alias) -> str:
    return f"import {alias.name}" + (f" as {alias.asname}" if alias.asname else "")
