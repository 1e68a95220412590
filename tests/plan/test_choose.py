"""Families are chosen by exact variance, and the shares of epsilon add up."""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from dpsql.algebra.shape import shape
from dpsql.plan.contribution import contribution
from dpsql.plan.sums.assignments import Assignment, Assignments
from dpsql.plan.types import Family, Linear, Release, Sum
from dpsql.privacy import Mechanism
from dpsql.session import Session
from plan.opened import Table, plan, release

Open = Callable[..., Session]

COLUMNS = {
    "x": "integer, lower: 0, upper: 10",
    "y": "integer, lower: -5, upper: 5",
    "z": "integer, lower: 0, upper: 10, nullable: true",
    "k": "text, values: [a, b]",
}


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Table(COLUMNS, privacy="max_rows_per_unit: 20").open(tmp_path)


def kinds(found: Release) -> list[list[Sum]]:
    """The terms of each family."""
    return [[t.sum for t in f.terms] for f in found.families]


def variance(linear: Linear, families: tuple[Family, ...]) -> Fraction:
    """The variance of a function of the cells, with 2 b**2 for a cell of scale b."""
    scales = [f.sensitivity / f.epsilon for f in families for _ in f.cells]
    return sum((c * c * 2 * scales[i] ** 2 for i, c in linear), Fraction(0))


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("COUNT(*)", [[Sum.ROWS]]),
        ("COUNT(x)", [[Sum.ROWS]]),
        ("COUNT(z)", [[Sum.VALUES]]),
        ("COUNT(*), COUNT(x), COUNT(1)", [[Sum.ROWS]]),
        ("SUM(x)", [[Sum.TOTAL]]),
        ("SUM(y)", [[Sum.TOTAL]]),
        ("AVG(x)", [[Sum.SHIFTED, Sum.ROWS]]),
        ("AVG(y)", [[Sum.SHIFTED, Sum.ROWS]]),
        ("AVG(z)", [[Sum.SHIFTED, Sum.VALUES]]),
        ("SUM(x), COUNT(*)", [[Sum.SHIFTED, Sum.ROWS]]),
        ("SUM(y), AVG(y)", [[Sum.SHIFTED, Sum.ROWS]]),
        ("COUNT(*), SUM(x), AVG(x)", [[Sum.SHIFTED, Sum.ROWS]]),
        ("COUNT(*), AVG(z)", [[Sum.SHIFTED, Sum.VALUES, Sum.ROWS]]),
        ("COUNT(*), COUNT(z), SUM(z), AVG(z)", [[Sum.SHIFTED, Sum.VALUES, Sum.ROWS]]),
        ("STDDEV(x)", [[Sum.SQUARES, Sum.SHIFTED, Sum.ROWS]]),
        ("COUNT(*), SUM(x), AVG(x), STDDEV(x)", [[Sum.SQUARES, Sum.SHIFTED, Sum.ROWS]]),
        ("COUNT(DISTINCT u)", [[Sum.UNITS]]),
        ("AVG(x), AVG(y)", [[Sum.ROWS, Sum.SHIFTED, Sum.SHIFTED]]),
        ("SUM(x), SUM(x) FILTER (WHERE k = 'a')", [[Sum.TOTAL, Sum.TOTAL]]),
        ("COUNT(*), COUNT(*) FILTER (WHERE x > 3), AVG(CAST(x > 3 AS INT))", [[Sum.SHIFTED, Sum.ROWS]]),
        (
            "AVG(CASE WHEN x > 3 THEN 1.0 ELSE 0 END), SUM(CASE WHEN x > 3 THEN 5 END)",
            [[Sum.SHIFTED, Sum.ROWS]],
        ),
        (
            "AVG(CASE WHEN x > 3 THEN 1 ELSE 0 END), COUNT(*) FILTER (WHERE x > 4)",
            [[Sum.ROWS, Sum.SHIFTED, Sum.ROWS]],
        ),
        ("AVG(x) FILTER (WHERE k = 'a'), COUNT(*) FILTER (WHERE k = 'a')", [[Sum.SHIFTED, Sum.ROWS]]),
    ],
)
def test_the_family_of_least_error_is_chosen(session: Session, query: str, expected: list[list[Sum]]) -> None:
    found = release(session, f"SELECT {query} FROM t")
    assert kinds(found) == expected
    assert sum(f.epsilon for f in found.families) == 1


def test_a_count_costs_variance_2_alone_4_in_a_pair_and_6_in_a_pair_with_null_or_a_triple(
    session: Session,
) -> None:
    in_units = 20 * 20  # of m**2 / epsilon**2
    found = {}
    for query in ("COUNT(*)", "COUNT(*), SUM(x)", "COUNT(*), AVG(z)", "COUNT(*), STDDEV(x)"):
        one = release(session, f"SELECT {query} FROM t")
        found[query] = variance(one.estimators[0].n, one.families) / in_units
    assert list(found.values()) == [2, 4, 6, 6]


def test_each_cell_of_a_pair_has_the_whole_epsilon_and_the_weight_of_all_rows(session: Session) -> None:
    (family,) = release(session, "SELECT COUNT(*), SUM(x) FROM t").families
    assert (family.sensitivity, family.epsilon) == (20 * 10, 1)


@pytest.mark.parametrize(("total", "expected"), [(2000, "total"), (10_000, "pair")])
def test_a_unit_total_far_below_m_times_w_beats_the_pair(tmp_path: Path, total: int, expected: str) -> None:
    columns = {"x": f"integer, lower: 0, upper: 500, unit_total: {total}"}
    session = Table(columns, privacy="max_rows_per_unit: 20").open(tmp_path)
    found = release(session, "SELECT COUNT(*), SUM(x) FROM t")
    if expected == "pair":
        assert kinds(found) == [[Sum.SHIFTED, Sum.ROWS]]
        return
    assert sorted(k for (k,) in kinds(found)) == [Sum.ROWS, Sum.TOTAL]
    summed = next(e for e in found.estimators if e.measure.arg is not None)
    pair, even = 2 * Fraction(20 * 500) ** 2, 2 * Fraction(2000 * 2) ** 2
    assert pair / even == Fraction(25, 4)
    assert variance(summed.s1, found.families) <= even


def test_shares_of_several_families_add_up_to_exactly_the_epsilon(session: Session) -> None:
    found = release(session, "SELECT COUNT(DISTINCT u), AVG(x), STDDEV(y), COUNT(z), SUM(x * y) FROM t")
    assert [f.mechanism.value for f in found.families].count("cube") == 1
    assert len(found.families) == 3
    assert sum(f.epsilon for f in found.families) == 1
    assert all(f.epsilon * 1000 >= 1 for f in found.families)


def test_measures_of_equal_weight_share_evenly(session: Session) -> None:
    a, b = release(session, "SELECT VARIANCE(x), VARIANCE(y) FROM t").families
    assert a.epsilon == b.epsilon == Fraction(1, 2)


def test_an_average_of_a_symmetric_range_has_a_count_it_can_be_divided_by(tmp_path: Path) -> None:
    session = Table(
        {"x": "integer, lower: -5, upper: 5, unit_total: 10"}, privacy="max_rows_per_unit: 20"
    ).open(tmp_path)
    found = release(session, "SELECT SUM(x), AVG(x) FROM t")
    (counted,) = [f for f in found.families if f.terms[0].sum is Sum.ROWS]
    assert counted.epsilon > Fraction(1, 10)


def test_more_choices_than_are_compared_are_planned_quickly_with_one_noise_for_all_columns(
    tmp_path: Path,
) -> None:
    columns = {f"c{i}": "integer, lower: 0, upper: 9" for i in range(12)}
    session = Table(columns, privacy="max_rows_per_unit: 3").open(tmp_path)
    query = ", ".join(f"SUM(c{i}), COUNT(c{i})" for i in range(12))
    began = time.process_time()
    found = release(session, f"SELECT {query} FROM t")
    assert time.process_time() - began < 2
    (family,) = found.families
    assert family.mechanism is Mechanism.CUBE
    assert family.widths == (1, *(9,) * 12)
    assert sum(f.epsilon for f in found.families) == 1


def test_families_that_see_other_rows_are_other_parts_and_estimators_follow_their_cells(
    tmp_path: Path,
) -> None:
    columns = {"x": "integer, lower: 0, upper: 500, unit_total: 300"}
    rows = [(1, 100), (1, 400), (2, 50)]
    session = Table(columns, rows, privacy="max_rows_per_unit: 20").open(tmp_path)
    found = plan(session, "SELECT COUNT(*), SUM(x), COUNT(DISTINCT u) FROM t").releases[0]
    assert len(found.parts) == len({p.bounding for p in found.parts}) == 3
    assert session.answer("SELECT COUNT(*), SUM(x), COUNT(DISTINCT u) FROM t").rows == ((3, 350, 2),)


@pytest.mark.parametrize(("measures", "compared"), [(12, True), (100, False)])
def test_the_choices_of_a_few_measures_are_searched_and_very_many_are_planned_without(
    session: Session, measures: int, compared: bool
) -> None:
    """Planning is free for whoever asks, and the search grows with the cube of what there is to choose."""
    items = ", ".join(f"SUM(x + {i}), COUNT(*) FILTER (WHERE y = {i})" for i in range(measures // 2))
    found = release(session, f"SELECT {items} FROM t")
    context, rows = session._state.context, shape(found.question.relation, session._state.context.catalog)
    space = Assignments(found.question, rows, context.catalog, contribution(rows, context.policy))
    compared_with: list[Assignment] = []

    def error(assignment: Assignment) -> float:
        compared_with.append(assignment)
        return float(len(assignment.options))

    assert list(space.best(error))
    assert (len(compared_with) > 1) is compared
