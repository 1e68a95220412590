"""Lists as PostgreSQL writes them: texts in braces, lists with the type of their values, and VALUES behind IN."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from dpsql.errors import QueryRefused
from dpsql.slotted import dataclass
from dpsql.sql.ast.column_names import keep_names
from dpsql.sql.ast.comparisons import listed_rows
from dpsql.sql.ast.positions import refuse_node
from dpsql.sql.ast.traversal import all_of, outside_parentheses
from dpsql.sql.dialect import DType, Node
from dpsql.sql.lex.array_texts import NotAnArray, array_items

MOST_LISTED: Final = 10_000
"""So many values may the lists of one query have together."""


@dataclass(frozen=True, slots=True)
class WrittenList:
    """A text in braces or a list, and the type that each of its values is cast to (None: not cast)."""

    list: Node
    item: exp.DataType | None = None


def complaint_of_written(written: WrittenList) -> str | None:
    """What is wrong with the text of a list, or None."""
    if isinstance(written.list, exp.Array):
        return None
    try:
        items = array_items(written.list.name)
    except NotAnArray as wrong:
        return f"a text behind ANY or ALL is an array as in '{{a,b}}': {wrong}"
    return "NULL in an array is not supported" if None in items else None


def values_of(written: WrittenList) -> list[Node]:
    """The values of a list that nothing is wrong with, at the place of their text."""
    if isinstance(written.list, exp.Array):
        values: list[Node] = written.list.expressions
    else:
        values = [exp.Literal.string(item) for item in array_items(written.list.name)]
        for value in values:
            value.meta.update(written.list.meta)
    item = written.item
    return values if item is None else [exp.Cast(this=v, to=item.copy()) for v in values]


def within(compared: Node, values: list[Node]) -> Node:
    """x = ANY and x <> ALL of these values as IN; without one, = ANY is false and <> ALL true, of NULL too."""
    is_any = isinstance(compared, exp.EQ)
    if not values:
        return exp.Paren(this=exp.Boolean(this=not is_any))
    this = compared.this if isinstance(compared.this, exp.Column) else exp.Paren(this=compared.this)
    listed = exp.In(this=this, expressions=values)
    return listed if is_any else exp.Paren(this=exp.Not(this=listed))


def check_listed(number: int) -> None:
    """Refuses lists that have so many values together. Raises QueryRefused."""
    if number > MOST_LISTED:
        raise QueryRefused(
            f"the lists of a query have more than {MOST_LISTED} values together",
            hint="Send several queries.",
        )


def is_typed(node: Node) -> Node | None:
    """What stands around a cast of a list to a type of lists, as in ARRAY[1]::INT[]; None without such a cast."""
    _, cast = outside_parentheses(node)
    is_cast = isinstance(cast, exp.Cast) and cast.to.this is DType.ARRAY
    return outside_parentheses(cast)[1] if is_cast and cast is not None else None


def without_values(tree: Node) -> bool:
    """Changes VALUES behind IN, ANY and ALL into a list, and of rows into a query. Says whether there was one.

    >>> after(without_values, "SELECT a IN (VALUES (1), (2)) AS b, (c, d) IN (VALUES (1, 2)) AS e FROM t")
    SELECT a IN (1, 2) AS b, (c, d) IN (SELECT * FROM (VALUES (1, 2))) AS e FROM t
    >>> after(without_values, "SELECT a > ANY (VALUES (1), (2)) AS b, (c, d) = ANY (VALUES (1, 2)) AS e FROM t")
    SELECT a > ANY([1, 2]) AS b, (c, d) = ANY (SELECT * FROM (VALUES (1, 2))) AS e FROM t
    """
    quantified = [
        (q, rows) for q in all_of(tree, exp.Any, exp.All, exp.Anonymous) if (rows := _quantified_rows(q))
    ]
    keep_names(q.parent for q, _ in quantified if q.parent is not None)
    for _, rows in quantified:
        listed = _single_values(rows)
        if listed is None:
            rows.replace(_query_of(rows.copy()))
        else:
            held = rows.parent if isinstance(rows.parent, exp.Subquery) else rows
            held.replace(exp.Paren(this=exp.Array(expressions=listed)))
    found = [(node, rows) for node in all_of(tree, exp.In) if (rows := listed_rows(node)) is not None]
    keep_names(node for node, _ in found)
    for node, rows in found:
        _check_width(node, rows)
        if isinstance(node.this, exp.Tuple):
            node.set("expressions", None)
            node.set("query", exp.Subquery(this=_query_of(rows)))
        else:
            node.set("expressions", [row.expressions[0] for row in rows.expressions])
    return bool(found or quantified)


def _quantified_rows(quantifier: Node) -> exp.Values | None:
    """The VALUES behind ANY, ALL or SOME."""
    given = quantifier.expressions[:1] if isinstance(quantifier, exp.Anonymous) else [quantifier.this]
    inside = given[0].this if given and isinstance(given[0], exp.Subquery) else given[0] if given else None
    is_call = isinstance(quantifier, exp.Anonymous) and str(quantifier.this).upper() not in ("ALL", "SOME")
    return inside if isinstance(inside, exp.Values) and not is_call else None


def _single_values(rows: exp.Values) -> list[Node] | None:
    """The constants of VALUES (1), (2); None where there are others, or rows of several."""
    items = [row.expressions if isinstance(row, exp.Tuple) else [row] for row in rows.expressions]
    constant = all(len(item) == 1 and not all_of(item[0], exp.Column, exp.Query) for item in items)
    return [item[0] for item in items] if constant else None


def _query_of(rows: exp.Values) -> exp.Select:
    return exp.Select(expressions=[exp.Star()], from_=exp.From(this=rows))


def _check_width(node: exp.In, rows: exp.Values) -> None:
    """Refuses rows of another number of values than what is looked for in them. Raises QueryRefused."""
    width = len(node.this.expressions) if isinstance(node.this, exp.Tuple) else 1
    for row in rows.expressions:
        if len(row.expressions) != width:
            raise refuse_node(row, "a row of VALUES behind IN has as many values as what stands before it")
