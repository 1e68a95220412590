"""What an estimator of one measure says of another: of the same under another spelling, or of the same values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from dpsql.algebra.expressions import TRUE, Call, Expr
from dpsql.algebra.facts import Facts
from dpsql.algebra.one_spelling import conditions
from dpsql.algebra.question import MOMENTS, SECOND_MOMENTS, Aggregate, Measure
from dpsql.algebra.types import SqlType
from dpsql.plan.sums.cases import under_condition
from dpsql.plan.sums.clusters import null_in, settled
from dpsql.plan.sums.families import combined
from dpsql.plan.types import Estimator, Linear
from dpsql.slotted import dataclass


@dataclass(frozen=True, slots=True)
class _Meaning:
    """A measure without its condition, the conjuncts of that, and how often it counts each row if it counts rows."""

    measure: Measure
    where: frozenset[Expr]
    times: Fraction

    @property
    def counts(self) -> bool:
        return self.measure.aggregate is Aggregate.COUNT_ROWS


def estimator_of(measure: Measure, earlier: Sequence[Estimator], facts: Facts) -> Estimator | None:
    """The estimator of a measure from those of others over the same rows; None where none of them says it."""
    for e in earlier:
        if e.measure == measure:
            return replace(e, measure=measure)
    wanted = _meaning(measure, facts)
    for e in earlier:
        found = _read(e, _meaning(e.measure, facts), measure, wanted, facts)
        if found is not None:
            return found
    return None


def _read(e: Estimator, has: _Meaning, measure: Measure, wanted: _Meaning, facts: Facts) -> Estimator | None:
    if has.where != wanted.where:
        return None
    if has.counts and wanted.counts:
        return _counting(measure, wanted.times, _rows(e, has.times))
    if has.measure == wanted.measure:
        return replace(e, measure=measure)
    if e.measure.aggregate not in MOMENTS:
        return None
    if wanted.counts:
        every = not null_in(has.measure.arg, e.measure.where, facts)
        return _counting(measure, wanted.times, e.n) if every and _holds(e, Aggregate.COUNT) else None
    alike = replace(has.measure, aggregate=wanted.measure.aggregate) == wanted.measure
    return replace(e, measure=measure) if alike and _holds(e, wanted.measure.aggregate) else None


def _meaning(measure: Measure, facts: Facts) -> _Meaning:
    """COUNT(1), COUNT of what is never NULL, SUM(1) and SUM(CASE WHEN p THEN 1 END) all count rows."""
    known = under_condition(settled(measure, facts))
    found, times = known.measure, known.times or Fraction(1)
    truth = _truth(found)
    where = frozenset(conditions((found.where, *(() if truth is None else (truth,)))))
    every = found.aggregate is Aggregate.COUNT and not null_in(found.arg, found.where, facts)
    if every or truth is not None:
        found = replace(found, aggregate=Aggregate.COUNT_ROWS, arg=None)
    return _Meaning(replace(found, where=TRUE), where, times)


def _truth(measure: Measure) -> Expr | None:
    """The condition whose truth a sum adds up as 1 and 0."""
    arg = measure.arg
    if measure.aggregate is not Aggregate.SUM or not isinstance(arg, Call) or arg.op != "cast":
        return None
    return arg.args[0] if arg.args[0].type is SqlType.BOOLEAN else None


def _rows(e: Estimator, times: Fraction) -> Linear:
    """The number of rows that an estimator of a count, or of the sum of a constant, comes from."""
    if e.measure.aggregate is not Aggregate.SUM:
        return e.n
    return combined((e.step / times, e.s1), (e.step * e.lo / times, e.n))


def _counting(measure: Measure, times: Fraction, rows: Linear) -> Estimator:
    """The estimator of a count, or of the sum of a constant, from a number of rows."""
    if measure.aggregate is not Aggregate.SUM:
        return Estimator(measure, rows)
    return Estimator(measure, (), combined((times, rows)), (), 0, Fraction(1), 0, 1)


def _holds(e: Estimator, wanted: Aggregate) -> bool:
    """Whether an average or a variance was released with all that the wanted aggregate is computed from."""
    if e.measure.aggregate is Aggregate.SUM or not e.n:
        return False
    if wanted in SECOND_MOMENTS:
        return bool(e.s1 and e.s2)
    return wanted is Aggregate.COUNT or (wanted in MOMENTS and bool(e.s1))
