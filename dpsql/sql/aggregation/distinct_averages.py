"""The average of different values, as their sum over their number: both are released, and the rest is arithmetic.

As every average it is NULL where the noisy number is below 1, and within the range of the values otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from sqlglot import exp

from dpsql.algebra.catalog import Catalog
from dpsql.algebra.shape import shape
from dpsql.errors import QueryRefused
from dpsql.privacy import Interval
from dpsql.sql.ast.column_names import keep_names
from dpsql.sql.ast.traversal import in_window, shallow
from dpsql.sql.bind.selects import OwnedRows
from dpsql.sql.dialect import Node
from dpsql.sql.normalize.templates import filled

_QUOTIENT = "SUM(DISTINCT x) / COUNT(DISTINCT x)"
_WITHIN = f"GREATEST(low, LEAST(high, {_QUOTIENT}))"
_FILTER = "FILTER (WHERE p)"


def without_distinct_averages(select: exp.Select, rows: OwnedRows, catalog: Catalog) -> None:
    """Changes AVG(DISTINCT x) of a SELECT over private rows, with its FILTER; a window's stays what it is."""

    def range_of(node: Node) -> Interval | None:
        try:
            bound = rows.binder.bind(node.copy())
        except QueryRefused:
            return None
        return shape(rows.joined.relation, catalog).facts().of(bound).interval

    write_distinct_averages(select, range_of)


def write_distinct_averages(select: exp.Select, range_of: Callable[[Node], Interval | None]) -> None:
    """The same; `range_of` is the range of an argument, None where it has none and the query will be refused.

    >>> select = sqlglot.parse_one("SELECT AVG(DISTINCT a) AS mean FROM t", read="duckdb")
    >>> write_distinct_averages(select, lambda x: Interval(Fraction(1), Fraction(5)))
    >>> print(select.sql(dialect="duckdb", pretty=True))
    SELECT
      (
        CASE
          WHEN COUNT(DISTINCT a) >= 1
          THEN GREATEST(1, LEAST(5, SUM(DISTINCT a) / COUNT(DISTINCT a)))
        END
      ) AS mean
    FROM t
    """
    clauses = [select.args.get(c) for c in ("having", "qualify", "order")]
    parts = [*select.expressions, *(c for c in clauses if c is not None)]
    calls = [n for part in parts for n in shallow(part) if isinstance(n, exp.Avg)]
    calls = [c for c in calls if isinstance(c.this, exp.Distinct) and not in_window(c)]
    keep_names(calls)
    for call in calls:
        whole: Node = call.parent if isinstance(call.parent, exp.Filter) else call
        argument = call.this.expressions[0]
        values, written = {"x": argument}, _QUOTIENT
        interval = range_of(argument)
        if interval is not None:
            written = _WITHIN
            values |= {"low": _literal(interval.lo), "high": _literal(interval.hi)}
        written = f"CASE WHEN COUNT(DISTINCT x) >= 1 THEN {written} END"
        if whole is not call:
            values["p"] = whole.expression.this
            written = written.replace("(DISTINCT x)", f"(DISTINCT x) {_FILTER}")
        whole.replace(exp.Paren(this=filled(written, values)))


def _literal(number: Fraction) -> Node:
    size = exp.Literal.number(abs(number.numerator) if number.denominator == 1 else abs(float(number)))
    return exp.Neg(this=size) if number < 0 else size
