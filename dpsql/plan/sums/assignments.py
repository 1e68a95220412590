"""Assignments of measures to families: which exact sums are released, and how each measure comes out of them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import prod

from dpsql.algebra.alike_rows import most_values
from dpsql.algebra.catalog import Catalog
from dpsql.algebra.expressions import Expr
from dpsql.algebra.question import SECOND_MOMENTS, Aggregate, Measure, Question
from dpsql.algebra.shape import Shape
from dpsql.plan.contribution import Contribution
from dpsql.plan.sums import families as fam
from dpsql.plan.sums.cases import under_condition, with_their_shares
from dpsql.plan.sums.clusters import Cluster, clusters, null_in, settled
from dpsql.plan.sums.distinct_sums import distinct_sum, summed_values
from dpsql.plan.sums.families import Option, combined, shifted
from dpsql.plan.sums.grids import grid
from dpsql.plan.types import Bounding, Estimator, Linear, Second, Sum, Term
from dpsql.slotted import dataclass

_COUNTS = frozenset({Aggregate.COUNT_ROWS, Aggregate.COUNT})
# So many assignments are all compared; among more, a search changes one choice at a time, in so many rounds. Its work
# grows with the cube of the number of choices, and planning is free for whoever asks: of more choices none is changed.
_FEW = 24
_ROUNDS = 2
_SEARCHED = 48
# How a cluster is released; a number is the cluster of two columns whose sums serve it as well.
_Form = str | int
_JOINT = "joint"
# The families of an assignment in order, by identity, each with the index of its first cell.
_Starts = dict[int, tuple[Option, int]]


@dataclass(frozen=True, slots=True)
class Assignment:
    """Families and, for each measure, the estimator over the cells of all families.

    With `cells`, counts and sums are families of one cell each.
    """

    options: tuple[Option, ...]
    estimators: tuple[Estimator, ...]
    cells: bool = False


def _serves(joint: Cluster, one: Cluster) -> bool:
    return joint.x is not None and joint.where == one.where and one.arg in (joint.arg, joint.x.arg)


class Assignments:
    """The families that can answer the measures of one question."""

    def __init__(
        self, question: Question, shape: Shape, catalog: Catalog, contribution: Contribution
    ) -> None:
        self.question = question
        self.facts = shape.facts()
        self.shape = shape
        self.catalog = catalog
        self.contribution = contribution
        each = [under_condition(settled(m, self.facts)) for m in question.measures]
        self.settled = with_their_shares(each)
        self.measures = tuple(s.measure for s in self.settled)
        self.clusters = clusters(self.measures, shape, catalog, totals=not contribution.scaled)
        self._made: dict[tuple[object, ...], Option] = {}
        self._options: dict[Option, Option] = {}
        self._cluster_of = {i: c for c in self.clusters for i in c.measures}

    def best(self, error: Callable[[Assignment], float]) -> Iterator[Assignment]:
        """The assignments worth a comparison: all where they are few, else one that no single change improves.

        Then those of one cell for each count and each sum, which a vector mechanism noises together.
        """
        forms = [self._forms(c) for c in self.clusters]
        counts = [i for i, m in enumerate(self.measures) if m.aggregate in _COUNTS]
        choices: list[list[_Form | None]] = [
            *(list[_Form | None](f) for f in forms),
            *(list[_Form | None](self._sources(self.measures[i])) for i in counts),
        ]
        if prod(map(len, choices)) <= _FEW:
            yield from (a for c in itertools.product(*choices) if (a := self._built(c, counts)) is not None)
        else:
            yield self._descended(choices, counts, error)
        yield from self._cells(counts)

    def _built(self, chosen: Sequence[_Form | None], counts: list[int]) -> Assignment | None:
        forms, served = chosen[: len(self.clusters)], chosen[len(self.clusters) :]
        return self._build(tuple(forms), dict(zip(counts, served, strict=True)))

    def _descended(
        self, choices: list[list[_Form | None]], counts: list[int], error: Callable[[Assignment], float]
    ) -> Assignment:
        """Begins with what serves every measure, and changes one choice at a time while that helps."""
        chosen = [c[-1] for c in choices]
        assignment = self._built(chosen, counts)
        assert assignment is not None
        if len(choices) > _SEARCHED:
            return assignment
        least = error(assignment)
        unchanged = 0
        for at, options in itertools.islice(itertools.cycle(enumerate(choices)), _ROUNDS * len(choices)):
            unchanged += 1
            for option in options:
                if option == chosen[at]:
                    continue
                tried = self._built([*chosen[:at], option, *chosen[at + 1 :]], counts)
                if tried is not None and (now := error(tried)) < least:
                    chosen[at], assignment, least, unchanged = option, tried, now, 0
            if unchanged == len(choices):
                break
        return assignment

    def _cells(self, counts: list[int]) -> Iterator[Assignment]:
        """One cell for each count and sum: sums centred in their range, and sums as they are where no count is
        needed."""
        single = [c for c in self.clusters if self._forms(c)[-1] == "pair"]
        if self.contribution.rows is None or len(single) + len(counts) < 2:
            return
        for plain in (False, True):
            forms = [self._cell_form(c, plain) for c in self.clusters]
            assignment = self._build(tuple(forms), dict.fromkeys(counts))
            assert assignment is not None
            yield replace(assignment, cells=True)
            if "sum" not in forms and not plain:
                averaged = {a for c in single for a in self._requested(c)}
                if Aggregate.SUM not in averaged:
                    return

    def _cell_form(self, cluster: Cluster, plain: bool) -> _Form:
        form = self._forms(cluster)[-1]
        if form != "pair":
            return form
        return "sum" if plain and self._requested(cluster) == {Aggregate.SUM} else "centred"

    def _requested(self, cluster: Cluster) -> set[Aggregate]:
        return {self.measures[i].aggregate for i in cluster.measures}

    def _forms(self, cluster: Cluster) -> list[_Form]:
        """The ways to release a cluster; the last is the one that serves every measure."""
        if cluster.x is not None:
            return [_JOINT]
        requested = self._requested(cluster)
        served: list[_Form] = [k for k, c in enumerate(self.clusters) if _serves(c, cluster)]
        if requested & SECOND_MOMENTS:
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

    def _build(
        self, forms: tuple[_Form | None, ...], served: Mapping[int, _Form | None]
    ) -> Assignment | None:
        """The assignment of these choices, or None where a count is to come from a family that has none."""
        options: _Starts = {}
        estimators: dict[int, Estimator] = {}
        for k, (cluster, form) in enumerate(zip(self.clusters, forms, strict=True)):
            asking = [i for i, source in served.items() if source == k]
            if asking and form not in ("pair", "triple", _JOINT):
                return None
            if form == _JOINT:
                inside = [c for c, f in zip(self.clusters, forms, strict=True) if f == k]
                estimators |= self._release_joint(cluster, inside, asking, options)
            elif isinstance(form, str):
                estimators |= self._release_cluster(cluster, form, asking, options)
        for i, measure in enumerate(self.measures):
            if i not in estimators:
                estimators[i] = self._alone(measure, options)
        return Assignment(
            tuple(o for o, _ in options.values()), tuple(estimators[i] for i in range(len(self.measures)))
        )

    def _release_cluster(
        self, cluster: Cluster, form: str, asking: list[int], options: _Starts
    ) -> dict[int, Estimator]:
        if form in ("sum", "total"):
            return self._separate(cluster, form, options)
        if form == "centred":
            return self._centred(cluster, options)
        rows, bounding = self.contribution.limit(self.question), self.contribution.bounding
        by_rows = [i for i in asking if not self._null(self.measures[i].arg, cluster.where)]
        build = fam.triple if form == "triple" else fam.pair
        null, with_null = cluster.nullable, cluster.nullable and bool(by_rows)
        option = self._known(
            (form, id(cluster), with_null),
            lambda: build(cluster.grid, cluster.where, rows, bounding, null, with_null),
        )
        start = self._append(option, options)
        m = option.moments
        estimators = {}
        for i in cluster.measures:
            parts = shifted(m.values, start), shifted(m.s1, start), shifted(m.s2, start)
            g = cluster.grid
            estimators[i] = Estimator(self.measures[i], *parts, g.lo, g.step, g.lo, g.hi)
        for i in asking:
            counted = m.rows if i in by_rows else m.values
            estimators[i] = Estimator(self.measures[i], shifted(counted, start))
        return estimators

    def _release_joint(
        self, cluster: Cluster, inside: list[Cluster], asking: list[int], options: _Starts
    ) -> dict[int, Estimator]:
        """The products of two columns, which also serve the clusters of one of them that are `inside`."""
        y, x = cluster.grid, cluster.x
        assert x is not None
        rows, bounding = self.contribution.limit(self.question), self.contribution.bounding
        degrees = self._degrees(cluster, inside)
        option = self._known(
            (_JOINT, id(cluster), degrees), lambda: fam.joint(y, x, cluster.where, rows, bounding, degrees)
        )
        start, m = self._append(option, options), option.moments
        n, s1, s2 = (shifted(part, start) for part in (m.values, m.s1, m.s2))
        x1, x2, both = (shifted(part, start) for part in (m.x1, m.x2, m.product))
        second = Second(x1, x2, both, x.step, x.lo, x.hi)
        estimators = {i: Estimator(self.measures[i], n) for i in asking}
        for i in cluster.measures:
            estimators[i] = Estimator(self.measures[i], n, s1, s2, y.lo, y.step, y.lo, y.hi, second)
        for one in inside:
            g, *sums = (y, s1, s2) if one.arg == y.arg else (x, x1, x2)
            for i in one.measures:
                estimators[i] = Estimator(self.measures[i], n, sums[0], sums[1], g.lo, g.step, g.lo, g.hi)
        return estimators

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
            used, bounding = cluster.total, Bounding(totals=cluster.capped)
        summed = self._known(
            (form, id(cluster)), lambda: fam.direct_sum(used, cluster.where, self.contribution.rows, bounding)
        )
        s1 = shifted(summed.moments.s1, self._append(summed, options))
        n: Linear = ()
        if Aggregate.AVG in self._requested(cluster):
            n = self._counted(cluster, options)
        return {
            i: Estimator(self.measures[i], n, s1, (), 0, used.step, used.lo, used.hi)
            for i in cluster.measures
        }

    def _centred(self, cluster: Cluster, options: _Starts) -> dict[int, Estimator]:
        """A sum centred in its range, C, and the count n of its values: s1 = (C + w n) / 2."""
        rows, bounding, g = self.contribution.limit(self.question), self.contribution.bounding, cluster.grid
        n = self._counted(cluster, options)
        option = self._known(
            ("centred", id(cluster)), lambda: fam.centred(g, cluster.where, rows, bounding, cluster.nullable)
        )
        half = shifted(option.moments.s1, self._append(option, options))
        s1 = combined((Fraction(1), half), (Fraction(g.width, 2), n))
        return {i: Estimator(self.measures[i], n, s1, (), g.lo, g.step, g.lo, g.hi) for i in cluster.measures}

    def _counted(self, cluster: Cluster, options: _Starts) -> Linear:
        """The number of a cluster's values, in a cell of its own."""
        term = (
            Term(Sum.VALUES, cluster.where, cluster.arg)
            if cluster.nullable
            else Term(Sum.ROWS, cluster.where)
        )
        counted = self._known(("count", id(cluster)), lambda: self._direct(term))
        return shifted(counted.moments.values, self._append(counted, options))

    def _alone(self, measure: Measure, options: _Starts) -> Estimator:
        option = self.known_alone(measure)
        return Estimator(measure, shifted(option.moments.values, self._append(option, options)))

    def known_alone(self, measure: Measure) -> Option:
        """The same option whenever it is asked for."""
        return self._known(("alone", measure), lambda: self.alone(measure))

    def alone(self, measure: Measure) -> Option:
        """A count of rows, values, distinct values or units in a cell of its own, or a sum of distinct values."""
        if measure.aggregate is Aggregate.COUNT_UNITS:
            return self._units(measure)
        if measure.aggregate is Aggregate.COUNT_DISTINCT:
            return self._distinct(measure)
        if measure.aggregate is Aggregate.SUM_DISTINCT:
            on = grid(measure, self.shape, self.catalog)
            values = summed_values(on, self._values(on.arg), self.shape, self.catalog)
            return distinct_sum(values, measure.where, self.contribution, self.question, self._shown)
        counts_values = self._null(measure.arg, measure.where)
        return self._direct(
            Term(Sum.VALUES, measure.where, measure.arg) if counts_values else Term(Sum.ROWS, measure.where)
        )

    def _direct(self, term: Term) -> Option:
        rows = self.contribution.limit(self.question)
        return fam.direct(term, rows, self.contribution.bounding, "a unit owns at most so many rows")

    def _units(self, measure: Measure) -> Option:
        term = Term(Sum.UNITS, measure.where)
        if self.contribution.scaled:
            return self._direct(term)
        if self.contribution.rows == 1:
            return self._direct(Term(Sum.ROWS, measure.where))
        return replace(self._counted_units(term), within=self._shown)

    def _counted_units(self, term: Term) -> Option:
        if not self.question.keys:
            return fam.direct(term, 1, Bounding(), "a unit is counted once")
        top, limits = self.question.top, self.contribution
        most = limits.most_groups(self.question)
        if top is not None and top.count < most:
            bounding = replace(limits.bounding, rows=None)
            return fam.direct(term, top.count, bounding, "a unit is counted once in each chosen group")
        if limits.over_all_rows:
            each = "a unit is counted once in each of all groups"
            because = "all rows of a unit are in one group" if limits.together else each
            return replace(fam.direct(term, most, limits.counted_bounding, because), by_rows=False)
        if limits.groups is None:
            return self._direct(term)
        return fam.direct(term, most, limits.counted_bounding, "a unit is counted in at most so many groups")

    def _distinct(self, measure: Measure) -> Option:
        """Distinct values: a unit changes no more of them than it has rows, and in a group no more than there are."""
        assert measure.arg is not None
        term, limits = Term(Sum.DISTINCT, measure.where, measure.arg), self.contribution
        values = self._values(measure.arg)
        groups = limits.in_any_case
        if values is None or groups is None:
            return self._direct(term)
        values, shown = max(values, 1), self._shown
        most = values * (groups if shown is None else min(groups, shown))
        within = None if shown is None else values * shown
        if limits.rows is not None and limits.rows <= most:
            return replace(self._direct(term), within=within)
        bounding = Bounding(table_cap=limits.bounding.table_cap)
        made = fam.direct(term, most, bounding, f"there are {values} values, in each of a unit's groups")
        return replace(made, within=within, by_rows=False)

    def _values(self, arg: Expr) -> int | None:
        return most_values(arg, {s.index: s for s in self.shape.scans}, self.facts, self.catalog)

    @property
    def _shown(self) -> int | None:
        """How many groups are shown at most, as far as it is known."""
        top, cells = self.question.top, 1 if not self.question.keys else self.contribution.cells
        return min(
            (n for n in (cells, top.count if top is not None else None) if n is not None), default=None
        )

    def _append(self, option: Option, options: _Starts) -> int:
        """Adds a family unless it is there already; returns the index of its first cell."""
        if id(option) not in options:
            last = next(reversed(options.values()), None)
            start = 0 if last is None else last[1] + len(last[0].family.cells)
            options[id(option)] = option, start
        return options[id(option)][1]

    def _known(self, key: tuple[object, ...], make: Callable[[], Option]) -> Option:
        """One object for equal options, made once for each key."""
        if key not in self._made:
            made = make()
            self._made[key] = self._options.setdefault(made, made)
        return self._made[key]
