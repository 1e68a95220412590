"""The least epsilon for a wanted error: what a query costs that says how sure its counts and sums are to be.

Only the plan is asked, so that what is charged depends on text and policy alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from dpsql.algebra.formula import measures_of
from dpsql.errors import QueryRefused
from dpsql.plan.releases import EPSILON_UNIT
from dpsql.plan.types import Plan
from dpsql.privacy import Cost
from dpsql.release.estimate.rollup import shown
from dpsql.release.uncertainty.intervals import error_of, half_width
from dpsql.sql.public.row_provenance import Trace

_TRIES = 60
_MORE = Fraction(51, 50)
# Costs with few digits: questions of nearly the same accuracy then are the same release.
_DIGITS = 3


def least_cost(
    wanted: float, most: Cost, plan_at: Callable[[Cost], Plan], trace: Trace | None
) -> tuple[Cost, Plan]:
    """The least cost, to three digits of epsilon at most `most`, whose plan promises the wanted error; and the plan.

    `wanted` bounds the half width of the 95 % interval of every count, every sum and every weighted sum of these that
    the query returns. Raises QueryRefused where no such column is there, or where `most` is not enough.
    """
    plan = plan_at(most)
    if not any(r.parts for r in plan.releases):
        return most, plan
    error = largest_error(plan, trace)
    if error is None:
        raise QueryRefused(
            "no column of the query has an error that is known before it runs, so that none can be asked for",
            hint="An accuracy is one of counts and sums. Leave it out, and look at the intervals of the answer.",
        )
    if error > wanted:
        raise QueryRefused(
            f"an error of at most {wanted:g} needs more than epsilon {float(most.epsilon):g}, which gives {error:.4g}",
            hint="Ask for less accuracy, for fewer columns, or with a larger epsilon.",
        )
    epsilon = _few_digits(most.epsilon * Fraction(error) / Fraction(wanted))
    for _ in range(_TRIES):
        if epsilon >= most.epsilon:
            break
        cost = Cost(epsilon, most.delta)
        tried = plan_at(cost)
        found = largest_error(tried, trace)
        if found is not None and found <= wanted:
            return cost, tried
        epsilon = _few_digits(epsilon * _MORE)
    return most, plan


def largest_error(plan: Plan, trace: Trace | None) -> float | None:
    """The largest error among the columns of which one is known; among all that is released where none is traced."""
    if trace is not None:
        tables = [shown(plan.releases, s.kept, s.release) for s in trace.sources]
        asked = [f for f in trace.formulas if f is not None and measures_of(f)]
        widths = [error_of(f, table) for table in tables for f in asked]
    else:
        widths = [half_width(e, r) for r in plan.releases for e in r.estimators]
    return max((w for w in widths if w is not None), default=None)


def _few_digits(epsilon: Fraction) -> Fraction:
    """Rounded up."""
    if epsilon <= 0:
        return EPSILON_UNIT
    unit = max(Fraction(10) ** (math.floor(math.log10(epsilon)) + 1 - _DIGITS), EPSILON_UNIT)
    return math.ceil(epsilon / unit) * unit
