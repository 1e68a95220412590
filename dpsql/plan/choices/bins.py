"""Cells for counting values in order, from the policy alone: as fine as the grid where that is few, else coarser.

Where values are of one sign and range over more grid integers than there may be cells, the cells are narrower for
smaller values (the same number in every doubling), because such columns are mostly skewed; other columns get cells of
equal width. All cells weigh alike in a choice.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from dpsql.algebra.catalog import Catalog
from dpsql.algebra.expressions import Expr
from dpsql.algebra.facts import NATURAL
from dpsql.algebra.question import Measure
from dpsql.algebra.shape import Shape
from dpsql.algebra.types import TEMPORAL, SqlType
from dpsql.plan.sums.grids import grid, is_declared, unbounded
from dpsql.plan.types import Bins, Grid

_MOST_CELLS = 1 << 13
_FEWEST_CELLS = 1 << 6
# All groups together have about this many cells.
_MOST_COUNTS = 1 << 17
# How many groups are reckoned with where they are private.
_UNKNOWN_GROUPS = 1 << 7
# The cells of moments are whole multiples of one of these, if they are wider than a microsecond.
_MOMENTS = (1, 1_000, 1_000_000, 60_000_000, 3_600_000_000, 86_400_000_000)


def bins(measure: Measure, shape: Shape, catalog: Catalog, groups: int | None) -> Bins:
    """The cells for an order statistic over so many groups, None where nobody knows how many.

    Raises QueryRefused where the argument has no finite range.
    """
    assert measure.arg is not None
    most = most_cells(groups)
    if measure.arg.type in TEMPORAL:
        on = _calendar(measure, measure.arg, shape, catalog)
        return Bins(on, _calendar_width(on, measure.arg.type, most))
    on = grid(measure, shape, catalog)
    if on.width < most:
        return Bins(on)
    if on.lo >= 0:
        return Bins(on, 1, _digits(on, most))
    return Bins(on, -(-(on.width + 1) // most))


def most_cells(groups: int | None) -> int:
    """The most cells of one group's counts."""
    return max(
        _FEWEST_CELLS, min(_MOST_CELLS, _MOST_COUNTS // max(_UNKNOWN_GROUPS if groups is None else groups, 1))
    )


def _calendar(measure: Measure, arg: Expr, shape: Shape, catalog: Catalog) -> Grid:
    interval = shape.facts().of(arg).interval
    if interval is None or (interval == NATURAL[arg.type] and not is_declared(arg, shape, catalog)):
        raise unbounded(measure, arg, shape, catalog)
    # Two cells at least, and none behind the last day that there is.
    lo, hi = min(int(interval.lo), int(NATURAL[arg.type].hi) - 1), int(interval.hi)
    return Grid(arg, Fraction(1), lo, max(hi, lo + 1))


def _calendar_width(on: Grid, kind: SqlType, most: int) -> int:
    """Whole days of a date; of a moment whole days, hours, minutes, ..., whichever is least."""
    least = -(-(on.width + 1) // most)
    if kind is SqlType.DATE:
        return least
    return next((unit for unit in _MOMENTS if unit >= least), -(-least // _MOMENTS[-1]) * _MOMENTS[-1])


def _digits(on: Grid, most: int) -> int:
    """The most binary digits at which there are no more cells than that."""
    bits = 2
    while bits < 40 and place(on.hi, bits + 1) - place(on.lo, bits + 1) < most:
        bits += 1
    return bits


def place(value: int, bits: int) -> int:
    """How many cells of so many digits begin in (0, value]."""
    over = max(value.bit_length() - bits, 0)
    return (value >> over) + over * (1 << (bits - 1))


def starts(cells: Bins) -> npt.NDArray[np.int64]:
    """Where the cells begin, in grid integers: the first at or below lo, and in the end hi + 1."""
    lo, hi = cells.grid.lo, cells.grid.hi
    if cells.bits is None:
        return np.append(np.arange(lo, hi + 1, cells.width, dtype=np.int64), np.int64(hi + 1))
    bits = cells.bits
    octaves = range(max(lo.bit_length() - bits, 0), max(hi.bit_length() - bits, 0) + 1)
    octave_starts = [_octave(lo, hi, over, bits) for over in octaves]
    return np.append(np.concatenate(octave_starts), np.int64(hi + 1))


def _octave(lo: int, hi: int, over: int, bits: int) -> npt.NDArray[np.int64]:
    """The beginnings of the cells of 2**over integers."""
    first = max(lo >> over, 1 << (bits - 1) if over else 0)
    last = min(hi >> over, (1 << bits) - 1)
    return np.arange(first, last + 1, dtype=np.int64) << over


def middles(cells: Bins) -> npt.NDArray[np.int64]:
    """The grid integer in the middle of each cell, which is what its choice stands for."""
    at = starts(cells)
    first = np.maximum(at[:-1], cells.grid.lo)
    return first + (at[1:] - first) // 2
