"""The one place that knows a release's files: it reads and checks them, and gives typed records."""

from kolab_core.release.documents import (
    Participant,
    Survey,
    ToolCall,
    Workflow,
    WorkflowStep,
)
from kolab_core.release.issues import Issue, ReleaseError, show_value
from kolab_core.release.parsing import FileReader
from kolab_core.release.records import (
    Edge,
    Node,
    Occurrence,
    Response,
    Segment,
    Session,
    SessionFile,
    Turn,
)
from kolab_core.release.responses import LABELS
from kolab_core.release.root import (
    Release,
    check_survey,
    fingerprint_release,
    open_release,
    read_session,
    read_survey,
)
from kolab_core.release.times import Span, parse_span, to_seconds

__all__ = [
    "LABELS",
    "Edge",
    "FileReader",
    "Issue",
    "Node",
    "Occurrence",
    "Participant",
    "Release",
    "ReleaseError",
    "Response",
    "Segment",
    "Session",
    "SessionFile",
    "Span",
    "Survey",
    "ToolCall",
    "Turn",
    "Workflow",
    "WorkflowStep",
    "check_survey",
    "fingerprint_release",
    "open_release",
    "parse_span",
    "read_session",
    "read_survey",
    "show_value",
    "to_seconds",
]
