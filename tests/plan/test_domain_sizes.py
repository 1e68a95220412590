"""How many rows a domain query can have: never fewer than it has, whatever its tables and equalities are."""

from __future__ import annotations

import itertools
import random
from functools import partial

import pytest

from dpsql.algebra.expressions import Call, Column, Expr
from dpsql.algebra.types import SqlType
from dpsql.plan.keys import domain_sizes
from dpsql.plan.keys.domain_sizes import most_rows
from dpsql.plan.keys.finite_values import MOST_GROUPS, FiniteDomain

Rows = list[tuple[int | None, ...]]


def source(index: int, rows: Rows, width: int = 2) -> FiniteDomain:
    columns = tuple(Column(index, f"c{i}", SqlType.INTEGER) for i in range(width))
    return FiniteDomain(columns, lambda: "", len(rows))


def equal(a: Column, b: Column) -> Expr:
    return Call("eq", (a, b), SqlType.BOOLEAN)


def joined(tables: list[Rows], pairs: list[tuple[Column, Column]]) -> int:
    """How many combinations of rows pass the equalities; NULL is equal to nothing."""

    def value(rows: tuple[tuple[int | None, ...], ...], c: Column) -> int | None:
        return rows[c.scan][int(c.name[1:])]

    return sum(
        all(value(rows, a) is not None and value(rows, a) == value(rows, b) for a, b in pairs)
        for rows in itertools.product(*tables)
    )


def is_key(tables: list[Rows], column: Column) -> bool:
    values = [v for row in tables[column.scan] if (v := row[int(column.name[1:])]) is not None]
    return len(set(values)) == len(values)


def drawn(draw: random.Random) -> tuple[list[Rows], list[tuple[Column, Column]]]:
    """Two to four small tables, some with keys and NULLs, and equalities between some of their columns."""
    count = draw.randint(2, 4)
    tables: list[Rows] = []
    for _ in range(count):
        size = draw.randint(1, 5)
        keys: list[int | None] = (
            list(draw.sample(range(5), size)) if draw.random() < 0.7 else [draw.randrange(3)] * size
        )
        keys = [None if draw.random() < 0.1 else k for k in keys]
        tables.append([(None if draw.random() < 0.1 else k, draw.randrange(3)) for k in keys])
    columns = [Column(t, f"c{i}", SqlType.INTEGER) for t in range(count) for i in range(2)]
    return tables, [tuple(draw.sample(columns, 2)) for _ in range(draw.randint(0, 4))]  # type: ignore[misc]


def test_no_join_has_more_rows_than_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(domain_sizes, "MOST_GROUPS", 0)
    draw, met, smaller = random.Random(7), 0, 0
    for _ in range(4000):
        tables, pairs = drawn(draw)
        sources = [source(i, rows) for i, rows in enumerate(tables)]
        found = most_rows(sources, tuple(equal(a, b) for a, b in pairs), partial(is_key, tables))
        actual = joined(tables, pairs)
        assert actual <= found, (tables, pairs)
        met += actual == found
        smaller += found < domain_sizes.product_size(sources)
    assert met > 400 and smaller > 400


def test_what_is_small_enough_is_counted_as_a_product() -> None:
    left, right = source(0, [(i, i) for i in range(1000)]), source(1, [(i, i) for i in range(1000)])
    tie = (equal(left.columns[0], right.columns[0]),)
    assert most_rows([left, right], tie, lambda c: True) == MOST_GROUPS
    more = source(1, [(i, i) for i in range(1001)])
    assert most_rows([left, more], tie, lambda c: True) == 1000
    assert most_rows([left, more], tie, lambda c: False) == 1_001_000
