"""What the gate promises of the text, the placeholders, the places and the process around it."""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Callable

import pytest
from gate_cases import DuckDBStatements, sqlglot_before
from sqlglot import exp

from dpsql.errors import Place, ProgrammingError, QueryRefused
from dpsql.sql.ast.positions import place_of
from dpsql.sql.lex.text import MAX_CHARACTERS
from dpsql.sql.lex.tokens import MAX_NESTING, MAX_TOKENS
from dpsql.sql.parse.gate import Admitted, gate
from dpsql.sql.validate.allow import MAX_TREE_DEPTH


@pytest.fixture(scope="module")
def statements() -> DuckDBStatements:
    return DuckDBStatements()


def admit(sql: str) -> Admitted:
    return gate(sql, DuckDBStatements())


def refusal(sql: str) -> QueryRefused:
    with pytest.raises(QueryRefused) as caught:
        admit(sql)
    return caught.value


@pytest.mark.parametrize("sql", [None, b"SELECT 1", 1, ["SELECT 1"]])
def test_a_query_that_is_not_text_is_a_programming_error(sql: object) -> None:
    with pytest.raises(ProgrammingError, match="a query is text") as caught:
        admit(sql)  # type: ignore[arg-type]
    assert not isinstance(caught.value, QueryRefused)


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("name", "char"),
    [
        ("no-break space", "\u00a0"),
        ("ideographic space", "\u3000"),
        ("zero width space", "\u200b"),
        ("zero width joiner", "\u200d"),
        ("right-to-left override", "\u202e"),
        ("zero width no-break space", "\ufeff"),
        ("soft hyphen", "\u00ad"),
        ("line separator", "\u2028"),
        ("control character", "\0"),
        ("control character", "\x0b"),
        ("control character", "\x85"),
        ("control character", "\r"),
        ("control character", "\ud800"),
    ],
)
@pytest.mark.parametrize(
    "frame", ["SELECT{}1", "SELECT a{}b FROM t", 'SELECT "a{}b"', "SELECT 1 -- {}", "SELECT /*{}*/ 1"]
)
def test_an_odd_character_outside_string_literals_is_refused_by_name(
    frame: str, name: str, char: str
) -> None:
    error = refusal(frame.format(char))
    assert name in error.reason
    assert error.place == Place(1, frame.index("{") + 1)


@pytest.mark.parametrize("char", ["\u00a0", "\u200b", "\u202e", "\x07", "é", "🙂", "\n", "\t"])
def test_a_string_literal_may_hold_any_character_but_nul_and_half_surrogates(char: str) -> None:
    literal = admit(f"SELECT 'a{char}b' AS x").tree.find(exp.Literal)
    assert literal is not None
    assert literal.name == f"a{char}b"
    assert refusal("SELECT\n 'a\0'").place == Place(2, 4)
    assert refusal("SELECT '\udc00'").place == Place(1, 9)


@pytest.mark.parametrize("name", ["\uff54", "größe", "\u0430mount", "表"])
def test_letters_of_any_script_make_a_name_as_they_are(name: str) -> None:
    column = admit(f"SELECT {name} FROM t").tree.find(exp.Column)
    assert column is not None
    assert column.name == name


def test_the_length_of_a_text_is_limited() -> None:
    assert admit("SELECT 1" + " " * (MAX_CHARACTERS - 8))
    assert "characters" in refusal("SELECT 1" + " " * (MAX_CHARACTERS - 7)).reason


def test_the_number_of_tokens_is_limited() -> None:
    assert admit(f"SELECT 1 IN (1{',1' * (MAX_TOKENS // 2 - 5)})")
    assert "words and symbols" in refusal(f"SELECT 1 IN (1{',1' * (MAX_TOKENS // 2)})").reason


NESTINGS: dict[str, Callable[[int], str]] = {
    "parentheses": lambda n: "SELECT " + "(" * n + "1" + ")" * n,
    "calls": lambda n: "SELECT " + "abs(" * n + "1" + ")" * n,
    "subqueries": lambda n: "SELECT " + "(SELECT " * n + "1" + ")" * n,
    "derived tables": lambda n: "SELECT * FROM " + "(SELECT * FROM " * n + "t" + ")" * n,
    "CASE": lambda n: "SELECT " + "CASE WHEN a THEN " * n + "1" + " END" * n,
    "casts": lambda n: "SELECT " + "CAST(" * n + "1" + " AS INT)" * n,
    "NOT": lambda n: "SELECT " + "NOT " * n + "a",
    "minus": lambda n: "SELECT " + "- " * n + "a",
    "plus and minus": lambda n: "SELECT " + "+ - " * (n // 2) + "a",
}


@pytest.mark.parametrize("nesting", NESTINGS.values(), ids=NESTINGS)
def test_nesting_is_admitted_to_its_limit_and_refused_beyond_it(nesting: Callable[[int], str]) -> None:
    assert admit(nesting(MAX_NESTING))
    assert "nested deeper than" in refusal(nesting(MAX_NESTING + 3)).reason


@pytest.mark.parametrize("word", ["NOT a = ", "interval ", "if "])
def test_nesting_that_no_token_shows_ends_in_a_refusal_as_well(word: str) -> None:
    assert "nested too deeply" in refusal("SELECT " + word * 3000 + "1").reason


@pytest.mark.parametrize("word", ["date(", "decimal(", "text(", "(timestamp ", "1 asof("])
def test_nesting_that_sqlglot_reads_again_and_again_ends_soon(word: str) -> None:
    assert refusal("SELECT " + word * 28 + "1" + ")" * 28).reason


@pytest.mark.parametrize(
    "part",
    [
        *("OR a = 1 ", "+ 1 ", "UNION ALL SELECT 1 ", "|| 'a' ", "::INT "),
        pytest.param(
            "IS NULL ", marks=pytest.mark.skipif(sqlglot_before("30.24"), reason="reads two of them")
        ),
    ],
)
def test_a_long_chain_of_operators_is_refused_before_it_makes_a_deep_tree(part: str) -> None:
    assert admit("SELECT a = 1 " + part * (MAX_TREE_DEPTH // 2))
    assert "too long" in refusal("SELECT a = 1 " + part * MAX_TREE_DEPTH).reason


def test_a_refusal_does_not_depend_on_how_deep_the_caller_is() -> None:
    def at_depth(n: int) -> Admitted:
        return admit(NESTINGS["casts"](MAX_NESTING)) if n == 0 else at_depth(n - 1)

    assert at_depth(sys.getrecursionlimit() - 200)


def test_placeholders_are_numbered_in_the_order_of_the_text_and_placed() -> None:
    admitted = admit("SELECT a + ? FROM t\nWHERE b = ? AND c IN (?)\nLIMIT ?")
    marks = sorted((n.name, place_of(n)) for n in admitted.tree.find_all(exp.Placeholder))
    assert admitted.positional == 4
    assert admitted.named == ()
    assert marks == [("1", Place(1, 12)), ("2", Place(2, 11)), ("3", Place(2, 23)), ("4", Place(3, 7))]


def test_named_placeholders_are_listed_by_first_use() -> None:
    admitted = admit("SELECT $b, $a FROM t WHERE x = $b AND y = $date LIMIT $n")
    assert admitted.named == ("b", "a", "date", "n")
    assert admitted.positional == 0
    assert {n.name for n in admitted.tree.find_all(exp.Placeholder)} == {"b", "a", "date", "n"}


def test_numbered_placeholders_are_named_by_their_numbers() -> None:
    admitted = admit("SELECT $2 FROM t WHERE b IN ($1,$2)")
    assert (admitted.positional, admitted.named) == (0, ("2", "1"))
    assert [n.name for n in admitted.tree.find_all(exp.Placeholder)].count("2") == 2


def test_a_question_mark_in_a_literal_or_a_comment_is_no_placeholder() -> None:
    admitted = admit("SELECT '?', \"?\" -- ?\n FROM t /* ? $x */ WHERE a = ?")
    assert (admitted.positional, admitted.named) == (1, ())


def test_explain_is_peeled_off_and_places_stay_those_of_the_text() -> None:
    admitted = admit("/* why */ explain\nSELECT a FROM t;")
    column = admitted.tree.find(exp.Column)
    assert admitted.explain
    assert admitted.described == "SELECT a FROM t;"
    assert column is not None
    assert place_of(column) == Place(2, 8)
    assert not admit("SELECT explain FROM t").explain


def test_comments_and_the_semicolon_stay_in_the_text_and_out_of_the_tree() -> None:
    sql = "SELECT a -- sqlglot.meta x=1\n, count(b) /* sqlglot.anonymous */ FROM t; -- end"
    admitted = admit(sql)
    assert admitted.described == sql
    assert all(not n.comments for n in admitted.tree.walk())
    assert admitted.tree.find(exp.Count) is not None


@pytest.mark.parametrize(
    ("sql", "node", "place"),
    [
        ("SELECT a,\n  bb + 1 FROM t", exp.Add, Place(2, 3)),
        ("SELECT 'x\ny', abs(a) FROM t", exp.Abs, Place(2, 5)),
        ("SELECT max(a) FROM t", exp.Max, Place(1, 8)),
        ("SELECT (1 + a) FROM t", exp.Paren, Place(1, 8)),
        ("SELECT NULL", exp.Null, Place(1, 8)),
        ("SELECT 1 + TRUE", exp.Boolean, Place(1, 12)),
        ("SELECT INTERVAL '1 day'", exp.Interval, Place(1, 8)),
        ("SELECT CASE WHEN a THEN 1 END FROM t", exp.Case, Place(1, 8)),
        ("SELECT trim(both 'x' from a) FROM t", exp.Trim, Place(1, 8)),
        ("SELECT s.t.a FROM s.t", exp.Column, Place(1, 8)),
        ("SELECT\r\n  count(*) FROM t", exp.Star, Place(2, 9)),
        ("SELECT sum(a) FILTER (WHERE b) FROM t", exp.Filter, Place(1, 8)),
        ("SELECT sum(a) OVER (ORDER BY b) FROM t", exp.Window, Place(1, 8)),
        ("SELECT 'größe', größe FROM t", exp.Column, Place(1, 17)),
        ("SELECT a FROM t WHERE b IN (1, 2)", exp.In, Place(1, 23)),
        ("SELECT a FROM t JOIN u ON t.a = u.a", exp.Join, Place(1, 22)),
    ],
)
def test_a_node_has_the_place_where_its_leftmost_leaf_begins(
    sql: str, node: type[exp.Expr], place: Place
) -> None:
    found = admit(sql).tree.find(node)
    assert found is not None
    assert place_of(found) == place


def test_parentheses_around_the_whole_query_are_taken_off() -> None:
    tree = admit("((SELECT 1 AS a))").tree
    assert isinstance(tree, exp.Select)
    assert tree.parent is None


class Counts:
    """A second opinion that always says the same."""

    def __init__(self, count: int | None) -> None:
        self.count, self.asked = count, ""

    def select_statements(self, text: str) -> int:
        self.asked = text
        if self.count is None:
            raise ValueError("syntax error near secret")
        return self.count


@pytest.mark.parametrize("count", [None, 0, 2])
def test_what_the_engines_parser_does_not_take_for_one_select_is_refused(count: int | None) -> None:
    with pytest.raises(QueryRefused) as caught:
        gate("SELECT 1", Counts(count))
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_the_engines_parser_is_asked_about_the_text_without_explain() -> None:
    counts = Counts(1)
    gate("EXPLAIN SELECT 1 -- x", counts)
    assert counts.asked == "SELECT 1 -- x"


def test_sqlglots_logger_is_silent_and_left_as_it_was(caplog: pytest.LogCaptureFixture) -> None:
    logger = logging.getLogger("sqlglot")
    before = (list(logger.filters), logger.level, logger.disabled, logger.propagate, list(logger.handlers))
    with caplog.at_level(logging.DEBUG):
        for sql in ("LOAD httpfs", "WITH x AS (LOAD httpfs) SELECT 1", "SELECT * FROM (KILL 1)"):
            refusal(sql)
    after = (list(logger.filters), logger.level, logger.disabled, logger.propagate, list(logger.handlers))
    assert caplog.records == []
    assert after == before


def test_no_thread_outlives_the_gate() -> None:
    before = threading.active_count()
    admit("SELECT 1")
    refusal("SELECT " + "NOT a = " * 3000 + "1")
    ended = time.monotonic() + 10
    while threading.active_count() > before and time.monotonic() < ended:
        time.sleep(0.01)
    assert threading.active_count() <= before
