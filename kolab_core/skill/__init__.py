"""CollabSkill: people and agents rated as teams from the outcomes of their sessions."""

from kolab_core.skill.evidence import Sessions, index_sessions, sum_evidence
from kolab_core.skill.kalman import observe_outcome, start_state
from kolab_core.skill.own_ratings import collect_ratings
from kolab_core.skill.people import (
    Association,
    compare_halves,
    compare_pre_post,
    correlate_indicators,
    correlate_surveys,
)
from kolab_core.skill.picture import check_picture, draw_skill
from kolab_core.skill.posterior import SideName, SkillPosterior, fit_evidence, fit_skill
from kolab_core.skill.ratings import SkillModel
from kolab_core.skill.saving import load_posterior, save_posterior, update_posterior
from kolab_core.skill.session_table import read_session_table
from kolab_core.skill.solo import QuartileWins, quartile_wins
from kolab_core.skill.stability import bootstrap_ranks, leave_one_out, naive_averages

__all__ = [
    "Association",
    "QuartileWins",
    "Sessions",
    "SideName",
    "SkillModel",
    "SkillPosterior",
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
    "naive_averages",
    "observe_outcome",
    "quartile_wins",
    "read_session_table",
    "save_posterior",
    "start_state",
    "sum_evidence",
    "update_posterior",
]
