"""Queries that are long, deep or heavy: bounded work before the charge, or a refusal."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from attacks.neighbours import Database

SECONDS = 10  # many times what any of them takes


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    opened = Database(tmp_path_factory.mktemp("limits"), "with", "listed")
    yield opened
    opened.session.close()


def listed(form: str, count: int, separator: str = ", ") -> str:
    return separator.join(form.format(i=i) for i in range(count))


WIDE = {
    "filtered counts": f"SELECT {listed('count(*) FILTER (WHERE age = {i})', 300)} FROM visits",
    "values": f"SELECT count(*) FROM visits WHERE age IN ({listed('{i}', 5000)})",
    "texts": f"SELECT count(*) FROM visits WHERE note IN ({listed(chr(39) + '{i}' + chr(39), 5000)})",
    "branches": f"SELECT CASE {listed('WHEN age = {i} THEN {i}', 500, ' ')} END AS x, count(*) FROM visits GROUP BY x",
    "unions": listed("SELECT count(*) FROM visits WHERE age > {i}", 60, " UNION ALL "),
    "subqueries": f"SELECT {listed('(SELECT count(*) FROM visits WHERE age > {i})', 60)}",
    "steps": "WITH c AS (SELECT * FROM visits)"
    + listed(", d{i} AS (SELECT * FROM c)", 200, "")
    + " SELECT count(*) FROM d199",
    "conditions": f"SELECT count(*) FROM visits WHERE {listed('age <> {i}', 150, ' AND ')}",
    "keys": f"SELECT {listed('age > {i} AS b{i}', 16)}, count(*) FROM visits GROUP BY ALL",
    "many keys": f"SELECT {listed('age > {i} AS b{i}', 60)}, count(*) FROM visits GROUP BY ALL",
}
REFUSED = {
    "parentheses": ("SELECT count(*) FROM visits WHERE age > " + "(" * 31 + "1" + ")" * 31, "nested deeper"),
    "doubling": (
        "WITH c0 AS (SELECT note AS x FROM visits)"
        + "".join(f", c{i + 1} AS (SELECT x || x AS x FROM c{i})" for i in range(20))
        + " SELECT count(*) FROM c20 WHERE x = 'a'",
        "100 times as long",
    ),
    "growing": (
        "WITH c0 AS (SELECT age AS x FROM visits)"
        + "".join(f", c{i + 1} AS (SELECT x - x + x AS x FROM c{i})" for i in range(20))
        + " SELECT count(*) FROM c20 WHERE x = 1",
        "too large",
    ),
    "fan-out": (
        "SELECT count(*) FROM visits, codes a, codes b WHERE patient = 777777",
        "can match one private row",
    ),
    "padding": ("SELECT length(lpad('x', 2000000000, 'y'))", "LPAD and RPAD"),
    "padding by a column": ("SELECT length(rpad('x', code, 'y')) FROM codes", "LPAD and RPAD"),
    "padding in a probe": ("SELECT lpad('x', 2000000000, 'y') LIMIT 0", "LPAD and RPAD"),
    "length": ("SELECT 1 -- " + "x" * 100_000, "characters"),
    "words": ("SELECT " + "1," * 12_000 + "1", "words and symbols"),
}


@pytest.mark.parametrize("sql", WIDE.values(), ids=WIDE)
def test_planning_a_wide_query_takes_seconds_at_most(sql: str, database: Database) -> None:
    start = time.perf_counter()
    database.session.explain(sql)
    assert time.perf_counter() - start < SECONDS


@pytest.mark.parametrize(("sql", "reason"), REFUSED.values(), ids=REFUSED)
def test_a_query_whose_work_has_no_bound_is_refused_at_once(
    sql: str, reason: str, database: Database
) -> None:
    start = time.perf_counter()
    seen = database.ask(sql)
    assert seen.kind == "QueryRefused" and reason in seen.message
    assert time.perf_counter() - start < SECONDS
