"""Aggregate calls of the text as measures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp

from dpsql.algebra.expressions import TRUE, Expr
from dpsql.algebra.functions import apply, cast
from dpsql.algebra.question import Aggregate, Measure
from dpsql.algebra.types import NUMERIC, TEMPORAL, SqlType
from dpsql.errors import QueryRefused
from dpsql.sql.ast.aggregates import is_aggregate
from dpsql.sql.ast.column_names import shown
from dpsql.sql.ast.descriptions import name_of, reason_against
from dpsql.sql.ast.positions import place_of
from dpsql.sql.ast.row_values import value_or_row
from dpsql.sql.ast.traversal import shallow
from dpsql.sql.bind.expressions import Binder
from dpsql.sql.bind.ordered_aggregates import ordered_measure
from dpsql.sql.bind.outer_joins import is_without_match
from dpsql.sql.bind.ownership import Owner
from dpsql.sql.dialect import Node

_BY_CLASS: Mapping[type[Node], Aggregate] = {
    exp.Sum: Aggregate.SUM,
    exp.Avg: Aggregate.AVG,
    exp.Variance: Aggregate.VAR_SAMP,
    exp.VariancePop: Aggregate.VAR_POP,
    exp.Stddev: Aggregate.STDDEV_SAMP,
    exp.StddevSamp: Aggregate.STDDEV_SAMP,
    exp.StddevPop: Aggregate.STDDEV_POP,
}
# Of the columns y and x, in this order: what is computed, and of which of them where one is enough; the other one only
# leaves out the pairs in which it is NULL.
_OF_TWO: Mapping[type[Node], tuple[Aggregate, str]] = {
    exp.CovarPop: (Aggregate.COVAR_POP, "yx"),
    exp.CovarSamp: (Aggregate.COVAR_SAMP, "yx"),
    exp.Corr: (Aggregate.CORR, "yx"),
    exp.RegrSlope: (Aggregate.REGR_SLOPE, "yx"),
    exp.RegrIntercept: (Aggregate.REGR_INTERCEPT, "yx"),
    exp.RegrR2: (Aggregate.REGR_R2, "yx"),
    exp.RegrSxy: (Aggregate.REGR_SXY, "yx"),
    exp.RegrCount: (Aggregate.COUNT, "yx"),
    exp.RegrAvgy: (Aggregate.AVG, "yx"),
    exp.RegrAvgx: (Aggregate.AVG, "xy"),
    exp.RegrSyy: (Aggregate.DEVIATIONS, "yx"),
    exp.RegrSxx: (Aggregate.DEVIATIONS, "xy"),
}
_BY_NAME: Mapping[str, Aggregate] = {"mean": Aggregate.AVG}


def refusal(name: str, call: Node) -> QueryRefused:
    """Why an aggregate is not supported on private rows."""
    reason, hint = reason_against(name) or (
        f"the aggregate {name} is not supported on private rows",
        "COUNT, SUM, AVG, VARIANCE, STDDEV, MEDIAN, QUANTILE_CONT, MIN, MAX and MODE are.",
    )
    return QueryRefused(reason, place=place_of(call), hint=hint)


def measured_names(aliases: Mapping[str, Node]) -> frozenset[str]:
    """The names of a SELECT list behind which an aggregate stands, maybe behind other names."""
    uses = {n: {c.name.lower() for c in shallow(e) if isinstance(c, exp.Column)} for n, e in aliases.items()}
    found = {n for n, e in aliases.items() if any(is_aggregate(x) for x in shallow(e))}
    waiting = list(found)
    while waiting:
        used = waiting.pop()
        more = {n for n, names in uses.items() if used in names and n not in found}
        found |= more
        waiting += more
    return frozenset(found)


def measure(node: Node, binder: Binder, owner: Owner, outer: frozenset[int] = frozenset()) -> Measure:
    """The measure of an aggregate call or of one with FILTER; `owner` owns the rows.

    `outer` are private sources whose columns are NULL in rows without a match that belong to the result as well.
    """
    where: Expr = TRUE
    call = node
    if isinstance(node, exp.Filter):
        call, where = node.this, binder.predicate(node.expression.this)
    found = replace(_measure(call, binder, owner), text=shown(node))
    if outer and found.aggregate is Aggregate.COUNT_UNITS:
        _check_units(call, binder, outer)
    if where == TRUE:
        return found
    return replace(found, where=where if found.where == TRUE else apply("and", (where, found.where)))


def _measure(call: Node, binder: Binder, owner: Owner) -> Measure:
    place = place_of(call)
    if isinstance(call, exp.Count):
        return _count(call, binder, owner)
    if isinstance(call, exp.CountIf):
        return Measure(Aggregate.COUNT_ROWS, None, binder.predicate(call.this), place)
    if type(call) in _OF_TWO:
        return _of_two(call, binder)
    if isinstance(call, exp.ApproxDistinct):
        return _distinct(call.this, call, binder, owner)
    found = ordered_measure(call, binder)
    if found is not None:
        return found
    aggregate = _aggregate(call)
    argument = call.expressions[0] if isinstance(call, exp.Anonymous) else call.this
    if isinstance(argument, exp.Distinct):
        raise QueryRefused(
            f"{aggregate.value.upper()}(DISTINCT ...) is not supported on private rows",
            place=place,
            hint=f"Use {aggregate.value.upper()} of all rows, or COUNT(DISTINCT ...).",
        )
    arg = binder.bind(argument)
    if aggregate is Aggregate.SUM and arg.type is SqlType.BOOLEAN:
        arg = cast(arg, SqlType.INTEGER)  # DuckDB's SUM of conditions counts those that are true
    if arg.type not in NUMERIC:
        raise QueryRefused(
            f"{aggregate.value.upper()} needs a number",
            place=place,
            hint="Take one from it with EXTRACT or date_diff."
            if arg.type in TEMPORAL
            else "CAST the value to BIGINT or DOUBLE.",
        )
    return Measure(aggregate, arg, TRUE, place)


def _of_two(call: Node, binder: Binder) -> Measure:
    """An aggregate of pairs (y, x): a pair is left out where either is NULL."""
    aggregate, order = _OF_TWO[type(call)]
    place = place_of(call)
    if isinstance(call.this, exp.Distinct):
        raise QueryRefused(
            f"{name_of(call).upper()}(DISTINCT ...) is not supported on private rows",
            place=place,
            hint="Leave DISTINCT out.",
        )
    pair = {"y": binder.bind(call.this), "x": binder.bind(call.expression)}
    if any(v.type not in NUMERIC for v in pair.values()):
        raise QueryRefused(
            f"{name_of(call).upper()} needs two numbers",
            place=place,
            hint="CAST the values to BIGINT or DOUBLE.",
        )
    first, second = (pair[name] for name in order)
    return Measure(aggregate, first, TRUE, place, other=second)


def _aggregate(call: Node) -> Aggregate:
    named = isinstance(call, exp.Anonymous)
    name = str(call.this).lower() if named else name_of(call).lower()
    found = _BY_NAME.get(name) if named else _BY_CLASS.get(type(call))
    if found is None or (named and len(call.expressions) != 1):
        raise refusal(name, call)
    return found


def _count(call: exp.Count, binder: Binder, owner: Owner) -> Measure:
    place = place_of(call)
    argument = call.this
    if argument is None or isinstance(argument, exp.Star):
        return Measure(Aggregate.COUNT_ROWS, None, TRUE, place)
    if call.expressions:
        raise QueryRefused(
            "COUNT takes one column", place=place, hint="COUNT(DISTINCT (a, b)) counts different pairs."
        )
    if not isinstance(argument, exp.Distinct):
        arg = binder.bind(argument)
        return Measure(Aggregate.COUNT, arg, TRUE, place)
    return _distinct(argument.expressions[0], call, binder, owner)


def _distinct(argument: Node, call: Node, binder: Binder, owner: Owner) -> Measure:
    place, arg = place_of(call), value_or_row(argument, binder.bind)
    if owner.is_unit(arg):
        return Measure(Aggregate.COUNT_UNITS, None, TRUE, place)
    if arg.type is SqlType.NULL:
        raise QueryRefused("COUNT(DISTINCT NULL) counts nothing", place=place)
    return Measure(Aggregate.COUNT_DISTINCT, arg, TRUE, place)


def _check_units(call: Node, binder: Binder, private: frozenset[int]) -> None:
    """Refuses to count units by a column that is not of these sources: rows without a match may have it, too."""
    distinct = call.this
    argument = distinct.expressions[0] if isinstance(distinct, exp.Distinct) else distinct
    if not is_without_match(binder.bind(argument), private):
        raise QueryRefused(
            "an outer join that keeps rows of the public table has rows without an owner",
            place=place_of(call),
            hint="Use JOIN, or count a column of the private table.",
        )
