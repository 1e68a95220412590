"""Sums under a unit total: which arguments inherit it from a column, and how much of it a unit can reach there.

Let k be the column's integer in a row, clipped to what is left of its unit's total, so that |k| of a unit add up to at
most L. An argument that is x * f in every row stands for x = k: the integer nearest to k * f on its own grid, clipped
to at most floor(s |k|) in size. *Because* the sum of floor(s |k|) over any rows of a unit is at most floor(s L), that
is what a unit's values add up to, whatever f is and however products are rounded. s, the share, is the least multiple
of 1 / 1024 that no |f| exceeds, counted in steps of both grids: it is chosen so that nothing else is clipped.
"""

from __future__ import annotations

from fractions import Fraction

from dpsql.algebra.expr import Call, Column, Expr, Literal, columns_of, depth_of
from dpsql.algebra.per_unit import power_of_two
from dpsql.algebra.question import Measure
from dpsql.algebra.relation import Scan
from dpsql.algebra.shape import Shape
from dpsql.algebra.types import SqlType
from dpsql.catalog import Catalog
from dpsql.functions import Mistyped, apply
from dpsql.plan.grids import column_policy, column_step, nearest
from dpsql.plan.types import SHARES, Grid, UnitTotal

ONE = Literal(1, SqlType.INTEGER)
_DEEPEST = 40
_EXACT = 2**53
_LARGEST = 2**62
_FINEST = 2**60
_RESOLUTION = Fraction(2**20)


def factor(arg: Expr, column: Column) -> Expr | None:
    """f where `arg` is `column` times f in every row, but for a 0 in the place of a NULL; None where none is known."""
    if depth_of(arg) > _DEEPEST:
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
    known = _holding(one, column)
    return other if known == ONE else _applied("mul", (known, other))


def _holding(arg: Expr, column: Column) -> Expr | None:
    """The factor of a side that reads the column."""
    return _factor(arg, column) if column in columns_of(arg) else None


def _applied(op: str, args: tuple[Expr | None, ...]) -> Expr | None:
    known = tuple(a for a in args if a is not None)
    return apply(op, known) if len(known) == len(args) else None


def total_grid(measure: Measure, shape: Shape, catalog: Catalog) -> tuple[Grid, UnitTotal] | None:
    """The grid of a sum whose argument inherits a `unit_total`, the least where it does so from several columns.

    It rests on the column's bounds before any filter, since the total is enforced on the base table; a join then
    multiplies it by its fan-out.
    """
    assert measure.arg is not None
    owner = shape.owner
    if not isinstance(owner, Scan) or shape.fan_out is None:
        return None  # the total of another table is multiplied by the owner's rows
    columns = sorted((c for c in columns_of(measure.arg) if c.scan == owner.index), key=lambda c: c.name)
    found = [g for c in columns if (g := _inherited(measure.arg, c, shape, catalog)) is not None]
    return min(found, key=lambda g: (g[0].unit_total or 0) * g[0].step, default=None)


def _inherited(arg: Expr, column: Column, shape: Shape, catalog: Catalog) -> tuple[Grid, UnitTotal] | None:
    policy = column_policy(column, shape, catalog)
    f = factor(arg, column) if policy is not None and policy.unit_total is not None else None
    if policy is None or policy.unit_total is None or f is None:
        return None
    base = shape.base[column].interval
    assert base is not None and shape.fan_out is not None
    step = column_step(column, shape, catalog)
    lo, hi = nearest(base.lo / step), nearest(base.hi / step)
    total = UnitTotal(Grid(column, step, lo, max(hi, lo + 1)), max(int(policy.unit_total / step), 1))
    if f == ONE and arg == column:
        return Grid(arg, step, min(lo, 0), max(hi, 1), total.limit * shape.fan_out), total
    on = _times(arg, f, total, shape)
    return (on, total) if on is not None else None


def _times(arg: Expr, f: Expr, total: UnitTotal, shape: Shape) -> Grid | None:
    """The grid of a column's multiple: of steps as much smaller as the factor is, where it is no integer."""
    try:
        known = (shape.facts().of(f), shape.base_facts().of(f), shape.facts().of(arg))
    except Mistyped:
        return None
    size, before, found = (k.interval for k in known)
    if size is None or before is None or found is None:
        return None
    finer = _finer(size.magnitude, total.grid.magnitude) if f.type is SqlType.DOUBLE else 1
    share = Fraction(-((-size.magnitude * finer * SHARES) // 1), SHARES)
    largest = total.grid.magnitude * max(share * SHARES, before.magnitude * finer + 1)
    if largest >= _LARGEST or (f.type is SqlType.DOUBLE and total.grid.magnitude > _EXACT):
        return None
    step = total.grid.step / finer
    lo, hi = min(nearest(found.lo / step), 0), max(nearest(found.hi / step), 1)
    assert shape.fan_out is not None
    return Grid(arg, step, lo, hi, max(int(total.limit * share), 1) * shape.fan_out, share)


def _finer(size: Fraction, magnitude: int) -> int:
    """The power of two by which steps are divided: a factor counts at least a half, and the largest value 2**20.

    So what is lost to whole shares is little, and so is what is lost to whole steps.
    """
    if size == 0:
        return 1
    most = power_of_two(max(1 / size / 2, _RESOLUTION / (magnitude * size), Fraction(1)))
    return min(int(most), _FINEST)
