"""Write each evaluate module as the folder of a Space: module, card, app, what to install.

    python scripts/export_spaces.py --out DIR [--namespace NAME] [--package REQUIREMENT]

The module is this project's own file; all that it computes lies in the package, which
requirements.txt names.
"""

from __future__ import annotations

import argparse
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

__all__ = ["PACKAGE", "SPACES", "Space", "export_space", "find_modules", "main"]

PACKAGE = "kolab"
# What the apps were seen to run with.
SDK_VERSION = "5.50.0"
PYTHON_VERSION = "3.11"

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


SPACES = {
    "kolab_adoption": Space("✅", ("green", "indigo")),
    "kolab_rating": Space("⭐", ("yellow", "indigo")),
    "kolab_baseline": Space("🪨", ("gray", "indigo")),
    "kolab_context": Space("🔀", ("blue", "indigo")),
    "kolab_dynamics": Space("🌊", ("blue", "green"), "A whole row of the data set"),
    "collab_skill": Space("🤝", ("red", "indigo")),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Write all Spaces; 1 if a folder cannot be written."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", required=True, metavar="DIR", help="a folder of folders")
    parser.add_argument(
        "--namespace",
        default="",
        metavar="NAME",
        help="whose Spaces: the cards' examples load them",
    )
    parser.add_argument(
        "--package",
        default=PACKAGE,
        metavar="REQUIREMENT",
        help="the package as pip takes it, such as 'kolab @ git+https://…' (default: kolab)",
    )
    options = parser.parse_args(arguments)
    rows = []
    try:
        for module in find_modules():
            folder = export_space(
                module,
                Path(options.out),
                namespace=options.namespace,
                package=options.package,
            )
            rows.append((folder.name, "page" if SPACES[module.stem].inputs else "widget"))
    except OSError as err:
        print(err, file=sys.stderr)
        return 1
    print(render_table(["Space", "app"], rows))
    print(f"\n{options.out}: {len(rows)} Spaces.")
    return 0


def find_modules() -> list[Path]:
    """The file of each evaluate module of this project."""
    return sorted(
        path for path in (ROOT / "metrics").glob("*/*.py") if path.stem == path.parent.name
    )


def export_space(module: Path, out: Path, *, namespace: str = "", package: str = PACKAGE) -> Path:
    """Write the Space of a module to `out/<its name>`, whole or not at all.

    Args:
        module: The module's file; its README.md lies beside it.
        out: The folder above.
        namespace: Whose Space it will be; without one, the card's examples load a folder in reach.
        package: What requirements.txt says.

    Returns:
        The Space's folder. Files of the same names are replaced; any other file there stays.

    Raises:
        OSError: The folder cannot be written.
    """
    files = {
        module.name: module.read_text(encoding="utf-8"),
        "README.md": _card(module, namespace),
        "app.py": _app(module),
        "requirements.txt": f"{package}\n",
    }
    folder = out / module.stem
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".space-", dir=folder) as temporary:
        for name, text in files.items():
            path = Path(temporary) / name
            path.write_text(text, encoding="utf-8", newline="\n")
            path.replace(folder / name)
    return folder


def _app(module: Path) -> str:
    title = str(_read_card(module)["title"])
    if inputs := SPACES[module.stem].inputs:
        return _PAGE.format(title=title, inputs=inputs)
    return _WIDGET.format(name=module.stem)


def _card(module: Path, namespace: str) -> str:
    """The Space's README.md: its YAML, and the module's own text."""
    own, space = _read_card(module), SPACES[module.stem]
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
    return dict(metadata_load(module.parent / "README.md") or {})


def _clean_examples(text: str, namespace: str) -> str:
    """A card's examples, loading the Space instead of asking this project for the name."""
    text = re.sub(r"^import kolab  # .*\n", "", text, flags=re.MULTILINE)
    place = f"{namespace}/" if namespace else ""
    names = "|".join(map(re.escape, sorted(path.stem for path in find_modules())))
    return re.sub(rf'"({names})"', rf'"{place}\1"', text)


if __name__ == "__main__":
    sys.exit(main())
