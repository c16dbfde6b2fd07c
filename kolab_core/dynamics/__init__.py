"""How people and agents work together over a session: the paper's dynamics and their relations."""

from kolab_core.dynamics.measures import (
    Retention,
    Topology,
    burstiness,
    interaction_times,
    retention,
    solo_lead_in,
    step_clock,
    step_lead_ins,
    topology,
)
from kolab_core.dynamics.relations import (
    Relation,
    RelationPairs,
    relate,
    relation_pairs,
    spearman_interval,
)
from kolab_core.dynamics.summary import summarise_dynamics
from kolab_core.dynamics.units import (
    MEASURES,
    By,
    Dynamics,
    measure_dynamics,
    pool_dynamics,
    trim_row,
)

__all__ = [
    "MEASURES",
    "By",
    "Dynamics",
    "Relation",
    "RelationPairs",
    "Retention",
    "Topology",
    "burstiness",
    "interaction_times",
    "measure_dynamics",
    "pool_dynamics",
    "relate",
    "relation_pairs",
    "retention",
    "solo_lead_in",
    "spearman_interval",
    "step_clock",
    "step_lead_ins",
    "summarise_dynamics",
    "topology",
    "trim_row",
]
