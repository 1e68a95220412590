"""The best groups by scores whose limit is found for the query: a histogram, and choices by what scaling has left.

A fifth of the epsilon of the choices finds the threshold tau, with discrete Laplace noise; a choice then has D_R = tau,
or 2 tau where a unit is replaced, since all cells of a unit add up to at most tau in L1. What the choices cost does not
depend on D_R, so that it is charged before tau is known. Numbers of units have D_R = 1 as they are, and distinct values
do not add up over units: both keep to what is fixed.
"""

from __future__ import annotations

from fractions import Fraction

from dpsql.algebra.question import Aggregate, Measure
from dpsql.mechanisms.clipping.clipping_noise import histogram_noise, laplace, shares_of_epsilon
from dpsql.plan.analyzed_question import AnalyzedQuestion
from dpsql.plan.choices.selection import law_of_choice, most_chosen
from dpsql.plan.sums.clipping import clipping_of, unbounded, wants_limits
from dpsql.plan.sums.grids import grid
from dpsql.plan.types import Histogram, ScaledScores, Sum, Term
from dpsql.privacy import Mechanism

_COUNTED = {Aggregate.COUNT_ROWS: Sum.ROWS, Aggregate.COUNT: Sum.VALUES}


def scaled_scores(p: AnalyzedQuestion, epsilon: Fraction) -> tuple[Histogram, ScaledScores] | None:
    """The parts that choose the best groups for `epsilon` in all; None where limits stay fixed. Raises QueryRefused."""
    top, policy = p.question.top, p.context.policy
    assert top is not None
    named = policy.privacy.mechanisms
    if named is not None and Mechanism.DISCRETE_LAPLACE not in named:
        return None
    if top.score.aggregate not in (*_COUNTED, Aggregate.SUM) or not wants_limits(p, (top.score,)):
        return None
    term, weight = _scored(p, top.score)
    clipping = clipping_of(p, weight)
    if clipping is None:
        return None
    first, second = shares_of_epsilon(epsilon)
    neighbours, bounding = policy.privacy.neighbours, unbounded(p)
    scores = ScaledScores(
        *(bounding, term, clipping, neighbours, top.descending),
        *(second, most_chosen(p), law_of_choice(policy)),
    )
    histogram = histogram_noise(first, laplace(second, neighbours))
    return Histogram(bounding, (term,), ((1,),), clipping, histogram), scores


def _scored(p: AnalyzedQuestion, score: Measure) -> tuple[Term, int]:
    """A score as an exact integer, and the most that one row adds to it."""
    if score.aggregate is Aggregate.SUM:
        on = grid(score, p.shape, p.context.catalog)
        return Term(Sum.TOTAL, score.where, score.arg, on), on.magnitude
    return Term(_COUNTED[score.aggregate], score.where, score.arg), 1
