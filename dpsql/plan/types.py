"""A plan: releases made of parts, each part one engine query whose exact integers meet one kind of mechanism.

Everything here is frozen and computed from the text and the policy alone. What parts are made of is in `cells`, and can
be had from here as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field, replace
from fractions import Fraction

from dpsql.algebra.expressions import Expr, LiteralValue
from dpsql.algebra.question import Measure, Question
from dpsql.plan.keys.numbering import most_alike
from dpsql.plan.sums.cells import SHARES as SHARES
from dpsql.plan.sums.cells import Blended as Blended
from dpsql.plan.sums.cells import Bounding as Bounding
from dpsql.plan.sums.cells import Family as Family
from dpsql.plan.sums.cells import Grid as Grid
from dpsql.plan.sums.cells import Linear as Linear
from dpsql.plan.sums.cells import Reach as Reach
from dpsql.plan.sums.cells import Sum as Sum
from dpsql.plan.sums.cells import Term as Term
from dpsql.plan.sums.cells import UnitTotal as UnitTotal
from dpsql.plan.sums.cells import blended as blended
from dpsql.plan.sums.cells import gaussian_event as gaussian_event
from dpsql.plan.sums.clipped import Clipping as Clipping
from dpsql.plan.sums.clipped import Histogram as Histogram
from dpsql.plan.sums.clipped import ScaledScores as ScaledScores
from dpsql.plan.sums.clipped import ScaledSums as ScaledSums
from dpsql.plan.sums.clipped import as_one
from dpsql.privacy import Cost, Event, Mechanism, Neighbours
from dpsql.slotted import dataclass

Key = tuple[LiteralValue, ...]


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums over groups, released with noise, family by family; Gaussian families share one event."""

    bounding: Bounding
    families: tuple[Family, ...]

    @property
    def noised(self) -> tuple[Family, ...]:
        """Every family that noise is drawn for."""
        return self.families

    @property
    def shown(self) -> tuple[Family, ...]:
        """The families of the cells of a group, with the law of their noise."""
        return self.families

    def rolled_up(self, kept: tuple[int, ...], groups: int) -> tuple[Family, ...]:
        """The families of the cells of so many groups added up, over the keys at the places kept."""
        del kept
        return tuple(blended(f, ((1.0, groups, f),)) for f in self.families)

    def side_by_side(self, copies: int, kept: tuple[int, ...] | None) -> Sums | None:
        """The cells of so many groups that are added up: families once for each, with noise of their own.

        `kept` are the places of the keys on which they agree, where they are all groups that do. None where the law of
        the sum is not known.
        """
        del kept
        families = (
            replace(f, because=f"{f.because}; group {i + 1} of {copies} that are added up")
            for i in range(copies)
            for f in self.families
        )
        return replace(self, families=tuple(families))

    @property
    def events(self) -> tuple[Event, ...]:
        """One event a family, and one for all Gaussian ones."""
        gaussian = tuple(f for f in self.noised if f.mechanism is Mechanism.DISCRETE_GAUSSIAN)
        others = tuple(f.event for f in self.noised if f not in gaussian)
        return (*others, gaussian_event(gaussian)) if gaussian else others


@dataclass(frozen=True, slots=True)
class Weights:
    """Groups are selected by the weights of their units, with Gaussian noise of `rho` and a threshold for `tail`."""

    rho: Fraction
    tail: Fraction
    neighbours: Neighbours


@dataclass(frozen=True, slots=True)
class Presence:
    """Private keys: which groups exist, by truncated geometric partition selection on their number of units.

    A unit touches up to `groups` groups. Where the numbers of units are asked for as well, they are `counted`: released
    with untruncated noise where that reaches the threshold; with `rows`, numbers of rows, of which a unit has at most
    so many in these groups. With `weights`, groups are selected by these instead; `groups` are then those of one unit,
    also where it may be replaced.
    """

    bounding: Bounding
    groups: int
    epsilon: Fraction
    delta: Fraction
    counted: bool = False
    weights: Weights | None = None
    rows: int | None = None

    @property
    def events(self) -> tuple[Event, ...]:
        """One event; of weights the noise, whatever it is for, and the delta of the threshold, which is reserved."""
        if self.weights is not None:
            rho, tail = self.weights.rho, self.weights.tail
            noise = Cost(self.epsilon, self.delta - tail)
            return (
                Event(Mechanism.DISCRETE_GAUSSIAN, 1, noise, 1 / (2 * rho)),
                Event(Mechanism.WEIGHTED_SELECTION, self.groups, Cost(Fraction(0), tail)),
            )
        mechanism = Mechanism.LAPLACE_THRESHOLDING if self.counted else Mechanism.TRUNCATED_GEOMETRIC
        return (Event(mechanism, self.sensitivity, Cost(self.epsilon, self.delta)),)

    @property
    def sensitivity(self) -> int:
        """How far a unit moves the numbers of units, or of rows, in all groups together."""
        return self.groups if self.rows is None else self.rows

    @property
    def term(self) -> Term:
        """What is counted in each group."""
        return Term(Sum.UNITS if self.rows is None else Sum.ROWS)

    @property
    def families(self) -> tuple[Family, ...]:
        """The law of the numbers of units or rows, where they are counted."""
        why = (
            "a unit touches at most so many groups"
            if self.rows is None
            else "a unit has at most so many rows"
        )
        law = Family((self.term,), ((1,),), self.sensitivity, self.epsilon, why)
        return (law,) if self.counted else ()


@dataclass(frozen=True, slots=True)
class Scores:
    """`count` groups chosen one after another by the score `term`, the greatest or the least; no score is released.

    `score_range` is D_R: between neighbours, the changes of two scores differ by at most this much. Each choice, by
    permute-and-flip or by the exponential mechanism, has the same share of `epsilon`.
    """

    bounding: Bounding
    term: Term
    descending: bool
    score_range: int
    epsilon: Fraction
    count: int = 1
    mechanism: Mechanism = Mechanism.PERMUTE_AND_FLIP

    @property
    def each(self) -> Fraction:
        """The epsilon of one choice."""
        return self.epsilon / self.count

    @property
    def events(self) -> tuple[Event, ...]:
        """One event a choice: of what is left after the choices before, which are public."""
        return (Event(self.mechanism, self.score_range, Cost(self.each)),) * self.count


@dataclass(frozen=True, slots=True)
class LocalColumn:
    """One response of every row, by a local mechanism with `epsilon`: to which of `values` the row has."""

    mechanism: Mechanism
    values: tuple[LiteralValue, ...]
    epsilon: Fraction

    @property
    def event(self) -> Event:
        """What the responses are charged as: of a replaced unit one row is another."""
        return Event(self.mechanism, 1, Cost(self.epsilon))


@dataclass(frozen=True, slots=True)
class Local:
    """Row by row: responses to the values of the keys, in random order; how many rows there are is public."""

    bounding: Bounding
    columns: tuple[LocalColumn, ...]

    @property
    def events(self) -> tuple[Event, ...]:
        """One event a response: the epsilons of a row add up."""
        return tuple(c.event for c in self.columns)


@dataclass(frozen=True, slots=True)
class Bins:
    """Cells of a grid for counting values, from the policy alone: all of `width` grid integers, counted from lo.

    With `bits`, which needs lo >= 0, a cell holds instead the integers that agree in their first so many binary digits.
    For a date the grid counts days since 1970-01-01, for a timestamp microseconds.
    """

    grid: Grid
    width: int = 1
    bits: int | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """An order statistic: the q-quantile for `level` q, or the `inside`-th value from the least (0) or greatest (1).

    `score_range` is D_R in the steps of the score, of which b are a rank for q = a / b, and 2 for level 0 and 1.
    """

    level: Fraction
    inside: int
    score_range: int
    epsilon: Fraction

    @property
    def event(self) -> Event:
        """What the choice is charged as, for all groups together."""
        return Event(Mechanism.EXPONENTIAL, self.score_range, Cost(self.epsilon))


@dataclass(frozen=True, slots=True)
class Ranks:
    """Order statistics of one argument over the rows for which `where` is true, from one count of its bins."""

    bounding: Bounding
    bins: Bins
    where: Expr
    targets: tuple[Target, ...]

    @property
    def events(self) -> tuple[Event, ...]:
        """One event a statistic."""
        return tuple(t.event for t in self.targets)


@dataclass(frozen=True, slots=True)
class Modes:
    """In each group one of `values`, by how many of the rows for which `where` is true have it as their `arg`.

    The first of the values is what is said over no rows, and counts as such; `score_range` is D_R.
    """

    bounding: Bounding
    arg: Expr
    where: Expr
    values: tuple[LiteralValue, ...]
    score_range: int
    epsilon: Fraction

    @property
    def events(self) -> tuple[Event, ...]:
        """One event, for all groups together."""
        return (Event(Mechanism.EXPONENTIAL, self.score_range, Cost(self.epsilon)),)


Part = Sums | Histogram | ScaledSums | ScaledScores | Presence | Scores | Local | Ranks | Modes


def events_of(parts: Sequence[Part]) -> tuple[Event, ...]:
    """What parts of one release are charged as: those of each, and one for Gaussian noise of limits that are found."""
    events = [e for p in parts if isinstance(p, Histogram | ScaledSums) for e in p.events]
    gaussian = [e for e in events if e.variance is not None]
    if not gaussian:
        return tuple(e for p in parts for e in p.events)
    others = tuple(e for p in parts if not isinstance(p, Histogram | ScaledSums) for e in p.events)
    return (*others, *(e for e in events if e.variance is None), *as_one(gaussian))


@dataclass(frozen=True, slots=True)
class Second:
    """What an estimator of two columns holds of the second one.

    s1 and s2 estimate the sums of s' and s'**2, `product` that of s s', where s' = (value / step) - low. The values
    lie in [step * low, step * high].
    """

    s1: Linear
    s2: Linear
    product: Linear
    step: Fraction
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Estimator:
    """How a measure is computed from the noisy cells of a group.

    n estimates the number of values, s1 and s2 the sums of s and s**2, where s = (value / step) - lo. The
    values lie in [step * low, step * high]. `second` is there for measures of two columns. An order statistic is the
    one cell of n: 0 for NULL, else 1 + (value / step) - lo; a choice out of `values` is its place among them.
    """

    measure: Measure
    n: Linear = ()
    s1: Linear = ()
    s2: Linear = ()
    lo: int = 0
    step: Fraction = Fraction(1)
    low: int = 0
    high: int = 0
    second: Second | None = None
    values: tuple[LiteralValue, ...] = ()

    def functionals(self) -> tuple[Linear, ...]:
        """Every linear function of the cells that the measure is computed from."""
        x = self.second
        return (self.n, self.s1, self.s2, *((x.s1, x.s2, x.product) if x is not None else ()))

    def over(self, at: Callable[[Linear], Linear]) -> Estimator:
        """The same estimator with every linear function of the cells written over other cells."""
        x = self.second
        if x is not None:
            x = replace(x, s1=at(x.s1), s2=at(x.s2), product=at(x.product))
        return replace(self, n=at(self.n), s1=at(self.s1), s2=at(self.s2), second=x)


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of a release: their expressions, their declared types, and every group where the domain is public.

    `domain` is None for private keys, and holds one empty key where there is no GROUP BY. A local release has no
    groups: its keys are what rows respond to, and `domain` is empty.
    """

    exprs: tuple[Expr, ...]
    types: tuple[str, ...]
    domain: tuple[Key, ...] | None
    _most: dict[tuple[int, ...], int] = field(default_factory=dict, init=False, repr=False, compare=False)

    def never_null(self) -> tuple[int, ...]:
        """The places of the keys that are NULL in no group of the domain: rows where they are belong to none."""
        domain = self.domain
        if domain is None:
            return ()
        return tuple(i for i in range(len(self.exprs)) if all(key[i] is not None for key in domain))

    def most_alike(self, kept: tuple[int, ...]) -> int:
        """The most groups of the domain that agree on the keys kept; 1 without a domain."""
        if kept not in self._most:
            self._most[kept] = most_alike(self.domain or (), kept)
        return self._most[kept]


@dataclass(frozen=True, slots=True)
class Release:
    """One noisy table: a question, its keys, the parts that answer it and how its measures come out of them."""

    question: Question
    keys: Keys
    parts: tuple[Part, ...]
    estimators: tuple[Estimator, ...]

    @property
    def events(self) -> tuple[Event, ...]:
        """What the release is charged as."""
        return events_of(self.parts)

    @property
    def families(self) -> tuple[Family, ...]:
        """Every family, in the order of its cells, with the law of their noise."""
        parts = (p for p in self.parts if isinstance(p, Presence | Sums | ScaledSums))
        return tuple(f for p in parts for f in (p.shown if isinstance(p, Sums) else p.families))

    @property
    def local(self) -> Local | None:
        """The only part of a release row by row, or None."""
        return next((p for p in self.parts if isinstance(p, Local)), None)


@dataclass(frozen=True, slots=True)
class Plan:
    """The releases of a query, in order, and the SQL that finishes their answers."""

    releases: tuple[Release, ...]
    public_query: str
