import csv
import importlib.util
import json

import numpy as np
import pytest
from releases import load_rows
from session_rows import make_node, make_row, make_segment
from skill_studies import make_study

from kolab_core.commands.cli import main
from kolab_core.names.location import find_sample
from kolab_core.release import open_release
from kolab_core.skill import (
    bootstrap_ranks,
    collect_ratings,
    draw_skill,
    fit_skill,
    index_sessions,
    load_posterior,
    read_session_table,
)

HAS_MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None


@pytest.fixture
def study():
    return make_study(num_agents=3, num_humans=8, num_sessions=40)


@pytest.fixture
def sessions_csv(study, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "sessions.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["agent", "human", "outcome", "task"])
        writer.writerows(zip(study.agents, study.humans, study.outcomes, study.tasks, strict=True))
    return path


def read_csv(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_skill_prints_the_table_and_writes_it(study, sessions_csv, capsys):
    assert main(["skill", str(sessions_csv), "--rounds", "50"]) == 0
    printed = capsys.readouterr().out
    rows = read_csv(sessions_csv.with_name("sessions_skill.csv"))
    table = fit_skill(**study.columns()).as_dict()
    expected = [("agent", rating) for rating in table["agents"]]
    expected += [("human", rating) for rating in table["humans"]]
    assert len(rows) == len(expected) == 11
    for row, (side, rating) in zip(rows, expected, strict=True):
        assert (row["side"], row["name"], int(row["rank"])) == (
            side,
            rating["name"],
            rating["rank"],
        )
        assert float(row["mu"]) == rating["mu"]
        assert rating["name"] in printed
    stability = bootstrap_ranks(index_sessions(**study.columns()), rounds=50)
    assert float(rows[0]["share_first"]) == stability.agents[0].share_first
    assert f"{stability.mean_kendall_tau:.3f}" in printed
    assert "Wrote sessions_skill.csv" in printed
    assert "task" in printed


def test_skill_options_reach_the_model(study, sessions_csv, capsys):
    words = ["--center", "--beta", "2", "--mu0", "1", "--sigma0", "0.5", "--rounds", "0"]
    assert main(["skill", str(sessions_csv), *words, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    table = fit_skill(**study.columns(), center=True, beta=2, mu0=1, sigma0=0.5).as_dict()
    assert found["agents"] == table["agents"]
    assert found["bootstrap"] is None
    assert found["model"] == {"beta": 2.0, "mu0": 1.0, "sigma0": 0.5, "center": True}


def test_skill_output_as_json(sessions_csv, capsys):
    assert main(["skill", str(sessions_csv), "--rounds", "20", "--output", "out.json"]) == 0
    found = json.loads(sessions_csv.with_name("out.json").read_text("utf-8"))
    assert found["n"] == 40
    assert len(found["naive"]) == 3
    assert not sessions_csv.with_name("sessions_skill.csv").exists()


def test_skill_save_and_update(study, sessions_csv, capsys):
    assert main(["skill", str(sessions_csv), "--rounds", "0", "--save", "kept.npz"]) == 0
    more = sessions_csv.with_name("more.csv")
    more.write_text("y,participant_id,agent\n70,new,agent-0\n", encoding="utf-8")
    assert main(["skill", str(more), "--update", "kept.npz"]) == 0
    kept = load_posterior(sessions_csv.with_name("kept.npz"))
    together = fit_skill(
        agents=[*study.agents, "agent-0"],
        humans=[*study.humans, "new"],
        outcomes=[*study.outcomes, 70.0],
    )
    assert kept.n == 41
    assert kept.agents.names == together.agents.names
    np.testing.assert_allclose(kept.agents.mu, together.agents.mu, atol=1e-9)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("agent,human,outcome\na,x,nan\na,y,2\n", "line 2 > outcome: found 'nan'; expected a"),
        ("agent,human,y\na,x,good\na,y,2\n", "line 2 > y: found 'good'; expected a finite"),
        ("agent,human,outcome\n,x,1\na,y,2\n", "line 2 > agent: found ''; expected a name"),
        ("agent,human,outcome\na,x,1\na\n", "line 3 > human: found ''; expected a name"),
        ("agent,human\na,x\n", "line 1: found 'agent, human'; expected a column 'outcome'"),
        ("", "line 1: found 'an empty file'; expected a column 'agent', 'human', 'outcome'"),
        ("agent,human,outcome\na,x,1\n", "outcomes: found 1 session; expected at least 2"),
        ('agent,human,outcome\n"a,x,1\n', "unexpected end of data; expected CSV"),
    ],
    ids=["nan", "word", "blank", "short", "no_column", "empty", "one", "quote"],
)
def test_skill_bad_table_is_said_and_nothing_written(text, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sessions.csv").write_text(text, encoding="utf-8")
    words = ["--save", "kept.npz", "--rounds", "10"]
    assert main(["skill", "sessions.csv", *words]) == 1
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.out == ""
    assert [path.name for path in tmp_path.iterdir()] == ["sessions.csv"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--beta", "0"], "beta: found 0.0; expected a finite number > 0"),
        (["--output", "out.txt"], "found '.txt'; expected .csv or .json"),
        (["--update", "none.npz"], "none.npz"),
        (["--picture", "skill.bmp"], "found ending '.bmp'; expected .png, .svg or .pdf"),
    ],
)
def test_skill_bad_words_are_said_and_nothing_written(words, message, sessions_csv, capsys):
    assert main(["skill", str(sessions_csv), "--rounds", "5", *words]) == 1
    assert message in capsys.readouterr().err
    assert [path.name for path in sessions_csv.parent.iterdir()] == ["sessions.csv"]


def test_skill_of_many_sessions_leaves_stability_to_be_asked_for(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    lines = [f"a{i % 3},h{i % 50},{i % 17}" for i in range(20_001)]
    (tmp_path / "big.csv").write_text("agent,human,outcome\n" + "\n".join(lines) + "\n")
    assert main(["skill", "big.csv"]) == 0
    printed = capsys.readouterr().out
    assert "--rounds N computes it" in printed
    assert "mean rank" not in printed


def test_skill_missing_file(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["skill", "none.csv"]) == 1
    assert "none.csv: found no such file; expected a CSV file" in capsys.readouterr().err


def test_skill_of_the_team_sample_shows_judges_and_people(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["skill", "--rounds", "50", "--center"]) == 0
    printed = capsys.readouterr().out
    for title in ("SAMPLE", "Judges' agreement", "Judges' bias", "Wins over the agent alone"):
        assert title in printed
    for measure in ("wilcoxon", "spearman", "mann_whitney", "point_biserial", "pearson"):
        assert measure in printed
    assert (tmp_path / "sample_skill.csv").is_file()


@pytest.mark.parametrize("kind", ["collaboration", "output_quality"])
def test_skill_of_kolabs_own_ratings(kind, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    sample = str(find_sample())
    assert main(["skill", sample, "--ratings", kind, "--rounds", "0", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    release = open_release(sample)
    rows = load_rows(find_sample(), "sessions")
    rated = collect_ratings(rows, kind=kind)
    table = fit_skill(agents=rated.agents, humans=rated.humans, outcomes=rated.outcomes)
    assert found["agents"] == table.as_dict()["agents"]
    assert set(rated.humans) <= set(release.participants)
    num_rated = sum(step[kind]["rating"] is not None for row in rows for step in row["steps"])
    assert len(rated.outcomes) + rated.num_skipped == num_rated
    assert set(rated.outcomes) <= {1.0, 2.0, 3.0, 4.0, 5.0}


def test_collect_ratings_takes_the_ai_that_acts_most_often():
    def node(key, actor, actor_type, times):
        return {**make_node(key, actor_type, *[(0.0, 1.0)] * times), "actor": actor}

    row = make_row(
        [
            node("s0/n1", "user", "user", 9),
            node("s0/n2", "claude", "ai", 1),
            node("s1/n1", "claude", "ai", 9),
            node("s2/n1", "gemini", "ai", 2),
            node("s3/n1", "chatgpt", "ai", 1),
            node("s3/n2", "claude", "ai", 1),
        ],
        segments=[
            make_segment(f"s{number}", step, 10 * number, 10 * number + 10)
            for number, step in enumerate((1, None, 1, 2))
        ],
        ratings=(4, 3, None, 2),
    )
    rated = collect_ratings([row])
    assert rated.agents == ("gemini", "chatgpt")
    assert rated.outcomes == (4.0, 3.0)
    assert rated.steps == ("P01_S1/step-1", "P01_S1/step-2")
    assert rated.humans == ("P01", "P01")
    assert rated.num_skipped == 1
    assert collect_ratings([]).outcomes == ()
    with pytest.raises(ValueError, match="kind: found 'speed'; expected"):
        collect_ratings([], kind="speed")


def test_read_session_table_takes_other_names_and_skips_empty_lines(tmp_path):
    path = tmp_path / "sessions.csv"
    path.write_text(
        "\ufeffTask_ID,notes,Agents,human_id,Outcomes\nt1,good,a,x,3\n\n,,,,\nt2,,b,y,4.5\n",
        encoding="utf-8",
    )
    table = read_session_table(path)
    assert table.agents == ("a", "b")
    assert table.humans == ("x", "y")
    assert table.outcomes == (3.0, 4.5)
    assert table.tasks == ("t1", "t2")


def test_read_session_table_not_utf8(tmp_path):
    path = tmp_path / "sessions.csv"
    path.write_bytes(b"agent,human,outcome\n\xff,x,1\n")
    with pytest.raises(ValueError, match="found bytes that are not UTF-8; expected UTF-8"):
        read_session_table(path)


@pytest.mark.skipif(HAS_MATPLOTLIB, reason="matplotlib is installed")
def test_draw_skill_without_matplotlib_names_the_extra(study, tmp_path):
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'kolab\[plot\]'"):
        draw_skill(fit_skill(**study.columns()), tmp_path / "skill.png")
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not HAS_MATPLOTLIB, reason="needs matplotlib")
@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
@pytest.mark.parametrize("num_humans", [8, 300], ids=["few", "many"])
def test_draw_skill_writes_a_picture(suffix, num_humans, tmp_path):
    study = make_study(num_agents=3, num_humans=num_humans, num_sessions=3 * num_humans)
    stability = bootstrap_ranks(index_sessions(**study.columns()), rounds=20)
    path = tmp_path / f"skill{suffix}"
    draw_skill(fit_skill(**study.columns()), path, bootstrap=stability)
    start = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}[suffix]
    assert path.read_bytes().startswith(start)
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_draw_skill_other_ending_is_refused(study, tmp_path):
    with pytest.raises(ValueError, match=r"found ending '.bmp'; expected .png, .svg or .pdf"):
        draw_skill(fit_skill(**study.columns()), tmp_path / "skill.bmp")
