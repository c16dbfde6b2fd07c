"""What a release counts: size, labels, ratings, clips, tools, answers; the paper's beside."""

from kolab_core.stats.published import read_published_counts
from kolab_core.stats.results import Stats
from kolab_core.stats.sections import stats_sections
from kolab_core.stats.summary import clip_minutes, summarise_tally
from kolab_core.stats.tally import StepTime, Tally, count_release

__all__ = [
    "Stats",
    "StepTime",
    "Tally",
    "clip_minutes",
    "count_release",
    "read_published_counts",
    "stats_sections",
    "summarise_tally",
]
