"""The shell: statements until a semicolon, backslash commands, and errors that do not end a dialogue."""

from __future__ import annotations

import pytest

from dpsql import errors
from dpsql.dbapi import Connection
from dpsql.engines.base import OutputColumn
from dpsql.errors import Place
from dpsql.interfaces.cli import shell as module
from dpsql.interfaces.cli.shell import CONTINUED, PROMPT, converse, is_complete, statements
from dpsql.release.types import Answer

ONE = Answer((OutputColumn("one", "INTEGER"),), ((1,),))


def lines(*given: str | type[BaseException]):
    """A reader of these lines that remembers its prompts; a class is raised in place of a line."""
    left = list(given)
    prompts = []

    def read(prompt):
        prompts.append(prompt)
        line = left.pop(0) if left else None
        if isinstance(line, type):
            raise line
        return line

    read.prompts = prompts
    return read


@pytest.mark.parametrize(
    ("text", "complete"),
    [
        ("SELECT 1;", True),
        ("SELECT 1 ; ", True),
        ("SELECT 1; -- done", True),
        ("", True),
        ("  -- a comment", True),
        ("\\q", True),
        ("\\budget", True),
        ("\\explain SELECT 1;", True),
        ("SELECT 1", False),
        ("\\explain SELECT 1", False),
        ("SELECT ';", False),
        ("SELECT ';'", False),
        ("SELECT 'it''s;", False),
        ("SELECT 'it''s';", True),
        ('SELECT "a;', False),
        ("SELECT /* ;", False),
        ("SELECT /* ' */ 1;", True),
        ("SELECT 1 -- ;", False),
        ("SELECT $$ ; ", False),
        ("SELECT $x$ ' $x$;", True),
        ("SELECT $a;", True),
    ],
)
def test_a_statement_ends_at_a_semicolon_outside_literals_and_comments(text, complete):
    assert is_complete(text) is complete


def test_lines_are_joined_until_the_semicolon():
    read = lines("SELECT", "", "1;", "", "-- nothing", ";", "SELECT 2;")
    assert list(statements(read)) == ["SELECT\n\n1", "SELECT 2"]
    assert read.prompts[:4] == [PROMPT, CONTINUED, CONTINUED, PROMPT]


def test_the_last_statement_needs_no_semicolon():
    assert list(statements(lines("SELECT 1"))) == ["SELECT 1"]


def test_an_interrupt_drops_what_was_typed():
    assert list(statements(lines("SELECT", KeyboardInterrupt, "SELECT 2;"))) == ["SELECT 2"]


def test_a_piped_script_is_answered_statement_by_statement(session, run):
    session.script += [ONE, ONE]
    result = run("shell", "p.yaml", stdin="SELECT\n1;\nSELECT 2")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "one\n1\none\n1\n", "")
    assert [sql for sql, _ in session.asked] == ["SELECT\n1", "SELECT 2"]
    assert session.closed


def test_a_piped_script_ends_at_its_first_error_with_its_exit_code(session, run):
    session.script += [errors.QueryFailed(), ONE]
    result = run("shell", "p.yaml", stdin="SELECT 1;\nSELECT 2;\n")
    assert (result.exit_code, result.stderr) == (4, f"{errors.QueryFailed.SENTENCE}\n")
    assert len(session.asked) == 1
    assert session.closed


def test_a_dialogue_goes_on_after_an_error_and_an_interrupt(session, capsys):
    refused = errors.QueryRefused("a bare row", place=Place(2, 2))
    session.script += [refused, errors.QueryFailed(), ONE]
    read = lines("SELECT", " name;", "SELECT 1;", "SELECT 2;")
    assert converse(Connection(session), read, "csv", stop_at_error=False) == 0
    out, err = capsys.readouterr()
    assert out == "one\n1\n"
    assert err == f"line 2, column 2: a bare row\n   name\n   ^\n{errors.QueryFailed.SENTENCE}\n"


def test_an_interrupted_query_leaves_the_shell_open(session, capsys):
    def interrupted(sql, params):
        session.answer = answer
        raise KeyboardInterrupt

    answer, session.answer = session.answer, interrupted
    session.script.append(ONE)
    assert converse(Connection(session), lines("SELECT 1;", "SELECT 2;"), "csv", stop_at_error=False) == 0
    out, err = capsys.readouterr()
    assert out == "one\n1\n" and "stays charged" in err


def test_commands_show_the_plan_the_budget_and_help(session, run):
    result = run("shell", "p.yaml", stdin="\\explain SELECT\n 1;\n\\budget\n\\help\n\\q\nSELECT 1;\n")
    assert result.exit_code == 0
    assert "epsilon 0.5" in result.stdout and "remaining,9.75" in result.stdout and "Ctrl-D" in result.stdout
    assert session.asked == [("SELECT\n 1", None)]


def test_an_unknown_command_shows_the_help_and_asks_nothing(session, run):
    assert "\\explain QUERY;" in run("shell", "p.yaml", stdin="\\d\n").stdout
    assert session.asked == []


def test_a_terminal_gets_a_greeting_and_keeps_a_private_history(session, run, monkeypatch, tmp_path):
    monkeypatch.setattr(module, "is_terminal", lambda: True)
    monkeypatch.setattr(module, "_from_terminal", lines("SELECT 1;"))
    monkeypatch.setattr(module.click, "get_app_dir", lambda name: str(tmp_path / name))
    session.script.append(ONE)
    result = run("shell", "p.yaml", "--analyst", "alice", "--format", "csv")
    assert (result.exit_code, result.stdout) == (0, "one\n1\n")
    assert "asking as alice" in result.stderr
    history = tmp_path / "dpsql" / "history"
    assert history.stat().st_mode & 0o077 == 0
