"""What is listed without an engine is what DuckDB lists."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal

import pytest

from dpsql.engines.base import PublicEngine, ReleasedTable
from dpsql.release.estimate.plain_rows import plain_rows
from dpsql.sql.public.trivial_query import By, Plain
from plan.opened import Table

TABLES = 150
_MOST = 2**63 - 1
VALUES: dict[str, tuple[object, ...]] = {
    "BIGINT": (0, 1, -1, 7, _MOST, -_MOST, None),
    "HUGEINT": (0, -5, 2**100, -(2**126), 12, None),
    "DOUBLE": (0.0, -0.0, 1.5, math.nan, math.inf, -math.inf, 5e-324, None),
    "VARCHAR": ("", "a", "B", "é", "\U0001f600", "\uffff", "aa", None),
    "BOOLEAN": (True, False, None),
    "DATE": (date(2025, 1, 1), date(1, 1, 1), date(9999, 12, 31), None),
    "TIMESTAMP": (datetime(2025, 1, 1, 2, 3, 4, 567), datetime(1969, 12, 31), None),
}


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PublicEngine]:
    session = Table({"x": "integer"}).open(tmp_path_factory.mktemp("listed"))
    yield session._state.public
    session.close()


def _case(dice: random.Random) -> tuple[Plain, ReleasedTable]:
    kinds = [dice.choice(list(VALUES)) for _ in range(dice.randint(1, 3))]
    columns = (("i", "BIGINT"), *((f"a{n}", kind) for n, kind in enumerate(kinds)))
    rows = [(i, *(dice.choice(VALUES[k]) for k in kinds)) for i in range(dice.choice((0, 1, 3, 6)))]
    names = [name for name, _ in columns]
    order = [
        By(dice.choice(names), dice.random() < 0.5, dice.random() < 0.5) for _ in range(dice.randint(0, 3))
    ]
    listed = tuple(dice.choice(names) for _ in range(dice.randint(1, 4)))
    limit = dice.choice((None, 0, 1, 4))
    return Plain(0, listed, tuple(order), limit, dice.choice((0, 0, 2))), ReleasedTable("r0", columns, rows)


def _sql(plain: Plain) -> str:
    order = [
        f"{by.column} {'DESC' if by.descending else ''} {'NULLS FIRST' if by.nulls_first else ''}"
        for by in plain.order
    ]
    tail = f" ORDER BY {', '.join(order)}" if order else ""
    tail += f" LIMIT {plain.limit}" if plain.limit is not None else ""
    return f"SELECT {', '.join(plain.columns)}, i FROM released.r0{tail} OFFSET {plain.offset}"


def test_rows_are_listed_as_duckdb_lists_them(public: PublicEngine) -> None:
    dice, answered = random.Random("listed"), 0
    for _ in range(TABLES):
        plain, table = _case(dice)
        found = plain_rows(plain, table)
        if found is not None:
            answered += 1
            assert repr(found) == repr(public.finish(_sql(plain), [table])), (plain, table)
    assert answered > TABLES // 2


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("DOUBLE", 1),
        ("BIGINT", True),
        ("BIGINT", 2**63),
        ("BIGINT", 1.0),
        ("DATE", datetime(2025, 1, 1)),
        ("TIMESTAMP", date(2025, 1, 1)),
        ("VARCHAR", 1),
        ("DECIMAL(9,2)", Decimal("1.00")),
        ("UUID", "x"),
    ],
)
def test_what_duckdb_would_convert_is_left_to_it(kind: str, value: object) -> None:
    table = ReleasedTable("r0", (("i", "BIGINT"), ("a0", kind)), [(0, value)])
    assert plain_rows(Plain(0, ("a0",)), table) is None
    assert plain_rows(Plain(0, ("i",)), table) == ((0, 0),)


@pytest.mark.parametrize("values", [(1, 1), (None, None), (0.0, -0.0), (math.nan, math.nan)])
def test_the_order_of_equal_rows_is_left_to_duckdb(values: tuple[object, object]) -> None:
    kind = "DOUBLE" if any(isinstance(v, float) for v in values) else "BIGINT"
    table = ReleasedTable("r0", (("i", "BIGINT"), ("a0", kind)), list(enumerate(values)))
    assert plain_rows(Plain(0, ("a0",), (By("a0"),)), table) is None
    assert plain_rows(Plain(0, ("a0",), (By("a0"), By("i", True))), table) is not None
