"""What DuckDB describes of a tree that was changed: the words of the text for all that is as it was."""

from __future__ import annotations

import pytest
from gate_cases import Case, read_cases

from dpsql.sql.dialect import Node
from dpsql.sql.lex.text import read_text
from dpsql.sql.lex.tokens import read_tokens
from dpsql.sql.parse.described_text import stood_in_tree
from dpsql.sql.parse.gate import _parse
from dpsql.sql.parse.privacy_options import peel_options

CASES = tuple(case for case in read_cases("admitted.sql") if case.refused is None)


def parsed(sql: str) -> Node:
    text, _ = peel_options(read_text(sql))
    return _parse(text.sql, read_tokens(text.sql, text.code, text.inserted))


@pytest.mark.one_in(6)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.sql)
def test_the_words_of_what_is_unchanged_are_read_as_the_same(case: Case) -> None:
    text, _ = peel_options(read_text(case.sql))
    tree = parsed(case.sql)
    try:
        plain = parsed(tree.sql(dialect="duckdb", comments=False))
    except Exception:
        pytest.skip("sqlglot does not read what it writes of this")
    if plain == tree:  # FETCH is LIMIT, and FROM stands behind SELECT, where sqlglot writes them
        assert parsed(stood_in_tree(tree, text.sql, tree.copy())) == tree


def test_only_what_was_changed_is_written_anew() -> None:
    sql = (
        "SELECT date_trunc('month', d), 1::VARCHAR, NVL(x::TEXT, 'a') FROM t GROUP BY date_trunc('month', d)"
    )
    tree = parsed(sql)
    tree.expressions[2].set("this", "COALESCE")
    assert stood_in_tree(tree, sql, parsed(sql)) == sql.replace("NVL", "COALESCE")


def test_a_type_stays_a_type() -> None:
    """sqlglot looks at the type of a cast inside LOWER; words in its place are an error before version 29."""
    sql = "SELECT LOWER(CAST($a AS VARCHAR)), NVL(x, 'a') FROM t"
    tree = parsed(sql)
    tree.expressions[1].set("this", "COALESCE")
    assert stood_in_tree(tree, sql, parsed(sql)) == "SELECT LOWER(CAST($a AS TEXT)), COALESCE(x, 'a') FROM t"
