"""The best groups by private selection: the score, D_R, and whether selecting beats releasing all groups and sorting.

**D_R** is the most by which the changes of two groups' scores can differ between neighbours. Counts of rows, values
and distinct values all move the same way, each by at most m, so that D_R = m. A unit moves a number of distinct units
by at most 1 wherever it moves it, so that D_R = 1 whatever m is, and nothing needs to limit its rows. Sums over
disjoint groups: a row moves one group only, so that if a unit moves group i by a and group j by -b, then a + b <=
m * max(|lo|, |hi|), or its unit_total, which is the most that |x| of a unit add up to. Where a unit is replaced, both
of its versions move the scores: twice that. See mechanisms.exponential for the proofs.

**k groups** are k choices, each with the same share of epsilon, of what the choices before have left.

**Which law.** Under the accountants that add up epsilons, permute-and-flip, whose expected loss is never above that of
the exponential mechanism. Under those that add up rho or Renyi divergences (zcdp, rdp) the exponential mechanism: its
rho is epsilon**2 / 8, a quarter of what permute-and-flip costs at a small epsilon, and its worst expected loss at the
same epsilon 1.51 times as large for two candidates, 1.08 times for a hundred and 1.01 times for a million. At the same
rho it would be at most 0.76 times as large. Where the policy names only one of the two, that one; where it names
neither, groups are released and sorted.

**Select or sort.** The noisy scores of all groups, sorted, are the same kind of choice with Laplace noise of scale
L1 / epsilon, made once for all k. A choice by permute-and-flip has one-sided exponential noise of scale b = k D_R /
epsilon (see mechanisms.noisy_max), whose worst expected loss is never above that of Laplace noise of scale s where b <=
s: 0.184 b against 0.293 s for two candidates, 10.39 b against 10.39 s for a million. (The exponential mechanism's is at
most 1.1 times that of Laplace noise, at a quarter of the rho.) So groups are selected where k D_R <= L1. For counts and
sums that is k = 1, and for distinct units every k up to the most groups of a unit. Where values of the chosen groups
are asked for as well, selection has half of the budget and they have the other; then what is compared is the mean of
the relative errors of the choice and of the values, against those of the histogram.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from dpsql.algebra.catalog import Catalog
from dpsql.algebra.question import MOMENTS, SCORES, Aggregate, Measure, Question
from dpsql.algebra.shape import shape
from dpsql.plan.analyzed_question import AnalyzedQuestion
from dpsql.plan.contribution import Contribution, contribution, to_groups
from dpsql.plan.keys.domains import most_groups
from dpsql.plan.sums.grids import grid
from dpsql.plan.sums.unit_totals import total_grid
from dpsql.plan.types import Bounding, Scores, Sum, Term
from dpsql.policy.model import Policy
from dpsql.privacy import Mechanism
from dpsql.slotted import dataclass

# What can be released of chosen groups alone.
_VALUES = SCORES | MOMENTS


@dataclass(frozen=True, slots=True)
class _Scored:
    """A score as an exact integer over bounded rows, and D_R under add_remove."""

    term: Term
    bounding: Bounding
    score_range: int


def worth_selecting(question: Question, policy: Policy, catalog: Catalog) -> bool:
    """Whether the best groups of a question are better selected than released with all others and sorted."""
    top = question.top
    assert top is not None
    shaped = shape(question.relation, catalog)
    cells = most_groups(question, shaped, catalog)
    limits = to_groups(contribution(shaped, policy), question, cells, catalog)
    units = top.score.aggregate is Aggregate.COUNT_UNITS
    most = limits.touched if units else limits.rows
    if most is None:  # distinct units and sums under a unit_total need no cap on rows
        return not question.measures and (units or top.count == 1)
    if not _allowed(policy):
        return False
    if not all(m.aggregate in _VALUES for m in question.measures):
        return False
    count = top.count if cells is None else min(top.count, max(cells, 1))
    choice = Fraction(count, most if units else 1)
    if not question.measures:
        return choice <= 1
    values = [_relative(m, count, limits) for m in question.measures]
    return choice + sum(values) / len(values) <= 1


def _allowed(policy: Policy) -> tuple[Mechanism, ...]:
    """The laws of a choice that the policy allows, the better one under its accountant first."""
    laws = (Mechanism.PERMUTE_AND_FLIP, Mechanism.EXPONENTIAL)
    named = policy.privacy.mechanisms
    return tuple(
        m for m in (laws[::-1] if policy.accountant.is_filter else laws) if named is None or m in named
    )


def law_of_choice(policy: Policy) -> Mechanism:
    """The law by which the best groups are chosen; where the policy allows none, one that it will refuse."""
    return next(iter(_allowed(policy)), Mechanism.PERMUTE_AND_FLIP)


def _relative(measure: Measure, count: int, limits: Contribution) -> Fraction:
    """The error of a measure of the chosen groups in that of all groups: a unit is counted in fewer of them."""
    if measure.aggregate is not Aggregate.COUNT_UNITS or limits.touched is None:
        return Fraction(1)
    return Fraction(min(count, limits.touched), limits.touched)


def scores(analyzed: AnalyzedQuestion, epsilon: Fraction) -> Scores:
    """The part that chooses the best groups for `epsilon` in all. Raises QueryRefused."""
    top = analyzed.question.top
    assert top is not None
    scored = _scored(analyzed, top.score)
    d_r = scored.score_range * analyzed.context.factor
    count, law = most_chosen(analyzed), law_of_choice(analyzed.context.policy)
    return Scores(scored.bounding, scored.term, top.descending, d_r, epsilon, count, law)


def most_chosen(analyzed: AnalyzedQuestion) -> int:
    """How many groups are chosen: as many as there are, at most."""
    top, groups = analyzed.question.top, analyzed.groups
    assert top is not None
    return max(top.count if groups is None else min(top.count, groups), 1)


def _scored(analyzed: AnalyzedQuestion, score: Measure) -> _Scored:
    bounding = analyzed.contribution.bounding
    if score.aggregate is Aggregate.COUNT_UNITS:
        return _Scored(Term(Sum.UNITS, score.where), replace(bounding, rows=None), 1)
    if score.aggregate is Aggregate.SUM:
        return _summed(analyzed, score)
    rows = analyzed.rows
    if score.aggregate is Aggregate.COUNT_DISTINCT:
        return _Scored(Term(Sum.DISTINCT, score.where, score.arg), bounding, rows)
    counted = Sum.VALUES if score.aggregate is Aggregate.COUNT else Sum.ROWS
    return _Scored(Term(counted, score.where, score.arg), bounding, rows)


def _summed(analyzed: AnalyzedQuestion, score: Measure) -> _Scored:
    """A sum over bounded rows or under a unit total, whichever moves less."""
    shape, catalog, limits = analyzed.shape, analyzed.context.catalog, analyzed.contribution
    capped = total_grid(score, shape, catalog)
    if capped is not None:
        clipped, totals = capped
        assert clipped.unit_total is not None
        under = _Scored(
            Term(Sum.TOTAL, score.where, score.arg, clipped), Bounding(totals=totals), clipped.unit_total
        )
        if limits.rows is None:
            return under
    on, rows = grid(score, shape, catalog), analyzed.rows
    plain = _Scored(Term(Sum.TOTAL, score.where, score.arg, on), limits.bounding, rows * on.magnitude)
    if capped is not None and under.score_range * capped[0].step < plain.score_range * on.step:
        return under
    return plain
