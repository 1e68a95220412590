"""Pieces of a tree that are written for the analyst: they have no place in the text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from sqlglot import exp

from dpsql.sql.dialect import Node

N = TypeVar("N", bound=Node)
_ATOMS = (exp.Column, exp.Literal, exp.Paren, exp.Func, exp.Null, exp.Boolean, exp.Placeholder)


def grouped(node: Node) -> Node:
    """The node in parentheses, unless it needs none to be an operand."""
    return node if isinstance(node, _ATOMS) and not isinstance(node, exp.Connector) else exp.Paren(this=node)


def number(text: str) -> Node:
    """A number as it is written."""
    return exp.Literal.number(text)


def named(call: N, name: str) -> N:
    """A call that messages call by this name."""
    call.meta["written"] = name
    return call


def case(branches: Sequence[tuple[Node, Node]], default: Node | None) -> exp.Case:
    """CASE WHEN ... THEN ... ELSE ... END."""
    return exp.Case(ifs=[exp.If(this=when, true=then) for when, then in branches], default=default)


def conditional(condition: Node, then: Node, otherwise: Node) -> exp.Case:
    """CASE with one condition."""
    return case([(condition, then)], otherwise)
