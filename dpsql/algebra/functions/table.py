"""The entry of a function on private rows: all there is to say about it in one place.

A function without an entry is refused. An entry states its type rule, its range rule and how the engine spells it so
that it is *total*: whatever row it is given, it neither raises nor leaves its stated range. Most are a line or two:
fixed types, NULL where an argument is, and the engine's function of the same name.
"""

from __future__ import annotations

from collections.abc import Callable

from dpsql.algebra.expressions import Call, Expr
from dpsql.algebra.facts import NATURAL, Fact
from dpsql.algebra.functions.lengths import NO_LONGER
from dpsql.algebra.types import SqlType
from dpsql.slotted import dataclass


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
# From a call and the facts of its arguments to the most characters that its text can have; None where nothing says so.
LengthRule = Callable[[Call, tuple[Fact, ...]], int | None]


@dataclass(frozen=True, slots=True)
class Takes:
    """The least and the most number of arguments (None: any number), their type rule, and the type that comes out.

    `gives` is None where the type that comes out is that of the arguments.
    """

    least: int
    most: int | None
    rule: TypeRule
    gives: SqlType | None = None


def takes(*args: SqlType, gives: SqlType, optional: int = 0) -> Takes:
    """Arguments of fixed types, the last `optional` of which may be left out."""
    return Takes(len(args) - optional, len(args), lambda given: Signature(args[: len(given)], gives), gives)


def any_number(kind: SqlType, *, gives: SqlType) -> Takes:
    """Any number of arguments of one type."""
    return Takes(1, None, lambda given: Signature((kind,) * len(given), gives), gives)


def any_null(facts: tuple[Fact, ...]) -> bool:
    """Whether any of the values can be NULL."""
    return any(f.nullable for f in facts)


def any_value(call: Call, facts: tuple[Fact, ...]) -> Fact:
    """NULL where an argument can be, otherwise any value of the type."""
    return Fact(call.type, any_null(facts), NATURAL.get(call.type))


def never_null(call: Call, _facts: tuple[Fact, ...]) -> Fact:
    """Any value of the type, whatever the arguments are."""
    return Fact(call.type, False, NATURAL.get(call.type))


def called(call: Call, args: tuple[str, ...], _facts: tuple[Fact, ...]) -> str:
    """The engine's function of the same name."""
    return f"{call.op}({', '.join(args)})"


def unknown(_call: Call, _facts: tuple[Fact, ...]) -> None:
    """Nothing says how long a text is."""


@dataclass(frozen=True, slots=True)
class Function:
    """One entry of the table.

    `name` is the operation of a `Call`, which stands in the keys of stored releases; `spellings` are its names in SQL
    (empty for operators). `summary` is its line in docs/functions.md. `example` are arguments of a call by each of the
    spellings, as DuckDB takes them too: the fuzzers draw them with any expression of a kind in the place of {int},
    {float}, {text}, {bool}, {date} and {ts}, and a test compares their values with DuckDB's.
    `emit` is a rule or SQL with {0}, {1} in the place of the arguments. It is given *base* facts, those of the scanned
    columns without the narrowing of filters, because the engine may evaluate an expression before a filter.
    `strict`: NULL wherever an argument is NULL. `longest` is asked of texts alone. Decimals are doubles here: what
    DuckDB gives for one is one where the function `keeps` it, and it `tells` one from the nearest double where their
    values are far apart; see `sql/ast/comparisons.py`.
    """

    name: str
    spellings: tuple[str, ...]
    takes: Takes
    summary: str
    example: str = ""
    fact: FactRule = any_value
    emit: EmitRule | str = called
    strict: bool = True
    longest: LengthRule = unknown
    keeps: bool = False
    tells: bool = False

    @property
    def lengthens(self) -> bool:
        """Whether the text of a call by name can be longer than the longest of its arguments."""
        return self.takes.gives is SqlType.TEXT and self.longest not in NO_LONGER

    def written(self, call: Call, args: tuple[str, ...], facts: tuple[Fact, ...]) -> str:
        """The call as engine SQL. Raises Mistyped where `fact` does."""
        return self.emit.format(*args) if isinstance(self.emit, str) else self.emit(call, args, facts)
