"""Comparisons with = ANY, = SOME and <> ALL, which are IN and NOT IN under other names."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.sql.ast.traversal import all_of
from dpsql.sql.dialect import Node
from dpsql.sql.normalize.table_functions import is_unnested
from dpsql.sql.normalize.within_group import levels_of

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
    around = node.parent
    if is_unnested(node) or levels_of(node):
        return None if node.expressions else "a list without values is not supported"
    while isinstance(around, exp.Paren):
        around = around.parent
    if around is None or _comparison(around) is None:
        return "a list is not supported here; write a call or a comparison for each of its values"
    if not _fits(around):
        return _FORMS
    return None if node.expressions else "a list without values is not supported"


def without_quantifiers(tree: Node) -> None:
    """Changes x = ANY (...) into x IN (...), and x <> ALL (...) into NOT x IN (...), which is how SQL defines them."""
    for node in all_of(tree, exp.EQ, exp.NEQ):
        found = _members(node.expression) if _fits(node.expression) else None
        if found is None:
            continue
        this = node.this if isinstance(node.this, exp.Column | exp.Tuple) else exp.Paren(this=node.this)
        if isinstance(found, exp.Array):
            within = exp.In(this=this, expressions=found.expressions)
        else:
            within = exp.In(this=this, query=found)
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
