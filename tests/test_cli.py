import os
import subprocess
import sys

import pytest

from kolab_core.commands.cli import main

COMMANDS = ("check-export", "dynamics", "score", "skill", "validate")


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
