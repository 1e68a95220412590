"""Joins in parentheses and joins before SELECT, as joins of the FROM clause around them."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from dpsql.sql.ast.traversal import all_of, is_star
from dpsql.sql.dialect import Node

_SWAPPED = {"LEFT": "RIGHT", "RIGHT": "LEFT"}
_ADVICE = (
    "a join in parentheses stands first in FROM, behind a comma, or first behind JOIN ... ON without SELECT *"
)


def is_table(node: Node) -> bool:
    """Whether something in parentheses is a table or a join, and no query."""
    inner: Node | None = node
    while isinstance(inner, exp.Subquery):
        inner = inner.this
        if isinstance(inner, exp.Table) or _has_joins(inner):
            return True
    return False


def complaint_of_parentheses(node: Node) -> str | None:
    """What is wrong with a table or join in parentheses, or None."""
    if node.args.get("alias") is not None:
        return "a join in parentheses has no alias; write (SELECT * FROM a JOIN b ...) AS alias"
    parent = node.parent
    if isinstance(parent, exp.From | exp.Subquery) or not _joins(node):
        return None
    if isinstance(parent, exp.Join) and (_adds(parent, node) or _swaps(parent)):
        return None
    return _ADVICE


def complaint_of_joins(node: Node) -> str | None:
    """What is wrong with the joins that stand on a table or a query itself, or None."""
    inside = isinstance(node.parent, exp.Subquery) and node.arg_key == "this"
    known = inside or isinstance(node.parent, exp.From)
    return None if known or not _has_joins(node) else "a join stands in FROM"


def without_parentheses(tree: Node) -> None:
    """Changes joins in parentheses into joins of the SELECT around them.

    Joins are taken from the left to the right, so that parentheses around the first ones say nothing. Behind a comma
    they stand where inner and left joins only add columns to what is before; and a join in parentheses that is joined
    itself changes places with the only source before it.
    """
    for select in all_of(tree, exp.Select):
        clause = select.args.get("from_")
        if clause is None or not any(_wrapped(s) for s in _sources(select)):
            continue
        joins = select.args.get("joins") or []
        if joins and _joins(joins[0].this) and is_table(joins[0].this) and not _adds(joins[0], joins[0].this):
            _swap(clause, joins[0])
        first, found = _flat(clause.this)
        clause.set("this", first)
        select.set("joins", found + _flat_joins(joins))


def _sources(select: exp.Select) -> Iterator[Node]:
    yield select.args["from_"].this
    yield from (j.this for j in select.args.get("joins") or ())


def _wrapped(source: Node) -> bool:
    return is_table(source) or _has_joins(source)


def _flat(source: Node) -> tuple[Node, list[Node]]:
    """The first source inside parentheses, and the joins that bring the others in."""
    inner, more = _flat(source.this) if is_table(source) else (source, [])
    own = list(source.args.get("joins") or ()) if isinstance(source, exp.Table | exp.Subquery) else []
    if own:
        source.set("joins", None)
    return inner, more + _flat_joins(own)


def _flat_joins(joins: list[Node]) -> list[Node]:
    found: list[Node] = []
    for join in joins:
        item, more = _flat(join.this)
        join.set("this", item)
        found += [join, *more]
    return found


def _joins(source: Node) -> list[Node]:
    """The joins inside of parentheses and on what stands in them."""
    if not isinstance(source, exp.Table | exp.Subquery):
        return []
    inside = _joins(source.this) if isinstance(source, exp.Subquery) else []
    own = list(source.args.get("joins") or ())
    return [*inside, *own, *(deeper for j in own for deeper in _joins(j.this))]


def _has_joins(node: Node | None) -> bool:
    return isinstance(node, exp.Table | exp.Subquery) and bool(node.args.get("joins"))


def _adds(join: Node, node: Node) -> bool:
    """Whether all that stands in parentheses behind a comma or CROSS JOIN only adds to what is before."""
    plain = not any(join.args.get(k) for k in ("on", "using", "side", "method")) and _kind(join) in (
        "",
        "CROSS",
    )
    return plain and all(
        _side(j) in ("", "LEFT") and not (j.args.get("using") or j.args.get("method")) for j in _joins(node)
    )


def _swaps(join: Node) -> bool:
    """Whether a join may change places with the only source before it: nobody asks for the order of columns."""
    select = join.parent
    plain = (
        join.args.get("on") is not None
        and _kind(join) in ("", "INNER", "OUTER")
        and not join.args.get("method")
    )
    return (
        isinstance(select, exp.Select)
        and plain
        and select.args["joins"][0] is join
        and not any(is_star(item) for item in select.expressions)
    )


def _swap(clause: Node, join: Node) -> None:
    first = clause.this
    clause.set("this", join.this)
    join.set("this", first)
    join.set("side", _SWAPPED.get(_side(join), join.args.get("side")))


def _side(join: Node) -> str:
    return str(join.args.get("side") or "").upper()


def _kind(join: Node) -> str:
    return str(join.args.get("kind") or "").upper()
