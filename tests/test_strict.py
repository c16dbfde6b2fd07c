"""Slips of an annotation that a valid release may hold, each kind by hand."""

import json

import pytest
from releases import (
    FOLDER,
    GRAPH,
    WORKFLOW,
    check_files,
    make_entry,
    make_files,
    make_node,
    make_segment,
    read_files,
    write_files,
)

from kolab_core.commands.cli import main
from kolab_core.rows.check import check_release
from kolab_core.rows.strict import find_slips
from scripts.synthesis import make_release

EDGES = [("q", "a", "sequential"), ("a", "r", "sequential")]


def make_clean(*more, edges=EDGES, end=100, num_steps=1):
    """A session of one step: q asks, a answers, r adopts; `more` nodes come behind."""
    entry = make_entry((0, 10), (10, 20), (20, 30))
    nodes = [
        make_node("q", (0, 10)),
        make_node("a", (10, 20)),
        make_node("r", (20, 30), user_response=[entry]),
        *more,
    ]
    segments = [make_segment("seg0", "Step-1", 0, end, nodes, edges)]
    return make_files(segments, num_steps=num_steps, rating=4)


def slips(tmp_path, files):
    return find_slips(read_files(tmp_path, files))


def test_clean_session_has_no_slips(tmp_path):
    assert slips(tmp_path, make_clean()) == []


def test_time_outside_its_segment(tmp_path):
    (finding,) = slips(tmp_path, make_clean(end=25))
    assert finding.kind == "outside"
    assert (finding.file, finding.where) == (GRAPH, "steps[0] seg0 > nodes[2] r > time[0]")
    assert finding.found == "20.000-30.000 s"
    assert finding.expected == "a time inside the segment (0.000-25.000 s)"
    assert finding.page == f"{FOLDER}/index.html#node=seg0%2Fr&t=20"


@pytest.mark.parametrize(
    ("time", "found"),
    [
        ((25, 40), "25.000-40.000 s while seg0/r goes on (20.000-30.000 s)"),
        ((30, 40), None),
        ((25, 25), None),
        ((12, 18), None),
    ],
    ids=["while another", "touching", "an instant", "while the AI writes"],
)
def test_two_things_of_the_person_at_once(tmp_path, time, found):
    files = make_clean(make_node("w", time), edges=[*EDGES, ("r", "w", "sequential")])
    assert [f.found for f in slips(tmp_path, files)] == ([] if found is None else [found])


def test_overlap_is_found_behind_a_short_one(tmp_path):
    nodes = [make_node("w", (40, 60)), make_node("x", (42, 44)), make_node("y", (50, 55))]
    edges = [*EDGES, ("r", "w", "sequential"), ("w", "x", "sequential"), ("x", "y", "sequential")]
    found = slips(tmp_path, make_clean(*nodes, edges=edges))
    assert [f.where.rpartition(" > ")[0].split()[-1] for f in found] == ["x", "y"]
    assert all("seg0/w goes on" in f.found for f in found)


@pytest.mark.parametrize(
    ("name", "actor", "found"),
    [("a2", "user", "'user' as 'ai'"), ("w", "claude", "'claude' as 'user'")],
)
def test_actor_of_the_other_kind(tmp_path, name, actor, found):
    node = make_node(name, (40, 50), actor=actor)
    (finding,) = slips(tmp_path, make_clean(node, edges=[*EDGES, ("r", name, "sequential")]))
    assert (finding.kind, finding.found) == ("actor", found)


@pytest.mark.parametrize(
    ("back", "found"),
    [
        ([], {"w": "2 occurrences and no way back to it"}),
        ([("x", "w", "loop")], {}),
        ([("w", "w", "loop")], {}),
        (
            [("x", "w", "sequential")],
            dict.fromkeys("wx", "a way back to it of sequential edges alone"),
        ),
    ],
    ids=["no way back", "a loop edge", "to itself", "sequential"],
)
def test_loop_without_a_loop_edge(tmp_path, back, found):
    nodes = [make_node("w", (40, 50), (60, 70)), make_node("x", (50, 60))]
    edges = [*EDGES, ("r", "w", "sequential"), ("w", "x", "sequential"), *back]
    findings = slips(tmp_path, make_clean(*nodes, edges=edges))
    assert {f.where.split()[4]: f.found for f in findings} == found
    assert {f.kind for f in findings} <= {"loop"}


def test_orphan_node_but_not_one_that_is_alone(tmp_path):
    files = make_clean(make_node("w", (40, 50)))
    files[GRAPH]["steps"].append(make_segment("seg1", "Custom-1", 50, 60, [make_node("z")]))
    (finding,) = slips(tmp_path, files)
    assert (finding.kind, finding.where) == ("orphan", "steps[0] seg0 > nodes[3] w")
    assert finding.page.endswith("#node=seg0%2Fw&t=40")
    assert finding.found == "no edge, with 3 other nodes in its segment"


def test_step_without_response_or_rating(tmp_path):
    files = make_clean(num_steps=2)
    files[GRAPH]["steps"].append(make_segment("seg1", "Step-2", 30.5, 60))
    files[WORKFLOW]["steps"][1]["collaboration"] = {}
    found = slips(tmp_path, files)
    assert [(f.kind, f.found) for f in found] == [
        ("response", "none"),
        ("rating", "no collaboration rating"),
    ]
    assert {(f.file, f.where, f.page) for f in found} == {
        (WORKFLOW, "steps[1] (number 2)", f"{FOLDER}/index.html#t=30.5")
    }


def test_response_before_its_output_stays_an_error(tmp_path):
    files = make_clean()
    files[GRAPH]["steps"][0]["nodes"][2]["user_response"] = [make_entry((0, 10), (10, 20), (5, 8))]
    files[GRAPH]["steps"][0]["nodes"][2]["time"] = ["00:00:05-00:00:08"]
    report = check_files(tmp_path, files)
    assert "before its AI output" in report.errors[0].found
    assert check_release(tmp_path, strict=True).findings == ()


def test_finding_takes_the_place_of_the_note(tmp_path):
    root = write_files(tmp_path, make_clean(end=25))
    plain, strict = check_release(root), check_release(root, strict=True)
    (finding,) = strict.findings
    dropped = set(plain.notes) - set(strict.notes)
    assert [(note.file, note.where) for note in dropped] == [(finding.file, finding.where)]
    assert plain.findings == ()


def test_synthetic_sessions_have_no_slips_but_bare_steps_and_what_overlaps(tmp_path):
    root = make_release(tmp_path / "release", participants=4, recordings=False)
    kinds = {finding.kind for finding in check_release(root, strict=True).findings}
    assert kinds <= {"response", "rating"}


# -- the command -----------------------------------------------------------------------------------


def run(capsys, *words):
    code = main(["validate", "--no-recordings", *map(str, words)])
    return code, capsys.readouterr().out


def test_command_lists_slips_and_exits_1(capsys, tmp_path):
    root = write_files(tmp_path, make_clean(end=25))
    code, out = run(capsys, root)
    assert (code, "outside" in out) == (0, False)
    code, out = run(capsys, root, "--strict")
    assert code == 1
    assert f"{FOLDER}/index.html#node=seg0%2Fr&t=20" in out
    assert out.endswith("0 errors, 2 notes, 1 slips: valid.\n")


def test_command_gives_slips_as_json(capsys, tmp_path):
    code, out = run(capsys, write_files(tmp_path, make_clean()), "--strict", "--json")
    report = json.loads(out)
    assert (code, report["findings"], report["num_findings"]) == (0, [], 0)
