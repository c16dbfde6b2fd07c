import itertools
import json
import math
from pathlib import Path

import evaluate
import numpy as np
import pytest
from datasets import Dataset
from scipy import stats
from session_rows import make_edges, make_event, make_node, make_row, make_segment

from kolab_core.dynamics import (
    MEASURES,
    burstiness,
    interaction_times,
    measure_dynamics,
    pool_dynamics,
    relate,
    retention,
    solo_lead_in,
    spearman_interval,
    step_clock,
    step_lead_ins,
    summarise_dynamics,
    topology,
    trim_row,
)
from kolab_core.scores.bootstrap import Resampling


def make_response(index, label, source, target, response):
    events = {"source": source, "target": target, "response": response}
    return {"node_id": response["node_id"], "index": index, "label": label, **events}


def make_worked_row(**columns):
    """A session worked by hand below: two planned steps, the second visited twice, and a detour."""
    ask, answer = make_event("s1/ask", 240, 260), make_event("s1/answer", 260, 300)
    edit, drop = make_event("s1/edit", 300, 600), make_event("s2b/drop", 940, 1000)
    return make_row(
        [
            make_node("s1/plan", "user", (0, 240)),
            make_node("s1/ask", "user", (240, 260)),
            make_node("s1/answer", "ai", (260, 300)),
            make_node("s1/edit", "user", (300, 600)),
            make_node("c/search", "user", (600, 700)),
            make_node("s2a/draft", "user", (700, 800)),
            make_node("s2b/answer", "ai", (850, 870), (900, 940)),
            make_node("s2b/drop", "user", (940, 1000)),
        ],
        edges=make_edges(
            ("s1/plan", "s1/ask"),
            ("s1/ask", "s1/answer"),
            ("s1/answer", "s1/edit"),
            ("s1/answer", "s1/plan"),
            ("s2b/answer", "s2b/drop"),
        ),
        segments=[
            make_segment("s1", 1, 0, 600),
            make_segment("c", None, 600, 700),
            make_segment("s2a", 2, 700, 800),
            make_segment("s2b", 2, 840, 1000),
        ],
        responses=[
            make_response(0, 1, ask, answer, edit),
            make_response(1, "adopt", ask, answer, edit),
            make_response(0, "reject", None, make_event("s2b/answer", 900, 940), drop),
        ],
        ratings=(4, None),
        **columns,
    )


# --- burstiness -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        # Intervals 1, 3: μ = 2, σ = 1, (1 − 2)/(1 + 2).
        pytest.param([0, 1, 4], -1 / 3, id="two-intervals"),
        # Intervals 0, 4: μ = 2, σ = 2.
        pytest.param([5, 5, 9], 0.0, id="simultaneous-events-keep-a-gap-of-zero"),
        # Intervals 0, 0, 0, 8: μ = 2, σ² = (3·4 + 36)/4 = 12.
        pytest.param([0, 0, 0, 0, 8], (12**0.5 - 2) / (12**0.5 + 2), id="burst"),
        pytest.param([9, 5, 5], 0.0, id="any-order"),
    ],
)
def test_burstiness_hand_worked(times, expected):
    assert burstiness(times) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("gap", [10, 0.1, 1 / 3, 1234.567])
def test_burstiness_equal_gaps_is_exactly_minus_one(gap):
    assert burstiness(np.arange(12) * gap) == -1.0


@pytest.mark.parametrize("times", [[], [1.0], [1.0, 2.0], [3.0, 3.0, 3.0]])
def test_burstiness_degenerate_is_nan(times):
    assert math.isnan(burstiness(times))


def test_burstiness_not_finite_is_refused():
    with pytest.raises(ValueError, match="not finite"):
        burstiness([0, 1, math.nan])


def test_burstiness_equals_definition_on_random_times():
    rng = np.random.default_rng(1)
    checked = 0
    for size in rng.integers(3, 40, size=50):
        times = sorted(rng.uniform(0, 4000, size=size).tolist())
        gaps = [b - a for a, b in itertools.pairwise(times)]
        mean = sum(gaps) / len(gaps)
        spread = (sum((gap - mean) ** 2 for gap in gaps) / len(gaps)) ** 0.5
        assert burstiness(times) == pytest.approx((spread - mean) / (spread + mean), abs=1e-12)
        checked += 1
    assert checked == 50


# --- events ---------------------------------------------------------------------------------


def test_interaction_times_counts_an_occurrence_once_and_leaves_other_human_work_out():
    # ask 240 (source of two responses), answer 260, edit 300 (two responses), 850, 900, drop 940.
    assert interaction_times(make_worked_row()) == [240, 260, 300, 850, 900, 940]


def test_interaction_times_of_a_step():
    row = make_worked_row()
    assert interaction_times(row, step=1) == [240, 260, 300]
    assert interaction_times(row, step=2) == [850, 900, 940]
    assert interaction_times(row, step=9) == []


def test_interaction_times_two_events_at_one_time_are_two():
    row = make_row([make_node("a/x", "ai", (5, 6)), make_node("b/x", "ai", (5, 6))])
    assert interaction_times(row) == [5, 5]


def test_interaction_times_zero_length_and_untimed():
    row = make_row([make_node("a/x", "ai", (5, 5)), make_node("a/y", "ai")])
    assert interaction_times(row) == [5]


# --- topology and retention -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        pytest.param([("a", "b"), ("b", "c")], 0.0, id="chain"),
        # a has two edges, b one: 1 branching node of 3 edges.
        pytest.param([("a", "b"), ("a", "c"), ("b", "c")], 1 / 3, id="one-branch"),
        pytest.param([("a", "b"), ("a", "b")], 1 / 2, id="parallel-edges-are-two"),
        pytest.param([("a", "a"), ("a", "b")], 1 / 2, id="loop-to-itself-is-one"),
    ],
)
def test_topology_hand_worked(pairs, expected):
    assert topology(make_edges(*pairs)).value == pytest.approx(expected, abs=0)


def test_topology_without_edges_is_nan():
    assert math.isnan(topology([]).value)


def test_retention_counts_rejects_in_n():
    # 2 adopt, 1 modify, 1 reject; the one without a label does not count.
    kept = retention([0, "adopt", "Modify", np.int64(2), None])
    assert (kept.adopt, kept.modify, kept.num_responses) == (0.5, 0.25, 4)


@pytest.mark.parametrize("label", ["kept", 3, -1, 0.5, True])
def test_retention_unknown_label_is_refused(label):
    with pytest.raises(ValueError, match="expected 'adopt', 'modify', 'reject' or their index"):
        retention([label])


# --- lead-in --------------------------------------------------------------------------------


def test_solo_lead_in_four_minutes_into_ten_is_point_four():
    row = make_row([make_node("a/x", "ai", (240, 300))], segments=[make_segment("a", 1, 0, 600)])
    assert solo_lead_in(row) == 0.4


def test_step_lead_ins_leave_gaps_and_detours_out():
    # Step 1: 240 of 600. Step 2: its time is 700–800 and 840–1000 (260 s); the first event, 850,
    # comes after 100 + 10 of them.
    shares = step_lead_ins(make_worked_row())
    assert shares == {1: 240 / 600, 2: pytest.approx(110 / 260)}
    assert solo_lead_in(make_worked_row()) == pytest.approx((0.4 + 110 / 260) / 2)


def test_step_lead_ins_step_without_interaction_was_solo_throughout():
    segments = [make_segment("a", 1, 0, 10), make_segment("b", 2, 10, 20)]
    row = make_row([make_node("b/x", "ai", (15, 20))], segments=segments)
    assert step_lead_ins(row) == {1: 1.0, 2: 0.5}


def test_step_lead_ins_no_time_no_share():
    row = make_row(segments=[make_segment("a", 1, 5, 5), make_segment("b", None, 5, 9)])
    assert step_lead_ins(row) == {}
    assert math.isnan(solo_lead_in(row))


def test_step_clock_overlapping_segments_count_once():
    clock = step_clock(
        make_row(segments=[make_segment("a", 1, 10, 30), make_segment("b", 1, 20, 40)]), step=1
    )
    assert [clock(t) for t in (0, 10, 25, 40, 99)] == [0, 0, 15, 30, 30]


# --- rows -----------------------------------------------------------------------------------


def test_measure_session_hand_worked():
    (result,) = measure_dynamics([make_worked_row()])
    # Intervals 20, 40, 550, 50, 40: μ = 140, σ² = (120² + 100² + 410² + 90² + 100²)/5 = 42,120.
    sigma = 42_120**0.5
    assert result.burstiness == pytest.approx((sigma - 140) / (sigma + 140))
    # s1/answer has two of the five edges.
    assert result.topology == 1 / 5
    assert (result.retention_adopt, result.retention_modify) == (1 / 3, 1 / 3)
    assert result.unit == "P01_S1"
    assert (result.num_events, result.num_edges, result.num_responses) == (6, 5, 3)
    assert (result.num_branches, result.num_steps, result.notes) == (1, 2, ())


def test_measure_steps_hand_worked():
    first, second = measure_dynamics([make_worked_row()], by="step")
    assert [first.unit, second.unit] == ["P01_S1/step-1", "P01_S1/step-2"]
    # Intervals 20 and 40: μ = 30, σ = 10.
    assert first.burstiness == pytest.approx(-0.5)
    assert (first.topology, first.retention_adopt, first.solo_lead_in) == (1 / 4, 0.5, 0.4)
    # Intervals 50 and 40: μ = 45, σ = 5.
    assert second.burstiness == pytest.approx(-0.8)
    assert (second.topology, second.retention_adopt) == (0.0, 0.0)


def test_measure_steps_burstiness_runs_on_the_steps_own_clock():
    # Recording time 0, 10, 110, 120; the step's own 0, 10, 20, 30.
    row = make_row(
        [make_node("a/x", "ai", (0, 1), (10, 11)), make_node("b/x", "ai", (110, 111), (120, 121))],
        segments=[make_segment("a", 1, 0, 20), make_segment("b", 1, 110, 130)],
    )
    (step,) = measure_dynamics([row], by="step")
    assert step.burstiness == -1.0


def test_measure_by_participant_means_sessions_and_pools_responses():
    first = make_worked_row()
    second = make_worked_row(session_id="P01_S2", session=2)
    second["responses"] = second["responses"][:1]
    other = make_row(session_id="P02_S1", participant_id="P02", sector="Arts")
    one, two = measure_dynamics([first, second], by="session")
    person, empty = measure_dynamics([first, other, second], by="participant")
    assert (person.unit, person.num_rows, empty.unit) == ("P01", 2, "P02")
    assert person.burstiness == pytest.approx((one.burstiness + two.burstiness) / 2)
    # One adopt and two modify of four responses; not the mean of 1/3 and 0.
    assert (person.retention_adopt, person.retention_modify) == (1 / 4, 2 / 4)
    assert [d.unit for d in measure_dynamics([first, other], by="sector")] == ["Legal", "Arts"]


def test_pool_leaves_nan_out_and_says_so():
    good, bad = measure_dynamics([make_worked_row(), make_row()])
    whole = pool_dynamics([good, bad], unit="all")
    assert whole.topology == good.topology
    assert "topology: the mean of the 1 of 2 rows that have it" in whole.notes


def test_measure_degenerate_row_is_nan_with_notes():
    (result,) = measure_dynamics([make_row([make_node("a/x", "ai", (0, 1), (5, 6))])])
    values = (result.burstiness, result.topology, result.retention_adopt, result.solo_lead_in)
    assert all(math.isnan(value) for value in values)
    assert result.notes == (
        "burstiness: nan, 2 interaction events; expected at least 3",
        "topology: nan, the graph has no edges",
        "retention: nan, no labelled responses",
        "solo_lead_in: nan, no planned step has time",
    )


def test_measure_row_of_an_experiment_gives_topology_alone():
    graph = {"nodes": [], "edges": make_edges(("a/x", "a/y"), ("a/x", "a/z"))}
    (result,) = measure_dynamics([{"id": "P01_S1/a/y/0", "session_id": "P01_S1", "graph": graph}])
    assert (result.unit, result.topology) == ("P01_S1/a/y/0", 0.5)
    assert math.isnan(result.burstiness)
    assert math.isnan(result.solo_lead_in)
    assert "burstiness: nan, the row holds no responses" in result.notes[0]
    with pytest.raises(ValueError, match="P01_S1/a/y/0: found no segments or responses"):
        measure_dynamics([{"id": "P01_S1/a/y/0", "graph": graph}], by="step")


def test_measure_unknown_by_names_the_choices():
    with pytest.raises(ValueError, match="'session', 'step', 'participant' or 'sector'"):
        measure_dynamics([], by="team")


def test_measure_no_rows_is_empty():
    assert measure_dynamics([]) == []


def test_trim_row_keeps_what_is_measured():
    row = make_worked_row(chat=[1], video=object())
    assert measure_dynamics([json.loads(json.dumps(trim_row(row)))]) == measure_dynamics([row])


# --- relations ------------------------------------------------------------------------------


def make_planted(seed=3, num_people=30):
    """Sessions of people whose one trait drives lead-in, burstiness and the questionnaire."""
    rng = np.random.default_rng(seed)
    rows, surveys = [], []
    for person in range(num_people):
        trait = rng.uniform()
        name = f"P{person:02d}"
        surveys.append({"participant_id": name, "Q33": 1 + round(9 * trait)})
        for session in (1, 2):
            lead = 600 * (0.1 + 0.6 * trait + rng.uniform(-0.1, 0.1))
            # Powers of uniform numbers: the higher the power, the burstier.
            gaps = rng.uniform(size=12) ** (0.3 + 4 * trait)
            times = lead + (590 - lead) * np.cumsum([0, *gaps]) / gaps.sum()
            spans = [(t, t + 0.5) for t in times.round(3).tolist()]
            branches = int(rng.integers(0, 10))
            pairs = [(f"a/{i}", f"a/{i + 1}") for i in range(20)]
            pairs += [(f"a/{i}", "a/0") for i in range(branches)]
            rows.append(
                make_row(
                    [make_node("a/ai", "ai", *spans)],
                    edges=make_edges(*pairs),
                    segments=[make_segment("a", 1, 0, 600)],
                    ratings=(5 - branches // 2, None, 5 - (branches + 1) // 2),
                    session_id=f"{name}_S{session}",
                    participant_id=name,
                    session=session,
                )
            )
    return rows, surveys


def shuffle_planted(rows, surveys, seed=11):
    """The same graphs, lead-ins, ratings and answers, each dealt out anew."""
    rng = np.random.default_rng(seed)

    def deal(values):
        return [values[i] for i in rng.permutation(len(values))]

    graphs, steps = deal([r["graph"] for r in rows]), deal([r["steps"] for r in rows])
    lead_ins = deal([solo_lead_in(r) for r in rows])
    dealt = []
    for row, graph, step, share in zip(rows, graphs, steps, lead_ins, strict=True):
        # A step of 600 s, placed so that its first event comes after this share of it.
        start = graph["nodes"][0]["occurrences"][0]["start"] - 600 * share
        segments = [make_segment("a", 1, start, start + 600)]
        dealt.append({**row, "graph": graph, "steps": step, "segments": segments})
    answers = deal([survey["Q33"] for survey in surveys])
    return dealt, [{**s, "Q33": q} for s, q in zip(surveys, answers, strict=True)]


def test_relate_planted_relations_show():
    rows, surveys = make_planted()
    results = relate(rows, surveys=surveys, rounds=1000)
    assert [r.published_rho for r in results] == [0.59, 0.35, 0.53, -0.24]
    assert [(r.num_pairs, r.num_participants) for r in results] == [
        (30, 30),
        (60, 30),
        (30, 30),
        (60, 30),
    ]
    for result in results:
        sign = math.copysign(1, result.published_rho)
        assert sign * result.rho > 0.5, result
        assert min(sign * result.low, sign * result.high) > 0, result
        assert result.p_value < 0.01


def test_relate_shuffled_relations_do_not_show():
    rows, surveys = shuffle_planted(*make_planted())
    results = relate(rows, surveys=surveys, rounds=1000)
    assert len(results) == 4
    for result in results:
        assert abs(result.rho) < 0.4, result
        assert result.low < 0 < result.high, result
        assert result.p_value > 0.05


def test_relate_rho_and_p_are_scipys_of_the_measures():
    rows, surveys = make_planted(num_people=8)
    measured = measure_dynamics(rows)
    expected = stats.spearmanr([m.burstiness for m in measured], [m.solo_lead_in for m in measured])
    result = relate(rows, surveys=surveys, rounds=10)[1]
    assert result.rho == pytest.approx(expected.statistic, abs=1e-12)
    assert result.p_value == pytest.approx(expected.pvalue, rel=1e-9)


def test_relate_row_order_changes_nothing():
    rows, surveys = make_planted(num_people=6)
    assert relate(rows, surveys=surveys, rounds=200) == relate(
        rows[::-1], surveys=surveys[::-1], rounds=200
    )


def test_relate_mean_rating_leaves_unrated_steps_out_and_says_what_lacks():
    rows, surveys = make_planted(num_people=4)
    rows[0]["steps"] = []
    result = relate(rows, surveys=surveys, rounds=10)[3]
    assert result.num_pairs == 7
    assert "1 of 8 pairs lack a value" in result.notes


def test_relate_people_without_a_session_or_an_answer_are_counted():
    rows, surveys = make_planted(num_people=4)
    surveys = [{**surveys[0], "Q33": None}, *surveys[1:3]]
    repeat, _, plan, _ = relate(rows[:-1], surveys=surveys, rounds=10)
    assert repeat.num_pairs == 3
    assert "1 of 4 pairs lack a value" in repeat.notes
    assert plan.num_pairs == 2
    assert "2 of 4 pairs lack a value" in plan.notes


def test_relate_one_participant_has_no_interval():
    rows = [make_planted(num_people=1)[0][0] for _ in range(3)]
    rows = [{**row, "session": i} for i, row in enumerate(rows, start=1)]
    rows[0]["graph"] = {**rows[0]["graph"], "edges": make_edges(("a", "b"), ("a", "c"))}
    rows[1]["graph"] = {**rows[1]["graph"], "edges": make_edges(("a", "b"))}
    rows[1]["steps"] = [{"number": 1, "collaboration": {"rating": 1}}]
    result = relate(rows, rounds=10)[3]
    assert not math.isnan(result.rho)
    assert math.isnan(result.low)
    assert math.isnan(result.high)
    assert "one group only: intervals are nan." in result.notes


@pytest.mark.parametrize(("num_people", "expected"), [(9, True), (10, False)])
def test_relate_few_participants_are_said(num_people, expected):
    rows, _ = make_planted(num_people=num_people)
    note = f"{num_people} participants are too few to trust the interval"
    assert (note in relate(rows, rounds=10)[1].notes) is expected


def test_relate_without_surveys_or_variation_is_nan_with_a_note():
    rows, _ = make_planted(num_people=3)
    fixed = [{**row, "steps": [{"number": 1, "collaboration": {"rating": 5}}]} for row in rows]
    results = relate(fixed, rounds=10)
    assert math.isnan(results[2].rho)
    assert "rho is nan: 0 pairs; expected at least 3" in results[2].notes
    assert math.isnan(results[3].rho)
    assert "rho is nan: one side is constant" in results[3].notes


def test_relate_row_of_an_experiment_is_refused():
    with pytest.raises(ValueError, match="found no segments; expected a row of the 'sessions'"):
        relate([{"session_id": "s", "participant_id": "P01", "session": 1, "graph": {}}])


def test_spearman_interval_equals_a_loop_over_scipy():
    rng = np.random.default_rng(2)
    x, y = rng.integers(0, 6, size=(2, 24)).astype(float)
    groups = rng.choice(["a", "b", "c", "d", "e", "f", "g"], size=24).tolist()
    names = sorted(set(groups))
    # The draws of the interval's own generator: each round picks as many groups as there are.
    draws = np.random.default_rng(9).integers(len(names), size=(300, len(names)))
    rhos = []
    for draw in draws:
        index = [i for d in draw for i, group in enumerate(groups) if group == names[d]]
        if len(set(x[index])) > 1 and len(set(y[index])) > 1:
            rhos.append(stats.spearmanr(x[index], y[index]).statistic)
    ends = spearman_interval(
        x.tolist(),
        y.tolist(),
        groups=groups,
        resampling=Resampling(confidence=0.9, rounds=300, method="percentile", rng=9),
    )
    expected = np.quantile(rhos, [0.05, 0.95])
    assert [ends.low["rho"], ends.high["rho"]] == pytest.approx(expected.tolist(), abs=1e-12)


def test_spearman_interval_lengths_that_differ_are_refused():
    with pytest.raises(ValueError, match="found 2, 2 and 1 values; expected the same number"):
        spearman_interval([1, 2], [1, 2], groups=["a"], resampling=Resampling())


@pytest.mark.parametrize(
    ("option", "message"),
    [({"confidence": 1.0}, "confidence: found 1.0"), ({"rounds": 0}, "rounds: found 0")],
)
def test_relate_bad_option_is_refused(option, message):
    with pytest.raises(ValueError, match=message):
        relate([], **option)


# --- the whole, and the evaluate module -----------------------------------------------------


def test_summarise_one_row_is_its_measures():
    result = summarise_dynamics([make_worked_row()])
    (measured,) = measure_dynamics([make_worked_row()])
    assert {name: result[name] for name in MEASURES} == {
        name: getattr(measured, name) for name in MEASURES
    }
    assert result["n"] == 1
    assert result["notes"] == []
    assert result["per_session"][0]["unit"] == "P01_S1"


def test_summarise_intervals_equal_a_loop_over_participants():
    rows, _ = make_planted(num_people=5)
    result = summarise_dynamics(rows, confidence=0.9, rounds=200, method="percentile", rng=4)
    values = {}
    for row in rows:
        (measured,) = measure_dynamics([row])
        values.setdefault(row["participant_id"], []).append(measured.solo_lead_in)
    # The draws of the intervals' own generator.
    draws = np.random.default_rng(4).integers(5, size=(200, 5))
    names = sorted(values)
    means = [np.mean([v for d in draw for v in values[names[d]]]) for draw in draws]
    low, high = np.quantile(means, [0.05, 0.95])
    assert result["solo_lead_in_low"] == pytest.approx(low, abs=1e-12)
    assert result["solo_lead_in_high"] == pytest.approx(high, abs=1e-12)
    assert result["n_groups"] == 5
    assert math.isnan(result["retention_adopt_low"])


def test_summarise_intervals_ignore_row_order_and_keep_the_seed():
    rows, _ = make_planted(num_people=4)
    first = summarise_dynamics(rows, confidence=0.95, rounds=50)
    again = summarise_dynamics(rows[::-1], confidence=0.95, rounds=50)
    for name in ("burstiness", "topology", "solo_lead_in"):
        for end in ("", "_low", "_high"):
            assert first[name + end] == again[name + end]


def test_summarise_one_participant_has_no_interval():
    result = summarise_dynamics([make_worked_row()], confidence=0.95, rounds=10)
    assert math.isnan(result["burstiness_low"])
    assert result["notes"] == ["one group only: intervals are nan."]


def test_summarise_no_rows_is_refused():
    with pytest.raises(ValueError, match="rows: found 0; expected at least 1"):
        summarise_dynamics([])


@pytest.fixture(scope="module")
def module():
    return evaluate.load(str(Path(__file__).parents[1] / "metrics" / "kolab_dynamics"))


def test_module_gives_what_the_functions_give(module):
    rows = [make_worked_row(), make_worked_row(participant_id="P02", sector="Arts")]
    result = module.compute(data=rows, by="sector", confidence=0.95, rounds=20)
    assert result == summarise_dynamics(rows, by="sector", confidence=0.95, rounds=20)
    assert [unit["unit"] for unit in result["per_sector"]] == ["Legal", "Arts"]
    json.dumps(result)


def test_module_takes_datasets_batches_and_single_rows(module):
    plain = json.loads(json.dumps(make_worked_row(chat=["kept out"])))
    for response in plain["responses"]:
        response["label"] = {1: "modify"}.get(response["label"], response["label"])
    whole = module.compute(data=Dataset.from_list([plain, plain]))
    module.add(data=plain)
    module.add_batch(data=[plain])
    assert module.compute() == whole
    assert whole["n"] == 2


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        ([], ValueError, "found 0 rows; expected at least 1"),
        (["text"], ValueError, r"data\[0\]: found 'text'; expected a row of a Kolab config"),
        ([None], ValueError, r"data\[0\]: found ''; expected a row of a Kolab config"),
        ([{"graph": None}], ValueError, r"data\[0\]: found .* expected a row of a Kolab config"),
        ({"graph": {}}, TypeError, "expected a list"),
    ],
)
def test_module_bad_rows_are_refused(module, data, error, message):
    with pytest.raises(error, match=message):
        module.compute(data=data)
