"""Calls of order statistics, modes and conditions over all rows as measures."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.algebra.expressions import TRUE, Expr, Literal
from dpsql.algebra.functions.aggregates import BY_NAME, AggregateCall
from dpsql.algebra.question import Aggregate, Measure
from dpsql.algebra.types import NUMERIC, TEMPORAL, SqlType
from dpsql.errors import QueryRefused
from dpsql.sql.ast.descriptions import name_of
from dpsql.sql.ast.positions import place_of
from dpsql.sql.bind.binder import Binder
from dpsql.sql.bind.moment_arithmetic import micros_of
from dpsql.sql.dialect import Node
from dpsql.sql.validate.function_names import AGGREGATES, arguments

_OF_NODE: Mapping[type[Node], AggregateCall] = {
    kind: BY_NAME[name] for name, kind in AGGREGATES.items() if name in BY_NAME
}
_INSTEAD: Final = MappingProxyType(
    {
        SqlType.BOOLEAN: "BOOL_OR says whether any row is true, BOOL_AND whether all are.",
        SqlType.INTERVAL: "EXTRACT(EPOCH FROM x - y) is one, in seconds.",
    }
)
# Of texts with a finite list of values as well.
_OF_TEXT = frozenset({Aggregate.MIN, Aggregate.MAX})
# Of these the distinct values have the same answer as all of them.
_IDEMPOTENT = _OF_TEXT | {Aggregate.BOOL_AND, Aggregate.BOOL_OR}


def aggregate_call(call: Node) -> AggregateCall | None:
    """What is known of a call of an aggregate; None of one that is not supported on private rows, and of COUNT."""
    if isinstance(call, exp.Anonymous):
        named = BY_NAME.get(str(call.this).upper())
        return named if named is not None and len(call.expressions) == named.takes else None
    return _OF_NODE.get(type(call))


def ordered_measure(call: Node, aggregate: AggregateCall, binder: Binder) -> Measure:
    """The measure of an order statistic, a mode or a condition over all rows. Raises QueryRefused."""
    argument, place = _argument(call, aggregate.computes), place_of(call)
    if aggregate.computes in (Aggregate.BOOL_AND, Aggregate.BOOL_OR):
        return Measure(aggregate.computes, binder.predicate(argument), TRUE, place)
    arg = binder.bind(argument)
    if aggregate.computes is Aggregate.MODE:
        return _mode(arg, call)
    _check_ordered(arg, call, aggregate.computes)
    return Measure(aggregate.computes, arg, TRUE, place, level=quantile_level(call, aggregate, binder))


def quantile_level(call: Node, aggregate: AggregateCall, binder: Binder) -> Fraction:
    """The q of a call of a quantile or median. Raises QueryRefused."""
    return aggregate.level if aggregate.level is not None else _level(call, binder)


def _argument(call: Node, aggregate: Aggregate) -> Node:
    given = arguments(call)
    if not given:
        raise QueryRefused(f"{name_of(call)} needs an argument", place=place_of(call), hint="Name a column.")
    argument = given[0]
    if not isinstance(argument, exp.Distinct):
        return argument
    if aggregate not in _IDEMPOTENT or len(argument.expressions) != 1:
        raise QueryRefused(
            f"{name_of(call)}(DISTINCT ...) is not supported on private rows",
            place=place_of(call),
            hint=f"Use {name_of(call)} of all rows, or COUNT(DISTINCT ...).",
        )
    only: Node = argument.expressions[0]
    return only


def _mode(arg: Expr, call: Node) -> Measure:
    if arg.type in (SqlType.NULL, SqlType.INTERVAL):
        raise QueryRefused(
            "MODE needs values to choose from",
            place=place_of(call),
            hint="Name a column whose values are listed.",
        )
    return Measure(Aggregate.MODE, arg, TRUE, place_of(call))


def _check_ordered(arg: Expr, call: Node, aggregate: Aggregate) -> None:
    if arg.type in NUMERIC or arg.type in TEMPORAL or (arg.type is SqlType.TEXT and aggregate in _OF_TEXT):
        return
    # DuckDB has no QUANTILE_CONT of an INTERVAL but the MEDIAN.
    if micros_of(arg) is not None and (
        aggregate is not Aggregate.QUANTILE_CONT or isinstance(call, exp.Median)
    ):
        return
    hint = _INSTEAD.get(arg.type, "For text, COUNT by group, or take the MODE.")
    raise QueryRefused(
        f"{name_of(call)} needs a number, a date or a moment on private rows", place=place_of(call), hint=hint
    )


def _level(call: Node, binder: Binder) -> Fraction:
    """The q of a quantile; DuckDB counts a negative one from the greatest value."""
    given = arguments(call)
    bound = binder.bind(given[1]) if len(given) > 1 else None
    value = bound.value if isinstance(bound, Literal) else None
    if isinstance(value, int | float) and not isinstance(value, bool) and -1 <= value <= 1:
        exact = Fraction(str(value))
        return exact if value >= 0 else 1 + exact
    raise QueryRefused(
        f"{name_of(call)} needs a constant between 0 and 1",
        place=place_of(call),
        hint="Write one call for each quantile, such as QUANTILE_CONT(x, 0.5).",
    )
