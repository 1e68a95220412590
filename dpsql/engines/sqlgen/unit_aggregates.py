"""Per-unit aggregation as SQL: one row for each unit and group, the same whatever the order of the rows."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from dpsql.algebra import ownership
from dpsql.algebra.expressions import TRUE, Expr
from dpsql.algebra.facts import Fact, Facts, fits_bigint
from dpsql.algebra.functions.spell import clamped, double, integer, is_huge, once
from dpsql.algebra.of_unit import QUANTILES, SPREADS, PerUnitAggregate, PerUnitMeasure
from dpsql.algebra.per_unit_facts import Spread, UnitGrid, measure_fact, spread_of, unit_grid
from dpsql.algebra.relations import PerUnit
from dpsql.algebra.scan import quoted
from dpsql.algebra.shape import Shape
from dpsql.algebra.types import SqlType
from dpsql.engines.sqlgen.grid import moved_into
from dpsql.slotted import dataclass

UNIT = quoted(ownership.UNIT)
_COUNTS = {PerUnitAggregate.COUNT: "count({})", PerUnitAggregate.COUNT_DISTINCT: "count(DISTINCT {})"}


def per_unit_sql(node: PerUnit, source: Shape, emit: Callable[[Expr], str], unit: str, rows: str) -> str:
    """SELECT "#unit", k0, ..., a0, ...: each sum and average is clipped to its derived range outside."""
    keys = [f"{one_zero(k, emit(k))} AS k{i}" for i, k in enumerate(node.keys)]
    measures = [UnitMeasure(m, source.facts(), source.rows_per_unit, emit) for m in node.measures]
    inner = [f"{unit} AS {UNIT}", *keys, *(f"{m.aggregate()} AS a{i}" for i, m in enumerate(measures))]
    group = ", ".join(str(i + 1) for i in range(len(keys) + 1))
    names = [UNIT, *(f"k{i}" for i in range(len(keys)))]
    outer = [*names, *(f"{m.outside(f'a{i}')} AS a{i}" for i, m in enumerate(measures))]
    return f"SELECT {', '.join(outer)} FROM (SELECT {', '.join(inner)} {rows} GROUP BY {group})"


def one_zero(expr: Expr, value: str) -> str:
    """A value that is grouped by: -0.0 and 0.0 are one group, and the first row of it must not say which it shows."""
    return f"{value} + 0.0::DOUBLE" if expr.type is SqlType.DOUBLE else value


@dataclass(frozen=True, slots=True)
class UnitMeasure:
    """How one aggregate over rows of a unit is written; `emit` writes an expression over one of them."""

    measure: PerUnitMeasure
    facts: Facts
    rows: int | None
    emit: Callable[[Expr], str]

    def aggregate(self, over: str = "") -> str:
        """The aggregate over the rows of a group, or of a window: exact integers where it adds up."""
        m = self.measure
        only = (f" FILTER (WHERE {self.emit(m.where)})" if m.where != TRUE else "") + over
        if m.aggregate is PerUnitAggregate.COUNT_ROWS:
            return f"count(*){only}"
        assert m.arg is not None
        value = self.emit(m.arg)
        if m.aggregate in _COUNTS:
            return _COUNTS[m.aggregate].format(value) + only
        if m.aggregate in (PerUnitAggregate.MIN, PerUnitAggregate.MAX):
            value = f"{value} + 0.0::DOUBLE" if m.arg.type is SqlType.DOUBLE else value
            return f"{m.aggregate.value}({value}){only}"
        if m.aggregate in QUANTILES:
            return f"{m.aggregate.value}({self._ordered(value)}, {float(m.level)!r}){only}"
        if m.aggregate in SPREADS:
            return self._spread(value, only)
        total = f"sum({self._on_grid(self._grid(), value)}){only}"
        if m.aggregate is PerUnitAggregate.SUM:
            return total
        return f"CAST({total} AS DOUBLE) / count({value}){only}"

    def _ordered(self, value: str) -> str:
        """A value that a quantile is taken of: between two of them as DOUBLE, and with one zero."""
        m = self.measure
        assert m.arg is not None
        if m.aggregate is PerUnitAggregate.QUANTILE_CONT:
            value = f"CAST({value} AS DOUBLE)"
        return f"{value} + 0.0::DOUBLE" if m.type is SqlType.DOUBLE else value

    def _spread(self, value: str, only: str) -> str:
        """A variance or deviation in steps, from sums of integers that no order of rows changes."""
        m = self.measure
        spread = spread_of(m, self.facts, self.rows)
        away = self._away(spread, value)
        squared = once(away, lambda steps: f"{steps} * {steps}")
        n, a, b = f"count({value}){only}", f"sum({away}){only}", f"sum({squared}){only}"
        sample = m.aggregate in (PerUnitAggregate.VAR_SAMP, PerUnitAggregate.STDDEV_SAMP)
        if spread.exact:
            above = f"CAST(CAST({n} AS HUGEINT) * {b} - {a} * {a} AS DOUBLE) / {n}"
        else:
            above = f"greatest(CAST({b} AS DOUBLE) - CAST({a} AS DOUBLE) / {n} * CAST({a} AS DOUBLE), 0e0)"
        variance = f"{above} / ({n} - 1)" if sample else f"{above} / {n}"
        rooted = m.aggregate in (PerUnitAggregate.STDDEV_POP, PerUnitAggregate.STDDEV_SAMP)
        return f"CASE WHEN {n} > {int(sample)} THEN {f'sqrt({variance})' if rooted else variance} END"

    def _away(self, spread: Spread, value: str) -> str:
        """How many steps a value lies above the least one; it is moved into its range first, whatever a row holds."""
        assert self.measure.arg is not None
        if self.measure.arg.type is SqlType.INTEGER and spread.step == 1:
            least = int(spread.lo)
            return f"CAST({clamped(value, least, least + spread.width)} - {integer(least)} AS BIGINT)"
        lo, hi = spread.lo, spread.lo + spread.width * spread.step
        moved = once(f"CAST({value} AS DOUBLE)", lambda v: moved_into(v, lo, hi))
        above = f"({moved} - {double(float(lo))}) / {double(float(spread.step))}"
        return clamped(f"CAST(round({above}) AS BIGINT)", 0, spread.width)

    def _grid(self) -> UnitGrid:
        return unit_grid(self.measure, self.facts, self.rows)

    def _on_grid(self, grid: UnitGrid, value: str) -> str:
        if self.measure.arg is not None and self.measure.arg.type is SqlType.INTEGER:
            return f"CAST({clamped(value, grid.lo, grid.hi)} AS BIGINT)"
        inside = moved_into(value, grid.lo * grid.step, grid.hi * grid.step)
        return f"CAST(round({inside} / {double(float(grid.step))}) AS BIGINT)"

    def outside(self, name: str) -> str:
        """The value of the measure, clipped to its range and in its type."""
        aggregate = self.measure.aggregate
        if aggregate in SPREADS:
            spread = spread_of(self.measure, self.facts, self.rows)
            most, scale = double(float(spread.most(aggregate))), double(float(spread.scale(aggregate)))
            return f"(CASE WHEN {name} > {most} THEN {most} ELSE {name} END) * {scale}"
        if aggregate is PerUnitAggregate.QUANTILE_CONT:
            interval = self.facts.of(self.measure.arg).interval if self.measure.arg is not None else None
            assert interval is not None
            # Between two values that are nearest to 0 the engine finds the other zero.
            return f"{moved_into(name, interval.lo, interval.hi)} + 0.0::DOUBLE"
        if aggregate not in (PerUnitAggregate.SUM, PerUnitAggregate.AVG):
            return kept(name, measure_fact(self.measure, self.facts, self.rows))
        grid = self._grid()
        if aggregate is PerUnitAggregate.AVG:
            return f"{moved_into(name, Fraction(grid.lo), Fraction(grid.hi))} * {double(float(grid.step))}"
        clipped = clamped(name, grid.least, grid.most)
        if self.measure.type is SqlType.DOUBLE:
            return f"CAST({clipped} AS DOUBLE) * {double(float(grid.step))}"
        return typed(clipped, measure_fact(self.measure, self.facts, self.rows))


def kept(value: str, fact: Fact) -> str:
    """A value of rows that have passed a filter: before it, its range may have been that of a HUGEINT."""
    return f"TRY_CAST({value} AS BIGINT)" if fact.type is SqlType.INTEGER and not is_huge(fact) else value


def typed(value: str, fact: Fact) -> str:
    """An INTEGER as BIGINT where its range fits, else as HUGEINT; any other value as it is."""
    if fact.type is not SqlType.INTEGER:
        return value
    return f"CAST({value} AS {'BIGINT' if fits_bigint(fact.interval) else 'HUGEINT'})"
