"""Figures show the numbers that they are given, on new axes or on those of a caller."""

import importlib.util
import itertools
import json
import math
from types import SimpleNamespace

import numpy as np
import pytest
from releases import make_files, make_segment, write_files
from tiny_release import edit_json, write_release

from kolab_core import dynamics, figures, stats
from kolab_core.commands.cli import main
from kolab_core.figures.style import (
    LABEL_COLORS,
    LINES,
    RATING_COLORS,
    need_matplotlib,
    plain_text,
    text_color,
)
from kolab_core.release import open_release
from kolab_core.rows.experiments import session_rows
from kolab_core.stats.moments import describe
from kolab_core.stats.results import ItemAnswers, JointRatings, LabelCounts, ToolCount
from kolab_core.stats.tally import StepTime

HAS_MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None
drawn = pytest.mark.skipif(not HAS_MATPLOTLIB, reason="needs matplotlib")

SETTINGS = ("graph-only", "chat-only", "graph-chat")
LABELS = ("adopt", "modify", "reject")


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    root = write_release(tmp_path_factory.mktemp("release"), num_sessions=8)
    edit_json(root / "sessions/P01_S2/graph.json", '"adopt"', '"modify"')
    edit_json(root / "sessions/P02_S2/graph.json", '"adopt"', '"reject"')
    step = '"softwares": ["Revit", "Claude", "A $5$ tool"], "estimated_minutes": 0.5, "number": 1'
    edit_json(root / "sessions/P01_S1/workflow.json", '"number": 1', step)
    return root


@pytest.fixture(scope="module")
def cards(release, tmp_path_factory):
    """What `kolab score` writes, by config."""
    folder = tmp_path_factory.mktemp("cards")
    opened = open_release(release)
    found = {}
    for config in ("adoption_forecast", "step_n", "workflow_level", "collab_rating"):
        rows = [row for name in opened.session_ids for row in session_rows(opened, name, config)]
        lines = [
            {
                "id": row["id"],
                "prediction": LABELS[i % 3] if "label" in row else 1 + i % 5,
                "modalities": setting,
            }
            for (i, row), setting in itertools.product(enumerate(rows), SETTINGS)
        ]
        answers, out = folder / f"{config}.jsonl", folder / f"{config}.json"
        answers.write_text("".join(json.dumps(line) + "\n" for line in lines))
        words = ["--config", config, "--data-dir", str(release), "--rounds", "20"]
        assert main(["score", str(answers), *words, "--format", "json", "--output", str(out)]) == 0
        found[config] = out
    return found


def load(path):
    return json.loads(path.read_text(encoding="utf-8"))


def ticks(axis):
    return [text.get_text() for text in axis.get_ticklabels()]


def axes_of(figure):
    return figure.axes[0]


# -- without matplotlib ----------------------------------------------------------------------------


def luminance(color):
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue


@pytest.mark.parametrize("colors", [LABEL_COLORS, RATING_COLORS], ids=["labels", "ratings"])
def test_colors_stay_apart_in_grey(colors):
    greys = sorted(luminance(color) for color in colors.values())
    assert min(np.diff(greys)) > 25


def test_lines_are_told_apart_by_more_than_colour():
    looks = {(line.marker, line.style) for line in LINES}
    assert len(looks) == len(LINES)


def test_text_of_a_release_is_one_line_without_formulas():
    assert plain_text("a\n  $b$", most=10) == r"a \$b\$"
    assert plain_text("x" * 50, most=10) == "x" * 9 + "…"


def test_text_can_be_read_on_every_colour():
    assert text_color("#FFFFFF") == "black"
    assert text_color("#004488") == "white"


@pytest.mark.skipif(HAS_MATPLOTLIB, reason="matplotlib is installed")
def test_figures_without_matplotlib_name_the_extra(release, tmp_path, capsys):
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'kolab\[plot\]'"):
        need_matplotlib()
    assert main(["figures", str(release), "--out", str(tmp_path / "figs")]) == 2
    assert "kolab[plot]" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


# -- of a release ----------------------------------------------------------------------------------


@drawn
def test_labels_are_stacked_to_a_hundred_with_their_sizes():
    counts = {"adopt": 3, "modify": 1, "reject": 0}
    shares = {"adopt": 0.75, "modify": 0.25, "reject": 0.0}
    empty = dict.fromkeys(LABELS, math.nan)
    groups = [
        LabelCounts("sector", "Legal", counts, shares),
        LabelCounts("sector", "Arts", dict.fromkeys(LABELS, 0), empty),
    ]
    ax = axes_of(figures.plot_labels(groups))
    assert [bar.get_width() for bar in ax.patches] == [75, 25]
    assert ticks(ax.yaxis) == ["Legal (n = 4)", "Arts (n = 0)"]
    assert ax.get_xlabel() == "share of responses (%)"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == list(LABELS)


@drawn
def test_figure_is_drawn_on_the_callers_axes():
    from matplotlib.figure import Figure

    own = Figure()
    left, right = own.subplots(1, 2)
    joint = JointRatings(((0,) * 5,) * 4 + ((0, 0, 0, 2, 7),), 9, 0.5, 0.2)
    assert figures.plot_joint_ratings(joint, left) is own
    assert "n = 9 steps, Spearman's ρ = 0.50" in left.get_title()
    assert {text.get_text() for text in left.texts} == {"0", "2", "7"}
    assert not right.has_data()


@drawn
def test_ratings_name_kind_session_and_size(release):
    found = stats.summarise_tally(stats.count_release(open_release(release)))
    ax = axes_of(figures.plot_ratings(found.ratings))
    assert ticks(ax.yaxis)[:2] == [
        "collaboration, all (n = 16)",
        "collaboration, session 1 (n = 8)",
    ]
    assert sum(bar.get_width() for bar in ax.patches) == pytest.approx(600)


@drawn
def test_clip_lengths_leave_out_what_has_none():
    ax = axes_of(figures.plot_clip_lengths({"a": [1.0, 2.0, 4.0], "b": [], "c": [0.0, 3.0]}))
    assert ticks(ax.yaxis) == ["a (n = 3)", "c (n = 1)"]
    assert ax.get_xscale() == "log"
    assert "minutes" in ax.get_xlabel()


@drawn
def test_time_spent_rises_to_a_hundred():
    times = [StepTime(1, 60_000, None), StepTime(1, 180_000, None), StepTime(2, 60_000, None)]
    ax = axes_of(figures.plot_time_spent(times))
    first, second = ax.lines
    assert first.get_xdata().tolist() == [1, 1, 3]
    assert first.get_ydata().tolist() == [0, 50, 100]
    assert first.get_label() == "session 1 (n = 2, mean 2.0 min)"
    assert second.get_ydata().tolist() == [0, 100]


@drawn
def test_time_estimates_are_minutes_against_minutes():
    times = [StepTime(1, 60_000, 120_000), StepTime(1, 60_000, None), StepTime(2, 60_000, 0)]
    ax = axes_of(figures.plot_time_estimates(times))
    assert ax.collections[0].get_offsets().tolist() == [[2, 1]]
    assert ax.collections[0].get_label() == "session 1 (n = 1)"


@drawn
def test_tools_say_how_many_there_are():
    tools = [ToolCount("Claude", True, 9, 4), ToolCount("Revit", False, 3, 1)]
    ax = axes_of(figures.plot_tools(tools, num_steps=9, most=1))
    assert ax.get_title() == "1 programs, 1 AI tools; the 1 most named"
    assert [(bar.get_width(), bar.get_hatch()) for bar in ax.patches] == [(9, "////")]
    assert ax.get_xlabel() == "steps whose plan names it (of 9)"


@drawn
def test_answers_are_means_with_their_spread():
    items = [ItemAnswers("reduced_effort", describe([4, 2])), ItemAnswers("none", describe([]))]
    ax = axes_of(figures.plot_answers(items, highest=5, unit="steps"))
    assert ticks(ax.yaxis) == ["reduced effort (n = 2)"]
    assert ax.lines[0].get_xdata().tolist() == [3]


@drawn
def test_relation_states_pairs_people_and_rho(release):
    opened = open_release(release)
    rows = [row for name in opened.session_ids for row in session_rows(opened, name, "sessions")]
    relations = dynamics.relation_pairs(rows)
    figure = figures.plot_relation(relations[1])
    assert "n = 8 pairs of 4 people, Spearman's ρ = nan (paper 0.35)" in axes_of(figure).get_title()
    assert axes_of(figure).get_ylabel().startswith("solo lead-in")


def test_relation_pairs_are_those_of_relate(release):
    opened = open_release(release)
    rows = [row for name in opened.session_ids for row in session_rows(opened, name, "sessions")]
    pairs, found = dynamics.relation_pairs(rows), dynamics.relate(rows, rounds=10)
    assert [(p.name, len(p.x), p.published_rho) for p in pairs] == [
        (r.name, r.num_pairs, r.published_rho) for r in found
    ]
    for pair, relation in zip(pairs, found, strict=True):
        assert pair.rho == pytest.approx(relation.rho, nan_ok=True)
    assert pairs[2].num_missing == 4  # no survey was given


# -- of scores -------------------------------------------------------------------------------------


@drawn
def test_context_curve_joins_steps_and_workflow(cards):
    both = [load(cards["step_n"]), load(cards["workflow_level"])]
    ax = axes_of(figures.plot_context_curve(both))
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == [f"{setting} (n = 12)" for setting in SETTINGS]
    assert ticks(ax.xaxis) == ["1", "2", "3", "all, from\nthe start"]
    scores = [
        column["scores"]["step_n"]["macro_f1"]
        for column in both[0]["columns"]
        if column["modalities"] == "graph-only"
    ]
    line = ax.containers[0].lines[0]
    assert line.get_ydata().tolist()[:3] == pytest.approx(scores)
    assert "95 % interval" in ax.get_ylabel()


@drawn
def test_modalities_show_each_score(cards):
    card = load(cards["collab_rating"])
    ax = axes_of(figures.plot_modalities(card))
    assert ticks(ax.xaxis)[0] == "MAE ↓"
    found = {c["modalities"]: c["scores"]["collab_rating"] for c in card["columns"]}
    assert ticks(ax.yaxis) == [f"{setting} (n = {s['n']})" for setting, s in found.items()]
    scores = found["graph-only"]
    assert ax.texts[0].get_text() == f"{scores['mae']:.2f}"


@drawn
def test_class_changes_are_differences_from_the_base(cards):
    card = load(cards["adoption_forecast"])
    scores = {c["modalities"]: c["scores"]["adoption_forecast"] for c in card["columns"]}
    ax = axes_of(figures.plot_class_changes(card, base="graph-chat"))
    expected = [
        scores[setting][f"f1_{label}"] - scores["graph-chat"][f"f1_{label}"]
        for label in LABELS
        for setting in scores
        if setting != "graph-chat"
    ]
    assert [bar.get_height() for bar in ax.patches] == pytest.approx(expected)
    with pytest.raises(ValueError, match="base: found 'video-only'"):
        figures.plot_class_changes(card, base="video-only")


@drawn
def test_predicted_labels_of_true_modify_and_reject(cards):
    card = load(cards["adoption_forecast"])
    ax = axes_of(figures.plot_predicted_labels(card))
    assert ticks(ax.yaxis)[0].startswith("modify: graph-only (n = 2")
    assert len(ticks(ax.yaxis)) == 2 * len(SETTINGS)
    assert sum(bar.get_width() for bar in ax.patches) == pytest.approx(600)


@drawn
def test_mean_predictions_by_true_rating(cards):
    card = load(cards["collab_rating"])
    ax = axes_of(figures.plot_mean_predictions(card))
    scores = card["columns"][0]["scores"]["collab_rating"]
    means = ax.containers[0].lines[0].get_ydata()
    assert means[3] == pytest.approx(scores["mean_prediction_4"])
    assert math.isnan(means[0])


@drawn
@pytest.mark.parametrize(
    ("draw", "config", "message"),
    [
        (figures.plot_predicted_labels, "collab_rating", "found no predicted labels"),
        (figures.plot_class_changes, "collab_rating", "found no scores to draw"),
        (figures.plot_mean_predictions, "step_n", "found no mean predictions"),
        (lambda card: figures.plot_context_curve([card]), "collab_rating", "found one of collab"),
        (lambda _: figures.plot_modalities({"columns": []}), "step_n", "found no `options`"),
    ],
)
def test_card_of_another_kind_is_refused(cards, draw, config, message):
    with pytest.raises(ValueError, match=message):
        draw(load(cards[config]))


# -- files and the command -------------------------------------------------------------------------


@drawn
def test_saved_figure_is_the_same_each_time(tmp_path):
    starts = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}
    tools = [ToolCount("Ω 🙂 أداة <b>&", False, 3, 1)]
    contents = []
    for name in ("one", "two"):
        paths = figures.save_figure(figures.plot_tools(tools, num_steps=3), tmp_path, name)
        assert [path.name for path in paths] == [
            f"{name}.{kind}" for kind in figures.FIGURE_FORMATS
        ]
        contents.append([path.read_bytes() for path in paths])
    assert contents[0] == contents[1]
    for kind, content in zip(figures.FIGURE_FORMATS, contents[0], strict=True):
        assert content.startswith(starts[kind])
    with pytest.raises(ValueError, match="found 'bmp'; expected pdf, svg, png"):
        figures.save_figure(SimpleNamespace(), tmp_path, "x", formats=["bmp"])


def run(capsys, *words):
    code = main(["figures", *map(str, words)])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


@drawn
def test_command_draws_a_release_and_scores(capsys, release, cards, tmp_path):
    words = ["--scores", *cards.values(), "--formats", "svg"]
    code, out, err = run(capsys, release, "--out", tmp_path / "figs", *words)
    assert (code, err) == (0, "")
    names = {path.name for path in (tmp_path / "figs").iterdir()}
    assert len(names) == len(out.splitlines())
    assert {
        "labels_by_sector.svg",
        "time_estimates.svg",
        "tools.svg",
        "questionnaire.svg",
        "topology_rating.svg",
        "context_curve.svg",
        "adoption_forecast_predicted_labels.svg",
        "collab_rating_mean_predictions.svg",
    } <= names


@drawn
def test_command_draws_what_there_is(capsys, tmp_path):
    segments = [make_segment("a", "Custom-1", 0, 60)]
    root = write_files(tmp_path / "release", make_files(segments, num_steps=1))
    code, _, err = run(capsys, root, "--out", tmp_path / "figs", "--formats", "png")
    assert (code, err) == (0, "")
    names = {path.name for path in (tmp_path / "figs").iterdir()}
    assert names == {"ratings.png", "joint_ratings.png", "clip_lengths.png"}


@drawn
@pytest.mark.parametrize("text", ["[1]", "{}", "no json", None], ids=str)
def test_command_refuses_what_is_no_card(capsys, release, tmp_path, text):
    path = tmp_path / "card.json"
    if text is not None:
        path.write_text(text)
    code, _, err = run(capsys, release, "--out", tmp_path / "figs", "--scores", path)
    assert code == 2
    assert f"--scores {path}: found" in err
    assert not (tmp_path / "figs").exists()
