"""What examples/deploy/ starts is a command that there is, with options that there are."""

from __future__ import annotations

import json
import re
from pathlib import Path

import click
import pytest

from dpsql.interfaces.cli import main

FOLDER = Path(__file__).parents[2] / "examples" / "deploy"
UNIT = (FOLDER / "dpsql.service").read_text(encoding="utf-8")
IMAGE = (FOLDER / "Dockerfile").read_text(encoding="utf-8")


def started_by_unit() -> list[str]:
    command = re.search(r"^ExecStart=(.*?[^\\])$", UNIT, flags=re.MULTILINE | re.DOTALL)
    assert command is not None
    return command[1].replace("\\\n", "").split()[1:]


def started_by_image() -> list[str]:
    command = re.search(r"^CMD (\[.*?\])$", IMAGE, flags=re.MULTILINE | re.DOTALL)
    assert command is not None
    return json.loads(command[1].replace("\\\n", ""))


@pytest.mark.parametrize("arguments", [started_by_unit(), started_by_image()], ids=["unit", "image"])
def test_the_command_is_one_that_can_be_parsed(arguments: list[str]) -> None:
    assert arguments[0] == "serve"
    parsed = main.commands["serve"].make_context("serve", arguments[1:], parent=click.Context(main))
    assert parsed.params["listen"] == ("0.0.0.0", 5439)
    assert parsed.params["tls_cert"] and parsed.params["tls_key"] and parsed.params["users"]


def test_a_stop_finishes_what_runs() -> None:
    assert "KillMode=mixed" in UNIT and "kill -HUP $MAINPID" in UNIT
    assert "STOPSIGNAL SIGTERM" in IMAGE
