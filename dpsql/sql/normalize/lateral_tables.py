"""LATERAL queries as derived tables: marked as such, or joined where they are groups of all rows."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from dpsql.sql.ast.traversal import all_of, conjuncts, first_source, is_star, plain_groups
from dpsql.sql.dialect import Node

_MARK: Final = "lateral"
_KEY: Final = "#key"
# Clauses with which more keys would make other rows.
_OTHER_ROWS: Final = ("distinct", "limit", "offset", "qualify", "windows", "with_", "joins")
_Pair = tuple[exp.EQ, exp.Column, exp.Column]


def is_lateral(item: Node) -> bool:
    """Whether a source of FROM may name the sources before it."""
    return bool(item.meta.get(_MARK))


def without_lateral(tree: Node) -> None:
    """Changes LATERAL (SELECT ...) into a derived table that is marked as one: DuckDB reads both the same way.

    >>> after(without_lateral, "SELECT x.n FROM a, LATERAL (SELECT a.n) AS x")
    SELECT x.n FROM a, (SELECT a.n) AS x
    """
    for node in all_of(tree, exp.Lateral):
        table = node.this
        table.set("alias", node.args.get("alias"))
        table.meta[_MARK] = True
        node.replace(table)


def join_groups(tree: Node) -> None:
    """Changes a LATERAL query with GROUP BY that compares plain columns with the row around it into a derived table.

    The groups of each person's orders are those of all orders by person and kind, joined on the person. Any other query
    is left as it is, and so is one in a SELECT with a star, which would list what is added.

    >>> query = "SELECT kind, COUNT(*) AS n FROM orders AS o WHERE o.person = p.person GROUP BY kind"
    >>> after(join_groups, f"SELECT p.age, x.n FROM people AS p, LATERAL ({query}) AS x", without_lateral)
    SELECT p.age, x.n FROM people AS p JOIN (SELECT kind, COUNT(*) AS n, o.person AS "#key0" FROM orders AS o
    WHERE TRUE GROUP BY kind, o.person) AS x ON "x"."#key0" = p.person
    """
    for node in all_of(tree, exp.Select):
        if any(map(is_star, node.expressions)):
            continue
        for join in node.args.get("joins") or ():
            pairs = _compared(join)
            if pairs is not None:
                _join(join, pairs)


def _compared(join: exp.Join) -> list[_Pair] | None:
    """The conjuncts that compare a column of the query with one of the row around it; None for any other query."""
    item = join.this
    plain = (join.side or "").upper() in ("", "LEFT") and (join.kind or "").upper() in ("", "INNER", "CROSS")
    if not plain or join.args.get("method") or join.args.get("using") or not is_lateral(item):
        return None
    select = item.this
    if not isinstance(select, exp.Select) or not plain_groups(select):
        return None
    if any(select.args.get(c) for c in _OTHER_ROWS) or len(all_of(select, exp.Query)) > 1:
        return None
    source, where = first_source(select), select.args.get("where")
    own = source.alias_or_name.lower() if source is not None else ""
    parts = conjuncts(where.this) if where is not None else []
    pairs = [pair for p in parts if (pair := _pair(p, own)) is not None]
    outside = {id(outer) for _, _, outer in pairs}
    named = [c for c in all_of(select, exp.Column) if c.table and id(c) not in outside]
    return pairs if pairs and own and all(c.table.lower() == own for c in named) else None


def _pair(part: Node, own: str) -> _Pair | None:
    """An equality of a qualified column of the query and a qualified one of another source."""
    if not isinstance(part, exp.EQ):
        return None
    columns = [s for s in (part.this, part.expression) if isinstance(s, exp.Column) and s.table]
    inner = [c for c in columns if c.table.lower() == own]
    outer = [c for c in columns if c.table.lower() != own]
    return (part, inner[0], outer[0]) if len(inner) == len(outer) == 1 else None


def _join(join: exp.Join, pairs: list[_Pair]) -> None:
    select, on = join.this.this, join.args.get("on")
    conditions = [on] if on is not None else []
    for i, (part, inner, outer) in enumerate(pairs):
        select.append("expressions", exp.alias_(inner.copy(), f"{_KEY}{i}", quoted=True))
        select.args["group"].append("expressions", inner.copy())
        key = exp.column(f"{_KEY}{i}", table=join.this.alias_or_name, quoted=True)
        conditions.append(exp.EQ(this=key, expression=outer.copy()))
        part.replace(exp.true())
    join.set("on", exp.and_(*conditions, copy=False))
    join.set("kind", None)
    join.this.meta.pop(_MARK)
