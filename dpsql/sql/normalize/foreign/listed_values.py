"""CONTAINS and LIST_CONTAINS of a list of constants, which say what IN says."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.sql.dialect import Node
from dpsql.sql.normalize.templates import grouped, spelled


def is_of_constants(args: list[Node]) -> bool:
    """Whether the first argument of a call lists constants, of which none is NULL."""
    is_list = len(args) == 2 and isinstance(args[0], exp.Array)
    return is_list and bool(args[0].expressions) and all(map(_is_constant, args[0].expressions))


def _is_constant(node: Node) -> bool:
    if isinstance(node, exp.Neg | exp.Cast):
        return _is_constant(node.this)
    return isinstance(node, exp.Literal | exp.Boolean)


def _within(args: list[Node]) -> Node | None:
    if not is_of_constants(args):
        return None
    return exp.Paren(this=exp.In(this=grouped(args[1]), expressions=args[0].expressions))


LISTS: Final = MappingProxyType(
    spelled("CONTAINS LIST_CONTAINS LIST_HAS ARRAY_CONTAINS ARRAY_HAS HAS", "x IN ('a', 'b')", _within)
)
