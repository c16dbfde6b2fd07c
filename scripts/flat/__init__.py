"""Python functions of several modules as the text of one file that imports none of them.

`flatten` takes the definitions that are asked for and all that they need, in an order in which they
can be run, with the imports of other packages above them. Nothing is rewritten but names that two
modules use for different things. What it cannot carry over safely it refuses.
"""

from scripts.flat.names import rename
from scripts.flat.package import FlattenError, Symbol
from scripts.flat.script import FlatScript, import_from_sibling
from scripts.flat.source import FlatSource, flatten

__all__ = [
    "FlatScript",
    "FlatSource",
    "FlattenError",
    "Symbol",
    "flatten",
    "import_from_sibling",
    "rename",
]
