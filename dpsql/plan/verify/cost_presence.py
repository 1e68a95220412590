"""The cost of private keys, checked by another route than the one that planned it.

What has to be right is how many groups a unit is in; and of a selection by weights that units can be told apart, that
the noise is the one that is charged, for the policy's neighbours, and that its delta and the threshold's are the two
parts of what is spent.
"""

from __future__ import annotations

from fractions import Fraction

from dpsql.algebra.relations import every_scan
from dpsql.algebra.shape import table_of
from dpsql.mechanisms.analysis.composition import zcdp_delta
from dpsql.mechanisms.partition.weighted_selection import weight_variance
from dpsql.plan.analyzed_question import PlanContext
from dpsql.plan.sums.noise_laws import adds_rho
from dpsql.plan.types import Presence, Release, Weights
from dpsql.plan.verify.cost_groups import are_together
from dpsql.privacy import Neighbours

# The square of a unit's weights over all of its groups; of two units, none of whose weights is negative.
_SQUARES = {Neighbours.ADD_REMOVE: 2**40, Neighbours.SUBSTITUTE: 2**41}


def is_charged(part: Presence, rows: int | None, release: Release, context: PlanContext) -> bool:
    """Whether a unit is in no more groups than a selection is for, twice as many if it is replaced and counted, and has
    no more rows, where these are counted; `rows` limits both, where it is not None."""
    together = 1 if are_together(release, context) else None
    limits = [n for n in (rows, part.bounding.groups, together) if n is not None]
    times = context.factor if part.weights is None else 1
    if not limits or part.groups < times * min(limits):
        return False
    if part.rows is not None and (not part.counted or rows is None or part.rows < times * rows):
        return False
    return part.weights is None or _has_noise(part, part.weights, release, context)


def _has_noise(part: Presence, weights: Weights, release: Release, context: PlanContext) -> bool:
    """Whether weights have the noise and the threshold that their epsilon and delta stand for."""
    neighbours = context.policy.privacy.neighbours
    if weights.neighbours is not neighbours or part.counted or weights.tail <= 0:
        return False
    if any(table_of(s, context.catalog).row_is_unit for s in every_scan(release.question.relation)):
        return False
    rho = Fraction(_SQUARES[neighbours], 2 * weight_variance(weights.rho, weights.neighbours))
    if rho > weights.rho:
        return False
    if adds_rho(context.policy):
        return weights.rho <= part.epsilon**2 / 2 and weights.tail == part.delta
    spent = part.delta - weights.tail
    return spent > 0 and zcdp_delta(weights.rho, part.epsilon) <= spent
