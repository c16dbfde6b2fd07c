"""Where things lie in an export, and how its rows name its recordings on the Hub."""

from __future__ import annotations

import re
from dataclasses import dataclass

from huggingface_hub.errors import HFValidationError
from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]  # not in its __all__

__all__ = [
    "DATA_FOLDER",
    "EXPORT_KEY",
    "RECORDINGS_FOLDER",
    "SPLIT",
    "HubTarget",
    "data_file",
    "split_hub_path",
]

# The card's YAML field that says which repository and tag the export is made for; the Hub leaves
# fields that it does not know alone.
EXPORT_KEY = "kolab_export"
DATA_FOLDER = "data"
RECORDINGS_FOLDER = "recordings"
SPLIT = "test"
_SCHEME = "hf://datasets/"
# What Git takes as a tag and a URL needs no escapes for.
_TAG = re.compile(r"(?!.*\.\.)(?!.*\.lock$)[A-Za-z0-9_](?:[A-Za-z0-9._+-]*[A-Za-z0-9_+-])?")


@dataclass(frozen=True)
class HubTarget:
    """The dataset repository that an export is made for, at one tag.

    The viewer plays a video only from an address of its own repository with a revision, so the
    rows carry that address and the tag has to be set once the files are there.

    Attributes:
        repo_id: `namespace/name`.
        revision: The tag.
    """

    repo_id: str
    revision: str

    def __post_init__(self) -> None:
        """Refuse names that the Hub would.

        Raises:
            ValueError: The name has no namespace or odd characters, or the tag is empty or odd.
        """
        expected = "expected NAMESPACE/NAME as the Hub allows it"
        if self.repo_id.count("/") != 1:
            raise ValueError(f"repo_id: found {self.repo_id!r}; {expected}.")
        try:
            validate_repo_id(self.repo_id)
        except HFValidationError as err:
            raise ValueError(f"repo_id: found {self.repo_id!r}; {expected}.") from err
        if not _TAG.fullmatch(self.revision):
            expected = "expected a tag of letters, digits, '.', '_', '+' and '-', such as v1.0"
            raise ValueError(f"revision: found {self.revision!r}; {expected}.")

    @property
    def prefix(self) -> str:
        """The address of the repository's files, with `/` at the end."""
        return f"{_SCHEME}{self.repo_id}@{self.revision}/"

    def recording(self, name: str) -> str:
        """The address of a recording."""
        return f"{self.prefix}{RECORDINGS_FOLDER}/{name}"


def data_file(config: str) -> str:
    """The path of a config's rows in the export."""
    return f"{DATA_FOLDER}/{config}/{SPLIT}-00000-of-00001.parquet"


def split_hub_path(path: str) -> tuple[HubTarget, str] | None:
    """The repository and the path in it of a pinned address; None for any other path.

    >>> split_hub_path("hf://datasets/me/kolab@v1/recordings/P01_S1.mp4")[1]
    'recordings/P01_S1.mp4'
    """
    if not path.startswith(_SCHEME):
        return None
    namespace, _, rest = path[len(_SCHEME) :].partition("/")
    name, _, inside = rest.partition("/")
    name, at, revision = name.partition("@")
    if not at or not inside:
        return None
    try:
        return HubTarget(f"{namespace}/{name}", revision), inside
    except ValueError:
        return None
