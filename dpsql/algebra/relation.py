"""Relations of private rows: scans, filters and joins with public tables, frozen.

Projections leave no node: the binder replaces a derived table's columns by the expressions behind them, so that two
spellings of one relation are one value.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass

from dpsql.algebra.expr import TRUE, Call, Column, Expr


class JoinKind(enum.StrEnum):
    """How unmatched rows of the left side are kept."""

    INNER = "inner"
    LEFT = "left"


@dataclass(frozen=True, slots=True)
class Scan:
    """All rows of a table of the policy; `index` tells the scans of one relation apart."""

    table: str
    index: int


@dataclass(frozen=True, slots=True)
class Filter:
    """The rows for which every conjunct is true; the conjuncts stand in a canonical order."""

    source: Relation
    conjuncts: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Join:
    """Pairs of rows for which every conjunct of `on` is true; at most one side has private rows."""

    left: Relation
    right: Relation
    kind: JoinKind
    on: tuple[Expr, ...]


Relation = Scan | Filter | Join


def scans(relation: Relation) -> Iterator[Scan]:
    """Every scan of the relation, from left to right."""
    if isinstance(relation, Scan):
        yield relation
    elif isinstance(relation, Filter):
        yield from scans(relation.source)
    else:
        yield from scans(relation.left)
        yield from scans(relation.right)


def conjuncts(predicate: Expr) -> tuple[Expr, ...]:
    """The predicate as a conjunction, in a canonical order, without repetition and without TRUE."""
    found: dict[str, Expr] = {}
    stack = [predicate]
    while stack:
        node = stack.pop()
        if isinstance(node, Call) and node.op == "and":
            stack.extend(node.args)
        elif node != TRUE:
            found[repr(node)] = node
    return tuple(found[text] for text in sorted(found))


def equalities(predicates: tuple[Expr, ...]) -> Iterator[tuple[Expr, Expr]]:
    """Both sides of each conjunct that is an equality."""
    for p in predicates:
        if isinstance(p, Call) and p.op == "eq":
            yield p.args[0], p.args[1]


def reads(expr: Expr) -> frozenset[int]:
    """The indexes of the scans whose columns the expression reads."""
    found: set[int] = set()
    stack = [expr]
    while stack:
        node = stack.pop()
        if isinstance(node, Column):
            found.add(node.scan)
        elif isinstance(node, Call):
            stack.extend(node.args)
    return frozenset(found)
