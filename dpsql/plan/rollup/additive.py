"""ROLLUP, CUBE and GROUPING SETS: which coarser groups are sums of finer ones, and cost nothing."""

from __future__ import annotations

from dpsql.algebra.catalog import Catalog
from dpsql.algebra.question import JOINT_DEGREES, MOMENTS, Aggregate, Question
from dpsql.algebra.shape import shape
from dpsql.plan.contribution import contribution
from dpsql.plan.keys.domains import has_domain
from dpsql.policy.model import Policy

_ADDITIVE = frozenset({*MOMENTS, *JOINT_DEGREES, Aggregate.COUNT_ROWS, Aggregate.COUNT})


def adds_up(question: Question, policy: Policy, catalog: Catalog) -> bool:
    """Whether coarser groups of a question are sums of its groups, which then must all be there.

    Counts, sums and what is made of sums (averages, variances) add up; distinct values do not, and distinct units only
    where a unit has one row, and so one group. Groups of private keys are not all released.
    """
    shaped = shape(question.relation, catalog)
    units = {Aggregate.COUNT_UNITS} if contribution(shaped, policy).rows == 1 else set()
    additive = all(m.aggregate in _ADDITIVE or m.aggregate in units for m in question.measures)
    return additive and has_domain(question, shaped, catalog)
