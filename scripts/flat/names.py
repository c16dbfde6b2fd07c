"""Which names a statement binds and uses, and replacing some of them in its text."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator, Mapping, Sequence

__all__ = ["names_bound_by", "names_bound_inside", "names_used_by", "rename"]


def rename(text: str, names: Mapping[str, str]) -> str:
    """Source with some names replaced; attributes, keywords of calls and plain texts stay.

    >>> rename("f(x, x=o.x, y=f'x {x}')", {"x": "z"})
    "f(z, x=o.x, y=f'x {z}')"
    """
    lines = text.splitlines(keepends=True)
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    edits = []
    depth = 0
    for index, token in enumerate(tokens):
        depth += (
            (token.string in "([{") - (token.string in ")]}") if token.type == tokenize.OP else 0
        )
        if token.type == tokenize.NAME and token.string in names:
            is_attribute = tokens[index - 1].string == "." if index else False
            is_keyword = depth > 0 and tokens[index + 1].string == "="
            if not is_attribute and not is_keyword:
                edits.append((token.start, token.end, names[token.string]))
        elif (
            token.type == tokenize.STRING
            and "f" in token.string[: token.string.find(token.string[-1])].lower()
        ):
            edits.append((token.start, token.end, _rename_in_fields(token.string, names)))
    for start, end, new in reversed(edits):
        if start[0] == end[0]:
            line = lines[start[0] - 1]
            lines[start[0] - 1] = line[: start[1]] + new + line[end[1] :]
        else:
            first, last = lines[start[0] - 1][: start[1]], lines[end[0] - 1][end[1] :]
            lines[start[0] - 1 : end[0]] = [first + new + last]
    return "".join(lines)


def names_bound_by(statement: ast.stmt) -> list[str]:
    """The names that a top-level statement defines; none for one that is left out."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [statement.name]
    targets: Sequence[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    nodes = (node for target in targets for node in ast.walk(target))
    names = [node.id for node in nodes if isinstance(node, ast.Name)]
    return [name for name in names if name != "__all__"]


def names_used_by(statement: ast.stmt) -> list[str]:
    """Every name in a statement, in texts that stand for types too."""
    nodes = [*ast.walk(statement), *_nodes_in_texts(statement)]
    return sorted({node.id for node in nodes if isinstance(node, ast.Name)})


def names_bound_inside(statement: ast.stmt) -> Iterator[str]:
    """Names that are bound somewhere inside a statement, apart from those it defines itself."""
    top = set(names_bound_by(statement))
    is_plain = isinstance(statement, ast.Assign | ast.AnnAssign)
    for node in ast.walk(statement):
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            if not (is_plain and node.id in top):
                yield node.id
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if node is not statement:
                yield node.name
        elif isinstance(node, ast.ExceptHandler) and node.name:
            yield node.name
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)


def _rename_in_fields(text: str, names: Mapping[str, str]) -> str:
    """An f-string with names replaced inside its braces (before Python 3.12 it is one token)."""
    pattern = re.compile(r"(?<![\w.])(?:" + "|".join(map(re.escape, names)) + r")(?!\w)")
    pieces = re.split(r"(\{\{|\}\}|\{|\})", text)
    depth = 0
    for index, piece in enumerate(pieces):
        if piece in ("{", "}"):
            depth += 1 if piece == "{" else -1
        elif depth > 0:
            pieces[index] = pattern.sub(lambda match: names[match[0]], piece)
    return "".join(pieces)


def _nodes_in_texts(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of annotations that are texts, and of type aliases that are."""
    places: list[ast.expr | None] = []
    for node in ast.walk(statement):
        if isinstance(node, ast.arg):
            places.append(node.annotation)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            places.append(node.returns)
        elif isinstance(node, ast.AnnAssign):
            is_alias = isinstance(node.annotation, ast.Name) and node.annotation.id == "TypeAlias"
            places += [node.annotation, node.value if is_alias else None]
    for place in places:
        if isinstance(place, ast.Constant) and isinstance(place.value, str):
            yield from ast.walk(ast.parse(place.value, mode="eval"))
