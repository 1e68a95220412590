"""Comparisons with = ANY, = SOME and <> ALL, which SQL defines as IN and NOT IN."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.sql.ast.traversal import all_of, outside_parentheses
from dpsql.sql.dialect import Node
from dpsql.sql.normalize.table_functions import is_unnested
from dpsql.sql.normalize.within_group import is_list_of_levels

_FORMS: Final = (
    "ANY and SOME stand only behind =, and ALL behind <>, with a query or a list ['a', 'b'] in parentheses"
)
# ALL and SOME with a list in parentheses, which sqlglot takes for functions.
_CALLS: Final = MappingProxyType[str, type[Node]]({"ALL": exp.NEQ, "SOME": exp.EQ})


def complaint_of_quantifier(node: Node) -> str | None:
    """What is wrong with ANY, SOME or ALL, or None."""
    return None if _fits(node) and _members(node) is not None else _FORMS


def complaint_of_list(node: Node) -> str | None:
    """What is wrong with a list, or None: one stands in ANY, SOME, ALL, UNNEST and quantiles alone."""
    if not (is_unnested(node) or is_list_of_levels(node)):
        _, around = outside_parentheses(node)
        if around is None or _comparison(around) is None:
            return "a list is not supported here; write a call or a comparison for each of its values"
        if not _fits(around):
            return _FORMS
    return None if node.expressions else "a list without values is not supported"


def without_quantifiers(tree: Node) -> None:
    """Changes x = ANY (...) and SOME into x IN (...), and x <> ALL (...) into NOT x IN (...).

    >>> after(without_quantifiers, "SELECT a = ANY (SELECT b FROM t), a <> ALL([1, 2])")
    SELECT a IN (SELECT b FROM t), (NOT a IN (1, 2))
    """
    for node in all_of(tree, exp.EQ, exp.NEQ):
        inside = _members(node.expression) if _fits(node.expression) else None
        if inside is None:
            continue
        this = node.this if isinstance(node.this, exp.Column | exp.Tuple) else exp.Paren(this=node.this)
        is_list = isinstance(inside, exp.Array)
        within = exp.In(this=this, **({"expressions": inside.expressions} if is_list else {"query": inside}))
        node.replace(within if isinstance(node, exp.EQ) else exp.Paren(this=exp.Not(this=within)))


def _fits(node: Node) -> bool:
    """Whether a quantifier stands behind the comparison that makes it IN or NOT IN."""
    wanted = _comparison(node)
    return wanted is not None and type(node.parent) is wanted and node.arg_key == "expression"


def _comparison(node: Node) -> type[Node] | None:
    """What ANY, SOME and ALL have to stand behind; None for what is no quantifier."""
    if isinstance(node, exp.Any):
        return exp.EQ
    if isinstance(node, exp.All):
        return exp.NEQ
    is_call = isinstance(node, exp.Anonymous) and len(node.expressions) == 1
    return _CALLS.get(str(node.this).upper()) if is_call else None


def _members(quantifier: Node) -> exp.Array | exp.Subquery | None:
    """The query or the list behind a quantifier."""
    inner = quantifier.expressions[0] if isinstance(quantifier, exp.Anonymous) else quantifier.this
    while isinstance(inner, exp.Paren) or (
        isinstance(inner, exp.Subquery) and isinstance(inner.this, exp.Subquery)
    ):
        inner = inner.this
    if isinstance(inner, exp.Select | exp.SetOperation):
        return exp.Subquery(this=inner)
    return inner if isinstance(inner, exp.Array | exp.Subquery) else None
