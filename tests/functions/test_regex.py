"""Every regular expression that is let through is one that the engine takes, and matches in time linear in the text."""

import time

import pytest
from edges import Engine, rendered
from function_cases import COLUMNS, lit
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dpsql.algebra.facts import Fact
from dpsql.algebra.types import SqlType
from dpsql.functions import Mistyped, apply
from dpsql.functions.regex import check_pattern

S = COLUMNS["s"]
FACTS = {S: Fact(SqlType.TEXT, False)}
ANY = st.text("ab1\\.[]^$|()?*+-{},:dwsbBSW_ /é\n", max_size=12)
PIECES = st.sampled_from(
    ["a", "é", ".", "\\d", "\\W", "\\b", "\\.", "[a-z]", "[^\\s-]", "[]]", "[a-]", "^", "$", "|", "(", "(?:", ")",
     "*", "+", "?", "{2}", "{1,}", "{2,3}", "{100}", "{1,1000}", "(?i)", "\\1", "\\p", "[[:alpha:]]", "\\_"]
)  # fmt: skip
PATTERNS = st.one_of(ANY, st.lists(PIECES, max_size=10).map("".join))


def admitted(pattern: str) -> bool:
    try:
        check_pattern(pattern)
    except Mistyped:
        return False
    return True


@given(PATTERNS, st.text("ab1 é._-\n", max_size=8))
@example("(a{100}){100}", "a")
@example("((a?){100}|b)*", "b")
@settings(max_examples=2000)
def test_the_engine_takes_every_pattern_that_is_let_through(
    engines: tuple[Engine, Engine], pattern: str, text: str
) -> None:
    if not admitted(pattern):
        return
    ours = rendered(apply("regexp_matches", (S, lit(pattern))), FACTS)
    sql = f'SELECT {ours}, regexp_matches("s", $pattern) FROM (SELECT CAST($text AS VARCHAR) AS "s")'
    found = engines[0].connection.execute(sql, {"text": text, "pattern": pattern}).fetchall()
    assert found[0][0] == found[0][1]


@pytest.mark.parametrize(
    "pattern",
    ["^[A-Z]\\d{2,4}-(x|y)?$", "a|b|", "\\.\\$", "(?:ab)+?", "[^0-9]", "\\bfoo\\b", "é+", "", "()", "x{0,3}"],
)
def test_ordinary_patterns_are_let_through(pattern: str) -> None:
    assert admitted(pattern)


@pytest.mark.parametrize(
    "pattern",
    ["a**", "*a", "(", ")", "[", "[]", "[b-a]", "a{101}", "a{2,1}", "(a{9}){9}", "(?i)a", "(?P<n>a)", "\\1", "\\pL",
     "^*", "[[:alpha:]]", "a{", "a\n", "\\", "a" * 201, "(" * 21 + ")" * 21, "a+++", "x{,3}", "x{1,2,3}"],
)  # fmt: skip
def test_what_the_engine_may_refuse_is_refused(pattern: str) -> None:
    assert not admitted(pattern)


@pytest.mark.parametrize("pattern", ["(a|aa)+$", "(a*)*b", "(a?){100}a{100}b", "(.*)(.*)(.*)(.*)[^a]"])
def test_a_hostile_pattern_takes_no_longer_than_the_text(
    pattern: str, engines: tuple[Engine, Engine]
) -> None:
    if not admitted(pattern):
        pytest.skip("refused")
    ours = rendered(apply("regexp_matches", (S, lit(pattern))), FACTS)
    sql = f"SELECT {ours} FROM (SELECT repeat('a', 50000) AS \"s\")"
    began = time.process_time()
    engines[0].connection.execute(sql).fetchall()
    assert time.process_time() - began < 5
