"""The shell: statements until a semicolon, backslash commands, and errors that do not end a dialogue."""

from __future__ import annotations

from contextlib import contextmanager
from fractions import Fraction

import pytest

from dpsql import errors
from dpsql.dbapi import Connection
from dpsql.engines.base import OutputColumn
from dpsql.errors import Place
from dpsql.interfaces.cli.own_files.question_log import QuestionLog
from dpsql.interfaces.cli.shell import line_readers, shell_command
from dpsql.interfaces.cli.shell.backslash_commands import Shell
from dpsql.interfaces.cli.shell.statements import CONTINUED, PROMPT, is_complete, is_in_literal, statements
from dpsql.privacy import Cost
from dpsql.release.types import Answer, BudgetReport

NO_LOG = QuestionLog(None, "p.yaml", "alice")
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


def talk(session, read, log=NO_LOG, style="csv"):
    """What the shell says to these lines, and its exit code."""
    return shell_command.converse(
        Shell(Connection(session), lambda rows: Connection(session), style), read, log, stop_at_error=False
    )


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
        ("\\d orders", True),
        ("exit", True),
        ("QUIT;", True),
        ("exit 1", False),
        ("\\explain+ SELECT 1", False),
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


def test_the_last_statement_of_a_pipe_needs_no_semicolon_and_what_is_typed_is_not_asked_without_one():
    assert list(statements(lines("SELECT 1"), typed=False)) == ["SELECT 1"]
    assert list(statements(lines("SELECT 1"))) == []


@pytest.mark.parametrize("command", ["\\budget", "  \\d orders", "\\q"])
def test_a_command_below_an_unfinished_query_is_one_and_the_query_goes_on(command):
    assert list(statements(lines("SELECT", command, "1;"))) == [command.strip(), "SELECT\n1"]
    assert list(statements(lines(f"SELECT\n{command}", "1;"))) == [command.strip(), "SELECT\n1"]


@pytest.mark.parametrize("begun", ["SELECT '", "SELECT /*", "SELECT $$", 'SELECT "'])
def test_a_line_of_a_literal_is_no_command(begun):
    closed = {"'": "'", "/*": "*/ 1", "$$": "$$", '"': '"'}[begun.removeprefix("SELECT ")]
    assert list(statements(lines(begun, "\\q", f"{closed};"))) == [f"{begun}\n\\q\n{closed}"]


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
    ended = "The first error ends what is read from a pipe: nothing behind it was asked."
    assert (result.exit_code, result.stderr) == (4, f"{errors.QueryFailed.SENTENCE}\n{ended}\n")
    assert len(session.asked) == 1
    assert session.closed


def test_a_dialogue_goes_on_after_an_error_and_an_interrupt(session, capsys):
    refused = errors.QueryRefused("a bare row", place=Place(2, 2))
    session.script += [refused, errors.QueryFailed(), ONE]
    read = lines("SELECT", " name;", "SELECT 1;", "SELECT 2;")
    assert talk(session, read) == 0
    out, err = capsys.readouterr()
    assert out == "one\n1\n"
    assert err == f"line 2, column 2: a bare row\n   name\n   ^\n{errors.QueryFailed.SENTENCE}\n"


def test_an_interrupted_query_leaves_the_shell_open(session, capsys):
    def interrupted(sql, params):
        session.answer = answer
        raise KeyboardInterrupt

    answer, session.answer = session.answer, interrupted
    session.script.append(ONE)
    assert talk(session, lines("SELECT 1;", "SELECT 2;")) == 0
    out, err = capsys.readouterr()
    assert out == "one\n1\n" and "interrupted; nothing was charged" in err


def test_commands_show_the_plan_the_budget_and_help(session, run):
    result = run("shell", "p.yaml", stdin="\\explain SELECT\n 1;\n\\budget\n\\help\n\\q\nSELECT 1;\n")
    assert result.exit_code == 0
    assert "epsilon 0.5" in result.stdout and "remaining,9.75" in result.stdout and "Ctrl-D" in result.stdout
    assert session.asked == [("SELECT\n 1", None)]


def test_made_up_rows_are_shown_from_the_command_on(session, run):
    session.script += [ONE, ONE]
    result = run("shell", "p.yaml", stdin="SELECT 1;\n\\rows mock\nSELECT 2;\n")
    assert session.opened["rows"] == "mock" and [sql for sql, _ in session.asked] == ["SELECT 1", "SELECT 2"]
    assert "answered with made-up rows from now on" in result.stderr and result.exit_code == 0
    assert "with one of refuse, empty, mock" in run("shell", "p.yaml", stdin="\\rows all\n").stderr


def test_an_unknown_command_shows_the_help_and_asks_nothing(session, run):
    result = run("shell", "p.yaml", stdin="\\nonsense\n")
    assert "\\explain QUERY;" in result.stdout and "no command \\nonsense" in result.stderr
    assert session.asked == []


@pytest.mark.parametrize("word", ["exit", "quit", "QUIT;", "\\q"])
def test_words_that_leave(session, run, word):
    assert run("shell", "p.yaml", stdin=f"{word}\nSELECT 1;\n").exit_code == 0
    assert session.asked == []


def test_a_plan_has_its_sql_with_a_plus(session, run):
    plain = run("shell", "p.yaml", stdin="\\explain q;\n").stdout
    assert "SELECT * FROM r0" not in plain
    assert "SELECT * FROM r0" in run("shell", "p.yaml", stdin="\\explain+ q;\n").stdout
    assert session.asked == [("q", None)] * 2


def test_an_explain_is_the_plan_for_people_and_rows_for_programs(session, capsys):
    session.script.append(ONE)
    assert talk(session, lines("explain SELECT 1;"), style="table") == 0
    assert capsys.readouterr().out == "epsilon 0.5, delta 0\n\nnote: a note\n"
    assert (
        talk(session, lines("explain verbose SELECT 1;", "explain ( Verbose ) SELECT 1;"), style="table") == 0
    )
    assert capsys.readouterr().out.count("SELECT * FROM r0") == 2
    session.script.append(ONE)
    assert talk(session, lines("EXPLAIN SELECT 1;"), style="csv") == 0
    assert capsys.readouterr().out == "one\n1\n"


def test_tables_and_their_columns_come_from_the_policy(session, run):
    tables = run("shell", "p.yaml", stdin="\\dt\n").stdout
    assert tables == "table,what it is\norders,private: aggregates only\n"
    assert "dpsql.budget,about the system" in run("shell", "p.yaml", stdin="\\d\n").stdout
    columns = run("shell", "p.yaml", stdin="\\d ORDERS\n").stdout.splitlines()
    assert columns[1:] == ["id,BIGINT,no,unique", 'region,VARCHAR,yes,"one of north, south"']
    assert "there is no table nowhere" in run("shell", "p.yaml", stdin="\\d nowhere\n").stderr
    assert session.asked == []


def test_rows_are_blocks_of_lines_after_x(session, capsys):
    session.script += [ONE, ONE]
    assert talk(session, lines("\\x", "SELECT 1;", "\\x", "SELECT 2;"), style="table") == 0
    out = capsys.readouterr().out
    assert out.startswith("-- row 1\none | 1\n") and out.count("-- row 1") == 1


def test_timing_is_shown_once_it_is_asked_for(session, capsys):
    session.script += [ONE, ONE]
    talk(session, lines("SELECT 1;", "\\timing", "SELECT 2;"))
    assert capsys.readouterr().err.count("answered in 0.") == 1


def test_an_editor_changes_the_last_query_and_asks_it(session, capsys, monkeypatch):
    given = []

    def edited(text, extension):
        given.append((text, extension))
        return "SELECT\n2;\n"

    monkeypatch.setattr("click.edit", edited)
    session.script += [ONE, ONE]
    talk(session, lines("SELECT 1;", "\\e"))
    assert given == [("SELECT 1;\n", ".sql")]
    assert [sql for sql, _ in session.asked] == ["SELECT 1", "SELECT\n2"]
    assert "SELECT\n2;" in capsys.readouterr().out


@pytest.mark.parametrize("saved", [None, "", " ;", "SELECT 2"])
def test_what_an_editor_leaves_unfinished_is_not_asked(session, capsys, monkeypatch, saved):
    monkeypatch.setattr("click.edit", lambda text, extension: saved)
    talk(session, lines("\\e"))
    assert session.asked == [] and "nothing is asked" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("spent", "said"), [(0, "nothing was charged"), (Fraction(1, 2), "charged epsilon 0.5,")]
)
def test_an_interrupt_says_what_was_charged(session, capsys, spent, said):
    def interrupted(sql, params):
        left = Cost(Fraction(39, 4) - spent)
        report = BudgetReport(Cost(Fraction(10)), Cost(Fraction(1, 4) + spent), left)
        session.budget = lambda: report
        raise KeyboardInterrupt

    session.answer = interrupted
    assert talk(session, lines("SELECT 1;")) == 0
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("SELECT 'a", True),
        ("SELECT 'a'", False),
        ("SELECT -- a", True),
        ("SELECT -- a\nb", False),
        ("SELECT /* a", True),
        ('SELECT "a', True),
        ("SELECT '--' ", False),
        ("SELECT 1 -- it's", True),
    ],
)
def test_the_end_of_a_text_is_known_to_be_inside_of_a_literal_or_comment(text, inside):
    assert is_in_literal(text) is inside


def test_a_terminal_gets_a_greeting_and_its_questions_are_kept_for_it_alone(
    session, run, monkeypatch, tmp_path
):
    monkeypatch.setattr(shell_command, "is_terminal", lambda: True)
    session.script += [ONE, ONE]

    @contextmanager
    def typed(names, history):
        line_readers.private_file(history) if history else None
        yield lines("SELECT 1;")

    monkeypatch.setattr(shell_command, "from_terminal", typed)
    state = {"XDG_STATE_HOME": str(tmp_path)}
    result = run("shell", "p.yaml", "--analyst", "alice", "--format", "csv", "--no-history", **state)
    assert (result.exit_code, result.stdout) == (0, "one\n1\n") and list(tmp_path.iterdir()) == []
    result = run("shell", "p.yaml", "--analyst", "alice", "--format", "csv", **state)
    assert (result.exit_code, result.stdout) == (0, "one\n1\n")
    assert "asking as alice" in result.stderr
    kept = sorted((tmp_path / "dpsql").iterdir())
    assert [file.name for file in kept] == ["history", "questions.jsonl"]
    assert all(file.stat().st_mode & 0o077 == 0 for file in kept)
