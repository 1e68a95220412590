"""The average of different values, as their sum over their number: both are released, and the rest is arithmetic."""

from __future__ import annotations

from sqlglot import exp

from dpsql.sql.ast.column_names import keep_names
from dpsql.sql.ast.traversal import in_window, shallow
from dpsql.sql.dialect import Node
from dpsql.sql.normalize.templates import filled

_PLAIN = "SUM(DISTINCT x) / NULLIF(COUNT(DISTINCT x), 0)"
_FILTERED = "SUM(DISTINCT x) FILTER (WHERE p) / NULLIF(COUNT(DISTINCT x) FILTER (WHERE p), 0)"


def without_distinct_averages(select: exp.Select) -> None:
    """Changes AVG(DISTINCT x) of a SELECT over private rows, with its FILTER; a window's stays what it is.

    >>> select = sqlglot.parse_one("SELECT AVG(DISTINCT a) AS mean FROM t", read="duckdb")
    >>> without_distinct_averages(select)
    >>> select.sql(dialect="duckdb")
    'SELECT (SUM(DISTINCT a) / NULLIF(COUNT(DISTINCT a), 0)) AS mean FROM t'
    """
    clauses = [select.args.get(c) for c in ("having", "qualify", "order")]
    parts = [*select.expressions, *(c for c in clauses if c is not None)]
    calls = [n for part in parts for n in shallow(part) if isinstance(n, exp.Avg)]
    calls = [c for c in calls if isinstance(c.this, exp.Distinct) and not in_window(c)]
    keep_names(calls)
    for call in calls:
        whole: Node = call.parent if isinstance(call.parent, exp.Filter) else call
        values = {"x": call.this.expressions[0]}
        if whole is not call:
            values["p"] = whole.expression.this
        whole.replace(exp.Paren(this=filled(_PLAIN if whole is call else _FILTERED, values)))
