"""The repository on the Hub: a few requests, each repeated when a connection drops."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from huggingface_hub import (
    CommitOperationAdd,
    CommitOperationDelete,
    HfApi,
)
from huggingface_hub.errors import HfHubHTTPError, RepositoryNotFoundError
from huggingface_hub.hf_api import RepoFile

from kolab_core.export.publish.plan import LocalFile
from kolab_core.export.write import ExportError

__all__ = ["PublishError", "Remote", "RemoteFile"]

_KIND = "dataset"
_BRANCH = "main"
_ATTEMPTS = 5
_PASSING_STATUS = (408, 429, 500, 502, 503, 504)
# What all errors of the HTTP client derive from: httpx in huggingface_hub 1, httpx2 in 2.
_HTTP_ERROR: type[Exception] = HfHubHTTPError.__bases__[0]

_Result = TypeVar("_Result")


class PublishError(ExportError):
    """A push that stops, with a reason that a person can act on."""


@dataclass(frozen=True)
class RemoteFile:
    """A file of the repository.

    Attributes:
        size: Bytes.
        sha256: The content's digest, of large files; None for those that git itself holds.
        git_sha1: The digest that git knows the file (or what stands for it) by.
    """

    size: int
    sha256: str | None
    git_sha1: str

    def is_same(self, file: LocalFile) -> bool:
        """Whether the content is that of a file here; reads it only if the sizes agree."""
        if self.size != file.size:
            return False
        if self.sha256 is not None:
            return self.sha256 == file.sha256
        return self.git_sha1 == file.git_sha1


class Remote:
    """One dataset repository.

    Every request may be sent again after a dropped connection: the Hub has either not seen it, or
    answers that it is done already.
    """

    def __init__(
        self, api: HfApi, repo_id: str, *, pause: Callable[[float], None] = time.sleep
    ) -> None:
        """Take an `HfApi` (which knows endpoint and token) and how to wait between attempts."""
        self._api = api
        self._repo_id = repo_id
        self._pause = pause

    def is_private(self) -> bool | None:
        """Whether only its owners see it; None if there is no such repository."""

        def ask() -> bool | None:
            try:
                return bool(self._api.repo_info(self._repo_id, repo_type=_KIND).private)
            except RepositoryNotFoundError:
                return None

        return self._repeat(ask)

    def create(self, *, private: bool) -> None:
        """Make the repository."""
        self._repeat(
            lambda: self._api.create_repo(
                self._repo_id, repo_type=_KIND, private=private, exist_ok=True
            )
        )

    def gate(self) -> None:
        """Let nobody read files whose request was not granted by a person."""
        self._repeat(
            lambda: self._api.update_repo_settings(self._repo_id, repo_type=_KIND, gated="manual")
        )

    def files(self, revision: str = _BRANCH) -> dict[str, RemoteFile]:
        """All files at a revision, by name."""
        tree = self._repeat(
            lambda: list(
                self._api.list_repo_tree(
                    self._repo_id, recursive=True, revision=revision, repo_type=_KIND
                )
            )
        )
        return {
            item.path: RemoteFile(
                item.size, None if item.lfs is None else item.lfs.sha256, item.blob_id
            )
            for item in tree
            if isinstance(item, RepoFile)
        }

    def tags(self) -> set[str]:
        """The names of all tags."""
        refs = self._repeat(lambda: self._api.list_repo_refs(self._repo_id, repo_type=_KIND))
        return {tag.name for tag in refs.tags}

    def commit(
        self, message: str, files: Sequence[LocalFile], *, delete: Sequence[str] = ()
    ) -> None:
        """Send files and remove others, in one commit."""

        def send() -> None:
            # Made anew for each attempt, so that the library asks again what is there already.
            operations: list[CommitOperationAdd | CommitOperationDelete] = [
                CommitOperationAdd(path_in_repo=file.name, path_or_fileobj=str(file.path))
                for file in files
            ]
            there = self.files() if delete else {}
            operations += [CommitOperationDelete(name) for name in delete if name in there]
            self._api.create_commit(
                self._repo_id, operations, commit_message=message, repo_type=_KIND
            )

        self._repeat(send)

    def tag(self, name: str) -> None:
        """Set a tag at the head of the branch."""
        self._repeat(
            lambda: self._api.create_tag(self._repo_id, tag=name, repo_type=_KIND, exist_ok=True)
        )

    def _repeat(self, request: Callable[[], _Result]) -> _Result:
        """Send a request; again, a few times, if it failed in a way that passes.

        Raises:
            PublishError: It failed for good.
        """
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                return request()
            except (_HTTP_ERROR, OSError, RuntimeError, ValueError) as err:
                if attempt == _ATTEMPTS or not _is_passing(err):
                    raise PublishError(self._explain(err)) from err
                self._pause(float(2 ** (attempt - 1)))
        raise AssertionError("unreachable")

    def _explain(self, err: BaseException) -> str:
        text = " ".join(str(_root(err)).split()) or type(_root(err)).__name__
        hint = "Run the same command again: what is there already is not sent again."
        status = getattr(getattr(_root(err), "response", None), "status_code", None)
        if status in (401, 403):
            hint = "Use a token that may write there: `hf auth login`, or the variable HF_TOKEN."
        return f"{self._repo_id}: {text[:400]} {hint}"


def _is_passing(err: BaseException) -> bool:
    """Whether the same request may succeed later: a dropped connection, or a busy server."""
    root = _root(err)
    response = getattr(root, "response", None)
    if response is not None:
        return response.status_code in _PASSING_STATUS
    is_transport = isinstance(root, _HTTP_ERROR) and not isinstance(root, HfHubHTTPError)
    is_offline = type(root).__name__ == "OfflineModeIsEnabled"
    return is_transport or (isinstance(root, ConnectionError) and not is_offline)


def _root(err: BaseException) -> BaseException:
    """The error that a library's worker wrapped, or the error itself."""
    cause = err.__cause__
    return cause if isinstance(err, RuntimeError) and cause is not None else err
