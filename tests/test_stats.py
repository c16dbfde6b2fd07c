"""What a release counts: by hand on three short sessions, and as dealt out on the paper's."""

import csv
import json
import math
from collections import Counter
from statistics import mean, stdev

import numpy as np
import pytest
from releases import (
    WORKFLOW,
    check_files,
    load_all_rows,
    make_files,
    make_segment,
    read_json,
    segment_with,
    write_files,
)
from scipy.stats import spearmanr
from tiny_release import edit_json, write_release

from kolab_core.commands.cli import main
from kolab_core.release import open_release
from kolab_core.rows.check import check_release
from kolab_core.stats import count_release, read_published_counts, summarise_tally
from kolab_core.stats.moments import describe
from scripts.synthesis import make_release, quotas
from scripts.synthesis.trades import AI_TOOLS


def count(root):
    return summarise_tally(count_release(open_release(root)))


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """P01_S1 with one label, P01_S2 with two, P02_S1 with one, which is `modify`."""
    root = write_release(tmp_path_factory.mktemp("release"))
    edit_json(root / "sessions/P02_S1/graph.json", '"adopt"', '"modify"')
    edit_json(root / "sessions/P02_S1/workflow.json", '"rating": 5', '"rating": 2')
    plan = root / "sessions/P01_S1/workflow.json"
    steps = '"softwares": ["Revit", "CLAUDE", " revit "], "estimated_minutes": 0.5, "number": 1'
    edit_json(plan, '"number": 1', steps)
    edit_json(root / "sessions/P01_S2/workflow.json", '"number": 2', steps[:-1] + "2")
    edit_json(root / "sessions/P01_S2/graph.json", '"to": "n3", "type": "sequential"', LOOP)
    return root


LOOP = '"to": "n3", "type": "loop"}, {"from": "n2", "to": "n1", "type": "loop"'


@pytest.fixture(scope="module")
def stats(tiny):
    return count(tiny)


def test_overview_counts_each_thing_once(stats):
    assert stats.overview == {
        "participants": 2,
        "occupations": 1,
        "sectors": 1,
        "sessions": 3,
        "sessions with a recording": 0,
        "sessions with a chat": 3,
        "hours": 0.05,  # three times 60 s
        "surveys": 2,
        "turns": 6,
        "steps": 6,
        "segments": 6,
        "segments outside the plan": 0,
        "returns to a step": 0,
        "nodes": 12,
        "edges": 7,  # two a session, and the one back from n2
        "branches": 1,  # n2 of P01_S2, to n3 and to n1
        "loops": 2,
        "responses": 4,
        "responses without a request": 0,
        "last-step targets": 4,
        "softwares": 1,
        "AI tools": 1,
    }


def test_actors_have_their_nodes_and_minutes(stats):
    # n0, n1, n3 are the person's and n2 the agent's, of 10 s each
    found = [(a.actor, a.actor_type, a.nodes, a.occurrences, a.minutes) for a in stats.actors]
    assert found == [("user", "user", 9, 9, 1.5), ("claude", "ai", 3, 3, 0.5)]


def test_labels_by_group(stats):
    found = {(c.group, c.name): tuple(c.counts.values()) for c in stats.labels}
    assert found == {
        ("all", "all"): (3, 1, 0),
        ("sector", "Legal"): (3, 1, 0),
        ("session", "1"): (1, 1, 0),
        ("session", "2"): (2, 0, 0),
        ("agent", "claude"): (3, 1, 0),
    }
    assert stats.labels[0].shares == {"adopt": 0.75, "modify": 0.25, "reject": 0.0}


def test_ratings_by_session(stats):
    # step 1: quality 4, collaboration 5; step 2: quality 5, collaboration 4; in P02_S1 2 for 5
    found = {(r.kind, r.session): tuple(r.counts.values()) for r in stats.ratings}
    assert found == {
        ("collaboration", None): (0, 1, 0, 3, 2),
        ("collaboration", 1): (0, 1, 0, 2, 1),
        ("collaboration", 2): (0, 0, 0, 1, 1),
        ("output_quality", None): (0, 1, 0, 3, 2),
        ("output_quality", 1): (0, 1, 0, 2, 1),
        ("output_quality", 2): (0, 0, 0, 1, 1),
    }
    whole = stats.ratings[0]
    assert whole.mean == 24 / 6
    assert whole.sd == pytest.approx(stdev([2, 4, 4, 4, 5, 5]))
    assert (whole.unrated, whole.shares[4]) == (0, 0.5)


def test_joint_ratings_and_rho(stats):
    quality, collaboration = [4, 5, 4, 5, 4, 2], [5, 4, 5, 4, 2, 4]
    assert stats.joint.num == 6
    assert stats.joint.counts == (
        (0, 0, 0, 0, 0),
        (0, 0, 0, 1, 0),
        (0, 0, 0, 0, 0),
        (0, 1, 0, 0, 2),
        (0, 0, 0, 2, 0),
    )
    rho, p_value = spearmanr(quality, collaboration)
    assert (stats.joint.rho, stats.joint.p_value) == pytest.approx((rho, p_value))


def test_clips_of_each_config(stats):
    found = {(c.config, c.context_steps): c.minutes for c in stats.clips}
    # n1 20-30 s, n2 to 40 s, n3 to 50 s; step 1 to 20 s, step 2 to 60 s
    seconds = {
        ("adoption_recognition", None): [30] * 4,
        ("adoption_forecast", None): [20] * 4,
        **{("step_n", steps): [40] * 4 for steps in (1, 2, 3)},
        ("workflow_level", None): [40] * 4,
        ("collab_rating", None): [20, 40] * 3,
        ("output_quality", None): [20, 40] * 3,
        ("sessions", None): [60] * 3,
    }
    assert found.keys() == seconds.keys()
    for kind, lengths in seconds.items():
        minutes = found[kind]
        assert minutes.num == len(lengths)
        assert minutes.mean == pytest.approx(mean(lengths) / 60)
        assert minutes.sd == pytest.approx(stdev(lengths) / 60)
        assert minutes.largest == max(lengths) / 60


def test_time_spent_against_estimated(stats):
    whole, first, second = stats.times
    assert [t.session for t in stats.times] == [None, 1, 2]
    assert (whole.spent.num, whole.spent.mean) == (6, 0.5)  # 20 s and 40 s
    # estimated at half a minute: step 1 of P01_S1 took 20 s, step 2 of P01_S2 40 s
    assert (whole.estimated.num, whole.estimated.mean, whole.ratio) == (2, 0.5, 1.0)
    assert whole.num_longer == 1
    assert first.ratio == pytest.approx(2 / 3)
    assert second.ratio == pytest.approx(4 / 3)


def test_tools_are_counted_by_step_whatever_their_case(stats):
    found = [(t.name, t.is_ai, t.steps, t.sessions) for t in stats.tools]
    assert found == [("CLAUDE", True, 2, 2), ("revit", False, 2, 2)]


def test_questions_and_statements(stats):
    assert [item.name for item in stats.questions] == [f"Q{n}" for n in range(13, 39)]
    assert stats.questions[0].answers == describe([4, 4])  # 13 % 10 + 1
    assert len(stats.statements) == 7
    assert all(item.answers.num == 0 for item in stats.statements)


def test_session_outside_any_plan_and_without_responses(tmp_path):
    segments = [make_segment("a", "Custom-1", 0, 60), make_segment("b", "Custom-2", 60, 90)]
    found = count(write_files(tmp_path, make_files(segments, num_steps=1)))
    assert found.overview["segments outside the plan"] == 2
    assert found.overview["hours"] == 90 / 3600
    assert found.overview["responses"] == found.times[0].spent.num == 0
    assert math.isnan(found.joint.rho)
    assert math.isnan(found.clips[0].minutes.mean)


def test_step_that_was_left_is_a_return_and_its_time_has_no_gap(tmp_path):
    spans = {"source": (0, 5), "ai": (5, 9), "own": (9, 10)}
    segments = [
        segment_with("a", "Step-1", 0, 60, **spans),
        make_segment("b", "Step-2", 60, 90),
        make_segment("c", "Step-1", 90, 120),
    ]
    found = count(write_files(tmp_path, make_files(segments, num_steps=2)))
    assert found.overview["returns to a step"] == 1
    assert sorted(t.spent for t in count_release(open_release(tmp_path)).times) == [30_000, 90_000]


@pytest.mark.parametrize("value", [-1, "ten", True, [5]], ids=str)
def test_estimate_that_is_no_number_of_minutes_is_an_error(tmp_path, value):
    files = make_files([make_segment("a", "Step-1", 0, 60)], num_steps=1)
    files[WORKFLOW]["steps"][0]["estimated_minutes"] = value
    (issue,) = check_files(tmp_path, files).errors
    assert (issue.where, issue.expected) == (
        "steps[0] (number 1) > estimated_minutes",
        "minutes: a number, 0 or more, or null",
    )


# -- the paper's marginals -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def paper(tmp_path_factory):
    folder = tmp_path_factory.mktemp("paper") / "release"
    return make_release(folder, participants=50, marginals="paper", recordings=False)


@pytest.fixture(scope="module")
def paper_stats(paper):
    return count(paper)


def test_paper_release_counts_what_the_generator_was_told(paper, paper_stats):
    labels = {c.name: tuple(c.counts.values()) for c in paper_stats.labels if c.group == "sector"}
    assert labels == quotas._LABELS
    told = {"collaboration": quotas._COLLABORATION, "output_quality": quotas._QUALITY}
    for found in paper_stats.ratings:
        if found.session is None:
            rated = {r: n for r, n in told[found.kind].items() if r is not None}
            assert (dict(found.counts), found.unrated) == (rated, told[found.kind].get(None, 0))
    assert {t.name for t in paper_stats.tools if t.is_ai} == set(AI_TOOLS)
    assert sum(c.sessions for c in paper_stats.tools if c.name == "Claude") == 100


def test_paper_release_equals_the_published_figures(paper_stats):
    published = read_published_counts()
    for name in ("participants", "occupations", "sectors", "sessions", "steps", "responses"):
        assert paper_stats.overview[name] == published[name]
    for name in ("softwares", "AI tools", "last-step targets"):
        assert paper_stats.overview[name] == published[name]
    assert paper_stats.overview["hours"] >= published["hours"]
    shares = {
        f"label/{c.group}/{c.name}/{k}": v for c in paper_stats.labels for k, v in c.shares.items()
    }
    for found in paper_stats.ratings:
        if found.session is None:
            shares |= {f"rating/{found.kind}/{k}": v for k, v in found.shares.items()}
    stated = [figure for figure in published if figure.startswith(("label", "rating"))]
    assert len(stated) == 12
    for figure in stated:
        digits = 2 if "sector" in figure else 3
        assert round(shares[figure], digits) == published[figure], figure


def test_paper_release_agrees_with_its_rows_and_its_check(paper, paper_stats):
    counts = check_release(paper).counts
    for name in ("steps", "segments", "nodes", "responses"):
        assert paper_stats.overview[name] == counts[name]
    lengths = {}
    for config, rows in load_all_rows(paper).items():
        for row in rows if config != "surveys" else ():
            spans = row["video"]["intervals"]
            minutes = sum(span["end"] - span["start"] for span in spans) / 60
            lengths.setdefault((config, row.get("context_steps")), []).append(minutes)
    assert len(lengths) == len(paper_stats.clips)
    for found in paper_stats.clips:
        of_rows = lengths[found.config, found.context_steps]
        moments = found.minutes
        assert moments.num == len(of_rows)
        values = (moments.mean, moments.sd, moments.largest)
        assert values == pytest.approx((mean(of_rows), stdev(of_rows), max(of_rows)))


def test_paper_release_joint_ratings_are_those_of_its_documents(paper, paper_stats):
    steps = [
        s for f in sorted(paper.glob("sessions/*/workflow.json")) for s in read_json(f)["steps"]
    ]
    pairs = [(s["output_quality"]["rating"], s["collaboration"]["rating"]) for s in steps]
    pairs = [pair for pair in pairs if None not in pair]
    assert paper_stats.joint.num == len(pairs) == 507
    assert np.array(paper_stats.joint.counts)[4, 3] == Counter(pairs)[5, 4]
    assert paper_stats.joint.rho == pytest.approx(spearmanr(*zip(*pairs, strict=True))[0])


# -- the command -----------------------------------------------------------------------------------


def run(capsys, *words):
    code = main(["stats", *map(str, words)])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


@pytest.mark.parametrize("style", ["table", "md", "latex"])
def test_command_prints_every_table_with_the_papers_figures_beside(capsys, tiny, style):
    code, out, err = run(capsys, tiny, "--format", style)
    assert (code, err) == (0, "")
    for title in ("Size", "Nodes by actor", "Responses by label", "Clips, in minutes"):
        assert title in out
    assert "paper adopt" in out
    assert "65.9" in out
    assert ("65.9" in run(capsys, tiny, "--format", style, "--no-published")[1]) is False


def test_command_prints_json_that_holds_all(capsys, tiny):
    code, out, err = run(capsys, tiny, "--format", "json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["sample"] is False
    assert found["stats"]["overview"]["responses"] == 4
    assert found["stats"]["ratings"][0]["counts"] == {"1": 0, "2": 1, "3": 0, "4": 3, "5": 2}
    assert found["stats"]["clips"][0]["minutes"]["sd"] == 0
    assert found["published"]["responses"] == 692


def test_command_gives_csv_that_lists_all_tools(capsys, paper):
    code, out, err = run(capsys, paper, "--format", "csv")
    assert (code, err) == (0, "")
    tables = [list(csv.DictReader(text.splitlines())) for text in out.split("\n\n")]
    assert len(tables) == 10
    assert {"what": "steps", "number": "508", "paper": "508"} in tables[0]
    assert sum(row.get("tool") is not None for row in tables[7]) == 99


def test_command_says_what_is_no_release_and_what_is_empty(capsys, tmp_path):
    code, _, err = run(capsys, tmp_path / "none")
    assert (code, "expected a release" in err) == (2, True), err
    head = {"name": "kolab", "version": "1", "sessions": []}
    write_files(tmp_path, {"release.json": head, "participants.jsonl": []})
    code, _, err = run(capsys, tmp_path)
    assert code == 1
    assert "found no session; expected at least 1" in err


def test_command_counts_the_sample_and_writes_a_file(capsys, tmp_path):
    code, out, _ = run(capsys, "--output", tmp_path / "stats.txt")
    assert (code, out) == (0, "")
    assert "6 sessions" in (tmp_path / "stats.txt").read_text(encoding="utf-8")
