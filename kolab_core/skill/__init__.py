"""CollabSkill: people and agents rated as teams from the outcomes of their sessions."""

from kolab_core.skill.evidence import (
    Evidence,
    Sessions,
    index_sessions,
    merge_evidence,
    sum_evidence,
)
from kolab_core.skill.kalman import KalmanState, observe_outcome, start_state
from kolab_core.skill.own_ratings import RatedSteps, RatingKind, collect_ratings
from kolab_core.skill.people import (
    Association,
    adjust_holm,
    compare_halves,
    compare_pre_post,
    correlate_indicators,
    correlate_surveys,
)
from kolab_core.skill.picture import check_picture, draw_skill
from kolab_core.skill.posterior import SideName, SkillPosterior, fit_evidence, fit_skill
from kolab_core.skill.ratings import Comparison, Group, Rating, Side, SkillModel, SkillTable
from kolab_core.skill.saving import load_posterior, save_posterior, update_posterior
from kolab_core.skill.session_table import SessionTable, read_session_table
from kolab_core.skill.solo import QuartileWins, quartile_wins
from kolab_core.skill.stability import (
    AgentStability,
    BootstrapRanks,
    LeaveOneOut,
    NaiveAverage,
    Unit,
    bootstrap_ranks,
    leave_one_out,
    naive_averages,
)

__all__ = [
    "AgentStability",
    "Association",
    "BootstrapRanks",
    "Comparison",
    "Evidence",
    "Group",
    "KalmanState",
    "LeaveOneOut",
    "NaiveAverage",
    "QuartileWins",
    "RatedSteps",
    "Rating",
    "RatingKind",
    "SessionTable",
    "Sessions",
    "Side",
    "SideName",
    "SkillModel",
    "SkillPosterior",
    "SkillTable",
    "Unit",
    "adjust_holm",
    "bootstrap_ranks",
    "check_picture",
    "collect_ratings",
    "compare_halves",
    "compare_pre_post",
    "correlate_indicators",
    "correlate_surveys",
    "draw_skill",
    "fit_evidence",
    "fit_skill",
    "index_sessions",
    "leave_one_out",
    "load_posterior",
    "merge_evidence",
    "naive_averages",
    "observe_outcome",
    "quartile_wins",
    "read_session_table",
    "save_posterior",
    "start_state",
    "sum_evidence",
    "update_posterior",
]
