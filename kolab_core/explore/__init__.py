"""Sessions as pages that one opens in a browser: what was done when, beside the recording."""

from kolab_core.explore.answers import Answers, match_answers
from kolab_core.explore.serving import make_server
from kolab_core.explore.site import OutError, Site, SiteOptions, build_site, page_address

__all__ = [
    "Answers",
    "OutError",
    "Site",
    "SiteOptions",
    "build_site",
    "make_server",
    "match_answers",
    "page_address",
]
