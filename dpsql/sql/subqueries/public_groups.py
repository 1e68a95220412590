"""An aggregate of public rows for each row around it, as one column of their groups by what is compared.

`(SELECT MAX(price) FROM prices p WHERE p.item = o.item)` is looked up in `SELECT item, MAX(price) ... GROUP BY item`.
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from dpsql.algebra.catalog import Catalog
from dpsql.sql.ast.aggregate_calls import is_aggregate
from dpsql.sql.ast.traversal import all_of, conjuncts, from_items
from dpsql.sql.bind.ordered_aggregates import aggregate_call
from dpsql.sql.bind.scope import Scope
from dpsql.sql.dialect import Node

# No name of a query can be one of these.
_GROUPS, _KEY, _VALUE = "#groups", "#key", "#value"
_CLAUSES: Final = frozenset({"expressions", "from_", "joins", "where"})
_Pair = tuple[Node, Node]


def in_groups(select: Node, around: Scope, catalog: Catalog) -> exp.Select | None:
    """The lookup of an aggregate that is tied to the row around it by equalities alone; None for any other query."""
    if (
        not isinstance(select, exp.Select)
        or len(select.expressions) != 1
        or len(all_of(select, exp.Query)) > 1
    ):
        return None
    where = select.args.get("where")
    if where is None or {name for name, value in select.args.items() if value} - _CLAUSES:
        return None
    select = select.copy()
    sides = _Sides(from_items(select), around, catalog)
    pairs, rest = _tied(conjuncts(select.args["where"].this), sides)
    item = select.expressions[0].unalias()
    calls = [n for n in all_of(item, exp.Func, exp.Filter) if _is_outermost(n)]
    if not pairs or not calls or not all(map(_is_known, calls)) or all_of(item, exp.Window):
        return None
    called = {id(c) for call in calls for c in all_of(call, exp.Column)}
    beside = [c for c in all_of(item, exp.Column) if id(c) not in called]
    inside = [*calls, *rest, *(inner for inner, _ in pairs), *(select.args.get("joins") or ())]
    if any(map(sides.names_outside, inside)) or any(map(sides.names_inside, beside)):
        return None
    return _lookup(select, item, calls, pairs, rest)


class _Sides:
    """Which columns of a query are its own, and which are those of the row around it."""

    def __init__(self, items: list[Node], around: Scope, catalog: Catalog) -> None:
        self._names = {item.alias_or_name.lower() for item in items}
        tables = [catalog.tables.get(item.name.lower()) for item in items if isinstance(item, exp.Table)]
        # Without a table's columns a bare name is taken for one of them.
        self._known = all(tables) and len(tables) == len(items)
        self._columns = {column.name.lower() for table in tables if table for column in table.columns}
        self._around = around

    def names_outside(self, node: Node) -> bool:
        """Whether an expression has a column of the row around."""
        return any(map(self._is_outside, all_of(node, exp.Column)))

    def names_inside(self, node: Node) -> bool:
        """Whether an expression has a column of the query itself."""
        return not all(map(self._is_outside, all_of(node, exp.Column)))

    def _is_outside(self, column: exp.Column) -> bool:
        if column.table:
            return column.table.lower() not in self._names
        known = self._known and column.name.lower() not in self._columns
        return known and self._around.find(column) is not None


def _tied(conditions: list[Node], sides: _Sides) -> tuple[list[_Pair], list[Node]]:
    """Both sides of each equality with the row around, the query's own first; and all other conditions."""
    pairs, rest = list[_Pair](), list[Node]()
    for condition in conditions:
        both = [condition.this, condition.expression] if isinstance(condition, exp.EQ) else []
        outer = [s for s in both if sides.names_outside(s)]
        inner = [s for s in both if not sides.names_outside(s)]
        if len(outer) == len(inner) == 1 and not sides.names_inside(outer[0]):
            pairs.append((inner[0], outer[0]))
        else:
            rest.append(condition)
    return pairs, rest


def _is_outermost(node: Node) -> bool:
    """Whether a node of the SELECT list is an aggregate, with its FILTER where it has one."""
    return is_aggregate(_call(node)) and not isinstance(node.parent, exp.Filter)


def _is_known(call: Node) -> bool:
    """Whether an aggregate is NULL, or a count, over no rows."""
    return isinstance(_call(call), exp.Count) or aggregate_call(_call(call)) is not None


def _lookup(
    select: exp.Select, item: Node, calls: list[Node], pairs: list[_Pair], rest: list[Node]
) -> exp.Select:
    found = exp.Select(expressions=[exp.alias_(item, _VALUE, quoted=True, copy=False)])
    columns = [exp.alias_(inner, f"{_KEY}{i}", quoted=True) for i, (inner, _) in enumerate(pairs)]
    for i, call in enumerate(calls):
        call.replace(_over_groups(call, f"{_VALUE}{i}"))
        columns.append(exp.alias_(call, f"{_VALUE}{i}", quoted=True))
    select.set("expressions", columns)
    select.set("where", exp.Where(this=exp.and_(*rest, copy=False)) if rest else None)
    select.set("group", exp.Group(expressions=[inner.copy() for inner, _ in pairs]))
    found.set("from_", exp.From(this=select.subquery(exp.to_identifier(_GROUPS, quoted=True), copy=False)))
    same = [exp.EQ(this=_column(f"{_KEY}{i}"), expression=outer) for i, (_, outer) in enumerate(pairs)]
    found.set("where", exp.Where(this=exp.and_(*same, copy=False)))
    return found


def _over_groups(call: Node, name: str) -> Node:
    """The column of an aggregate: a count over no rows is 0, which is no row of the groups."""
    counted = _call(call)
    named = aggregate_call(counted)
    if isinstance(counted, exp.Count) or (named is not None and named.counts):
        return exp.Coalesce(this=_column(name), expressions=[exp.Literal.number(0)])
    return _column(name)


def _call(node: Node) -> Node:
    """An aggregate without its FILTER."""
    call: Node = node.this if isinstance(node, exp.Filter) else node
    return call


def _column(name: str) -> exp.Column:
    return exp.column(name, table=_GROUPS, quoted=True)
