"""Several rows for each, UNPIVOT and LATERAL of computed rows: numbered copies of each, with a choice by number."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from dpsql.sql.ast.positions import refuse_node
from dpsql.sql.ast.traversal import all_of, is_star
from dpsql.sql.dialect import Node

# No name of a query can be one of these.
_SOURCE, _COPIES, _AT = "#source", "#copies", "#at"
_MOST_ROWS: Final = 100


def is_unpivot(pivot: Node) -> bool:
    """Whether a PIVOT is an UNPIVOT."""
    return bool(pivot.args.get("unpivot"))


def columns_of(pivot: Node) -> list[tuple[Node, Node]]:
    """The columns of an UNPIVOT, each with the text that names it."""
    listed = [c for field in pivot.args.get("fields") or () for c in field.expressions]
    return [(c.this, c.args["alias"]) if isinstance(c, exp.PivotAlias) else (c, c) for c in listed]


def names_made(pivot: Node) -> list[Node]:
    """What an UNPIVOT names: its columns of values, then those of names; before sqlglot 29 such a name is a column."""
    names = [*pivot.expressions, *(field.this for field in pivot.args.get("fields") or ())]
    return [n.this if isinstance(n, exp.Column) and not n.table else n for n in names]


def without_unpivots(tree: Node) -> bool:
    """Changes UNPIVOT into a query of the rows, once for each of the columns. Says whether there was one.

    >>> after(without_unpivots, "SELECT k, v FROM t UNPIVOT (v FOR k IN (a, b AS 'B')) AS u")
    SELECT k, v FROM (SELECT "t".* EXCLUDE (a, b), "#copies".k,
    CASE "#copies"."#at" WHEN 1 THEN "t".a ELSE "t".b END AS v FROM t AS "t"
    CROSS JOIN (VALUES (1, 'a'), (2, 'B')) AS "#copies"("#at", k)
    WHERE NOT CASE "#copies"."#at" WHEN 1 THEN "t".a ELSE "t".b END IS NULL) AS u
    """
    found = [pivot for pivot in all_of(tree, exp.Pivot) if is_unpivot(pivot)]
    for pivot in reversed(found):
        source, alias = pivot.parent, pivot.args.get("alias")
        assert source is not None
        name = exp.TableAlias(this=exp.to_identifier(source.alias_or_name or _SOURCE, quoted=True))
        inner = source.copy()
        inner.set("pivots", None)
        inner.set("alias", name.copy())
        source.replace(exp.Subquery(this=_copies(pivot, inner), alias=alias or name))
    return bool(found)


def _copies(pivot: exp.Pivot, source: Node) -> exp.Select:
    columns = columns_of(pivot)
    (value, name), own = names_made(pivot), source.alias
    chosen = _chosen([_column(c.this, own) for c, _ in columns])
    rest = exp.Column(
        this=exp.Star(except_=[exp.Column(this=c.this.copy()) for c, _ in columns]),
        table=exp.to_identifier(own, quoted=True),
    )
    names: list[list[Node]] = [[exp.Literal.string(named.name)] for _, named in columns]
    select = exp.Select(
        expressions=[rest, _column(name, _COPIES), exp.Alias(this=chosen, alias=value.copy())],
        from_=exp.From(this=source),
        joins=[exp.Join(this=_numbered(names, [name.copy()]), kind="CROSS")],
    )
    if not pivot.args.get("include_nulls"):
        there = exp.Not(this=exp.Is(this=chosen.copy(), expression=exp.Null()))
        select.set("where", exp.Where(this=there))
    return select


def without_lateral_rows(tree: Node) -> bool:
    """Changes LATERAL (VALUES ...) into numbered rows and a choice by their number. Says whether there was one.

    >>> after(without_lateral_rows, "SELECT k, v FROM t, LATERAL (VALUES ('a', t.a), ('b', t.b)) AS u(k, v)")
    SELECT k, v FROM t CROSS JOIN (VALUES (1), (2)) AS "#copies0"("#at"),
    LATERAL (SELECT CASE "#copies0"."#at" WHEN 1 THEN 'a' ELSE 'b' END AS k,
    CASE "#copies0"."#at" WHEN 1 THEN t.a ELSE t.b END AS v) AS u
    """
    found = [(node, rows) for node in all_of(tree, exp.Lateral) if (rows := _rows(node)) is not None]
    for i, (node, rows) in enumerate(found):
        _number_rows(node, rows, f"{_COPIES}{i}")
    return bool(found)


def _rows(node: exp.Lateral) -> list[list[Node]] | None:
    """The rows that VALUES lists, or SELECTs of expressions that UNION ALL joins; None of any other query."""
    listed = node.this.this
    if isinstance(listed, exp.Values):
        return [list(row.expressions) for row in listed.expressions]
    selects = list[Node]()
    while isinstance(listed, exp.Union) and not listed.args.get("distinct") and not _clauses(listed):
        selects.insert(0, listed.expression)
        listed = listed.this
    selects.insert(0, listed)
    computed = all(isinstance(s, exp.Select) and not _clauses(s) for s in selects)
    return [list(s.expressions) for s in selects] if computed and len(selects) > 1 else None


def _clauses(query: Node) -> set[str]:
    """The clauses of a SELECT of expressions, or of a UNION of such, that are more than those."""
    return {k for k, v in query.args.items() if v} - {"expressions", "this", "expression"}


def _number_rows(node: exp.Lateral, rows: list[list[Node]], copies: str) -> None:
    join = node.parent
    select = join.parent if isinstance(join, exp.Join) else None
    alias = node.args.get("alias")
    if not isinstance(select, exp.Select) or any(map(is_star, select.expressions)) or alias is None:
        raise refuse_node(
            node, "LATERAL of several rows stands behind another table, with a name, and beside no *"
        )
    written = alias.args.get("columns") or [exp.to_identifier(e.alias_or_name) for e in rows[0]]
    names = [n.copy() for n in written if n is not None and n.name]
    if len(rows) > _MOST_ROWS or any(len(row) != len(names) for row in rows):
        raise refuse_node(
            node,
            f"LATERAL of several rows needs a name for each column, as in AS v(x, y), and at most {_MOST_ROWS} rows",
        )
    outputs = [
        exp.Alias(this=_chosen([c.unalias().copy() for c in column], copies), alias=name)
        for column, name in zip(zip(*rows, strict=True), names, strict=True)
    ]
    node.this.set("this", exp.Select(expressions=outputs))
    alias.set("columns", None)
    joins = list(select.args["joins"])
    joins.insert(joins.index(join), exp.Join(this=_numbered([[] for _ in rows], [], copies), kind="CROSS"))
    select.set("joins", joins)


def _chosen(values: list[Node], copies: str = _COPIES) -> Node:
    """The value of the row's number; the last needs no condition."""
    if len(values) == 1:
        return values[0]
    at = exp.column(_AT, table=copies, quoted=True)
    ifs = [exp.If(this=exp.Literal.number(i), true=v) for i, v in enumerate(values[:-1], start=1)]
    return exp.Case(this=at, ifs=ifs, default=values[-1])


def _numbered(rows: list[list[Node]], names: list[Node], copies: str = _COPIES) -> exp.Values:
    tuples = [exp.Tuple(expressions=[exp.Literal.number(i), *row]) for i, row in enumerate(rows, start=1)]
    columns = [exp.to_identifier(_AT, quoted=True), *names]
    alias = exp.TableAlias(this=exp.to_identifier(copies, quoted=True), columns=columns)
    return exp.Values(expressions=tuples, alias=alias)


def _column(name: Node, table: str) -> exp.Column:
    return exp.Column(this=name.copy(), table=exp.to_identifier(table, quoted=True))
