"""Every command is documented, and every documented command exists."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from dpsql import __version__
from dpsql.interfaces.cli import main
from dpsql.interfaces.cli.reference import reference

DOCUMENT = Path(__file__).parents[2] / "docs" / "cli.md"
COMMANDS = (
    "audit",
    "budget",
    "calibrate",
    "check",
    "demo",
    "explain",
    "history",
    "init",
    "ledger",
    "mock",
    "prepare",
    "query",
    "refresh",
    "serve",
    "shell",
    "user",
)


def test_the_document_is_what_the_help_says():
    assert DOCUMENT.read_text(encoding="utf-8") == reference(), (
        "python -m dpsql.interfaces.cli.reference > docs/cli.md"
    )


def test_the_commands_are_these():
    assert tuple(main.list_commands(click.Context(main))) == COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_stands_in_the_help_and_in_the_document(run, command):
    lines = [line.split() for line in run("--help").stdout.splitlines()]
    assert any(line[:1] == [command] and len(line) > 3 for line in lines)
    assert f"\n## dpsql {command}\n" in DOCUMENT.read_text(encoding="utf-8")


def test_no_other_command_is_documented():
    text = DOCUMENT.read_text(encoding="utf-8")
    assert set(re.findall(r"^## dpsql (\w+)$", text, flags=re.MULTILINE)) == set(COMMANDS)
    assert set(re.findall(r"dpsql ([a-z]+)", text)) <= {*COMMANDS, "cli"}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_and_command_says_what_it_does(run, command):
    found = main.commands[command]
    assert found.help
    assert all(option.help for option in found.params if isinstance(option, click.Option))
    short = run("--help").stdout.split("Commands:")[1]
    assert "..." not in short


def test_the_version_is_the_packages(run):
    project = (DOCUMENT.parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    assert f'\nversion = "{__version__}"\n' in project
    assert run("--version").stdout == f"dpsql {__version__}\n"


def test_importing_dpsql_brings_neither_click_nor_rich_nor_the_extras():
    absent = "{'click', 'rich', 'pandas', 'pyarrow'}"
    code = f"import sys; from dpsql import connect; print(sorted({absent} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
