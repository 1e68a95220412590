"""Aggregates of a CASE as aggregates under a condition: what a CASE leaves out is left out of the rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from dpsql.algebra.expressions import TRUE, Call, Expr, Literal
from dpsql.algebra.facts import number_of
from dpsql.algebra.functions import apply
from dpsql.algebra.question import DISTINCT_VALUES, MOMENTS, Aggregate, Measure
from dpsql.plan.sums.exclusive import conjuncts
from dpsql.plan.sums.grids import LEAST_WIDTH, largest
from dpsql.plan.types import Estimator

# A value of 0 changes none of them.
_SUMS = frozenset({Aggregate.SUM, Aggregate.SUM_DISTINCT})
_FILTERED = MOMENTS | DISTINCT_VALUES | {Aggregate.COUNT}


@dataclass(frozen=True, slots=True)
class Settled:
    """A measure as it is planned: the sum of a constant as `times` a count of rows."""

    requested: Measure
    measure: Measure
    times: Fraction | None = None

    def restored(self, e: Estimator) -> Estimator:
        """The estimator of the measure that was asked."""
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
