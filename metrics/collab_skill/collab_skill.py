"""CollabSkill as an `evaluate` module: agents and humans rated from their joint outcomes."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import evaluate
import numpy as np

import kolab
from kolab import skill

_DESCRIPTION = """\
CollabSkill: the skill of AI agents and of the humans who work with them, from their joint outcomes.

Formula: an outcome of agent A with human H is y = s_A + s_H + e with e ~ N(0, beta^2); each skill
starts as N(mu0, sigma0^2). Each outcome adds x x^T / beta^2 to the precision and y x / beta^2 to
eta, where x marks the two partners. mu solves (precision) mu = eta, sigma^2 is the diagonal of the
inverse, and score = mu - 3 sigma. All of it is exact up to rounding.
Range: any number; better: higher.
"""

_KWARGS_DESCRIPTION = """
Args:
    agents (n rows): the agent's name in each session.
    humans (n rows): the human's name in each session.
    outcomes (n rows): the outcome of each session, a finite number (0 to 100 in the paper).
    tasks (n values): the task's name in each session, for `stability`; default None.
    beta: standard deviation of an outcome given both skills, > 0; default 1.
    mu0: prior mean of every skill; default 0.
    sigma0: prior standard deviation of every skill, > 0; default 1.
    center: subtract the mean outcome first; default False, as in the paper. Without it the prior
        at mu0 pulls whoever has few sessions far below the others when outcomes lie near 80.

Returns:
    {"agents": [{"name", "mu", "sigma", "score", "rank", "num_sessions"}, ...], best first (equal
    scores share the better rank), "humans": the same, "n": sessions, "groups": [{"agents",
    "humans", "num_sessions"}, ...]: entities linked by shared partners; scores of different groups
    are not comparable}.
    After `compute`, the module answers `prob_greater(a, b)`, `stability()`, `update(...)` and
    `save(path)`.

Degenerate: fewer than two sessions, a blank name, an outcome that is not a finite number, beta or
    sigma0 not above 0 -> ValueError that names the rows.

References: CollabSkill, arXiv 2606.09833. There the diagonal is estimated by random probes.

Examples:
    >>> import evaluate
    >>> import kolab
    >>> rating = evaluate.load("collab_skill")
    >>> table = rating.compute(
    ...     agents=["a", "a", "b", "b"], humans=["x", "y", "x", "y"], outcomes=[3, 2, 2, 1]
    ... )
    >>> [(row["name"], round(row["score"], 3)) for row in table["agents"]]
    [('a', -0.916), ('b', -1.583)]
    >>> round(rating.prob_greater("a", "b")["probability"], 3)
    0.793
    >>> rating.compute(agents=["a"], humans=["x"], outcomes=[3])
    Traceback (most recent call last):
    ValueError: outcomes: found 1 session; expected at least 2.
"""

_CITATION = """\
@article{collabskill2026,
  title = {CollabSkill},
  journal = {arXiv preprint arXiv:2606.09833},
  year = {2026}
}
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class CollabSkill(kolab.modules.TextInputs, evaluate.Metric):
    row_options = ("tasks",)
    _posterior: skill.SkillPosterior | None = None
    _sessions: skill.Sessions | None = None

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=kolab.modules.text_features("agents", "humans", "outcomes"),
        )

    def _compute(
        self,
        agents: list[str],
        humans: list[str],
        outcomes: list[str],
        *,
        tasks: Any = None,
        beta: float = 1.0,
        mu0: float = 0.0,
        sigma0: float = 1.0,
        center: bool = False,
    ) -> dict[str, Any]:
        self._posterior = self._sessions = None
        model = skill.SkillModel(beta=beta, mu0=mu0, sigma0=sigma0, center=center)
        sessions = skill.index_sessions(
            agents=agents, humans=humans, outcomes=outcomes, tasks=tasks
        )
        posterior = skill.fit_evidence(skill.sum_evidence(sessions), model)
        self._posterior, self._sessions = posterior, sessions
        return dict(posterior.as_dict())

    def prob_greater(self, a: str, b: str, *, side: skill.SideName = "agents") -> dict[str, Any]:
        """P(skill of a > skill of b), two `agents` or two `humans`.

        Returns:
            "probability" with the posterior covariance of the two, "probability_independent"
            without it, "difference" and "sd" of s_a - s_b, "correlation", and "comparable": False
            when no chain of shared partners links the two.

        Raises:
            ValueError: Nothing was computed yet, or a name is unknown.
        """
        return asdict(self._fitted().prob_greater(a, b, side=side))

    def stability(self, *, rounds: int = 10_000, seed: int = 0) -> dict[str, Any]:
        """How far the agents' ranks of the last `compute` can be trusted.

        Args:
            rounds: Bootstrap rounds over sessions.
            seed: Of the bootstrap's generator.

        Returns:
            "bootstrap", "leave_one_human_out", "leave_one_task_out" (None without tasks) and
            "naive" (mean, sd and rank of each agent's plain average).

        Raises:
            ValueError: Nothing was computed yet, or there is one human or one task only.
        """
        if self._sessions is None:
            raise ValueError("stability: found no sessions; expected a `compute` before.")
        sessions, model = self._sessions, self._fitted().model
        rng = np.random.default_rng(seed)
        by_task = skill.leave_one_out(sessions, model, unit="tasks") if sessions.tasks else None
        return {
            "bootstrap": asdict(skill.bootstrap_ranks(sessions, model, rounds=rounds, rng=rng)),
            "leave_one_human_out": asdict(skill.leave_one_out(sessions, model, unit="humans")),
            "leave_one_task_out": by_task and asdict(by_task),
            "naive": [asdict(average) for average in skill.naive_averages(sessions)],
        }

    def update(self, *, agents: Any, humans: Any, outcomes: Any) -> dict[str, Any]:
        """Add sessions, one or more, to the posterior of the last `compute` or `load`.

        Returns:
            The table of all sessions, as `compute` gives it.

        Raises:
            ValueError: Nothing to add to, or the sessions are off; the posterior stays as it was.
        """
        updated = self._fitted().update(agents=agents, humans=humans, outcomes=outcomes)
        self._posterior, self._sessions = updated, None
        return dict(updated.as_dict())

    def save(self, path: str | Path) -> None:
        """Write the posterior as one file, whole or not at all.

        Args:
            path: The file, by custom `*.npz`.

        Raises:
            ValueError: Nothing was computed yet.
            OSError: The file cannot be written.
        """
        skill.save_posterior(self._fitted(), path)

    def load(self, path: str | Path) -> dict[str, Any]:
        """Take up a posterior that `save` wrote; gives its table, as `compute` does.

        Raises:
            FileNotFoundError: There is no such file.
            ValueError: The file is not one of ours, or damaged.
        """
        loaded = skill.load_posterior(path)
        self._posterior, self._sessions = loaded, None
        return dict(loaded.as_dict())

    def _fitted(self) -> skill.SkillPosterior:
        if self._posterior is None:
            raise ValueError("posterior: found none; expected a `compute` or `load` before.")
        return self._posterior
