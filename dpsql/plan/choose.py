"""Which families answer the measures of one release: every sensible assignment is compared by exact variance.

The epsilon of a release is split over its families so that the expected error is least. A family whose measures
have variance c / epsilon**2, each taken relative to what it would be if it were asked alone, gets a share in
proportion to c**(1/3): that minimises the sum of c_b / epsilon_b**2 under a fixed sum of epsilons (Lagrange).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod

from dpsql.algebra.expr import Expr
from dpsql.algebra.question import SECOND_MOMENTS, Aggregate, Measure, Question
from dpsql.algebra.shape import Shape
from dpsql.catalog import Catalog
from dpsql.plan import families as fam
from dpsql.plan.bounds import Contribution
from dpsql.plan.clusters import Cluster, clusters, null_in, settled
from dpsql.plan.families import Option, shifted, squares
from dpsql.plan.types import Bounding, Estimator, Family, Linear, Second, Sum, Sums, Term
from dpsql.plan.variance import functional, unit_variance

_COUNTS = frozenset({Aggregate.COUNT_ROWS, Aggregate.COUNT})
# More assignments, or measures in all of them, are not compared: every moment gets its family, every count the
# first that has it.
_MOST_ASSIGNMENTS = 512
_MOST_ASSIGNED = 5_000
_SHARES = 1000
# How a cluster is released; a number is the cluster of two columns whose sums serve it as well.
_Form = str | int
_JOINT = "joint"
# The families of an assignment in order, each with the index of its first cell.
_Starts = dict[Option, int]


@dataclass(frozen=True, slots=True)
class _Assignment:
    """Families and, for each measure, the estimator over the cells of all families."""

    options: tuple[Option, ...]
    estimators: tuple[Estimator, ...]


def choose(
    question: Question,
    shape: Shape,
    catalog: Catalog,
    contribution: Contribution,
    factor: int,
    epsilon: Fraction,
) -> tuple[tuple[Sums, ...], tuple[Estimator, ...]]:
    """The parts and estimators that answer a question's measures for `epsilon` in all, with the least error.

    `factor` multiplies every sensitivity (2 where neighbours substitute a unit). Raises QueryRefused.
    """
    chooser = _Chooser(question, shape, catalog, contribution)
    best = min(chooser.assignments(), key=chooser.error)
    shares = chooser.shares(best)
    families = tuple(
        replace(o.family, sensitivity=o.family.sensitivity * factor, epsilon=epsilon * share)
        for o, share in zip(best.options, shares, strict=True)
    )
    return _parts(best, families)


def _parts(best: _Assignment, families: tuple[Family, ...]) -> tuple[tuple[Sums, ...], tuple[Estimator, ...]]:
    """Families that see the same rows share one engine query; the estimators follow their cells."""
    order: dict[Bounding, list[int]] = {}
    for i, option in enumerate(best.options):
        order.setdefault(option.bounding, []).append(i)
    sequence = [i for members in order.values() for i in members]
    old = list(itertools.accumulate((len(f.cells) for f in families), initial=0))
    new_starts = list(itertools.accumulate((len(families[i].cells) for i in sequence), initial=0))
    moved = {
        old[i] + c: start + c
        for i, start in zip(sequence, new_starts, strict=False)
        for c in range(len(families[i].cells))
    }
    estimators = tuple(e.moved(moved) for e in best.estimators)
    parts = tuple(Sums(b, tuple(families[i] for i in members)) for b, members in order.items())
    return parts, estimators


def _serves(joint: Cluster, one: Cluster) -> bool:
    return joint.x is not None and joint.where == one.where and one.arg in (joint.arg, joint.x.arg)


class _Chooser:
    def __init__(
        self, question: Question, shape: Shape, catalog: Catalog, contribution: Contribution
    ) -> None:
        self.question = question
        self.facts = shape.facts()
        self.shape = shape
        self.catalog = catalog
        self.contribution = contribution
        self.measures = tuple(settled(m, self.facts) for m in question.measures)
        self.clusters = clusters(self.measures, shape, catalog)
        self._cluster_of = {i: c for c in self.clusters for i in c.measures}

    def assignments(self) -> Iterator[_Assignment]:
        """Every choice of a family for each cluster and of a source for each count."""
        forms = [self._forms(c) for c in self.clusters]
        counts = [i for i, m in enumerate(self.measures) if m.aggregate in _COUNTS]
        sources = [self._sources(self.measures[i]) for i in counts]
        count = prod(map(len, forms)) * prod(map(len, sources))
        if count > _MOST_ASSIGNMENTS or count * len(self.measures) > _MOST_ASSIGNED:
            forms, sources = [f[-1:] for f in forms], [s[-1:] for s in sources]
        for chosen in itertools.product(*forms):
            for served in itertools.product(*sources):
                built = self._build(chosen, dict(zip(counts, served, strict=True)))
                if built is not None:
                    yield built

    def _forms(self, cluster: Cluster) -> list[_Form]:
        """The ways to release a cluster; the last is the one that serves every measure."""
        if cluster.x is not None:
            return [_JOINT]
        asked = {self.measures[i].aggregate for i in cluster.measures}
        served: list[_Form] = [k for k, c in enumerate(self.clusters) if _serves(c, cluster)]
        if asked & SECOND_MOMENTS:
            return [*served, "triple"]
        bounded = self.contribution.rows is not None
        separate: list[_Form] = ["total"] if cluster.total is not None else []
        separate += ["sum"] if bounded else []
        return [*served, *separate, "pair"] if bounded or not separate else separate

    def _sources(self, measure: Measure) -> list[int | None]:
        """Where a count can come from: None for a cell of its own, or the index of a cluster."""
        if self.contribution.rows is None:
            return [None]
        fitting: list[int | None] = [
            k
            for k, c in enumerate(self.clusters)
            if c.where == measure.where
            and ((measure.arg == c.arg and c.x is None) or not self._null(measure.arg, measure.where))
        ]
        return [None, *reversed(fitting)]

    def _null(self, arg: Expr | None, where: Expr) -> bool:
        return null_in(arg, where, self.facts)

    def _build(self, forms: tuple[_Form, ...], served: dict[int, int | None]) -> _Assignment | None:
        """The assignment of these choices, or None where a count is to come from a family that has none."""
        options: _Starts = {}
        found: dict[int, Estimator] = {}
        for k, (cluster, form) in enumerate(zip(self.clusters, forms, strict=True)):
            asking = [i for i, source in served.items() if source == k]
            if asking and form not in ("pair", "triple", _JOINT):
                return None
            if form == _JOINT:
                inside = [c for c, f in zip(self.clusters, forms, strict=True) if f == k]
                found |= self._release_joint(cluster, inside, asking, options)
            elif isinstance(form, str):
                found |= self._release_cluster(cluster, form, asking, options)
        for i, measure in enumerate(self.measures):
            if i not in found:
                found[i] = self._alone(i, measure, options)
        return _Assignment(tuple(options), tuple(found[i] for i in range(len(self.measures))))

    def _release_cluster(
        self, cluster: Cluster, form: str, asking: list[int], options: _Starts
    ) -> dict[int, Estimator]:
        if form in ("sum", "total"):
            return self._separate(cluster, form, options)
        rows, bounding = self.contribution.limit(self.question), self.contribution.bounding
        by_rows = [i for i in asking if not self._null(self.measures[i].arg, cluster.where)]
        build = fam.triple if form == "triple" else fam.pair
        option = build(
            cluster.grid, cluster.where, rows, bounding, cluster.nullable, cluster.nullable and bool(by_rows)
        )
        start = self._append(option, options)
        m = option.moments
        found = {}
        for i in cluster.measures:
            parts = shifted(m.values, start), shifted(m.s1, start), shifted(m.s2, start)
            g = cluster.grid
            found[i] = Estimator(self.measures[i], *parts, g.lo, g.step, g.lo, g.hi)
        for i in asking:
            counted = m.rows if i in by_rows else m.values
            found[i] = Estimator(self.measures[i], shifted(counted, start))
        return found

    def _release_joint(
        self, cluster: Cluster, inside: list[Cluster], asking: list[int], options: _Starts
    ) -> dict[int, Estimator]:
        """The products of two columns, which also serve the clusters of one of them that are `inside`."""
        y, x = cluster.grid, cluster.x
        assert x is not None
        rows, bounding = self.contribution.limit(self.question), self.contribution.bounding
        degrees = self._degrees(cluster, inside)
        option = fam.joint(y, x, cluster.where, rows, bounding, degrees)
        start, m = self._append(option, options), option.moments
        n, s1, s2 = (shifted(part, start) for part in (m.values, m.s1, m.s2))
        x1, x2, both = (shifted(part, start) for part in (m.x1, m.x2, m.product))
        second = Second(x1, x2, both, x.step, x.lo, x.hi)
        found = {i: Estimator(self.measures[i], n) for i in asking}
        for i in cluster.measures:
            found[i] = Estimator(self.measures[i], n, s1, s2, y.lo, y.step, y.lo, y.hi, second)
        for one in inside:
            g, *sums = (y, s1, s2) if one.arg == y.arg else (x, x1, x2)
            for i in one.measures:
                found[i] = Estimator(self.measures[i], n, sums[0], sums[1], g.lo, g.step, g.lo, g.hi)
        return found

    def _degrees(self, cluster: Cluster, inside: list[Cluster]) -> tuple[int, int]:
        p, q = cluster.degrees
        for one in inside:
            second = any(self.measures[i].aggregate in SECOND_MOMENTS for i in one.measures)
            if second and one.arg == cluster.arg:
                p = 2
            elif second:
                q = 2
        return p, q

    def _separate(self, cluster: Cluster, form: str, options: _Starts) -> dict[int, Estimator]:
        """A sum in a cell of its own and, for an average, a count in another."""
        used, bounding = cluster.grid, self.contribution.bounding
        if form == "total" and cluster.total is not None:
            used, bounding = cluster.total, Bounding(total=cluster.capped)
        summed = fam.direct_sum(used, cluster.where, self.contribution.rows, bounding)
        s1 = shifted(summed.moments.s1, self._append(summed, options))
        n: Linear = ()
        if any(self.measures[i].aggregate is Aggregate.AVG for i in cluster.measures):
            term = (
                Term(Sum.VALUES, cluster.where, cluster.arg)
                if cluster.nullable
                else Term(Sum.ROWS, cluster.where)
            )
            counted = self._direct(term)
            n = shifted(counted.moments.values, self._append(counted, options))
        return {
            i: Estimator(self.measures[i], n, s1, (), 0, used.step, used.lo, used.hi)
            for i in cluster.measures
        }

    def _alone(self, index: int, measure: Measure, options: _Starts) -> Estimator:
        option = self.alone(measure)
        return Estimator(measure, shifted(option.moments.values, self._append(option, options)))

    def alone(self, measure: Measure) -> Option:
        """A count of rows, values, distinct values or units in a cell of its own."""
        if measure.aggregate is Aggregate.COUNT_UNITS:
            return self._units(measure)
        if measure.aggregate is Aggregate.COUNT_DISTINCT:
            return self._direct(Term(Sum.DISTINCT, measure.where, measure.arg))
        counts_values = self._null(measure.arg, measure.where)
        return self._direct(
            Term(Sum.VALUES, measure.where, measure.arg) if counts_values else Term(Sum.ROWS, measure.where)
        )

    def _direct(self, term: Term) -> Option:
        rows = self.contribution.limit(self.question)
        return fam.direct(term, rows, self.contribution.bounding, "a unit owns at most so many rows")

    def _units(self, measure: Measure) -> Option:
        if self.contribution.rows == 1:
            return self._direct(Term(Sum.ROWS, measure.where))
        term = Term(Sum.UNITS, measure.where)
        if not self.question.keys:
            return fam.direct(term, 1, Bounding(), "a unit is counted once")
        top, rows = self.question.top, self.contribution.limit(self.question)
        if top is not None and top.count < rows:
            bounding = replace(self.contribution.bounding, rows=None)
            return fam.direct(term, top.count, bounding, "a unit is counted once in each chosen group")
        return self._direct(term)

    def _append(self, option: Option, options: _Starts) -> int:
        """Adds a family unless it is there already; returns the index of its first cell."""
        if option not in options:
            last = next(reversed(options), None)
            options[option] = 0 if last is None else options[last] + len(last.family.cells)
        return options[option]

    def error(self, assignment: _Assignment) -> float:
        """The least sum of relative variances that any split of one epsilon reaches."""
        return math.pow(sum(math.cbrt(c) for c in self._coefficients(assignment)), 3)

    def shares(self, assignment: _Assignment) -> tuple[Fraction, ...]:
        """The best split, rounded to thousandths; the shares add up to exactly 1."""
        roots = [math.cbrt(c) for c in self._coefficients(assignment)]
        whole = [max(1, round(_SHARES * r / sum(roots))) for r in roots]
        return tuple(Fraction(w, sum(whole)) for w in whole)

    def _coefficients(self, assignment: _Assignment) -> list[float]:
        """For each family, the variance it gives to the measures, each relative to the measure asked alone."""
        options = assignment.options
        places = [k for k, option in enumerate(options) for _ in option.family.cells]
        total = [0.0] * len(options)
        rows, grouped = self.contribution.rows, bool(self.question.keys)
        for at, estimator in enumerate(assignment.estimators):
            cluster = self._cluster_of.get(at)
            unit = unit_variance(estimator, cluster, rows, grouped)
            inside: dict[int, list[tuple[int, Fraction]]] = {}
            for cell, c in functional(estimator, cluster, rows):
                inside.setdefault(places[cell], []).append((cell, c))
            for k, wanted in inside.items():
                total[k] += float(squares(tuple(wanted)) * 2 * options[k].family.sensitivity ** 2 / unit)
        return [max(t, 1e-9) for t in total]
