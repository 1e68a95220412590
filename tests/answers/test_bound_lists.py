"""Lists as values of placeholders: the same question, and the same stored answer, as with the values written out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

import dpsql
from answers.shop import make_shop
from dpsql.dbapi import Connection

COUNT = "SELECT COUNT(*) FROM orders WHERE {}"
DAYS = [date(2025, 2, 1), date(2025, 2, 2)]


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    folder = make_shop(tmp_path_factory.mktemp("lists"))
    with dpsql.connect(folder / "shop.yaml", analyst="alice") as opened:
        yield opened


@pytest.mark.parametrize(
    ("written", "listed", "values"),
    [
        ("region IN ('north', 'south')", "region = ANY (?)", [["north", "south"]]),
        ("NOT region IN ('north')", "region <> ALL (?)", [["north"]]),
        ("product IN (1, 2) AND quantity > 3", "product = SOME ($1) AND quantity > $2", [[1, 2], 3]),
        (
            f"day IN (DATE '{DAYS[0]}', DATE '{DAYS[1]}') AND product = 7",
            "day = ANY (?) AND product = ?",
            [DAYS, 7],
        ),
        (
            "quantity < 5 AND amount IN (CAST(1.5 AS DOUBLE)) AND amount <> 0.5",
            "quantity < ? AND amount = ANY (?::float8[]) AND amount <> ?",
            [5, (1.5,), 0.5],
        ),
        ("region IN ('east') OR region IN ('east')", "region = ANY ($1) OR region = ANY ($1)", [["east"]]),
        ("region IN ('west', 'south')", "region = ANY (?)", ["{west,south}"]),
        ("product IN (3, 1) AND quantity > 1", "product = ANY (?::int[]) AND quantity > ?", ["{3,1}", 1]),
        ("quantity > 7 AND product IN (1)", "quantity > $1 AND product = ANY ($2)", [7, " { 1 } "]),
        (
            "product::TEXT <> '{1}' AND product IN (2)",
            "product::TEXT <> ? AND product = ANY (?)",
            ["{1}", "{2}"],
        ),
        (
            "product::TEXT IN ('a,b', '') AND product IN (5)",
            "product::TEXT = ANY (?) AND product = ANY (?)",
            ['{"a,b",""}', [5]],
        ),
        ("quantity > 2 AND quantity > 4", "quantity > ALL (?)", [[2, 4]]),
        ("region < 'n' OR region < 'q'", "region < ANY ($1)", [["n", "q"]]),
        ("product <> 3 OR product <> 1", "product <> ANY (?::int[])", ["{3,1}"]),
        ("product = 9007199254740993", "product = ?", [Decimal("9007199254740993")]),
        ("product = -9007199254740995", "product = ?", [Decimal(-9007199254740995)]),
        ("product <> 18014398509481985", "product <> 18014398509481985.00", ()),
        ("region IN ('east', 'west')", "region = ANY ('{east,west}')", ()),
        ("region IN ('east', 'west')", "region = ANY (VALUES ('east'), ('west'))", ()),
        ("NOT product IN (1, 2)", "product <> ALL ('{1,2}'::bigint[])", ()),
        ("day IN (DATE '2025-02-03')", "day = ANY (ARRAY['2025-02-03']::date[])", ()),
    ],
)
def test_a_list_asks_what_its_values_ask(
    connection: Connection, written: str, listed: str, values: Sequence[object]
) -> None:
    first = connection.execute(COUNT.format(written))
    again = connection.execute(COUNT.format(listed), values)
    assert again.fetchall() == first.fetchall()
    assert again.release is not None and again.release.epsilon == 0


def test_the_width_of_a_piece_of_time_may_be_bound(connection: Connection) -> None:
    sql = "SELECT time_bucket({}, placed) AS t, COUNT(*) FROM orders GROUP BY t"
    first = connection.execute(sql.format("INTERVAL '1 month'"))
    again = connection.execute(sql.format("?"), ["1 month"])
    assert again.fetchall() == first.fetchall()
    assert again.release is not None and again.release.epsilon == 0


def test_lists_by_name(connection: Connection) -> None:
    values = {"regions": ["west"], "products": (3, 4), "least": 2}
    sql = COUNT.format("region = ANY ($regions) AND product = ANY ($products) AND quantity >= $least")
    first = connection.execute(sql, values)
    written = COUNT.format("region IN ('west') AND product IN (3, 4) AND quantity >= 2")
    again = connection.execute(written)
    assert again.fetchall() == first.fetchall()
    assert again.release is not None and again.release.epsilon == 0


def test_values_that_python_takes_for_equal_are_other_lists(connection: Connection) -> None:
    asked = "SELECT region FROM regions WHERE CAST(region = 'north' AS VARCHAR) = ANY (?::VARCHAR[])"
    assert connection.execute(asked, [[True]]).fetchall() == [("north",)]
    assert connection.execute(asked, [[1]]).fetchall() == []


def test_public_tables_and_empty_lists(connection: Connection) -> None:
    sql = "SELECT region FROM regions WHERE region {} (?) ORDER BY region"
    every = [("east",), ("north",), ("south",), ("west",)]
    assert connection.execute(sql.format("= ANY"), [["south", "east"]]).fetchall() == [("east",), ("south",)]
    assert connection.execute(sql.format("<> ALL"), [["south", "east"]]).fetchall() == [("north",), ("west",)]
    assert connection.execute(sql.format("= ANY"), [[]]).fetchall() == []
    assert connection.execute(sql.format("<> ALL"), [[]]).fetchall() == every
    missing = "SELECT NULL = ANY (?) AS a, NULL <> ALL (?) AS b, NULL = ANY (?) AS c FROM regions LIMIT 1"
    assert connection.execute(missing, [[], [], ["x"]]).fetchall() == [(False, True, None)]


def test_no_list_reaches_an_engine_in_a_child(tmp_path: Path) -> None:
    folder = make_shop(tmp_path)
    policy = folder / "shop.yaml"
    policy.write_text(
        f"{policy.read_text(encoding='utf-8')}\nengine: {{isolation: process}}\n", encoding="utf-8"
    )
    sql = "SELECT region FROM regions WHERE region = ANY ($1) ORDER BY region"
    with dpsql.connect(policy, analyst="alice") as isolated:
        assert isolated.execute(sql, [[]]).fetchall() == []
        assert isolated.execute(sql, [["west", "east"]]).fetchall() == [("east",), ("west",)]


def test_a_list_is_described_by_what_it_is_compared_with(connection: Connection) -> None:
    sql = "region = ANY ($1) AND day <> ALL ($2) AND amount = ANY (CAST($3 AS REAL[]))"
    described = connection.describe(COUNT.format(sql))
    assert described.parameters == (("1", "VARCHAR[]"), ("2", "DATE[]"), ("3", "DOUBLE[]"))


@pytest.mark.parametrize(
    "condition",
    [
        "(region, product) = ANY (?)", "region = ANY (?::TEXT[][])", "region = ANY (?::BLOB[])",
        "CAST(? AS TEXT[]) = region", "region IN (?)", "region = ANY (upper(?))",
    ],
)  # fmt: skip
def test_lists_stand_nowhere_else(connection: Connection, condition: str) -> None:
    with pytest.raises(dpsql.QueryRefused):
        connection.execute(COUNT.format(condition), [["north"]])


def test_lists_hold_no_lists(connection: Connection) -> None:
    with pytest.raises(dpsql.ProgrammingError, match="value 1 of parameter 1 is of type list"):
        connection.execute(COUNT.format("region = ANY (?)"), [[["north"]]])
