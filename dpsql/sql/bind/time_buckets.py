"""TIME_BUCKET whose pieces are counted from a moment, or moved by an interval: that of a moved moment, moved back."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from dpsql.algebra.expressions import Duration, Expr, Literal
from dpsql.algebra.facts import MICROS_PER_DAY, number_of
from dpsql.algebra.functions import apply, cast
from dpsql.algebra.functions.coerce import is_text_literal
from dpsql.algebra.functions.dates.buckets import FIRST_MONDAY
from dpsql.algebra.functions.table import Mistyped
from dpsql.algebra.types import TEMPORAL, SqlType
from dpsql.sql.ast.literals import duration

_NEEDS: Final = "the third argument of TIME_BUCKET is a constant date, timestamp or interval without months"


def bucket_from(width: Expr, moment: Expr, begins: Expr | None = None) -> Expr:
    """TIME_BUCKET(width, moment, begins). Raises Mistyped for what is no constant, and for pieces of months."""
    width = _interval(width)
    plain = apply("time_bucket", (width, moment))
    if begins is None:
        return plain
    step = _micros(width)
    if step is None:
        raise Mistyped("pieces of months begin with a month; leave the third argument of TIME_BUCKET out")
    away = _away(begins) % step
    if plain.type is SqlType.DATE and begins.type is SqlType.TIMESTAMP:
        return bucket_from(width, cast(moment, SqlType.TIMESTAMP), begins)
    if away == 0:
        return plain
    if plain.type is SqlType.DATE:
        if away % MICROS_PER_DAY:
            raise Mistyped("pieces of a date are whole days; write CAST(x AS TIMESTAMP) for shorter ones")
        by = Literal(away // MICROS_PER_DAY, SqlType.INTEGER)
    else:
        by = Literal(Duration(micros=away), SqlType.INTERVAL)
    return apply("add", (apply("time_bucket", (width, apply("sub", (moment, by)))), by))


def _interval(width: Expr) -> Expr:
    """A width that is a text, as an interval."""
    if not is_text_literal(width) or not isinstance(width, Literal):
        return width
    return Literal(duration(exp.Interval(this=exp.Literal.string(str(width.value)))), SqlType.INTERVAL)


def _micros(length: Expr) -> int | None:
    """The microseconds of an interval; None where it has months, which have no length."""
    value = length.value if isinstance(length, Literal) else None
    if not isinstance(value, Duration) or value.months:
        return None
    return value.days * MICROS_PER_DAY + value.micros


def _away(begins: Expr) -> int:
    """How far after the engine's own beginning the pieces are counted from."""
    if begins.type is SqlType.INTERVAL:
        away = _micros(begins)
        if away is not None:
            return away
    at = number_of(begins.value) if isinstance(begins, Literal) else None
    if begins.type not in TEMPORAL or at is None:
        raise Mistyped(_NEEDS)
    return int(at) * (MICROS_PER_DAY if begins.type is SqlType.DATE else 1) - FIRST_MONDAY
