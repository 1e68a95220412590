"""A text that cannot be read is refused with its likely mistake, found in its words alone."""

from __future__ import annotations

import pytest

from dpsql.errors import Place
from dpsql.sql.lex.text import read_text
from dpsql.sql.lex.tokens import read_tokens
from dpsql.sql.parse.syntax_hints import syntax_hint

ANYTHING = "Look for a comma, a parenthesis or a key word that is missing or too many. Texts stand in 'single quotes'."

UNTIED = (
    "Say how the JOIN at line 1, column {} ties its tables together: JOIN t ON ... or JOIN t USING (...)."
)
SPACED = 'Is a comma missing before {}? A name with a space is written in quotes: "{}".'


def hint(sql: str, column: int | None = None) -> str:
    text = read_text(sql)
    return syntax_hint(read_tokens(text.sql, text.code).items, Place(1, column) if column else None)


@pytest.mark.parametrize(
    ("sql", "column", "said"),
    [
        ("SELECT COUNT(* FROM t", 16, "The parenthesis at line 1, column 13 is never closed."),
        ("SELECT COUNT(*)) FROM t", 16, "The parenthesis at line 1, column 16 closes none."),
        ("SELECT '(' , COUNT(*) FORM t", 28, "Did you mean FROM instead of FORM?"),
        ("SELECT COUNT(*) FORM orders", 22, "Did you mean FROM instead of FORM?"),
        ("SELECT k, COUNT(*) FROM t GRUOP BY k", 33, "Did you mean GROUP instead of GRUOP?"),
        ("SELECT COUNT(*) FROM t WHEREE k = 1", 31, "Did you mean WHERE instead of WHEREE?"),
        ("SELECT COUNT(*) FROM t GROUP k", 30, "Write GROUP BY."),
        ("SELECT COUNT(*) FROM t ORDER k", 30, "Write ORDER BY."),
        ("SELECT COUNT(*) FROM t GROUPBY k", 32, "Write GROUP BY."),
        ("SELECT COUNT(*) FROM t ORDERBY k", 32, "Write ORDER BY."),
        ("SELECT COUNT(*) FROM t JOIN u", None, UNTIED.format(24)),
        ("SELECT COUNT(*) FROM t LEFT JOIN u WHERE t.k > 1", None, UNTIED.format(29)),
        ("SELECT COUNT(*) FROM t JOIN u USING (k) JOIN v GROUP BY k", None, UNTIED.format(41)),
        ("SELECT COUNT(*) FROM t JOIN u USING k", None, "Write USING (k)."),
        ("SELECT COUNT(*) FROM t CROSS JOIN u NATURAL JOIN v", None, ANYTHING),
        (
            "SELECT COUNT(*) FROM t NATURAL LEFT JOIN u JOIN v ON t.k = v.k ,",
            60,
            "The text ends after ,, where something has to follow.",
        ),
        ("SELECT COUNT(*) FROM t WHERE", 24, "The text ends after WHERE, where something has to follow."),
        ("SELECT COUNT(*) FROM t WHERE k =", 32, "The text ends after =, where something has to follow."),
        ("SELECT COUNT(*) FROM (t)", None, "Write t without parentheses, at line 1, column 22."),
        ("SELECT 1 FROM a LEFT JOIN (t) ON true", None, "Write t without parentheses, at line 1, column 27."),
        ("SELECT FROM t", None, "Say behind SELECT what is asked for, such as COUNT(*)."),
        ("SELECT COUNT(*) FROM t GROUP BY k WHERE k > 1", None, "WHERE stands before GROUP BY."),
        ("SELECT COUNT(*) FROM t HAVING COUNT(*) > 5 GROUP BY k", None, "GROUP BY stands before HAVING."),
        ("SELECT CASE WHEN k THEN 1 FROM t", 25, "CASE is closed by END."),
        ("SELECT k COUNT(*) FROM t", 15, "Is a comma missing before COUNT?"),
        ("SELECT COUNT(*) FROM t AS orders groups", 34, SPACED.format("groups", "orders groups")),
        ("SELECT COUNT(*) FROM t WHERE Bill Month = '2025-01'", 39, SPACED.format("Month", "Bill Month")),
        ('SELECT "a" b c FROM t', 14, SPACED.format("c", "b c")),
        ('SELECT a "b" "c" FROM t', 15, "Is a comma missing before c?"),
        ("SELECT COUNT(*) FROM t WHERE k BETWEEN 1, 5", 42, ANYTHING),
        ("SELECT 1 'x'", 10, ANYTHING),
        ("PIVOT t ON k IN (1, 2) USING SUM(x) HAVING x > 1", 37, "Write SELECT * FROM (PIVOT ...) WHERE ..."),
    ],
)
def test_the_likely_mistake_is_named(sql: str, column: int | None, said: str) -> None:
    assert hint(sql, column) == said


def test_clauses_of_subqueries_and_windows_are_no_clauses_out_of_order() -> None:
    inside = (
        "SELECT (SELECT 1 FROM t ORDER BY 1), SUM(x) OVER (ORDER BY x) FROM t WHERE k IN (SELECT 1 FROM t)"
    )
    assert hint(f"{inside} LIMIT 'x'") == ANYTHING
    assert hint("SELECT 1 FROM t ORDER BY 1 UNION SELECT 1 FROM t WHERE 1 2") == ANYTHING


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT HOUR(at) AS h, COUNT(*) FROM t GROUP BY h",
        "SELECT COUNT(*) FROM t WHERE at >= 3",
        "SELECT COUNT(*) FROM t GROUP BY at",
        "SELECT k, at FROM t",
        "SELECT EXTRACT(hour FROM at) FROM t",
        "SELECT COUNT(*) FROM t WHERE at BETWEEN 1 AND 2",
    ],
)
def test_a_column_called_like_a_key_word_is_to_be_quoted(sql: str) -> None:
    assert hint(sql) == 'at is a key word of DuckDB: as the name of a column it is written "at".'


@pytest.mark.parametrize(
    "sql",
    [
        'SELECT HOUR("at") FROM t',
        "SELECT t.at FROM t",
        "SELECT k AT TIME ZONE 'UTC' FROM t",
        "SELECT 'at' FROM t",
    ],
)
def test_where_it_is_none_or_quoted_nothing_is_said_of_it(sql: str) -> None:
    assert hint(sql) == ANYTHING
