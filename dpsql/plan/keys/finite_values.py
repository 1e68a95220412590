"""Finite lists of values that an expression can have, each as a query on constants alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction
from math import ceil, floor

from dpsql.algebra.expressions import Call, Column, Duration, Expr, Literal, LiteralValue
from dpsql.algebra.facts import (
    FIRST_DAY,
    LAST_DAY,
    MICROS_PER_DAY,
    TIMESTAMP_RANGE,
    Fact,
    Facts,
    value_at,
)
from dpsql.algebra.functions.dates.buckets import bucketed
from dpsql.algebra.functions.dates.parts import is_of_day, truncated
from dpsql.algebra.functions.numbers.powers import rounded_to
from dpsql.algebra.functions.ranges import loosened
from dpsql.algebra.functions.spell import literal
from dpsql.algebra.scan import list_sql, quoted
from dpsql.algebra.types import SqlType
from dpsql.privacy import Interval
from dpsql.slotted import dataclass

MOST_GROUPS = 1_000_000
"""The most groups of a public domain, and the most key values in all of them: they are listed before any charge."""
_WHOLE_DOUBLES = 2**53
_DAY, _MONTH = Duration(0, 1, 0), Duration(1, 0, 0)
_STEPS = {
    "second": Duration(0, 0, 10**6),
    "minute": Duration(0, 0, 60 * 10**6),
    "hour": Duration(0, 0, MICROS_PER_DAY // 24),
    "day": _DAY,
    "week": Duration(0, 7, 0),
    "month": _MONTH,
    "quarter": Duration(3, 0, 0),
    "year": Duration(12, 0, 0),
}
_SHORTEST_MONTH = 28
_EPOCH = date(1970, 1, 1).toordinal()
_BIGINT = (-(2**63), 2**63 - 2)  # the end of a range is one more
# Of these types Python has the order of the engine, of texts that of their bytes.
_ORDERED = frozenset({SqlType.INTEGER, SqlType.BOOLEAN, SqlType.DATE, SqlType.TEXT})


@dataclass(frozen=True, slots=True)
class FiniteDomain:
    """A source of the domain query: the columns it provides, the SQL that lists their values, and how many.

    `values` are the values themselves where the policy lists them; `span` is the first and the last one of a range, and
    whether NULL is one more. `unlisted` is the SQL that is true of what only rows with a value outside of a list have:
    the SQL lists their NULL, which is no value.
    """

    columns: tuple[Column, ...]
    write: Callable[[], str]
    size: int
    values: tuple[LiteralValue, ...] | None = None
    span: tuple[int, int, bool] | None = None
    unlisted: str | None = None

    @property
    def sql(self) -> str:
        """A SELECT of the values; written only where they have to be queried."""
        return self.write()

    def in_order(self) -> tuple[LiteralValue, ...] | None:
        """The values of the only column as ORDER BY has them; None where only the engine can tell."""
        kind = self.columns[0].type
        if self.span is not None:
            return _spanned(kind, *self.span)
        if self.values is None or kind not in _ORDERED or len(set(self.values)) < len(self.values):
            return None
        present = [v for v in self.values if v is not None]
        texts = [v.encode() for v in present if isinstance(v, str)]
        ordered = sorted(present) if not texts else [t.decode() for t in sorted(texts)]
        return (*ordered, *(None for v in self.values if v is None))


def _spanned(kind: SqlType, lo: int, hi: int, null: bool) -> tuple[LiteralValue, ...] | None:
    first, last = (FIRST_DAY, LAST_DAY) if kind is SqlType.DATE else _BIGINT
    if lo < first or hi > last:
        return None
    values: Iterable[LiteralValue] = range(lo, hi + 1)
    if kind is SqlType.DATE:
        values = (date.fromordinal(_EPOCH + day) for day in range(lo, hi + 1))
    return (*values, None) if null else tuple(values)


def name_of(column: Column) -> str:
    """What a listed column is called in the domain query."""
    return f"{column.scan}.{column.name}"


def domain_of_values(
    column: Column, values: tuple[LiteralValue, ...], null: bool, unlisted: bool = False
) -> FiniteDomain:
    """These values, and NULL if it is one; with `unlisted` rows have NULL for other values."""
    every, name = (*values, None) if null else values, quoted(name_of(column))
    others = unlisted and not null

    def write() -> str:
        rows = list_sql((*every, None) if others else every, column.type)
        return f"SELECT unnest({rows}) AS {name}"

    return FiniteDomain(
        (column,), write, len(every) + others, every, unlisted=f"{name} IS NULL" if others else None
    )


def unlisted_sql(sources: Sequence[FiniteDomain]) -> str | None:
    """The SQL that is true of what only rows with unlisted values have; None where there are no such rows."""
    return " OR ".join(s.unlisted for s in sources if s.unlisted is not None) or None


def without_unlisted(rows: list[tuple[LiteralValue, ...]]) -> tuple[tuple[LiteralValue, ...], ...]:
    """The groups of rows with a last column `u`: no key is NULL that is not so in a group of listed values."""
    null = frozenset(i for row in rows if not row[-1] for i, v in enumerate(row) if v is None)
    kept = (row[:-1] for row in rows)
    return tuple(dict.fromkeys(k for k in kept if all(v is not None or i in null for i, v in enumerate(k))))


def domain_of_range(column: Column, interval: Interval | None, null: bool) -> FiniteDomain | None:
    """The integers or dates of a range; None for too many."""
    if interval is None or interval.width >= MOST_GROUPS:
        return None
    lo, hi = int(interval.lo), int(interval.hi)
    name = quoted(name_of(column))
    number = f"unnest(range(({lo})::BIGINT, ({hi + 1})::BIGINT))"
    if column.type is SqlType.DATE:
        listed = f"SELECT DATE '1970-01-01' + x::INTEGER AS {name} FROM (SELECT {number} AS x)"
    else:
        listed = f"SELECT {number} AS {name}"
    return FiniteDomain(
        (column,),
        lambda: listed + (" UNION ALL SELECT NULL" if null else ""),
        hi - lo + 1 + null,
        span=(lo, hi, null),
    )


def domain_of_call(column: Column, expr: Expr, facts: Facts) -> FiniteDomain | None:
    """What an expression can be whatever its columns hold, under the name of a column; None for no short list."""
    fact = facts.of(expr)
    if expr.type is SqlType.BOOLEAN:
        return domain_of_values(column, (False, True), fact.nullable)
    if not isinstance(expr, Call):
        return None
    if expr.op in ("date_trunc", "time_bucket"):
        return _series(column, expr, facts.of(expr.args[1]), fact.nullable)
    if expr.type in (SqlType.INTEGER, SqlType.DATE):
        return domain_of_range(column, fact.interval, fact.nullable)
    return _multiples(column, expr, facts) if expr.type is SqlType.DOUBLE else None


def day_of(expr: Expr) -> Call | None:
    """The day of a moment of which an expression tells nothing else; None for any other expression."""
    if not isinstance(expr, Call) or not is_of_day(expr):
        return None
    moment = expr.args[_moment(expr)]
    if moment.type is not SqlType.TIMESTAMP or isinstance(moment, Literal):
        return None
    return Call("cast", (moment,), SqlType.DATE)


def over_day(expr: Call, day: Expr) -> Call:
    """The expression of a moment's day, written over that day."""
    at = _moment(expr)
    return Call(expr.op, (*expr.args[:at], day, *expr.args[at + 1 :]), expr.type)


def moved_day(expr: Expr) -> Expr:
    """The day of a moment that is moved by whole days or months, as the day of the moment moved so; else itself."""
    if not isinstance(expr, Call) or expr.op != "cast" or expr.type is not SqlType.DATE:
        return expr
    moved = expr.args[0]
    if not isinstance(moved, Call) or not _is_moved_by_days(moved):
        return expr
    args = (
        Call("cast", (a,), SqlType.DATE) if a.type is SqlType.TIMESTAMP and not isinstance(a, Literal) else a
        for a in moved.args
    )
    return Call("cast", (Call(moved.op, tuple(args), moved.type),), SqlType.DATE)


def _is_moved_by_days(call: Call) -> bool:
    steps = [a.value for a in call.args if isinstance(a, Literal) and isinstance(a.value, Duration)]
    return call.op in ("step", "add", "sub") and len(steps) == 1 and steps[0].micros == 0


def _moment(expr: Call) -> int:
    return 0 if expr.op == "strftime" else len(expr.args) - 1


def _series(column: Column, expr: Call, moment: Fact, null: bool) -> FiniteDomain | None:
    """The starts of the pieces of time that a date or timestamp can lie in, one step after another."""
    unit, interval = expr.args[0], moment.interval
    assert isinstance(unit, Literal)
    step = unit.value if isinstance(unit.value, Duration) else _STEPS.get(str(unit.value))
    if step is None or interval is None:
        return None
    scale = MICROS_PER_DAY if moment.type is SqlType.DATE else 1
    lo, hi = int(interval.lo) * scale, int(interval.hi) * scale
    first = truncated(str(unit.value), lo) if expr.op == "date_trunc" else bucketed(step, lo)
    least = (step.months * _SHORTEST_MONTH + step.days) * MICROS_PER_DAY + step.micros
    size = (hi - first) // least + 1
    if size > MOST_GROUPS or first < TIMESTAMP_RANGE.lo:  # a piece that begins before the year 1 has no start
        return None
    start, end, every = (
        literal(Literal(value, kind))
        for value, kind in (
            (value_at(Fraction(first), SqlType.TIMESTAMP), SqlType.TIMESTAMP),
            (value_at(Fraction(hi), SqlType.TIMESTAMP), SqlType.TIMESTAMP),
            (step, SqlType.INTERVAL),
        )
    )
    name = quoted(name_of(column))
    listed = (
        f"SELECT CAST(x AS {expr.type.value}) AS {name} "
        f"FROM (SELECT unnest(generate_series({start}, {end}, {every})) AS x)"
    )
    return FiniteDomain((column,), lambda: listed + (" UNION ALL SELECT NULL" if null else ""), size + null)


def _multiples(column: Column, expr: Call, facts: Facts) -> FiniteDomain | None:
    """The whole numbers in the range of a double that is one, or the multiples of the place that ROUND keeps."""
    fact, digits = facts.of(expr), _kept_digits(expr)
    if digits is None or fact.interval is None:
        return None
    whole = fact.interval
    if digits:
        # The engine scales, rounds and scales back, each step off by one rounding at most.
        ends = loosened(facts.of(expr.args[0]).interval or fact.interval)
        whole = Interval(*(rounded_to(end, digits) * Fraction(10) ** digits for end in (ends.lo, ends.hi)))
    if whole.magnitude * 10 ** abs(digits) > _WHOLE_DOUBLES:
        return None
    integers = domain_of_range(
        column, Interval(Fraction(floor(whole.lo)), Fraction(ceil(whole.hi))), fact.nullable
    )
    if integers is None:
        return None
    name = quoted(name_of(column))
    scale = f" / {10**digits}" if digits > 0 else f" * {10**-digits}" if digits < 0 else ""
    return replace(
        integers,
        span=None,
        write=lambda: f"SELECT CAST({name} AS DOUBLE){scale} AS {name} FROM ({integers.sql})",
    )


def _kept_digits(expr: Call) -> int | None:
    """How many digits behind the point a double is rounded to; None for one that is not rounded."""
    if expr.op in ("floor", "ceil", "trunc") or (expr.op == "round" and len(expr.args) == 1):
        return 0
    digits = expr.args[1] if expr.op == "round" else expr.args[2] if expr.op == "decimal" else None
    return digits.value if isinstance(digits, Literal) and isinstance(digits.value, int) else None
