"""Every regular expression that is let through is one that the engine takes, and matches in time linear in the text."""

import time

import pytest
from edges import Engine, rendered
from function_cases import COLUMNS, lit
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dpsql.algebra.expressions import Expr, Literal
from dpsql.algebra.facts import Fact, Facts
from dpsql.algebra.functions import Mistyped, apply, fact_rule
from dpsql.algebra.functions.text.regex import check_pattern
from dpsql.algebra.types import SqlType

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


@pytest.mark.slow
@given(PATTERNS, st.text("ab1 Éé._-\n", max_size=8), st.sampled_from([(), (lit("i"),)]))
@example("(a{100}){100}", "a", ())
@example("((a?){100}|b)*", "b", ())
@example("[^k]{100}" * 22, "kK" * 9, (lit("i"),))
@settings(max_examples=2000)
def test_the_engine_takes_every_pattern_that_is_let_through(
    engines: tuple[Engine, Engine], pattern: str, text: str, option: tuple[Literal, ...]
) -> None:
    if not admitted(pattern):
        return
    ours = rendered(apply("regexp_matches", (S, lit(pattern), *option)), FACTS)
    same = f"'{option[0].value}'" if option else "''"
    sql = f'SELECT {ours}, regexp_matches("s", $pattern, {same}) FROM (SELECT CAST($text AS VARCHAR) AS "s")'
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


LONG = [
    "repeat('a', 20000)",
    "repeat('ab', 10000)",
    "repeat('aab', 6600)",
    "repeat('a', 10000) || repeat('b', 9999)",
]
STRAIGHT = [
    "\\s+",
    "[^0-9]+",
    "a",
    "",
    "a+b",
    "a[ab]*b",
    "(\\d+)-?",
    "x?a*b{2}",
    "\\ba+\\b",
    "ab|ba",
    "(ab|b)[^c]{3,}",
]
TANGLED = [
    "a+b|a",
    "a(?:.*c)?",
    "a*c|.",
    "(a+b)?a",
    "(?:a|b)*a(?:a|b){90}c|.",
    "a.*b.*c",
    "a*?b",
    "(?:aa)+",
    "(a|b+)a",
]


def every_match(pattern: str, text: Expr = S) -> str:
    return rendered(apply("regexp_replace", (text, lit(pattern), lit("y"), lit("g"))), FACTS)


@pytest.mark.parametrize("pattern", STRAIGHT)
@pytest.mark.parametrize("text", LONG)
def test_every_match_is_replaced_in_time_linear_in_the_text(
    pattern: str, text: str, engines: tuple[Engine, Engine]
) -> None:
    sql = f'SELECT length({every_match(pattern)}) FROM (SELECT {text} AS "s")'
    began = time.process_time()
    engines[0].connection.execute(sql).fetchall()
    assert time.process_time() - began < 0.5


@pytest.mark.parametrize("pattern", [*TANGLED, "[ab]{99}[ab]{99}[ab]{9}", "(?:[ab]x?){0,100}b"])
def test_a_pattern_whose_failed_attempts_could_read_on_is_refused_with_g(pattern: str) -> None:
    with pytest.raises(Mistyped, match="LEFT"):
        Facts(FACTS, fact_rule).of(apply("regexp_replace", (S, lit(pattern), lit("y"), lit("g"))))


@pytest.mark.parametrize("pattern", TANGLED)
def test_any_pattern_is_replaced_everywhere_in_a_short_text(
    pattern: str, engines: tuple[Engine, Engine]
) -> None:
    short = every_match(pattern, apply("left", (S, lit(256))))
    sql = f"SELECT length({short}) FROM (SELECT repeat('😀a', 20000) AS \"s\")"
    began = time.process_time()
    engines[0].connection.execute(sql).fetchall()
    assert time.process_time() - began < 0.5
    assert rendered(apply("regexp_replace", (S, lit(pattern), lit("y"))), FACTS)
