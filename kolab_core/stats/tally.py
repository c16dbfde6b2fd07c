"""The counts of a release, added up one session at a time."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from kolab_core.release import Release, Session, read_session, read_survey
from kolab_core.release.documents import LIKERT_QUESTIONS, WorkflowStep
from kolab_core.rows.windows import step_window
from kolab_core.stats.clips import ClipKind, clip_lengths

__all__ = ["RATING_KINDS", "StepTime", "Tally", "count_release"]

RATING_KINDS = ("collaboration", "output_quality")


@dataclass(frozen=True)
class StepTime:
    """How long a planned step took and was meant to take, in milliseconds.

    Attributes:
        session: The session's number.
        spent: The summed length of the step's segments.
        estimated: As planned; None where the plan does not say.
    """

    session: int
    spent: int
    estimated: int | None


@dataclass
class Tally:
    """What sessions and questionnaires add up to; nothing of them is kept but numbers and names.

    Attributes:
        counts: Sessions, segments, nodes, edges and the like.
        participants: The ids of those who worked.
        occupations: Theirs.
        sectors: Theirs.
        actors: (actor type, actor) → nodes, occurrences and milliseconds.
        labels: (what kind of group, its name, label) → responses.
        ratings: (kind, the session's number, rating or None) → steps.
        joint: (output quality, collaboration) → steps that have both.
        clips: Config → the length of each clip in milliseconds.
        tools: The name in lower case → steps and sessions.
        spellings: The name in lower case → as it was first written.
        times: A planned step that has time each.
        statements: (statement, answer) → steps.
        answers: (question, answer) → participants.
    """

    counts: Counter[str] = field(default_factory=Counter)
    participants: set[str] = field(default_factory=set)
    occupations: set[str] = field(default_factory=set)
    sectors: set[str] = field(default_factory=set)
    actors: defaultdict[tuple[str, str], Counter[str]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    labels: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    ratings: Counter[tuple[str, int, int | None]] = field(default_factory=Counter)
    joint: Counter[tuple[int, int]] = field(default_factory=Counter)
    clips: defaultdict[ClipKind, array[int]] = field(
        default_factory=lambda: defaultdict(lambda: array("q"))
    )
    tools: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    spellings: dict[str, str] = field(default_factory=dict)
    times: list[StepTime] = field(default_factory=list)
    statements: Counter[tuple[str, int]] = field(default_factory=Counter)
    answers: Counter[tuple[str, int]] = field(default_factory=Counter)

    def add_session(self, session: Session) -> None:
        """Count one session."""
        person = session.participant
        self.participants.add(person.participant_id)
        self.occupations.add(person.occupation)
        self.sectors.add(person.sector)
        self.counts["sessions"] += 1
        self.counts["sessions with a recording"] += session.recording is not None
        self.counts["sessions with a chat"] += bool(session.turns)
        self.counts["turns"] += len(session.turns)
        self._add_graph(session)
        self._add_responses(session)
        for step in session.workflow.steps:
            self._add_step(session, step)
        self._add_tools(session)
        for kind, length in clip_lengths(session):
            self.clips[kind].append(length)

    def add_survey(self, answers: Mapping[str, object]) -> None:
        """Count the Likert answers of one questionnaire."""
        self.counts["surveys"] += 1
        for number in LIKERT_QUESTIONS:
            answer = answers.get(f"Q{number}")
            if isinstance(answer, int):
                self.answers[f"Q{number}", answer] += 1

    def _add_graph(self, session: Session) -> None:
        visited = [s.step for s in session.segments if s.step is not None]
        self.counts["segments"] += len(session.segments)
        self.counts["segments outside the plan"] += len(session.segments) - len(visited)
        self.counts["returns to a step"] += len(visited) - len(set(visited))
        for node in session.nodes:
            actor = self.actors[node.actor_type, node.actor]
            actor["nodes"] += 1
            actor["occurrences"] += len(node.occurrences)
            actor["milliseconds"] += sum(span.end - span.start for span in node.occurrences)
        degrees = Counter(edge.source for edge in session.edges)
        self.counts["nodes"] += len(session.nodes)
        self.counts["edges"] += len(session.edges)
        self.counts["branches"] += sum(degree > 1 for degree in degrees.values())
        self.counts["loops"] += sum(edge.type == "loop" for edge in session.edges)

    def _add_responses(self, session: Session) -> None:
        for response in session.responses:
            groups = {
                "all": "all",
                "sector": session.participant.sector,
                "session": str(session.workflow.session),
                "agent": response.target.node.actor,
            }
            for group, name in groups.items():
                self.labels[group, name, response.label] += 1
            self.counts["responses"] += 1
            self.counts["responses without a request"] += response.source is None

    def _add_step(self, session: Session, step: WorkflowStep) -> None:
        number = session.workflow.session
        self.counts["steps"] += 1
        quality, collaboration = step.output_quality.rating, step.collaboration.rating
        self.ratings["collaboration", number, collaboration] += 1
        self.ratings["output_quality", number, quality] += 1
        if quality is not None and collaboration is not None:
            self.joint[quality, collaboration] += 1
        for name in type(step.collaboration.statements).model_fields:
            answer = getattr(step.collaboration.statements, name)
            if answer is not None:
                self.statements[name, answer] += 1
        spent = sum(part.end - part.start for part in step_window(session, step.number))
        if spent:
            self.times.append(StepTime(number, spent, step.estimated_minutes))

    def _add_tools(self, session: Session) -> None:
        of_session: set[str] = set()
        for step in session.workflow.steps:
            names = (written.strip() for written in step.softwares)
            of_step = {name.casefold(): name for name in names if name}
            for key, name in of_step.items():
                self.spellings.setdefault(key, name)
                self.tools[key]["steps"] += 1
            of_session.update(of_step)
        for key in of_session:
            self.tools[key]["sessions"] += 1


def count_release(release: Release) -> Tally:
    """Count everything in a release, one session at a time.

    Raises:
        ReleaseError: A session or a questionnaire has errors.
    """
    tally = Tally()
    for session_id in release.session_ids:
        tally.add_session(read_session(release, session_id))
    for participant_id in release.survey_ids:
        tally.add_survey(read_survey(release, participant_id).answers)
    return tally
