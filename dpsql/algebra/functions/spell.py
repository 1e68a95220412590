"""How literals and guards are written for DuckDB: exact, parenthesised, linear in the size of the tree."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime

from dpsql.algebra.expressions import Duration, Literal
from dpsql.algebra.facts import BIGINT_RANGE, NATURAL, Fact, fits_bigint
from dpsql.algebra.functions.ranges import span, within
from dpsql.algebra.types import SqlType
from dpsql.privacy import Interval

# Below this length an argument that is needed twice is written twice; above it, it is bound to a name, so
# that nested guards cannot double the text at every level.
_SHORT = 160
_BOUND = '"_v"'

_CALENDAR = {
    SqlType.DATE: ("DATE '0001-01-01'", "DATE '9999-12-31'"),
    SqlType.TIMESTAMP: ("TIMESTAMP '0001-01-01 00:00:00'", "TIMESTAMP '9999-12-31 23:59:59.999999'"),
}


def once(arg: str, body: Callable[[str], str]) -> str:
    """`body` of an argument that it mentions several times; a long argument is written once all the same."""
    if len(arg) <= _SHORT:
        return body(arg)
    return f'(list_transform([{arg}], lambda "_v": {body(_BOUND)})[1])'


def finite(sql: str) -> str:
    """A DOUBLE that is NULL instead of NaN or infinite."""
    return once(sql, lambda v: f"(CASE WHEN isfinite({v}) THEN {v} END)")


def inside(sql: str, lo: str, hi: str) -> str:
    """The value where it lies between two constants, else NULL."""
    return once(sql, lambda v: f"(CASE WHEN {v} BETWEEN {lo} AND {hi} THEN {v} END)")


def on_calendar(sql: str, kind: SqlType, exact: Interval | None = None) -> str:
    """A date or timestamp where it lies in the years 1 to 9999, else NULL; plain where its range says so."""
    return sql if exact is not None and within(exact, NATURAL[kind]) else inside(sql, *_CALENDAR[kind])


def clamped(sql: str, lo: int, hi: int) -> str:
    """The integer moved into [lo, hi]; NULL stays NULL, which LEAST and GREATEST would swallow."""
    least, most = integer(lo), integer(hi)
    return once(
        sql, lambda v: f"(CASE WHEN {v} < {least} THEN {least} WHEN {v} > {most} THEN {most} ELSE {v} END)"
    )


def cast_to(sql: str, engine_type: str) -> str:
    """A plain cast, for values that are proven to fit."""
    return f"CAST({sql} AS {engine_type})"


def is_huge(fact: Fact) -> bool:
    """Whether an INTEGER with that base fact is a HUGEINT in the engine."""
    return fact.type is SqlType.INTEGER and not fits_bigint(span(fact))


def widened(args: tuple[str, ...], facts: tuple[Fact, ...], huge: bool) -> tuple[str, ...]:
    """The arguments, every BIGINT made a HUGEINT if `huge`."""
    if not huge:
        return args
    return tuple(
        cast_to(a, "HUGEINT") if f.type is SqlType.INTEGER and not is_huge(f) else a
        for a, f in zip(args, facts, strict=True)
    )


def settled(sql: str, computed_huge: bool, result: Fact) -> str:
    """An INTEGER result in the engine type that its base fact promises."""
    return cast_to(sql, "BIGINT") if computed_huge and not is_huge(result) else sql


def at_huge(facts: tuple[Fact, ...], result: Interval | None = None) -> bool:
    """Whether an operation has to be computed in HUGEINT, for its arguments' sake or for its result's."""
    return any(is_huge(f) for f in facts) or (result is not None and not within(result, BIGINT_RANGE))


def literal(node: Literal) -> str:
    """A constant, typed and exact. Raises TypeError for a value that no SqlType has."""
    value = node.value
    if value is None:
        return f"CAST(NULL AS {node.type.value})" if node.type is not SqlType.NULL else "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return integer(value)
    if isinstance(value, float):
        return double(value)
    if isinstance(value, str):
        return text(value)
    return _moment(value)


def _moment(value: date | datetime | Duration) -> str:
    if isinstance(value, datetime):
        return f"TIMESTAMP '{value.isoformat(sep=' ', timespec='microseconds')}'"
    if isinstance(value, date):
        return f"DATE '{value.isoformat()}'"
    if isinstance(value, Duration):
        months, days = f"to_months(({value.months})::INTEGER)", f"to_days(({value.days})::INTEGER)"
        return f"({months} + {days} + to_microseconds(({value.micros})::BIGINT))"
    raise TypeError(f"no literal for a {type(value).__name__}")


def integer(value: int) -> str:
    """A BIGINT constant, or a HUGEINT beyond its range."""
    kind = "BIGINT" if BIGINT_RANGE.lo <= value <= BIGINT_RANGE.hi else "HUGEINT"
    return f"({value})::{kind}" if value < 0 else f"{value}::{kind}"


def double(value: float) -> str:
    """A DOUBLE constant: a number with an exponent is read as the nearest double, which is the value."""
    digits = repr(value)
    digits = digits if "e" in digits else digits + "e0"
    return f"({digits})" if digits.startswith("-") else digits


def text(value: str) -> str:
    """A VARCHAR constant; a NUL cannot stand in the engine's text and is added as a character."""
    parts = ["'" + p.replace("'", "''") + "'" for p in value.split("\0")]
    return parts[0] if len(parts) == 1 else "(" + " || chr(0) || ".join(parts) + ")"
