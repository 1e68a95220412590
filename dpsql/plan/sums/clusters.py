"""Measures that can share sums: those of one argument over the same rows, and those of one pair of arguments."""

from __future__ import annotations

from dataclasses import replace

from dpsql.algebra.catalog import Catalog
from dpsql.algebra.expressions import TRUE, Call, Expr
from dpsql.algebra.facts import Facts
from dpsql.algebra.functions import apply
from dpsql.algebra.question import JOINT_DEGREES, MOMENTS, SECOND_MOMENTS, Aggregate, Measure
from dpsql.algebra.shape import Shape
from dpsql.plan.sums.grids import grid, joint_grids
from dpsql.plan.sums.unit_totals import total_grid
from dpsql.plan.types import Grid, UnitTotal
from dpsql.slotted import dataclass


@dataclass(frozen=True, slots=True)
class Cluster:
    """Measures of one argument over the same rows; `total` is the grid under a unit total, where there is one.

    Those of two arguments have the grid of the second one in `x`, and the degrees that they need in both.
    """

    arg: Expr
    where: Expr
    measures: tuple[int, ...]
    grid: Grid
    total: Grid | None = None
    capped: tuple[UnitTotal, ...] = ()
    nullable: bool = False
    x: Grid | None = None
    degrees: tuple[int, int] = (0, 0)


def settled(measure: Measure, facts: Facts) -> Measure:
    """A measure of two columns over the rows that have both; what needs one column only, as a measure of that."""
    if measure.arg is None or measure.other is None:
        return measure
    present = tuple(_present(v) for v in (measure.arg, measure.other) if facts.of(v).nullable)
    conjuncts = tuple(dict.fromkeys((*_conjuncts(measure.where), *present)))
    where = apply("and", conjuncts) if len(conjuncts) > 1 else (*conjuncts, TRUE)[0]
    if measure.aggregate is Aggregate.COUNT:
        return replace(measure, aggregate=Aggregate.COUNT_ROWS, arg=None, other=None, where=where)
    other = measure.other if measure.aggregate in JOINT_DEGREES else None
    return replace(measure, where=where, other=other)


def null_in(arg: Expr | None, where: Expr, facts: Facts) -> bool:
    """Whether an argument may be NULL in a row that a condition keeps."""
    return arg is not None and facts.of(arg).nullable and _present(arg) not in _conjuncts(where)


def _present(value: Expr) -> Expr:
    return apply("not", (apply("is_null", (value,)),))


def _conjuncts(where: Expr) -> tuple[Expr, ...]:
    if isinstance(where, Call) and where.op == "and":
        return where.args
    return () if where == TRUE else (where,)


def clusters(
    measures: tuple[Measure, ...], shape: Shape, catalog: Catalog, *, totals: bool = True
) -> tuple[Cluster, ...]:
    """The clusters of all sums, averages, variances and measures of two columns; under unit totals if `totals`.

    Raises QueryRefused.
    """
    groups: dict[tuple[Expr, Expr, Expr | None], list[int]] = {}
    for i, m in enumerate(measures):
        if m.arg is not None and (m.aggregate in MOMENTS or m.aggregate in JOINT_DEGREES):
            groups.setdefault((m.arg, m.where, m.other), []).append(i)
    return tuple(_cluster(tuple(members), measures, shape, catalog, totals) for members in groups.values())


def _cluster(
    members: tuple[int, ...], measures: tuple[Measure, ...], shape: Shape, catalog: Catalog, totals: bool
) -> Cluster:
    measured = [measures[i] for i in members]
    first = measured[0]
    assert first.arg is not None
    if first.other is not None:
        y, x = joint_grids(first, shape, catalog)
        needed = [JOINT_DEGREES[m.aggregate] for m in measured]
        degrees = max(p for p, _ in needed), max(q for _, q in needed)
        return Cluster(first.arg, first.where, members, y, x=x, degrees=degrees)
    hardest = next((m for m in measured if m.aggregate in SECOND_MOMENTS), first)
    under_total = totals and hardest.aggregate not in SECOND_MOMENTS
    clipped, capped = (total_grid(hardest, shape, catalog) if under_total else None) or (None, ())
    nullable = null_in(first.arg, first.where, shape.facts())
    return Cluster(first.arg, first.where, members, grid(hardest, shape, catalog), clipped, capped, nullable)
