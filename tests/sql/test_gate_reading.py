"""The gate's tree is what DuckDB itself reads in the text: an alarm for new versions of either parser."""

from __future__ import annotations

import itertools
from random import Random

import pytest
from duckdb_reading import DuckDBReading, spelled_out
from gate_cases import Case, DuckDBStatements, read_cases, sqlglot_before, told
from sqlglot import exp

from dpsql.errors import QueryRefused
from dpsql.sql.parse.gate import gate
from dpsql.sql.validate.function_names import BY_NAME

INFIX = (
    *("+", "-", "*", "/", "//", "%", "||", "=", "<>", "!=", "==", "<", ">=", "AND", "OR", "LIKE", "NOT LIKE"),
    *("ILIKE", "NOT ILIKE", "IS DISTINCT FROM", "IS NOT DISTINCT FROM", "BETWEEN 1 AND", "NOT BETWEEN 1 AND"),
)
PREFIX = ("-", "NOT ", "+", "- -", "NOT NOT ", "DATE '2024-01-01' + ", "EXISTS (SELECT 1) AND ")
POSTFIX = (
    *("IS NULL", "IS NOT NULL", "ISNULL", "NOTNULL", "IS TRUE", "IS NOT TRUE", "IS NOT FALSE", "IS UNKNOWN"),
    *("IN (1, 2)", "NOT IN (1, 2)", "IN (SELECT 1)", "BETWEEN 1 AND 2", "NOT BETWEEN 1 AND 2", "LIKE 'x'"),
    *(
        "~ 'x'",
        "!~ 'x'",
        "SIMILAR TO 'x'",
        "NOT SIMILAR TO 'x'",
        "NOT LIKE 'x' ESCAPE 'y'",
        "::INT",
        "::DECIMAL(10, 2)",
        "AS z",
        "z",
        "- b - c",
        "/ b * c",
        "% b // c",
    ),
)
ADMITTED = tuple(case for case in read_cases("admitted.sql") if case.refused is None)


def combinations() -> list[str]:
    two = [f"a {p} b {q} c" for p, q in itertools.product(INFIX, INFIX)]
    three = [f"a {q} {p}b {q} c" for p, q in itertools.product(PREFIX, INFIX)]
    four = [f"{p}a {q} b" for p, q in itertools.product(PREFIX, INFIX)]
    five = [f"a {p} {q} b" for p, q in itertools.product(POSTFIX, INFIX)]
    six = [f"a {q} b {p}" for p, q in itertools.product(POSTFIX, INFIX)]
    seven = [f"{p}a {q}" for p, q in itertools.product(PREFIX, POSTFIX)]
    return [*two, *three, *four, *five, *six, *seven]


@pytest.fixture(scope="module")
def statements() -> DuckDBStatements:
    return DuckDBStatements()


@pytest.fixture(scope="module")
def duckdb_reading() -> DuckDBReading:
    return DuckDBReading()


@pytest.mark.one_in(6)
@pytest.mark.parametrize("case", ADMITTED, ids=lambda case: case.sql)
def test_an_admitted_query_rendered_again_is_the_query_that_duckdb_read(
    case: Case, statements: DuckDBStatements, duckdb_reading: DuckDBReading
) -> None:
    admitted = gate(case.sql, statements)
    for rendered in (admitted.tree.sql(dialect="duckdb"), spelled_out(admitted.tree)):
        assert duckdb_reading.of(rendered) == duckdb_reading.of(told(admitted)), rendered


@pytest.mark.parametrize("name", BY_NAME)
def test_every_listed_function_is_among_the_admitted_cases(name: str) -> None:
    written = f"{name.lower()}("
    assert any(written in case.sql.lower().replace(" (", "(") for case in read_cases("admitted.sql"))


@pytest.mark.parametrize("one_in", [6, pytest.param(1, marks=pytest.mark.slow)])
def test_operators_bind_as_they_do_in_duckdb(
    one_in: int, statements: DuckDBStatements, duckdb_reading: DuckDBReading
) -> None:
    compared = 0
    every = combinations()
    for expression in Random(one_in).sample(every, len(every) // one_in):
        try:
            tree = gate(f"SELECT {expression}", statements).tree
        except QueryRefused:
            continue
        compared += 1
        meant = duckdb_reading.of(f"SELECT {expression}")
        for rendered in {tree.sql(dialect="duckdb"), spelled_out(tree)}:
            assert duckdb_reading.of(rendered) == meant, rendered
    assert compared * one_in > (1400 if sqlglot_before("30.24") else 1500)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SELECT a - b - c", "SELECT a - (b - c)"),
        ("SELECT NOT a = b", "SELECT (NOT a) = b"),
        ("SELECT NOT a LIKE b", "SELECT a LIKE b"),
        ("SELECT NOT a LIKE b", "SELECT NOT a ILIKE b"),
        ("SELECT a = 1 IS NULL", "SELECT a = (1 IS NULL)"),
        ("SELECT 1 UNION SELECT 2 INTERSECT SELECT 3", "(SELECT 1 UNION SELECT 2) INTERSECT SELECT 3"),
        ("SELECT 'a'", "SELECT 'A'"),
        ("SELECT count(a)", "SELECT count(DISTINCT a)"),
        ("SELECT sum(a) FILTER (WHERE b)", "SELECT sum(a)"),
        ("SELECT a FROM t LIMIT 1", "SELECT a FROM t LIMIT 2"),
        ("SELECT a FROM t ORDER BY a", "SELECT a FROM t ORDER BY a DESC"),
        ("SELECT INTERVAL 1 DAY", "SELECT INTERVAL 2 DAY"),
        ("SELECT INTERVAL 1 DAY", "SELECT INTERVAL 1 MONTH"),
        ("SELECT extract(dow FROM a)", "SELECT extract(isodow FROM a)"),
        ("SELECT CAST(a AS DECIMAL(10, 2))", "SELECT CAST(a AS DECIMAL(10, 3))"),
        ("SELECT var_samp(a)", "SELECT var_pop(a)"),
        ("SELECT 1 UNION SELECT 2", "SELECT 1 UNION ALL SELECT 2"),
        ("SELECT a AS b", "SELECT a AS c"),
        (
            "SELECT sum(a) OVER (ORDER BY b ROWS 1 PRECEDING)",
            "SELECT sum(a) OVER (ORDER BY b RANGE 1 PRECEDING)",
        ),
    ],
)
def test_the_comparison_tells_different_queries_apart(
    one: str, other: str, duckdb_reading: DuckDBReading
) -> None:
    assert duckdb_reading.of(one) != duckdb_reading.of(other)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("a + b AT TIME ZONE 'UTC'", "a + (b AT TIME ZONE 'UTC')"),
        ("a < b AT TIME ZONE 'UTC'", "a < (b AT TIME ZONE 'UTC')"),
        ("a || b AT TIME ZONE 'UTC'", "a || (b AT TIME ZONE 'UTC')"),
        ("a AT TIME ZONE 'UTC' IS NULL", "(a AT TIME ZONE 'UTC') IS NULL"),
        ("a AT TIME ZONE 'UTC' + b", "(a AT TIME ZONE 'UTC') + b"),
        ("a::TIMESTAMP AT TIME ZONE 'UTC'", "(a::TIMESTAMP) AT TIME ZONE 'UTC'"),
    ],
)
def test_a_time_zone_belongs_to_what_duckdb_gives_it(
    written: str, meant: str, statements: DuckDBStatements, duckdb_reading: DuckDBReading
) -> None:
    assert duckdb_reading.of(f"SELECT {written}") == duckdb_reading.of(f"SELECT {meant}")
    one, other = (gate(f"SELECT {text} AS x", statements).tree for text in (written, meant))
    for around in tuple(other.find_all(exp.Paren)):
        around.replace(around.this)
    assert one == other
