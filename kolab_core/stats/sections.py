"""The counts as titled tables, the paper's figures beside ours."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from kolab_core.release import LABELS
from kolab_core.reports.report import Section, format_p
from kolab_core.reports.tables import format_cell
from kolab_core.scores.parsing import RATINGS
from kolab_core.stats.results import ItemAnswers, Stats

__all__ = ["stats_sections"]

_Row = list[object]


def stats_sections(
    stats: Stats, published: Mapping[str, float], *, most_tools: int | None = 20
) -> list[Section]:
    """The tables in order.

    Args:
        stats: What a release counts.
        published: Figure → the paper's value; empty leaves the columns of the paper out.
        most_tools: How many programs to list; None lists all.
    """
    return [
        _overview(stats, published),
        _actors(stats),
        _labels(stats, published),
        _ratings(stats, published),
        _joint(stats),
        _clips(stats, published),
        _times(stats),
        _tools(stats, most_tools),
        _items("Statements on the agent, by step (1 to 5)", "statement", stats.statements),
        _items("Questionnaire, by participant (1 to 10)", "question", stats.questions),
    ]


def _overview(stats: Stats, published: Mapping[str, float]) -> Section:
    rows = []
    for name, value in stats.overview.items():
        paper = published.get(name)
        rows.append([name, value, None if paper is None else int(paper)])
    return _section(
        Section(
            "Size",
            ("what", "number", "paper"),
            rows,
            (
                "hours: from a session's first segment to the end of its last.",
                "branches: nodes with more than one outgoing edge; loops: edges of that type.",
                "last-step targets: the rows of workflow_level, and of step_n for each number.",
            ),
            digits=1,
        ),
        published,
        "The paper says 115 hours and more.",
    )


def _actors(stats: Stats) -> Section:
    return Section(
        "Nodes by actor",
        ("actor", "type", "nodes", "occurrences", "minutes"),
        [[a.actor, a.actor_type, a.nodes, a.occurrences, a.minutes] for a in stats.actors],
        digits=1,
    )


def _labels(stats: Stats, published: Mapping[str, float]) -> Section:
    rows = []
    for found in stats.labels:
        row: _Row = [found.group, found.name, sum(found.counts.values())]
        row += [100 * found.shares[label] for label in LABELS]
        keys = (f"label/{found.group}/{found.name}/{label}" for label in LABELS)
        rows.append(row + [_percent(published, key) for key in keys])
    columns = ("by", "group", "n", *LABELS, *(f"paper {label}" for label in LABELS))
    note = "agent: whose output it was." if rows else "The release holds no response."
    return _section(
        Section("Responses by label, in %", columns, rows, (note,), digits=1), published
    )


def _ratings(stats: Stats, published: Mapping[str, float]) -> Section:
    rows = []
    for found in stats.ratings:
        row: _Row = [found.kind, "all" if found.session is None else str(found.session)]
        row += [sum(found.counts.values()), found.unrated]
        row += [100 * found.shares[rating] for rating in RATINGS]
        row += [found.mean, found.sd]
        is_all = found.session is None
        keys = (f"rating/{found.kind}/{rating}" if is_all else "" for rating in (4, 5))
        rows.append(row + [_percent(published, key) for key in keys])
    columns = ("rating", "session", "n", "unrated", *map(str, RATINGS), "mean", "SD")
    section = Section("Ratings, in %", (*columns, "paper 4", "paper 5"), rows, digits=2)
    return _section(section, published)


def _joint(stats: Stats) -> Section:
    joint = stats.joint
    rows = [
        [rating, *counts, sum(counts)] for rating, counts in zip(RATINGS, joint.counts, strict=True)
    ]
    return Section(
        "Steps by output quality (down) and collaboration (across)",
        ("quality", *map(str, RATINGS), "all"),
        rows,
        (
            f"Spearman's rho {format_cell(joint.rho)} (p {format_p(joint.p_value)}, steps taken as "
            f"independent) over the {joint.num} steps that have both ratings.",
        ),
    )


def _clips(stats: Stats, published: Mapping[str, float]) -> Section:
    rows = []
    for found in stats.clips:
        name, minutes = found.config, found.minutes
        if found.context_steps is not None:
            name += f", {found.context_steps} before"
        row: _Row = [name, minutes.num, minutes.mean, minutes.sd, minutes.largest]
        row.append(minutes.total / 60)
        keys = (f"clip/{found.config}/{part}" for part in ("mean", "sd", "largest"))
        rows.append(row + [published.get(key) for key in keys])
    columns = ("config", "rows", "mean", "SD", "max", "hours")
    note = "SD with n - 1; sessions: from the first segment to the end of the last."
    paper = ("paper mean", "paper SD", "paper max")
    return _section(
        Section("Clips, in minutes", (*columns, *paper), rows, (note,), digits=1),
        published,
        "The paper says that its forecasting clips are longer than its prediction clips (here "
        "beside recognition), though by definition a forecast's window lies inside that of the "
        "recognition.",
    )


def _times(stats: Stats) -> Section:
    rows = []
    for found in stats.times:
        spent, estimated = found.spent, found.estimated
        row: _Row = ["all" if found.session is None else str(found.session)]
        row += [spent.num, spent.mean, spent.sd, estimated.num, estimated.mean]
        rows.append([*row, found.spent_of_estimated.mean, found.ratio, found.num_longer])
    notes = ["A step's time is that of its segments; steps without a segment are left out."]
    if not stats.times[0].estimated.num:
        notes.append("No step says how long it should take (estimated_minutes of its plan).")
    columns = ("session", "steps", "mean", "SD", "with estimate", "estimated", "spent on these")
    return Section(
        "Time spent on a step against the time estimated, in minutes",
        (*columns, "ratio", "longer than estimated"),
        rows,
        notes,
        digits=2,
    )


def _tools(stats: Stats, most: int | None) -> Section:
    rows = [
        [tool.name, "AI" if tool.is_ai else "", tool.steps, tool.sessions]
        for tool in stats.tools[:most]
    ]
    notes = ["As the plans of the steps name them; case makes no difference."]
    if left := len(stats.tools) - len(rows):
        notes.append(f"{left} more; --format json and csv list them all.")
    return Section("Software and AI tools", ("tool", "kind", "steps", "sessions"), rows, notes)


def _items(title: str, head: str, items: Sequence[ItemAnswers]) -> Section:
    rows = [
        [item.name, item.answers.num, item.answers.mean, item.answers.sd]
        for item in items
        if item.answers.num
    ]
    notes = () if rows else ("No answers.",)
    return Section(title, (head, "n", "mean", "SD"), rows, notes, digits=2)


def _section(section: Section, published: Mapping[str, float], *notes: str) -> Section:
    """The section with notes on the paper's columns; or without both where there are none."""
    if published:
        return dataclasses.replace(section, notes=(*section.notes, *notes))
    kept = [index for index, head in enumerate(section.columns) if not head.startswith("paper")]
    return dataclasses.replace(
        section,
        columns=[section.columns[index] for index in kept],
        rows=[[row[index] for index in kept] for row in section.rows],
    )


def _percent(published: Mapping[str, float], key: str) -> float | None:
    return 100 * published[key] if key in published else None
