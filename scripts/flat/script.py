"""A script that imports a package, as one that imports a file beside it."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeGuard

from scripts.flat.package import FlattenError, Symbol

__all__ = ["FlatScript", "import_from_sibling"]

_WIDTH = 100


@dataclass(frozen=True)
class FlatScript:
    """The script's text, and what it imports from the file beside it."""

    text: str
    wanted: frozenset[Symbol]


def import_from_sibling(text: str, sibling: str, *, package: str = "kolab_core") -> FlatScript:
    """Replace a script's imports of a package by one `from .<sibling> import …`.

    A module of the package that is imported itself (`from package import module`) has each
    `module.name` replaced by `name`.

    Args:
        text: The script.
        sibling: The name of the file beside it, without its suffix.
        package: Whose imports are replaced.

    Raises:
        FlattenError: An import inside a function or under another name, a module that is used
            other than by its attributes, or a name that would then have two meanings.
    """
    tree, lines = ast.parse(text), text.splitlines(keepends=True)
    imports = [node for node in ast.walk(tree) if _is_of(node, package)]
    if any(node not in tree.body for node in imports):
        raise FlattenError(
            f"{sibling}: found an import inside a function; expected all at the top."
        )
    modules, wanted = _read_imports(tree, imports)
    edits = _find_uses(tree, set(modules))
    wanted |= {Symbol(modules[dotted[:-1]], node.attr) for node, dotted in edits}
    _check_free(tree, wanted)
    # From the end on, so that earlier positions stay; columns count bytes.
    for use, dotted in sorted(edits, key=lambda edit: _position(edit[0]), reverse=True):
        line, start, prefix = lines[use.lineno - 1].encode(), use.col_offset, dotted.encode()
        if not line[start:].startswith(prefix):
            raise FlattenError(f"line {use.lineno}: found {use.attr} elsewhere; expected {dotted}.")
        lines[use.lineno - 1] = (line[:start] + line[start + len(prefix) :]).decode()
    for index, node in reversed(list(enumerate(imports))):
        new = [_import_line(sibling, wanted)] if index == 0 else []
        lines[node.lineno - 1 : node.end_lineno] = new
    return FlatScript("".join(lines), frozenset(wanted))


def _is_of(node: ast.AST, package: str) -> TypeGuard[ast.Import | ast.ImportFrom]:
    if isinstance(node, ast.Import):
        return any(alias.name.partition(".")[0] == package for alias in node.names)
    return isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == package


def _read_imports(
    tree: ast.Module, imports: Iterable[ast.Import | ast.ImportFrom]
) -> tuple[dict[str, str], set[Symbol]]:
    """The modules that are imported themselves, and the names that are."""
    attributes = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    dotted = {id(node.value) for node in attributes}
    plain = {
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in dotted
    }
    modules: dict[str, str] = {}
    wanted: set[Symbol] = set()
    for node in imports:
        if not isinstance(node, ast.ImportFrom) or node.module is None:
            raise FlattenError("found `import package`; expected `from package import name`.")
        for alias in node.names:
            if alias.asname not in (None, alias.name):
                raise FlattenError(f"found {alias.name} as {alias.asname}; expected its own name.")
            if "." not in node.module and alias.name not in plain:
                modules[alias.name] = f"{node.module}.{alias.name}"
            else:
                wanted.add(Symbol(node.module, alias.name))
    return modules, wanted


def _find_uses(tree: ast.Module, modules: set[str]) -> list[tuple[ast.Attribute, str]]:
    """Each `module.name`, and its part up to the point."""
    return [
        (node, f"{node.value.id}.")
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in modules
    ]


def _position(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _check_free(tree: ast.Module, wanted: set[Symbol]) -> None:
    """Whether the script binds none of the names that it will import."""
    names = {symbol.name for symbol in wanted}
    bound = {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }
    bound |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    bound |= {node.name for node in ast.walk(tree) if isinstance(node, kinds) and node in tree.body}
    if len(names) < len(wanted) or names & bound:
        raise FlattenError(f"found {sorted(names & bound)} twice; expected names with one meaning.")


def _import_line(sibling: str, wanted: Iterable[Symbol]) -> str:
    names = sorted(symbol.name for symbol in wanted)
    line = f"from .{sibling} import {', '.join(names)}\n"
    if len(line) <= _WIDTH + 1:
        return line
    return f"from .{sibling} import (\n{''.join(f'    {name},{chr(10)}' for name in names)})\n"
