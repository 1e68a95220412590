"""One type for several arguments, and the explicit casts that take them there."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import date, datetime

from dpsql.algebra.expressions import Call, Expr, Literal, LiteralValue
from dpsql.algebra.facts import HUGEINT_SAFE
from dpsql.algebra.functions.table import Mistyped
from dpsql.algebra.types import TEMPORAL, SqlType

NAMES = {
    SqlType.BOOLEAN: "boolean",
    SqlType.INTEGER: "integer",
    SqlType.DOUBLE: "double",
    SqlType.TEXT: "text",
    SqlType.DATE: "date",
    SqlType.TIMESTAMP: "timestamp",
    SqlType.INTERVAL: "interval",
    SqlType.NULL: "NULL",
}
_INTERVALS = "an interval can only be added to or subtracted from a date or timestamp"
# What a cast converts, besides a value of the type itself and NULL.
CONVERTED = frozenset(
    (a, b)
    for kinds in (
        (SqlType.BOOLEAN, SqlType.INTEGER, SqlType.DOUBLE, SqlType.TEXT),
        (SqlType.TEXT, SqlType.DATE, SqlType.TIMESTAMP),
    )
    for a in kinds
    for b in kinds
    if a is not b
)
_WIDENING = {(SqlType.INTEGER, SqlType.DOUBLE), (SqlType.DATE, SqlType.TIMESTAMP)}
_INTEGER = re.compile(r"\s*[+-]?[0-9]{1,40}\s*", re.ASCII)
_NUMBER = re.compile(r"\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,5})?\s*", re.ASCII)
_DAY = r"\s*([0-9]{4})(?P<between>[-/])([0-9]{1,2})(?P=between)([0-9]{1,2})"
_DATE = re.compile(rf"{_DAY}\s*", re.ASCII)
_TIME = r"[ T]([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,6})[0-9]*)?)?"
_TIMESTAMP = re.compile(rf"{_DAY}{_TIME}(?:Z|[+-]00(?::?00)?| UTC)?\s*", re.ASCII)
# A moment of another zone than UTC would be read without it by DuckDB.
_ZONED = re.compile(rf"{_DAY}{_TIME} ?(?:[+-][0-9]{{2}}(?::?[0-9]{{2}})?|[A-Za-z][A-Za-z_/+-]*)\s*", re.ASCII)
# What DuckDB reads as a day or a moment that is none on private rows: infinite, before the year 1, after 9999.
_MONTH_AND_DAY = r"(?:[-/\\ ][0-9]{1,2}){2}"
_BEYOND = re.compile(
    rf"\s*(?:-?inf(?:inity)?|(?:-[0-9]+|0+|0*[1-9][0-9]{{4,}}){_MONTH_AND_DAY}(?: .*)?"
    rf"|[0-9]+{_MONTH_AND_DAY} ?\(BC\).*)\s*",
    re.ASCII | re.IGNORECASE,
)
_BOOLEANS = {"true": True, "t": True, "1": True, "yes": True, "y": True}
_BOOLEANS |= {"false": False, "f": False, "0": False, "no": False, "n": False}


def is_text_literal(expr: Expr) -> bool:
    """Whether the expression is quoted text, which takes the type of what it stands beside."""
    return isinstance(expr, Literal) and expr.type is SqlType.TEXT


def unified(args: tuple[Expr, ...]) -> SqlType:
    """The one type that all arguments can take. Raises Mistyped; all NULL gives INTEGER, as in DuckDB."""
    kinds = [a.type for a in args if a.type is not SqlType.NULL and not is_text_literal(a)]
    if not kinds:
        return SqlType.TEXT if any(a.type is SqlType.TEXT for a in args) else SqlType.INTEGER
    result: SqlType = kinds[0]
    for kind in kinds[1:]:
        result = _common(result, kind)
    if result is SqlType.INTERVAL:
        raise Mistyped(_INTERVALS)
    return result


def _common(a: SqlType, b: SqlType) -> SqlType:
    if a is b or (b, a) in _WIDENING:
        return a
    if (a, b) in _WIDENING:
        return b
    if SqlType.INTERVAL in (a, b):
        raise Mistyped(_INTERVALS)
    raise Mistyped(mismatch(a, b))


def mismatch(a: SqlType, b: SqlType) -> str:
    """The sentence about two types that do not meet."""
    hint = "write CAST(... AS ...)"
    if SqlType.TEXT in (a, b):
        hint += " or quote the value"
    elif {a, b} & set(TEMPORAL):
        hint = "write DATE '2025-12-31', or take a number as EXTRACT(YEAR FROM x)"
    return f"cannot compare {NAMES[a]} with {NAMES[b]}; {hint}"


def needed(to: SqlType, given: SqlType, what: str = "") -> Mistyped:
    """The refusal of a value of one type where another is needed, `what` in words; it advises no cast that fails."""
    if (given, to) in CONVERTED or given is SqlType.NULL:
        advice = f"write CAST(... AS {sql_name(to)})"
    elif given is SqlType.INTERVAL:
        advice = "an interval can only be added to or subtracted from a date or timestamp"
    elif given in TEMPORAL:
        advice = "compare it with a date, or take a number from it with EXTRACT"
    else:
        advice = "name a date or timestamp"
    return Mistyped(f"{what or NAMES[to]} is needed here, not {NAMES[given]}; {advice}")


def coerce(expr: Expr, to: SqlType) -> Expr:
    """The expression as a value of type `to`.

    Constants are converted here. Otherwise an INTEGER becomes a DOUBLE and a DATE a TIMESTAMP by a cast that is
    written out. Raises Mistyped for all else, and for quoted text that reads as no such value.
    """
    if expr.type is to:
        return _checked(expr)
    if isinstance(expr, Literal):
        return _converted(expr, to)
    if (expr.type, to) in _WIDENING:
        return Call("cast", (expr,), to)
    raise needed(to, expr.type)


def sql_name(kind: SqlType) -> str:
    """The type as an analyst writes it."""
    return {SqlType.INTEGER: "BIGINT", SqlType.TEXT: "VARCHAR"}.get(kind, kind.value)


def _checked(expr: Expr) -> Expr:
    if not isinstance(expr, Literal):
        return expr
    value = expr.value
    if isinstance(value, float) and not math.isfinite(value):
        raise Mistyped("NaN and infinity are not numbers here; use NULL")
    if isinstance(value, int) and not HUGEINT_SAFE.lo <= value <= HUGEINT_SAFE.hi:
        raise Mistyped("the integer is too large; write it with a decimal point for a double")
    if isinstance(value, str) and any("\ud800" <= c <= "\udfff" for c in value):
        raise Mistyped("the text holds half of a surrogate pair, which is no character")
    return expr


def _converted(expr: Literal, to: SqlType) -> Literal:
    value = expr.value
    if value is None:
        return Literal(None, to)
    if isinstance(value, str) and to in _READERS:
        return read_text(value, to)
    if expr.type is SqlType.INTEGER and to is SqlType.DOUBLE and isinstance(value, int):
        return Literal(float(value), to)
    if expr.type is SqlType.INTEGER and to is SqlType.BOOLEAN and value in (0, 1):
        return Literal(value == 1, to)
    if expr.type is SqlType.DATE and to is SqlType.TIMESTAMP and isinstance(value, date):
        return Literal(datetime(value.year, value.month, value.day), to)
    raise needed(to, expr.type)


def check_held(value: str, to: SqlType) -> None:
    """Raises Mistyped for a text of what DuckDB has and no private row: days before the year 1, infinite numbers."""
    if to in TEMPORAL and _BEYOND.fullmatch(value):
        raise Mistyped(
            f"a {NAMES[to]} of private rows lies in the years 1 to 9999; write DATE '9999-12-31' for after all "
            "of them, DATE '0001-01-01' for before"
        )
    if to is SqlType.DOUBLE and not _is_finite(value):
        raise Mistyped("NaN and infinity are not numbers here; use NULL")


def _is_finite(value: str) -> bool:
    """False for a text of an infinite number, or of none."""
    try:
        return math.isfinite(float(value))
    except ValueError:
        return True


def read_text(value: str, to: SqlType) -> Literal:
    """Quoted text as a constant of another type. Raises Mistyped where it does not read as one."""
    check_held(value, to)
    value_read = _READERS[to](value)
    if value_read is None and to in TEMPORAL and _ZONED.fullmatch(value):
        raise Mistyped("the text names a time zone, and moments here have none; write the moment in UTC")
    if value_read is None:
        raise Mistyped(f"the text {_shown(value)} does not read as {NAMES[to]}; {_FORMS[to]}")
    checked = _checked(Literal(value_read, to))
    assert isinstance(checked, Literal)
    return checked


def _shown(value: str) -> str:
    """A text as a query writes it, a long one cut."""
    text = value if len(value) <= _LONGEST_SHOWN else f"{value[:_LONGEST_SHOWN]}..."
    return "'" + "".join(c if c.isprintable() else "?" for c in text).replace("'", "''") + "'"


def _read_integer(value: str) -> int | None:
    return int(value) if _INTEGER.fullmatch(value) else None


def _read_double(value: str) -> float | None:
    if not _NUMBER.fullmatch(value):
        return None
    number = float(value)
    return number if math.isfinite(number) else None


def _read_date(value: str) -> date | None:
    """The day of a text; DuckDB leaves out a time of day behind it."""
    moment = _read_timestamp(value)
    return moment.date() if moment is not None else None


def _read_timestamp(value: str) -> datetime | None:
    match = _DATE.fullmatch(value) or _TIMESTAMP.fullmatch(value)
    if match is None:
        return None
    y, _, mo, d, *of_day = match.groups()
    h, mi, s, fraction = of_day or (0, 0, 0, "")
    try:
        return datetime(
            int(y), int(mo), int(d), int(h), int(mi), int(s or 0), int((fraction or "0").ljust(6, "0"))
        )
    except ValueError:
        return None


def _read_boolean(value: str) -> bool | None:
    return _BOOLEANS.get(value.strip().lower())


_READERS: dict[SqlType, Callable[[str], LiteralValue]] = {
    SqlType.INTEGER: _read_integer,
    SqlType.DOUBLE: _read_double,
    SqlType.DATE: _read_date,
    SqlType.TIMESTAMP: _read_timestamp,
    SqlType.BOOLEAN: _read_boolean,
}
_LONGEST_SHOWN = 40
_FORMS = {
    SqlType.INTEGER: "write a whole number without quotes, or CAST what it stands beside to VARCHAR",
    SqlType.DOUBLE: "write a number without quotes, or CAST what it stands beside to VARCHAR",
    SqlType.DATE: "write DATE 'YYYY-MM-DD', or TIMESTAMP '...' for a time of day",
    SqlType.TIMESTAMP: "write TIMESTAMP 'YYYY-MM-DD HH:MM:SS'",
    SqlType.BOOLEAN: "write true or false, or a whole comparison on each side, as in x = 'a' OR x = 'b'",
}
