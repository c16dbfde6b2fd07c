"""What the files of a team release must agree on; every problem goes to the reader."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from kolab_core.release import FileReader, show_value
from kolab_core.release.documents import Document
from kolab_core.team.documents import (
    NUM_CATEGORIES,
    Category,
    Criterion,
    Judgement,
    SessionLine,
    SurveyLine,
    Task,
)

__all__ = [
    "check_breakdowns",
    "check_known",
    "check_outcomes",
    "check_pairs",
    "check_reference_files",
    "check_rubric",
]

# Points are decimal fractions; sums of them are equal up to this.
_POINTS_OFF = 1e-6
# An outcome may be rounded to two decimals.
_OUTCOME_OFF = 0.0051
_MIN_JUDGES = 2
_MOST_POINTS = 100.0

Lines = Mapping[tuple[str, ...], tuple[int, Document]]


def check_rubric(reader: FileReader, number: int, task: Task) -> None:
    """Four categories that weigh 100 in all, each the sum of its criteria; ids used once."""
    place = f"line {number} > rubric"
    if len(task.rubric) != NUM_CATEGORIES:
        found = f"{len(task.rubric)} categories"
        reader.error("tasks.jsonl", place, found, f"{NUM_CATEGORIES} categories")
    total = math.fsum(category.weight for category in task.rubric)
    if abs(total - _MOST_POINTS) > _POINTS_OFF:
        found = f"weights that add up to {total:g}"
        reader.error("tasks.jsonl", place, found, "weights that add up to 100")
    for index, category in enumerate(task.rubric):
        _check_category(reader, f"{place}[{index}] {category.category}", category)
    _check_once(reader, place, "category", [category.category for category in task.rubric])
    _check_once(reader, place, "criterion id", [criterion.id for criterion in _criteria(task)])


def check_reference_files(reader: FileReader, number: int, task: Task) -> None:
    """Each reference file is there, inside the release."""
    for index, file in enumerate(task.reference_files):
        path = reader.locate(file)
        if path is not None and not path.is_file():
            place = f"line {number} > reference_files[{index}]"
            reader.error("tasks.jsonl", place, show_value(file), "a file of the release")


def check_known(
    reader: FileReader,
    file: str,
    lines: Iterable[tuple[int, Document]],
    known: Mapping[tuple[str, str], Collection[str]],
) -> None:
    """Ids that refer to another file are there; `known` is by key and by the file it is of."""
    for number, line in lines:
        for (key, home), names in known.items():
            value = getattr(line, key, None)
            if value is None or file == home:
                continue
            name = value.lower() if key == "task_id" else value
            if name not in names:
                expected = f"one of {'the agents of ' * (key == 'agent')}{home}"
                reader.error(file, f"line {number} > {key}", show_value(value), expected)


def check_breakdowns(
    reader: FileReader,
    sessions: Mapping[tuple[str, ...], tuple[int, SessionLine]],
    tasks: Mapping[tuple[str, ...], tuple[int, Task]],
    judged: Mapping[tuple[str, ...], tuple[int, Judgement]],
) -> None:
    """Each judge gives points for every criterion of the rubric, and they add up to the total."""
    for number, judgement in judged.values():
        session = sessions.get((judgement.session_id,))
        task = tasks.get((session[1].task_id.lower(),)) if session else None
        if task is not None:
            _check_breakdown(reader, number, judgement, task[1])


def check_outcomes(
    reader: FileReader,
    sessions: Mapping[tuple[str, ...], tuple[int, SessionLine]],
    judged: Mapping[tuple[str, ...], tuple[int, Judgement]],
) -> None:
    """Each session has two judges or more, and their totals average to its outcome."""
    totals: dict[str, list[float]] = {}
    for _, judgement in judged.values():
        totals.setdefault(judgement.session_id, []).append(judgement.total)
    for (session_id,), (number, line) in sessions.items():
        given = totals.get(session_id, [])
        if len(given) < _MIN_JUDGES:
            found = f"{len(given)} judgement{'s'[: len(given) != 1]} of {show_value(session_id)}"
            expected = f"a pair at least: {_MIN_JUDGES} judges or more in judgements.jsonl"
            reader.error("sessions.jsonl", f"line {number}", found, expected)
            continue
        mean = math.fsum(given) / len(given)
        if abs(mean - line.outcome) > _OUTCOME_OFF:
            expected = f"the mean of its judges' totals ({mean:g})"
            reader.error(
                "sessions.jsonl", f"line {number} > outcome", f"{line.outcome:g}", expected
            )


def check_pairs(
    reader: FileReader, surveys: Mapping[tuple[str, ...], tuple[int, SurveyLine]]
) -> None:
    """Whoever answered before also answered after, and the other way round."""
    other = {"pre": "post", "post": "pre"}
    for (human_id, phase), (number, _) in surveys.items():
        if (human_id, other[phase]) not in surveys:
            found = f"a {phase} survey of {show_value(human_id)} alone"
            expected = f"a pair: the {other[phase]} survey too"
            reader.error("surveys.jsonl", f"line {number}", found, expected)


def _check_category(reader: FileReader, place: str, category: Category) -> None:
    total = math.fsum(criterion.points for criterion in category.criteria)
    if abs(total - category.weight) > _POINTS_OFF:
        found = f"points that add up to {total:g}"
        reader.error("tasks.jsonl", place, found, f"the category's weight ({category.weight:g})")


def _check_breakdown(reader: FileReader, number: int, judgement: Judgement, task: Task) -> None:
    most = {criterion.id: criterion.points for criterion in _criteria(task)}
    place = f"line {number} > points"
    for name, points in judgement.points.items():
        if name not in most:
            expected = "a criterion of the task's rubric"
            reader.error("judgements.jsonl", place, show_value(name), expected)
        elif points > most[name] + _POINTS_OFF:
            expected = f"at most the criterion's {most[name]:g}"
            reader.error("judgements.jsonl", f"{place} > {name}", f"{points:g}", expected)
    missing = [name for name in most if name not in judgement.points]
    if missing:
        found = f"no points for {', '.join(missing)}"
        reader.error("judgements.jsonl", place, found, "points for every criterion of the rubric")
    total = math.fsum(judgement.points.values())
    if abs(total - judgement.total) > _POINTS_OFF:
        expected = f"the sum of the points ({total:g})"
        reader.error("judgements.jsonl", f"line {number} > total", f"{judgement.total:g}", expected)


def _check_once(reader: FileReader, place: str, what: str, names: list[str]) -> None:
    for name, times in Counter(names).items():
        if times > 1:
            reader.error("tasks.jsonl", place, f"{what} {show_value(name)} twice", "each only once")


def _criteria(task: Task) -> Iterable[Criterion]:
    return (criterion for category in task.rubric for criterion in category.criteria)
