"""A release of rated team sessions: its reader, its rows, and how far its judges agree."""

from kolab_core.team.agreement import JudgeAgreement, measure_agreement
from kolab_core.team.columns import (
    TEAM_DESCRIPTION,
    build_team_features,
    list_behaviors,
    list_solo_outcomes,
    list_survey_answers,
    team_rows,
)
from kolab_core.team.reader import (
    TEAM_FILES,
    TeamRelease,
    find_team_sample,
    fingerprint_team,
    is_team_release,
    open_team,
)

__all__ = [
    "TEAM_DESCRIPTION",
    "TEAM_FILES",
    "JudgeAgreement",
    "TeamRelease",
    "build_team_features",
    "find_team_sample",
    "fingerprint_team",
    "is_team_release",
    "list_behaviors",
    "list_solo_outcomes",
    "list_survey_answers",
    "measure_agreement",
    "open_team",
    "team_rows",
]
