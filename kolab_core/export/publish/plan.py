"""What of an export goes to the Hub, in which order; known before anything is sent."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pyarrow.parquet as pq

from kolab_core.export.card import (
    CARD_NAME,
    GATE_PREFIX,
    list_blanks,
    read_target,
    split_front_matter,
)
from kolab_core.export.layout import DATA_FOLDER, RECORDINGS_FOLDER, HubTarget, data_file
from kolab_core.export.write import ExportError
from kolab_core.reports.tables import render_table

__all__ = ["LocalFile", "Plan", "read_plan", "render_plan"]

_BLOCK = 2**20


@dataclass(frozen=True)
class LocalFile:
    """A file of the export.

    Attributes:
        name: Its path in the repository.
        path: Where it lies here.
    """

    name: str
    path: Path

    @cached_property
    def size(self) -> int:
        """Bytes."""
        return self.path.stat().st_size

    @cached_property
    def sha256(self) -> str:
        """The digest of the content, in hexadecimal; reads the whole file once."""
        return self._digest(hashlib.sha256())

    @cached_property
    def git_sha1(self) -> str:
        """The digest that git knows the content by, in hexadecimal; reads the whole file once."""
        return self._digest(hashlib.sha1(b"blob %d\0" % self.size, usedforsecurity=False))

    def _digest(self, digest: hashlib._Hash) -> str:
        with self.path.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
        return digest.hexdigest()


@dataclass(frozen=True)
class Plan:
    """An export as it is to lie on the Hub.

    Attributes:
        target: The repository and the tag that the rows name.
        recordings: Sent first, so that no row ever names a recording that is not there.
        tables: All other files, sent in one commit.
        blanks: What the card still leaves to the publisher.
        is_gated: Whether the card has the fields of a page that asks for requests.
    """

    target: HubTarget
    recordings: tuple[LocalFile, ...]
    tables: tuple[LocalFile, ...]
    blanks: tuple[str, ...]
    is_gated: bool

    @property
    def files(self) -> tuple[LocalFile, ...]:
        """All files."""
        return (*self.recordings, *self.tables)


def read_plan(folder: str | Path) -> Plan:
    """Read from an export what is to be published where.

    Raises:
        ExportError: The folder is no export, or its rows name another place than its card.
    """
    root = Path(folder)
    card = root / CARD_NAME
    if not card.is_file():
        raise ExportError(f"{folder}: found no {CARD_NAME}; expected an export.")
    text = card.read_text(encoding="utf-8")
    front, _ = split_front_matter(text)
    target = read_target(front)
    _check_addresses(root, target)
    files = list(_list_files(root))
    prefix = f"{RECORDINGS_FOLDER}/"
    return Plan(
        target=target,
        recordings=tuple(file for file in files if file.name.startswith(prefix)),
        tables=tuple(file for file in files if not file.name.startswith(prefix)),
        blanks=tuple(list_blanks(text)),
        is_gated=any(key.startswith(GATE_PREFIX) for key in front),
    )


def render_plan(plan: Plan) -> str:
    """The steps with their files, in the order in which they are sent."""
    rows = [("1 recordings", file.name, file.size) for file in plan.recordings]
    rows += [("2 tables and card", file.name, file.size) for file in plan.tables]
    table = render_table(["step", "file", "bytes"], rows)
    total = sum(file.size for file in plan.files)
    return (
        f"To {plan.target.repo_id}, {len(plan.files)} files, {total:,} bytes:\n{table}\n"
        f"3 tag {plan.target.revision}"
    )


def _list_files(root: Path) -> Iterator[LocalFile]:
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_file() and not any(part.startswith(".") for part in name.split("/")):
            yield LocalFile(name, path)


def _check_addresses(root: Path, target: HubTarget) -> None:
    """Whether the recordings' addresses in `sessions` are those of the card's repository."""
    if not any((root / DATA_FOLDER).rglob("*.parquet")):
        raise ExportError(f"{root}: found no tables under {DATA_FOLDER}/; expected an export.")
    path = root / data_file("sessions")
    if not path.is_file():
        return
    for cell in pq.read_table(path, columns=["video"])["video"].to_pylist():
        address = None if cell is None else cell["path"]
        if address is not None and not address.startswith(target.prefix):
            raise ExportError(
                f"{data_file('sessions')}: found the address {address!r}; expected it under "
                f"{target.prefix}, as the card says. Export again."
            )
