"""Weights of groups by numbers are those that SQL gives, and what numbers do not hold is left to SQL."""

from __future__ import annotations

import random
from collections.abc import Iterator

import duckdb
import pytest

from dpsql.engines.base import LISTS, Weighing
from dpsql.engines.lists import group_weights
from dpsql.engines.lists.group_weights import weighed
from dpsql.engines.lists.in_passes import execute
from dpsql.engines.sqlgen.key_weights import added_weights, weights_of_groups, weights_sql
from dpsql.engines.sqlgen.unit_aggregates import UNIT

UNITS = {
    "few": "CAST(u AS TINYINT)",
    "many": "u * 1000003",
    "below zero": "-u * 4000000000",
    "at both ends": "CASE WHEN u % 2 = 0 THEN -4398046511104 + abs(u) ELSE 4398046511103 - abs(u) END",
    "without a sign": "CAST(abs(u) AS UINTEGER)",
}
KEYS = {
    "whole": ("k",),
    "whole, far apart": ("k * 10000000",),
    "below zero": ("-k",),
    "NULL": ("CASE WHEN k > 2 THEN k END",),
    "NULL alone": ("CAST(NULL AS INTEGER)",),
    "texts": ("'key ' || k",),
    "doubles": ("[0.0, 'nan'::DOUBLE, 'inf'::DOUBLE, NULL, k / 3][1 + k % 5]",),
    "several": ("k % 3", "CASE WHEN k < 5 THEN 'a' END", "DATE '2025-01-01' + CAST(k AS INTEGER)"),
    "an end": ("CASE WHEN k > 3 THEN 1048574 ELSE k END",),
}


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        opened.execute(f"ATTACH ':memory:' AS {LISTS} (COMPRESS)")
        draw = random.Random(7)
        rows = [(draw.randint(-20, 100), draw.randint(0, 9), draw.choice([0, 1, 1, 3])) for _ in range(800)]
        opened.execute("CREATE TABLE r (u BIGINT, k BIGINT, g0 BIGINT)")
        opened.executemany("INSERT INTO r VALUES (?, ?, ?)", rows)
        yield opened


def pairs(unit: str, keys: tuple[str, ...], rows: str = "r") -> str:
    named = ", ".join(f"{key} AS k{i}" for i, key in enumerate(keys))
    return f"SELECT {unit} AS {UNIT}, {named}, g0 FROM {rows}"


def found(connection: duckdb.DuckDBPyConnection, sql: str) -> list[str]:
    return sorted(map(repr, connection.execute(sql).fetchall()))


def made(grouped: str, keys: int, counted: str = "SELECT count(*) FROM r") -> tuple[Weighing, str]:
    """The statement that makes the weights of these pairs, and a query for them."""
    units = weights_of_groups(keys, counted, grouped)
    (statement,) = units.statements
    assert isinstance(statement, Weighing)
    return statement, added_weights(keys, units.name)


@pytest.mark.parametrize("each", [2_500_000, 100])
@pytest.mark.parametrize("keys", KEYS.values(), ids=KEYS)
@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_they_are_the_integers_of_sql(
    connection: duckdb.DuckDBPyConnection,
    unit: str,
    keys: tuple[str, ...],
    each: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(group_weights, "_EACH", each)
    monkeypatch.setattr(group_weights, "_SLICE", 7)
    grouped = pairs(unit, keys)
    statement, added = made(grouped, len(keys))
    assert weighed(connection, statement)
    assert found(connection, added) == found(connection, weights_sql(len(keys), grouped))


def test_no_pairs_make_no_groups(connection: duckdb.DuckDBPyConnection) -> None:
    for keys in (("k",), ("k", "k")):
        statement, added = made(pairs("u", keys, "(FROM r WHERE k > 10)"), len(keys))
        assert weighed(connection, statement) and found(connection, added) == []


@pytest.mark.parametrize(
    "unit", ["'person ' || u", "u * 40000000000000", "CAST(u AS HUGEINT)", "CAST(u AS DOUBLE)"]
)
def test_other_units_are_left_to_sql(connection: duckdb.DuckDBPyConnection, unit: str) -> None:
    grouped = pairs(unit, ("k",))
    statement, added = made(grouped, 1)
    assert not weighed(connection, statement)
    execute(connection, statement)
    assert found(connection, added) == found(connection, weights_sql(1, grouped)) != []


@pytest.mark.parametrize(("name", "most"), [("_MOST_AT_ONCE", 100), ("_PLACES", 8)])
def test_too_many_pairs_or_groups_are_left_to_sql(
    connection: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch, name: str, most: int
) -> None:
    statement, added = made(grouped := pairs("u", ("k",)), 1, "")
    monkeypatch.setattr(group_weights, name, most)
    assert not weighed(connection, statement)
    execute(connection, statement)
    assert found(connection, added) == found(connection, weights_sql(1, grouped)) != []
