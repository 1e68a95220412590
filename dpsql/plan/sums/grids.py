"""The integer grid that a summed expression is put on: from the policy's bounds and steps alone."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from dpsql.algebra.catalog import Catalog
from dpsql.algebra.expressions import Call, Column, Expr, Literal, columns_of, nodes
from dpsql.algebra.facts import NATURAL, Fact, Facts
from dpsql.algebra.functions import fact_rule
from dpsql.algebra.functions.text.strings import ANY_LENGTH
from dpsql.algebra.per_unit_facts import power_of_two
from dpsql.algebra.question import JOINT_DEGREES, SECOND_MOMENTS, Measure
from dpsql.algebra.relations import Released, Scan, sources
from dpsql.algebra.shape import Shape, capped_shape
from dpsql.algebra.types import SqlType
from dpsql.errors import QueryRefused
from dpsql.plan.types import Grid
from dpsql.policy.model import Column as ColumnPolicy
from dpsql.privacy import Interval

# A derived step divides the range into about this many parts; below 2**31 so that squares fit a BIGINT.
_RESOLUTION = 2**20
_LARGEST_SQUARED = 2**31 - 1
_LARGEST = 2**62
_LARGEST_DOUBLE = Fraction(10) ** 150
LEAST_WIDTH = Fraction(10) ** -150
_LONGER = Interval(Fraction(0), Fraction(2) ** 63)


def grid(measure: Measure, shape: Shape, catalog: Catalog) -> Grid:
    """The grid of a measure's argument over the rows of a relation. Refuses an argument without a finite range.

    A total or a count of one unit's rows is clipped to what rows up to the dataset's cap can make it, where it has no
    range of its own.
    """
    arg = measure.arg
    assert arg is not None
    shape = _bounded(arg, shape, catalog)
    fact = shape.facts().of(arg)
    interval = fact.interval
    if not _has_range(arg, shape):
        raise unbounded(measure, arg, shape, catalog)
    assert interval is not None
    second = measure.aggregate in SECOND_MOMENTS or measure.aggregate in JOINT_DEGREES
    return _with_step(arg, interval, _step(arg, interval, _declared(arg, shape, catalog), second=second))


def column_grid(column: Column, interval: Interval, declared: Fraction | None) -> Grid:
    """The grid of a whole column by its bounds and the step that its policy declares, where no squares are added up."""
    return _with_step(column, interval, _step(column, interval, declared, second=False))


def _with_step(arg: Expr, interval: Interval, step: Fraction) -> Grid:
    """The range in steps, of which it has one at least; every grid integer is below 2^62."""
    lo = min(nearest(interval.lo / step), _LARGEST - 2)
    return Grid(arg, step, lo, max(nearest(interval.hi / step), lo + 1))


def joint_grids(measure: Measure, shape: Shape, catalog: Catalog) -> tuple[Grid, Grid]:
    """The grids of y and x of a measure of two columns, coarse enough for products of squares of both.

    w w' stays below 2**31, so that a row's s**2 s'**2 stays below 2**62: the wider of both gets steps of twice the size
    until they do, from the policy alone.
    """
    assert measure.other is not None
    on = [grid(m, shape, catalog) for m in (measure, replace(measure, arg=measure.other))]
    while on[0].width * on[1].width > _LARGEST_SQUARED:
        wider = 0 if on[0].width >= on[1].width else 1
        on[wider] = _coarser(on[wider], _bounded(on[wider].arg, shape, catalog))
    return on[0], on[1]


def _coarser(on: Grid, shape: Shape) -> Grid:
    """The range on steps of twice the size."""
    interval = shape.facts().of(on.arg).interval
    assert interval is not None
    return _with_step(on.arg, interval, on.step * 2)


def _has_range(arg: Expr, shape: Shape) -> bool:
    interval = shape.facts().of(arg).interval
    if interval is None or interval.magnitude >= _limit(arg, shape):
        return False
    return not _lengths(arg, shape) or interval == Facts(shape.columns, _of_longer).of(arg).interval


def _lengths(arg: Expr, shape: Shape) -> list[Call]:
    """The lengths of texts, and places in them, of which nothing says how long they may be."""
    facts = shape.facts()
    calls = (e for e in nodes(arg) if isinstance(e, Call) and e.op in ("length", "strpos"))
    return [c for c in calls if facts.of(c).interval == ANY_LENGTH]


def _of_longer(call: Call, facts: tuple[Fact, ...]) -> Fact:
    """What would be known of a value if texts could be longer: where that is another range, there is none."""
    fact = fact_rule(call, facts)
    return replace(fact, interval=_LONGER) if fact.interval == ANY_LENGTH else fact


def _bounded(arg: Expr, shape: Shape, catalog: Catalog) -> Shape:
    """The shape, or the one under the dataset's cap where only that limits what the argument reads."""
    if _has_range(arg, shape) and not _counted(arg, shape):
        return shape
    capped = capped_shape(shape, catalog)
    return capped if capped is not None and _has_range(arg, capped) else shape


def _counted(arg: Expr, shape: Shape) -> bool:
    """Whether the range of a value is as large as the number of rows that it is computed of, such as half a count.

    That is so where it would be another one if what is computed of several rows were half as large.
    """
    read = {s.index for s in sources(shape.relation) if not isinstance(s, Scan)} if shape.relation else ()
    wide = [c for c in columns_of(arg) if c.scan in read and _is_wide(shape.base[c].interval)]
    halved = {c: _halved(shape.columns[c]) for c in wide}
    return bool(wide) and Facts({**shape.columns, **halved}, fact_rule).of(arg) != shape.facts().of(arg)


def _halved(fact: Fact) -> Fact:
    """With the ends of its range half as far away that only the number of rows limits."""
    assert fact.interval is not None
    lo, hi = (
        Fraction(int(end) // 2) if abs(end) >= _LARGEST else end
        for end in (fact.interval.lo, fact.interval.hi)
    )
    return replace(fact, interval=Interval(lo, hi))


def _limit(arg: Expr, shape: Shape) -> Fraction:
    """What a summed value must stay below; the range of a type is no bound, however wide a DOUBLE may be."""
    return Fraction(_LARGEST) if _unbounded_columns(arg, shape) else largest(arg.type)


def largest(of: SqlType) -> Fraction:
    """What a summed value of a type must stay below, so that squares and totals stay within reach of the engine."""
    return _LARGEST_DOUBLE if of is SqlType.DOUBLE else Fraction(_LARGEST)


def _unbounded_columns(arg: Expr, shape: Shape) -> list[Column]:
    """The columns of which nothing but their type says how large they are: released counts and sums are such, too."""
    released = {s.index for s in sources(shape.relation) if isinstance(s, Released)} if shape.relation else ()
    columns = [c for c in columns_of(arg) if c.type in NATURAL and shape.base[c].interval == NATURAL[c.type]]
    columns += (c for c in columns_of(arg) if c.scan in released and _is_wide(shape.base[c].interval))
    return sorted(set(columns), key=lambda c: (c.scan, c.name))


def _is_wide(interval: Interval | None) -> bool:
    return interval is not None and interval.magnitude >= _LARGEST


def _declared(arg: Expr, shape: Shape, catalog: Catalog) -> Fraction | None:
    """The step that the policy declares of the column that `arg` is or inherits from."""
    policy = column_policy(arg if isinstance(arg, Column) else _inheriting(arg), shape, catalog)
    return policy.step if policy is not None else None


def _step(arg: Expr, interval: Interval, declared: Fraction | None, *, second: bool) -> Fraction:
    step = declared
    if step is None and arg.type is SqlType.DOUBLE:
        step = power_of_two(max(interval.width, LEAST_WIDTH) / _RESOLUTION)
    step = step if step is not None else Fraction(1)
    if second:
        step = max(step, power_of_two(interval.width / _LARGEST_SQUARED * 2)) if interval.width else step
    while interval.magnitude / step > _LARGEST - 1:
        step *= 2
    return step


def nearest(x: Fraction) -> int:
    """The nearest integer, the greater of two."""
    return (x + Fraction(1, 2)).__floor__()


def _inheriting(arg: Expr) -> Column | None:
    """The column that `arg` is, or is in some branches of a CASE whose other branches are 0 or NULL."""
    if isinstance(arg, Column):
        return arg
    if not isinstance(arg, Call) or arg.op != "case":
        return None
    values = [*arg.args[1::2], arg.args[-1]]
    rest = {v for v in values if not (isinstance(v, Literal) and v.value in (None, 0))}
    only = next(iter(rest)) if len(rest) == 1 else None
    return only if isinstance(only, Column) else None


def column_step(column: Column, shape: Shape, catalog: Catalog) -> Fraction:
    """The step of a column's grid before any filter."""
    interval = shape.base[column].interval
    assert interval is not None
    return _step(column, interval, _declared(column, shape, catalog), second=False)


def column_policy(column: Expr | None, shape: Shape, catalog: Catalog) -> ColumnPolicy | None:
    """What the policy says of a column of a table; None of anything else."""
    if not isinstance(column, Column) or column not in shape.base:
        return None
    scan = shape.scan(column)
    return catalog.policy(scan.table).column(column.name) if scan is not None else None


def is_declared(arg: Expr, shape: Shape, catalog: Catalog) -> bool:
    """Whether the policy says the bounds of a column, which may be those of its type."""
    policy = column_policy(arg, shape, catalog)
    return policy is not None and policy.lower is not None


def unbounded(measure: Measure, arg: Expr, shape: Shape, catalog: Catalog) -> QueryRefused:
    """The refusal of an argument without a finite range, or with one that is too wide."""
    lengths = _lengths(arg, shape)
    if lengths:
        return QueryRefused(
            f"{measure.name} needs a bounded argument, and nothing says how long a text of it may be",
            place=measure.place,
            hint="Bound it in the query, as LEAST(LENGTH(x), 200), or declare max_length of the column in the policy.",
        )
    return QueryRefused(
        f"{measure.name} needs a bounded argument, and {_what_is_wide(arg, shape, catalog)}",
        place=measure.place,
        hint="Bound the column in the policy (lower, upper), or the expression with LEAST and GREATEST.",
    )


def _what_is_wide(arg: Expr, shape: Shape, catalog: Catalog) -> str:
    scanned = (c for c in _unbounded_columns(arg, shape) if shape.scan(c) is not None)
    free = [c.name for c in scanned if not is_declared(c, shape, catalog)]
    if free:
        return f'the column "{free[0]}" has no bounds'
    known = all(
        is_declared(c, shape, catalog) or not _is_wide(shape.base[c].interval) for c in columns_of(arg)
    )
    if not known or shape.facts().of(arg).interval in (None, NATURAL.get(arg.type)):
        return "the expression has no finite range"
    return f"this one may be {'10^150' if arg.type is SqlType.DOUBLE else '2^62'} or farther from 0"
