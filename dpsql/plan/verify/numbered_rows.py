"""How many of a unit's numbered rows conditions on their numbers leave, found by trying numbers.

The shape of a relation derives this from the ranges that conditions leave. Here each condition is decided for one
number after the other, and what cannot be decided keeps the row.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import assert_never

from dpsql.algebra.expressions import Call, Column, Expr, Literal
from dpsql.algebra.functions.narrow import range_of_constant
from dpsql.algebra.relations import Filter, Join, JoinKind, Mark, Relation, Source, Windows
from dpsql.algebra.types import NUMERIC

_TRIED = 1_000
_Test = Callable[[int], bool | None]
COMPARISONS: Mapping[str, Callable[..., bool]] = MappingProxyType(
    {op: getattr(operator, op) for op in ("eq", "ne", "lt", "le", "gt", "ge")}
)


def most_left(relation: Relation, owner: Windows, rows: int, most: int | None) -> bool:
    """Whether conditions on the numbers leave at most `rows` of a unit's rows, of which there are at most `most`.

    As many numbers as can matter for so few rows are tried, and powers of two beyond them.
    """
    conditions = tuple(conditions_on(relation))
    large = tuple(2**i for i in range(rows.bit_length() + 10, 62))
    for number in owner.numbers:
        tests = [_test(c, number) for c in conditions]
        tried = (n for n in (*range(1, rows + _TRIED), *large) if most is None or n <= most)
        left = (n for n in tried if all(test(n) is not False for test in tests))
        if sum(1 for _ in left) <= rows:
            return True
    return False


def conditions_on(relation: Relation) -> Iterator[Expr]:
    """The conditions that every row of the relation passes."""
    if isinstance(relation, Filter):
        yield from relation.conjuncts
        yield from conditions_on(relation.source)
    elif isinstance(relation, Mark):
        yield from conditions_on(relation.source)
    elif isinstance(relation, Join):
        yield from conditions_on(relation.left)
        if relation.kind is JoinKind.INNER:
            yield from relation.on
            yield from conditions_on(relation.right)
    elif not isinstance(relation, Source):
        assert_never(relation)


def _test(expr: Expr, number: Column) -> _Test:
    """Whether a condition holds where the number is given; None where that depends on more.

    What is NULL may count as either: a condition that is true stays true whatever stands in the place of a NULL. Not so
    IS TRUE around it, which is known where the condition is false, or NULL, alone.
    """
    if not isinstance(expr, Call):
        return lambda at: None
    if expr.op in ("and", "or"):
        stops, parts = expr.op == "or", [_test(a, number) for a in expr.args]
        return lambda at: _joined([part(at) for part in parts], stops)
    if expr.op in ("not", "is_true"):
        inside = _test(expr.args[0], number)
        if expr.op == "is_true":
            return lambda at: False if inside(at) is False else None
        return lambda at: None if (found := inside(at)) is None else not found
    if expr.op == "in" and _is_number(expr.args[0], number):
        return _among(expr.args[1:])
    if expr.op in COMPARISONS and _is_number(expr.args[0], number):
        return _compared(COMPARISONS[expr.op], expr.args[1])
    if expr.op in COMPARISONS and _is_number(expr.args[1], number):
        compare = COMPARISONS[expr.op]
        return _compared(lambda a, b: compare(b, a), expr.args[0])
    return lambda at: None


def _joined(parts: list[bool | None], stops: bool) -> bool | None:
    return stops if stops in parts else None if None in parts else not stops


def _is_number(expr: Expr, number: Column) -> bool:
    """Whether it is the number, as it is or widened."""
    if isinstance(expr, Call) and expr.op == "cast" and expr.type in NUMERIC:
        return expr.args[0] == number
    return expr == number


def _among(members: tuple[Expr, ...]) -> _Test:
    known = [m for m in members if not _is_null(m)]
    ranges = [r for m in known if (r := range_of_constant(m)) is not None]
    points = frozenset(r.lo for r in ranges if r.width == 0)
    others = None if len(ranges) < len(known) or any(r.width for r in ranges) else False
    return lambda at: True if at in points else others


def _compared(compare: Callable[..., bool], other: Expr) -> _Test:
    if _is_null(other):
        return lambda at: False
    if (range_ := range_of_constant(other)) is None:
        return lambda at: None
    low, high = range_.lo, range_.hi

    def compared(at: int) -> bool | None:
        holds = compare(at, low)
        return None if low < at < high or holds is not compare(at, high) else holds

    return compared


def _is_null(expr: Expr) -> bool:
    return isinstance(expr, Literal) and expr.value is None
