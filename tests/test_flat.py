from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from scripts.flat import (
    FlattenError,
    Symbol,
    flatten,
    import_from_sibling,
    rename,
)


def write_package(root: Path, **modules: str) -> Path:
    """A package `pack`; `sub_x` is the module `pack.sub.x`, `sub` the `__init__` of `pack.sub`."""
    (root / "pack" / "sub").mkdir(parents=True)
    (root / "pack" / "__init__.py").write_text("")
    (root / "pack" / "sub" / "__init__.py").write_text(modules.pop("sub", ""))
    for name, text in modules.items():
        (root / "pack" / f"{name.replace('_', '/')}.py").write_text(text)
    return root


def flatten_text(root: Path, *wanted: tuple[str, str]) -> str:
    symbols = [Symbol(*pair) for pair in wanted]
    return flatten(root, symbols, package="pack", heading="Functions.").text


def run(text: str) -> dict[str, Any]:
    module = ModuleType("flat_under_test")
    sys.modules[module.__name__] = module  # where dataclasses look for it
    try:
        exec(compile(text, "flat.py", "exec"), module.__dict__)
    finally:
        del sys.modules[module.__name__]
    return module.__dict__


def test_flatten_carries_over_what_is_needed_and_nothing_else(tmp_path: Path) -> None:
    root = write_package(
        tmp_path,
        a="from pack.b import double\n\n\ndef quadruple(x):\n    return double(double(x))\n",
        b=(
            '"""About b."""\n\nimport json\nimport math\n\n_TWO = 2  # why\n_THREE = 3\n\n\n'
            "# A comment above.\ndef double(x):\n    return math.trunc(x * _TWO)\n\n\n"
            "def dump(x):\n    return json.dumps(x)\n"
        ),
    )
    text = flatten_text(root, ("pack.a", "quadruple"))
    assert run(text)["quadruple"](5) == 20
    assert "_THREE" not in text
    assert "json" not in text
    assert "import math" in text
    assert "_TWO = 2  # why" in text
    assert "# A comment above.\ndef double" in text
    assert "# pack.b: About b." in text
    assert "import pack" not in text
    assert "from pack" not in text
    assert text == flatten_text(root, ("pack.a", "quadruple"))


def test_flatten_follows_names_that_a_package_passes_on(tmp_path: Path) -> None:
    root = write_package(
        tmp_path, sub="from pack.sub.x import f as g\n", sub_x="def f():\n    return 'x'\n"
    )
    flat = flatten(root, [Symbol("pack.sub", "g")], package="pack", heading="Functions.")
    assert flat.names == {Symbol("pack.sub", "g"): "f"}
    assert run(flat.text)["f"]() == "x"


def test_flatten_renames_private_names_of_two_meanings(tmp_path: Path) -> None:
    helper = (
        "_ONE = {0!r}\n\n\n"
        "def _help(x, *, key=0):\n    return f'{{_ONE}} {{{{_ONE}}}} {{x}}' + '_ONE'\n\n\n"
        "class Box{0}:\n    _one: str = _ONE\n\n"
        "    def _ONE_(self):\n        return self._one\n\n\n"
        "def f{0}():\n    return _help(x=_ONE, key=1), Box{0}()._ONE_()\n"
    )
    root = write_package(
        tmp_path,
        a="from pack.x import fx\nfrom pack.y import fy\n\n\ndef both():\n    return fx(), fy()\n",
        x=helper.format("x"),
        y=helper.format("y"),
    )
    text = flatten_text(root, ("pack.a", "both"))
    assert run(text)["both"]() == (("x {_ONE} x_ONE", "x"), ("y {_ONE} y_ONE", "y"))
    assert "_ONE_x = 'x'" in text
    assert "def _help_y(x, *, key=0):" in text


def test_flatten_keeps_the_name_that_is_asked_for(tmp_path: Path) -> None:
    root = write_package(
        tmp_path,
        a="from pack.b import g\n\n\ndef f():\n    return 1 + g()\n",
        b="def f():\n    return 10\n\n\ndef g():\n    return f()\n",
    )
    text = flatten_text(root, ("pack.a", "f"))
    assert run(text)["f"]() == 11
    assert "def f_b():" in text


def test_flatten_refuses_a_name_of_two_meanings_that_is_bound_inside(tmp_path: Path) -> None:
    root = write_package(
        tmp_path,
        a="from pack.b import g\n\n\ndef f():\n    return g(1)\n",
        b="def f():\n    return 1\n\n\ndef g(f):\n    return f\n\n\nh = [f, g]\n",
    )
    assert run(flatten_text(root, ("pack.b", "h")))["h"]
    with pytest.raises(
        FlattenError, match=r"pack\.b: found f, a name of two meanings, bound again"
    ):
        flatten_text(root, ("pack.a", "f"), ("pack.b", "h"))


def test_flatten_puts_definitions_in_an_order_that_runs(tmp_path: Path) -> None:
    root = write_package(
        tmp_path,
        a="from pack.z import LIMIT\n\nDOUBLE = LIMIT * 2\n",
        z="BASE = 3\nLIMIT = BASE + 1\n",
    )
    assert run(flatten_text(root, ("pack.a", "DOUBLE")))["DOUBLE"] == 8


def test_flatten_sees_types_in_texts(tmp_path: Path) -> None:
    text = (
        "import os\nfrom pathlib import Path\nfrom typing import TypeAlias\n\n"
        'Source: TypeAlias = "str | os.PathLike[str]"\n\n\n'
        "def f(x: Source, y: 'Path') -> 'Path':\n    return y\n"
    )
    flat = flatten_text(write_package(tmp_path, a=text), ("pack.a", "f"))
    assert "import os\n" in flat
    assert "from pathlib import Path\n" in flat


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("from .b import f\n", "found a relative import"),
        ("f = 1\nf = 2\n", "found f twice"),
        ("def f():\n    return unknown\n", "f: found the name unknown"),
        ("import f\n", "found f, which is no definition"),
        ("from pack.missing import f\n", "pack.missing: found no such module"),
    ],
    ids=["relative", "twice", "unknown", "module", "missing"],
)
def test_flatten_refuses_what_it_cannot_carry_over(
    source: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(FlattenError, match=message):
        flatten_text(write_package(tmp_path, a=source), ("pack.a", "f"))


def test_flatten_refuses_imports_under_one_name_for_two_things(tmp_path: Path) -> None:
    root = write_package(
        tmp_path,
        a="import json as j\nfrom pack.b import g\n\n\ndef f():\n    return g(j)\n",
        b="import math as j\n\n\ndef g(x):\n    return j.pi\n",
    )
    with pytest.raises(FlattenError, match=r"found 'import .* as j' and 'import .* as j'"):
        flatten_text(root, ("pack.a", "f"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = x.x + o.x\n", "z = z.x + o.x\n"),
        ("f(x=x)\n", "f(x=z)\n"),
        ("'x'; f'{x}{{x}} x {x:>{x}} {o.x}'\n", "'x'; f'{z}{{x}} x {z:>{z}} {o.x}'\n"),
        ('f"""\n{x}\nx"""\n', 'f"""\n{z}\nx"""\n'),
        ("é = 'é'; x\n", "é = 'é'; z\n"),
        ("xx, _x, x1 = x\n", "xx, _x, x1 = z\n"),
    ],
)
def test_rename_replaces_names_alone(text: str, expected: str) -> None:
    assert rename(text, {"x": "z"}) == expected


def test_import_from_sibling_gathers_imports_and_strips_modules() -> None:
    text = (
        "import json\n\nfrom pack import sub\nfrom pack.a import (\n    f,\n    g,\n)\n\n\n"
        "def h() -> sub.Kind:\n    return 'é', sub.make(f, g, 'sub.make')\n"
    )
    script = import_from_sibling(text, "beside", package="pack")
    assert script.text == (
        "import json\n\nfrom .beside import Kind, f, g, make\n\n\n"
        "def h() -> Kind:\n    return 'é', make(f, g, 'sub.make')\n"
    )
    assert script.wanted == {
        Symbol("pack.sub", "Kind"),
        Symbol("pack.sub", "make"),
        Symbol("pack.a", "f"),
        Symbol("pack.a", "g"),
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import pack\n", "found `import package`"),
        ("from pack.a import f as g\n", "found f as g"),
        ("def h():\n    from pack.a import f\n", "inside a function"),
        ("from pack import sub\n\nmake = sub.make()\n", "'make'"),
        ("from pack.a import f\n\n\ndef h(f):\n    pass\n", "'f'"),
    ],
)
def test_import_from_sibling_refuses_what_would_change_meaning(text: str, message: str) -> None:
    with pytest.raises(FlattenError, match=message):
        import_from_sibling(text, "beside", package="pack")
