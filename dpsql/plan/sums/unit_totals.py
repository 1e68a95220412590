"""Sums under a unit total: which arguments inherit it from a column, and how much of it a unit can reach there.

Let k be the column's integer in a row, clipped to what is left of its unit's total, so that |k| of a unit add up to at
most L. An argument that is x * f in every row stands for x = k: the integer nearest to k * f on its own grid, clipped
to at most floor(s |k|) in size. *Because* the sum of floor(s |k|) over any rows of a unit is at most floor(s L), that
is what a unit's values add up to, whatever f is and however products are rounded. s, the share, is the least multiple
of 1 / 1024 that no |f| exceeds, counted in steps of both grids: it is chosen so that nothing else is clipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from dpsql.algebra.catalog import Catalog
from dpsql.algebra.expressions import Call, Column, Expr, Literal, columns_of
from dpsql.algebra.functions import Mistyped, apply
from dpsql.algebra.per_unit_facts import power_of_two
from dpsql.algebra.question import Measure
from dpsql.algebra.relations import Scan
from dpsql.algebra.shape import Shape
from dpsql.algebra.types import SqlType
from dpsql.plan.sums.grids import column_policy, column_step, nearest
from dpsql.plan.types import SHARES, Grid, Reach, UnitTotal
from dpsql.slotted import dataclass

ONE = Literal(1, SqlType.INTEGER)
_DEEPEST = 40
_EXACT = 2**53
_LARGEST = 2**62
_FINEST = 2**60
_RESOLUTION = Fraction(2**20)


def factor(arg: Expr, column: Column) -> Expr | None:
    """f where `arg` is `column` times f in every row, but for a 0 in the place of a NULL; None where none is known."""
    if arg.depth > _DEEPEST:
        return None
    try:
        return _factor(arg, column)
    except Mistyped:
        return None


def _factor(arg: Expr, column: Column) -> Expr | None:
    if arg == column:
        return ONE
    if isinstance(arg, Literal):
        return arg if _is_void(arg) else None
    if not isinstance(arg, Call):
        return None
    match arg.op:
        case "mul":
            return _product(arg.args[0], arg.args[1], column) or _product(arg.args[1], arg.args[0], column)
        case "div":
            return _applied("div", (_holding(arg.args[0], column), arg.args[1]))
        case "neg" | "add" | "sub" if arg.type in (SqlType.INTEGER, SqlType.DOUBLE):
            return _applied(arg.op, tuple(_factor(a, column) for a in arg.args))
        case "case":
            last = len(arg.args) - 1
            branches = (_factor(a, column) if i % 2 or i == last else a for i, a in enumerate(arg.args))
            return _applied("case", tuple(branches))
        case "coalesce" if all(_is_void(a) for a in arg.args[1:]):
            return _factor(arg.args[0], column)
        case "cast" if arg.type is SqlType.DOUBLE and arg.args[0].type is SqlType.INTEGER:
            return _factor(arg.args[0], column)
        case _:
            return None


def _is_void(expr: Expr) -> bool:
    return isinstance(expr, Literal) and not isinstance(expr.value, bool) and expr.value in (None, 0)


def _product(one: Expr, other: Expr, column: Column) -> Expr | None:
    held = _holding(one, column)
    return other if held == ONE else _applied("mul", (held, other))


def _holding(arg: Expr, column: Column) -> Expr | None:
    """The factor of a side that reads the column."""
    return _factor(arg, column) if column in columns_of(arg) else None


def _applied(op: str, args: tuple[Expr | None, ...]) -> Expr | None:
    present = tuple(a for a in args if a is not None)
    return apply(op, present) if len(present) == len(args) else None


def multiples(arg: Expr, columns: tuple[Column, ...]) -> tuple[Expr, ...] | None:
    """For each column a factor, so that `arg` is the sum of the columns times their factors, NULL where it is.

    One column may stand for a 0 in the place of a NULL, as in `factor`.
    """
    if arg.depth > _DEEPEST:
        return None
    if len(columns) == 1:
        only = factor(arg, columns[0])
        return (only,) if only is not None else None
    try:
        return _of_several(arg, columns)
    except Mistyped:
        return None


def _of_several(arg: Expr, columns: tuple[Column, ...]) -> tuple[Expr, ...] | None:
    factors: dict[Column, Expr] = {}
    for addend, negated in _addends(arg):
        held = next(((c, f) for c in columns if (f := _holding(addend, c)) is not None), None)
        if held is None:
            return None
        column, f = held[0], apply("neg", (held[1],)) if negated else held[1]
        factors[column] = apply("add", (factors[column], f)) if column in factors else f
    return tuple(factors[c] for c in columns) if len(factors) == len(columns) else None


def _addends(arg: Expr, negated: bool = False) -> Iterator[tuple[Expr, bool]]:
    """What is added up, and what is taken off."""
    if isinstance(arg, Call) and arg.op in ("add", "sub") and arg.type in (SqlType.INTEGER, SqlType.DOUBLE):
        yield from _addends(arg.args[0], negated)
        yield from _addends(arg.args[1], negated ^ (arg.op == "sub"))
    elif isinstance(arg, Call) and arg.op == "neg":
        yield from _addends(arg.args[0], not negated)
    else:
        yield arg, negated


def total_grid(measure: Measure, shape: Shape, catalog: Catalog) -> tuple[Grid, tuple[UnitTotal, ...]] | None:
    """The grid of a sum whose argument inherits a `unit_total`, the least where it does so from several columns.

    Where no column alone will do, the totals of all that there are add up. They rest on the columns' bounds before any
    filter, since the totals are enforced on the base table; a join then multiplies them by its fan-out.
    """
    arg, owner = measure.arg, shape.owner
    assert arg is not None
    if not isinstance(owner, Scan) or shape.fan_out is None:
        return None  # the total of another table is multiplied by the owner's rows
    every = (c for c in columns_of(arg) if c.scan == owner.index)
    columns = sorted((c for c in every if _total(c, shape, catalog) is not None), key=lambda c: c.name)
    grids = [g for c in columns if (g := _inherited(arg, (c,), shape, catalog)) is not None]
    if not grids and len(columns) > 1:
        return _inherited(arg, tuple(columns), shape, catalog)
    return min(grids, key=lambda g: (g[0].unit_total or 0) * g[0].step, default=None)


def _total(column: Column, shape: Shape, catalog: Catalog) -> UnitTotal | None:
    """What is enforced of a column on the base table, where the policy says that it has a total."""
    policy, base = column_policy(column, shape, catalog), shape.base[column].interval
    if policy is None or policy.unit_total is None or base is None:
        return None
    step = column_step(column, shape, catalog)
    lo, hi = nearest(base.lo / step), nearest(base.hi / step)
    return UnitTotal(Grid(column, step, lo, max(hi, lo + 1)), max(int(policy.unit_total / step), 1))


def _inherited(
    arg: Expr, columns: tuple[Column, ...], shape: Shape, catalog: Catalog
) -> tuple[Grid, tuple[UnitTotal, ...]] | None:
    """The grid of an argument that inherits the totals of these columns."""
    factors = multiples(arg, columns)
    totals = tuple(t for c in columns if (t := _total(c, shape, catalog)) is not None)
    assert shape.fan_out is not None
    if factors is None or len(totals) < len(columns):
        return None
    if arg == columns[0]:
        on, limit = totals[0].grid, totals[0].limit
        plain = (Reach(Fraction(1), limit * shape.fan_out),)
        return Grid(arg, on.step, min(on.lo, 0), max(on.hi, 1), plain), totals
    try:
        parts = [_Part.of(f, t, shape) for f, t in zip(factors, totals, strict=True)]
        interval = shape.facts().of(arg).interval
    except Mistyped:
        return None
    held = [p for p in parts if p is not None]
    if interval is None or len(held) < len(parts):
        return None
    step = min(p.step for p in held)
    if not all(p.fits(step) for p in held):
        return None
    lo, hi = min(nearest(interval.lo / step), 0), max(nearest(interval.hi / step), 1)
    reach = tuple(
        Reach(s, max(int(p.total.limit * s), 1) * shape.fan_out) for p in held for s in (p.share(step),)
    )
    return Grid(arg, step, lo, hi, reach), totals


@dataclass(frozen=True, slots=True)
class _Part:
    """A column's multiple: the sizes of its factor in the rows that count and in any row, and the step it asks for.

    Steps are as much smaller as the factor is, where it is no integer, and the largest value has 2**20 of them: so what
    is lost to whole shares is little, and so is what is lost to whole steps.
    """

    total: UnitTotal
    size: Fraction
    before: Fraction
    step: Fraction

    @classmethod
    def of(cls, f: Expr, total: UnitTotal, shape: Shape) -> _Part | None:
        size, before = shape.facts().of(f).interval, shape.base_facts().of(f).interval
        if size is None or before is None:
            return None
        real = f.type is SqlType.DOUBLE
        if real and total.grid.magnitude > _EXACT:
            return None
        finer = _finer(size.magnitude, total.grid.magnitude) if real else 1
        return cls(total, size.magnitude, before.magnitude, total.grid.step / finer)

    def share(self, step: Fraction) -> Fraction:
        """The share on a grid of these steps, rounded up."""
        return Fraction(-((-self.size * self.total.grid.step / step * SHARES) // 1), SHARES)

    def fits(self, step: Fraction) -> bool:
        """Whether no row's value overflows on the way to its share."""
        most = max(self.share(step) * SHARES, self.before * self.total.grid.step / step + 1)
        return self.total.grid.magnitude * most < _LARGEST


def _finer(size: Fraction, magnitude: int) -> int:
    """The power of two by which steps are divided."""
    if size == 0:
        return 1
    most = power_of_two(max(1 / size / 2, _RESOLUTION / (magnitude * size), Fraction(1)))
    return min(int(most), _FINEST)
