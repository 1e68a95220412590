"""Aggregates of a CASE as aggregates under a condition: what a CASE leaves out is left out of the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from dpsql.algebra.expressions import TRUE, Call, Expr, Literal
from dpsql.algebra.facts import number_of
from dpsql.algebra.functions import apply, cast
from dpsql.algebra.question import DISTINCT_VALUES, MOMENTS, Aggregate, Measure
from dpsql.algebra.types import SqlType
from dpsql.plan.sums.exclusive import conjuncts
from dpsql.plan.sums.families import combined
from dpsql.plan.sums.grids import LEAST_WIDTH, largest
from dpsql.plan.types import Estimator
from dpsql.slotted import dataclass

# A value of 0 changes none of them.
_SUMS = frozenset({Aggregate.SUM, Aggregate.SUM_DISTINCT})
_ONE, _ZERO = Literal(1, SqlType.INTEGER), Literal(0, SqlType.INTEGER)
_ONE_BRANCH = 3  # a condition, its value, and that of all else
_FILTERED = MOMENTS | DISTINCT_VALUES | {Aggregate.COUNT}


@dataclass(frozen=True, slots=True)
class Settled:
    """A measure as it is planned: the sum of a constant as `times` a count of rows.

    With `counts` a number of rows is planned as the sum of a value that is 1 in each of them and 0 in others.
    """

    requested: Measure
    measure: Measure
    times: Fraction | None = None
    counts: bool = False

    def restored(self, e: Estimator) -> Estimator:
        """The estimator of the measure that was asked."""
        if self.counts:
            e = Estimator(self.requested, combined((Fraction(1), e.s1), (Fraction(e.lo), e.n)))
        if self.times is None:
            return replace(e, measure=self.requested)
        total = tuple((cell, c * self.times) for cell, c in e.n)
        return Estimator(self.requested, (), total, (), 0, Fraction(1), 0, 1)


def under_condition(measure: Measure) -> Settled:
    """SUM(CASE WHEN p THEN x ELSE 0 END) is the sum of x where p is true; where x is a constant, a number of rows.

    For other aggregates than SUM the branches that do not count must be NULL: they count a 0.
    """
    requested = measure
    branch = _only_branch(measure) if measure.aggregate in _FILTERED and measure.other is None else None
    if branch is not None:
        condition, value = branch
        parts = tuple(dict.fromkeys((*conjuncts(measure.where), *condition)))
        where = apply("and", parts) if len(parts) > 1 else (*parts, TRUE)[0]
        measure = replace(measure, where=where, arg=value)
    constant = _constant(measure.arg) if measure.aggregate is Aggregate.SUM else None
    if not constant:
        return Settled(requested, measure)
    return Settled(requested, replace(measure, aggregate=Aggregate.COUNT_ROWS, arg=None), constant)


def with_their_shares(all_settled: Sequence[Settled]) -> tuple[Settled, ...]:
    """Numbers of rows whose share is asked beside them, as sums of what is averaged: both come from the same cells.

    AVG(CASE WHEN p THEN 1 ELSE 0 END) and AVG(CAST(p AS INT)) are the share of p.
    """
    counted = {_rows_of(s.measure) for s in all_settled if s.measure.aggregate is Aggregate.COUNT_ROWS}
    shares: dict[frozenset[Expr], Measure] = {}
    for m in (s.measure for s in all_settled):
        share = _share(m)
        if share is not None and (rows := _rows_of(m, share[0])) in counted:
            shares.setdefault(rows, replace(m, arg=share[1]))
    return tuple(_beside(s, shares) for s in all_settled)


def _beside(settled: Settled, shares: Mapping[frozenset[Expr], Measure]) -> Settled:
    """A share that is beside its number of rows over integers, so that this comes out whole; and that number."""
    measure, share = settled.measure, _share(settled.measure)
    if share is not None and _rows_of(measure, share[0]) in shares:
        return replace(settled, measure=replace(measure, arg=share[1]))
    of = shares.get(_rows_of(measure)) if measure.aggregate is Aggregate.COUNT_ROWS else None
    if of is None:
        return settled
    summed = replace(measure, aggregate=Aggregate.SUM, arg=of.arg, where=of.where)
    return replace(settled, measure=summed, counts=True)


def _rows_of(measure: Measure, condition: Expr = TRUE) -> frozenset[Expr]:
    """What the rows of a measure that meet a condition meet."""
    return frozenset((*conjuncts(measure.where), *conjuncts(condition)))


def _share(measure: Measure) -> tuple[Expr, Expr] | None:
    """The condition that an average is the share of, and its values as integers: 1 where it is true, else 0 or NULL."""
    arg = measure.arg
    if measure.aggregate is not Aggregate.AVG or not isinstance(arg, Call):
        return None
    if arg.op == "cast" and arg.args[0].type is SqlType.BOOLEAN:
        return arg.args[0], cast(arg.args[0], SqlType.INTEGER)
    if arg.op != "case" or len(arg.args) != _ONE_BRANCH:
        return None
    numbers = [number_of(a.value) if isinstance(a, Literal) else None for a in arg.args[1:]]
    return (arg.args[0], apply("case", (arg.args[0], _ONE, _ZERO))) if numbers == [1, 0] else None


def _only_branch(measure: Measure) -> tuple[tuple[Expr, ...], Expr] | None:
    """The one branch of a CASE that counts: when it is reached, and its value."""
    arg = measure.arg
    if not isinstance(arg, Call) or arg.op != "case":
        return None
    whens, values = arg.args[:-1:2], (*arg.args[1::2], arg.args[-1])
    counting = [i for i, v in enumerate(values) if not _void(v, measure.aggregate)]
    if len(counting) != 1 or values[counting[0]].type is not arg.type:
        return None
    (at,) = counting
    passed = tuple(apply("not", (apply("is_true", (when,)),)) for when in whens[:at])
    return (*passed, *(c for when in whens[at : at + 1] for c in conjuncts(when))), values[at]


def _void(value: Expr, aggregate: Aggregate) -> bool:
    if not isinstance(value, Literal):
        return False
    return value.value is None or (aggregate in _SUMS and value.value == 0)


def _constant(arg: Expr | None) -> Fraction | None:
    """The number that a sum adds up, where the total of a table and its error are sure to be numbers too."""
    number = number_of(arg.value) if isinstance(arg, Literal) else None
    if number is None or arg is None:
        return None
    return number if LEAST_WIDTH <= abs(number) < largest(arg.type) else None
