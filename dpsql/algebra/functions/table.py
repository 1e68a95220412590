"""The shape of a row in the table of functions on private rows, and the three things it is asked.

A function that is not in the table is refused. Each row states its type rule, its range rule and how the engine
spells it so that it is *total*: whatever row it is given, it neither raises nor leaves its stated range.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dpsql.algebra.expressions import Call, Expr
from dpsql.algebra.facts import Fact
from dpsql.algebra.types import SqlType


class Mistyped(Exception):
    """Arguments that a function does not take; the sentence is for the analyst and says what would work."""


@dataclass(frozen=True, slots=True)
class Signature:
    """What the arguments are coerced to (by explicit, total casts) and what comes out."""

    args: tuple[SqlType, ...]
    result: SqlType


# From the arguments as written to a signature; raises Mistyped.
TypeRule = Callable[[tuple[Expr, ...]], Signature]
# From a call and the facts of its arguments to the fact of its value; raises Mistyped where no total form exists.
FactRule = Callable[[Call, tuple[Fact, ...]], Fact]
# From a call, its rendered arguments and their facts at the scan (before any filter) to engine SQL.
EmitRule = Callable[[Call, tuple[str, ...], tuple[Fact, ...]], str]


@dataclass(frozen=True, slots=True)
class Function:
    """One row of the table.

    `name` is the operation of a `Call`; `spellings` are its names in SQL (empty for operators).
    `arity` is the least and the most number of arguments (None: any number).
    `emit` is given *base* facts, those of the scanned columns without the narrowing of filters, because the engine
    may evaluate an expression before a filter.
    """

    name: str
    spellings: tuple[str, ...]
    arity: tuple[int, int | None]
    types: TypeRule
    fact: FactRule
    emit: EmitRule
    summary: str
