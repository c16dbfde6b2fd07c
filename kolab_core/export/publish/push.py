"""Publishing: recordings first, then tables and card in one commit, then the tag."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence

from huggingface_hub import HfApi

from kolab_core.export.layout import DATA_FOLDER, RECORDINGS_FOLDER
from kolab_core.export.publish.plan import LocalFile, Plan
from kolab_core.export.publish.remote import PublishError, Remote, RemoteFile

__all__ = ["push"]

# Recordings in one commit: few commits, and little to look through if one of them fails.
_BATCH = 10


def push(
    plan: Plan,
    *,
    api: HfApi,
    private: bool,
    say: Callable[[str], None] = print,
    batch: int = _BATCH,
    pause: Callable[[float], None] = time.sleep,
) -> None:
    """Bring the repository to what the plan says.

    A push that stopped goes on where it was: what lies there with the same size and digest is not
    sent again. Files under `data/` and `recordings/` that the export lacks are removed.

    Args:
        plan: What to send where.
        api: Knows the endpoint and the token.
        private: Whether only its owners may see the repository; one that is there must agree.
        say: Takes a line after each step.
        batch: Recordings in one commit.
        pause: Waits a number of seconds between attempts.

    Raises:
        PublishError: The Hub refused or could not be reached, the repository is of the other
            visibility, or the tag is there with other files.
    """
    remote = Remote(api, plan.target.repo_id, pause=pause)
    is_new = _open_repository(remote, plan, private=private, say=say)
    if not is_new and plan.target.revision in remote.tags():
        _check_tagged(remote, plan)
        say(f"{plan.target.revision} is published already: nothing to do.")
        return
    if plan.is_gated:
        remote.gate()
        say("access only on request, granted by hand")
    _send_recordings(remote, plan, batch, say)
    there = remote.files()
    stale = sorted(set(_ours(there)) - {file.name for file in plan.files})
    remote.commit(f"Tables and card of {plan.target.revision}", plan.tables, delete=stale)
    say(f"tables and card: {len(plan.tables)} files")
    for name in stale:
        say(f"removed {name}: not in the export")
    if missing := _list_missing(plan.files, remote.files()):
        raise PublishError(f"{plan.target.repo_id}: found {missing[0].name} missing or different.")
    remote.tag(plan.target.revision)
    say(f"tag {plan.target.revision}")


def _open_repository(
    remote: Remote, plan: Plan, *, private: bool, say: Callable[[str], None]
) -> bool:
    """Make the repository if it is not there; whether it was made."""
    names = {True: "private", False: "public"}
    is_private = remote.is_private()
    if is_private is None:
        remote.create(private=private)
        say(f"new {names[private]} repository {plan.target.repo_id}")
        return True
    if is_private != private:
        raise PublishError(
            f"{plan.target.repo_id}: found a {names[is_private]} repository; expected a "
            f"{names[private]} one. Say --{names[is_private]}, or change it in its settings."
        )
    return False


def _check_tagged(remote: Remote, plan: Plan) -> None:
    if missing := _list_missing(plan.files, remote.files(plan.target.revision)):
        raise PublishError(
            f"{plan.target.repo_id}: found the tag {plan.target.revision} with another "
            f"{missing[0].name}; expected a tag that is not there yet, since rows name it. "
            "Export with another --revision."
        )


def _send_recordings(remote: Remote, plan: Plan, batch: int, say: Callable[[str], None]) -> None:
    waiting = _list_missing(plan.recordings, remote.files())
    num_there = len(plan.recordings) - len(waiting)
    if num_there:
        say(f"recordings: {num_there} are there already")
    for start in range(0, len(waiting), batch):
        files = waiting[start : start + batch]
        num_there += len(files)
        remote.commit(f"Recordings, {num_there} of {len(plan.recordings)}", files)
        say(f"recordings: {num_there} of {len(plan.recordings)}")


def _list_missing(files: Sequence[LocalFile], there: Mapping[str, RemoteFile]) -> list[LocalFile]:
    return [file for file in files if file.name not in there or not there[file.name].is_same(file)]


def _ours(there: Mapping[str, RemoteFile]) -> Iterator[str]:
    folders = (f"{DATA_FOLDER}/", f"{RECORDINGS_FOLDER}/")
    return (name for name in there if name.startswith(folders))
