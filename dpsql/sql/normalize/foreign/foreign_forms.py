"""Forms of other databases that are no calls by name: shares of a sum, loose types, series in a SELECT list."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.sql.ast.aggregate_calls import is_aggregate
from dpsql.sql.ast.column_names import keep_names
from dpsql.sql.ast.traversal import all_of, is_number
from dpsql.sql.dialect import DType, Node
from dpsql.sql.normalize.templates import filled, grouped

SHARE: Final = "RATIO_TO_REPORT"
_CONDITIONS: Final[tuple[type[Node], ...]] = (
    exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.And, exp.Or, exp.Not, exp.In, exp.Is, exp.Between, exp.Like,
)  # fmt: skip
_NUMBERS: Final[tuple[type[Node], ...]] = (
    exp.Year, exp.Quarter, exp.Month, exp.Week, exp.Day, exp.DayOfMonth, exp.DayOfWeek, exp.Hour, exp.Minute,
    exp.Second, exp.Extract, exp.Count, exp.Length,
)  # fmt: skip
_OF_TEXTS: Final[tuple[type[Node], ...]] = (exp.Pad, exp.Left, exp.Right, exp.Substring)
LOOSE: Final[tuple[type[Node], ...]] = (exp.Avg, *_OF_TEXTS)
"""Calls that take other types in other databases than in DuckDB."""


def with_casts(tree: Node) -> bool:
    """Casts a condition that is averaged, and a number that is cut or filled up as a text. Says whether there was one.

    >>> after(with_casts, "SELECT AVG(a = 1) AS b, LPAD(MONTH(c), 2, '0') AS d")
    SELECT AVG(CAST((a = 1) AS INT)) AS b, LPAD(CAST(MONTH(c) AS TEXT), 2, '0') AS d
    """
    loose = [call for call in all_of(tree, *LOOSE) if takes_other_type(call)]
    keep_names(loose)
    for call in loose:
        kind = "INTEGER" if isinstance(call, exp.Avg) else "VARCHAR"
        call.set("this", filled(f"CAST(x AS {kind})", {"x": grouped(call.this)}))
    return bool(loose)


def takes_other_type(call: Node) -> bool:
    """Whether the average is that of a condition, or a number is cut or filled up."""
    if isinstance(call, exp.Avg):
        return isinstance(call.this.unnest(), _CONDITIONS)
    return isinstance(call.this, _NUMBERS)


_TEXTS: Final[tuple[type[Node], ...]] = (*_OF_TEXTS, exp.Upper, exp.Lower, exp.Trim, exp.Concat)
_TEXT_TYPES: Final = frozenset({DType.TEXT, DType.VARCHAR, DType.NVARCHAR, DType.CHAR, DType.NCHAR})


def with_joined_texts(tree: Node) -> bool:
    """Joins texts that are added, as SQL Server has it: DuckDB adds no text. Says whether there was one.

    >>> after(with_joined_texts, "SELECT CAST(a AS VARCHAR) + '-' + RIGHT('0' + UPPER(b), 2) AS c, d + 1 AS e")
    SELECT CAST(a AS TEXT) || '-' || RIGHT('0' || UPPER(b), 2) AS c, d + 1 AS e
    """
    sums = [n for n in all_of(tree, exp.Add) if type(n) is exp.Add]
    texts: set[int] = set()
    for node in reversed(sums):  # one that is joined is a text for the sum around it
        sides = (node.this.unnest(), node.expression.unnest())
        if any(_is_text(s) or id(s) in texts for s in sides) and not any(map(_is_other, sides)):
            texts.add(id(node))
    joined = [n for n in sums if id(n) in texts]
    keep_names(joined)
    for node in joined:
        made: Node = exp.DPipe(this=node.this, expression=node.expression)
        is_operand = isinstance(node.parent, exp.Binary) and not isinstance(node.parent, exp.DPipe)
        node.replace(exp.Paren(this=made) if is_operand else made)
    return bool(joined)


def _is_text(node: Node) -> bool:
    """Whether a value is plainly a text."""
    return node.to.this in _TEXT_TYPES if isinstance(node, exp.Cast) else isinstance(node, _TEXTS)


def _is_other(node: Node) -> bool:
    """Whether a value is plainly none, which SQL Server adds as a number."""
    if isinstance(node, exp.Cast):
        return node.to.this not in _TEXT_TYPES
    return isinstance(
        node, (*_NUMBERS, exp.Interval, exp.Neg, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod)
    ) or is_number(node)


def is_share(node: Node) -> bool:
    """Whether a call is RATIO_TO_REPORT(x) of the rows of a window."""
    is_call = isinstance(node, exp.Anonymous) and str(node.this).upper() == SHARE
    return is_call and len(node.expressions) == 1 and isinstance(node.parent, exp.Window)


def without_shares(tree: Node) -> bool:
    """Changes RATIO_TO_REPORT into a quotient. Says whether there was one.

    >>> after(without_shares, "SELECT RATIO_TO_REPORT(SUM(a)) OVER (PARTITION BY b) AS c")
    SELECT (SUM(a) / SUM(SUM(a)) OVER (PARTITION BY b)) AS c
    """
    found = [node for node in all_of(tree, exp.Window) if is_share(node.this)]
    keep_names(found)
    for window in found:
        (value,) = window.this.expressions
        quotient = filled("(x / SUM(x))", {"x": value})
        window.replace(quotient)
        sum_ = quotient.this.expression
        sum_.replace(window)
        window.set("this", sum_)
    return bool(found)


def is_listed_series(node: Node) -> bool:
    """Whether GENERATE_SERIES stands in a column of a SELECT without FROM, as PostgreSQL has it."""
    return select_of_rows(node) is not None


def select_of_rows(call: Node) -> exp.Select | None:
    """The SELECT without FROM whose rows a call of UNNEST or GENERATE_SERIES makes; None for any other call.

    The call may stand within others, as in DATE_TRUNC('month', UNNEST(...)), and is the only one of its kind.
    """
    item, around = call, call.parent
    while isinstance(around, exp.Condition | exp.Alias) and not isinstance(around, exp.Query | exp.Window):
        if is_aggregate(around) or isinstance(around, exp.GenerateSeries | exp.Array):
            return None
        item, around = around, around.parent
    if not isinstance(around, exp.Select) or item.arg_key != "expressions":
        return None
    if any(around.args.get(clause) for clause in ("from_", "group", "having", "qualify", "windows")):
        return None
    makers = (exp.Explode, exp.Unnest) if isinstance(call, exp.Explode) else (exp.GenerateSeries, exp.Explode)
    calls = [c for c in around.expressions for c in all_of(c, *makers)]
    return around if len(calls) == 1 else None


def with_series_unnested(tree: Node) -> bool:
    """Puts UNNEST around GENERATE_SERIES in a SELECT list, where it gives rows. Says whether there was one.

    >>> after(with_series_unnested, "SELECT CAST(GENERATE_SERIES(1, 3) AS INT) AS n")
    SELECT CAST(UNNEST(GENERATE_SERIES(1, 3)) AS INT) AS n
    """
    found = [n for n in all_of(tree, exp.GenerateSeries) if is_listed_series(n)]
    keep_names(found)
    for node in found:
        around = exp.Explode()
        node.replace(around)
        around.set("this", node)
    return bool(found)


_OF_TRINO: Final = "SEQUENCE"
ARRAYS: Final = MappingProxyType(
    {
        "GENERATE_ARRAY": "",
        "GENERATE_DATE_ARRAY": "DATE",
        "GENERATE_TIMESTAMP_ARRAY": "TIMESTAMP",
        _OF_TRINO: "",
    }
)
"""The series of BigQuery and Trino, and the types of their values where the name alone tells these."""


def is_array(node: Node) -> bool:
    """Whether a call is one of the series of BigQuery or Trino in UNNEST behind FROM."""
    name = str(node.this).upper() if isinstance(node, exp.Anonymous) else ""
    if name == _OF_TRINO and len(node.expressions) == 2 and not _ascends(*node.expressions):
        return False
    return name in ARRAYS and len(node.expressions) in (2, 3) and isinstance(node.parent, exp.Unnest)


def _ascends(start: Node, end: Node) -> bool:
    """Whether two numbers are written in order: without a step, Trino's series goes down where they are not."""
    return is_number(start) and is_number(end) and float(start.name) <= float(end.name)


def with_arrays_as_series(tree: Node) -> bool:
    """Writes series of BigQuery and Trino as GENERATE_SERIES, whose values have their type. Says whether there was one.

    >>> after(with_arrays_as_series, "SELECT d FROM UNNEST(GENERATE_DATE_ARRAY('2025-01-01', CURRENT_DATE)) AS d")
    SELECT d FROM
    (SELECT CAST(UNNEST(GENERATE_SERIES(CAST('2025-01-01' AS DATE), CURRENT_DATE, INTERVAL '1' DAY)) AS DATE) AS d) AS d
    """
    found = [node for node in all_of(tree, exp.Unnest) if node.expressions and is_array(node.expressions[0])]
    for node in found:
        call, alias = node.expressions[0], node.args.get("alias")
        start, end, step = (*call.expressions, None)[:3]
        kind = ARRAYS[str(call.this).upper()] or ("DATE" if _is_date(start) else "")
        if kind:
            start, end = (filled(f"CAST(x AS {kind})", {"x": n}) if n.is_string else n for n in (start, end))
            step = step or filled("INTERVAL 1 DAY", {})
        rows = exp.Explode(this=exp.GenerateSeries(start=start, end=end, step=step))
        value = filled(f"CAST(x AS {kind})", {"x": rows}) if kind else rows
        table = alias.this if alias is not None and alias.this is not None else exp.to_identifier("unnest")
        column = alias.columns[0] if alias is not None and alias.columns else table
        select = exp.Select(expressions=[exp.Alias(this=value, alias=column.copy())])
        node.replace(exp.Subquery(this=select, alias=exp.TableAlias(this=table.copy())))
    return bool(found)


def _is_date(node: Node) -> bool:
    """Whether a bound of a series is plainly a date: a cast, today, or one of these moved by an interval."""
    if isinstance(node, exp.Cast):
        return node.to.this is DType.DATE
    if isinstance(node, exp.Add | exp.Sub | exp.Paren):
        return _is_date(node.this)
    return isinstance(node, exp.CurrentDate)


def with_typed_series(tree: Node) -> bool:
    """Gives texts in GENERATE_SERIES of moments their types, as PostgreSQL does. Says whether there was one.

    >>> after(with_typed_series, "SELECT * FROM GENERATE_SERIES('2025-01-31', CURRENT_DATE, '1 day')")
    SELECT * FROM GENERATE_SERIES(CAST('2025-01-31' AS TIMESTAMP), CURRENT_DATE, CAST('1 day' AS INTERVAL))
    """
    changed = False
    for call in all_of(tree, exp.GenerateSeries):
        start, end, step = (call.args.get(part) for part in ("start", "end", "step"))
        if step is None or not (isinstance(step, exp.Interval) or _has_unit(step)):
            continue
        texts = [(b, "CAST(x AS TIMESTAMP)") for b in (start, end) if b is not None and b.is_string]
        if _has_unit(step):
            texts.append((step, "CAST(x AS INTERVAL)"))
        keep_names([call] if texts else [])
        for text, form in texts:
            text.replace(filled(form, {"x": text.copy()}))
        changed = changed or bool(texts)
    return changed


def _has_unit(step: Node) -> bool:
    return bool(step.is_string) and any(c.isalpha() for c in step.name)
