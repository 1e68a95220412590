"""LIKE ANY and LIKE ALL of PostgreSQL and Snowflake, which DuckDB has not: one LIKE for each pattern."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from dpsql.sql.ast.column_names import keep_names
from dpsql.sql.ast.traversal import all_of, every
from dpsql.sql.dialect import DType, Node
from dpsql.sql.lex.array_texts import NotAnArray, array_items
from dpsql.sql.normalize.templates import Room, grouped

LIKES: Final[tuple[type[exp.Binary], ...]] = (exp.Like, exp.ILike)
_ONE: Final = "LIKE takes one pattern here; write x LIKE 'a%' OR x LIKE 'b%'"
_NOT: Final = "databases disagree about NOT LIKE ANY; write NOT (x LIKE ANY ('a%', 'b%'))"


def is_of_patterns(node: Node | None) -> bool:
    """Whether ANY or ALL stands behind LIKE or ILIKE."""
    return (
        isinstance(node, exp.Any | exp.All)
        and isinstance(node.parent, LIKES)
        and node.arg_key == "expression"
    )


def complaint_of_patterns(quantifier: Node) -> str | None:
    """What is wrong with ANY or ALL behind LIKE, or None."""
    like = quantifier.parent
    if like is None or isinstance(like.parent, exp.Escape) or _patterns(quantifier) is None:
        return _ONE
    return _NOT if like.args.get("negate") or isinstance(like.parent, exp.Not) else None


def is_type_of_patterns(kind: Node, cast: Node, quantifier: Node) -> bool:
    """Whether a type is that of a list of texts behind LIKE ANY, as in ANY (ARRAY['a%']::TEXT[])."""
    items = kind.args.get("expressions") or []
    is_text = len(items) == 1 and items[0].this in (DType.TEXT, DType.VARCHAR)
    return is_text and is_of_patterns(quantifier) and isinstance(cast.this.unnest(), exp.Array | exp.Literal)


def without_patterns(tree: Node) -> bool:
    """Changes LIKE ANY into LIKEs that are joined by OR, and LIKE ALL by AND. Says whether there was one.

    >>> after(without_patterns, "SELECT a LIKE ANY ('x%', 'y%') AS b, c ILIKE ALL (ARRAY['z%']) AS d")
    SELECT (a LIKE 'x%' OR a LIKE 'y%') AS b, (c ILIKE 'z%') AS d
    """
    found = [like for like in all_of(tree, *LIKES) if is_of_patterns(like.expression)]
    keep_names(found)
    room = Room()
    for like in reversed(found):
        room.take(len(every(like.this)) * len(_patterns(like.expression) or ()), like, "LIKE ANY")
        join = exp.or_ if isinstance(like.expression, exp.Any) else exp.and_
        each = [
            type(like)(this=grouped(like.this.copy()), expression=pattern.copy())
            for pattern in _patterns(like.expression) or ()
        ]
        like.replace(exp.Paren(this=join(*each, copy=False, wrap=False)))
    return bool(found)


def _patterns(quantifier: Node) -> list[Node] | None:
    """The patterns in parentheses, in a list, or in a text in braces; None for anything else."""
    inside = quantifier.this.unnest()
    if isinstance(inside, exp.Cast) and inside.to.this is DType.ARRAY:
        inside = inside.this.unnest()
    if isinstance(inside, exp.Tuple | exp.Array):
        return inside.expressions or None
    if not isinstance(inside, exp.Literal) or not inside.is_string:
        return None
    if not inside.name.startswith("{"):
        return [inside]
    try:
        items = array_items(inside.name)
    except NotAnArray:
        return None
    return [exp.Literal.string(item) for item in items] or None if None not in items else None
