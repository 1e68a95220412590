"""Aggregate calls over the rows of one unit, whose values are still private."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Final

from sqlglot import exp

from dpsql.algebra.expressions import TRUE, Expr, columns_of
from dpsql.algebra.facts import DOUBLE_RANGE, Facts
from dpsql.algebra.functions import apply, cast
from dpsql.algebra.of_unit import QUANTILES, SPREADS, PerUnitAggregate, PerUnitMeasure
from dpsql.algebra.question import Aggregate
from dpsql.algebra.types import NUMERIC, SqlType
from dpsql.errors import QueryRefused
from dpsql.sql.ast.comparisons import value_or_row
from dpsql.sql.ast.descriptions import name_of
from dpsql.sql.ast.positions import place_of
from dpsql.sql.bind.binder import Binder
from dpsql.sql.bind.ordered_aggregates import aggregate_call, quantile_level
from dpsql.sql.dialect import Node
from dpsql.sql.validate.function_names import arguments

_ADDED = frozenset({PerUnitAggregate.SUM, PerUnitAggregate.AVG, PerUnitAggregate.QUANTILE_CONT, *SPREADS})
_AGGREGATES: Final = (
    "COUNT, SUM, AVG, VARIANCE, STDDEV, MEDIAN, QUANTILE_CONT, MIN, MAX, BOOL_OR and BOOL_AND are."
)
# What gives a value of a unit's first or last row has another way, through a window.
_OF_ONE_ROW: Final = (exp.ArgMin, exp.ArgMax)
_FIRST_ROW: Final = (
    "Number each unit's rows in a derived table, ROW_NUMBER() OVER (PARTITION BY its key ORDER BY ...), and keep "
    "the rows with 1."
)


def any_value(call: Node) -> exp.Min | None:
    """ANY_VALUE as the least of the values, which is one of them; None for any other call."""
    written = call.this if isinstance(call, exp.IgnoreNulls) else call
    if not isinstance(written, exp.AnyValue):
        return None
    least = exp.Min(this=written.this)
    least.meta.update(written.meta)
    return least


class UnitMeasures:
    """Binds aggregates over rows whose expressions `binder` binds; `facts` is asked once, if at all."""

    def __init__(self, binder: Binder, facts: Callable[[], Facts]) -> None:
        self._binder = binder
        self._facts = facts
        self._facts_inside: Facts | None = None

    def measure(self, node: Node) -> PerUnitMeasure:
        """The aggregate of a call, or of one with FILTER. Raises QueryRefused."""
        where: Expr = TRUE
        call = node
        if isinstance(node, exp.Filter):
            call, where = node.this, self._binder.predicate(node.expression.this)
        call = any_value(call) or call
        named = aggregate_call(call)
        if named is not None and named.computes is Aggregate.COUNT_ROWS:
            counted = self._binder.predicate(arguments(call)[0])
            both = counted if where == TRUE else apply("and", (where, counted))
            return PerUnitMeasure(PerUnitAggregate.COUNT_ROWS, None, both, SqlType.INTEGER)
        if isinstance(call, exp.Count):
            return self._count(call, where)
        if named is None or named.of_unit is None:
            raise QueryRefused(
                f"the aggregate {name_of(call).lower()} is not supported over the rows of one unit",
                place=place_of(call),
                hint=_FIRST_ROW if isinstance(call, _OF_ONE_ROW) else _AGGREGATES,
            )
        aggregate, argument = named.of_unit, arguments(call)[0]
        if isinstance(argument, exp.Distinct):
            raise QueryRefused(
                f"{aggregate.value.upper()}(DISTINCT ...) is not supported on private rows",
                place=place_of(call),
                hint="Take DISTINCT rows in a subquery first: FROM (SELECT DISTINCT unit, x FROM t).",
            )
        of_truth = named.computes in (Aggregate.BOOL_AND, Aggregate.BOOL_OR)
        arg = self._binder.predicate(argument) if of_truth else self._binder.bind(argument)
        if aggregate is PerUnitAggregate.SUM and arg.type is SqlType.BOOLEAN:
            arg = cast(arg, SqlType.INTEGER)
        self._check_argument(aggregate, arg, call)
        double = aggregate in _ADDED and aggregate is not PerUnitAggregate.SUM
        level = quantile_level(call, named, self._binder) if aggregate in QUANTILES else Fraction(0)
        return PerUnitMeasure(aggregate, arg, where, SqlType.DOUBLE if double else arg.type, level)

    def _count(self, call: exp.Count, where: Expr) -> PerUnitMeasure:
        argument = call.this
        if argument is None or isinstance(argument, exp.Star):
            return PerUnitMeasure(PerUnitAggregate.COUNT_ROWS, None, where, SqlType.INTEGER)
        distinct = isinstance(argument, exp.Distinct)
        counted = argument.expressions if distinct else [argument]
        if len(counted) != 1 or call.expressions:
            raise QueryRefused(
                "COUNT of the rows of one unit takes one column",
                place=place_of(call),
                hint="COUNT(DISTINCT (a, b)) counts different pairs.",
            )
        aggregate = PerUnitAggregate.COUNT_DISTINCT if distinct else PerUnitAggregate.COUNT
        return PerUnitMeasure(aggregate, value_or_row(counted[0], self._binder.bind), where, SqlType.INTEGER)

    def _check_argument(self, aggregate: PerUnitAggregate, arg: Expr, call: Node) -> None:
        name = aggregate.value.upper()
        numbers = aggregate in _ADDED or aggregate is PerUnitAggregate.QUANTILE_DISC
        if arg.type in (SqlType.NULL, SqlType.INTERVAL) or (numbers and arg.type not in NUMERIC):
            raise QueryRefused(f"{name} needs a number", place=place_of(call))
        bounded = aggregate in SPREADS or aggregate in _ADDED
        if bounded and not self._is_bounded(arg, squared=aggregate in SPREADS):
            raise QueryRefused(
                f"{name} needs a bounded argument",
                place=place_of(call),
                hint="Bound the column in the policy (lower, upper), or the expression with LEAST and GREATEST.",
            )

    def _is_bounded(self, arg: Expr, squared: bool) -> bool:
        """Whether sums of the values, or of their squares, are finite; integers are added up as far as 2^62."""
        if self._facts_inside is None:
            self._facts_inside = self._facts()
        # A column of the query around has no range here, and is refused where it is looked for.
        if not self._facts_inside.columns.keys() >= columns_of(arg):
            return True
        interval = self._facts_inside.of(arg).interval
        most = DOUBLE_RANGE.hi / 2**64 if arg.type is SqlType.DOUBLE else Fraction(2**62)
        if arg.type is SqlType.INTEGER and not squared:
            return interval is None or (interval.lo <= most and interval.hi >= -most)
        most = min(most, Fraction(2**500)) if squared else most
        return interval is not None and interval.magnitude < most
