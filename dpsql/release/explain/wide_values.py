"""A note where a value that is added up has the range of its parts, which is mostly far more than any person's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import MappingProxyType

from dpsql.algebra.expressions import Call, Expr, Literal
from dpsql.algebra.question import Aggregate
from dpsql.algebra.types import SqlType
from dpsql.plan.types import Estimator, Release
from dpsql.release.explain.mechanisms import name_of

_DATED = (SqlType.DATE, SqlType.TIMESTAMP)
_COUNTS = frozenset({Aggregate.COUNT_ROWS, Aggregate.COUNT, Aggregate.COUNT_UNITS, Aggregate.COUNT_DISTINCT})
_NARROWING = frozenset({"least", "greatest"})
_DIFFERENCE, _QUOTIENT = "a difference of dates", "a quotient"
_BOUNDS = MappingProxyType({_DIFFERENCE: "bounds of both dates", _QUOTIENT: "bounds of both numbers"})


def wide_notes(releases: Sequence[Release]) -> tuple[str, ...]:
    """A note for each measure of a difference of dates or a quotient that nothing narrows from both sides.

    LEAST and GREATEST narrow it. The note tells the range that the noise fits: it follows from text and policy. Whether
    that is much, the reader knows.
    """
    estimators = (e for r in releases for e in r.estimators)
    return tuple(dict.fromkeys(_said(e, wide) for e in estimators if (wide := _wide_part(e))))


def _said(e: Estimator, wide: str) -> str:
    low, high = (float(e.step * end) for end in (e.low, e.high))
    ends = "" if e.second is not None else f" ({low:,.10g} to {high:,.10g})"
    what = "of the dates in the policy" if wide == _DIFFERENCE else "of the columns in the policy"
    return (
        f"{name_of(e)}: {wide} may be as large as the {_BOUNDS[wide]} allow{ends}, and the noise "
        f"fits that; LEAST(GREATEST(..., low), high) around it narrows that, as do bounds {what}"
    )


def _wide_part(e: Estimator) -> str:
    """What is wide in what a measure adds up; nothing where it counts, or nothing is."""
    if e.measure.aggregate in _COUNTS:
        return ""
    args = (e.measure.arg, e.measure.other)
    return next((kind for arg in args if arg is not None for kind in _wide(arg, frozenset())), "")


def _wide(expr: Expr, narrowed: frozenset[str]) -> Iterator[str]:
    """What a value is made of that stands in no LEAST and GREATEST of a constant."""
    if not isinstance(expr, Call):
        return
    if any(isinstance(a, Literal) for a in expr.args):
        narrowed |= {expr.op} & _NARROWING
    if narrowed >= _NARROWING:
        return
    if _is_difference(expr):
        yield _DIFFERENCE
    elif expr.op == "div" and not any(isinstance(a, Literal) for a in expr.args):
        yield _QUOTIENT
    for arg in expr.args:
        if arg.type is not SqlType.BOOLEAN:
            yield from _wide(arg, narrowed)


def _is_difference(call: Call) -> bool:
    dated = [a for a in call.args if a.type in _DATED]
    return call.op == "date_diff" or (call.op == "sub" and len(dated) == 2)
