"""The same posterior one outcome at a time: a Kalman filter over all skills."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kolab_core.skill.ratings import SkillModel

__all__ = ["KalmanState", "observe_outcome", "start_state"]

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class KalmanState:
    """Beliefs about `size` skills, agents and humans in one numbering.

    Attributes:
        mean: float64 [size].
        covariance: float64 [size, size].
        beta: Standard deviation of an outcome given both skills.
    """

    mean: FloatArray
    covariance: FloatArray
    beta: float


def start_state(size: int, model: SkillModel) -> KalmanState:
    """The prior of `size` skills.

    Args:
        size: How many; at least two.
        model: The constants. One outcome at a time, the mean of all is not known yet, so outcomes
            of a centred model have to be centred by the caller.

    Returns:
        Means mu0, covariance sigma0^2 I.

    Raises:
        ValueError: `size` is below two.
    """
    if size < 2:
        raise ValueError(f"size: found {size}; expected at least 2, an agent and a human.")
    return KalmanState(
        mean=np.full(size, model.mu0),
        covariance=np.eye(size) * model.sigma0**2,
        beta=model.beta,
    )


def observe_outcome(state: KalmanState, outcome: float, *, agent: int, human: int) -> KalmanState:
    """The beliefs after one more outcome; O(size^2).

    Args:
        state: The beliefs before.
        outcome: A finite number.
        agent: The agent's position.
        human: The human's position.

    Returns:
        The beliefs after; `state` stays as it is.

    Raises:
        ValueError: The positions are equal or the outcome is not finite.
        IndexError: A position is out of range.
    """
    if agent == human:
        raise ValueError(f"agent, human: found {agent} twice; expected two positions.")
    if not np.isfinite(outcome):
        raise ValueError(f"outcome: found {outcome!r}; expected a finite number.")
    cross = state.covariance[:, agent] + state.covariance[:, human]
    spread = cross[agent] + cross[human] + state.beta**2
    surprise = outcome - state.mean[agent] - state.mean[human]
    return KalmanState(
        mean=state.mean + cross * (surprise / spread),
        covariance=state.covariance - np.outer(cross, cross) / spread,
        beta=state.beta,
    )
