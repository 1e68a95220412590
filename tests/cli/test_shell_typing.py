"""What a person types: completion, several lines, history, on prompt_toolkit's own pipe and on a pseudo-terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from plan.opened import Table
from pseudo_terminal import Terminal

from dpsql.interfaces.cli.shell.completion import Candidate, Names, candidates, names_of
from dpsql.interfaces.cli.shell.line_readers import from_terminal
from dpsql.interfaces.cli.shell.statements import PROMPT
from dpsql.sql.system_tables.reports import ColumnReport, TableReport

READY = "\x1b[?2004h"  # what prompt_toolkit sends when it begins to read


def table(name: str, *columns: str, schema: str = "main", system: bool = False) -> TableReport:
    return TableReport(schema, name, tuple(ColumnReport(c, "BIGINT", False) for c in columns), system=system)


TABLES = (
    table("orders", "customer", "amount", "Total Paid"),
    table("regions", "region", "area"),
    table("budget", "epsilon_spent", schema="dpsql", system=True),
)
NAMES = names_of(TABLES)


def texts(before: str, after: str = "") -> list[str]:
    return [c.text for c in candidates(before, before + after, NAMES)]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("SELECT * FROM ", "", ["orders", "regions", "dpsql.budget"]),
        ("SELECT * FROM o", "", ["orders"]),
        ("select 1 from orders join R", "", ["regions"]),
        ("SELECT am", " FROM orders", ["amount"]),
        ("SELECT are", " FROM orders", []),
        ("SELECT o.", " FROM orders AS o", ["customer", "amount", '"Total Paid"']),
        ("SELECT regions.", " FROM orders", ["region", "area"]),
        ("SELECT * FROM dpsql.", "", ["budget"]),
        ("SELECT quantile_c", " FROM orders", ["QUANTILE_CONT("]),
        ("SELECT customer FROM orders GROU", "", ["GROUP BY"]),
        ("\\ti", "", ["\\timing"]),
        ("\\d reg", "", ["regions"]),
        ("SELECT 'am", "", []),
        ("SELECT 1 -- am", "", []),
    ],
)
def test_what_is_offered_is_what_may_stand_there(before: str, after: str, expected: list[str]) -> None:
    assert texts(before, after) == expected


def test_columns_of_named_tables_come_first_and_commands_only_at_the_start() -> None:
    assert texts("SELECT ", " FROM orders")[:3] == ["customer", "amount", '"Total Paid"']
    assert texts("SELECT \\ti") == []
    assert {c.what for c in candidates("SELECT c", "SELECT c FROM orders", NAMES)} > {"function"}
    assert Candidate("orders", "table") in set(candidates("FROM ", "FROM ", NAMES))


@pytest.fixture
def typed(tmp_path: Path) -> Iterator[object]:
    """Reads with prompt_toolkit what the test types."""
    pytest.importorskip("prompt_toolkit")
    from prompt_toolkit.application import create_app_session
    from prompt_toolkit.input import create_pipe_input
    from prompt_toolkit.output import DummyOutput

    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        yield keys


def test_enter_ends_a_whole_statement_and_else_begins_a_line(typed, tmp_path) -> None:
    history = tmp_path / "state" / "history"
    with from_terminal(lambda: Names((), ()), history) as read:
        typed.send_text("SELECT\r1;\r")
        assert read(PROMPT) == "SELECT\n1;"
        typed.send_text("exit\r")
        assert read(PROMPT) == "exit"
        typed.send_text("\x1b[A\x1b[A\r")  # up, up: the query before
        assert read(PROMPT) == "SELECT\n1;"
    assert history.stat().st_mode & 0o777 == 0o600 and "SELECT" in history.read_text()


def test_enter_ends_a_command_below_an_unfinished_query(typed) -> None:
    with from_terminal(lambda: NAMES, None) as read:
        typed.send_text("SELECT\r\\q\r")
        assert read(PROMPT) == "SELECT\n\\q"


def test_nothing_is_kept_without_a_history(typed, tmp_path) -> None:
    with from_terminal(lambda: NAMES, None) as read:
        typed.send_text("SELECT 1;\r")
        assert read(PROMPT) == "SELECT 1;"
    assert list(tmp_path.iterdir()) == []


def test_control_d_ends_and_control_c_drops_what_was_typed(typed) -> None:
    with from_terminal(lambda: NAMES, None) as read:
        typed.send_text("SELECT\x03")
        with pytest.raises(KeyboardInterrupt):
            read(PROMPT)
        typed.send_text("\x04")
        assert read(PROMPT) is None


def test_a_session_on_a_terminal_from_its_greeting_to_its_end(tmp_path: Path) -> None:
    pytest.importorskip("prompt_toolkit")
    rows = tuple((n, "ab"[n % 2]) for n in range(50))
    policy = Table({"word": "text, values: [a, b]"}, rows, privacy="max_rows_per_unit: 1").store(tmp_path)
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state"), "TERM": "xterm", "COLUMNS": "100"}
    shell = Terminal(["shell", str(policy), "--analyst", "alice"], environment)
    shell.until("asking as alice")
    shell.until(READY)
    shell.type("\\tim\t")
    shell.until("ing")
    shell.type("\r")
    shell.until("shown from now on")
    shell.until(READY)
    shell.type("\\d t\r")
    assert "one of a, b" in shell.until(READY)
    shell.type("SELECT word, COUNT(*) AS n\rFROM t GROUP BY word;\r")
    assert "±" in shell.until("charged epsilon")
    shell.until(READY)
    shell.type("\\budget\r")
    assert "remaining" in shell.until("more queries like the last one fit")
    shell.until(READY)
    assert shell.end() == 0
    assert (tmp_path / "state" / "dpsql" / "history").stat().st_mode & 0o777 == 0o600


def test_without_prompt_toolkit_lines_are_read_one_by_one_with_a_history(tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "prompt_toolkit", None)
    lines = ["1;", "SELECT"]
    monkeypatch.setattr("builtins.input", lambda prompt: lines.pop() if lines else ended(prompt))
    history = tmp_path / "state" / "history"
    with from_terminal(lambda: NAMES, history) as read:
        assert [read(PROMPT), read(PROMPT)] == ["SELECT", "1;"]
        assert read(PROMPT) is None
    assert history.stat().st_mode & 0o777 == 0o600


def ended(prompt: str) -> str:
    raise EOFError
