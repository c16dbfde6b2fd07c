"""What would break an export's page on the Hub, found before it is uploaded."""

from kolab_core.export.viewer.check import CHECKS, Finding, check_export

__all__ = ["CHECKS", "Finding", "check_export"]
