"""Whether private groups are selected by weights: where that shows smaller ones, by text and policy alone.

Counted alike, a unit that may be in g groups has noise for g of them. By weights it has noise for one, at a Gaussian's
price, and counts for less where it is in many. The two are compared by the number of units from which on a group is
shown half of the time, for units that are in about sqrt(g) groups each: what units are really in is private. So neither
is chosen where it would lose more than the fourth root of g.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

from dpsql.algebra.catalog import Catalog
from dpsql.algebra.question import Question
from dpsql.algebra.relations import every_scan
from dpsql.algebra.shape import table_of
from dpsql.mechanisms.partition.partition_selection import threshold
from dpsql.mechanisms.partition.thresholding import least_released
from dpsql.mechanisms.partition.weighted_selection import MOST_GROUPS, even_units
from dpsql.plan.analyzed_question import PlanContext
from dpsql.plan.sums.noise_laws import Laws
from dpsql.plan.types import Presence, Weights
from dpsql.privacy import Mechanism


def by_weights(plain: Presence, question: Question, context: PlanContext, unit: Fraction) -> Presence | None:
    """The selection by weights at the cost of another one; None where it is not allowed or cannot be had.

    `unit`: what deltas are whole numbers of.
    """
    groups = plain.groups // context.factor
    tail = _tail(plain.delta, unit, context)
    laws = Laws.of(context.policy, plain.delta - tail, context.dominant)
    if Mechanism.WEIGHTED_SELECTION not in laws.allowed or not laws.gaussian or not tail:
        return None
    if groups > MOST_GROUPS or _has_rows_as_units(question, context.catalog):
        return None
    rho = 1 / (2 * laws.scale_squared(plain.epsilon))
    weights = Weights(rho, tail, context.policy.privacy.neighbours)
    return replace(plain, groups=groups, counted=False, weights=weights)


def _tail(delta: Fraction, unit: Fraction, context: PlanContext) -> Fraction:
    """The part of a delta that is the threshold's: all of it where rho adds up, else a half in whole units."""
    if Laws.of(context.policy, delta, context.dominant).concentrated:
        return delta
    return (delta / 2 / unit).__floor__() * unit


def _has_rows_as_units(question: Question, catalog: Catalog) -> bool:
    return any(table_of(s, catalog).row_is_unit for s in every_scan(question.relation))


def even_size(part: Presence) -> int:
    """The least number of units from which on a group is shown half of the time, each in about sqrt(g) groups.

    Of rows that are counted: where each unit has one in the group.
    """
    if part.weights is None:
        return least_noisy(part)
    w, own = part.weights, math.isqrt(part.groups)
    return even_units(own, rho=w.rho, delta=w.tail, groups_per_unit=part.groups, neighbours=w.neighbours)


def least_noisy(part: Presence) -> int:
    """The noisy number of units, or of rows, from which on a group is shown."""
    if part.counted:
        return least_released(part.epsilon, part.delta, part.groups, part.rows)
    return threshold(part.epsilon, part.delta, part.groups)
