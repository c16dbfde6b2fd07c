import csv
import json
import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from answer_files import ANSWERS, LABELS, make_lines, rows_of, write_lines, write_scored_release
from sklearn.metrics import f1_score, precision_score
from tiny_release import edit_json, write_release

from kolab_core.commands.cli import main
from kolab_core.release import open_release
from kolab_core.scorecard import (
    MODALITY_SETTINGS,
    PredictionsError,
    join_predictions,
    read_predictions,
    read_published,
    read_targets,
)


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    return write_scored_release(tmp_path_factory.mktemp("release"))


def score(capsys, release, *words, config="adoption_forecast"):
    """The exit code, what was printed, and what was complained of."""
    call = ["score", *map(str, words), "--config", config, "--data-dir", str(release)]
    code = main([*call, "--rounds", "50"])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def score_json(capsys, release, *words, config="adoption_forecast"):
    code, out, err = score(capsys, release, *words, "--format", "json", config=config)
    assert (code, err) == (0, "")
    return json.loads(out)


# --- reading --------------------------------------------------------------------------------


def test_read_predictions_fills_in_what_a_line_leaves_out(tmp_path):
    path = tmp_path / "p.jsonl"
    lines = [
        '\ufeff{"id": "a", "prediction": "ADOPT"}',
        "",
        '{"id": "b", "prediction": 4, "run": 2, "modalities": "graph-video", "note": "x"}',
        '{"id": "c", "prediction": null, "run": null, "modalities": ["chat"]}',
        '{"id": "d", "prediction": {"label": "reject"}, "modalities": "video"}',
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    found = read_predictions(path)
    assert [(p.id, p.answer, p.run, p.modalities) for p in found] == [
        ("a", "ADOPT", 0, None),
        ("b", 4, 2, "video-graph"),
        ("c", None, 0, "chat-only"),
        ("d", {"label": "reject"}, 0, "video-only"),
    ]
    assert found[1].place == f"{path}:3"


@pytest.mark.parametrize("name", MODALITY_SETTINGS)
def test_read_predictions_knows_every_setting_by_name_and_in_any_order(tmp_path, name):
    parts = name.removesuffix("-only").split("-")
    lines = [
        {"id": "a", "prediction": 1, "modalities": name},
        {"id": "a", "prediction": 1, "modalities": "-".join(reversed(parts))},
        {"id": "a", "prediction": 1, "modalities": "+".join(parts).upper()},
    ]
    found = read_predictions(write_lines(tmp_path / "p.jsonl", lines))
    assert [p.modalities for p in found] == [name] * 3


def test_read_predictions_csv_and_parquet_say_the_same_as_json_lines(tmp_path):
    lines = [
        {"id": "a", "prediction": "ADOPT", "run": 0, "modalities": "video-graph"},
        {"id": "b", "prediction": 'He said "modify",\nthen left', "run": 1, "modalities": None},
        {"id": "c", "prediction": "5", "run": 12, "modalities": "chat-only"},
    ]
    expected = read_predictions(write_lines(tmp_path / "p.jsonl", lines))
    with (tmp_path / "p.csv").open("w", newline="") as stream:
        writer = csv.DictWriter(stream, ["run", "prediction", "id", "modalities"])
        writer.writeheader()
        writer.writerows(lines)
    pq.write_table(pa.Table.from_pylist(lines), tmp_path / "p.parquet")
    for suffix in ("csv", "parquet"):
        found = read_predictions(tmp_path / f"p.{suffix}")
        assert [(p.id, p.answer, p.run, p.modalities) for p in found] == [
            (p.id, p.answer, p.run, p.modalities) for p in expected
        ]
    assert read_predictions(tmp_path / "p.csv")[2].place == f"{tmp_path / 'p.csv'}:5"
    assert read_predictions(tmp_path / "p.parquet")[2].place == f"{tmp_path / 'p.parquet'}:row 3"


def test_read_predictions_runs_of_a_float_column_are_whole_numbers(tmp_path):
    (tmp_path / "p.csv").write_text("id,prediction,run\na,ADOPT,1.0\nb,ADOPT,\n")
    assert [p.run for p in read_predictions(tmp_path / "p.csv")] == [1, 0]


def test_read_predictions_names_every_bad_line(tmp_path):
    path = tmp_path / "p.jsonl"
    path.write_bytes(
        b'{"id": "a", "prediction": "ADOPT"}\n'
        b"not json\n"
        b'["a", "ADOPT"]\n'
        b'{"id": 7, "prediction": "ADOPT"}\n'
        b'{"prediction": "ADOPT"}\n'
        b'{"id": "a"}\n'
        b'{"id": "a", "prediction": 1, "run": -1, "modalities": "audio"}\n'
        b"\xff\xfe\n"
    )
    with pytest.raises(PredictionsError) as caught:
        read_predictions(path)
    settings = ", ".join(MODALITY_SETTINGS)
    assert str(caught.value).splitlines() == [
        "8 bad lines:",
        f"{path}:2: found 'not json'; expected a JSON object.",
        f'{path}:3: found \'["a", "ADOPT"]\'; expected a JSON object.',
        f"{path}:4: found id 7; expected an id of the config's rows, as text.",
        f"{path}:5: found no id; expected an id and a prediction.",
        f"{path}:6: found no prediction; expected an id and a prediction.",
        f"{path}:7: found run -1; expected a whole number from 0.",
        f"{path}:7: found modalities 'audio'; expected one of {settings}.",
        f"{path}:8: found bytes that are not UTF-8; expected UTF-8 text.",
    ]


def test_read_predictions_message_stops_at_twenty_and_counts_the_rest(tmp_path):
    path = write_lines(tmp_path / "p.jsonl", [{"id": "a"}] * 23)
    with pytest.raises(PredictionsError) as caught:
        read_predictions(path)
    assert len(caught.value.lines) == 23
    assert str(caught.value).splitlines()[-1] == "… and 3 more."


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("p.txt", b"", "found 'p.txt'; expected one of the suffixes .jsonl, .csv, .parquet"),
        ("gone.jsonl", None, "found no such file; expected a file of predictions"),
        ("gone.parquet", None, "found no such file; expected a file of predictions"),
        ("p.jsonl", b"\n\n", "found no predictions; expected at least 1"),
        ("p.csv", b"", "p.csv:1: found ''; expected a first line with the columns id and pred"),
        ("p.csv", b"id,answer\na,b\n", "found 'id,answer'; expected a first line with the colu"),
        ("p.csv", b"id,prediction\na\n", "p.csv:2: found 1 cells; expected 2, as the first line"),
        ("p.csv", b'id,prediction\na,"b\n', "p.csv:2: found unexpected end of data; expected a"),
        ("p.csv", b"id,prediction\na,\xff\n", "found bytes that are not UTF-8; expected UTF-8"),
        ("p.parquet", b"PAR1", "expected a Parquet file"),
    ],
)
def test_read_predictions_unusable_file_is_named(tmp_path, name, content, message):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(PredictionsError) as caught:
        read_predictions(tmp_path / name)
    assert message in str(caught.value)
    assert str(tmp_path / name) in str(caught.value)


def test_read_predictions_parquet_without_the_columns_is_refused(tmp_path):
    pq.write_table(pa.table({"id": ["a"], "answer": ["b"]}), tmp_path / "p.parquet")
    with pytest.raises(PredictionsError, match="found the columns id, answer; expected id and"):
        read_predictions(tmp_path / "p.parquet")


# --- joining --------------------------------------------------------------------------------


def test_join_names_missing_unknown_duplicate_and_unavailable(release, tmp_path):
    rows = rows_of(release, "adoption_forecast")
    ids = [row["id"] for row in rows]
    mute = next(row["id"] for row in rows if not row["has_chat"])
    lines = [{"id": i, "prediction": "ADOPT", "modalities": "chat-only"} for i in ids[1:]]
    lines += [{"id": ids[1], "prediction": "MODIFY", "modalities": "chat-only"}] * 2
    lines += [{"id": "nobody", "prediction": "ADOPT"}] * 3
    targets = read_targets(open_release(release), "adoption_forecast")
    joined = join_predictions(read_predictions(write_lines(tmp_path / "p.jsonl", lines)), targets)
    ((column, runs),) = joined.answers.items()
    assert column.label == "chat-only"
    assert joined.missing[column] == {0: (ids[0],)}
    assert joined.unknown == {"nobody": 3}
    assert joined.duplicates == {ids[1]: 2}
    assert joined.unavailable == {column: (mute,)}
    assert runs[0][ids[1]] == "ADOPT"
    assert set(runs[0]) == set(ids[1:]) - {mute}


def test_command_prints_what_does_not_fit_with_counts(release, tmp_path, capsys):
    rows = rows_of(release, "adoption_forecast")
    lines = make_lines(rows[2:], modalities=["graph-only"])
    lines += [lines[0], {"id": "nobody", "prediction": "ADOPT"}]
    code, out, _ = score(capsys, release, write_lines(tmp_path / "mine.jsonl", lines))
    assert code == 0
    assert "mine: 1 unknown id: nobody (not in the config): left out." in out
    assert f"mine: 1 duplicate id: {lines[0]['id']} (again in the same run and setting)" in out
    expected = f"mine, graph-only, run 0: 2 missing ids: {rows[0]['id']}, {rows[1]['id']}."
    assert expected in out


# --- scores ---------------------------------------------------------------------------------


def test_command_scores_equal_sklearn_in_each_column(release, tmp_path, capsys):
    rows = rows_of(release, "adoption_forecast")
    settings = ["chat-only", "graph-only"]
    lines = make_lines(rows, modalities=settings)
    path = write_lines(tmp_path / "mine.jsonl", lines)
    result = score_json(capsys, release, path)
    columns = {column["modalities"]: column for column in result["columns"]}
    assert list(columns) == ["graph-only", "chat-only"]
    for setting, column in columns.items():
        usable = {r["id"]: r["label"] for r in rows if r["has_chat"] or setting == "graph-only"}
        given = [x for x in lines if x["modalities"] == setting and x["id"] in usable]
        truth = [usable[x["id"]] for x in given]
        answers = [ANSWERS.index(x["prediction"]) for x in given]
        found = column["scores"]["mine"]
        options = {"labels": [0, 1, 2], "average": "macro", "zero_division": 0}
        assert found["macro_f1"] == pytest.approx(f1_score(truth, answers, **options))
        assert found["macro_precision"] == pytest.approx(precision_score(truth, answers, **options))
        assert found["n"] == column["num_rows"] == len(usable)
        # Most labels are adopt.
        assert column["baseline"]["majority_class"] == "adopt"
        assert column["baseline"]["n"] == len(usable)
        assert column["baseline"]["macro_f1"] == pytest.approx(
            f1_score(truth, [0] * len(truth), **options)
        )
    assert columns["graph-only"]["num_rows"] == 12
    assert columns["chat-only"]["num_rows"] == 11


def test_command_table_has_baseline_above_and_n_a_column(release, tmp_path, capsys):
    lines = make_lines(
        rows_of(release, "adoption_forecast"), modalities=["chat-only", "graph-only"]
    )
    path = write_lines(tmp_path / "mine.jsonl", lines)
    result = score_json(capsys, release, path)
    code, out, _ = score(capsys, release, path)
    assert code == 0
    table = out[out.index("score  ") :].splitlines()
    assert re.split(r"\s{2,}", table[0]) == ["score", "model", "graph-only", "chat-only"]
    assert re.split(r"\s{2,}", table[2].strip()) == ["n", "majority class (adopt)", "12", "11"]
    assert re.split(r"\s{2,}", table[3].strip()) == ["mine", "12", "11"]
    at = next(i for i, line in enumerate(table) if line.startswith("macro_f1"))
    assert "majority class (adopt)" in table[at]
    mine = result["columns"][0]["scores"]["mine"]
    cell = "{macro_f1:.3f} [{macro_f1_low:.3f}, {macro_f1_high:.3f}]".format(**mine)
    assert re.split(r"\s{2,}", table[at + 1].strip())[:2] == ["mine", cell]


def test_command_runs_are_mean_and_standard_deviation(release, tmp_path, capsys):
    rows = rows_of(release, "collab_rating")
    lines = make_lines(rows, runs=(0, 1, 2))
    path = write_lines(tmp_path / "mine.jsonl", lines)
    (column,) = score_json(capsys, release, path, config="collab_rating")["columns"]
    truth = {row["id"]: row["rating"] for row in rows}
    maes = [
        np.mean([abs(x["prediction"] - truth[x["id"]]) for x in lines if x["run"] == run])
        for run in range(3)
    ]
    found = column["scores"]["mine"]
    assert found["mae"] == pytest.approx(np.mean(maes))
    assert found["mae_std"] == pytest.approx(np.std(maes, ddof=1))
    assert (found["n"], found["n_runs"]) == (16, 3)
    # Steps 1 are rated 5 but for one, steps 2 are rated 4: 5 in 7 of 16, 4 in 8 of 16.
    assert column["baseline"]["mode_rating"] == 4
    code, out, _ = score(capsys, release, path, config="collab_rating")
    assert code == 0
    assert f"{np.mean(maes):.3f} ± {np.std(maes, ddof=1):.3f} [" in out
    assert "16 × 3 runs" in out


def test_command_runs_may_be_chosen_or_lie_in_further_files(release, tmp_path, capsys):
    rows = rows_of(release, "adoption_forecast")
    first, second = make_lines(rows, seed=1), make_lines(rows, seed=2)
    both = [*first, *({**line, "run": 1} for line in second)]
    paths = [
        write_lines(tmp_path / f"{name}.jsonl", lines)
        for name, lines in (("a", first), ("b", second), ("both", both))
    ]
    together = score_json(capsys, release, paths[2])["columns"][0]["scores"]["both"]
    apart = score_json(capsys, release, paths[0], "--runs", paths[1])["columns"][0]["scores"]["a"]
    assert apart == together
    assert apart["n_runs"] == 2
    alone = score_json(capsys, release, paths[1])["columns"][0]["scores"]["b"]
    chosen = score_json(capsys, release, paths[2], "--runs", 1)["columns"][0]["scores"]["both"]
    assert chosen == alone
    code, _, err = score(capsys, release, paths[2], "--runs", 5)
    assert code == 2
    assert f"--runs: found 5; expected runs of {paths[2]}: 0, 1." in err


def test_command_step_n_keeps_contexts_apart(release, tmp_path, capsys):
    rows = rows_of(release, "step_n")
    path = write_lines(tmp_path / "mine.jsonl", make_lines(rows, modalities=["graph-only"]))
    columns = score_json(capsys, release, path, config="step_n")["columns"]
    assert [column["context_steps"] for column in columns] == [1, 2, 3]
    assert [column["scores"]["mine"]["n"] for column in columns] == [len(rows) // 3] * 3
    assert "graph-only, 2 steps" in score(capsys, release, path, config="step_n")[1]


def test_command_setting_without_rows_is_said(release, tmp_path, capsys):
    lines = make_lines(rows_of(release, "adoption_forecast"), modalities=["video-only"])
    code, out, _ = score(capsys, release, write_lines(tmp_path / "mine.jsonl", lines))
    assert code == 0
    assert "video-only: no row has these inputs." in out
    table = out[out.index("score  ") :].splitlines()
    assert re.split(r"\s{2,}", table[3].strip()) == ["mine", "0"]
    assert "mine, video-only: 12 unavailable ids" in out


def test_command_invalid_answers_are_counted(release, tmp_path, capsys):
    lines = make_lines(rows_of(release, "adoption_forecast"))
    lines[0]["prediction"], lines[1]["prediction"] = None, "adopt or modify"
    path = write_lines(tmp_path / "mine.jsonl", lines)
    code, out, _ = score(capsys, release, path)
    assert code == 0
    assert "mine: 2 of 12 answers invalid (invalid=wrong)." in out
    assert (
        "mine: 2 of 12 answers invalid (invalid=drop)."
        in score(capsys, release, path, "--invalid", "drop")[1]
    )
    code, out, err = score(capsys, release, path, "--invalid", "error")
    assert (code, out) == (1, "")
    assert f"{path}:1: found prediction None; expected one of adopt, modify and reject." in err
    assert f"{path}:2: found prediction 'adopt or modify'; expected one of" in err


def test_command_fractional_numbers_are_bad_lines_and_in_text_invalid(release, tmp_path, capsys):
    lines = make_lines(rows_of(release, "output_quality"))
    lines[2]["prediction"], lines[4]["prediction"] = 4.7, "3.2"
    path = write_lines(tmp_path / "mine.jsonl", lines)
    code, out, err = score(capsys, release, path, config="output_quality")
    assert (code, out) == (1, "")
    assert err.splitlines() == [
        f"{path}:3: found prediction 4.7; expected a whole number from 1 to 5. --round rounds it.",
    ]
    assert score(capsys, release, path, "--round", config="output_quality")[0] == 0
    lines[2]["prediction"] = 4
    code, out, _ = score(capsys, release, write_lines(path, lines), config="output_quality")
    assert code == 0
    assert "mine: predictions: 1 invalid for a fraction; round=True rounds it." in out


# --- compare and published ------------------------------------------------------------------


def test_command_compare_scores_common_rows_and_the_change(release, tmp_path, capsys):
    rows = rows_of(release, "adoption_forecast")
    mine = make_lines(rows, modalities=["graph-only"])[1:]
    other = [
        {"id": row["id"], "prediction": LABELS[row["label"]], "modalities": "graph-only"}
        for row in rows[:-1]
    ]
    paths = [
        write_lines(tmp_path / "mine.jsonl", mine),
        "--compare",
        write_lines(tmp_path / "other.jsonl", other),
    ]
    result = score_json(capsys, release, *paths)
    assert list(result["columns"][0]["scores"]) == ["mine", "other"]
    (comparison,) = result["comparisons"]
    change = comparison["result"]
    assert change["n"] == 10
    truth = {row["id"]: row["label"] for row in rows[1:-1]}
    answers = {x["id"]: ANSWERS.index(x["prediction"]) for x in mine}
    expected = f1_score(
        list(truth.values()),
        [answers[i] for i in truth],
        labels=[0, 1, 2],
        average="macro",
        zero_division=0,
    )
    assert change["macro_f1_1"] == pytest.approx(expected)
    assert change["macro_f1_change"] == pytest.approx(change["macro_f1_2"] - expected)
    assert 0 < change["macro_f1_permutation_p"] <= 1
    code, out, _ = score(capsys, release, *paths)
    assert code == 0
    assert "Changes, on the rows that both answered" in out
    assert "mine to other" in out


def test_command_compare_of_two_settings_matches_rows_by_question(release, tmp_path, capsys):
    rows = rows_of(release, "step_n")
    files = []
    for number in (1, 3):
        chosen = [row for row in rows if row["context_steps"] == number]
        lines = make_lines(chosen, seed=number, modalities=["graph-only"])
        files.append(write_lines(tmp_path / f"context_{number}.jsonl", lines))
    result = score_json(capsys, release, files[0], "--compare", files[1], config="step_n")
    (comparison,) = result["comparisons"]
    assert (comparison["first"], comparison["second"]) == (
        "graph-only, 1 step",
        "graph-only, 3 steps",
    )
    assert comparison["result"]["n"] == len(rows) // 3


def test_command_compare_without_a_common_setting_says_so(release, tmp_path, capsys):
    rows = rows_of(release, "adoption_forecast")
    mine = write_lines(
        tmp_path / "mine.jsonl", make_lines(rows, modalities=["graph-only", "chat-only"])
    )
    other = write_lines(tmp_path / "other.jsonl", make_lines(rows, modalities=["graph-chat"]))
    code, out, _ = score(capsys, release, mine, "--compare", other)
    assert code == 0
    assert "No two files share a setting; nothing is compared." in out


def test_command_compare_names_bad_lines_of_both_files(release, tmp_path, capsys):
    paths = [write_lines(tmp_path / f"{name}.jsonl", [{"id": "a"}]) for name in "xy"]
    code, out, err = score(capsys, release, paths[0], "--compare", paths[1])
    assert (code, out) == (1, "")
    assert err.count("found no prediction") == 2


def test_command_published_rows_stand_below_in_their_columns(release, tmp_path, capsys):
    lines = make_lines(rows_of(release, "adoption_forecast"), modalities=["graph-only"])
    path = write_lines(tmp_path / "mine.jsonl", lines)
    code, out, _ = score(capsys, release, path, "--published")
    assert code == 0
    cells = {
        cell.model: cell
        for cell in read_published("adoption_forecast")
        if (cell.modalities, cell.score) == ("graph-only", "macro_f1")
    }
    assert len(cells) == 4
    table = out[out.index("score  ") :].splitlines()
    at = next(i for i, line in enumerate(table) if line.startswith("macro_f1"))
    block = [re.split(r"\s{2,}", line.strip()) for line in table[at : at + 6]]
    assert [row[0] for row in block[1:]] == ["mine", *(f"paper: {model}" for model in cells)]
    for row, cell in zip(block[2:], cells.values(), strict=True):
        assert row[1] == f"{cell.mean:.3f} ± {cell.std:.3f}"


def test_command_published_shows_all_settings_if_the_lines_name_none(release, tmp_path, capsys):
    path = write_lines(tmp_path / "mine.jsonl", make_lines(rows_of(release, "collab_rating")))
    result = score_json(capsys, release, path, "--published", config="collab_rating")
    found = [column["modalities"] for column in result["columns"]]
    assert found == [None, *MODALITY_SETTINGS]
    assert len(result["published"]) == 272


def test_command_published_says_where_the_paper_has_no_table(release, tmp_path, capsys):
    path = write_lines(tmp_path / "mine.jsonl", make_lines(rows_of(release, "workflow_level")))
    code, out, _ = score(capsys, release, path, "--published", config="workflow_level")
    assert code == 0
    assert "The paper prints no table of workflow_level." in out


# --- the call -------------------------------------------------------------------------------


def test_command_formats_hold_the_same_scores(release, tmp_path, capsys):
    path = write_lines(tmp_path / "my_model.jsonl", make_lines(rows_of(release, "output_quality")))
    result = score_json(capsys, release, path, config="output_quality")
    found = result["columns"][0]["scores"]["my_model"]
    cell = "{mae:.3f} [{mae_low:.3f}, {mae_high:.3f}]".format(**found)
    table = score(capsys, release, path, config="output_quality")[1]
    markdown = score(capsys, release, path, "--format", "md", config="output_quality")[1]
    latex = score(capsys, release, path, "--format", "latex", config="output_quality")[1]
    assert cell in table
    assert f"|  | my_model | {cell} |" in markdown
    assert rf" & my\_model & {cell} \\" in latex
    outside = re.sub(r"\\begin\{tabular\}.*?\\end\{tabular\}", "", latex, flags=re.DOTALL)
    assert all(line.startswith("%") or not line for line in outside.splitlines())


def test_command_json_has_no_nan(release, tmp_path, capsys):
    lines = [{"id": row["id"], "prediction": 4} for row in rows_of(release, "collab_rating")]
    path = write_lines(tmp_path / "mine.jsonl", lines)
    code, out, _ = score(capsys, release, path, "--format", "json", config="collab_rating")
    assert code == 0

    def refuse(name):
        raise AssertionError(name)

    result = json.loads(out, parse_constant=refuse)
    found = result["columns"][0]["scores"]["mine"]
    assert found["spearman_rho"] is None
    assert "spearman_rho is nan: every prediction is 4." in found["notes"]


def test_command_same_seed_same_table_whatever_the_order_of_lines(release, tmp_path, capsys):
    lines = make_lines(rows_of(release, "adoption_forecast"))
    (tmp_path / "turned").mkdir()
    paths = [
        write_lines(tmp_path / "mine.jsonl", lines),
        write_lines(tmp_path / "turned" / "mine.jsonl", lines[::-1]),
    ]
    outputs = [score(capsys, release, path, "--seed", 5) for path in paths]
    assert outputs[0] == outputs[1]
    assert outputs[0][0] == 0


def test_command_output_writes_the_file(release, tmp_path, capsys):
    path = write_lines(tmp_path / "mine.jsonl", make_lines(rows_of(release, "adoption_forecast")))
    expected = score(capsys, release, path, "--format", "md")[1]
    target = tmp_path / "out" / "table.md"
    code, out, err = score(capsys, release, path, "--format", "md", "--output", target)
    assert (code, out, err) == (0, "", "")
    assert target.read_text() == expected
    code, _, err = score(capsys, release, path, "--output", path / "below_a_file.md")
    assert code == 2
    assert "expected a file to write to" in err


def test_command_none_of_the_ids_known_is_an_error(release, tmp_path, capsys):
    path = write_lines(tmp_path / "mine.jsonl", make_lines(rows_of(release, "collab_rating")))
    code, out, err = score(capsys, release, path)
    assert (code, out) == (1, "")
    assert f"{path}: found 16 ids, none of them known ('P01_S1/step-1'); expected ids of" in err
    assert "adoption_forecast, such as 'P01_S1/seg1/n3/0'" in err


def test_command_data_dir_that_is_no_release_is_a_bad_call(tmp_path, capsys):
    path = write_lines(tmp_path / "mine.jsonl", [{"id": "a", "prediction": "ADOPT"}])
    code, _, err = score(capsys, tmp_path, path)
    assert code == 2
    assert "release.json" in err


def test_commands_take_the_variable_and_say_sample_for_the_sample(
    release, tmp_path, capsys, monkeypatch
):
    path = write_lines(tmp_path / "mine.jsonl", make_lines(rows_of(release, "adoption_forecast")))
    calls = (["score", str(path), "--config", "adoption_forecast", "--rounds", "10"], ["dynamics"])
    for call in calls:
        with monkeypatch.context() as patch:
            patch.setenv("KOLAB_DATA_DIR", str(release))
            assert main(call) == 0
            out = capsys.readouterr().out
            assert str(release) in out
            assert "SAMPLE" not in out
        with monkeypatch.context() as patch:
            patch.delenv("KOLAB_DATA_DIR", raising=False)
            patch.setattr("kolab_core.names.location.find_sample", lambda: release)
            assert main(call) == 0
            assert capsys.readouterr().out.startswith("SAMPLE: this is a small synthetic sample")


# --- kolab dynamics -------------------------------------------------------------------------


def test_dynamics_command_prints_measures_and_relations(release, capsys):
    assert main(["dynamics", str(release), "--rounds", "20"]) == 0
    out = capsys.readouterr().out
    # Both responses of P01_S2 are modify.
    line = next(line for line in out.splitlines() if line.startswith("P01_S2"))
    assert line.split()[3:5] == ["0.000", "1.000"]
    assert "burstiness, session 1 ~ session 2" in out
    assert "0.590" in out


@pytest.mark.parametrize(
    ("by", "units"),
    [("step", 16), ("participant", 4), ("sector", 1), ("session", 8)],
)
def test_dynamics_command_json_by_unit(release, capsys, by, units):
    words = ["--by", by, "--format", "json", "--rounds", "20"]
    assert main(["dynamics", str(release), *words]) == 0
    result = json.loads(capsys.readouterr().out)
    assert len(result[f"per_{by}"]) == units
    assert result["sample"] is False
    # Sessions have one and two responses by turns: twelve, of which 2 + 1 + 2 are no adoptions.
    assert result["all"]["retention_adopt"] == pytest.approx(7 / 12)
    assert [relation["published_rho"] for relation in result["relations"]] == [
        0.59,
        0.35,
        0.53,
        -0.24,
    ]
    # Each session has events at 20, 30 and 40 s, all in step 2, which starts at 20 s.
    assert result["all"]["num_events"] == 24
    assert result["all"]["burstiness"] == -1.0
    assert result["all"]["solo_lead_in"] == (1 + 0) / 2
    assert result["relations"][0]["rho"] is None


def test_dynamics_command_bad_release_is_a_bad_call(tmp_path, capsys):
    assert main(["dynamics", str(tmp_path)]) == 2
    assert "release.json" in capsys.readouterr().err


def test_dynamics_command_broken_session_is_named(tmp_path, capsys):
    root = write_release(tmp_path, num_sessions=1)
    edit_json(root / "sessions" / "P01_S1" / "graph.json", '"adopt"', '"kept"')
    assert main(["dynamics", str(root)]) == 1
    assert "sessions/P01_S1/graph.json" in capsys.readouterr().err
