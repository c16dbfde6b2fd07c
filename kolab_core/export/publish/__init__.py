"""An export's way to the Hub."""

from kolab_core.export.publish.plan import LocalFile, Plan, read_plan, render_plan
from kolab_core.export.publish.push import push
from kolab_core.export.publish.remote import PublishError, Remote, RemoteFile

__all__ = [
    "LocalFile",
    "Plan",
    "PublishError",
    "Remote",
    "RemoteFile",
    "push",
    "read_plan",
    "render_plan",
]
