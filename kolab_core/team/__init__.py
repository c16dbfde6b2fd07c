"""A release of rated team sessions: its reader, its rows, and how far its judges agree."""

from kolab_core.team.agreement import JudgeAgreement, JudgeBias, JudgePair, measure_agreement
from kolab_core.team.columns import (
    TEAM_DESCRIPTION,
    build_team_features,
    list_behaviors,
    list_solo_outcomes,
    list_survey_answers,
    team_rows,
)
from kolab_core.team.reader import (
    FORMAT,
    TEAM_FILES,
    TeamRelease,
    TeamSession,
    find_team_sample,
    fingerprint_team,
    is_team_release,
    open_team,
)

__all__ = [
    "FORMAT",
    "TEAM_DESCRIPTION",
    "TEAM_FILES",
    "JudgeAgreement",
    "JudgeBias",
    "JudgePair",
    "TeamRelease",
    "TeamSession",
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
