"""Comparisons with = ANY, = SOME and <> ALL, which are IN and NOT IN under other names."""

from __future__ import annotations

from sqlglot import exp

from dpsql.sql.dialect import Node

_FORMS = (
    "ANY and SOME stand only behind =, and ALL behind <>, with a query or a list ['a', 'b'] in parentheses"
)


def complaint_of_quantifier(node: Node) -> str | None:
    """What is wrong with ANY, SOME or ALL, or None."""
    parent = node.parent
    wanted = exp.EQ if isinstance(node, exp.Any) else exp.NEQ
    known = type(parent) is wanted and node.arg_key == "expression" and _members(node) is not None
    return None if known else _FORMS


def complaint_of_list(node: Node) -> str | None:
    """What is wrong with a list, or None: one stands in ANY and ALL alone."""
    around = node.parent
    while isinstance(around, exp.Paren):
        around = around.parent
    if not (isinstance(around, exp.Any | exp.All) or _is_all(around)):
        return "a list is not supported here"
    return None if node.expressions else "a list without values is not supported"


def without_quantifiers(tree: Node) -> None:
    """Changes x = ANY (...) into x IN (...), and x <> ALL (...) into NOT x IN (...), which is how SQL defines them."""
    for node in tuple(tree.find_all(exp.EQ, exp.NEQ)):
        quantifier = node.expression
        found = (
            _members(quantifier) if isinstance(quantifier, exp.Any | exp.All) or _is_all(quantifier) else None
        )
        if found is None:
            continue
        this = node.this if isinstance(node.this, exp.Column | exp.Tuple) else exp.Paren(this=node.this)
        if isinstance(found, exp.Array):
            within = exp.In(this=this, expressions=found.expressions)
        else:
            within = exp.In(this=this, query=found)
        node.replace(within if isinstance(node, exp.EQ) else exp.Paren(this=exp.Not(this=within)))


def _members(quantifier: Node) -> exp.Array | exp.Subquery | None:
    """The query or the list behind ANY or ALL."""
    inner = quantifier.expressions[0] if _is_all(quantifier) else quantifier.this
    while isinstance(inner, exp.Paren) or (
        isinstance(inner, exp.Subquery) and isinstance(inner.this, exp.Subquery)
    ):
        inner = inner.this
    if isinstance(inner, exp.Select | exp.SetOperation):
        return exp.Subquery(this=inner)
    return inner if isinstance(inner, exp.Array | exp.Subquery) else None


def _is_all(node: Node | None) -> bool:
    """Whether a call is ALL(...) with a list, which sqlglot takes for a function."""
    return isinstance(node, exp.Anonymous) and str(node.this).upper() == "ALL" and len(node.expressions) == 1
