"""Write each evaluate module as the folder of a Space, which needs nothing of this project.

    python scripts/export_spaces.py --out DIR [--namespace NAME]

`evaluate.load(<folder>)` works where only what its requirements.txt names is installed: beside each
module lies one file with all functions that it needs.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from huggingface_hub import SpaceCardData, metadata_load  # noqa: E402 - after the path is set

from kolab_core.reports.tables import render_table  # noqa: E402
from scripts.flat import FlattenError, flatten, import_from_sibling  # noqa: E402

__all__ = ["FUNCTIONS", "REQUIREMENTS", "SPACES", "Space", "export_space", "find_modules", "main"]

FUNCTIONS = "kolab_functions"
REQUIREMENTS = ("evaluate", "numpy", "scipy", "scikit-learn")
# What the apps were seen to run with.
SDK_VERSION = "5.50.0"
PYTHON_VERSION = "3.11"

_HEADING = """The functions of this module, written by scripts/export_spaces.py of Kolab.

Do not edit: change the modules that the comments below name, and export again.
"""
_WIDGET = '''"""The Space's page: a table to type rows into, and what the module makes of them."""

from pathlib import Path
from types import SimpleNamespace

import evaluate
import gradio
from evaluate.utils import launch_gradio_widget

# The widget looks for its parts where gradio had them before version 4.
gradio.inputs = SimpleNamespace(Dataframe=gradio.Dataframe)
gradio.outputs = SimpleNamespace(Textbox=gradio.Textbox)

launch_gradio_widget(evaluate.load(str(Path(__file__).with_name("{name}.py"))))
'''
_PAGE = '''"""The Space's page: what the module is. {inputs} does not fit into a table of cells."""

from pathlib import Path

import gradio
from evaluate.utils.gradio import parse_readme

with gradio.Blocks(title="{title}") as page:
    gradio.Markdown(parse_readme(Path(__file__).with_name("README.md")))

page.launch()
'''


@dataclass(frozen=True)
class Space:
    """What the Space of a module has that its README does not say.

    Attributes:
        emoji: Of its card.
        colors: Of its card, from and to.
        inputs: What a row of its table cannot hold; empty if it can.
    """

    emoji: str
    colors: tuple[str, str]
    inputs: str = ""


_OTHER = Space("📏", ("gray", "indigo"))
SPACES = {
    "kolab_adoption": Space("✅", ("green", "indigo")),
    "kolab_rating": Space("⭐", ("yellow", "indigo")),
    "kolab_baseline": Space("🪨", ("gray", "indigo")),
    "kolab_context": Space("🔀", ("blue", "indigo")),
    "kolab_dynamics": Space("🌊", ("blue", "green"), "A whole row of the data set"),
    "collab_skill": Space("🤝", ("red", "indigo")),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Write all Spaces; 1 if something cannot be carried over or written."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", required=True, metavar="DIR", help="a folder of folders")
    parser.add_argument(
        "--namespace",
        default="",
        metavar="NAME",
        help="whose Spaces: the cards' examples load them",
    )
    options = parser.parse_args(arguments)
    rows = []
    try:
        for module in find_modules():
            folder = export_space(module, Path(options.out), namespace=options.namespace)
            size = len((folder / f"{FUNCTIONS}.py").read_text(encoding="utf-8").splitlines())
            rows.append((folder.name, size, "page" if _space(module).inputs else "widget"))
    except (FlattenError, OSError) as err:
        print(err, file=sys.stderr)
        return 1
    print(render_table(["Space", "lines of functions", "app"], rows))
    print(f"\n{options.out}: {len(rows)} Spaces.")
    return 0


def find_modules() -> list[Path]:
    """The file of each evaluate module of this project."""
    return sorted(
        path for path in (ROOT / "metrics").glob("*/*.py") if path.stem == path.parent.name
    )


def export_space(module: Path, out: Path, *, namespace: str = "") -> Path:
    """Write the Space of a module to `out/<its name>`, whole or not at all.

    Args:
        module: The module's file; its README.md lies beside it.
        out: The folder above.
        namespace: Whose Space it will be; without one, the examples load a folder in reach.

    Returns:
        The Space's folder. Files of the same names are replaced; any other file there stays.

    Raises:
        FlattenError: Something of the module cannot be carried over.
        OSError: The folder cannot be written.
    """
    script = import_from_sibling(module.read_text(encoding="utf-8"), FUNCTIONS)
    flat = flatten(ROOT, script.wanted, heading=_HEADING)
    files = {
        f"{module.stem}.py": _clean_examples(script.text, namespace),
        f"{FUNCTIONS}.py": flat.text,
        "README.md": _card(module, namespace),
        "app.py": _app(module),
        "requirements.txt": "".join(f"{name}\n" for name in REQUIREMENTS),
    }
    for name in (f"{module.stem}.py", "app.py"):
        ast.parse(files[name])
    folder = out / module.stem
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".space-", dir=folder) as temporary:
        for name, text in files.items():
            path = Path(temporary) / name
            path.write_text(text, encoding="utf-8", newline="\n")
            path.replace(folder / name)
    return folder


def _space(module: Path) -> Space:
    return SPACES.get(module.stem, _OTHER)


def _app(module: Path) -> str:
    title = str(_read_card(module)["title"])
    if inputs := _space(module).inputs:
        return _PAGE.format(title=title, inputs=inputs)
    return _WIDGET.format(name=module.stem)


def _card(module: Path, namespace: str) -> str:
    """The Space's README.md: its YAML, and the module's own text."""
    own, space = _read_card(module), _space(module)
    data = SpaceCardData(
        title=own["title"],
        emoji=space.emoji,
        colorFrom=space.colors[0],
        colorTo=space.colors[1],
        sdk="gradio",
        sdk_version=SDK_VERSION,
        python_version=PYTHON_VERSION,
        app_file="app.py",
        pinned=False,
        license="apache-2.0",
        tags=own["tags"],
        description=own["description"],
    )
    text = (module.parent / "README.md").read_text(encoding="utf-8")
    body = text.split("---\n", 2)[2]
    return f"---\n{data.to_yaml()}\n---\n{_clean_examples(body, namespace)}"


def _read_card(module: Path) -> dict[str, Any]:
    data = metadata_load(module.parent / "README.md")
    if not data:
        raise FlattenError(f"{module.parent.name}/README.md: found no YAML; expected a card.")
    return dict(data)


def _clean_examples(text: str, namespace: str) -> str:
    """Examples that load the Space instead of asking this project for the name."""
    text = re.sub(r"^(?: *>>> )?import kolab(?:  # .*)?\n", "", text, flags=re.MULTILINE)
    place = f"{namespace}/" if namespace else ""
    names = "|".join(map(re.escape, sorted(path.stem for path in find_modules())))
    return re.sub(rf'"(?:metrics/)?({names})"', rf'"{place}\1"', text)


if __name__ == "__main__":
    sys.exit(main())
