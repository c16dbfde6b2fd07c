import csv
import io
import json

import numpy as np
import pytest
import yaml
from answer_files import make_lines, rows_of, write_lines, write_scored_release
from huggingface_hub import ModelCardData

from kolab_core.commands.cli import main
from kolab_core.scorecard import (
    PredictionsError,
    leaderboard_section,
    make_leaderboard,
    read_published,
)

MODELS = {"weak": 1, "fair": 2, "strong": 3}


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    return write_scored_release(tmp_path_factory.mktemp("release"))


@pytest.fixture(scope="module")
def files(release, tmp_path_factory):
    """Answers of three models: half right, three quarters, all."""
    folder = tmp_path_factory.mktemp("answers")
    rows = rows_of(release, "adoption_forecast")
    truth = ("ADOPT", "MODIFY", "REJECT/BYPASS")
    paths = {}
    for name, skill in MODELS.items():
        lines = make_lines(rows, seed=skill, modalities=["graph-only", "graph-chat"])
        for index, line in enumerate(lines):
            row = rows[index % len(rows)]
            if skill == 3 or (skill == 2 and index % 2):
                line["prediction"] = truth[row["label"]]
        paths[name] = write_lines(folder / f"{name}.jsonl", lines)
    return paths


@pytest.fixture(scope="module")
def results(release, files, tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    return [score(release, path, folder / f"{name}.json") for name, path in files.items()]


def score(release, answers, output, *words):
    call = ["score", str(answers), "--config", "adoption_forecast", "--data-dir", str(release)]
    call += ["--format", "json", "--output", str(output), "--rounds", "50"]
    assert main([*call, *words]) == 0
    return output


def edit(source, target, change):
    card = json.loads(source.read_text())
    change(card)
    target.write_text(json.dumps(card))
    return target


def test_result_holds_what_makes_its_scores(results):
    card = json.loads(results[0].read_text())
    assert card["about"]["config"] == "adoption_forecast"
    assert len(card["about"]["release"]) > 10
    column = card["columns"][0]
    counts = column["counts"]["weak"]
    table = np.array(counts["table"])
    assert table.shape[1:] == (1, 3, 4)
    assert table.sum(axis=(0, 1)).tolist() == column["scores"]["weak"]["confusion_matrix"]
    assert len(counts["participants"]) == column["scores"]["weak"]["n_groups"]


def test_leaderboard_is_sorted_and_the_best_of_all_draws_is_first_alone(results):
    board = make_leaderboard(results, rounds=400)
    assert board.score == "macro_f1"
    graph = [entry for entry in board.entries if entry.setting == "graph-only"]
    assert graph[0].model == "strong"
    values = [entry.result["macro_f1"] for entry in graph]
    assert values == sorted(values, reverse=True)
    # The strong model is right everywhere, the others are not in any draw of all people.
    assert graph[0].ranks[0] == 1
    assert all(1 <= entry.ranks[0] <= entry.ranks[1] <= 3 for entry in graph)


def test_leaderboard_ranks_are_those_of_a_loop_over_draws(results):
    board = make_leaderboard(results, rounds=300, seed=5)
    entries = [entry for entry in board.entries if entry.setting == "graph-only"]
    people = sorted({person for entry in entries for person in entry.participants})
    draws = np.random.default_rng(5).multinomial(
        len(people), np.full(len(people), 1 / len(people)), size=300
    )
    ranks = {entry.model: [] for entry in entries}
    for draw in draws:
        f1 = {}
        for entry in entries:
            table = sum(
                times * entry.counts[entry.participants.index(person), 0]
                for person, times in zip(people, draw, strict=True)
            )
            found = []
            for c in range(3):
                hits, wrong = table[c, c], table[c].sum() + table[:, c].sum()
                found.append(2 * hits / wrong if wrong else 0.0)
            f1[entry.model] = np.mean(found)
        for name, value in f1.items():
            ranks[name].append(1 + sum(other > value + 1e-12 for other in f1.values()))
    for entry in entries:
        low, high = np.quantile(ranks[entry.model], [0.025, 0.975], method="inverted_cdf")
        assert entry.ranks == (low, high)


def test_command_leaderboard_prints_settings_ranks_and_published_rows(results, capsys):
    call = ["leaderboard", *map(str, results), "--rounds", "100"]
    assert main([*call, "--published"]) == 0
    out = capsys.readouterr().out
    assert "adoption_forecast, by macro_f1" in out
    assert out.count("strong") == 2
    cells = [
        cell
        for cell in read_published("adoption_forecast")
        if cell.score == "macro_f1" and cell.modalities in ("graph-only", "graph-chat")
    ]
    assert out.count("paper: ") == len(cells) + 1
    assert main([*call, "--format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["rank"] for row in rows if row["model"] == "strong"] == ["1", "1"]
    assert main([*call, "--format", "latex"]) == 0
    assert r"\toprule" in capsys.readouterr().out


def test_leaderboard_refuses_what_cannot_stand_side_by_side(results, tmp_path):
    first = results[0]
    others = [
        edit(first, tmp_path / "a.json", lambda card: card["about"].update(config="step_n")),
        edit(first, tmp_path / "b.json", lambda card: card["about"].update(release="other")),
        edit(first, tmp_path / "c.json", lambda card: card["about"].update(prompt_version="0")),
    ]
    with pytest.raises(PredictionsError) as caught:
        make_leaderboard([first, *others])
    message = str(caught.value)
    assert "a.json: found config step_n; expected config adoption_forecast" in message
    assert "b.json: found release other; expected release" in message
    assert "c.json: found prompt version 0; expected prompt version None" in message


def test_leaderboard_names_what_is_no_result(results, tmp_path):
    (tmp_path / "text.json").write_text("{")
    (tmp_path / "other.json").write_text("{}")
    damaged = edit(results[0], tmp_path / "x.json", lambda card: card["columns"][0].pop("counts"))
    paths = [tmp_path / "text.json", tmp_path / "other.json", tmp_path / "none.json"]
    with pytest.raises(PredictionsError) as caught:
        make_leaderboard(paths)
    message = str(caught.value)
    assert "text.json: found no JSON; expected a result that `kolab score" in message
    assert "other.json: found no result, or one of an older Kolab" in message
    assert "none.json: found No such file" in message
    with pytest.raises(PredictionsError, match=r"x.json: found a damaged result"):
        make_leaderboard([damaged])
    with pytest.raises(PredictionsError, match="found weak in graph-only twice; expected one"):
        make_leaderboard([results[0], results[0]])
    with pytest.raises(PredictionsError, match="--score: found bleu; expected one of macro_prec"):
        make_leaderboard(results, score="bleu")


def test_leaderboard_notes_models_that_answered_fewer_rows(release, files, results, tmp_path):
    lines = files["fair"].read_text().splitlines()[:-3]
    (tmp_path / "short.jsonl").write_text("\n".join(lines))
    short = score(release, tmp_path / "short.jsonl", tmp_path / "short.json")
    section = leaderboard_section(make_leaderboard([results[0], short], rounds=20))
    assert any("models answered" in note and "kolab compare" in note for note in section.notes)


def test_command_compare_adjusts_p_over_all_pairs(release, files, capsys):
    call = ["compare", *map(str, files.values()), "--config", "adoption_forecast"]
    call += ["--data-dir", str(release), "--rounds", "99"]
    assert main(call) == 0
    out = capsys.readouterr().out
    assert out.count("weak to strong") == 2
    assert "macro_precision" not in out
    assert main([*call, "--format", "json"]) == 0
    card = json.loads(capsys.readouterr().out)
    found = [c["result"] for c in card["comparisons"] if c["first"] == "graph-only"]
    assert len(found) == 3
    least = min(result["macro_f1_permutation_p"] for result in found)
    assert min(r["macro_f1_holm_p"] for r in found) == pytest.approx(min(1, 3 * least))
    assert main([*call, "--all-scores"]) == 0
    assert "macro_precision" in capsys.readouterr().out


def test_command_compare_one_file_is_a_bad_call(files, capsys):
    assert main(["compare", str(files["weak"]), "--config", "adoption_forecast"]) == 2
    assert capsys.readouterr().err == "FILE: found 1; expected at least 2 to compare.\n"


def test_score_refuses_answers_to_two_versions_of_the_prompts(release, files, tmp_path, capsys):
    lines = [json.loads(line) for line in files["weak"].read_text().splitlines()]
    for line, version in zip(lines, "12" * len(lines), strict=False):
        line["prompt_version"] = version
    path = write_lines(tmp_path / "mixed.jsonl", lines)
    call = ["score", str(path), "--config", "adoption_forecast", "--data-dir", str(release)]
    assert main([*call, "--format", "json"]) == 1
    assert "found answers to prompts of versions 1, 2; expected one version" in (
        capsys.readouterr().err
    )


def test_eval_results_parse_back(release, files, tmp_path):
    block = tmp_path / "block.yaml"
    output = score(release, files["fair"], tmp_path / "s.json", "--eval-results", str(block))
    card = ModelCardData(**yaml.safe_load(block.read_text()))
    assert card.model_name == "fair"
    scored = json.loads(output.read_text())["columns"][0]["scores"]["fair"]
    found = [r for r in card.eval_results if r.metric_args["setting"] == "graph-only"]
    assert {r.metric_type for r in found} == {
        *("macro_precision", "macro_recall", "macro_f1", "f1_adopt", "f1_modify", "f1_reject")
    }
    f1 = next(r for r in found if r.metric_type == "macro_f1")
    assert f1.metric_value == pytest.approx(scored["macro_f1"])
    assert f1.metric_args["low"] == pytest.approx(scored["macro_f1_low"])
    assert (f1.dataset_type, f1.dataset_config) == ("kolab", "adoption_forecast")
