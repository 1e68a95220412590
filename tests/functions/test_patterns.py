"""LIKE and ILIKE match as the engine's own do, and in time linear in the text."""

import time

import pytest
from edges import Engine, rendered
from function_cases import COLUMNS, lit
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dpsql.algebra.facts import Fact
from dpsql.algebra.functions import apply
from dpsql.algebra.functions.table import Mistyped
from dpsql.algebra.types import SqlType

S = COLUMNS["s"]
FACTS = {S: Fact(SqlType.TEXT, False)}
LETTERS = st.text("abAB.\\[]^$|(){}?*+-é\n\0ßİ日 '", max_size=8)
PATTERNS = st.text("abAB.\\[]^$|*+é\nßİ %_", max_size=8)


@given(LETTERS, PATTERNS, st.sampled_from(["like", "ilike"]))
@example("xaİb", "_a%i_", "ilike")
@example("a\nb", "a_%b", "like")
@settings(max_examples=400)
def test_a_pattern_matches_as_in_the_engine(
    engines: tuple[Engine, Engine], text: str, pattern: str, op: str
) -> None:
    ours = rendered(apply(op, (S, lit(pattern))), FACTS)
    sql = f'SELECT {ours}, "s" {op} $pattern FROM (SELECT CAST($text AS VARCHAR) AS "s")'
    found = engines[0].connection.execute(sql, {"text": text, "pattern": pattern}).fetchall()
    assert found[0][0] == found[0][1], sql


@given(LETTERS, PATTERNS, st.sampled_from(["!", "%", "_", "\\", "", "+"]), st.sampled_from(["like", "ilike"]))
@example("a%b", "a!%b", "!", "like")
@example("a_b", "a__b", "_", "ilike")
@settings(max_examples=300)
def test_an_escaped_pattern_matches_as_in_the_engine(
    engines: tuple[Engine, Engine], text: str, pattern: str, escape: str, op: str
) -> None:
    sql = f'SELECT "s" {op} $pattern ESCAPE $escape FROM (SELECT CAST($text AS VARCHAR) AS "s")'
    given = {"text": text, "pattern": pattern, "escape": escape}
    try:
        ours = rendered(apply(f"{op}_escape", (S, lit(pattern), lit(escape))), FACTS)
    except Mistyped:
        assert pattern.endswith(escape)  # the engine raises there, for texts that reach so far
        return
    theirs = engines[0].connection.execute(sql, given).fetchall()
    sql = f'SELECT {ours} FROM (SELECT CAST($text AS VARCHAR) AS "s")'
    assert engines[0].connection.execute(sql, {"text": text}).fetchall() == theirs, sql


@pytest.mark.parametrize("op", ["like", "ilike"])
@pytest.mark.parametrize("pattern", ["%a" * 20 + "%b", "%a_" * 20 + "%b", "%_a" * 300 + "b"])
def test_a_hostile_pattern_takes_no_longer_than_the_text(
    op: str, pattern: str, engines: tuple[Engine, Engine]
) -> None:
    sql = f"SELECT {rendered(apply(op, (S, lit(pattern))), FACTS)} FROM (SELECT repeat('a', 50000) AS \"s\")"
    began = time.process_time()
    assert engines[0].connection.execute(sql).fetchall() == [(False,)]
    assert time.process_time() - began < 5
