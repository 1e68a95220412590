"""CAST(x AS DECIMAL(p, s)): a double rounded to s digits, which a decimal of few digits is told from by no comparison.

A double near k / 10^s with |k| < 2^53 is the nearest one to that decimal, so that doubles are equal, or less, exactly
where the decimals are. What can tell the two apart is refused where it is bound: see `check_decimals` in `sql`.
"""

from __future__ import annotations

from fractions import Fraction

from dpsql.algebra.expressions import Call, Expr, Literal
from dpsql.algebra.facts import Fact
from dpsql.algebra.functions import spell
from dpsql.algebra.functions.coerce import NAMES
from dpsql.algebra.functions.numbers.powers import rounded_to
from dpsql.algebra.functions.ranges import bounded_fact, clip, interval, loosened, span, within
from dpsql.algebra.functions.table import Function, Mistyped, Signature, Takes
from dpsql.algebra.types import NUMERIC, SqlType
from dpsql.privacy import Interval

MOST_DIGITS = 38
"""How many digits a DECIMAL has at most."""
_MOST_PLACES = 9


def rows() -> tuple[Function, ...]:
    """The entry of casts to DECIMAL."""
    summary = "CAST(x AS DECIMAL(p, s)) of a number"
    return (Function("decimal", (), Takes(3, 3, _types), summary, fact=_fact, emit=_emit),)


def size(call: Call) -> tuple[int, int]:
    """How many digits a decimal has, and how many of them stand behind the point."""
    digits, places = (a.value for a in call.args[1:] if isinstance(a, Literal))
    assert isinstance(digits, int) and isinstance(places, int)
    return digits, places


def _types(args: tuple[Expr, ...]) -> Signature:
    if args[0].type not in NUMERIC and args[0].type is not SqlType.NULL:
        raise Mistyped(
            f"{NAMES[args[0].type]} does not convert to a decimal here; write CAST(... AS DOUBLE) first"
        )
    digits, places = (
        a.value if isinstance(a, Literal) and isinstance(a.value, int) else -1 for a in args[1:]
    )
    if not (1 <= digits <= MOST_DIGITS and 0 <= places <= min(digits, _MOST_PLACES)):
        raise Mistyped(
            f"a DECIMAL on private rows has at most {MOST_DIGITS} digits, {_MOST_PLACES} of them behind the point"
        )
    return Signature((SqlType.DOUBLE, SqlType.INTEGER, SqlType.INTEGER), SqlType.DOUBLE)


def _limit(call: Call) -> Interval:
    """What a decimal lies within, as the doubles that it is compared with: 10^25 is none, and the nearest is larger."""
    digits, places = size(call)
    most = Fraction(float(10 ** (digits - places)))
    return interval(-most, most)


def _fact(call: Call, facts: tuple[Fact, ...]) -> Fact:
    limit, places = _limit(call), size(call)[1]
    nullable = facts[0].nullable or not within(span(facts[0]), limit)
    return bounded_fact(
        SqlType.DOUBLE, nullable, clip(_rounded(clip(span(facts[0]), limit), places), limit), limit
    )


def _rounded(x: Interval, places: int) -> Interval:
    """The engine multiplies, rounds and divides, each off by one rounding at most; whole numbers are exact."""
    near = loosened(x) if places else x
    rounded = Interval(*(rounded_to(Fraction(end), places) for end in (near.lo, near.hi)))
    return loosened(rounded) if places else rounded


def _emit(call: Call, args: tuple[str, ...], facts: tuple[Fact, ...]) -> str:
    limit, places = _limit(call), size(call)[1]
    fits = within(span(facts[0]), limit)
    value = (
        args[0]
        if fits
        else spell.inside(args[0], spell.double(float(limit.lo)), spell.double(float(limit.hi)))
    )
    if not places:
        return f"round({value})"
    # As the cast does it: round(x, n) of DuckDB 2.0.1 rounds 2.675, a double below that number, to 2.67.
    scale = spell.double(float(10**places))
    return f"(round({value} * {scale}) / {scale})"
