"""Queries that are long, deep or heavy: bounded work before the charge, or a refusal."""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator

import pytest

from attacks.neighbours import Database

# Of the processor, for planning: several times what any of them takes.
SECONDS = 6
MEGABYTES = 300


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    opened = Database(tmp_path_factory.mktemp("limits"), "with", "listed")
    yield opened
    opened.session.close()


def listed(form: str, count: int, separator: str = ", ") -> str:
    return separator.join(form.format(i=i) for i in range(count))


def doubled(count: int) -> str:
    return "".join(f", a{i} + a{i} AS a{i + 1}" for i in range(count))


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
    "joins": "SELECT count(*) FROM visits JOIN "
    + listed("wards w{i} ON visits.ward = w{i}.ward", 60, " JOIN "),
    "releases": f"SELECT {listed('(SELECT count(*) FROM visits WHERE age > {i})', 100)}",
    "sums": f"SELECT {listed('sum(age + {i})', 200)} FROM visits",
    "variances": f"SELECT {listed('stddev(age + {i})', 100)} FROM visits",
    "windows": "SELECT count(*) FROM (SELECT "
    + listed("lag(age, {i}) OVER (PARTITION BY patient ORDER BY day) AS l{i}", 100)
    + " FROM visits) x WHERE l1 > 3",
    "parts of parts of a text": "WITH c0 AS (SELECT note AS x FROM visits)"
    + "".join(f", c{i + 1} AS (SELECT split_part(x, 'a', 1) AS x FROM c{i})" for i in range(30))
    + " SELECT count(*) FROM c30 WHERE x = 'a'",
    "filtered steps": "WITH d0 AS (SELECT * FROM visits)"
    + "".join(f", d{i + 1} AS (SELECT * FROM d{i} WHERE age <> {i})" for i in range(150))
    + " SELECT count(*) FROM d150",
    "released values that double with every step": "WITH c0 AS (SELECT ward, count(*) AS n FROM visits GROUP BY ward)"
    + "".join(f", c{i + 1} AS (SELECT ward, (n + n) / 2 AS n FROM c{i})" for i in range(40))
    + " SELECT * FROM c40",
    "a union": f"SELECT count(*) FROM ({listed('SELECT * FROM visits WHERE age > {i}', 100, ' UNION ALL ')}) x",
    "unions of unions": "WITH u0 AS (SELECT * FROM visits)"
    + "".join(f", u{i + 1} AS (SELECT age FROM u{i} UNION ALL SELECT age FROM visits)" for i in range(40))
    + " SELECT count(*) FROM u40",
    "unions of other columns": "WITH u0 AS (SELECT age, nights FROM visits)"
    + "".join(
        f", u{i + 1} AS (SELECT nights AS age, age AS nights FROM u{i} UNION ALL SELECT age, nights FROM visits)"
        for i in range(20)
    )
    + " SELECT count(*) FROM u20",
    "steps for each unit": "WITH p0 AS (SELECT patient, count(*) AS c FROM visits GROUP BY patient)"
    + "".join(f", p{i + 1} AS (SELECT patient, sum(c) AS c FROM p{i} GROUP BY patient)" for i in range(40))
    + " SELECT sum(least(c, 5)) FROM p40",
    "private joins": "SELECT count(*) FROM visits a"
    + listed(" JOIN visits b{i} ON a.patient = b{i}.patient", 2, ""),
    "fed results": "SELECT count(*) FROM visits WHERE "
    + listed("age > (SELECT avg(age) FROM visits WHERE age > {i})", 80, " AND "),
    "tests for rows": "SELECT count(*) FROM visits AS v WHERE "
    + listed("EXISTS (SELECT 1 FROM wards w WHERE w.ward = v.ward AND w.wing > '{i}')", 60, " AND "),
    "a million cells": "SELECT day, age, nights, count(*) FROM visits GROUP BY ALL",
    "correlated": "SELECT "
    + listed("(SELECT max(w2.ward) FROM wards w2 WHERE w2.wing > w.wing || '{i}')", 30)
    + " FROM wards w",
    "a chain of names": "SELECT count(*) AS a0, "
    + ", ".join(f"a{i} + 1 AS a{i + 1}" for i in range(60))
    + " FROM visits",
    "a chain of names over groups": "SELECT ward, count(*) AS a0, "
    + ", ".join(f"a{i} + 1 AS a{i + 1}" for i in range(60))
    + " FROM visits GROUP BY ward",
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
    "rows of a unit that meet each other": (
        "SELECT count(*) FROM visits a"
        + listed(" JOIN visits b{i} ON a.patient = b{i}.patient", 3, "")
        + " WHERE a.patient = 777777",
        "any number of rows of its unit",
    ),
    "padding": ("SELECT length(lpad('x', 2000000000, 'y'))", "LPAD and RPAD"),
    "padding by a column": ("SELECT length(rpad('x', code, 'y')) FROM codes", "LPAD and RPAD"),
    "padding in a probe": ("SELECT lpad('x', 2000000000, 'y') LIMIT 0", "LPAD and RPAD"),
    "padding names of the system": (
        "SELECT lpad(table_name, 100000000, 'y') FROM information_schema.tables",
        "LPAD",
    ),
    "texts of the system": (
        "SELECT l.y FROM pg_class c, LATERAL (SELECT rpad(c.relname, 9000, 'a') AS x) k, "
        f"LATERAL (SELECT replace(k.x, 'a', '{'b' * 100}') AS y) l",
        "100000 characters",
    ),
    "formats of the system": (
        "SELECT format('%s%s%s%s%s%s', format('%s%s%s%s%s', n, n, n, n, n), n, n, n, n, n) "
        "FROM (SELECT relname AS n FROM pg_class) x",
        "100000 characters",
    ),
    "a text that doubles with every step": (
        "WITH RECURSIVE x(t, n) AS (SELECT relname::text, 1 FROM pg_class UNION ALL SELECT t || t, n + 1 FROM x "
        "WHERE n < 30) SELECT max(length(t)) FROM x",
        "WITH RECURSIVE",
    ),
    "tables of the system": (f"SELECT count(*) FROM {listed('pg_type a{i}', 20)}", "10000000 rows"),
    "series of the system": (
        "SELECT count(*) FROM generate_series(1, 100000) a(x), generate_series(1, 100000) b(y), pg_class",
        "10000000 rows",
    ),
    "names within names": (f"SELECT {'pg_get_userbyid(' * 25}1{')' * 25}", "too large"),
    "public tables": ("SELECT count(*) FROM codes a, codes b, codes c", "1000000000 rows"),
    "public tables with ranges": (
        "SELECT count(*) FROM codes a JOIN codes b ON a.code < b.code JOIN codes c ON b.code < c.code",
        "1000000000 rows",
    ),
    "public tables in a condition": (
        "SELECT count(*) FROM visits WHERE age IN (SELECT a.code FROM codes a, codes b, codes c)",
        "1000000000 rows",
    ),
    "public tables beside a result": (
        "SELECT sum(n) FROM (SELECT ward, count(*) AS n FROM visits GROUP BY ward) x, codes a, codes b, codes c",
        "1000000000 rows",
    ),
    "length": ("SELECT 1 -- " + "x" * 100_000, "characters"),
    "words": ("SELECT " + "1," * 12_000 + "1", "words and symbols"),
    "joins": ("SELECT count(*) FROM visits, " + listed("wards w{i}", 61), "60 joins"),
    "joins of joins": (
        "WITH d0 AS (SELECT ward FROM wards)"
        + "".join(f", d{i + 1} AS (SELECT a.ward FROM d{i} a, d{i} b)" for i in range(8))
        + " SELECT count(*) FROM d8",
        "60 joins",
    ),
    "expanded names": (
        "WITH d0 AS (SELECT ward FROM wards)"
        + "".join(
            f", d{i + 1} AS NOT MATERIALIZED (SELECT * FROM d{i} UNION ALL SELECT * FROM d{i})"
            for i in range(12)
        )
        + " SELECT count(*) FROM d12",
        "1000 SELECTs",
    ),
    "SELECTs": (f"SELECT {listed('(SELECT {i})', 260)}", "250 are the most"),
    "releases": (
        f"SELECT {listed('(SELECT count(*) FROM visits WHERE age > {i})', 101)}",
        "100 releases",
    ),
    "aggregates": (f"SELECT {listed('sum(age + {i})', 301)} FROM visits", "300 aggregates"),
    "choices": (
        f"SELECT day, age, quantile_cont(cost, [{listed('0.{i}', 100)}]) FROM visits GROUP BY day, age",
        "200000 choices",
    ),
    "choices of two values": (
        "SELECT bool_or(cost > 3) FROM visits GROUP BY day, age, nights",
        "200000 choices",
    ),
    "doubling names": (
        "SELECT count(*) AS a0" + doubled(40) + " FROM visits",
        "every name of the SELECT list",
    ),
    "doubling public names": ("SELECT 1 AS a0" + doubled(40), "every name of the SELECT list"),
    "steps for each unit": (
        "WITH p0 AS (SELECT patient, count(*) AS c FROM visits GROUP BY patient)"
        + "".join(
            f", p{i + 1} AS (SELECT patient, sum(c) AS c FROM p{i} GROUP BY patient)" for i in range(80)
        )
        + " SELECT sum(least(c, 5)) FROM p80",
        "50 steps",
    ),
    "windows of windows": (
        "WITH p0 AS (SELECT patient, age FROM visits)"
        + "".join(
            f", p{i + 1} AS (SELECT patient, row_number() OVER (PARTITION BY patient ORDER BY age) AS age FROM p{i})"
            for i in range(80)
        )
        + " SELECT count(*) FROM p80",
        "50 steps",
    ),
    "merged rows": (
        f"SELECT count(*) FROM ({listed('SELECT patient, age + {i} AS a FROM visits', 80, ' UNION ')}) x",
        "50 steps",
    ),
    "stars of stars": (
        "WITH d0 AS (SELECT * FROM visits)"
        + "".join(f", d{i + 1} AS (SELECT *, * FROM d{i})" for i in range(14))
        + " SELECT count(*) FROM d14",
        "5000 columns",
    ),
    "stars of public stars": (
        "WITH d0 AS (SELECT * FROM wards)"
        + "".join(f", d{i + 1} AS (SELECT a.*, a.* FROM d{i} a)" for i in range(14))
        + " SELECT count(*) FROM d14",
        "5000 columns",
    ),
    "stars of results": (
        "WITH d0 AS (SELECT ward, count(*) AS n FROM visits GROUP BY ward)"
        + "".join(f", d{i + 1} AS (SELECT *, * FROM d{i})" for i in range(14))
        + " SELECT count(*) FROM d14",
        "5000 columns",
    ),
    "stars side by side": (
        f"SELECT count(*) FROM (SELECT {listed('*', 3000)} FROM visits) x",
        "5000 columns",
    ),
    "correlated subqueries": (
        "SELECT "
        + listed("(SELECT max(w2.ward) FROM wards w2 WHERE w2.wing > w.wing || '{i}')", 31)
        + " FROM wards w",
        "30 subqueries",
    ),
    "correlated tests of private rows": (
        "SELECT count(*) FROM visits a WHERE "
        + listed(
            "EXISTS (SELECT 1 FROM visits b{i} WHERE b{i}.patient = a.patient AND b{i}.age > a.age + {i})",
            50,
            " OR ",
        ),
        "30 subqueries",
    ),
    "correlated tests without names of tables": (
        "SELECT count(*) FROM visits WHERE "
        + listed("EXISTS (SELECT 1 FROM wards WHERE wing = note || '{i}')", 50, " OR "),
        "30 subqueries",
    ),
    "lateral tables": (
        "SELECT count(*) FROM wards w, "
        + listed("(SELECT max(v.ward) FROM wards v WHERE v.wing > w.wing || '{i}') x{i}", 31),
        "30 subqueries",
    ),
    "replacing": (
        "SELECT length(" + "replace(" * 9 + "'aaaaaaaaaa'" + ", 'a', 'aaaaaaaaaa')" * 9 + ")",
        "100000 characters",
    ),
    "doubling text": (
        "WITH c0 AS (SELECT wing AS x FROM wards)"
        + "".join(f", c{i + 1} AS (SELECT x || x AS x FROM c{i})" for i in range(28))
        + " SELECT length(x) FROM c28",
        "100000 characters",
    ),
    "doubling text of a result": (
        "WITH c0(x) AS (SELECT ward FROM visits GROUP BY ward)"
        + "".join(f", c{i + 1} AS (SELECT concat(x, x, x) AS x FROM c{i})" for i in range(9))
        + " SELECT length(x) FROM c9",
        "100000 characters",
    ),
    "growing in a condition": (
        "SELECT 1 FROM (SELECT lpad(ward, 10000, 'x') AS x FROM wards) AS v "
        "WHERE (SELECT max(length(replace(x, 'x', 'xxxxxxxxxxxxxxx'))) FROM wards) > 1",
        "100000 characters",
    ),
    "a long pattern": (
        "SELECT regexp_matches(lpad(ward, 9000, 'a'), '(a?){1000}') FROM wards",
        "regular expression",
    ),
    "ranges": ("SELECT count(*) FROM range(1000000000000)", "2000 constants"),
    "series": (
        "SELECT count(*) FROM generate_series(1, 100000000) a, generate_series(1, 100000000) b",
        "2000 constants",
    ),
    "recursion": (
        "WITH RECURSIVE x AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM x) SELECT count(*) FROM x",
        "WITH RECURSIVE",
    ),
    "rows in parentheses within one another": (
        f"SELECT count(*) FROM visits WHERE {'IF((' * 13}age{', 1) IN ((1, 2), (2, 1), (3, 1)), 1, 2)' * 13} = 1",
        "the expression is too large",
    ),
    "parts of differences within one another": (
        f"SELECT count(*) FROM visits WHERE {'EXTRACT(DAY FROM day - ' * 27}age{')' * 27} = 1",
        "a date is moved by an INTEGER",
    ),
    "ranges in either order within one another": (
        f"SELECT count(*) FROM visits WHERE {'(' * 16}age{' BETWEEN SYMMETRIC 1 AND 2)' * 16} IS NULL",
        "too large when it is written out",
    ),
    "lists of patterns within one another": (
        "SELECT count(*) FROM visits WHERE " + "(" * 16 + "note" + " LIKE ANY ('a', 'b'))" * 16 + " IS NULL",
        "too large when it is written out",
    ),
    "comparisons with lists within one another": (
        f"SELECT count(*) FROM visits WHERE {'(' * 16}age{' > ANY (ARRAY[1, 2]))' * 16} IS NULL",
        "too large when it is written out",
    ),
    "macros of DuckDB within one another": (
        f"SELECT count(*) FROM visits WHERE {'nullif(' * 20}age{', 1)' * 20} = 1",
        "too large when it is written out",
    ),
    "parts of parts of public texts": (
        "SELECT " + "split_part(" * 11 + "ward" + ", 'a', 1)" * 11 + " FROM wards",
        "too large when it is written out",
    ),
    "macros over names of the SELECT list": (
        "SELECT count(*) AS a0"
        + "".join(f", nullif(a{i}, 1) AS a{i + 1}" for i in range(14))
        + " FROM visits",
        "every name of the SELECT list",
    ),
    "mentions of mentions": (
        "WITH u0 AS (SELECT patient, age AS c FROM visits)"
        + "".join(
            f", u{i + 1} AS (SELECT patient, CASE WHEN c > 3 THEN c WHEN c < 2 THEN c ELSE 1 END AS c, count(*) AS n"
            f" FROM u{i} GROUP BY ALL)"
            for i in range(12)
        )
        + " SELECT count(*) FROM u12 WHERE c = 3 AND n < 3",
        "2000 others",
    ),
    "mentions in branches": (
        "WITH u0 AS (SELECT patient, age AS c FROM visits)"
        + "".join(
            f", u{i + 1} AS (SELECT patient, CASE WHEN c > 3 THEN c WHEN c < 2 THEN c ELSE 1 END AS c FROM u{i}"
            " UNION ALL SELECT patient, age FROM visits)"
            for i in range(12)
        )
        + " SELECT count(*) FROM u12 WHERE c = 3",
        "2000 others",
    ),
    "windows": (f"SELECT {listed('sum(code) OVER (ORDER BY code - {i})', 101)} FROM codes", "100 windows"),
    "windows of names": (
        f"WITH c AS (SELECT {listed('lag(age, {i}) OVER (PARTITION BY patient ORDER BY day) AS l{i}', 26)} FROM visits)"
        f" SELECT count(*) FROM ({listed('SELECT * FROM c', 4, ' UNION ALL ')}) x",
        "100 windows",
    ),
    "repeating": ("SELECT length(repeat('x', 2000000000))", "at most 10000"),
    "lists": ("SELECT list(a.kind) FROM codes a, codes b", "not supported"),
    "a list that grows row by row": (
        "SELECT list(c) OVER (ORDER BY ward) FROM (SELECT ward, count(*) AS c FROM visits GROUP BY ward) x",
        "not supported",
    ),
    "texts of many rows": ("SELECT string_agg(ward, ',') FROM codes a, codes b, wards", "not supported"),
    "a number of many digits": ("SELECT count(*) FROM visits HAVING count(*) > " + "9" * 5000, "38 digits"),
    "a private number of many digits": ("SELECT count(*) FROM visits WHERE age = " + "9" * 5000, "too large"),
    "a position of many digits": ("SELECT ward FROM visits GROUP BY " + "9" * 5000, "not a position"),
}


@pytest.mark.one_in(16)
@pytest.mark.parametrize("sql", WIDE.values(), ids=WIDE)
def test_planning_a_wide_query_takes_a_bounded_time_and_memory(sql: str, database: Database) -> None:
    start, memory = time.process_time(), peak()
    database.session.explain(sql)
    assert time.process_time() - start < SECONDS
    assert peak() - memory < MEGABYTES


@pytest.mark.one_in(12)
@pytest.mark.parametrize(("sql", "reason"), REFUSED.values(), ids=REFUSED)
def test_a_query_whose_work_has_no_bound_is_refused_at_once(
    sql: str, reason: str, database: Database
) -> None:
    start, memory = time.process_time(), peak()
    seen = database.ask(sql)
    assert seen.kind == "QueryRefused" and reason in seen.message
    assert time.process_time() - start < SECONDS
    assert peak() - memory < MEGABYTES


def peak() -> int:
    """The most megabytes that the process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
