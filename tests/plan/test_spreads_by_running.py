"""Deviations and quantiles of one unit's rows, by running them: no order of rows changes them, and none overflows."""

from __future__ import annotations

import random
import statistics
from collections.abc import Sequence
from fractions import Fraction

import duckdb
import pytest

from dpsql.algebra.expressions import TRUE, Column
from dpsql.algebra.facts import Fact, Facts
from dpsql.algebra.functions import fact_rule
from dpsql.algebra.of_unit import PerUnitAggregate, PerUnitMeasure
from dpsql.algebra.per_unit_facts import measure_fact
from dpsql.algebra.types import SqlType
from dpsql.engines.sqlgen.unit_aggregates import UnitMeasure
from dpsql.privacy import Interval

A = PerUnitAggregate
EXACT = {
    A.VAR_POP: statistics.pvariance,
    A.VAR_SAMP: statistics.variance,
    A.STDDEV_POP: statistics.pstdev,
    A.STDDEV_SAMP: statistics.stdev,
}
WIDE = 2**61


def measured(
    aggregate: PerUnitAggregate, values: Sequence[float], ends: tuple[float, float], rows: int | None
) -> tuple[float | None, Fact]:
    """The aggregate of values that lie between the ends, as it is written for DuckDB, and what is claimed of it."""
    kind = SqlType.INTEGER if all(isinstance(v, int) for v in values) else SqlType.DOUBLE
    column = Column(0, "x", kind)
    interval = Interval(Fraction(ends[0]), Fraction(ends[1]))
    facts = Facts({column: Fact(kind, True, interval)}, fact_rule)
    measure = PerUnitMeasure(aggregate, column, TRUE, SqlType.DOUBLE, Fraction(1, 4))
    written = UnitMeasure(measure, facts, rows, lambda _: "x")
    with duckdb.connect() as con:
        con.execute(f"CREATE TABLE v (x {'BIGINT' if kind is SqlType.INTEGER else 'DOUBLE'})")
        con.execute("INSERT INTO v SELECT unnest(?)", [list(values)])
        found = con.execute(
            f"SELECT {written.outside('a')} FROM (SELECT {written.aggregate()} AS a FROM v)"
        ).fetchone()
    assert found is not None
    return found[0], measure_fact(measure, facts, rows)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("rows", [1000, None])
@pytest.mark.parametrize("aggregate", EXACT)
def test_a_deviation_is_that_of_the_values_in_whatever_order(
    aggregate: PerUnitAggregate, rows: int | None
) -> None:
    draw = random.Random(3)
    values = [draw.uniform(-3, 1000) for _ in range(800)]
    found = {measured(aggregate, draw.sample(values, 800), (-3, 1000), rows)[0] for _ in range(3)}
    assert len(found) == 1
    assert found.pop() == pytest.approx(EXACT[aggregate](values), rel=1e-6)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("rows", [4, 2**40, None])
@pytest.mark.parametrize("ends", [(0, 1), (-WIDE, WIDE), (-7.25, 2.0**499)])
@pytest.mark.parametrize("aggregate", EXACT)
def test_a_deviation_reaches_the_end_of_its_claimed_range_and_no_farther(
    aggregate: PerUnitAggregate, ends: tuple[float, float], rows: int | None
) -> None:
    found, fact = measured(aggregate, ends, ends, rows)
    assert fact.interval is not None and found is not None
    width = Fraction(ends[1]) - Fraction(ends[0])
    most = width * width if aggregate in (A.VAR_POP, A.VAR_SAMP) else width
    share = {A.VAR_POP: 0.25, A.VAR_SAMP: 0.5, A.STDDEV_POP: 0.5, A.STDDEV_SAMP: 0.5**0.5}[aggregate]
    assert Fraction(found) <= fact.interval.hi
    if most < 2**900:
        assert found == pytest.approx(float(most) * share, rel=1e-6)


@pytest.mark.parametrize("aggregate", [A.VAR_POP, A.SUM, A.QUANTILE_CONT])
def test_what_is_the_nearest_double_to_an_end_of_its_range_is_no_farther(aggregate: PerUnitAggregate) -> None:
    """The squared width of these integers, the total of these rows and these integers themselves are no doubles."""
    ends, values = {
        A.VAR_POP: ((0, 1141502260), (0, 1141502260)),
        A.SUM: ((0.0, 16 - 2.0**-36), [16 - 2.0**-36] * 16385),
        A.QUANTILE_CONT: ((0, 2**60 + 129), [2**60 + 129] * 3),
    }[aggregate]
    found, fact = measured(aggregate, values, ends, len(values))
    assert fact.interval is not None and found is not None
    assert Fraction(found) == fact.interval.hi


@pytest.mark.parametrize("values", [(2**62, -(2**62), 3), (1.7e308, -1.7e308, 3.0)])
@pytest.mark.parametrize("aggregate", EXACT)
def test_whatever_a_row_holds_nothing_is_raised(
    aggregate: PerUnitAggregate, values: tuple[float, ...]
) -> None:
    """An engine may compute a value before the filter that its range is known from."""
    within = [type(v)(min(max(v, 0), 10)) for v in values]
    assert measured(aggregate, values, (0, 10), 9)[0] == pytest.approx(
        measured(aggregate, within, (0, 10), 9)[0]
    )


def test_one_row_has_no_sample_deviation() -> None:
    assert measured(A.STDDEV_SAMP, [5], (0, 9), 10)[0] is None
    assert measured(A.STDDEV_POP, [5], (0, 9), 10)[0] == 0


def test_a_quantile_lies_within_the_range_of_the_values() -> None:
    values = [-0.0, 0.0, 0.0, -3.0, 1e300]
    for aggregate in (A.QUANTILE_CONT, A.QUANTILE_DISC):
        found = {str(measured(aggregate, order, (-3, 1e300), None)[0]) for order in (values, values[::-1])}
        assert found == {"0.0"}
