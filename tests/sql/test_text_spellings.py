"""Spellings that are rewritten before a text is split: strings between dollars, and TOP; places stay where they are."""

from __future__ import annotations

import pytest
from gate_cases import DuckDBStatements

from dpsql.errors import QueryRefused
from dpsql.sql.lex.statement_texts import statement_texts
from dpsql.sql.lex.text import read_text
from dpsql.sql.parse.gate import gate


@pytest.mark.parametrize(
    ("sql", "read"),
    [
        ("SELECT $$a$$ FROM t", "SELECT 'a'   FROM t"),
        ("SELECT $tag$it's$tag$", "SELECT 'it''s'      "),
        ("SELECT $a$ $$ 'x' -- \n /* $a$", "SELECT ' $$ ''x'' -- \n /* ' "),
        ("SELECT '$$a$$', \"$$\", 1 -- $$ \n", "SELECT '$$a$$', \"$$\", 1 -- $$ \n"),
        ("SELECT a = $x AND b = $y", "SELECT a = $x AND b = $y"),
        ("SELECT TOP 5 a FROM t", "SELECT       a FROM t LIMIT 5"),
        ("select distinct top(5) a FROM t; -- TOP 6", "select distinct        a FROM t LIMIT 5; -- TOP 6"),
        ("SELECT TOP 5 a FROM t /* x */ ;\n", "SELECT       a FROM t LIMIT 5 /* x */ ;\n"),
        (
            "WITH c AS (SELECT a FROM t LIMIT 3) SELECT TOP 2 a FROM c",
            "WITH c AS (SELECT a FROM t LIMIT 3) SELECT       a FROM c LIMIT 2",
        ),
        ("SELECT TOP 5.5 a FROM t", "SELECT TOP 5.5 a FROM t"),
        ("SELECT TOP 5 PERCENT a FROM t", "SELECT TOP 5 PERCENT a FROM t"),
        ("SELECT TOP 5 WITH TIES a FROM t", "SELECT TOP 5 WITH TIES a FROM t"),
        ("SELECT TOP 5 a FROM t LIMIT 3", "SELECT TOP 5 a FROM t LIMIT 3"),
        ("SELECT TOP 5 a FROM t UNION SELECT 1", "SELECT TOP 5 a FROM t UNION SELECT 1"),
        ("SELECT * FROM (SELECT TOP 5 a FROM t)", "SELECT * FROM (SELECT       a FROM t LIMIT 5)"),
        (
            "SELECT TOP 9 * FROM (SELECT TOP (5) a FROM t -- b\n ) x, (SELECT TOP 2 b FROM (SELECT 1 LIMIT 1) y) z",
            "SELECT       * FROM (SELECT         a FROM t LIMIT 5 -- b\n ) x, "
            "(SELECT       b FROM (SELECT 1 LIMIT 1) y LIMIT 2) z LIMIT 9",
        ),
        ("SELECT (SELECT TOP 5 a FROM t UNION SELECT 1)", "SELECT (SELECT TOP 5 a FROM t UNION SELECT 1)"),
        ("SELECT (SELECT TOP 1 a FROM t", "SELECT (SELECT TOP 1 a FROM t"),
        ("SELECT TOP 1 a) FROM t", "SELECT       a) FROM t LIMIT 1"),
        ("SELECT 'SELECT TOP 5 a', top FROM t", "SELECT 'SELECT TOP 5 a', top FROM t"),
        ("SELECT d + INTERVAL -6 MONTH", "SELECT d + INTERVAL(-6)MONTH"),
        (
            "SELECT d + interval\n- 30\n days, 'INTERVAL -6 DAY'",
            "SELECT d + interval(- 30) days, 'INTERVAL -6 DAY'",
        ),
        ("SELECT INTERVAL -6 FROM t", "SELECT INTERVAL -6 FROM t"),
        ("SELECT interval -6 AS day FROM t", "SELECT interval -6 AS day FROM t"),
        ("SELECT t.interval -6 day FROM t", "SELECT t.interval -6 day FROM t"),
        ("SELECT INTERVAL -- a\n-6 DAY", "SELECT INTERVAL -- a\n-6 DAY"),
        ("SELECT INTERVAL -6/* a */ DAY", "SELECT INTERVAL -6/* a */ DAY"),
    ],
)
def test_a_text_is_read_as(sql: str, read: str) -> None:
    text = read_text(sql)
    assert text.sql.rstrip() == read.rstrip()
    assert len(text.code) == len(text.sql)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT x$$a$$",
        "SELECT $$a$$x",
        "SELECT $$a$$$b$c$b$",
        "SELECT $a$b$A$",
        "SELECT $$\0$$",
        "SELECT $é$a$é$",
    ],
)
def test_what_two_parsers_could_read_otherwise_is_refused(sql: str) -> None:
    with pytest.raises(QueryRefused):
        read_text(sql)


def test_a_semicolon_between_dollars_ends_no_statement() -> None:
    assert [t.sql for t in statement_texts("SELECT $$a;b$$; SELECT $x$;$$;$x$")] == [
        "SELECT $$a;b$$",
        " SELECT $x$;$$;$x$",
    ]


def test_many_that_are_never_closed_take_no_longer_than_the_text() -> None:
    sql = "SELECT " + " ".join(f"$a{i}$" for i in range(200_000))
    assert len(statement_texts(sql)) == 1


def test_places_are_those_of_the_text_as_it_was_written() -> None:
    with pytest.raises(QueryRefused) as refused:
        gate(
            "SELECT TOP 3 a FROM (SELECT TOP 2 a FROM t) x,\n(SELECT TOP 2 a FROM t) y WHERE a ! 1",
            DuckDBStatements(),
        )
    assert str(refused.value).startswith("line 2, column 35: the symbol ! is")


def test_top_is_admitted_as_a_limit() -> None:
    statement = gate("SELECT TOP 2 a, $$x$$ FROM t ORDER BY a; -- the best", DuckDBStatements())
    assert statement.tree.sql("duckdb") == "SELECT a, 'x' FROM t ORDER BY a LIMIT 2"
