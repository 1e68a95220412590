"""Decimals that are rounded or cast, as DuckDB does it: half away from zero."""

from __future__ import annotations

from dpsql.algebra.expressions import Call, Expr, Literal
from dpsql.algebra.functions import apply, cast
from dpsql.algebra.functions.numbers.decimals import MOST_DIGITS, size
from dpsql.algebra.types import SqlType
from dpsql.sql.ast.comparisons import check_decimal_cast
from dpsql.sql.ast.literals import whole
from dpsql.sql.dialect import Node


def cast_checked(value: Expr, to: SqlType) -> Expr:
    """CAST(value AS type). Raises Mistyped where doubles would tell themselves from DuckDB's decimals."""
    if to is SqlType.INTEGER and _is_decimal(value):
        return cast(_rounded(value, 0), to)
    check_decimal_cast(value, to)
    return cast(value, to)


def cast_to_decimal(value: Expr, sizes: list[Node]) -> Expr:
    """CAST(value AS DECIMAL(p, s)), or without sizes. Raises Mistyped as `cast_checked` does."""
    written = [whole(s.name) for s in sizes]
    digits, places = (*written, 0)[:2] if written else (18, 3)
    if _is_decimal(value) and places is not None:
        value = _rounded(value, places)
    else:
        check_decimal_cast(value, SqlType.INTEGER)
    return _decimal(value, digits, places)


def rounded_decimal(op: str, args: tuple[Expr, ...]) -> Expr | None:
    """ROUND or TRUNC of a decimal, which is one again; None for any other call."""
    if not args or not _is_decimal(args[0]):
        return None
    digits = args[1] if args[1:] else Literal(0, SqlType.INTEGER)
    if op not in ("round", "trunc") or not isinstance(digits, Literal) or not isinstance(digits.value, int):
        return None
    return _rounded(args[0], digits.value, op)


def _is_decimal(value: Expr) -> bool:
    return isinstance(value, Call) and value.op == "decimal"


def _rounded(value: Expr, digits: int, how: str = "round") -> Expr:
    """A decimal k / 10^s with so many digits behind the point, rounded or cut.

    The double near it may lie on the other side of a half, as that of 0.145 does, and so k is rounded. The half of a
    whole number, or of tens, is a double.
    """
    assert isinstance(value, Call)
    places = size(value)[1]
    if digits >= places:
        return value
    if digits == 0:
        return _decimal(apply(how, (value,)), MOST_DIGITS, 0)
    if digits < 0:
        tens = apply(how, (apply("div", (value, _power_of_ten(-digits))),))
        return _decimal(apply("mul", (tens, _power_of_ten(-digits))), MOST_DIGITS, 0)
    count = apply("round", (apply("mul", (value, _power_of_ten(places))),))
    fewer = apply(how, (apply("div", (count, _power_of_ten(places - digits))),))
    return _decimal(apply("div", (fewer, _power_of_ten(digits))), MOST_DIGITS, digits)


def _power_of_ten(n: int) -> Literal:
    return Literal(float(10**n), SqlType.DOUBLE)


def _decimal(value: Expr, digits: int | None, places: int | None) -> Expr:
    return apply("decimal", (value, *(Literal(n, SqlType.INTEGER) for n in (digits, places))))
