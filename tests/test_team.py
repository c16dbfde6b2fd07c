import json
import math
import shutil

import datasets
import numpy as np
import pytest
from scipy import stats

from kolab_core.release import ReleaseError
from kolab_core.team import (
    TEAM_FILES,
    build_team_features,
    find_team_sample,
    fingerprint_team,
    is_team_release,
    list_behaviors,
    list_solo_outcomes,
    list_survey_answers,
    measure_agreement,
    open_team,
    team_rows,
)
from scripts.make_team_sample import make_team_sample


@pytest.fixture
def root(tmp_path):
    return shutil.copytree(find_team_sample(), tmp_path / "release")


def read_lines(root, file):
    return [json.loads(line) for line in (root / file).read_text("utf-8").splitlines()]


def edit(root, file, change):
    lines = read_lines(root, file)
    change(lines)
    (root / file).write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")


def put(index, key, value):
    return lambda lines: lines[index].__setitem__(key, value)


def drop(index):
    return lambda lines: lines.pop(index)


def repeat(index):
    return lambda lines: lines.append(lines[index])


def put_points(index, points):
    return lambda lines: lines[index]["points"].__setitem__("accuracy-1", points)


def put_category(key, value):
    return lambda lines: lines[0]["rubric"][0].__setitem__(key, value)


def test_sample_is_made_again_byte_for_byte(tmp_path):
    made = make_team_sample(tmp_path / "again")
    sample = find_team_sample()
    names = sorted(path.relative_to(sample) for path in sample.rglob("*") if path.is_file())
    assert names == sorted(path.relative_to(made) for path in made.rglob("*") if path.is_file())
    assert len(names) == len(TEAM_FILES) + 4
    for name in names:
        assert (made / name).read_bytes() == (sample / name).read_bytes(), name


def test_make_team_sample_keeps_other_folders(tmp_path):
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(FileExistsError, match="that is no release"):
        make_team_sample(tmp_path)
    assert (tmp_path / "letter.txt").read_text() == "dear"


def test_open_team_sample_has_all_parts():
    release = open_team(find_team_sample())
    assert (len(release.sessions), len(release.humans), len(release.tasks)) == (32, 8, 6)
    assert release.agents == ("atlas", "brook", "cedar")
    assert release.notes == ()
    assert {len(session.judgements) for session in release.sessions} == {2, 3}
    assert set(release.surveys["H01"]) == {"pre", "post"}


def test_team_rows_fit_the_features_and_lose_nothing():
    rows = list(team_rows(find_team_sample()))
    table = datasets.Dataset.from_list(rows, features=build_team_features())
    assert table.num_rows == 32
    first = table[0]
    assert first == rows[0]
    totals = [judgement["total"] for judgement in first["judgements"]]
    assert first["outcome"] == pytest.approx(np.mean(totals), abs=0.005)
    for judgement in first["judgements"]:
        by_category = [entry["points"] for entry in judgement["categories"]]
        by_criterion = [entry["points"] for entry in judgement["criteria"]]
        assert sum(by_category) == pytest.approx(judgement["total"])
        assert sum(by_criterion) == pytest.approx(judgement["total"])
    weights = [category["weight"] for category in first["task"]["rubric"]]
    assert (len(weights), sum(weights)) == (4, 100)
    assert {entry["question"] for entry in first["survey"]} >= {"trust", "effort"}
    assert {entry["code"] for entry in first["behaviors"]} >= {"num_prompts", "edited_output"}


def test_lists_follow_the_sessions(root):
    edit(root, "behaviors.jsonl", drop(0))
    edit(root, "solo.jsonl", lambda lines: lines.clear())
    release = open_team(root)
    codes = list_behaviors(release)
    assert codes["num_prompts"][0] is None
    assert codes["num_prompts"][1] == read_lines(root, "behaviors.jsonl")[0]["codes"]["num_prompts"]
    assert all(math.isnan(value) for value in list_solo_outcomes(release))
    answers = list_survey_answers(release, "post")
    assert answers["trust"]["H01"] == read_lines(root, "surveys.jsonl")[1]["answers"]["trust"]


def test_optional_files_may_be_absent(root):
    for name in ("surveys.jsonl", "behaviors.jsonl", "solo.jsonl"):
        (root / name).unlink()
    row = next(team_rows(root))
    assert (row["survey"], row["behaviors"], row["solo_outcome"]) == ([], [], None)


BROKEN = {
    "points_of_a_category": (
        "tasks.jsonl",
        put_category("weight", 41.0),
        [
            "tasks.jsonl: line 1 > rubric: found weights that add up to 101; expected weights that "
            "add up to 100.",
            "tasks.jsonl: line 1 > rubric[0] accuracy: found points that add up to 40; expected "
            "the category's weight (41).",
        ],
    ),
    "three_categories": (
        "tasks.jsonl",
        lambda lines: lines[0]["rubric"].pop(),
        ["tasks.jsonl: line 1 > rubric: found 3 categories; expected 4 categories."],
    ),
    "category_twice": (
        "tasks.jsonl",
        put_category("category", "clarity"),
        ["tasks.jsonl: line 1 > rubric: found category 'clarity' twice; expected each only once."],
    ),
    "reference_file_missing": (
        "tasks.jsonl",
        put(0, "reference_files", ["files/none.md"]),
        ["reference_files[0]: found 'files/none.md'; expected a file of the release."],
    ),
    "reference_file_outside": (
        "tasks.jsonl",
        put(0, "reference_files", ["../secret.md"]),
        ["expected a relative path that stays inside"],
    ),
    "onet_code": (
        "tasks.jsonl",
        lambda lines: lines[0]["onet"].__setitem__("soc_code", "accounting"),
        ["line 1 > onet > soc_code: found 'accounting'; expected an O*NET-SOC code such as"],
    ),
    "breakdown_that_does_not_add_up": (
        "judgements.jsonl",
        put_points(0, 10.0),
        ["judgements.jsonl: line 1 > total: found 95.5; expected the sum of the points (87.5)."],
    ),
    "points_above_the_criterion": (
        "judgements.jsonl",
        put_points(0, 20.5),
        ["line 1 > points > accuracy-1: found 20.5; expected at most the criterion's 20."],
    ),
    "unknown_criterion": (
        "judgements.jsonl",
        lambda lines: lines[0]["points"].__setitem__("charm", 0),
        ["line 1 > points: found 'charm'; expected a criterion of the task's rubric."],
    ),
    "criterion_left_out": (
        "judgements.jsonl",
        lambda lines: lines[0]["points"].pop("accuracy-1"),
        ["line 1 > points: found no points for accuracy-1; expected points for every criterion"],
    ),
    "judge_twice": (
        "judgements.jsonl",
        repeat(0),
        ["found 'T01' and 'judge-a' as in line 1; expected each only once."],
    ),
    "one_judge": (
        "judgements.jsonl",
        drop(0),
        [
            "sessions.jsonl: line 1: found 1 judgement of 'T01'; expected a pair at least: 2 "
            "judges or more in judgements.jsonl."
        ],
    ),
    "survey_without_its_pair": (
        "surveys.jsonl",
        drop(0),
        ["surveys.jsonl: line 1: found a post survey of 'H01' alone; expected a pair: the pre"],
    ),
    "session_twice": (
        "sessions.jsonl",
        repeat(0),
        ["sessions.jsonl: line 33: found 'T01' as in line 1; expected each only once."],
    ),
}


# A value of a file's first line that is wrong by itself, or does not agree with another file.
WRONG_VALUES = [
    ("tasks.jsonl", "task_id", "task-1", "a UUID such as"),
    ("judgements.jsonl", "total", 100.5, "a number from 0 to 100."),
    ("judgements.jsonl", "total", -1, "a number from 0 to 100."),
    ("judgements.jsonl", "total", "90", "a number from 0 to 100."),
    ("sessions.jsonl", "outcome", 91.0, "the mean of its judges' totals (91.5)."),
    ("sessions.jsonl", "outcome", 101, "a number from 0 to 100."),
    ("sessions.jsonl", "human_id", "H99", "one of humans.jsonl."),
    ("sessions.jsonl", "task_id", "00000000-0000-0000-0000-000000000000", "one of tasks.jsonl."),
    ("sessions.jsonl", "agent", "dune", "one of the agents of release.json."),
    ("judgements.jsonl", "session_id", "T99", "one of sessions.jsonl."),
    ("behaviors.jsonl", "session_id", "T99", "one of sessions.jsonl."),
    ("surveys.jsonl", "human_id", "H99", "one of humans.jsonl."),
    ("surveys.jsonl", "phase", "before", "'pre' or 'post'."),
    ("solo.jsonl", "outcome", 120, "a number from 0 to 100."),
]


def read_problems(root):
    with pytest.raises(ReleaseError) as caught:
        open_team(root)
    return caught.value.issues


@pytest.mark.parametrize("fault", BROKEN, ids=str)
def test_open_team_broken_release_says_what_and_where(root, fault):
    file, change, expected = BROKEN[fault]
    edit(root, file, change)
    text = "\n".join(map(str, read_problems(root)))
    for part in expected:
        assert part in text


@pytest.mark.parametrize(("file", "key", "value", "expected"), WRONG_VALUES)
def test_open_team_wrong_value_is_shown_with_what_is_expected(root, file, key, value, expected):
    edit(root, file, put(0, key, value))
    shown = f"{value:g}" if isinstance(value, float) else repr(value)
    message = f"{file}: line 1 > {key}: found {shown}; expected {expected}"
    assert any(str(issue).startswith(message) for issue in read_problems(root))


def test_open_team_reports_all_problems_at_once(root):
    edit(root, "sessions.jsonl", put(0, "human_id", "H99"))
    edit(root, "surveys.jsonl", drop(0))
    edit(root, "judgements.jsonl", put_points(3, 0.0))
    files = [issue.file for issue in read_problems(root)]
    assert files == ["judgements.jsonl", "sessions.jsonl", "surveys.jsonl"]


def test_open_team_unreadable_line_does_not_blame_who_refers_to_it(root):
    edit(root, "tasks.jsonl", put(0, "title", 3))
    (found,) = read_problems(root)
    assert str(found) == "tasks.jsonl: line 1 > title: found 3; expected text."


def test_open_team_broken_file_or_folder(root, tmp_path):
    with pytest.raises(ReleaseError, match="found no such folder; expected a release of team"):
        open_team(tmp_path / "none")
    (root / "judgements.jsonl").unlink()
    with pytest.raises(ReleaseError, match=r"judgements\.jsonl: found no such file"):
        open_team(root)
    (root / "release.json").write_text('{"name": "kolab"}')
    with pytest.raises(ReleaseError, match="format: found no such key"):
        open_team(root)


def test_open_team_unknown_keys_are_notes(root):
    edit(root, "humans.jsonl", put(0, "shoe_size", 43))
    notes = open_team(root).notes
    assert [str(note) for note in notes] == [
        "humans.jsonl: line 1 > shoe_size: found an unknown key; expected the keys of the format "
        "(it is left out)."
    ]


def test_is_team_release_tells_them_apart(root, tmp_path):
    assert is_team_release(root)
    assert not is_team_release(tmp_path)
    (root / "release.json").write_text('{"name": "kolab"}')
    assert not is_team_release(root)


@pytest.mark.parametrize("file", TEAM_FILES)
def test_fingerprint_team_changes_with_every_file(root, file):
    before = fingerprint_team(root)
    assert fingerprint_team(root) == before
    with (root / file).open("a", encoding="utf-8") as opened:
        opened.write("\n")
    changed = fingerprint_team(root)
    assert changed != before
    (root / file).unlink()
    assert fingerprint_team(root) not in (before, changed)


def test_measure_agreement_by_hand():
    # a and b: gaps 2, -2, 4 (mean 4/3, absolute 8/3); c joins the third session alone.
    totals = [{"a": 82, "b": 80}, {"a": 70, "b": 72}, {"a": 94, "b": 90, "c": 86}]
    found = measure_agreement(totals)
    first = found.pairs[0]
    assert (first.first, first.second, first.num_sessions) == ("a", "b", 3)
    assert first.mean_abs_difference == pytest.approx(8 / 3)
    assert first.mean_difference == pytest.approx(4 / 3)
    assert first.pearson == pytest.approx(stats.pearsonr([82, 70, 94], [80, 72, 90]).statistic)
    assert [(p.first, p.second, p.num_sessions) for p in found.pairs[1:]] == [
        ("a", "c", 1),
        ("b", "c", 1),
    ]
    assert math.isnan(found.pairs[1].pearson)
    # Biases: a: 2, -2, 94 - 88 = 6: mean 2. b: -2, 2, 90 - 90 = 0: mean 0. c: 86 - 92 = -6.
    assert [(j.judge, j.num_sessions, j.bias) for j in found.judges] == [
        ("a", 3, pytest.approx(2)),
        ("b", 3, pytest.approx(0)),
        ("c", 1, pytest.approx(-6)),
    ]
    # All pairs: |2| + |2| + |4| + |8| + |4| over 5.
    assert found.mean_abs_difference == pytest.approx(4.0)


def test_measure_agreement_needs_two_judges():
    with pytest.raises(ValueError, match="found no session with two judges"):
        measure_agreement([{"a": 80}])
