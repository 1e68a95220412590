"""The grouped sums of one side of a query: every row expression written once, every aggregate an exact integer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field, replace
from fractions import Fraction

from dpsql.algebra.expressions import TRUE, Column, Expr
from dpsql.algebra.facts import Facts
from dpsql.algebra.functions import emit
from dpsql.engines.base import part_of_units
from dpsql.engines.sqlgen.cell_starts import bin_start, bin_value
from dpsql.engines.sqlgen.grid import clipped, grid_sql, is_inside
from dpsql.engines.sqlgen.inherited_totals import Inherited
from dpsql.engines.sqlgen.relation import FromWhere, grid_of
from dpsql.engines.sqlgen.unit_aggregates import UNIT, one_zero
from dpsql.engines.sqlgen.unit_sets import Ends
from dpsql.plan.types import Bins, Grid, Sum, Term, UnitTotal
from dpsql.slotted import dataclass

_PARTS = 4


@dataclass(frozen=True, slots=True)
class Side:
    """Rows to add up: their FROM and WHERE, how columns are referred to there, and the name of the unit.

    Where columns have unit totals, `totals` are their integers. What is to be taken off again for one of them, at place
    `at`, has `whole` and `off` instead: its integer, and what is clipped off that. With `beyond`, the rows to count are
    those that a unit has beyond so many. `big`: its rows are of units that are too big to be listed whole. With
    `behind`, what counts is what the rows of each unit behind the first so many by their `place` add up to.
    `grids`: the columns whose integers are stored beside them, each with the step. Sides that differ in their rows
    alone are equal.
    """

    source: FromWhere = field(compare=False)
    reference: Callable[[Column], str]
    unit: str
    totals: tuple[str, ...] = ()
    at: int = 0
    whole: str = ""
    off: str = ""
    beyond: int | None = None
    big: bool = field(default=False, compare=False)
    behind: int | None = None
    place: str = ""
    grids: frozenset[tuple[Column, Fraction]] = frozenset()

    def parts(self) -> Iterator[Side]:
        """The same rows in parts, each of some of the units; of rows without a condition alone."""
        for at in range(_PARTS):
            units = part_of_units(self.unit, at, _PARTS)
            yield replace(self, source=replace(self.source, sql=f"{self.source.sql} WHERE {units}"))


@dataclass(slots=True)
class _Inputs:
    """Row expressions that the aggregates read, each written once, named v0, v1, ..."""

    written: dict[str, str] = field(default_factory=dict)

    def name(self, sql: str) -> str:
        return self.written.setdefault(sql, f"v{len(self.written)}")


def aggregated(
    keys: tuple[Expr, ...],
    terms: tuple[Term, ...],
    base: Facts,
    side: Side,
    totals: tuple[UnitTotal, ...],
    bins: Bins | None = None,
    by_unit: bool = False,
    only: str = "",
    over_keys: bool = False,
    once: bool = False,
    ends: Ends | None = None,
) -> str:
    """SELECT k0, ..., g0, ...: one integer for each term and group; one row where there are no keys.

    With `bins` the beginning of a value's cell is one more key, the last; with `by_unit` the unit is one, the first.
    `only` stands behind the rows, which are r; with `over_keys` it alone reads the keys.
    With `once` what matters is whether a unit has rows in a group: where all are counted, each of them says so.
    With `ends` units are counted by sets of bits.
    """
    writer = _Aggregates(base, side, totals, ends=ends)
    said = once and by_unit and all(t == Term(Sum.ROWS) for t in terms)
    sums = [f"{'1' if said else writer.term(t)} AS g{i}" for i, t in enumerate(terms)]
    cells = [] if bins is None else [f"{writer.cell(bins)} AS k{len(keys)}"]
    inner = [f"{one_zero(k, emit(k, base, side.reference))} AS k{i}" for i, k in enumerate(keys)]
    inner += [f"{sql} AS {name}" for sql, name in writer.inputs.written.items()]
    names = [] if over_keys else [f"k{i}" for i in range(len(keys))]
    grouped = [f"k{i}" for i in range(len(names) + len(cells))]
    if by_unit:
        inner, names, grouped = [f"{side.unit} AS {UNIT}", *inner], [UNIT, *names], [UNIT, *grouped]
    group = f" GROUP BY {', '.join(grouped)}" if grouped and not said else ""
    if not inner and not only:  # nothing is read but how many rows there are
        return f"SELECT {', '.join(sums)} {side.source.sql}"
    rows = f"SELECT {', '.join(inner or ['1'])} {side.source.sql}"
    rows = f"SELECT * FROM ({rows}) AS r {only}" if only else rows
    return f"SELECT {', '.join(names + cells + sums)} FROM ({rows}){group}"


def counted_beyond(terms: int, side: Side) -> str:
    """SELECT g0, ...: for each of the terms how many rows all units together have beyond `side.beyond` each."""
    assert side.beyond is not None
    counts = f"SELECT count(*) AS n {side.source.sql} GROUP BY {side.unit} HAVING count(*) > {side.beyond}"
    every = ", ".join(f"coalesce(sum(n - {side.beyond}), 0) AS g{i}" for i in range(terms))
    return f"SELECT {every} FROM ({counts})"


def summed_behind(terms: tuple[Term, ...], base: Facts, side: Side) -> str:
    """SELECT g0, ...: for each term what the rows of all units behind their first `side.behind` add up to.

    The rows are read once, and no more than `side.behind` integers of a unit are held for each term.
    """
    writer = _Aggregates(base, side, ())
    added = [writer.added(t) for t in terms]
    unit, place = writer.inputs.name(side.unit), writer.inputs.name(side.place)
    inner = ", ".join(f"{sql} AS {name}" for sql, name in writer.inputs.written.items())
    first = (f"list_sum(arg_min({a}, {place}, {side.behind}))" for a in added)
    behind = (f"sum({a}) - {f} AS d{i}" for i, (a, f) in enumerate(zip(added, first, strict=True)))
    units = f"SELECT {', '.join(behind)} FROM (SELECT {inner} {side.source.sql}) GROUP BY {unit}"
    sums = ", ".join(f"coalesce(sum(d{i}), 0) AS g{i}" for i in range(len(terms)))
    return f"SELECT {sums} FROM ({units})"


@dataclass(frozen=True, slots=True)
class _Aggregates:
    base: Facts
    side: Side
    totals: tuple[UnitTotal, ...]
    inputs: _Inputs = field(default_factory=_Inputs)
    ends: Ends | None = None

    def cell(self, bins: Bins) -> str:
        """Where the cell of a value begins."""
        return bin_start(self.inputs.name(bin_value(bins, self.base, self.side.reference)), bins)

    def term(self, term: Term) -> str:
        condition = self.inputs.name(self._emitted(term.where)) if term.where != TRUE else ""
        only = f" FILTER (WHERE {condition})" if condition else ""
        if term.sum is Sum.ROWS:
            return f"count(*){only}"
        if term.sum is Sum.UNITS:
            unit = self.inputs.name(self.side.unit)
            return (
                f"count(DISTINCT {unit}){only}" if self.ends is None else self.ends.counted(unit, condition)
            )
        assert term.arg is not None
        if term.sum in (Sum.VALUES, Sum.DISTINCT):
            word = "DISTINCT " if term.sum is Sum.DISTINCT else ""
            value = self.inputs.name(self._emitted(term.arg))
            return f"count({word}{value}){only}"
        grid = term.grid
        if term.sum is Sum.SHIFTED and grid is not None and not grid.reach:
            return self._sum_above(grid, only)
        word = "DISTINCT " if term.sum is Sum.DISTINCT_TOTAL else ""
        return f"coalesce(sum({word}{self._summand(term)}){only}, 0)"

    def _sum_above(self, grid: Grid, only: str) -> str:
        """What values are above the lower end, in all: taken off the sum once, not off every row."""
        value = self._clipped(grid)
        every = f"coalesce(sum({value}){only}, 0)"
        if not grid.lo:
            return every
        counted = value if self.base.of(grid.arg).nullable else "*"
        return f"{every} - ({grid.lo})::HUGEINT * count({counted}){only}"

    def added(self, term: Term) -> str:
        """The integer that a row adds to an additive term: never NULL."""
        if term.sum is Sum.ROWS:
            value = "1"
        elif term.sum is Sum.VALUES:
            assert term.arg is not None
            value = f"CASE WHEN {self.inputs.name(self._emitted(term.arg))} IS NOT NULL THEN 1 END"
        else:
            value = self._summand(term)
        if term.where != TRUE:
            value = f"CASE WHEN {self.inputs.name(self._emitted(term.where))} THEN {value} END"
        present = term.where == TRUE and not any(self.base.of(e).nullable for e in term.reads)
        return value if present else f"coalesce({value}, 0)"

    def _summand(self, term: Term) -> str:
        grid = term.grid
        assert grid is not None
        if grid.reach:
            return self._under_total(grid)
        if term.sum in (Sum.TOTAL, Sum.DISTINCT_TOTAL):
            return self._clipped(grid)
        s = self._shifted(grid)
        if term.sum is Sum.PRODUCT:
            assert term.other is not None
            i, j = term.powers
            return " * ".join([s] * i + [self._shifted(term.other)] * j)
        assert term.sum in (Sum.SHIFTED, Sum.SQUARES)
        return s if term.sum is Sum.SHIFTED else f"{s} * {s}"

    def _under_total(self, grid: Grid) -> str:
        """The value over the clipped column, or what clipping has taken off it."""
        nullable, side = self.base.of(grid.arg).nullable, self.side
        value = Inherited(grid, self.totals, self._emitted, self.inputs.name, nullable)
        return value.taken_off(side.at, side.whole, side.off) if side.whole else value.of(side.totals)

    def _emitted(self, expr: Expr) -> str:
        return emit(expr, self.base, self.side.reference)

    def _shifted(self, grid: Grid) -> str:
        return f"({self._clipped(grid)} - ({grid.lo}))" if grid.lo else self._clipped(grid)

    def _clipped(self, grid: Grid) -> str:
        value = self.inputs.name(self._integer(grid))
        return value if is_inside(grid, self.base) else clipped(value, grid)

    def _integer(self, grid: Grid) -> str:
        """The grid integer of a value, before clipping, as it is stored or computed."""
        column = grid.arg
        if isinstance(column, Column) and (column, grid.step) in self.side.grids:
            return self.side.reference(replace(column, name=grid_of(column.name)))
        return grid_sql(grid, self.base, self.side.reference)
