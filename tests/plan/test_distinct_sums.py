"""Sums of different values: how far a unit moves them, by enumeration of small worlds, and what they are."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import duckdb
import numpy as np
import pytest
from answers.noiseless import Noiseless

from dpsql.algebra.expressions import TRUE, Column
from dpsql.algebra.question import Question
from dpsql.algebra.relations import Scan
from dpsql.algebra.types import SqlType
from dpsql.errors import InternalError
from dpsql.plan.contribution import Contribution
from dpsql.plan.sums.distinct_sums import SummedValues, distinct_sum
from dpsql.plan.sums.families import Option
from dpsql.plan.types import Bounding, Grid, Part, Sums
from dpsql.plan.verify.cost import check_cost
from dpsql.privacy import Cost
from dpsql.session import Session
from plan.opened import Table, plan
from plan.test_groups_of_a_unit import DATA, M, moved
from plan.test_groups_of_a_unit import opened as opened_orders

X = Column(0, "x", SqlType.INTEGER)
QUESTION = Question(Scan("t", 0), (), ())
Values = tuple[int, ...]
World = tuple[frozenset[int], ...]


def option(values: SummedValues, rows: int | None, groups: int) -> Option:
    limits = Contribution(rows, Bounding(rows=rows), cells=groups)
    return distinct_sum(values, TRUE, limits, QUESTION, groups)


def worlds(values: Values, groups: int) -> Iterator[World]:
    """What the rows of the others can have in each group."""
    subsets = [frozenset(c) for n in range(len(values) + 1) for c in itertools.combinations(values, n)]
    return itertools.product(subsets, repeat=groups)


def units(values: Values, groups: int, rows: int) -> list[World]:
    """What the rows of one unit can have in each group."""
    places = list(itertools.product(range(groups), values))
    chosen = itertools.chain.from_iterable(itertools.combinations(places, n) for n in range(rows + 1))
    return [
        tuple(frozenset(v for g, v in rows_ if g == group) for group in range(groups)) for rows_ in chosen
    ]


def apart(others: World, one: World, other: World) -> int:
    """How far sums of different values lie apart, in L1, where a unit has the one or the other."""
    return sum(abs(sum(s | a) - sum(s | b)) for s, a, b in zip(others, one, other, strict=True))


LISTS: list[tuple[Values, bool]] = [
    ((-2, -1, 0, 1, 2, 3), False),
    ((1, 2, 3, 4), False),
    ((-3, -2, -1), False),
    ((-5, 1, 4), True),
    ((0, 2, 9), True),
    ((0,), True),
]


def summed(values: Values, listed: bool) -> SummedValues:
    grid = Grid(X, Fraction(1), values[0], max(values[-1], values[0] + 1))
    return SummedValues(grid, len(values), frozenset(values) if listed else None)


@pytest.mark.parametrize(("values", "listed"), LISTS)
@pytest.mark.parametrize("rows", [1, 2, 3])
@pytest.mark.parametrize("groups", [1, 2])
def test_no_unit_moves_the_sums_further_than_claimed(
    values: Values, listed: bool, rows: int, groups: int
) -> None:
    nothing: World = (frozenset(),) * groups
    of_unit = units(values, groups, rows)
    every = list(worlds(values, groups)) if groups == 1 else [nothing, *worlds(values[:2], groups)]
    most = max(apart(others, one, nothing) for others in every for one in of_unit)
    claimed = option(summed(values, listed), rows, groups)
    assert most <= claimed.moved(1)
    if groups == 1:
        assert claimed.moved(1) == max(most, 1)


@pytest.mark.parametrize(("values", "listed"), LISTS)
@pytest.mark.parametrize(("rows", "groups"), [(1, 1), (2, 1), (3, 1), (1, 2), (2, 2)])
def test_no_replaced_unit_moves_the_sums_further_than_claimed(
    values: Values, listed: bool, rows: int, groups: int
) -> None:
    of_unit = units(values, groups, rows)
    every = [(frozenset[int](),) * groups, (frozenset(values[:1]),) * groups]
    most = max(apart(others, a, b) for others in every for a, b in itertools.combinations(of_unit, 2))
    assert most <= option(summed(values, listed), rows, groups).moved(2)


def test_without_a_limit_on_rows_all_values_of_all_groups_count() -> None:
    claimed = option(summed((-5, 1, 4), True), None, 2)
    assert (claimed.moved(1), claimed.moved(2), claimed.bounding) == (10, 20, Bounding())


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    return opened_orders(tmp_path_factory.mktemp("sums"))


@pytest.fixture(scope="module")
def replaced(tmp_path_factory: pytest.TempPathFactory) -> Session:
    privacy = f"neighbours: substitute, max_rows_per_unit: {M}"
    return opened_orders(tmp_path_factory.mktemp("sums_replaced"), privacy)


@pytest.mark.parametrize(
    ("query", "alone", "twice"),
    [
        ("SELECT SUM(DISTINCT x) FROM orders", [45], [45]),
        ("SELECT SUM(DISTINCT x - 3) FROM orders", [21], [27]),
        ("SELECT SUM(DISTINCT x) FROM orders WHERE x < 3", [3], [3]),
        ("SELECT SUM(DISTINCT paid) FROM orders", [1], [1]),
        ("SELECT kind, SUM(DISTINCT x) FROM orders GROUP BY kind", [135], [135]),
        ("SELECT kind, coupon, x % 8 AS k, SUM(DISTINCT x) FROM orders GROUP BY ALL", [450], [900]),
        ("SELECT city, SUM(DISTINCT x) FROM orders GROUP BY city", [1, 50, 450], [1, 50, 900]),
        ("SELECT SUM(DISTINCT CASE WHEN x > 5 THEN x ELSE 0 END) FROM orders", [45], [45]),
        (
            "SELECT SUM(DISTINCT x) FILTER (WHERE paid), SUM(DISTINCT x) FILTER (WHERE NOT paid) FROM orders",
            [45, 45],
            [45, 45],
        ),
    ],
)
def test_the_claims_of_plans(
    session: Session, replaced: Session, query: str, alone: list[int], twice: list[int]
) -> None:
    assert (moved(session, query), moved(replaced, query)) == (alone, twice)


@pytest.mark.parametrize(
    "query",
    ["SELECT SUM(DISTINCT x - 3) FROM orders", "SELECT kind, city, SUM(DISTINCT x) FROM orders GROUP BY ALL"],
)
@pytest.mark.parametrize("neighbours", ["add_remove", "substitute"])
def test_a_claim_below_that_is_caught(
    session: Session, replaced: Session, query: str, neighbours: str
) -> None:
    opened = session if neighbours == "add_remove" else replaced
    planned = plan(opened, query)
    at = next(i for i, p in enumerate(planned.releases[0].parts) if isinstance(p, Sums))

    def check(by: int) -> None:
        (release,) = planned.releases
        parts = tuple(lowered(p, by) if i == at else p for i, p in enumerate(release.parts))
        asked = sum((e.cost for e in release.events), Cost(Fraction(0)))
        check_cost(replace(planned, releases=(replace(release, parts=parts),)), asked, opened._state.context)

    check(0)
    with pytest.raises(InternalError, match="below the derived one"):
        check(1)


def lowered(part: Part, by: int) -> Part:
    assert isinstance(part, Sums)
    (family,) = part.families
    return replace(part, families=(replace(family, sensitivity=family.sensitivity - by),))


LISTED = Table(
    {
        "s": "integer, values: [-7, 1, 2, 50], nullable: true",
        "d": "float, lower: -1, upper: 2, step: 0.25, nullable: true",
    },
    rows=[(1, -7, 0.5), (1, 1, 0.5), (2, 50, -0.25), (2, 50, None), (3, 9, 7.0)],
    privacy="max_rows_per_unit: 2",
)


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory) -> Session:
    return LISTED.open(tmp_path_factory.mktemp("listed"))


@pytest.mark.parametrize(
    ("query", "claimed", "answer"),
    [
        ("SELECT SUM(DISTINCT s) FROM t", 52, 44),
        ("SELECT SUM(DISTINCT s) FROM t WHERE s < 40", 41, -6),
        ("SELECT SUM(DISTINCT s + 0) FROM t", 50 + 49, 44),
        ("SELECT SUM(DISTINCT d) FROM t", 8 + 7, 2.25),
        ("SELECT SUM(DISTINCT d * 0) FROM t", 1, 0.0),
        ("SELECT SUM(DISTINCT s) FROM t WHERE u > 5", 52, 0),
    ],
)
def test_each_value_counts_once_clipped_and_on_its_step(
    listed: Session, query: str, claimed: int, answer: float
) -> None:
    assert moved(listed, query) == [claimed]
    assert listed.answer(query).rows == ((answer,),)


def test_sums_of_different_values_are_those_of_duckdb(session: Session) -> None:
    query = """SELECT kind, SUM(DISTINCT x) AS s, SUM(DISTINCT x) FILTER (WHERE paid) AS p,
        SUM(DISTINCT CASE WHEN x > 4 THEN x END) - SUM(x) AS d FROM orders WHERE kind IS NOT NULL GROUP BY kind
        ORDER BY kind"""
    plain = duckdb.connect()
    for statement in DATA.split(";"):
        plain.execute(statement)
    assert (
        list(session.answer(query).rows)
        == plain.sql(query.replace("IS NOT NULL", "<> 'unlisted'")).fetchall()
    )


class Shifted(Noiseless):
    """Adds the same to every cell."""

    def __init__(self, by: int) -> None:
        super().__init__()
        self.by = by

    def discrete_laplace(self, values: np.ndarray, **law: object) -> np.ndarray:
        return values + self.by

    discrete_gaussian = cube = discrete_laplace


@pytest.mark.parametrize(("by", "mean"), [(0, 4.0), (-1, 6.0), (-2, None), (-9, None), (3, 2.2), (300, 2.0)])
def test_an_average_of_different_values_is_null_below_one_and_within_their_range(
    tmp_path: Path, by: int, mean: float | None
) -> None:
    """Of 3 and 5, with noise of `by` on their number and on their sum."""
    table = Table({"x": "integer, lower: 2, upper: 6"}, [(1, 3), (2, 5)], table="one_row_per_unit: true")
    with closing(table.open(tmp_path, Shifted(by))) as session:
        ((found, filtered),) = session.answer(
            "SELECT AVG(DISTINCT x), AVG(DISTINCT x) FILTER (WHERE x > 0) FROM t"
        ).rows
    assert found == filtered == (None if mean is None else pytest.approx(mean))
