"""Aggregate calls of the text as measures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.algebra.expressions import TRUE, Expr
from dpsql.algebra.functions import apply, cast
from dpsql.algebra.functions.aggregates import AggregateCall
from dpsql.algebra.question import ORDERED, Aggregate, Measure
from dpsql.algebra.types import NUMERIC, TEMPORAL, SqlType
from dpsql.errors import QueryRefused
from dpsql.sql.ast.aggregate_calls import is_aggregate
from dpsql.sql.ast.column_names import shown
from dpsql.sql.ast.comparisons import value_or_row
from dpsql.sql.ast.descriptions import name_of, reason_against
from dpsql.sql.ast.positions import place_of
from dpsql.sql.ast.traversal import shallow
from dpsql.sql.bind.binder import Binder
from dpsql.sql.bind.moment_arithmetic import micros_of
from dpsql.sql.bind.ordered_aggregates import aggregate_call, ordered_measure
from dpsql.sql.bind.outer_joins import is_without_match
from dpsql.sql.bind.row_owner import Owner
from dpsql.sql.dialect import Node
from dpsql.sql.validate.function_names import arguments

_CAST: Final = "CAST the value to BIGINT or DOUBLE."
_NUMBER_OF: Final = MappingProxyType(
    dict.fromkeys(TEMPORAL, "Take one from it with EXTRACT or date_diff.")
    | {SqlType.INTERVAL: "Take one from it with EXTRACT(EPOCH FROM x - y), which are seconds."}
)


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
    measured = {n for n, e in aliases.items() if any(is_aggregate(x) for x in shallow(e))}
    waiting = list(measured)
    while waiting:
        used = waiting.pop()
        more = {n for n, names in uses.items() if used in names and n not in measured}
        measured |= more
        waiting += more
    return frozenset(measured)


def measure(node: Node, binder: Binder, owner: Owner, outer: frozenset[int] = frozenset()) -> Measure:
    """The measure of an aggregate call or of one with FILTER; `owner` owns the rows.

    `outer` are private sources whose columns are NULL in rows without a match that belong to the result as well.
    """
    where: Expr = TRUE
    call = node
    if isinstance(node, exp.Filter):
        call, where = node.this, binder.predicate(node.expression.this)
    bound = replace(_measure(call, binder, owner), text=shown(node))
    if outer and bound.aggregate is Aggregate.COUNT_UNITS:
        _check_units(call, binder, outer)
    if where == TRUE:
        return bound
    return replace(bound, where=where if bound.where == TRUE else apply("and", (where, bound.where)))


def _measure(call: Node, binder: Binder, owner: Owner) -> Measure:
    if isinstance(call, exp.Count):
        return _count(call, binder, owner)
    named = aggregate_call(call)
    if named is None:
        raise refusal((str(call.this) if isinstance(call, exp.Anonymous) else name_of(call)).lower(), call)
    if named.computes is Aggregate.COUNT_ROWS:
        return Measure(Aggregate.COUNT_ROWS, None, binder.predicate(arguments(call)[0]), place_of(call))
    if named.is_of_pairs:
        return _of_two(call, named, binder)
    if named.computes is Aggregate.COUNT_DISTINCT:
        return _distinct(arguments(call)[0], call, binder, owner)
    if named.computes in ORDERED:
        return ordered_measure(call, named, binder)
    return _of_number(call, named.computes, binder)


def _of_number(call: Node, aggregate: Aggregate, binder: Binder) -> Measure:
    place, argument = place_of(call), arguments(call)[0]
    distinct = isinstance(argument, exp.Distinct)
    if distinct and aggregate is not Aggregate.SUM:
        raise QueryRefused(
            f"{aggregate.value.upper()}(DISTINCT ...) is not supported on private rows",
            place=place,
            hint=f"Use {aggregate.value.upper()} of all rows, or COUNT(DISTINCT ...) and SUM(DISTINCT ...).",
        )
    arg = binder.bind(argument.expressions[0] if distinct else argument)
    if aggregate is Aggregate.SUM and arg.type is SqlType.BOOLEAN:
        arg = cast(arg, SqlType.INTEGER)  # DuckDB's SUM of conditions counts those that are true
    if arg.type not in NUMERIC and not (aggregate is Aggregate.AVG and micros_of(arg) is not None):
        raise QueryRefused(
            f"{aggregate.value.upper()} needs a number", place=place, hint=_NUMBER_OF.get(arg.type, _CAST)
        )
    return Measure(Aggregate.SUM_DISTINCT if distinct else aggregate, arg, TRUE, place)


def _of_two(call: Node, aggregate: AggregateCall, binder: Binder) -> Measure:
    """An aggregate of pairs (y, x): a pair is left out where either is NULL."""
    place, name, given = place_of(call), name_of(call).upper(), arguments(call)
    if isinstance(given[0], exp.Distinct):
        raise QueryRefused(
            f"{name}(DISTINCT ...) is not supported on private rows", place=place, hint="Leave DISTINCT out."
        )
    if len(given) != 2:
        raise QueryRefused(f"{name} takes 2 arguments, not {len(given)}", place=place)
    y, x = map(binder.bind, given)
    if y.type not in NUMERIC or x.type not in NUMERIC:
        raise QueryRefused(
            f"{name} needs two numbers", place=place, hint="CAST the values to BIGINT or DOUBLE."
        )
    first, second = (x, y) if aggregate.of_x else (y, x)
    return Measure(aggregate.computes, first, TRUE, place, other=second)


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
