import os
import subprocess
import sys

import pytest

from kolab_core.commands import options
from kolab_core.commands.cli import main
from kolab_core.scores import bootstrap

COMMANDS = (
    "baseline",
    "check-export",
    "dynamics",
    "explore",
    "predict",
    "score",
    "skill",
    "validate",
)


def test_main_help_names_every_command(capsys):
    with pytest.raises(SystemExit) as end:
        main(["--help"])
    assert end.value.code == 0
    text = capsys.readouterr().out
    assert all(f"    {name}" in text for name in COMMANDS)


def test_main_unknown_command_exits_with_2(capsys):
    with pytest.raises(SystemExit) as end:
        main(["frobnicate"])
    assert end.value.code == 2
    assert "frobnicate" in capsys.readouterr().err


def test_methods_of_intervals_are_those_of_the_scores():
    assert options.METHODS == bootstrap.METHODS


CALLS = {
    "dynamics": ["dynamics"],
    "score": ["score", "mine.jsonl", "--config", "adoption_forecast"],
    "skill": ["skill"],
}


@pytest.mark.parametrize(
    ("commands", "words", "message"),
    [
        ("score dynamics", "--confidence 1.5", "a number between 0 and 1, like 0.95"),
        ("score dynamics", "--confidence high", "a number between 0 and 1, like 0.95"),
        ("score dynamics", "--rounds 0", "a whole number from 1"),
        ("skill", "--rounds -1", "a whole number from 0"),
        ("score dynamics skill", "--seed -1", "a whole number from 0"),
        ("score dynamics skill", "--seed 0.5", "a whole number from 0"),
        ("score", "--ddof -1", "a whole number from 0"),
    ],
)
def test_main_an_option_has_one_range_and_message_in_all_commands(commands, words, message, capsys):
    option, value = words.split()
    for command in commands.split():
        with pytest.raises(SystemExit) as end:
            main([*CALLS[command], option, value])
        assert end.value.code == 2
        assert f"{option}: found {value}; expected {message}" in capsys.readouterr().err


def test_main_on_an_ascii_terminal_escapes_instead_of_failing(tmp_path):
    (tmp_path / "release.json").write_text('{"name": "' + "kö" * 60 + '"}')
    done = subprocess.run(
        [sys.executable, "-m", "kolab_core.commands.cli", "validate", str(tmp_path)],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        check=False,
    )
    assert done.returncode == 1, done.stderr.decode()
    assert b"\\u2026" in done.stdout
