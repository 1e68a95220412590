"""Errors end a command as sentences on stderr, with a caret under the place and an exit code."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dpsql import errors
from dpsql.errors import Place
from dpsql.interfaces.cli.outcome import pointed_at
from dpsql.interfaces.cli.terminal.visible import visible

EXHAUSTED = errors.BudgetExhausted(
    "alice",
    asked_epsilon=Fraction(1, 2),
    left_epsilon=Fraction(1, 4),
    asked_delta=Fraction(0),
    left_delta=Fraction(0),
)
PROBLEM = errors.Problem("shop.yaml", Place(3, 5), "tables.orders", "has no source")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.QueryRefused("a bare row"), 1),
        (errors.PolicyError((PROBLEM,)), 1),
        (errors.ProgrammingError("parameters"), 2),
        (errors.NotSupportedError("no"), 1),
        (errors.InterfaceError("epsilon must be positive"), 2),
        (EXHAUSTED, 3),
        (errors.QueryFailed(), 4),
        (errors.LedgerUnavailable("the ledger is read-only"), 4),
        (errors.InternalError("a bug"), 4),
    ],
)
def test_each_kind_of_error_has_its_exit_code_and_its_sentence_on_stderr(session, run, error, code):
    session.script.append(error)
    result = run("query", "p.yaml", "SELECT 1")
    assert (result.exit_code, result.stdout, result.stderr) == (code, "", f"{error}\n")
    assert session.closed


def test_a_refused_query_is_shown_with_a_caret_under_the_place(session, run):
    session.script.append(errors.QueryRefused("a bare row", place=Place(2, 3), hint="Aggregate it."))
    result = run("query", "p.yaml", "SELECT\n  name\nFROM t")
    assert result.stderr == "line 2, column 3: a bare row\n    name\n    ^\nAggregate it.\n"


def test_made_up_rows_are_offered_as_a_command_or_a_shell_gets_them(session, run):
    error = errors.QueryRefused("a bare row", place=Place(1, 1), hint=f"Aggregate it. {errors.MADE_UP_ROWS}")
    session.script += [error, error]
    assert "Aggregate it. --rows mock shows made-up rows." in run("query", "p.yaml", "q").stderr
    assert "Aggregate it. \\rows mock shows made-up rows." in run("shell", "p.yaml", stdin="q;").stderr


def test_wrong_usage_is_exit_code_2(run):
    assert run("query", "p.yaml").exit_code == 2
    assert run("query", "p.yaml", "SELECT 1", "--format", "xml").exit_code == 2
    assert run("nonsense").exit_code == 2


@pytest.mark.parametrize(
    ("sql", "place", "lines"),
    [
        ("SELECT a", Place(1, 8), ("  SELECT a", "         ^")),
        ("SELECT", Place(1, 7), ("  SELECT", "        ^")),
        ("SELECT", Place(1, 99), ("  SELECT", "        ^")),
        ("SELECT\r\n x\r", Place(2, 2), ("   x", "   ^")),
        ("\tx", Place(1, 2), ("   x", "   ^")),
        ("'日本', x", Place(1, 7), ("  '日本', x", "          ^")),
        ("a\u200bb c", Place(1, 5), ("  a\N{REPLACEMENT CHARACTER}b c", "      ^")),
        ("SELECT", Place(2, 1), ()),
    ],
)
def test_the_caret_stands_under_the_place_as_a_terminal_shows_it(sql, place, lines):
    assert pointed_at(sql, place) == lines


def test_a_long_line_is_cut_around_the_place():
    text, caret = pointed_at("x" * 500 + "HERE" + "y" * 500, Place(1, 501))
    assert text.startswith("  …") and text.endswith("…") and len(text) < 130
    assert text[caret.index("^") :].startswith("HERE")


def test_what_a_terminal_would_obey_is_written_out():
    assert visible("a\x1b[31mb\nc\u202ed") == "a\\x1b[31mb\\nc\\u202ed"
    assert visible("é ± 日本") == "é ± 日本"


def test_control_characters_of_a_query_do_not_reach_the_terminal(session, run):
    session.script.append(errors.QueryRefused("no column \x1b[2J", place=Place(1, 1)))
    assert "\x1b" not in run("query", "p.yaml", "\x1b[2J").stderr
