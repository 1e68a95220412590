"""Calls of order statistics, modes and conditions over all rows as measures."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from sqlglot import exp

from dpsql.algebra.expressions import TRUE, Expr, Literal
from dpsql.algebra.question import Aggregate, Measure
from dpsql.algebra.types import NUMERIC, TEMPORAL, SqlType
from dpsql.errors import QueryRefused
from dpsql.sql.ast.descriptions import name_of
from dpsql.sql.ast.positions import place_of
from dpsql.sql.bind.expressions import Binder
from dpsql.sql.dialect import Node

_HALF = Fraction(1, 2)
_ENDS: Mapping[type[Node], tuple[Aggregate, Fraction]] = {
    exp.Min: (Aggregate.MIN, Fraction(0)),
    exp.Max: (Aggregate.MAX, Fraction(1)),
    exp.Median: (Aggregate.QUANTILE_CONT, _HALF),
}
# The argument of the call that holds the level.
_QUANTILES: Mapping[type[Node], tuple[Aggregate, str]] = {
    exp.PercentileCont: (Aggregate.QUANTILE_CONT, "expression"),
    exp.PercentileDisc: (Aggregate.QUANTILE_DISC, "expression"),
    exp.Quantile: (Aggregate.QUANTILE_DISC, "quantile"),
    exp.ApproxQuantile: (Aggregate.QUANTILE_DISC, "quantile"),
}
# Of texts with a finite list of values as well.
_OF_TEXT = (exp.Min, exp.Max)
_CONDITIONS: Mapping[type[Node], Aggregate] = {
    exp.LogicalAnd: Aggregate.BOOL_AND,
    exp.LogicalOr: Aggregate.BOOL_OR,
}
# Of these the distinct values have the same answer as all of them.
_IDEMPOTENT = (exp.Min, exp.Max, exp.LogicalAnd, exp.LogicalOr)


def ordered_measure(call: Node, binder: Binder) -> Measure | None:
    """The measure of a call of this kind, or None for another. Raises QueryRefused."""
    kind = type(call)
    if kind not in _ENDS and kind not in _QUANTILES and kind not in _CONDITIONS and kind is not exp.Mode:
        return None
    argument = _argument(call)
    if kind in _CONDITIONS:
        return Measure(_CONDITIONS[kind], binder.predicate(argument), TRUE, place_of(call))
    arg = binder.bind(argument)
    if kind is exp.Mode:
        return _mode(arg, call)
    _check_ordered(arg, call)
    if kind in _ENDS:
        aggregate, level = _ENDS[kind]
    else:
        aggregate, key = _QUANTILES[kind]
        level = _level(call, call.args.get(key), binder)
    return Measure(aggregate, arg, TRUE, place_of(call), level=level)


def quantile_level(call: Node, binder: Binder) -> Fraction:
    """The q of a call of a quantile or median. Raises QueryRefused."""
    if type(call) in _ENDS:
        return _ENDS[type(call)][1]
    return _level(call, call.args.get(_QUANTILES[type(call)][1]), binder)


def _argument(call: Node) -> Node:
    argument: Node | None = call.this
    if argument is None:
        raise QueryRefused(f"{name_of(call)} needs an argument", place=place_of(call), hint="Name a column.")
    if not isinstance(argument, exp.Distinct):
        return argument
    if not isinstance(call, _IDEMPOTENT) or len(argument.expressions) != 1:
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


def _check_ordered(arg: Expr, call: Node) -> None:
    if arg.type in NUMERIC or arg.type in TEMPORAL or (arg.type is SqlType.TEXT and type(call) in _OF_TEXT):
        return
    hint = "BOOL_OR says whether any row is true, BOOL_AND whether all are."
    if arg.type is not SqlType.BOOLEAN:
        hint = "For text, COUNT by group, or take the MODE."
    raise QueryRefused(
        f"{name_of(call)} needs a number, a date or a moment on private rows", place=place_of(call), hint=hint
    )


def _level(call: Node, node: Node | None, binder: Binder) -> Fraction:
    """The q of a quantile; DuckDB counts a negative one from the greatest value."""
    bound = binder.bind(node) if node is not None else None
    value = bound.value if isinstance(bound, Literal) else None
    if isinstance(value, int | float) and not isinstance(value, bool) and -1 <= value <= 1:
        exact = Fraction(str(value))
        return exact if value >= 0 else 1 + exact
    raise QueryRefused(
        f"{name_of(call)} needs a constant between 0 and 1",
        place=place_of(call),
        hint="Write one call for each quantile, such as QUANTILE_CONT(x, 0.5).",
    )
