"""How sessions unfold, as an `evaluate` measurement."""

import json
from collections.abc import Mapping
from typing import Any

import evaluate

import kolab

_DESCRIPTION = """\
How a session of a human with an AI agent unfolds: when they interact, how the workflow branches,
how much of the agent's output survives, and how long the human works alone first.

Burstiness B = (σ − μ)/(σ + μ) of the intervals between interaction events, in [−1, 1): −1 for
equal intervals, 0 for a Poisson stream. Topology W = Br/|E|, Br the nodes with an out-degree above
1, in [0, 0.5]. Retention R_A = N_adopt/N and R_M = N_modify/N of all N labelled responses, in
[0, 1]. Solo lead-in: the share of a step before its first AI interaction, averaged over the
session's steps, in [0, 1]. None of them is better high or low.
"""

_KWARGS_DESCRIPTION = """
Args:
    data (n rows): rows of the config 'sessions' (mappings, or their JSON text; a whole dataset may
        be given). Rows of an experiment give topology alone: they hold no responses and no
        segments.
    by: "session" (default), "step", "participant" or "sector": what a line of the details is.
    confidence: level of the intervals, such as 0.95; None (default) gives none.
    groups: what the bootstrap resamples, one name a row; by default the rows' participant_id.
    rounds: rounds of the bootstrap (default 10,000).
    method: "expanded" (default), "percentile" or "bca".
    rng: a numpy.random.Generator or a seed (default: seed 0).
Returns:
    "burstiness", "topology", "solo_lead_in": builtin floats, the mean over the rows that have a
        value; "retention_adopt", "retention_modify": of all responses together.
    "<measure>_low", "<measure>_high": the interval, with confidence; "n_groups": how many groups
        were resampled.
    "n": rows; "num_events", "num_branches", "num_edges", "num_adopt", "num_modify",
        "num_responses", "num_steps": what was counted.
    "per_session" (or "per_step", …): a list of the same for each unit, with its own notes.
    "notes": what is nan and why.
Degenerate:
    No row -> ValueError. Fewer than three events, all events at one time, no edge, no response, no
    step with time -> nan and a note. A step without an AI interaction has the lead-in 1.
References:
    The Kolab paper, section 4.3. Burstiness: Goh and Barabási, 2008,
    doi:10.1209/0295-5075/81/48002, equation 1.
Examples:
    >>> import kolab
    >>> dynamics = evaluate.load("kolab_dynamics")
    >>> ai = {"id": "a/n1", "actor_type": "ai"}
    >>> spans = [{"start": start, "end": start + 5} for start in (240, 250, 260)]
    >>> row = {"session_id": "P01_S1", "participant_id": "P01", "responses": []}
    >>> row["graph"] = {"nodes": [{**ai, "occurrences": spans}], "edges": []}
    >>> row["segments"] = [{"key": "a", "step": 1, "start": 0, "end": 600}]
    >>> result = dynamics.compute(data=[row])
    >>> result["burstiness"], result["solo_lead_in"], result["topology"]
    (-1.0, 0.4, nan)
"""

_CITATION = """\
@article{kolab,
  title = {Kolab},
  journal = {arXiv preprint arXiv:2610.21109}
}
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class KolabDynamics(kolab.modules.TextInputs, evaluate.Measurement):
    row_options = ("groups",)

    def _info(self) -> evaluate.MeasurementInfo:
        return evaluate.MeasurementInfo(
            module_type="measurement",
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=kolab.modules.text_features("data"),
        )

    def add_batch(self, *, data: Any = None, **kwargs: Any) -> None:
        """Add rows to the module's stack; only the columns that are measured are kept."""
        super().add_batch(data=_trim(data), **kwargs)

    def compute(self, *, data: Any = None, **kwargs: Any) -> dict[str, Any] | None:
        """Measure the rows given here and those added before; see the module's description."""
        result: dict[str, Any] | None = super().compute(data=_trim(data), **kwargs)
        return result

    def _compute(
        self,
        data: list[str],
        *,
        by: kolab.dynamics.By = "session",
        confidence: float | None = None,
        groups: Any = None,
        rounds: int = 10_000,
        method: str = "expanded",
        rng: Any = None,
    ) -> dict[str, Any]:
        rows = [_parse_row(index, text) for index, text in enumerate(data)]
        return kolab.dynamics.summarise_dynamics(
            rows,
            by=by,
            confidence=confidence,
            groups=groups,
            rounds=rounds,
            method=method,
            rng=rng,
        )


def _trim(data: Any) -> Any:
    """The rows without the columns that are not measured (chat, video); texts as they are."""
    if data is None or isinstance(data, str | Mapping):
        return data
    return [kolab.dynamics.trim_row(row) if isinstance(row, Mapping) else row for row in data]


def _parse_row(index: int, text: str) -> dict[str, Any]:
    try:
        row = json.loads(text)
    except (ValueError, RecursionError):
        row = None
    graph = row.get("graph") if isinstance(row, dict) else None
    if isinstance(row, dict) and isinstance(graph, dict) and {"nodes", "edges"} <= set(graph):
        return row
    raise ValueError(
        f"data[{index}]: found {text[:80]!r}; expected a row of a Kolab config, with its graph."
    )
