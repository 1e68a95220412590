"""What is planned once for several texts, and what is never taken for the same."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import pytest

from dpsql.errors import QueryRefused
from dpsql.release.prepared_query import PreparedQuery
from dpsql.session import Session
from dpsql.sql.lex.text import bare, read_text
from dpsql.stages.prepare import prepare
from plan.opened import Table

_TABLE = Table(
    {"x": "float, lower: -9, upper: 9", "g": "text, values: [a, b, 'b  b', 'b b']"},
    privacy="max_rows_per_unit: 2",
)
COUNT = "SELECT g, COUNT(*) FROM t WHERE g <> 'b  b' GROUP BY g"
SAME = (
    "-- user 7\nSELECT g,\tCOUNT(*)  FROM t\r\nWHERE g <> 'b  b' GROUP BY g",
    f"  {COUNT} /* 1 /* nested */ */ -- 2",
    COUNT.replace(" ", "\t").replace("b\t\tb", "b  b"),
)
WORDS = (
    ("SELECT 1", "SELECT/**/1", "SELECT  1 --", "\r\n SELECT 1"),
    ("SELECT 'a' 'b'", "SELECT 'a'/**/'b'"),
    ("SELECT 'a'\n'b'", "SELECT 'a' --\n 'b'", "SELECT 'a'/*\n*/'b'"),
    ("SELECT 'a''b'",),
    ("SELECT '--' AS \"/* */\"",),
    ("SELECT 'A' 'b'",),
    ("SELECT a-- b\n- b", "SELECT a\n- b"),
    ("SELECT a - - b",),
    ("SELECT /*+ x */ 1",),
    ("EXPLAIN SELECT 1", "explain /* */ SELECT 1"),
    ("EXPLAIN VERBOSE SELECT 1", "explain (verbose) SELECT 1"),
    ("select 1",),
)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    opened = _TABLE.open(tmp_path_factory.mktemp("once"))
    yield opened
    opened.close()


def _ready(session: Session, sql: str, *params: object) -> PreparedQuery:
    return prepare(sql, params or None, session._state)


@pytest.mark.parametrize("same", WORDS)
def test_texts_are_the_same_words_where_every_parser_reads_the_same_tokens(same: tuple[str, ...]) -> None:
    (found,) = {bare(read_text(sql)) for sql in same}
    others = {bare(read_text(sql)) for texts in WORDS if texts is not same for sql in texts}
    assert found not in others


def test_comments_and_white_space_make_no_other_plan(session: Session) -> None:
    first = _ready(session, COUNT)
    assert "b  b" in first.cut.public_query + str(first.plan)
    assert all(_ready(session, sql) is first for sql in SAME)
    assert _ready(session, COUNT.replace("b  b", "b b")) is not first


def test_what_is_refused_for_a_comment_is_refused_where_the_rest_was_planned_before(session: Session) -> None:
    assert _ready(session, COUNT)
    with pytest.raises(QueryRefused, match="U\\+200B"):
        _ready(session, f"{COUNT} -- \u200b")


def test_options_are_read_as_they_are_written(session: Session) -> None:
    clause = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = {}) COUNT(*) FROM t"
    assert _ready(session, clause.format("0.5")).due[0].cost.epsilon == Decimal("0.5")
    with pytest.raises(QueryRefused):
        _ready(session, clause.format("0. 5"))


def test_the_same_questions_at_another_cost_are_planned_again(session: Session) -> None:
    clause = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = {}) SUM(x) FROM t"
    found = {e: _ready(session, clause.format(e)).due[0].cost.epsilon for e in ("0.5", "0.25", "0.5")}
    assert found == {"0.5": Decimal("0.5"), "0.25": Decimal("0.25")}


def test_the_same_questions_are_planned_once_and_finished_by_each_text(session: Session) -> None:
    first = _ready(session, "SELECT g, COUNT(*) AS n FROM t GROUP BY g")
    other = _ready(session, "SELECT g AS gg, COUNT(*) + 1 FROM t GROUP BY 1 HAVING COUNT(*) > 3 LIMIT 1")
    assert [a is b for a, b in zip(first.plan.releases, other.plan.releases, strict=True)] == [True]
    assert first.charges == other.charges and first.queries == other.queries
    assert first.plan.public_query != other.plan.public_query
    assert [c.name for c in other.columns] == ["gg", "(count_star() + 1)"]


@pytest.mark.parametrize(
    ("one", "other"),
    [(0.0, -0.0), (1.0, True), (1, 1.0), (Decimal("1.0"), Decimal("1.00")), ("1", 1)],
    ids=str,
)
def test_values_that_only_compare_equal_are_other_questions(
    one: object, other: object, session: Session
) -> None:
    sql = "SELECT COUNT(*) FROM t WHERE CAST(x AS VARCHAR) <> CAST(? AS VARCHAR)"
    found = []
    for value in (one, other):
        try:
            found.append(_ready(session, sql, value))
        except QueryRefused:
            found.append(None)
    assert found[0] is None or found[1] is None or found[0] is not found[1]


def test_zeros_of_two_signs_are_not_found_for_each_other(session: Session) -> None:
    sql = "SELECT COUNT(*) FROM t WHERE x > {}"
    one, other = (_ready(session, sql.format(f"CAST('{zero}' AS DOUBLE)")) for zero in ("0.0", "-0.0"))
    assert one.plan.releases[0] is not other.plan.releases[0]


def test_people_are_shown_the_call_as_this_text_writes_it(session: Session) -> None:
    shown = [
        session.explain(f"SELECT SUM({name}) FROM t{alias}").releases[0].output
        for name, alias in (("x", ""), ("o.x", " AS o"))
    ]
    assert shown == ["SUM(x)", "SUM(o.x)"]
