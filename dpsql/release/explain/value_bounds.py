"""The bounds of the columns whose values are added up or chosen: values outside are moved to the nearer one."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from dpsql.algebra.expressions import Call, Column, Expr
from dpsql.algebra.question import Aggregate
from dpsql.algebra.relations import Scan, sources
from dpsql.algebra.types import SqlType
from dpsql.plan.types import Release
from dpsql.policy.model import Policy, Scalar
from dpsql.release.explain.mechanisms import name_of

_COUNTS = frozenset({Aggregate.COUNT_ROWS, Aggregate.COUNT, Aggregate.COUNT_UNITS})


def value_bounds(release: Release, policy: Policy) -> Iterator[tuple[str, list[str]]]:
    """For each bounded column what becomes of values outside, and the measure that is made of its values.

    Of columns of tables alone, and not of those that are only compared.
    """
    tables = {s.index: s.table for s in sources(release.question.relation) if isinstance(s, Scan)}
    for e in release.estimators:
        args = (e.measure.arg, e.measure.other)
        if e.measure.aggregate in _COUNTS:
            continue
        columns = dict.fromkeys(c for arg in args if arg is not None for c in _added(arg))
        for column in columns:
            if (said := _said(column, tables, policy)) is not None:
                yield said, [name_of(e)]


def _added(expr: Expr) -> Iterator[Column]:
    """The columns whose values make the value of an expression."""
    if isinstance(expr, Column):
        yield expr
    elif isinstance(expr, Call):
        for arg in expr.args:
            if arg.type is not SqlType.BOOLEAN:
                yield from _added(arg)


def _said(column: Column, tables: dict[int, str], policy: Policy) -> str | None:
    table = policy.table(tables.get(column.scan, ""))
    declared = table.column(column.name) if table is not None and not table.public else None
    if declared is None or declared.lower is None or declared.upper is None:
        return None
    low, high = _bound(declared.lower), _bound(declared.upper)
    return f"values of {declared.name} outside {low} to {high} count as the nearer of these"


def _bound(value: Scalar) -> str:
    return f"{float(value):,.10g}" if isinstance(value, int | Fraction) else str(value)
