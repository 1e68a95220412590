"""Expressions over one private row: frozen, typed, and written by the binder alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from datetime import date, datetime
from fractions import Fraction
from typing import ClassVar, assert_never

from dpsql.algebra.types import SqlType
from dpsql.slotted import dataclass

LiteralValue = None | bool | int | float | str | date | datetime


@dataclass(frozen=True, slots=True)
class Duration:
    """An INTERVAL literal, as DuckDB keeps it: months, days and microseconds, none folded into another."""

    months: int = 0
    days: int = 0
    micros: int = 0


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the n-th scanned table of a relation; `scan` counts from 0 in the order of the text."""

    size: ClassVar[int] = 1
    depth: ClassVar[int] = 0
    scan: int
    name: str
    type: SqlType
    _hash: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.scan, self.name, self.type)))

    def __hash__(self) -> int:
        return self._hash


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant. A DOUBLE is finite; a DATE or TIMESTAMP lies in the years 1 to 9999."""

    size: ClassVar[int] = 1
    depth: ClassVar[int] = 0
    value: LiteralValue | Duration
    type: SqlType


@dataclass(frozen=True, slots=True)
class ScalarParameter:
    """A value that an earlier release of the query gives: its question and measure, both counted from 0.

    The released value is clamped to [lo, hi], and is their middle where it is NULL: what stands here is never NULL.
    """

    size: ClassVar[int] = 1
    depth: ClassVar[int] = 0
    question: int
    measure: int
    type: SqlType
    lo: Fraction
    hi: Fraction

    @property
    def name(self) -> str:
        """The name of the parameter that stands for the value in engine SQL."""
        return f"h{self.question}_{self.measure}"


@dataclass(frozen=True, slots=True)
class Call:
    """An operation of the function table on arguments that already have the types it asks for.

    `size` is the number of nodes of the expression, `depth` how many calls stand inside one another.
    """

    op: str
    args: tuple[Expr, ...]
    type: SqlType
    size: int = field(init=False, compare=False, repr=False)
    depth: int = field(init=False, compare=False, repr=False)
    _hash: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", 1 + sum(a.size for a in self.args))
        object.__setattr__(self, "depth", 1 + max((a.depth for a in self.args), default=0))
        object.__setattr__(self, "_hash", hash((self.op, self.args, self.type)))

    def __hash__(self) -> int:
        return self._hash


Expr = Column | Literal | ScalarParameter | Call


TRUE = Literal(True, SqlType.BOOLEAN)
NULL = Literal(None, SqlType.NULL)


def columns_of(expr: Expr) -> frozenset[Column]:
    """Every column that the expression reads."""
    if isinstance(expr, Call):
        return frozenset(e for e in nodes(expr) if isinstance(e, Column))
    return frozenset((expr,)) if isinstance(expr, Column) else frozenset()


def parameters_of(expr: Expr) -> frozenset[ScalarParameter]:
    """Every value of an earlier release that the expression reads."""
    return frozenset(e for e in nodes(expr) if isinstance(e, ScalarParameter))


def nodes(expr: Expr) -> Iterator[Expr]:
    """Every node of the expression, without recursion."""
    stack: list[Expr] = [expr]
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, Call):
            stack.extend(reversed(node.args))
        elif not isinstance(node, Column | Literal | ScalarParameter):
            assert_never(node)
