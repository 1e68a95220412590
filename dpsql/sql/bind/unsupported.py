"""The refusal of what is not supported on private rows, by the name that the analyst wrote."""

from __future__ import annotations

from difflib import get_close_matches

from sqlglot import exp

from dpsql.algebra.functions.entries import SPELLINGS
from dpsql.algebra.functions.released import RELEASED_NAMES
from dpsql.errors import QueryRefused, Refusal
from dpsql.sql.ast.descriptions import name_of, reason_against
from dpsql.sql.ast.positions import place_of
from dpsql.sql.dialect import Node
from dpsql.sql.validate.function_names import BITS

_LISTED = "Those on private rows are listed in docs/functions.md."
_LEAST_ALIKE = 0.8
_RELEASED = (
    "It is one of released results: aggregate the rows, and use it in the SELECT list or around the query."
)


def unsupported(node: Node) -> QueryRefused:
    """The refusal of a construct on private rows, by the name the analyst wrote."""
    if isinstance(node, exp.IgnoreNulls | exp.RespectNulls):  # as ANY_VALUE is parsed
        return unsupported(node.this)
    against = reason_against(name_of(node)) if isinstance(node, exp.AggFunc) else None
    if against is not None:
        return QueryRefused(against[0], place=place_of(node), hint=against[1])
    what, hint = _named_construct(node)
    kind = Refusal.NO_FUNCTION if what.startswith("the function") else Refusal.UNSUPPORTED
    return QueryRefused(
        f"{what} is not supported on private rows", place=place_of(node), hint=hint, kind=kind
    )


def _named_construct(node: Node) -> tuple[str, str]:
    """What a construct is called, and what works instead of it."""
    if isinstance(node, exp.Query | exp.Subquery | exp.Exists | exp.Any | exp.All):
        return (
            "a subquery",
            "Join the public table, or compare released values in HAVING or in an outer query.",
        )
    if isinstance(node, exp.Window):
        return "a window function", "Aggregate first: windows work on released results."
    if isinstance(node, exp.AggFunc | exp.CountIf):
        return (
            "an aggregate in WHERE, GROUP BY or another aggregate",
            "Filter groups with HAVING; aggregate results in an outer query.",
        )
    if isinstance(node, exp.Array):
        return "a list", "Write one call for each of its values."
    if isinstance(node, exp.Anonymous):
        name = str(node.this).lower()
        _, hint = reason_against(name) or ("", _RELEASED if name in RELEASED_NAMES else _nearest(name))
        return f"the function {node.meta.get('written', name).lower()}", hint
    if isinstance(node, exp.Func):
        name = name_of(node).lower()
        return f"the function {name}", _RELEASED if name in RELEASED_NAMES else _LISTED
    hint = _RELEASED if isinstance(node, BITS) else _LISTED
    return ("a star" if isinstance(node, exp.Star) else name_of(node)), hint


def _nearest(name: str) -> str:
    """The function of private rows that is meant, where one is much like it, and where they are listed."""
    near = get_close_matches(name, SPELLINGS, n=1, cutoff=_LEAST_ALIKE)
    return f"Did you mean {near[0].upper()}? {_LISTED}" if near else _LISTED
