"""Families over rows that exclude each other share one epsilon: every row spends it in one of them.

Where m rows of a unit are divided among families whose conditions exclude each other, a_k rows to family k, and a row
moves family k by at most w_k in L1, the noise of scale m w_k / epsilon loses at most a_k epsilon / m there, and at most
epsilon in all. So each family has the noise that it would have alone.

What stands under a wider condition can be *carved*: what is asked of all rows and of some is asked of those and of the
others, and added up. (McSherry 2009, Privacy Integrated Queries: parallel composition, here for rows.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction

from dpsql.algebra.expressions import Expr
from dpsql.plan.sums.assignments import Assignment
from dpsql.plan.sums.exclusive import Conditions
from dpsql.plan.sums.families import Option
from dpsql.plan.types import Bounding, Family, Grid, Linear, Sum
from dpsql.slotted import dataclass

_DISTINCT = frozenset({Sum.DISTINCT, Sum.DISTINCT_TOTAL, Sum.UNITS})


@dataclass(frozen=True, slots=True)
class Disjoint:
    """What is proven of the conditions of a question's measures."""

    conditions: Conditions
    _below: dict[Expr, frozenset[Expr]] = field(default_factory=dict, compare=False)

    def groups(self, options: Sequence[Option]) -> tuple[tuple[int, ...], ...]:
        """The places of the options, those together that exclude each other; the most sensitive first."""
        groups: list[list[int]] = []
        seen = _seen(options)
        for i in sorted(range(len(options)), key=lambda i: -options[i].family.sensitivity):
            near = (g for g in groups if seen[i] is not None and seen[g[0]] == seen[i])
            fits = (g for g in near if all(self._apart(options[i], options[j]) for j in g))
            group = next(fits, None)
            if group is None:
                groups.append([i])
            else:
                group.append(i)
        return tuple(tuple(sorted(group)) for group in sorted(groups, key=min))

    def _apart(self, one: Option, other: Option) -> bool:
        """Whether no row stands in both, where both see the same rows of a unit."""
        if self.conditions.exclude(one.where, other.where):
            return True
        return self._left_out(one, other) or self._left_out(other, one)

    def _left_out(self, one: Option, other: Option) -> bool:
        return any(self.conditions.imply(other.where, c) for c in one.without)

    def carved(self, assignment: Assignment) -> Assignment | None:
        """The assignment in which what holds the rows of others has the rest of its rows; None where nothing has."""
        options = assignment.options
        within = [self._within(i, options) for i in range(len(options))]
        inside = {i: narrower for i in range(len(options)) if (narrower := self._inside(i, options, within))}
        if not inside:
            return None
        first = _first_cells(options)
        parts = {i: _parts(i, inside) for i in inside}
        made = tuple(_without(o, [options[k] for k in inside.get(i, ())]) for i, o in enumerate(options))

        def spread(linear: Linear) -> Linear:
            return _spread(linear, first, parts, options)

        return replace(
            assignment, options=made, estimators=tuple(e.over(spread) for e in assignment.estimators)
        )

    def _within(self, at: int, options: Sequence[Option]) -> frozenset[int]:
        """The options of the same sums over some of the rows."""
        below = self._narrower(options[at].where)
        narrower = (i for i, o in enumerate(options) if o.where in below) if below else ()
        return frozenset(i for i in narrower if _alike(options[i], options[at]))

    def _inside(self, at: int, options: Sequence[Option], within: Sequence[frozenset[int]]) -> list[int]:
        """The largest options of the same sums over some of the rows, as many as exclude each other."""
        chosen: list[int] = []
        for i in sorted(within[at], key=lambda i: (-len(within[i]), i)):
            if all(self.conditions.exclude(options[i].where, options[j].where) for j in chosen):
                chosen.append(i)
        return chosen

    def _narrower(self, where: Expr) -> frozenset[Expr]:
        """The conditions that imply one, and are not implied by it."""
        if where not in self._below:
            imply, others = self.conditions.imply, self.conditions.beside(where)
            self._below[where] = frozenset(c for c in others if imply(c, where) and not imply(where, c))
        return self._below[where]


def _seen(options: Sequence[Option]) -> list[int | None]:
    """A number for the rows of a unit that an option sees, one for each way of bounding; None where it sees units, or
    a list of values: then half of the rows may move it as far as all of them.
    """
    numbers: dict[Bounding, int] = {}
    return [
        numbers.setdefault(o.bounding, len(numbers)) if o.by_rows and not _of_units(o) else None
        for o in options
    ]


def _of_units(option: Option) -> bool:
    return any(t.sum is Sum.UNITS for t in option.family.terms)


def _alike(one: Option, other: Option) -> bool:
    """Whether two options are the same sums, over different rows."""
    terms = [tuple(replace(t, where=one.where) for t in o.family.terms) for o in (one, other)]
    same = one.family.cells == other.family.cells and one.bounding == other.bounding
    return same and terms[0] == terms[1] and not any(t.sum in _DISTINCT for t in terms[0])


def _without(option: Option, inside: Sequence[Option]) -> Option:
    """The sums over the rows that stand in none of the others."""
    if not inside:
        return option
    family = option.family
    terms = tuple(t for o in (option, *inside) for t in o.family.terms)
    cells = tuple(
        (*cell, *(-c for o in inside for c in o.family.cells[i])) for i, cell in enumerate(family.cells)
    )
    because = f"{family.because}; without the rows that count elsewhere"
    made = replace(family, terms=terms, cells=cells, because=because)
    return replace(option, family=made, without=tuple(o.where for o in inside))


def _parts(at: int, inside: Mapping[int, Sequence[int]]) -> list[int]:
    """The options that an option is made of: its rest, and what others hold of it."""
    return [at, *(p for i in inside.get(at, ()) for p in _parts(i, inside))]


def _first_cells(options: Sequence[Option]) -> list[int]:
    starts = [0]
    for option in options:
        starts.append(starts[-1] + len(option.family.cells))
    return starts


def _spread(
    linear: Linear, first: Sequence[int], parts: Mapping[int, Sequence[int]], options: Sequence[Option]
) -> Linear:
    """A function of the cells over all rows as one of the cells of their parts."""
    places = [i for i, option in enumerate(options) for _ in option.family.cells]
    total: dict[int, Fraction] = {}
    for cell, c in linear:
        own = places[cell]
        for part in parts.get(own, (own,)):
            at = cell - first[own] + first[part]
            total[at] = total.get(at, Fraction(0)) + c
    return tuple(sorted(total.items()))


def joined(options: Sequence[Option], rows: int | None) -> Family:
    """Options that exclude each other as one family: with the width of each, where they differ.

    Under unit totals nothing has a width: what counts a value in one way or another reaches what the greater does.
    """
    terms = tuple(dict.fromkeys(t for o in options for t in o.family.terms))
    cells = []
    for o in options:
        for cell in o.family.cells:
            weights: dict[object, int] = {}
            for term, c in zip(o.family.terms, cell, strict=True):
                weights[term] = weights.get(term, 0) + c
            cells.append(tuple(weights.get(t, 0) for t in terms))
    reasons = tuple(dict.fromkeys(o.family.because.split(";")[0] for o in options))
    because = (
        f"no row counts in two of {len(options)} conditions that exclude each other: {', or '.join(reasons)}"
    )
    made = replace(options[0].family, terms=terms, cells=tuple(cells), because=because)
    if len({o.family.sensitivity for o in options}) == 1:
        return made
    if options[0].bounding.totals:
        return replace(made, sensitivity=_furthest([t.grid for t in terms if t.grid is not None]))
    assert rows is not None
    widths = tuple(o.family.sensitivity // rows for o in options for _ in o.family.cells)
    return replace(made, sensitivity=rows, widths=widths)


def _furthest(grids: Sequence[Grid]) -> int:
    """How far a unit moves sums that exclude each other: it may spend each of its totals in another one of them."""
    by_total = zip(*(g.reach for g in grids), strict=True)
    return sum(max(r.most for r in reach) for reach in by_total)
