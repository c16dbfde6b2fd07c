"""Definitions of several modules as the text of one file."""

from __future__ import annotations

import ast
import builtins
import re
import sys
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.flat.names import names_bound_by, names_bound_inside, names_used_by, rename
from scripts.flat.package import FlattenError, Module, Package, Symbol

__all__ = ["FlatSource", "flatten"]

_WIDTH = 100
_RULE = "# " + "-" * (_WIDTH - 2)


@dataclass(frozen=True)
class FlatSource:
    """The file's text, and what each symbol that was asked for is called in it."""

    text: str
    names: Mapping[Symbol, str]


def flatten(
    root: Path, wanted: Iterable[Symbol], *, package: str = "kolab_core", heading: str
) -> FlatSource:
    """The wanted definitions and all that they need as one file.

    Args:
        root: The folder that holds the package.
        wanted: What to carry over; names that a package passes on are found where they are defined.
        package: Imports of it are carried over; those of any other package stay imports.
        heading: The file's docstring.

    Returns:
        The text, the same for the same sources on any machine.

    Raises:
        FlattenError: A definition that is not there, a statement that defines nothing known, a name
            of two meanings that cannot be told apart by renaming.
    """
    read = Package(root, package)
    asked = {symbol: read.resolve(symbol) for symbol in sorted(set(wanted))}
    needs = _collect(read, asked.values())
    order = _order(needs)
    names = _choose_names(read, needs, keep=set(asked.values()))
    parts = [_module_text(read, name, needs, names) for name in order]
    top = "\n".join([f'"""{heading}"""', "", "from __future__ import annotations", ""])
    listed = "".join(f'    "{name}",\n' for name in sorted({names[s] for s in asked.values()}))
    imports = _imports_text(read, needs)
    text = f"{top}\n{imports}\n__all__ = [\n{listed}]\n\n\n" + "\n\n\n".join(parts) + "\n"
    ast.parse(text)
    return FlatSource(text, {symbol: names[defined] for symbol, defined in asked.items()})


def _collect(read: Package, wanted: Iterable[Symbol]) -> dict[Symbol, set[Symbol]]:
    """Each definition that is needed, with the definitions that it needs itself."""
    needs: dict[Symbol, set[Symbol]] = {}
    waiting = sorted(wanted)
    while waiting:
        symbol = waiting.pop()
        if symbol in needs:
            continue
        module = read.read(symbol.module)
        needs[symbol] = {
            read.resolve(Symbol(symbol.module, name))
            for name in names_used_by(module.defined[symbol.name])
            if name in module.defined or name in module.links
        }
        _check_names(module, symbol)
        waiting += sorted(needs[symbol])
    return needs


def _check_names(module: Module, symbol: Symbol) -> None:
    """Whether every name that a definition uses and does not bind itself is known."""
    statement = module.defined[symbol.name]
    own = {*names_bound_inside(statement), *names_bound_by(statement)}
    known = {*own, *module.defined, *module.links, *module.external, *dir(builtins)}
    if unknown := sorted(set(names_used_by(statement)) - known):
        raise FlattenError(
            f"{module.name}: {symbol.name}: found the name {unknown[0]}; expected names that are "
            "defined or imported at the top."
        )


def _order(needs: Mapping[Symbol, set[Symbol]]) -> list[str]:
    """The modules, each behind those that it needs."""
    modules: dict[str, set[str]] = defaultdict(set)
    for symbol, others in needs.items():
        modules[symbol.module] |= {other.module for other in others} - {symbol.module}
    order: list[str] = []

    def visit(name: str, above: tuple[str, ...]) -> None:
        if name in above:
            raise FlattenError(f"{name}: found a circle of imports; expected none.")
        if name not in order:
            for other in sorted(modules[name]):
                visit(other, (*above, name))
            order.append(name)

    for name in sorted(modules):
        visit(name, ())
    return order


def _choose_names(
    read: Package, needs: Mapping[Symbol, set[Symbol]], *, keep: set[Symbol]
) -> dict[Symbol, str]:
    """What each definition is called in the file: its name, unless that has two meanings."""
    by_name: dict[str, list[Symbol]] = defaultdict(list)
    for symbol in sorted(needs):
        by_name[symbol.name].append(symbol)
    taken = {name for module in _modules(read, needs) for name in module.external} | set(by_name)
    externals = {name for module in _modules(read, needs) for name in module.external}
    names = {}
    for name, symbols in by_name.items():
        kept = [symbol for symbol in symbols if symbol in keep]
        if len(kept) > 1 or (kept and name in externals):
            raise FlattenError(f"{name}: found it in {kept}; expected one that is asked for.")
        for symbol in symbols:
            is_free = len(symbols) == 1 and name not in externals
            new = name if is_free or symbol in kept else f"{name}_{symbol.module.split('.')[-1]}"
            if new != name and new in taken:
                raise FlattenError(f"{new}: found it twice; expected another name for {symbol}.")
            names[symbol] = new
            taken.add(new)
    return names


def _module_text(
    read: Package,
    name: str,
    needs: Mapping[Symbol, set[Symbol]],
    names: Mapping[Symbol, str],
) -> str:
    """The needed definitions of a module in their order, under a comment that names it."""
    module = read.read(name)
    about = textwrap.fill(
        f"{name}: {module.summary}", _WIDTH, initial_indent="# ", subsequent_indent="# "
    )
    pieces = [f"{_RULE}\n{about}"]
    done: set[int] = set()
    for bound, statement in module.defined.items():
        if Symbol(name, bound) not in needs or id(statement) in done:
            continue
        done.add(id(statement))
        is_block = isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        changed = _changed_names(read, module, statement, names)
        text = _statement_text(module, statement)
        pieces.append(("\n" if is_block else "") + (rename(text, changed) if changed else text))
    return re.sub(r"\n{4,}", "\n\n\n", "\n\n".join(pieces))


def _changed_names(
    read: Package, module: Module, statement: ast.stmt, names: Mapping[Symbol, str]
) -> dict[str, str]:
    """Which names of a statement have to be replaced, and by what."""
    changed = {}
    for name in sorted({*names_used_by(statement), *names_bound_by(statement)}):
        if name in module.defined or name in module.links:
            symbol = read.resolve(Symbol(module.name, name))
            if symbol in names and names[symbol] != name:
                changed[name] = names[symbol]
    inside = set(names_bound_inside(statement)) & set(changed)
    if inside:
        raise FlattenError(
            f"{module.name}: found {min(inside)}, a name of two meanings, bound again inside "
            f"{names_bound_by(statement)}; expected another name there."
        )
    return changed


def _statement_text(module: Module, statement: ast.stmt) -> str:
    """A statement's whole lines, with its decorators and the comment right above it."""
    decorators = getattr(statement, "decorator_list", [])
    first = min([statement.lineno, *(node.lineno for node in decorators)]) - 1
    while first and module.lines[first - 1].startswith("#"):
        first -= 1
    return "\n".join(module.lines[first : statement.end_lineno])


def _imports_text(read: Package, needs: Mapping[Symbol, set[Symbol]]) -> str:
    """The imports of other packages that the definitions use, those of the library first."""
    lines: dict[str, str] = {}
    for symbol in sorted(needs):
        module = read.read(symbol.module)
        for name in names_used_by(module.defined[symbol.name]):
            if name not in module.external or name in module.defined:
                continue
            line = module.external[name]
            if lines.setdefault(name, line) != line:
                raise FlattenError(f"{name}: found {line!r} and {lines[name]!r}; expected one.")
    library: list[str] = []
    others: list[str] = []
    for line in sorted(set(lines.values())):
        is_library = line.split()[1].partition(".")[0] in sys.stdlib_module_names
        (library if is_library else others).append(line)
    return "\n".join(_merge_imports(group) for group in (library, others) if group)


def _merge_imports(lines: Sequence[str]) -> str:
    """Import lines with those from one module as one; plain imports first."""
    plain = [line for line in lines if line.startswith("import ")]
    by_origin: dict[str, list[str]] = defaultdict(list)
    for line in lines:
        if line not in plain:
            origin, _, name = line.partition(" import ")
            by_origin[origin].append(name)
    merged = [f"{origin} import {', '.join(names)}" for origin, names in by_origin.items()]
    return "".join(f"{line}\n" for line in [*plain, *merged])


def _modules(read: Package, needs: Iterable[Symbol]) -> list[Module]:
    return [read.read(name) for name in sorted({symbol.module for symbol in needs})]
