"""LATERAL queries with GROUP BY, as derived tables that are joined on what they compare with the row around them.

    FROM people p, LATERAL (SELECT kind, COUNT(*) AS n FROM orders o WHERE o.person = p.person GROUP BY kind) x

has, for each person, the groups of that person's orders: the same as the groups of all orders by person and kind,
joined on the person.
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from dpsql.sql.ast.traversal import all_of, is_star
from dpsql.sql.dialect import Node
from dpsql.sql.normalize.lateral_marks import is_lateral, without_mark

_KEY: Final = "#key"
# Clauses with which more keys would make other rows.
_OTHER_ROWS: Final = ("distinct", "limit", "offset", "qualify", "windows", "with_", "joins")


def join_groups(tree: Node) -> None:
    """Changes every such query that compares plain columns in a tree, in place; any other is left as it is."""
    for node in all_of(tree, exp.Select):
        if any(is_star(item) for item in node.expressions):
            continue  # which would list what is added
        for join in node.args.get("joins") or ():
            found = _compared(join)
            if found is not None:
                _join(join, found)


def _compared(join: exp.Join) -> list[tuple[exp.EQ, exp.Column, exp.Column]] | None:
    """The conjuncts that compare a column of the query with one of the row around it; None for any other query."""
    item = join.this
    plain = (join.side or "").upper() in ("", "LEFT") and (join.kind or "").upper() in ("", "INNER", "CROSS")
    if not plain or join.args.get("method") or join.args.get("using") or not is_lateral(item):
        return None
    select = item.this
    group = select.args.get("group") if isinstance(select, exp.Select) else None
    if group is None or any(v for k, v in group.args.items() if k != "expressions"):
        return None
    if any(select.args.get(c) for c in _OTHER_ROWS) or any(
        q is not select for q in all_of(select, exp.Query)
    ):
        return None
    own = select.args["from_"].this.alias_or_name.lower() if select.args.get("from_") is not None else ""
    where = select.args.get("where")
    parts = (
        list(where.this.flatten(unnest=False))
        if where is not None and isinstance(where.this, exp.And)
        else []
    )
    parts = parts or ([where.this] if where is not None else [])
    found = [pair for p in parts if (pair := _pair(p, own)) is not None]
    outside = {id(outer) for _, _, outer in found}
    around = any(
        c.table.lower() != own and id(c) not in outside for c in all_of(select, exp.Column) if c.table
    )
    return found if found and own and not around else None


def _pair(part: Node, own: str) -> tuple[exp.EQ, exp.Column, exp.Column] | None:
    """An equality of a qualified column of the query and a qualified one of another source."""
    if not isinstance(part, exp.EQ):
        return None
    sides = (part.this, part.expression)
    if not all(isinstance(s, exp.Column) and s.table for s in sides):
        return None
    inner = [s for s in sides if s.table.lower() == own]
    outer = [s for s in sides if s.table.lower() != own]
    return (part, inner[0], outer[0]) if len(inner) == len(outer) == 1 else None


def _join(join: exp.Join, found: list[tuple[exp.EQ, exp.Column, exp.Column]]) -> None:
    select, on = join.this.this, join.args.get("on")
    conditions = [on] if on is not None else []
    for i, (part, inner, outer) in enumerate(found):
        select.append("expressions", exp.alias_(inner.copy(), f"{_KEY}{i}", quoted=True))
        select.args["group"].append("expressions", inner.copy())
        key = exp.column(f"{_KEY}{i}", table=join.this.alias_or_name, quoted=True)
        conditions.append(exp.EQ(this=key, expression=outer.copy()))
        part.replace(exp.true())
    join.set("on", exp.and_(*conditions, copy=False))
    join.set("kind", None)
    without_mark(join.this)
