"""A note where a difference of dates has the range of its dates, which is mostly far more than any person's."""

from __future__ import annotations

from collections.abc import Sequence

from dpsql.algebra.expressions import Call, Expr, Literal
from dpsql.algebra.question import Aggregate
from dpsql.algebra.types import SqlType
from dpsql.plan.types import Estimator, Release
from dpsql.release.explain.mechanisms import name_of

_DATED = (SqlType.DATE, SqlType.TIMESTAMP)
_COUNTS = frozenset({Aggregate.COUNT_ROWS, Aggregate.COUNT, Aggregate.COUNT_UNITS, Aggregate.COUNT_DISTINCT})
_NARROWING = frozenset({"least", "greatest"})


def difference_notes(releases: Sequence[Release]) -> tuple[str, ...]:
    """A note for each measure of a difference of dates that LEAST and GREATEST do not narrow from both sides.

    It tells the range that the noise fits: it follows from text and policy. Whether that is much, the reader knows.
    """
    estimators = (e for r in releases for e in r.estimators)
    return tuple(dict.fromkeys(_said(e) for e in estimators if _has_wide_difference(e)))


def _said(e: Estimator) -> str:
    low, high = (float(e.step * end) for end in (e.low, e.high))
    ends = "" if e.second is not None else f" ({low:,.10g} to {high:,.10g})"
    return (
        f"{name_of(e)}: a difference of dates may be as large as the bounds of both dates allow{ends}, and the noise "
        "fits that; LEAST(GREATEST(..., low), high) around it narrows that, as do bounds of the dates in the policy"
    )


def _has_wide_difference(e: Estimator) -> bool:
    args = (e.measure.arg, e.measure.other)
    counted = e.measure.aggregate in _COUNTS
    return not counted and any(_is_wide(arg, frozenset()) for arg in args if arg is not None)


def _is_wide(expr: Expr, narrowed: frozenset[str]) -> bool:
    """Whether a value is made of a difference of dates that stands in no LEAST and GREATEST of a constant."""
    if not isinstance(expr, Call):
        return False
    if any(isinstance(a, Literal) for a in expr.args):
        narrowed |= {expr.op} & _NARROWING
    if narrowed >= _NARROWING:
        return False
    if _is_difference(expr):
        return True
    return any(_is_wide(a, narrowed) for a in expr.args if a.type is not SqlType.BOOLEAN)


def _is_difference(call: Call) -> bool:
    dated = [a for a in call.args if a.type in _DATED]
    return call.op == "date_diff" or (call.op == "sub" and len(dated) == 2)
