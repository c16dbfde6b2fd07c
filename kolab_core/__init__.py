"""What the `kolab` front door stands on; see `docs/` for how the rooms fit together."""

import importlib.metadata

__all__ = ["__version__"]

try:
    __version__ = importlib.metadata.version("kolab")
except importlib.metadata.PackageNotFoundError:  # a checkout that is on the path, not installed
    __version__ = "0+unknown"
