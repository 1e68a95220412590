"""Which families and which noise answer the measures of one release: what can be done is compared by its variance.

The epsilon of a release is split over its families so that the expected error is least. A family whose measures
have variance c / epsilon**2, each taken relative to what it would be if it were asked alone, gets a share in
proportion to c**(1/3): that minimises the sum of c_b / epsilon_b**2 under a fixed sum of epsilons (Lagrange).
Gaussian families split rho instead: variances c_b / rho_b, and shares in proportion to c_b**(1/2).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from dpsql.algebra.question import DISTINCT_VALUES, Aggregate
from dpsql.errors import QueryRefused
from dpsql.mechanisms.clipping.clipping_noise import shares_of_epsilon, shares_of_rho
from dpsql.mechanisms.noise.cube import variances
from dpsql.mechanisms.noise.discrete_gaussian import variance as gaussian_variance
from dpsql.plan.analyzed_question import AnalyzedQuestion
from dpsql.plan.sums import families as fam
from dpsql.plan.sums.assignments import Assignment, Assignments
from dpsql.plan.sums.cases import Settled
from dpsql.plan.sums.clusters import Cluster
from dpsql.plan.sums.disjoint_rows import Disjoint, joined
from dpsql.plan.sums.exclusive import Conditions
from dpsql.plan.sums.noise_laws import Laws
from dpsql.plan.sums.variance import functional, unit_variance
from dpsql.plan.types import Bounding, Estimator, Family, Sums
from dpsql.privacy import Mechanism
from dpsql.slotted import dataclass

_SHARES = 1000
_LEAST = 1e-9
# Of a measure that is nothing but rounding a variance near 0 is compared with: no quotient may overflow.
_NEGLIGIBLE = 1e-100
# A rate of noise from which on there is none to speak of, and another law must be better by more than this.
_FAST = 100.0
_CLEARLY = 1.001
# Where the limit of each family is to be found, even the least of them gets a third of the share of the largest: of an
# epsilon, whose shares are cube roots, or of a rho that stands for it, whose shares are square roots.
_LEAST_OF_SCALED, _LEAST_OF_SCALED_RHO = 27, 81
# From this sigma**2 on a discrete Gaussian has the variance of a continuous one.
_SMOOTH = 9.0
# Of more conditions than these none is compared with another: that work grows with their square.
_MOST_APART = 64
# What is counted once for each group, and may share no noise with what is counted by rows.
_APART = frozenset({Aggregate.COUNT_UNITS, *DISTINCT_VALUES})
Chosen = tuple[tuple[Sums, ...], tuple[Estimator, ...]]
_Groups = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class _Candidate:
    """An assignment whose options are noised in `groups`; `weights` are the variances of these, and `error` the whole.

    A group of several options is one vector under the cube mechanism, with `cube`, or else one family of rows that
    exclude each other.
    """

    assignment: Assignment
    groups: _Groups
    weights: tuple[float, ...]
    error: float
    gaussian: bool = False
    cube: bool = False

    @property
    def handicap(self) -> float:
        """Nothing else than Laplace noise is used where it is not clearly better."""
        return _CLEARLY if self.gaussian or self.cube else 1.0

    def shares(self) -> tuple[Fraction, ...]:
        """The best split, rounded to thousandths; the shares add up to exactly 1."""
        roots = [math.sqrt(w) if self.gaussian else math.cbrt(w) for w in self.weights]
        whole = [max(1, round(_SHARES * r / sum(roots))) for r in roots]
        return tuple(Fraction(w, sum(whole)) for w in whole)


def choose(analyzed: AnalyzedQuestion, epsilon: Fraction, laws: Laws) -> Chosen:
    """The parts and estimators that answer a question's measures for `epsilon` in all, with the least error.

    Raises QueryRefused.
    """
    first, *others = _alternatives(analyzed)
    least = _Chooser(first, epsilon, laws)
    candidates = [
        (candidate, chooser)
        for chooser in (least, *(_Chooser(p, epsilon, laws, least.space) for p in others))
        for candidate in chooser.candidates()
    ]
    if not candidates:
        raise QueryRefused(
            "the policy allows no mechanism that adds noise to these counts and sums",
            place=analyzed.question.place,
            hint="privacy.mechanisms in the policy says which are allowed; discrete_laplace fits every count and sum.",
        )
    best, chooser = min(candidates, key=lambda f: f[0].error * f[0].handicap)
    return _parts(best, chooser.families(best, analyzed.context.factor), chooser.space.settled)


def _alternatives(analyzed: AnalyzedQuestion) -> tuple[AnalyzedQuestion, ...]:
    """Units and values counted in few groups have less noise, but share none with what is counted over bounded rows."""
    limits, asked = analyzed.contribution, [m.aggregate for m in analyzed.question.measures]
    capped = limits.groups is not None and {a is Aggregate.COUNT_UNITS for a in asked} == {True, False}
    listed = limits.in_any_case is not None and len(asked) > 1 and not _APART.isdisjoint(asked)
    if limits.rows is None or not (capped or listed):
        return (analyzed,)
    return (analyzed, replace(analyzed, contribution=limits.by_rows))


def _parts(best: _Candidate, families: tuple[Family, ...], settled: tuple[Settled, ...]) -> Chosen:
    """Families that see the same rows share one engine query; the estimators follow their cells."""
    options = best.assignment.options
    order: dict[Bounding, list[int]] = {}
    for k, members in enumerate(best.groups):
        order.setdefault(options[members[0]].bounding, []).append(k)
    sequence = [k for groups in order.values() for k in groups]
    old = list(itertools.accumulate((len(o.family.cells) for o in options), initial=0))
    cells = [
        old[i] + c for k in sequence for i in best.groups[k] for c in range(len(options[i].family.cells))
    ]
    moved = {before: after for after, before in enumerate(cells)}
    estimators = tuple(
        s.restored(e.over(lambda f: tuple(sorted((moved[i], c) for i, c in f))))
        for s, e in zip(settled, best.assignment.estimators, strict=True)
    )
    parts = tuple(Sums(b, tuple(families[k] for k in groups)) for b, groups in order.items())
    return parts, estimators


class _Chooser:
    def __init__(
        self, analyzed: AnalyzedQuestion, epsilon: Fraction, laws: Laws, alone: Assignments | None = None
    ) -> None:
        """`alone` are the assignments by which measures asked alone are compared, where these are others."""
        question, contribution = analyzed.question, analyzed.contribution
        self.space = Assignments(question, analyzed.shape, analyzed.context.catalog, contribution)
        self.alone = alone if alone is not None else self.space
        self.factor = analyzed.context.factor
        self.rows = contribution.rows
        self.scaled = contribution.scaled
        self.grouped = bool(question.keys)
        self.bounding = contribution.bounding
        self.epsilon = epsilon
        self.laws = laws
        self._cluster_of = {i: c for c in self.space.clusters for i in c.measures}
        self._gaussian_scale = laws.rough_scale_squared(epsilon) if laws.gaussian else math.inf
        wheres = dict.fromkeys(m.where for m in self.space.measures)
        self._disjoint = Disjoint(Conditions(tuple(wheres))) if 1 < len(wheres) <= _MOST_APART else None

    def candidates(self) -> Iterator[_Candidate]:
        """Every assignment worth a comparison, under every law that the policy and the budget allow."""
        for assignment in self.space.best(self._least_error):
            yield from self._with_parts(assignment)

    def _least_error(self, assignment: Assignment) -> float:
        return min((c.error for c in self._with_parts(assignment)), default=math.inf)

    def _with_parts(self, assignment: Assignment) -> Iterator[_Candidate]:
        """The assignment as it is, and with what is asked of some rows left out of what is asked of all."""
        yield from self._under_all_laws(assignment)
        carved = self._disjoint.carved(assignment) if self._disjoint is not None else None
        if carved is not None:
            yield from self._under_all_laws(carved)

    def _under_all_laws(self, assignment: Assignment) -> Iterator[_Candidate]:
        needs, options = self._needs(assignment), assignment.options
        alone = tuple((i,) for i in range(len(options)))
        groups = self._disjoint.groups(options) if self._disjoint is not None else alone
        if Mechanism.DISCRETE_LAPLACE in self.laws.allowed:
            yield self._split(assignment, groups, _together(groups, self._laplace(assignment, needs)))
        if assignment.cells and Mechanism.CUBE in self.laws.allowed:
            yield from self._cubes(assignment, needs)
        if self.laws.gaussian and len({o.bounding for o in options}) == 1:
            yield self._gaussians(assignment, groups, needs)

    def _split(
        self, assignment: Assignment, groups: _Groups, weights: tuple[float, ...], cube: bool = False
    ) -> _Candidate:
        """The least sum of relative variances that any split of the epsilon reaches, at the cost of a Gaussian."""
        if self.scaled:
            weights = tuple(max(w, max(weights) / _LEAST_OF_SCALED) for w in weights)
        roots, epsilon = [*map(math.cbrt, weights)], float(self.epsilon)
        whole = sum(roots)
        spent = [float(s) for s in shares_of_epsilon(1)] if self.scaled else [1.0]
        loss = self.laws.rough_loss(s * epsilon * r / whole for r in roots for s in spent)
        error = whole**3 / (spent[-1] * epsilon) ** 2 * loss
        return _Candidate(assignment, groups, weights, error, cube=cube)

    def _gaussians(self, assignment: Assignment, groups: _Groups, needs: tuple[float, ...]) -> _Candidate:
        """The same for a split of rho, by the variances of discrete Gaussians, which are below sigma**2 if small."""
        sizes = [self._size(o) ** 2 for o in assignment.options]
        each = tuple(max(n * s, _LEAST) for n, s in zip(needs, sizes, strict=True))
        weights = _together(groups, each)
        if self.scaled:
            weights = tuple(max(w, max(weights) / _LEAST_OF_SCALED_RHO) for w in weights)
        whole = sum(map(math.sqrt, weights))
        left = float(shares_of_rho(1)[-1]) if self.scaled else 1.0
        error = 0.0
        for members, weight in zip(groups, weights, strict=True):
            scale = self._gaussian_scale * whole / math.sqrt(weight) / left
            error += sum(needs[i] * _discrete(sizes[i] * scale) for i in members)
        return _Candidate(assignment, groups, weights, max(error, _LEAST), gaussian=True)

    def _laplace(self, assignment: Assignment, needs: tuple[float, ...]) -> tuple[float, ...]:
        """The variances of discrete Laplace noise, 2 a / (1 - a)**2 each, in units of 1 / epsilon**2."""
        epsilon = float(self.epsilon)
        rates = [epsilon / self._size(o) for o in assignment.options]
        each = (epsilon**2 / (2 * math.sinh(min(rate, _FAST) / 2) ** 2) for rate in rates)
        return tuple(max(n * v, _LEAST) for n, v in zip(needs, each, strict=True))

    def _cubes(self, assignment: Assignment, needs: tuple[float, ...]) -> Iterator[_Candidate]:
        """The cells of whole rows as one vector, and whatever else is asked beside it."""
        fused = tuple(i for i, o in enumerate(assignment.options) if self._fits_cube(o))
        others = tuple(i for i in range(len(assignment.options)) if i not in fused)
        if len(fused) < 2 or (others and Mechanism.DISCRETE_LAPLACE not in self.laws.allowed):
            return
        assert self.rows is not None
        vector = fam.cube([assignment.options[i] for i in fused], self.rows)
        epsilon = self.epsilon
        spread = variances(sensitivity=self.rows, epsilon=epsilon, widths=vector.widths)
        weight = sum(needs[i] * v for i, v in zip(fused, spread, strict=True)) * float(epsilon) ** 2
        groups, beside = (fused, *((i,) for i in others)), self._laplace(assignment, needs)
        yield self._split(assignment, groups, (max(weight, _LEAST), *(beside[i] for i in others)), cube=True)

    def _size(self, option: fam.Option) -> float:
        """The sensitivity, in versions of a unit's rows."""
        return option.moved(self.factor) / self.factor

    def _fits_cube(self, option: fam.Option) -> bool:
        """Whether every row moves the option's one cell by at most a width of its own."""
        rows, one = self.rows or 1, len(option.family.cells) == 1
        return (
            one
            and option.by_rows
            and option.bounding == self.bounding
            and option.family.sensitivity % rows == 0
        )

    def families(self, best: _Candidate, factor: int) -> tuple[Family, ...]:
        """The families of a candidate, with their noise and their shares of the budget."""
        made = []
        scale = self.laws.scale_squared(self.epsilon) if best.gaussian else None
        for members, share in zip(best.groups, best.shares(), strict=True):
            options = [best.assignment.options[i] for i in members]
            if len(options) > 1 and best.cube:
                assert self.rows is not None
                family = fam.cube(options, self.rows)
            else:
                family = joined(options, self.rows) if len(options) > 1 else options[0].family
            most = options[0].moved(factor) if len(options) == 1 else family.sensitivity * factor
            family = replace(family, sensitivity=most)
            if scale is None:
                made.append(replace(family, epsilon=self.epsilon * share))
            else:
                made.append(self._gaussian(family, scale, share))
        return tuple(made)

    def _gaussian(self, family: Family, scale: Fraction, share: Fraction) -> Family:
        """sigma**2 = sensitivity**2 scale / share: then the squares of sensitivity / sigma add up to 1 / scale."""
        return replace(
            family,
            epsilon=self.epsilon,
            mechanism=Mechanism.DISCRETE_GAUSSIAN,
            variance=family.sensitivity**2 * scale / share,
            delta=self.laws.delta,
        )

    def _needs(self, assignment: Assignment) -> tuple[float, ...]:
        """For each option, the sum over the measures of the squared coefficients of its cells, relative to the measure
        asked alone."""
        places = [k for k, option in enumerate(assignment.options) for _ in option.family.cells]
        totals = [0.0] * len(assignment.options)
        for at, estimator in enumerate(assignment.estimators):
            cluster = self._cluster_of.get(at)
            unit = max(self._alone(estimator, cluster), _NEGLIGIBLE)
            for cell, c in functional(estimator, cluster, self.rows).items():
                totals[places[cell]] += c * c / unit
        return tuple(totals)

    def _alone(self, estimator: Estimator, cluster: Cluster | None) -> float:
        """The variance of a measure asked alone at epsilon 1: what counts few groups has that of these."""
        if estimator.measure.aggregate in _APART:
            option = self.alone.known_alone(estimator.measure)
            if not option.by_rows:
                ((_, step),) = option.moments.values
                return 2 * float(option.family.sensitivity * step) ** 2
        return unit_variance(estimator, cluster, self.rows, self.grouped)


def _together(groups: _Groups, weights: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(sum(weights[i] for i in members) for members in groups)


def _discrete(scale: float) -> float:
    """The variance of a discrete Gaussian of that sigma**2, which it falls below only where that is small."""
    return scale if scale > _SMOOTH else gaussian_variance(sigma_squared=Fraction(scale))
