"""The one place that knows a release's files: it reads and checks them, and gives typed records."""

from kolab_core.release.documents import (
    Participant,
    Survey,
    ToolCall,
    Workflow,
    WorkflowStep,
)
from kolab_core.release.graph_file import GraphRecords, parse_badge
from kolab_core.release.graph_writing import compose_graph, read_graph_text
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
from kolab_core.release.session import name_graph
from kolab_core.release.times import Span, format_span, parse_span, to_seconds

__all__ = [
    "LABELS",
    "Edge",
    "FileReader",
    "GraphRecords",
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
    "compose_graph",
    "fingerprint_release",
    "format_span",
    "name_graph",
    "open_release",
    "parse_badge",
    "parse_span",
    "read_graph_text",
    "read_session",
    "read_survey",
    "show_value",
    "to_seconds",
]
