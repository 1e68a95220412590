"""Joins in parentheses, behind commas and before SELECT, as joins of the FROM clause around them."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.sql.ast.positions import refuse_node
from dpsql.sql.ast.traversal import all_of, is_star
from dpsql.sql.dialect import Node

_SWAPPED: Final = MappingProxyType({"LEFT": "RIGHT", "RIGHT": "LEFT"})
_BINDING: Final = frozenset({"RIGHT", "FULL", "NATURAL"})
_ADVICE: Final = (
    "a join in parentheses stands first in FROM, behind a comma, or first behind JOIN ... ON without SELECT *"
)


def check_commas(joins: Sequence[exp.Join]) -> None:
    """Refuses joins behind a comma that would mean something else from left to right. Raises QueryRefused.

    A comma binds looser than a join: FROM a, b RIGHT JOIN c is a beside (b RIGHT JOIN c). That matters for joins that
    keep rows of the right side, or that look for the columns which both sides have.
    """
    behind = False
    for join in joins:
        kind = next((k for k in (_word(join, "side"), _word(join, "method")) if k in _BINDING), "")
        if behind and kind:
            raise refuse_node(
                join.this,
                f"a {kind} JOIN behind a comma is not supported beside private rows",
                "A comma binds looser than a join: write the joined tables first, and the others behind commas.",
            )
        behind = behind or not any(join.args.get(k) for k in ("side", "kind", "method", "on", "using"))


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
    in_from = inside or isinstance(node.parent, exp.From)
    return None if in_from or not _has_joins(node) else "a join stands in FROM"


def without_parentheses(tree: Node) -> None:
    """Changes joins in parentheses into joins of the SELECT around them.

    Joins are taken from the left to the right, so that parentheses around the first ones say nothing. Behind a comma
    they stand where inner and left joins only add columns to what is before; and a join in parentheses that is joined
    itself changes places with the only source before it.

    >>> after(without_parentheses, "SELECT x FROM (a JOIN b ON a.i = b.i), (c LEFT JOIN d ON c.i = d.i)")
    SELECT x FROM a JOIN b ON a.i = b.i, c LEFT JOIN d ON c.i = d.i
    >>> after(without_parentheses, "SELECT x FROM a LEFT JOIN (b JOIN c ON b.i = c.i) ON a.i = b.i")
    SELECT x FROM b JOIN c ON b.i = c.i RIGHT JOIN a ON a.i = b.i
    """
    for select in all_of(tree, exp.Select):
        clause = select.args.get("from_")
        joins = select.args.get("joins") or []
        if clause is None or not any(map(is_joined, (clause.this, *(j.this for j in joins)))):
            continue
        if joins and _joins(joins[0].this) and is_table(joins[0].this) and not _adds(joins[0], joins[0].this):
            _swap(clause, joins[0])
        first, first_joins = _flat(clause.this)
        clause.set("this", first)
        select.set("joins", first_joins + _flat_joins(joins))


def is_joined(source: Node) -> bool:
    """Whether a source is one in parentheses, or has joins of its own."""
    return is_table(source) or _has_joins(source)


def _flat(source: Node) -> tuple[Node, list[Node]]:
    """The first source inside parentheses, and the joins that bring the others in."""
    inner, more = _flat(source.this) if is_table(source) else (source, [])
    own = _own_joins(source)
    if own:
        source.set("joins", None)
    return inner, more + _flat_joins(own)


def _flat_joins(joins: list[Node]) -> list[Node]:
    flat: list[Node] = []
    for join in joins:
        item, more = _flat(join.this)
        join.set("this", item)
        flat += [join, *more]
    return flat


def _own_joins(source: Node | None) -> list[Node]:
    return list(source.args.get("joins") or ()) if isinstance(source, exp.Table | exp.Subquery) else []


def _has_joins(source: Node | None) -> bool:
    return bool(_own_joins(source))


def _joins(source: Node) -> list[Node]:
    """The joins inside of parentheses and on what stands in them."""
    inside = _joins(source.this) if isinstance(source, exp.Subquery) else []
    own = _own_joins(source)
    return [*inside, *own, *(deeper for j in own for deeper in _joins(j.this))]


def _adds(join: Node, source: Node) -> bool:
    """Whether all that stands in parentheses behind a comma or CROSS JOIN only adds to what is before."""
    plain = not any(join.args.get(k) for k in ("on", "using", "side", "method"))
    return plain and _word(join, "kind") in ("", "CROSS") and all(map(_keeps_left, _joins(source)))


def _keeps_left(join: Node) -> bool:
    return _word(join, "side") in ("", "LEFT") and not (join.args.get("using") or join.args.get("method"))


def _swaps(join: Node) -> bool:
    """Whether a join may change places with the only source before it: nobody asks for the order of columns."""
    select = join.parent
    if not isinstance(select, exp.Select) or select.args["joins"][0] is not join:
        return False
    plain = join.args.get("on") is not None and not join.args.get("method")
    return (
        plain and _word(join, "kind") in ("", "INNER", "OUTER") and not any(map(is_star, select.expressions))
    )


def _swap(clause: Node, join: Node) -> None:
    first = clause.this
    clause.set("this", join.this)
    join.set("this", first)
    join.set("side", _SWAPPED.get(_word(join, "side"), join.args.get("side")))


def _word(join: Node, part: str) -> str:
    return str(join.args.get(part) or "").upper()
