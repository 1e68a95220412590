"""docs/ledger.md says what is so: its commands are run from the first to the last, on its policy."""

from __future__ import annotations

import re
import shutil
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner
from pages import fenced, text_of

import dpsql
from dpsql.interfaces.cli import main

TEXT = text_of("ledger.md")
COMMANDS = [line.split()[1:] for block in fenced(TEXT, "sh") for line in block.splitlines()]


def test_every_command_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (policy,) = fenced(TEXT, "yaml")
    for folder in (tmp_path, tmp_path / "elsewhere"):
        folder.mkdir(exist_ok=True)
        (folder / "clinic.yaml").write_text(policy)
        (folder / "visits.csv").write_text("patient,cost\n1,10\n2,20\n")
    monkeypatch.chdir(tmp_path)
    with closing(dpsql.connect("clinic.yaml", analyst="alice")) as connection:
        connection.execute("SELECT COUNT(*) FROM visits")
    for arguments in COMMANDS:
        if arguments[1] == "restore":
            for name in ("clinic.ledger", "clinic.ledger-wal", "clinic.ledger-shm"):
                Path(name).unlink(missing_ok=True)
        result = CliRunner().invoke(main, arguments)
        assert result.exit_code == 0, (arguments, result.output)
        if arguments[1] == "restore" and not Path("clinic.ledger").exists():
            shutil.copy(arguments[2], "clinic.ledger")
    with closing(dpsql.connect("elsewhere/clinic.yaml", analyst="alice")) as connection:
        assert connection.budget().spent.epsilon > 0


def test_the_options_of_the_page_exist() -> None:
    commands = [c for name in ("ledger", "refresh", "budget") for c in (main.commands[name],)]
    commands += list(main.commands["ledger"].commands.values())  # type: ignore[attr-defined]
    options = {name for command in commands for param in command.params for name in param.opts}
    assert set(re.findall(r"`(--[a-z-]+)", TEXT)) <= options
    assert len(COMMANDS) == 12
