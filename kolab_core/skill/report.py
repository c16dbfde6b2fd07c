"""The skill model's findings as a report, as JSON and as a CSV table."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from kolab_core.reports.report import Section, format_p, render_json, render_report
from kolab_core.reports.tables import TableStyle
from kolab_core.skill.people import Association
from kolab_core.skill.posterior import SkillPosterior
from kolab_core.skill.ratings import Rating
from kolab_core.skill.solo import QuartileWins
from kolab_core.skill.stability import BootstrapRanks, LeaveOneOut, NaiveAverage

if TYPE_CHECKING:
    from kolab_core.team import JudgeAgreement

__all__ = ["SkillFindings", "findings_as_json", "render_findings", "write_findings"]

_MOST_HUMANS = 20
_RATING_HEADS = ("mu", "sigma", "score", "sessions")

_CSV_HEAD = (
    "side",
    "name",
    "mu",
    "sigma",
    "score",
    "rank",
    "num_sessions",
    "group",
    "naive_mean",
    "naive_sd",
    "naive_rank",
    "mean_rank",
    "share_first",
)


@dataclass(frozen=True)
class SkillFindings:
    """All that is printed and written.

    Attributes:
        posterior: The fitted model.
        naive: Each agent's plain average; empty where single sessions are not known.
        bootstrap: The agents' ranks over resampled studies.
        left_out: Their ranks without each human, each task.
        judges: How far the judges agree.
        wins: Wins over the agent alone, by quartile of human skill.
        people: Tests of the human side by title.
    """

    posterior: SkillPosterior
    naive: tuple[NaiveAverage, ...] = ()
    bootstrap: BootstrapRanks | None = None
    left_out: tuple[LeaveOneOut, ...] = ()
    judges: JudgeAgreement | None = None
    wins: tuple[QuartileWins, ...] = ()
    people: dict[str, tuple[Association, ...]] = field(default_factory=dict)


def write_findings(path: Path, findings: SkillFindings) -> None:
    """Write the table of all agents and humans to a file ending in `.csv`, or all to `.json`."""
    if path.suffix.lower() == ".json":
        path.write_text(findings_as_json(findings), encoding="utf-8")
        return
    table = findings.posterior.as_dict()
    group_of = {
        (side, name): number
        for number, group in enumerate(findings.posterior.groups, start=1)
        for side in ("agents", "humans")
        for name in getattr(group, side)
    }
    naive = {average.name: average for average in findings.naive}
    stable = (
        {agent.name: agent for agent in findings.bootstrap.agents} if findings.bootstrap else {}
    )
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(_CSV_HEAD)
        for side, ratings in (("agents", table["agents"]), ("humans", table["humans"])):
            for rating in ratings:
                name = rating["name"]
                average = naive.get(name) if side == "agents" else None
                agent = stable.get(name) if side == "agents" else None
                writer.writerow(
                    [side[:-1], *rating.values(), group_of[side, name]]
                    + ([average.mean, average.sd, average.rank] if average else ["", "", ""])
                    + ([agent.mean_rank, agent.share_first] if agent else ["", ""])
                )


def findings_as_json(findings: SkillFindings) -> str:
    """Everything as one JSON object; `nan` becomes null."""
    return render_json(
        {
            **findings.posterior.as_dict(),
            "model": findings.posterior.model,
            "naive": findings.naive,
            "bootstrap": findings.bootstrap,
            "left_out": findings.left_out,
            "judges": findings.judges,
            "quartile_wins": findings.wins,
            "people": findings.people,
        }
    )


def render_findings(lead: Sequence[str], findings: SkillFindings, *, style: TableStyle) -> str:
    """The tables as text, below the lead lines; of the humans the first 20."""
    posterior = findings.posterior
    num_agents, num_humans = len(posterior.agents.names), len(posterior.humans.names)
    lines = [
        *lead,
        f"{posterior.n} sessions of {num_agents} agents and {num_humans} humans",
    ]
    sections = [_agent_section(findings), _human_section(posterior)]
    if len(posterior.groups) > 1:
        sections.append(_group_section(posterior))
    if findings.left_out:
        sections.append(_left_out_section(findings.left_out))
    if findings.judges:
        sections += _judge_sections(findings.judges)
    if findings.wins:
        sections.append(_wins_section(findings.wins))
    sections += [_people_section(title, found) for title, found in findings.people.items()]
    return render_report(lines, sections, style=style)


def _agent_section(findings: SkillFindings) -> Section:
    """The agents' ratings with the naive average and the bootstrap beside."""
    columns = ["rank", "agent", *_RATING_HEADS]
    rows = _rating_rows(findings.posterior.agents.ratings())
    notes = ["score = mu - 3 sigma"]
    if findings.naive:
        columns += ["naive mean", "naive sd", "naive rank"]
        naive = {average.name: average for average in findings.naive}
        for row in rows:
            average = naive[str(row[1])]
            row += [average.mean, average.sd, average.rank]
    if findings.bootstrap:
        columns += ["mean rank", "share first"]
        for row, agent in zip(rows, findings.bootstrap.agents, strict=True):
            row += [agent.mean_rank, agent.share_first]
        notes.append(
            f"mean rank, share first: over {findings.bootstrap.rounds} bootstrap rounds of "
            f"sessions (mean Kendall's tau {findings.bootstrap.mean_kendall_tau:.3f})"
        )
    return Section("Agents", columns, rows, notes)


def _human_section(posterior: SkillPosterior) -> Section:
    rows = _rating_rows(posterior.humans.ratings())
    more = len(rows) - _MOST_HUMANS
    notes = [f"… and {more} more, in the written table"] if more > 0 else []
    return Section("Humans", ["rank", "human", *_RATING_HEADS], rows[:_MOST_HUMANS], notes)


def _rating_rows(ratings: Sequence[Rating]) -> list[list[object]]:
    return [
        [r["rank"], r["name"], r["mu"], r["sigma"], r["score"], r["num_sessions"]] for r in ratings
    ]


def _group_section(posterior: SkillPosterior) -> Section:
    rows = [
        [number, len(group.agents), len(group.humans), group.num_sessions, _list(group.agents)]
        for number, group in enumerate(posterior.groups, start=1)
    ]
    note = "No partner links these groups: scores of different groups are not comparable."
    return Section("Groups", ["group", "agents", "humans", "sessions", "which"], rows, [note])


def _left_out_section(found: tuple[LeaveOneOut, ...]) -> Section:
    rows = [
        [
            entry.unit[:-1],
            len(entry.names),
            entry.mean_kendall_tau,
            min(entry.kendall_taus),
            _list(entry.changed_first) or "none",
        ]
        for entry in found
    ]
    columns = ["one left out", "n", "mean tau", "least tau", "without which another is first"]
    return Section("Leaving one out", columns, rows, ["tau: Kendall's, against all sessions"])


def _judge_sections(judges: JudgeAgreement) -> list[Section]:
    pairs = [
        [p.first, p.second, p.num_sessions, p.pearson, p.mean_abs_difference] for p in judges.pairs
    ]
    note = (
        f"all pairs: Pearson {judges.pearson:.3f}, mean absolute difference "
        f"{judges.mean_abs_difference:.3f} points"
    )
    bias = [[j.judge, j.num_sessions, j.mean_total, j.bias] for j in judges.judges]
    return [
        Section(
            "Judges' agreement",
            ["judge", "judge", "sessions", "Pearson", "mean |difference|"],
            pairs,
            [note],
        ),
        Section(
            "Judges' bias",
            ["judge", "sessions", "mean total", "bias"],
            bias,
            ["bias: mean of the judge's total less the other judges' of the same session"],
        ),
    ]


def _wins_section(wins: tuple[QuartileWins, ...]) -> Section:
    columns = ["quartile", "humans", "mean mu", "sessions", "wins", "ties", "win rate", "low"]
    columns += ["high", "mean margin"]
    rows = [astuple(quarter) for quarter in wins]
    note = (
        "win: an outcome above what the agent reached alone on the task; quartile 4: most skilled"
    )
    return Section("Wins over the agent alone, by human skill", columns, rows, [note])


def _people_section(title: str, found: tuple[Association, ...]) -> Section:
    rows = [
        [
            a.measure,
            a.test,
            a.n,
            a.statistic,
            a.effect,
            _known(a.effect_low),
            _known(a.effect_high),
            _known(a.difference),
            format_p(a.p),
            format_p(a.p_holm),
            a.note,
        ]
        for a in found
    ]
    columns = ["measure", "test", "n", "statistic", "effect", "low", "high", "median difference"]
    return Section(title, [*columns, "p", "p (Holm)", "note"], rows)


def _list(names: Sequence[str]) -> str:
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return ", ".join(names[:5]) + more


def _known(value: float) -> float | None:
    """NaN as an empty cell: not every test has an interval, or a difference."""
    return None if math.isnan(value) else value
