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
from dpsql.algebra.relations import Filter, Join, JoinKind, Mark, Relation, Source, Windows

_TRIED = 1_000
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
        tried = (n for n in (*range(1, rows + _TRIED), *large) if most is None or n <= most)
        left = (n for n in tried if all(_decided(c, number, n) is not False for c in conditions))
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


def _decided(expr: Expr, number: Column, at: int) -> bool | None:
    """Whether a condition holds where the number is `at`; None where that depends on more."""
    if not isinstance(expr, Call):
        return None
    if expr.op in ("and", "or"):
        stops = expr.op == "or"
        parts = [_decided(a, number, at) for a in expr.args]
        return stops if stops in parts else None if None in parts else not stops
    if expr.op == "not":
        inside = _decided(expr.args[0], number, at)
        return None if inside is None else not inside
    values = [_value(a, number, at) for a in expr.args]
    if expr.op == "in" and values[0] is not None:
        return None if None in values else values[0] in values[1:]
    if expr.op in COMPARISONS and values[0] is not None and values[1] is not None:
        return COMPARISONS[expr.op](values[0], values[1])
    return None


def _value(expr: Expr, number: Column, at: int) -> float | None:
    if expr == number:
        return at
    if isinstance(expr, Call) and expr.op == "cast":
        return _value(expr.args[0], number, at)
    value = expr.value if isinstance(expr, Literal) else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
