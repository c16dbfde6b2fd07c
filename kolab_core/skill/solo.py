"""Does a person help? Outcomes against what the agent reaches alone, by quartile of skill."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from kolab_core.skill.evidence import Sessions
from kolab_core.skill.posterior import SkillPosterior

__all__ = ["QuartileWins", "quartile_wins"]

_QUARTILES = 4


@dataclass(frozen=True)
class QuartileWins:
    """The sessions of a quarter of the humans.

    Attributes:
        quartile: 1 (least skilled) to 4 (most skilled).
        num_humans: Humans in it.
        mean_mu: Mean of their posterior means.
        num_sessions: Their sessions that have a solo score.
        num_wins: Those whose outcome is above it.
        num_ties: Those whose outcome equals it.
        win_rate: num_wins / num_sessions; NaN without sessions.
        win_rate_low: Lower end of Wilson's interval.
        win_rate_high: Upper end.
        mean_margin: Mean of outcome - solo score.
    """

    quartile: int
    num_humans: int
    mean_mu: float
    num_sessions: int
    num_wins: int
    num_ties: int
    win_rate: float
    win_rate_low: float
    win_rate_high: float
    mean_margin: float


def quartile_wins(
    sessions: Sessions,
    posterior: SkillPosterior,
    solo_scores: Sequence[float],
    *,
    confidence: float = 0.95,
) -> tuple[QuartileWins, ...]:
    """Win rates of human-agent teams over a solo score on the same task, by human skill.

    Args:
        sessions: The study.
        posterior: Its posterior; the humans are quartered by mu (ties by name, sizes within one).
        solo_scores: For each session, what is reached on its task without the human; NaN: unknown.
        confidence: Of Wilson's intervals, in (0, 1).

    Returns:
        The four quartiles, least skilled first.

    Raises:
        ValueError: Fewer than four humans, a wrong number of scores, or a human of the sessions
            whom the posterior does not know.
    """
    solo = np.asarray(solo_scores, dtype=np.float64)
    if solo.shape != sessions.outcomes.shape:
        raise ValueError(
            f"solo_scores: found {len(solo)} values; expected {len(sessions.outcomes)}, one a "
            "session."
        )
    if not 0 < confidence < 1:
        raise ValueError(f"confidence: found {confidence!r}; expected a number in (0, 1).")
    if len(sessions.humans) < _QUARTILES:
        raise ValueError(
            f"humans: found {len(sessions.humans)}; expected at least 4, for quarters."
        )
    mu_of = dict(zip(posterior.humans.names, posterior.humans.mu.tolist(), strict=True))
    unknown = [name for name in sessions.humans if name not in mu_of]
    if unknown:
        raise ValueError(f"humans: found {unknown[0]!r}; expected those of the posterior.")
    mu = np.array([mu_of[name] for name in sessions.humans])
    quarters = np.array_split(np.argsort(mu, kind="stable"), _QUARTILES)
    return tuple(
        _quartile(number, members, mu, sessions, solo, confidence)
        for number, members in enumerate(quarters, start=1)
    )


def _quartile(
    number: int,
    members: np.ndarray[Any, Any],
    mu: np.ndarray[Any, Any],
    sessions: Sessions,
    solo: np.ndarray[Any, Any],
    confidence: float,
) -> QuartileWins:
    chosen = np.isin(sessions.human_index, members) & ~np.isnan(solo)
    margins = sessions.outcomes[chosen] - solo[chosen]
    wins, size = int((margins > 0).sum()), len(margins)
    low = high = rate = mean = float("nan")
    if size:
        interval = stats.binomtest(wins, size).proportion_ci(confidence, method="wilson")
        low, high = float(interval.low), float(interval.high)
        rate, mean = wins / size, float(margins.mean())
    return QuartileWins(
        quartile=number,
        num_humans=len(members),
        mean_mu=float(mu[members].mean()),
        num_sessions=size,
        num_wins=wins,
        num_ties=int((margins == 0).sum()),
        win_rate=rate,
        win_rate_low=low,
        win_rate_high=high,
        mean_margin=mean,
    )
