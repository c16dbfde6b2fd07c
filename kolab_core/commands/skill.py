"""`kolab skill`: rate agents and humans as teams; print the table and write it."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kolab_core.commands.options import add_seed_option, whole_from
from kolab_core.files import write_whole
from kolab_core.reports.report import FORMATS

if TYPE_CHECKING:
    from kolab_core.skill import Association, QuartileWins, Sessions, SkillPosterior
    from kolab_core.skill.report import SkillFindings
    from kolab_core.team import TeamRelease

__all__ = ["add_parser"]

_MOST_SESSIONS = 20_000


@dataclass(frozen=True)
class _Study:
    """What was read: sessions, lines that say from where, and the team release if it is one."""

    name: str
    sessions: Sessions
    lead: list[str]
    team: TeamRelease | None = None


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand's words."""
    parser = subparsers.add_parser(
        "skill",
        help="rate agents and humans as teams from the outcomes of their sessions",
        description=(
            "Rate agents and humans from the outcomes of their sessions (CollabSkill), say how far "
            "the ranks can be trusted, print the table and write it."
        ),
    )
    parser.add_argument(
        "source",
        nargs="?",
        metavar="SESSIONS",
        help="a CSV file with the columns agent, human, outcome and perhaps task; or the folder of "
        "a release of team sessions (default: the embedded sample); with --ratings, the folder of "
        "a Kolab release",
    )
    parser.add_argument(
        "--ratings",
        nargs="?",
        const="collaboration",
        choices=("collaboration", "output_quality"),
        help="rate the participants and agents of a Kolab release by its own ratings of the steps "
        "(1 to 5; default: collaboration)",
    )
    parser.add_argument("--beta", type=float, default=1.0, help="sd of an outcome (default: 1)")
    parser.add_argument("--mu0", type=float, default=0.0, help="prior mean (default: 0)")
    parser.add_argument("--sigma0", type=float, default=1.0, help="prior sd (default: 1)")
    parser.add_argument(
        "--center", action="store_true", help="subtract the mean outcome first (see docs/skill.md)"
    )
    parser.add_argument(
        "--rounds",
        type=whole_from(0),
        help="bootstrap rounds, 0 for none (default: 10000, or none above 20,000 sessions)",
    )
    add_seed_option(parser)
    parser.add_argument("--format", choices=FORMATS, default="table", help="of what is printed")
    parser.add_argument(
        "--output",
        metavar="FILE",
        help="where the table is written, .csv or .json (default: <name of SESSIONS>_skill.csv in "
        "the working folder)",
    )
    parser.add_argument("--picture", metavar="FILE", help="draw it, too: .png, .svg or .pdf")
    parser.add_argument("--save", metavar="FILE", help="keep the posterior as one file (.npz)")
    parser.add_argument(
        "--update", metavar="FILE", help="add the sessions to a posterior kept with --save"
    )
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    try:
        study = _read_study(arguments)
        output = Path(arguments.output or f"{study.name}_skill.csv")
        if output.suffix.lower() not in (".csv", ".json"):
            raise ValueError(f"--output {output}: found {output.suffix!r}; expected .csv or .json.")
        if arguments.picture:
            from kolab_core.skill import check_picture

            check_picture(arguments.picture)
        if arguments.rounds is None:
            arguments.rounds = _choose_rounds(study)
        findings = _rate(study, arguments)
        _write_files(findings, output, arguments)
    except (ValueError, OSError, ModuleNotFoundError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    from kolab_core.skill.report import findings_as_json, render_findings

    if arguments.format == "json":
        sys.stdout.write(findings_as_json(findings))
        return 0
    sys.stdout.write(render_findings(study.lead, findings, style=arguments.format))
    if arguments.format == "table":
        sys.stdout.write(f"\nWrote {output}\n")
    return 0


def _read_study(arguments: argparse.Namespace) -> _Study:
    if arguments.ratings:
        return _read_ratings(arguments.source, kind=arguments.ratings)
    from kolab_core.team import find_team_sample

    source = find_team_sample() if arguments.source is None else Path(arguments.source)
    if source.is_dir():
        return _read_team(source, is_sample=arguments.source is None)
    if not source.is_file():
        raise ValueError(
            f"{source}: found no such file; expected a CSV file or a release's folder."
        )
    from kolab_core.skill import index_sessions, read_session_table

    table = read_session_table(source)
    sessions = index_sessions(
        agents=table.agents,
        humans=table.humans,
        outcomes=table.outcomes,
        tasks=table.tasks,
        min_sessions=1 if arguments.update else 2,
    )
    return _Study(source.stem, sessions, [f"Skill from {source}"])


def _choose_rounds(study: _Study) -> int:
    """The paper's rounds, unless they would take more than seconds."""
    if len(study.sessions.outcomes) <= _MOST_SESSIONS:
        return 10_000
    study.lead.append("The stability of the ranks is left out; --rounds N computes it.")
    return 0


def _read_team(root: Path, *, is_sample: bool) -> _Study:
    from kolab_core.skill import index_sessions
    from kolab_core.team import open_team

    release = open_team(root)
    lines = [session.line for session in release.sessions]
    sessions = index_sessions(
        agents=[line.agent for line in lines],
        humans=[line.human_id for line in lines],
        outcomes=[line.outcome for line in lines],
        tasks=[line.task_id.lower() for line in lines],
    )
    lead = ["SAMPLE: this is a small synthetic sample, no study."] if is_sample else []
    name = "sample" if is_sample else release.root.name
    return _Study(name, sessions, [*lead, f"Skill from the team sessions of {root}"], release)


def _read_ratings(data_dir: str | None, *, kind: str) -> _Study:
    from kolab_core.names.location import SAMPLE_NOTE, resolve_data_dir
    from kolab_core.release import open_release
    from kolab_core.rows.experiments import session_rows
    from kolab_core.skill import collect_ratings, index_sessions

    location = resolve_data_dir(data_dir)
    release = open_release(location.root)
    rows = (row for name in release.session_ids for row in session_rows(release, name, "sessions"))
    rated = collect_ratings(rows, kind=kind)  # type: ignore[arg-type]  # one of the two, by argparse
    sessions = index_sessions(agents=rated.agents, humans=rated.humans, outcomes=rated.outcomes)
    lead = [SAMPLE_NOTE] if location.is_sample else []
    lead.append(f"Skill from the ratings ({kind}, 1 to 5) of {location.root}: a step is a session")
    if rated.num_skipped:
        lead.append(f"{rated.num_skipped} rated steps without an AI are left out.")
    return _Study(f"{location.root.name}_{kind}", sessions, lead)


def _rate(study: _Study, arguments: argparse.Namespace) -> SkillFindings:
    """Fit the sessions, and say how far the ranks can be trusted."""
    import numpy as np

    from kolab_core import skill
    from kolab_core.skill.report import SkillFindings

    sessions = study.sessions
    if arguments.update:
        return SkillFindings(_update(sessions, arguments.update))
    model = skill.SkillModel(
        beta=arguments.beta,
        mu0=arguments.mu0,
        sigma0=arguments.sigma0,
        center=arguments.center,
    )
    posterior = skill.fit_evidence(skill.sum_evidence(sessions), model)
    bootstrap = None
    if arguments.rounds:
        rng = np.random.default_rng(arguments.seed)
        bootstrap = skill.bootstrap_ranks(sessions, model, rounds=arguments.rounds, rng=rng)
    left_out = []
    if arguments.rounds and len(sessions.humans) > 1:
        left_out.append(skill.leave_one_out(sessions, model, unit="humans"))
    if arguments.rounds and len(set(sessions.tasks)) > 1:
        left_out.append(skill.leave_one_out(sessions, model, unit="tasks"))
    findings = SkillFindings(
        posterior=posterior,
        naive=skill.naive_averages(sessions),
        bootstrap=bootstrap,
        left_out=tuple(left_out),
    )
    return findings if study.team is None else _add_team(findings, study.team, sessions)


def _update(sessions: Sessions, path: str) -> SkillPosterior:
    """The kept posterior with the sessions added; it is written when everything else is."""
    from kolab_core.skill import load_posterior

    return load_posterior(path).update(
        agents=[sessions.agents[i] for i in sessions.agent_index],
        humans=[sessions.humans[i] for i in sessions.human_index],
        outcomes=sessions.outcomes.tolist(),
    )


def _add_team(findings: SkillFindings, team: TeamRelease, sessions: Sessions) -> SkillFindings:
    """What a team release tells beyond outcomes: judges, surveys, behaviour, solo scores."""
    from dataclasses import replace

    from kolab_core import skill
    from kolab_core.team import (
        list_behaviors,
        list_solo_outcomes,
        list_survey_answers,
        measure_agreement,
    )

    humans = findings.posterior.humans
    mu = dict(zip(humans.names, humans.mu.tolist(), strict=True))
    pre, post = list_survey_answers(team, "pre"), list_survey_answers(team, "post")
    both = [question for question in pre if question in post]
    people: dict[str, tuple[Association, ...]] = {}
    if both:
        before, after = ({q: answers[q] for q in both} for answers in (pre, post))
        people["Change from the survey before to the one after"] = skill.compare_pre_post(
            before, after
        )
    if pre:
        people["Survey before, against the human's skill"] = skill.correlate_surveys(mu, pre)
        people["Survey before, more against less skilled half"] = skill.compare_halves(mu, pre)
    codes = list_behaviors(team)
    if codes:
        people["Behaviour against the session's outcome"] = skill.correlate_indicators(
            codes, sessions.outcomes.tolist()
        )
    wins: tuple[QuartileWins, ...] = ()
    if team.solo and len(humans.names) >= 4:
        wins = skill.quartile_wins(sessions, findings.posterior, list_solo_outcomes(team))
    totals = [{j.judge: j.total for j in session.judgements} for session in team.sessions]
    return replace(findings, judges=measure_agreement(totals), wins=wins, people=people)


def _write_files(findings: SkillFindings, output: Path, arguments: argparse.Namespace) -> None:
    from kolab_core.skill import draw_skill, save_posterior
    from kolab_core.skill.report import write_findings

    with write_whole(output) as temporary:
        write_findings(temporary, findings)
    if arguments.picture:
        draw_skill(findings.posterior, arguments.picture, bootstrap=findings.bootstrap)
    for path in (arguments.update, arguments.save):
        if path:
            save_posterior(findings.posterior, path)
