"""A session's graph as an ELAN file that an annotator mends, and back."""

from kolab_core.annotations.changes import Change, list_changes
from kolab_core.annotations.exporting import export_session
from kolab_core.annotations.importing import Import, import_annotations

__all__ = ["Change", "Import", "export_session", "import_annotations", "list_changes"]
