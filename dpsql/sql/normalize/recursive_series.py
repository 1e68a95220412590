"""WITH RECURSIVE that counts from one constant to another, as calendars are written: it is a list of constants."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from operator import ge, gt, le, lt, ne
from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.algebra.expressions import Duration
from dpsql.sql.ast.positions import refuse_node
from dpsql.sql.ast.traversal import all_of, every
from dpsql.sql.dialect import DType, Node
from dpsql.sql.normalize.series_bounds import (
    computed_bounds,
    constant_duration,
    constant_moment,
    constant_number,
    later,
    reads_itself,
)
from dpsql.sql.normalize.table_functions import MOST_ROWS

Value = int | date | datetime
_LARGEST: Final = 2**62
_COMPARED: Final = MappingProxyType[type[Node], Callable[[Value, Value], bool]](
    {exp.LT: lt, exp.LTE: le, exp.GT: gt, exp.GTE: ge, exp.NEQ: ne}
)
_ANCHOR: Final = frozenset({"expressions"})
_STEP: Final = frozenset({"expressions", "from_", "where"})


def without_recursion(tree: Node) -> None:
    """Puts VALUES in the place of every such series, unless bounds are to be computed before.

    Raises QueryRefused for any other query that reads itself.

    >>> after(without_recursion, "WITH RECURSIVE d(n) AS (SELECT 1 UNION ALL SELECT n + 2 FROM d WHERE n < 3) FROM d")
    WITH d(n) AS (SELECT * FROM (VALUES (CAST(1 AS BIGINT)), (CAST(3 AS BIGINT))) AS "n"("n")) SELECT * FROM d
    """
    if not computed_bounds(every(tree)):
        list_recursion(tree)


def list_recursion(tree: Node) -> None:
    """The same where nothing is left to be computed."""
    left = MOST_ROWS
    for clause in all_of(tree, exp.With):
        if not clause.args.get("recursive"):
            continue
        for cte in clause.expressions:
            if reads_itself(cte):
                values = _Series(cte).values(left)
                left -= len(values)
                cte.set("this", _listed(cte, values))
        clause.set("recursive", None)


class _Series:
    """The series of one name of WITH."""

    def __init__(self, cte: exp.CTE) -> None:
        self._cte = cte
        union = cte.this
        plain = type(union) is exp.Union and not any(
            union.args.get(c) for c in ("with_", "order", "limit", "offset")
        )
        if not plain or not _has(union.this, _ANCHOR) or not _has(union.expression, _STEP):
            raise self._refusal()
        anchor, step = union.this.expressions[0], union.expression
        columns = cte.args["alias"].args.get("columns") or []
        self._name: str = (columns[0].name if columns else anchor.alias) or ""
        source = step.args["from_"].this
        is_own = isinstance(source, exp.Table) and source.name.lower() == cte.alias.lower() and not source.db
        if not self._name or len(columns) > 1 or not is_own or source.args.get("joins"):
            raise self._refusal()
        self._tables = {"", source.alias_or_name.lower()}
        self._anchor, self._step, self._while = (
            anchor.unalias(),
            step.expressions[0].unalias(),
            step.args["where"].this,
        )

    def values(self, most: int) -> list[Value]:
        """The values in the order in which they are counted, all different."""
        value = self._value(self._anchor, None)
        if value is None:
            raise self._refusal()
        found = {value: None}
        while self._goes_on(self._while, value):
            value = self._following(value, type(value))
            if len(found) >= most or value in found:
                raise self._refusal()
            found[value] = None
        return list(found)

    def _refusal(self) -> Exception:
        return refuse_node(
            self._cte,
            f"WITH RECURSIVE is read where it counts from one constant to another, in at most {MOST_ROWS} steps",
            "As in d(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM d WHERE n < 9), or with dates and an INTERVAL.",
        )

    def _following(self, current: Value, kind: type[Value]) -> Value:
        """The next value in the type of the first, as DuckDB casts it."""
        value = self._value(self._step, current)
        if isinstance(value, datetime) and kind is date:
            value = value.date()
        if value is None or type(value) is not kind or (isinstance(value, int) and abs(value) > _LARGEST):
            raise self._refusal()
        return value

    def _goes_on(self, condition: Node, current: Value) -> bool:
        condition = condition.unnest()
        if isinstance(condition, exp.And):
            return self._goes_on(condition.this, current) and self._goes_on(condition.expression, current)
        compare = _COMPARED.get(type(condition))
        if compare is None:
            raise self._refusal()
        sides = (self._value(condition.this, current), self._value(condition.expression, current))
        left, right = (datetime.combine(s, time()) if type(s) is date else s for s in sides)
        if left is None or type(left) is not type(right):
            raise self._refusal()
        return compare(left, right)

    def _value(self, node: Node, current: Value | None) -> Value | None:
        """What an expression is, where the column is `current`; None for what is not known here."""
        node = node.unnest()
        if isinstance(node, exp.Column):
            own = node.name.lower() == self._name.lower() and node.table.lower() in self._tables
            return current if own else None
        if isinstance(node, exp.Add | exp.Sub):
            return self._moved(node, current)
        moment = constant_moment(node)
        if moment is None and isinstance(node, exp.Cast) and node.args["to"].this is DType.DATE:
            inner = self._value(node.this, current)
            return inner.date() if isinstance(inner, datetime) else inner if isinstance(inner, date) else None
        if moment is not None:
            return moment.date() if node.args["to"].this is DType.DATE else moment
        return constant_number(node)

    def _moved(self, node: Node, current: Value | None) -> Value | None:
        sign, start = -1 if isinstance(node, exp.Sub) else 1, self._value(node.this, current)
        every, number = constant_duration(node.expression), self._value(node.expression, current)
        try:
            if every is not None and isinstance(start, date):
                begin = start if isinstance(start, datetime) else datetime.combine(start, time())
                return later(begin, Duration(*(sign * p for p in (every.months, every.days, every.micros))))
            if not isinstance(number, int) or isinstance(start, datetime):
                return None
            if isinstance(start, date):
                return start + timedelta(days=sign * number)
            return None if start is None else start + sign * number
        except (OverflowError, ValueError):
            return None


def _listed(cte: exp.CTE, values: list[Value]) -> exp.Select:
    columns = cte.args["alias"].args.get("columns")
    name = exp.to_identifier(columns[0].name if columns else cte.this.this.expressions[0].alias, quoted=True)
    rows = [exp.Tuple(expressions=[_constant(v)]) for v in values]
    alias = exp.TableAlias(this=name, columns=[name.copy()])
    return exp.select("*").from_(exp.Values(expressions=rows, alias=alias))


def _has(select: Node, clauses: frozenset[str]) -> bool:
    """Whether a SELECT has one column, and these clauses alone."""
    given = {name for name, value in select.args.items() if value}
    return type(select) is exp.Select and given == clauses and len(select.expressions) == 1


def _constant(value: Value) -> Node:
    kinds: Mapping[type, object] = {int: DType.BIGINT, date: DType.DATE, datetime: DType.TIMESTAMP}
    if isinstance(value, int):
        number = exp.Literal.number(abs(value))
        written: Node = exp.Neg(this=number) if value < 0 else number
    else:
        written = exp.Literal.string(
            value.isoformat(" ") if isinstance(value, datetime) else value.isoformat()
        )
    return exp.Cast(this=written, to=exp.DataType(this=kinds[type(value)]))
