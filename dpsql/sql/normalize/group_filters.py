"""A join that only keeps some groups, taken after the groups are made: the top-N series of dashboards.

Where the joined query has each key once, the key is one of the groups, and nothing else of it is read, the join does no
more than drop groups, as HAVING does. There both sides are released: neither has to wait for the other, and a chart of
all series shares its release with one of the top three. A condition that a key is in, or not in, a query of groups is
taken late in the same way: it is one value in each group.
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from dpsql.sql.ast.aggregate_calls import is_aggregate
from dpsql.sql.ast.traversal import all_of, at_place, conjuncts, every, first_source, plain_groups
from dpsql.sql.dialect import Node

_BESIDES: Final = ("joins", "laterals", "pivots", "limit", "order", "sample", "with_")


def keep_groups_late(tree: Node) -> None:
    """Changes every such join into a condition on groups; any other join is left as it is.

    >>> top = "SELECT p AS best FROM t GROUP BY p ORDER BY SUM(x) DESC LIMIT 3"
    >>> after(keep_groups_late, f"SELECT month, p, SUM(x) FROM t JOIN ({top}) AS v ON p = best GROUP BY month, p")
    SELECT month, p, SUM(x) FROM t GROUP BY month, p
    HAVING p IN (SELECT best FROM (SELECT p AS best FROM t GROUP BY p ORDER BY SUM(x) DESC LIMIT 3) AS v)
    """
    for node in all_of(tree, exp.Select):
        for join in tuple(node.args.get("joins") or ()):
            keep = _kept(node, join)
            if keep is not None:
                node.args["joins"].remove(join)
                _having(node, keep)
        for condition in _conditions(node):
            condition.replace(exp.true())
            _having(node, condition)


def _conditions(node: exp.Select) -> list[Node]:
    """The conjuncts of WHERE that say of a key of the groups whether it is in a query of groups."""
    where = node.args.get("where")
    parts = conjuncts(where.this) if where is not None and plain_groups(node) else []
    return [part for part in parts if _is_late(node, part)]


def _is_late(node: exp.Select, part: Node) -> bool:
    part = part.unnest()
    if isinstance(part, exp.Not):
        part = part.this.unnest()
    query = part.args.get("query") if isinstance(part, exp.In) else None
    if not isinstance(query, exp.Subquery) or not isinstance(part.this, exp.Column):
        return False
    return _group(node, part.this) is not None and _of_groups(query.this)


def _of_groups(query: Node) -> bool:
    """Whether a query, or the only one that it reads, makes groups and reads nothing of the query around it."""
    if not isinstance(query, exp.Select) or query.args.get("joins"):
        return False
    if plain_groups(query):
        return not _reaches_out(query)
    inner = first_source(query)
    return isinstance(inner, exp.Subquery) and not query.args.get("where") and _of_groups(inner.this)


def _reaches_out(query: exp.Select) -> bool:
    """Whether a column may be one of another query's: it names a source that is not this query's only one."""
    source = first_source(query)
    own = ("", source.alias_or_name.lower() if source is not None else "")
    return len(all_of(query, exp.Query)) > 1 or any(
        c.table.lower() not in own for c in all_of(query, exp.Column)
    )


def _having(node: exp.Select, keep: Node) -> None:
    old = node.args.get("having")
    whole = keep if old is None else exp.And(this=exp.Paren(this=old.this), expression=keep)
    node.set("having", exp.Having(this=whole))


def _kept(node: exp.Select, join: exp.Join) -> exp.In | None:
    """The condition that a join stands for, or None where it does more."""
    source, on = join.this, join.args.get("on")
    on = on.unnest() if on is not None else None
    if (
        not isinstance(source, exp.Subquery)
        or not isinstance(source.this, exp.Select)
        or not isinstance(on, exp.EQ)
    ):
        return None
    plain = join.args.get("kind", "") in ("", "INNER")
    if not plain or any(join.args.get(part) for part in ("side", "method", "using")):
        return None
    if any(source.args.get(part) for part in _BESIDES):
        return None
    names = {item.alias_or_name.lower() for item in source.this.expressions}
    sides = [(a, b) for a, b in ((on.this, on.expression), (on.expression, on.this)) if _of(a, source, names)]
    if len(sides) != 1 or "*" in names or not isinstance(sides[0][1], exp.Column):
        return None
    inner, outer = sides[0]
    group = _group(node, outer)
    if group is None or not _each_once(source.this, inner.name) or _is_read(node, join, source, names):
        return None
    chosen = exp.select(exp.Column(this=inner.this.copy())).from_(source.copy())
    return exp.In(this=group.copy(), query=exp.Subquery(this=chosen))


def _of(column: Node, source: exp.Subquery, names: set[str]) -> bool:
    """Whether a column is one of the joined query's."""
    if not isinstance(column, exp.Column):
        return False
    return column.name.lower() in names and column.table.lower() in ("", source.alias.lower())


def _group(node: exp.Select, wanted: exp.Column) -> exp.Column | None:
    """The column of GROUP BY that is this one, written out, under the number of its place, or under its alias."""
    for written in plain_groups(node):
        column = at_place(node, written)
        if isinstance(column, exp.Column) and column.name.lower() == wanted.name.lower():
            tables = {t for t in (column.table.lower(), wanted.table.lower()) if t}
            if len(tables) < 2:
                return column
    return None


def _each_once(query: exp.Select, name: str) -> bool:
    """Whether a query has each value of that column in one row at most: it is its only group."""
    groups = [at_place(query, g) for g in plain_groups(query)]
    items = [item for item in query.expressions if item.alias_or_name.lower() == name.lower()]
    if len(groups) != 1 or len(items) != 1:
        return False
    return bool(items[0].unalias() == groups[0])


def _is_read(node: exp.Select, join: exp.Join, source: exp.Subquery, names: set[str]) -> bool:
    """Whether anything but the join itself and COUNT(*) may read a column of the joined query; a star reads all."""
    within = {id(column) for column in all_of(join, exp.Column, exp.Star)}
    outside = [column for column in all_of(node, exp.Column, exp.Star) if id(column) not in within]
    return any(
        not isinstance(column.parent, exp.Count)
        if isinstance(column, exp.Star)
        else _of(column, source, names)
        for column in outside
    )


def without_all(tree: Node) -> bool:
    """Changes GROUP BY ALL beside QUALIFY, which DuckDB reads apart alone. Says whether there was one.

    >>> after(without_all, "SELECT a, b + 1, COUNT(*) AS n FROM t GROUP BY ALL QUALIFY RANK() OVER (ORDER BY a) = 1")
    SELECT a, b + 1, COUNT(*) AS n FROM t GROUP BY 1, 2 QUALIFY RANK() OVER (ORDER BY a) = 1
    """
    found = [node.parent for node in all_of(tree, exp.Qualify) if isinstance(node.parent, exp.Select)]
    selects = [s for s in found if (group := s.args.get("group")) is not None and group.args.get("all")]
    for select in selects:
        plain = [at for at, item in enumerate(select.expressions, 1) if not _aggregates(item)]
        select.set("group", exp.Group(expressions=[exp.Literal.number(at) for at in plain]))
    return bool(selects)


def _aggregates(item: Node) -> bool:
    return any(isinstance(node, exp.Window) or is_aggregate(node) for node in every(item))
